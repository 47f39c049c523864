// SPDX-License-Identifier: BSD-3-Clause
// Model files and what they predict, as text and JSON.
#include <math.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"
#include "analyzer/report/views/views.h"
#include "analyzer/tasks/task_model.h"

static const char *const kind_names[] = {"task", "sequence", "groups", "phases"};

static struct quantity time_text(double seconds)
{
    return quantity_mean_time(1e9 * fmin(seconds, 1e9));
}

// ---- JSON

static json_t *parts_object(const double *parts)
{
    json_t *object = json_object();
    for (int i = 0; i < TASK_PARTS; i++)
        json_object_set_new(object, task_part_names[i], json_number(parts[i]));
    return object;
}

static json_t *outcome_object(const struct task_outcome *outcome)
{
    const struct task *task = outcome->task;
    json_t *object =
        JSON_OBJECT(JSON_TEXT(task, name), {"kind", json_string(kind_names[task->kind])},
                    {"processes", json_count(outcome->n_processes)}, JSON_NUMBER(outcome, repeat),
                    {"time", json_number(task_seconds(outcome->parts))},
                    {"parts", parts_object(outcome->parts)});
    if (task->kind == TASK_GROUPS)
        JSON_PUT(object, {"run", json_string(outcome->are_groups ? "groups" : "consecutive")},
                 {"groups", json_number(outcome->groups_s)},
                 {"consecutive", json_number(outcome->consecutive_s)},
                 {"released", json_count(outcome->n_released)},
                 {"limiting", outcome->are_groups
                                  ? json_text(outcome->tasks[outcome->limiting].task->name)
                                  : json_null()});
    if (task->kind == TASK_PHASES)
        JSON_PUT(object, {"kept", json_number(outcome->kept_s)},
                 {"bound", json_number(outcome->bound_s)},
                 {"optimal", json_boolean(outcome->is_optimal)});
    return outcome->n_tasks
               ? JSON_PUT(object, {"tasks", JSON_EACH(i, outcome->n_tasks,
                                                      outcome_object(&outcome->tasks[i]))})
               : object;
}

/// The names of the model that have (PARAMETERS) or have not been given.
static json_t *names_object(const struct task_answer *answer, bool parameters)
{
    const struct task_model *model = answer->point.model;
    json_t *object = json_object();
    if (parameters)
        json_object_set_new(object, "p", json_number(answer->point.names[NAME_TOTAL]));
    for (size_t i = NAMES_FIXED; i < model->n_names; i++)
        if (model->defined[i].is_parameter == parameters && !model->defined[i].is_column)
            json_object_set_new(object, model->names[i], json_number(answer->point.names[i]));
    return object;
}

static json_t *share_object(const struct task_answer *answer, const struct task_share *share)
{
    return JSON_OBJECT({"task", json_text(share->outcome->task->name)},
                       {"processes", json_count(share->outcome->n_processes)},
                       {"time", json_number(share->seconds)},
                       {"share", json_number(share->seconds / answer->time_s)});
}

static json_t *solution_object(const struct task_solution *solution)
{
    return JSON_OBJECT(
        {"parameter", json_text(solution->name)}, JSON_TEXT(solution, condition),
        {"from", solution->holds_above
                     ? json_number(isnan(solution->at) ? solution->low : solution->at)
                     : json_null()},
        {"to", solution->holds_above ? json_null() : json_number(solution->at)});
}

struct answers {
    const struct task_answer *answers;
    const struct task_solution *solutions; // NULL: none
};

static json_t *answer_object(const struct answers *answers, size_t i)
{
    const struct task_answer *answer = &answers->answers[i];
    return JSON_OBJECT(
        {"at", names_object(answer, true)}, {"values", names_object(answer, false)},
        {"time", json_number(answer->time_s)}, {"parts", parts_object(answer->parts)},
        {"groups", json_number(answer->groups_s)},
        {"consecutive", json_number(answer->consecutive_s)},
        {"tree", outcome_object(&answer->outcome)},
        {"ranked", JSON_EACH(k, answer->n_shares, share_object(answer, &answer->shares[k]))},
        {"solution", answers->solutions ? solution_object(&answers->solutions[i]) : NULL});
}

void json_print_task_answers(const struct task_answer *answers, size_t n,
                             const struct task_solution *solutions, FILE *stream)
{
    const struct task_model *model = answers[0].point.model;
    const struct answers all = {answers, solutions};
    JSON_PRINT(stream, JSON_FORMAT, {"model", json_text(model->name)},
               JSON_TEXT_OR_NULL(model, bias), {"points", JSON_EACH(i, n, answer_object(&all, i))});
}

static json_t *defined_object(const struct task_name *name)
{
    return JSON_OBJECT(JSON_TEXT(name, name),
                       {"value", name->has_default ? json_number(name->value) : json_null()},
                       {"formula", json_text_or_null(name->formula.text)},
                       JSON_TEXT_OR_NULL(name, summary));
}

json_t *json_known_model(const struct task_model *model)
{
    return JSON_OBJECT(JSON_TEXT(model, name), JSON_TEXT_OR_NULL(model, summary),
                       {"names", JSON_EACH(i, model->n_names - NAMES_FIXED,
                                           defined_object(&model->defined[NAMES_FIXED + i]))},
                       {"tasks", json_count(task_count(model->top))},
                       JSON_TEXT_OR_NULL(model, source), JSON_TEXT_OR_NULL(model, missing),
                       JSON_TEXT_OR_NULL(model, bias), {"file", json_text(model->path)});
}

// ---- text

static void print_point(const struct task_answer *answer, FILE *stream)
{
    const struct task_model *model = answer->point.model;
    fprintf(stream, "%s at p=%g", model->name, answer->point.names[NAME_TOTAL]);
    for (size_t i = NAMES_FIXED; i < model->n_names; i++)
        if (model->defined[i].is_parameter)
            fprintf(stream, ",%s=%g", model->names[i], answer->point.names[i]);
    fprintf(stream, ": %s\n ", time_text(answer->time_s).text);
    for (int i = 0; i < TASK_PARTS; i++)
        fprintf(stream, "%s %s %s", i ? "," : "", task_part_names[i],
                quantity_part(answer->parts[i], answer->time_s).text);
    fputc('\n', stream);
    if (!isnan(answer->groups_s) && !isnan(answer->consecutive_s))
        fprintf(stream, "  all groups at the same time %s, consecutive %s\n",
                time_text(answer->groups_s).text, time_text(answer->consecutive_s).text);
    else if (answer->why_not.text[0])
        fprintf(stream, "  %s is impossible: %s\n",
                isnan(answer->groups_s) ? "running groups at the same time"
                                        : "running groups one after the other",
                answer->why_not.text);
}

/// How the groups of OUTCOME run: "2 x 4 + 1 x 3 processes".
static void print_sizes(const struct task_outcome *outcome, FILE *stream)
{
    size_t n = outcome->n_tasks - (outcome->task->exchange ? 1 : 0);
    for (size_t i = 0, same; i < n; i += same) {
        const struct task_outcome *first = &outcome->tasks[i];
        for (same = 1; i + same < n && outcome->tasks[i + same].task == first->task &&
                       outcome->tasks[i + same].n_processes == first->n_processes;)
            same++;
        fprintf(stream, "%s%s on ", i ? ", " : "", first->task->name);
        if (same > 1)
            fprintf(stream, "%zu x ", same);
        fprintf(stream, "%zu", first->n_processes);
    }
}

static void print_groups(const struct task_outcome *outcome, FILE *stream)
{
    const char *name = outcome->task->name;
    if (outcome->task->kind == TASK_GROUPS && !outcome->are_groups) {
        fprintf(stream, "  %s: one task after the other", name);
        if (isfinite(outcome->groups_s))
            fprintf(stream, ", as groups would take %s instead of %s",
                    time_text(outcome->groups_s).text, time_text(outcome->consecutive_s).text);
        fputc('\n', stream);
    } else if (outcome->task->kind == TASK_GROUPS) {
        fprintf(stream, "  %s: groups, ", name);
        print_sizes(outcome, stream);
        fprintf(stream, " of %zu processes; %s is the slowest", outcome->n_processes,
                outcome->tasks[outcome->limiting].task->name);
        if (outcome->n_released)
            fprintf(stream, "; %zu could be released", outcome->n_released);
        fputc('\n', stream);
    } else if (outcome->task->kind == TASK_PHASES) {
        fprintf(stream, "  %s: %s with these sizes, %s if they never change; ", name,
                time_text(task_seconds(outcome->parts) / outcome->repeat).text,
                time_text(outcome->kept_s).text);
        if (outcome->is_optimal)
            fputs("all were tried\n", stream);
        else
            fprintf(stream, "the best of any is not below %s\n", time_text(outcome->bound_s).text);
    }
    for (size_t i = 0; i < outcome->n_tasks; i++) // copies are alike
        if (i == 0 || outcome->tasks[i].task != outcome->tasks[i - 1].task)
            print_groups(&outcome->tasks[i], stream);
}

static void print_clamped(const struct task_outcome *outcome, FILE *stream)
{
    for (unsigned i = 0; i < TASK_PARTS; i++)
        if (outcome->clamped & 1U << i)
            fprintf(stream, "  note: %s of %s is below 0 and counts as 0\n", task_part_names[i],
                    outcome->task->name);
    for (size_t i = 0; i < outcome->n_tasks; i++)
        if (i == 0 || outcome->tasks[i].task != outcome->tasks[i - 1].task)
            print_clamped(&outcome->tasks[i], stream);
}

static void print_shares(const struct task_answer *answer, uint64_t top, FILE *stream)
{
    struct table rows = {0};
    table_add_columns(&rows, "share", "time", "processes", "<task");
    for (size_t i = 0; i < answer->n_shares && i < top && answer->shares[i].seconds > 0; i++) {
        const struct task_share *share = &answer->shares[i];
        table_add_cells(&rows, quantity_part(share->seconds, answer->time_s).text,
                        time_text(share->seconds).text,
                        quantity_number(share->outcome->n_processes).text,
                        share->outcome->task->name);
    }
    table_print(&rows, 2, 0, stream);
}

static void print_solution(const struct task_solution *solution, FILE *stream)
{
    fprintf(stream, "  %s ", solution->condition);
    if (isnan(solution->at))
        fprintf(stream, "holds %s from %s=%g to %g\n",
                solution->holds_above ? "everywhere" : "nowhere", solution->name, solution->low,
                solution->high);
    else
        fprintf(stream, "holds %s %s=%.*g\n", solution->holds_above ? "from" : "up to",
                solution->name, solution->is_whole ? 17 : 6, solution->at);
}

void text_print_task_answers(const struct task_answer *answers, size_t n,
                             const struct task_solution *solutions, uint64_t top, FILE *stream)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0)
            fputc('\n', stream);
        print_point(&answers[i], stream);
        print_groups(&answers[i].outcome, stream);
        print_clamped(&answers[i].outcome, stream);
        if (solutions)
            print_solution(&solutions[i], stream);
        print_shares(&answers[i], top, stream);
    }
    if (answers[0].point.model->bias[0])
        print_labelled("  bias: ", 8, answers[0].point.model->bias, 80, stream);
}

// ---- explain

void model_page_list(const struct task_model *models, size_t n, size_t width, FILE *stream)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        columns = list_column(columns, models[i].name);
    for (size_t i = 0; i < n; i++)
        print_labelled(models[i].name, columns, models[i].summary, width, stream);
}

enum { LABEL_COLUMNS = 16 };

static void print_tasks(const struct task *task, size_t depth, size_t width, FILE *stream)
{
    SCOPED char *text = NULL;
    text_append(&text, "%s \"%s\"", kind_names[task->kind], task->name);
    const struct {
        const char *label;
        const struct task_formula *formula;
    } formulas[] = {{"repeat", &task->repeat},
                    {"copies", &task->copies},
                    {"least", &task->least},
                    {"most", &task->most},
                    {"change", &task->change},
                    {task_part_names[0], &task->parts[0]},
                    {task_part_names[1], &task->parts[1]},
                    {task_part_names[2], &task->parts[2]},
                    {task_part_names[3], &task->parts[3]}};
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++)
        if (formulas[i].formula->text)
            text_append(&text, "; %s %s", formulas[i].label, formulas[i].formula->text);
    print_labelled(depth ? "" : "Tasks", LABEL_COLUMNS + 2 * depth, text, width, stream);
    for (size_t i = 0; i < task->n_tasks; i++)
        print_tasks(&task->tasks[i], depth + 1, width, stream);
    if (task->exchange)
        print_tasks(task->exchange, depth + 1, width, stream);
}

void model_page_one(const struct task_model *model, size_t width, FILE *stream)
{
    SCOPED char *title = memory_format("%s: %s", model->name, model->summary);
    print_paragraph(title, 0, 0, width, stream);
    fputc('\n', stream);
    for (size_t i = NAMES_FIXED; i < model->n_names; i++) {
        const struct task_name *name = &model->defined[i];
        SCOPED char *text =
            memory_copy_text(name->is_column      ? "a column of the rows"
                             : name->has_default  ? quantity_format("%g", name->value).text
                             : name->is_parameter ? "to be given"
                                                  : name->formula.text);
        if (name->summary[0])
            text_append(&text, ": %s", name->summary);
        print_labelled(name->name, LABEL_COLUMNS, text, width, stream);
    }
    print_tasks(model->top, 0, width, stream);
    const char *const origins[][2] = {{"Source", model->source},
                                      {"Missing there", model->missing},
                                      {"Bias", model->bias},
                                      {"Read from", model->path}};
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++)
        if (origins[i][1][0])
            print_labelled(origins[i][0], LABEL_COLUMNS, origins[i][1], width, stream);
}

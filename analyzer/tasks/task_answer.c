// SPDX-License-Identifier: BSD-3-Clause
// Questions to a model (see task_model.h).
#include "analyzer/tasks/task_model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/csv.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

static const double most_processes = 1 << 20;

// --- points

/// The parameter called NAME, or NAME_TOTAL of p; the number of names if there is none.
static size_t find_parameter(const struct task_model *model, const char *name)
{
    size_t i = NAMES_FIXED;
    if (strcmp(name, "p") == 0)
        return NAME_TOTAL;
    while (i < model->n_names &&
           (!model->defined[i].is_parameter || strcmp(model->names[i], name) != 0))
        i++;
    return i;
}

static int no_parameter(const struct task_model *model, const char *name, struct error *err)
{
    const char *known[TASK_MAX_NAMES + 1] = {"p"};
    size_t n = 1;
    for (size_t i = NAMES_FIXED; i < model->n_names; i++)
        if (model->defined[i].is_parameter)
            known[n++] = model->names[i];
    SCOPED char *list = spelling_list(known, n);
    return error_set(err, "%s has no parameter \"%s\"; it has %s", model->path, name, list);
}

static int read_coordinate(struct task_point *point, char *text, bool *is_set, struct error *err)
{
    struct error why;
    char *value = strchr(text, '=');
    if (!value)
        return error_set(err, "\"%s\" is not NAME=VALUE", text);
    *value++ = '\0';
    text = text_trim(text);
    size_t i = find_parameter(point->model, text);
    if (i == point->model->n_names)
        return no_parameter(point->model, text, err);
    if (is_set[i])
        return error_set(err, "the parameter %s is there twice", text);
    if (option_read_quantity(text_trim(value), &point->names[i], &why))
        return error_set(err, "the parameter %s: %s", text, why.text);
    if (i == NAME_TOTAL && (point->names[i] < 1 || point->names[i] > most_processes ||
                            point->names[i] != floor(point->names[i])))
        return error_set(err, "p=%s: a whole number of processes, from 1 to %.0f", value,
                         most_processes);
    is_set[i] = true;
    return 0;
}

int task_point_read(struct task_point *point, struct task_model *model, const char *text,
                    struct error *err)
{
    bool is_set[TASK_MAX_NAMES] = {false};
    *point = (struct task_point){.model = model, .names[NAME_TOTAL] = 1};
    for (size_t i = NAMES_FIXED; i < model->n_names; i++)
        point->names[i] = model->defined[i].value;
    char *copy = memory_copy_text(text), *rest = *copy ? copy : NULL, *part;
    int status = 0;
    while (status == 0 && (part = strsep(&rest, ",")))
        status = read_coordinate(point, part, is_set, err);
    free(copy);
    for (size_t i = NAMES_FIXED; i < model->n_names && status == 0; i++)
        if (model->defined[i].is_parameter && !model->defined[i].has_default && !is_set[i])
            status = error_set(err, "the parameter %s of %s has no value: add --at %s=...",
                               model->names[i], model->path, model->names[i]);
    return status;
}

// --- rows

/// The columns of the file that are the model's.
static int read_header(struct task_rows *rows, const struct task_model *model,
                       const struct csv_reader *reader, size_t *fields, struct error *err)
{
    size_t *names = memory_zeroed(model->n_names, sizeof *names);
    rows->names = names;
    for (size_t i = NAMES_FIXED; i < model->n_names; i++) {
        if (!model->defined[i].is_column)
            continue;
        size_t field = FIND_TEXT(reader->fields, reader->n_fields, model->names[i]);
        if (field == reader->n_fields)
            return csv_error(reader, err, "there is no column \"%s\", which %s asks for",
                             model->names[i], model->path);
        fields[rows->n_columns] = field;
        names[rows->n_columns++] = i;
        rows->step = strcmp(model->names[i], "step") == 0 ? i : rows->step;
    }
    return rows->n_columns ? 0 : error_set(err, "%s has no <column>", model->path);
}

static int read_row(struct task_rows *rows, double **values, size_t *capacity,
                    const struct csv_reader *reader, const size_t *fields, struct error *err)
{
    struct error why;
    *values =
        array_reserve(*values, capacity, (rows->n_rows + 1) * rows->n_columns, sizeof **values);
    for (size_t k = 0; k < rows->n_columns; k++) {
        if (fields[k] >= reader->n_fields)
            return csv_error(reader, err, "there are fewer fields than in the header");
        double *value = *values + rows->n_rows * rows->n_columns + k;
        if (option_read_quantity(reader->fields[fields[k]], value, &why))
            return csv_error(reader, err, "%s", why.text);
    }
    rows->n_rows++;
    return 0;
}

int task_rows_read(struct task_rows *rows, const struct task_model *model, const char *path,
                   struct error *err)
{
    size_t fields[TASK_MAX_NAMES], capacity = 0;
    double *values = NULL;
    *rows = (struct task_rows){0};
    struct csv_reader reader = {.stream = fopen(path, "r"), .name = path};
    if (!reader.stream)
        return error_set(err, "cannot open %s: %s", path, strerror(errno));
    int status = csv_next(&reader, err);
    if (status == 0)
        status = error_set(err, "%s is empty", path);
    if (status == 1)
        status = read_header(rows, model, &reader, fields, err);
    while (status == 0 && (status = csv_next(&reader, err)) == 1)
        status = read_row(rows, &values, &capacity, &reader, fields, err);
    csv_release(&reader);
    fclose(reader.stream);
    rows->values = values;
    if (status)
        task_rows_release(rows);
    return status;
}

void task_rows_release(struct task_rows *rows)
{
    FREE_ALL((void *)rows->names, (void *)rows->values);
    *rows = (struct task_rows){0};
}

// --- answers

/// The share of OUTCOME's task on as many processes.
static struct task_share *share_of(struct task_answer *answer, const struct task_outcome *outcome)
{
    for (size_t i = 0; i < answer->n_shares; i++)
        if (answer->shares[i].outcome->task == outcome->task &&
            answer->shares[i].outcome->n_processes == outcome->n_processes)
            return &answer->shares[i];
    struct task_share *share = ARRAY_EXTEND(answer->shares, answer->n_shares);
    *share = (struct task_share){.outcome = outcome};
    return share;
}

/// Adds the shares of OUTCOME, which is executed FACTOR times (0: beside a slower one).
static void add_shares(struct task_answer *answer, const struct task_outcome *outcome,
                       double factor)
{
    if (outcome->task->kind == TASK_LEAF)
        share_of(answer, outcome)->seconds += factor * task_seconds(outcome->parts);
    for (size_t i = 0; i < outcome->n_tasks; i++) {
        bool is_beside = outcome->are_groups && i != outcome->limiting &&
                         outcome->task->exchange != outcome->tasks[i].task;
        add_shares(answer, &outcome->tasks[i], is_beside ? 0 : factor * outcome->repeat);
    }
}

static bool has_choice(const struct task *task)
{
    bool has = task->kind == TASK_GROUPS && task->run == RUN_EITHER;
    for (size_t i = 0; i < task->n_tasks; i++)
        has |= has_choice(&task->tasks[i]);
    return has;
}

/// Seconds with all groups run as RUN says; NAN if that is impossible, WHY then says why.
static double seconds_if(const struct task_point *point, enum task_run run, struct error *why)
{
    struct task_point other = *point;
    struct task_outcome outcome;
    other.run = run;
    if (task_evaluate(&other, &outcome, why))
        return NAN;
    double time = task_seconds(outcome.parts);
    task_outcome_release(&outcome);
    return time;
}

int task_answer(struct task_answer *answer, const struct task_point *point, struct error *err)
{
    *answer = (struct task_answer){.point = *point, .groups_s = NAN, .consecutive_s = NAN};
    if (task_evaluate(&answer->point, &answer->outcome, err))
        return -1;
    memcpy(answer->parts, answer->outcome.parts, sizeof answer->parts);
    answer->time_s = task_seconds(answer->parts);
    if (has_choice(point->model->top)) {
        answer->groups_s = seconds_if(point, RUN_GROUPS, &answer->why_not);
        answer->consecutive_s = seconds_if(point, RUN_CONSECUTIVE, &answer->why_not);
    }
    add_shares(answer, &answer->outcome, 1);
    SORT_BY(answer->shares, answer->n_shares, MOST(seconds), LEAST(outcome));
    return 0;
}

void task_answer_release(struct task_answer *answer)
{
    task_outcome_release(&answer->outcome);
    free(answer->shares);
    *answer = (struct task_answer){0};
}

// --- the inverse question

static const char *const solved_names[] = {"time",      "compute",    "latency",
                                           "bandwidth", "contention", "communication"};
enum { N_SOLVED_NAMES = 6, N_SAMPLES = 257, N_HALVINGS = 60 };

/// LEFT RELATION RIGHT, of a parameter.
struct question {
    struct task_point point;
    size_t parameter;
    struct formula *left;
    double right;
    enum relation relation;
};

/// How far the left side is above the right one, and whether the condition holds, with X.
static int look_at(struct question *question, double x, double *above, bool *holds,
                   struct error *err)
{
    struct task_outcome outcome;
    double values[N_SOLVED_NAMES];
    question->point.names[question->parameter] = x;
    if (task_evaluate(&question->point, &outcome, err))
        return error_wrap(err, "%s=%g",
                          question->parameter == NAME_TOTAL
                              ? "p"
                              : question->point.model->names[question->parameter],
                          x);
    values[0] = task_seconds(outcome.parts);
    memcpy(values + 1, outcome.parts, sizeof outcome.parts);
    values[N_SOLVED_NAMES - 1] = values[0] > 0 ? 1 - outcome.parts[TASK_COMPUTE] / values[0] : 0;
    task_outcome_release(&outcome);
    *above = formula_value(question->left, values) - question->right;
    *holds = !isnan(*above) && relation_holds(question->relation, LESS_FIRST(*above, 0));
    return 0;
}

static int read_condition(struct question *question, const char *condition, struct error *err)
{
    struct comparison comparison;
    struct error why;
    SCOPED char *text = memory_copy_text(condition);
    int status = comparison_read(text, &comparison, err);
    if (status == 0) {
        question->relation = comparison.relation;
        question->left = formula_new(comparison.name, solved_names, N_SOLVED_NAMES, err);
        status = question->left ? 0 : -1;
    }
    if (status == 0 && comparison.relation < RELATION_LESS)
        status = error_set(err, "`%s`: it must compare by <, <=, > or >=", condition);
    if (status == 0 && option_read_quantity(comparison.value, &question->right, &why))
        status = error_set(err, "`%s`: %s", condition, why.text);
    return status;
}

static int read_range(struct question *question, const char *range, struct task_solution *solution,
                      struct error *err)
{
    struct error why;
    char *text = memory_copy_text(range), *low = strchr(text, '='),
         *high = low ? strchr(low, ':') : NULL;
    int status = 0;
    if (!low || !high)
        status = error_set(err, "\"%s\" is not NAME=LOW:HIGH", range);
    if (status == 0) {
        *low++ = *high++ = '\0';
        question->parameter = find_parameter(question->point.model, text);
        if (question->parameter == question->point.model->n_names)
            status = no_parameter(question->point.model, text, err);
        else if (option_read_quantity(low, &solution->low, &why) ||
                 option_read_quantity(high, &solution->high, &why))
            status = error_set(err, "\"%s\": %s", range, why.text);
        else if (!(solution->low > 0 && solution->high > solution->low))
            status = error_set(err, "\"%s\": LOW must be above 0 and below HIGH", range);
    }
    free(text);
    solution->is_whole =
        solution->low == floor(solution->low) && solution->high == floor(solution->high);
    if (status == 0 && question->parameter == NAME_TOTAL && !solution->is_whole)
        status = error_set(err, "\"%s\": processes are whole numbers", range);
    return status;
}

/// The values in order; between two neighbours, whether the left side rises and the condition
/// changes.
static double sample_at(const struct task_solution *solution, size_t i)
{
    double share = (double)i / (N_SAMPLES - 1);
    double x = solution->low * pow(solution->high / solution->low, share);
    x = i == N_SAMPLES - 1 ? solution->high : x;
    return solution->is_whole ? round(x) : x;
}

/// Finds the samples FROM and TO between which the condition changes; they stay as they are if it
/// does not.
static int bracket(struct question *question, const struct task_solution *solution, double *from,
                   double *to, bool *holds_first, struct error *err)
{
    double before = 0, x_before = 0, direction = 0;
    bool held = false;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        double x = sample_at(solution, i), above;
        bool holds;
        if (i > 0 && x == x_before)
            continue;
        if (look_at(question, x, &above, &holds, err))
            return -1;
        double rise = above - before;
        if (fabs(rise) <= 1e-12 * (fabs(above) + fabs(before)))
            rise = 0; // rounding
        if (i > 0 && rise * direction < 0)
            return error_set(err,
                             "%s neither rises nor falls all the way: it turns at %s=%g; narrow "
                             "the range",
                             solution->condition, solution->name, x_before);
        if (i > 0 && rise != 0)
            direction = rise;
        if (i > 0 && holds != held) {
            *from = x_before;
            *to = x;
        }
        *holds_first = i == 0 ? holds : *holds_first;
        held = holds;
        before = above;
        x_before = x;
    }
    return 0;
}

static int bisect(struct question *question, struct task_solution *solution, double from, double to,
                  bool holds_first, struct error *err)
{
    for (int i = 0; i < N_HALVINGS && (!solution->is_whole || to - from > 1); i++) {
        double middle = solution->is_whole ? floor((from + to) / 2) : (from + to) / 2, above;
        bool holds;
        if (look_at(question, middle, &above, &holds, err))
            return -1;
        *(holds == holds_first ? &from : &to) = middle;
    }
    solution->at = holds_first ? from : to;
    return 0;
}

int task_solve(const struct task_point *point, const char *range, const char *condition,
               struct task_solution *solution, struct error *err)
{
    struct question question = {.point = *point};
    double from = NAN, to = NAN;
    bool holds_first = false;
    *solution = (struct task_solution){.condition = condition, .at = NAN};
    int status = read_range(&question, range, solution, err);
    if (status == 0) {
        solution->name =
            question.parameter == NAME_TOTAL ? "p" : point->model->names[question.parameter];
        status = read_condition(&question, condition, err);
    }
    if (status == 0)
        status = bracket(&question, solution, &from, &to, &holds_first, err);
    solution->holds_above = isnan(from) ? holds_first : !holds_first;
    if (status == 0 && !isnan(from))
        status = bisect(&question, solution, from, to, holds_first, err);
    formula_free(question.left);
    return status;
}

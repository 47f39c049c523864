// SPDX-License-Identifier: BSD-3-Clause
// Evaluation of a tree of tasks (see task_model.h).
#include "analyzer/tasks/task_model.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { MAX_COPIES = 100000 };

/// Where a task runs.
struct place {
    size_t n_processes;
    double n_groups; // at the same time
    size_t smallest; // processes of the smallest of them
};

double task_seconds(const double *parts)
{
    double sum = 0;
    for (int i = 0; i < TASK_PARTS; i++)
        sum += parts[i];
    return sum;
}

static void add_parts(double *sum, const double *parts, double factor)
{
    for (int i = 0; i < TASK_PARTS; i++)
        sum[i] += factor * parts[i];
}

/// Sets what depends on PLACE, and on the columns of a row.
static void set_names(struct task_point *point, const struct place *place)
{
    const struct task_model *model = point->model;
    point->names[NAME_P] = (double)place->n_processes;
    point->names[NAME_GROUPS] = place->n_groups;
    point->names[NAME_SMALLEST] = (double)place->smallest;
    for (size_t i = NAMES_FIXED; i < model->n_names; i++) {
        const struct task_name *name = &model->defined[i];
        if (name->is_parameter || name->is_column)
            continue;
        double value = formula_value(name->formula.formula, point->names);
        point->names[i] = name->has_least && value < name->least ? name->least : value;
    }
}

/// Remembers, if it is the first, why TASK has no value. Returns INFINITY.
static double no_value(struct task_point *point, const struct task *task, const char *what,
                       const char *text, double value)
{
    struct task_machine *machine = &point->model->machine;
    struct error *err = &point->problem;
    if (err->text[0])
        return INFINITY;
    if (machine->missing && !machine->machine)
        error_set(err, "%s=\"%s\" asks the machine for %s: name one by --machine", what, text,
                  machine->missing);
    else if (machine->missing)
        error_set(err, "%s=\"%s\": %s does not say what %s costs", what, text,
                  machine->machine->path, machine->missing);
    else
        error_set(err, "%s=\"%s\" is %g for p = %g", what, text, value, point->names[NAME_P]);
    error_wrap(err, "%s:%" PRIu32 ": task \"%s\"", point->model->path, task->line, task->name);
    return INFINITY;
}

/// The value of FORMULA, a number from LEAST on; DEFAULTS without one.
static double count_value(struct task_point *point, const struct task *task, const char *what,
                          const struct task_formula *formula, double least, double defaults)
{
    if (!formula->text)
        return defaults;
    double value = formula_value(formula->formula, point->names);
    return isfinite(value) && value >= least ? value
                                             : no_value(point, task, what, formula->text, value);
}

/// The costs of TASK with the names as they are. Returns bits of those that would be negative.
static unsigned leaf_parts(struct task_point *point, const struct task *task, double *parts)
{
    unsigned clamped = 0;
    for (unsigned i = 0; i < TASK_PARTS; i++) {
        const struct task_formula *formula = &task->parts[i];
        point->names[NAME_LATENCY] = parts[TASK_LATENCY];
        point->names[NAME_BANDWIDTH] = parts[TASK_BANDWIDTH];
        double value = formula->text ? formula_value(formula->formula, point->names) : 0;
        if (!isfinite(value))
            value = no_value(point, task, task_part_names[i], formula->text, value);
        clamped |= value < 0 ? 1U << i : 0;
        parts[i] = value > 0 ? value : 0;
    }
    return clamped;
}

/// Of each step the longest computing and the longest communication of its rows (Tycho's equation
/// (6)), summed. Returns as leaf_parts().
static unsigned row_parts(struct task_point *point, const struct task *task,
                          const struct place *place, double *parts)
{
    unsigned clamped = 0;
    const struct task_rows *rows = point->rows;
    double step[TASK_PARTS] = {0};
    if (!rows) {
        parts[TASK_COMPUTE] = INFINITY;
        if (!point->problem.text[0])
            error_set(&point->problem, "%s:%" PRIu32 ": task \"%s\" sums over rows: --rows FILE",
                      point->model->path, task->line, task->name);
        return 0;
    }
    for (size_t i = 0; i < rows->n_rows; i++) {
        double row[TASK_PARTS] = {0}, before = rows->step ? point->names[rows->step] : 0;
        for (size_t k = 0; k < rows->n_columns; k++)
            point->names[rows->names[k]] = rows->values[i * rows->n_columns + k];
        if (i > 0 && (!rows->step || point->names[rows->step] != before)) {
            add_parts(parts, step, 1);
            memset(step, 0, sizeof step);
        }
        set_names(point, place);
        clamped |= leaf_parts(point, task, row);
        double compute = fmax(step[TASK_COMPUTE], row[TASK_COMPUTE]);
        if (task_seconds(row) - row[TASK_COMPUTE] > task_seconds(step) - step[TASK_COMPUTE])
            memcpy(step, row, sizeof step);
        step[TASK_COMPUTE] = compute;
    }
    add_parts(parts, step, 1);
    return clamped;
}

static void evaluate(struct task_point *point, const struct task *task, struct place place,
                     const size_t *sizes, struct task_outcome *outcome);

/// Seconds of TASK, all repetitions.
static double seconds(struct task_point *point, const struct task *task, struct place place)
{
    SCOPED_BY(task_outcome_release) struct task_outcome outcome;
    evaluate(point, task, place, NULL, &outcome);
    return task_seconds(outcome.parts);
}

/// The outcome of one more of OUTCOME's tasks.
static const struct task_outcome *add_task(struct task_point *point, const struct task *task,
                                           struct place place, struct task_outcome *outcome)
{
    struct task_outcome *added;
    *(added = ARRAY_EXTEND(outcome->tasks, outcome->n_tasks)) = (struct task_outcome){0};
    evaluate(point, task, place, NULL, added);
    return added;
}

static void evaluate_sequence(struct task_point *point, const struct task *task, struct place place,
                              struct task_outcome *outcome)
{
    for (size_t i = 0; i < task->n_tasks; i++)
        add_parts(outcome->parts, add_task(point, &task->tasks[i], place, outcome)->parts, 1);
}

// --- groups

/// The tasks of groups, copies apart, and their times by size.
struct members {
    struct task_point *point;
    const struct task *groups;
    struct place place; // of all together
    size_t n;
    const struct task **tasks;
    size_t *least, *most;
    double **times;         // NAN: not computed yet; copies have the same
    bool is_after_smallest; // the exchange depends on the smallest group
};

static void members_release(struct members *members)
{
    for (size_t i = 0; i < members->n; i++)
        if (i == 0 || members->times[i] != members->times[i - 1])
            free(members->times[i]);
    FREE_ALL(members->times, members->tasks, members->least, members->most);
}

static void add_member(struct members *members, const struct task *task, double *times,
                       double least, double most)
{
    size_t i = members->n++, all = members->place.n_processes;
    members->tasks = memory_resize(members->tasks, members->n, sizeof *members->tasks);
    members->least = memory_resize(members->least, members->n, sizeof *members->least);
    members->most = memory_resize(members->most, members->n, sizeof *members->most);
    members->times = memory_resize(members->times, members->n, sizeof *members->times);
    members->tasks[i] = task;
    members->least[i] = least > (double)all ? all + 1 : (size_t)ceil(least);
    members->most[i] = most > (double)all ? all : (size_t)most;
    members->times[i] = times;
}

/// Whether the time of EXCHANGE depends on the smallest group, perhaps by a value.
static bool uses_smallest(const struct task_model *model, const struct task *exchange)
{
    const char *name = model->names[NAME_SMALLEST];
    bool uses = false;
    for (int i = 0; exchange && i < TASK_PARTS; i++)
        uses |= exchange->parts[i].text && formula_uses(exchange->parts[i].text, name);
    for (size_t i = NAMES_FIXED; exchange && i < model->n_names; i++) {
        const char *text = model->defined[i].formula.text;
        uses |= text && formula_uses(text, name);
    }
    return uses;
}

/// Without members where their number is not known, or too large.
static struct members members_of(struct task_point *point, const struct task *groups,
                                 struct place place)
{
    struct members members = {.point = point,
                              .groups = groups,
                              .place = place,
                              .is_after_smallest = uses_smallest(point->model, groups->exchange)};
    for (size_t i = 0; i < groups->n_tasks; i++) {
        const struct task *task = &groups->tasks[i];
        double copies = count_value(point, task, "copies", &task->copies, 1, 1);
        double least = count_value(point, task, "least", &task->least, 1, 1);
        double most = count_value(point, task, "most", &task->most, 1, INFINITY);
        if (!isfinite(copies) || !isfinite(least) || copies > MAX_COPIES) {
            no_value(point, task, "copies", task->copies.text, copies);
            members_release(&members);
            return (struct members){.place = place};
        }
        double *times = memory_new((place.n_processes + 1) * sizeof *times);
        for (size_t size = 0; size <= place.n_processes; size++)
            times[size] = NAN;
        for (double copy = 0; copy < round(copies); copy++)
            add_member(&members, task, times, least, most);
    }
    return members;
}

static struct place place_of(const struct members *members, size_t size)
{
    return (struct place){size, members->place.n_groups * (double)members->n, size};
}

static double member_time(void *context, size_t i, size_t size)
{
    struct members *members = context;
    double *time = &members->times[i][size];
    if (isnan(*time))
        *time = seconds(members->point, members->tasks[i], place_of(members, size));
    return *time;
}

static double exchange_time(void *context, size_t smallest)
{
    struct members *members = context;
    struct place place = place_of(members, smallest);
    place.n_processes = members->place.n_processes;
    return seconds(members->point, members->groups->exchange, place);
}

/// The best sizes for groups; INFINITY where there are not enough processes.
static double choose_sizes(struct members *members, size_t *sizes)
{
    const struct group_search search = {
        .n = members->n,
        .n_processes = members->place.n_processes,
        .least = members->least,
        .most = members->most,
        .time = member_time,
        .exchange = members->is_after_smallest ? exchange_time : NULL,
        .context = members,
    };
    double time = group_search(&search, sizes);
    bool follows = members->groups->exchange && !members->is_after_smallest;
    return time + (follows ? exchange_time(members, 1) : 0);
}

/// How many processes the groups could do without.
static size_t count_released(struct members *members, const size_t *sizes, double time)
{
    size_t n = members->place.n_processes;
    for (size_t i = 0; i < members->n; i++) {
        size_t size = members->is_after_smallest ? sizes[i] : members->least[i];
        while (size < sizes[i] && !(member_time(members, i, size) <= time))
            size++;
        n -= size;
    }
    return n;
}

static void run_as_groups(struct members *members, const size_t *sizes,
                          struct task_outcome *outcome)
{
    double longest = -1;
    size_t smallest = sizes[0];
    for (size_t i = 0; i < members->n; i++) {
        double time = task_seconds(
            add_task(members->point, members->tasks[i], place_of(members, sizes[i]), outcome)
                ->parts);
        outcome->limiting = time > longest ? i : outcome->limiting;
        longest = fmax(time, longest);
        smallest = sizes[i] < smallest ? sizes[i] : smallest;
    }
    add_parts(outcome->parts, outcome->tasks[outcome->limiting].parts, 1);
    outcome->are_groups = true;
    outcome->n_released = count_released(members, sizes, longest);
    if (members->groups->exchange) {
        struct place place = place_of(members, smallest);
        place.n_processes = members->place.n_processes;
        add_parts(outcome->parts,
                  add_task(members->point, members->groups->exchange, place, outcome)->parts, 1);
    }
}

/// What makes the time of TASK unknown, in the end.
static void too_few(struct task_point *point, const struct task *task, size_t n_processes,
                    size_t n_groups, struct task_outcome *outcome)
{
    outcome->parts[TASK_COMPUTE] = INFINITY;
    if (!point->problem.text[0])
        error_set(&point->problem,
                  "%s:%" PRIu32 ": \"%s\": %zu processes are too few for %zu groups",
                  point->model->path, task->line, task->name, n_processes, n_groups);
}

/// SIZES are those to be used; NULL: the best ones.
static void evaluate_groups(struct task_point *point, const struct task *task, struct place place,
                            const size_t *sizes, struct task_outcome *outcome)
{
    unsigned run = task->run == RUN_EITHER ? point->run : task->run;
    SCOPED_BY(members_release) struct members members = members_of(point, task, place);
    if (members.n == 0) {
        too_few(point, task, place.n_processes, 0, outcome);
        return;
    }
    SCOPED size_t *best = memory_zeroed(members.n, sizeof *best);
    outcome->groups_s = outcome->consecutive_s = NAN;
    if (sizes)
        memcpy(best, sizes, members.n * sizeof *best);
    else if (run != RUN_CONSECUTIVE)
        outcome->groups_s = choose_sizes(&members, best);
    if (!sizes && run != RUN_GROUPS) {
        outcome->consecutive_s = 0;
        for (size_t i = 0; i < members.n; i++)
            outcome->consecutive_s += seconds(point, members.tasks[i], place);
    }
    if (sizes || outcome->groups_s < outcome->consecutive_s ||
        (run == RUN_GROUPS && isfinite(outcome->groups_s)))
        run_as_groups(&members, best, outcome);
    else if (run == RUN_GROUPS)
        too_few(point, task, place.n_processes, members.n, outcome);
    else
        for (size_t i = 0; i < members.n; i++)
            add_parts(outcome->parts, add_task(point, members.tasks[i], place, outcome)->parts, 1);
}

// --- phases

struct phases {
    struct members *members; // of each phase
    double *repeats;
    size_t *least, *most; // of each task in any phase
};

static double phase_time(void *context, size_t phase, const size_t *sizes)
{
    const struct phases *phases = context;
    struct members *members = &phases->members[phase];
    double time = 0;
    size_t smallest = sizes[0];
    for (size_t i = 0; i < members->n; i++) {
        if (sizes[i] < members->least[i] || sizes[i] > members->most[i])
            return INFINITY;
        time = fmax(time, member_time(members, i, sizes[i]));
        smallest = sizes[i] < smallest ? sizes[i] : smallest;
    }
    return phases->repeats[phase] *
           (time + (members->groups->exchange ? exchange_time(members, smallest) : 0));
}

/// Reads the members of all phases into PHASES and SEARCH, and the best sizes of each alone into
/// OPTIMAL; OUTCOME's bound is the sum of their times.
static void prepare_phases(struct task_point *point, const struct task *task, struct place place,
                           struct phases *phases, size_t *optimal, struct task_outcome *outcome)
{
    for (size_t i = 0; i < task->n_tasks; i++) {
        const struct task *groups = &task->tasks[i];
        struct members *members = &phases->members[i];
        set_names(point, &place);
        phases->repeats[i] = count_value(point, groups, "repeat", &groups->repeat, 0, 1);
        *members = members_of(point, groups, place);
        if (members->n == 0) {
            outcome->bound_s = INFINITY;
            continue;
        }
        for (size_t j = 0; j < members->n; j++) {
            size_t *least = &phases->least[j], *most = &phases->most[j];
            *least = i == 0 || members->least[j] < *least ? members->least[j] : *least;
            *most = i == 0 || members->most[j] > *most ? members->most[j] : *most;
        }
        outcome->bound_s += phases->repeats[i] * choose_sizes(members, optimal + i * members->n);
    }
}

static void evaluate_phases(struct task_point *point, const struct task *task, struct place place,
                            struct task_outcome *outcome)
{
    size_t n_phases = task->n_tasks, n = task->tasks[0].n_tasks;
    struct phases phases = {memory_zeroed(n_phases, sizeof *phases.members),
                            memory_zeroed(n_phases, sizeof *phases.repeats),
                            memory_zeroed(n, sizeof *phases.least),
                            memory_zeroed(n, sizeof *phases.most)};
    SCOPED size_t *sizes = memory_zeroed(2 * n_phases * n, sizeof *sizes);
    double change_s = count_value(point, task, "change", &task->change, 0, 0);
    prepare_phases(point, task, place, &phases, sizes + n_phases * n, outcome);
    const struct phase_search search = {n_phases,     n,           place.n_processes,
                                        phases.least, phases.most, phase_time,
                                        &phases,      change_s,    sizes + n_phases * n};
    struct phase_sizes found = {INFINITY, INFINITY, true};
    if (isfinite(outcome->bound_s))
        found = phase_search(&search, sizes);
    outcome->kept_s = found.kept_s;
    outcome->is_optimal = found.is_optimal;
    for (size_t i = 0; i < n_phases && isfinite(found.time_s); i++) {
        struct task_outcome *phase;
        *(phase = ARRAY_EXTEND(outcome->tasks, outcome->n_tasks)) = (struct task_outcome){0};
        evaluate(point, &task->tasks[i], place, sizes + i * n, phase);
        add_parts(outcome->parts, phase->parts, 1);
        if (i > 0 && memcmp(sizes + i * n, sizes + (i - 1) * n, n * sizeof *sizes) != 0)
            outcome->parts[TASK_LATENCY] += change_s;
    }
    if (!isfinite(found.time_s))
        too_few(point, task, place.n_processes, n, outcome);
    for (size_t i = 0; i < n_phases; i++)
        members_release(&phases.members[i]);
    FREE_ALL(phases.members, phases.repeats, phases.least, phases.most);
}

// --- any task

/// OUTCOME, with the parts of one execution, becomes that of all repetitions. SIZES as for groups.
static void evaluate(struct task_point *point, const struct task *task, struct place place,
                     const size_t *sizes, struct task_outcome *outcome)
{
    *outcome = (struct task_outcome){.task = task, .n_processes = place.n_processes};
    set_names(point, &place);
    outcome->repeat = count_value(point, task, "repeat", &task->repeat, 0, 1);
    if (task->kind == TASK_SEQUENCE)
        evaluate_sequence(point, task, place, outcome);
    else if (task->kind == TASK_GROUPS)
        evaluate_groups(point, task, place, sizes, outcome);
    else if (task->kind == TASK_PHASES)
        evaluate_phases(point, task, place, outcome);
    else if (task->has_rows)
        outcome->clamped = row_parts(point, task, &place, outcome->parts);
    else
        outcome->clamped = leaf_parts(point, task, outcome->parts);
    for (int i = 0; i < TASK_PARTS; i++) {
        outcome->parts[i] = outcome->repeat > 0 ? outcome->repeat * outcome->parts[i] : 0;
        if (!isfinite(outcome->parts[i]))
            outcome->parts[i] = INFINITY;
    }
}

int task_evaluate(struct task_point *point, struct task_outcome *outcome, struct error *err)
{
    size_t total = (size_t)point->names[NAME_TOTAL];
    point->problem = (struct error){{0}};
    evaluate(point, point->model->top, (struct place){total, 1, total}, NULL, outcome);
    if (isfinite(task_seconds(outcome->parts)))
        return 0;
    task_outcome_release(outcome);
    return error_set(err, "%s", point->problem.text);
}

void task_outcome_release(struct task_outcome *outcome)
{
    for (size_t i = 0; i < outcome->n_tasks; i++)
        task_outcome_release(&outcome->tasks[i]);
    free(outcome->tasks);
}

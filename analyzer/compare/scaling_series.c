// SPDX-License-Identifier: BSD-3-Clause
// A parameter that has one value only for each value of the one looked at follows from it (such as
// a size that grows with the ranks) and does not tell series apart; any other does.
#include "analyzer/compare/scaling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/resource_path.h"
#include "analyzer/sweep/property.h"
#include "db/query/figures.h"
#include "db/query/selection.h"

struct chosen_trial {
    struct trial_efficiency facts;
    double x;
    char *series; // its name
};

struct choosing {
    struct database *database;
    const struct scaling_choice *choice;
    struct scaling_page *page;
    struct chosen_trial *trials;
    size_t n_trials, n_read, capacity; // those of n_read after n_trials do not count
    struct error *err;
};

static int find_ids(struct choosing *choosing, struct trial_group *group)
{
    const struct scaling_choice *choice = choosing->choice;
    if (choice->n_selectors)
        return trial_group_to_compare(choosing->database, choice->selectors, choice->n_selectors,
                                      group, choosing->err);
    bool is_fact = strcmp(choice->by, "ranks") == 0 || strcmp(choice->by, "nodes") == 0;
    return trial_group_all(choosing->database, choice->application, choice->experiment,
                           is_fact ? NULL : choice->by, group, choosing->err);
}

/// The parameter's value as text; NUMBER is room for one that is no parameter.
static const char *value_of(const struct trial_efficiency *facts, const char *name, char number[24])
{
    bool is_ranks = strcmp(name, "ranks") == 0;
    const char *value = trial_parameter_find(facts, name);
    if (!is_ranks && (value || strcmp(name, "nodes") != 0))
        return value;
    snprintf(number, 24, "%llu", (unsigned long long)(is_ranks ? facts->n_ranks : facts->n_nodes));
    return number;
}

static int unknown_parameter(struct choosing *choosing, const char *name)
{
    SCOPED const char **names = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < choosing->n_trials; i++) {
        const struct trial_efficiency *facts = &choosing->trials[i].facts;
        for (size_t j = 0; j < facts->n_parameters; j++)
            *ARRAY_NEXT(names, n, capacity) = facts->parameters[j].name;
    }
    return error_set(choosing->err, "no trial has a parameter \"%s\"%s", name,
                     spelling_hint(name, names, n, "; did you mean \"%s\"?",
                                   ": `pagoda store show` lists those of a trial")
                         .text);
}

/// Keeps the trials that have the parameter, with its value.
static int read_x(struct choosing *choosing)
{
    const char *by = choosing->choice->by;
    size_t n_kept = 0, n_trials = choosing->n_trials;
    for (size_t i = 0; i < n_trials; i++) {
        struct chosen_trial trial = choosing->trials[i];
        char number[24];
        const char *value = value_of(&trial.facts, by, number);
        if (!value)
            continue;
        if (option_read_quantity(value, &trial.x, NULL))
            return error_set(choosing->err,
                             "the parameter %s of the trial %s is \"%s\", which is not a number",
                             by, trial.facts.name, value);
        choosing->trials[i] = choosing->trials[n_kept];
        choosing->trials[n_kept++] = trial;
    }
    if (n_kept == 0)
        return unknown_parameter(choosing, by);
    choosing->page->n_without_parameter = n_trials - n_kept;
    choosing->n_trials = n_kept;
    return 0;
}

static bool is_ignored(const struct scaling_choice *choice, const char *name)
{
    return HAS_TEXT(choice->ignored->values, choice->ignored->count, name) ||
           strcmp(choice->by, name) == 0;
}

static bool has_same(const struct trial_efficiency *a, const struct trial_efficiency *b,
                     const char *name)
{
    char number_a[24], number_b[24];
    const char *value_a = value_of(a, name, number_a), *value_b = value_of(b, name, number_b);
    return value_a && value_b ? strcmp(value_a, value_b) == 0 : !value_a && !value_b;
}

/// The first trial of the series that TRIAL is in.
static size_t first_of(const struct choosing *choosing, size_t trial)
{
    size_t first = 0;
    while (strcmp(choosing->trials[first].series, choosing->trials[trial].series) != 0)
        first++;
    return first;
}

/// Whether the parameter NAME tells trials of one x in the series of trial FIRST apart.
static bool tells_apart(const struct choosing *choosing, size_t first, const char *name)
{
    const char *series = choosing->trials[first].series;
    for (size_t i = first; i < choosing->n_trials; i++) {
        const struct chosen_trial *a = &choosing->trials[i];
        if (strcmp(a->series, series) != 0)
            continue;
        for (size_t j = i + 1; j < choosing->n_trials; j++) {
            const struct chosen_trial *b = &choosing->trials[j];
            if (a->x <= b->x && a->x >= b->x && strcmp(b->series, series) == 0 &&
                !has_same(&a->facts, &b->facts, name))
                return true;
        }
    }
    return false;
}

/// Where the parameter NAME tells the trials of a series apart, puts its value after their names.
static void split_by(struct choosing *choosing, const char *name)
{
    SCOPED bool *splits = memory_zeroed(choosing->n_trials + 1, sizeof *splits);
    for (size_t i = 0; i < choosing->n_trials; i++) {
        size_t first = first_of(choosing, i);
        splits[i] = first < i ? splits[first] : tells_apart(choosing, i, name);
    }
    for (size_t i = 0; i < choosing->n_trials; i++) {
        struct chosen_trial *trial = &choosing->trials[i];
        char number[24];
        if (!splits[i])
            continue;
        const char *value = value_of(&trial->facts, name, number);
        text_append(&trial->series, ", %s=%s", name, value ? value : "(none)");
    }
}

/// The name of the series of a trial, before what its parameters add. What was chosen one by one
/// belongs together, whatever experiment it is of.
static char *base_name(const struct choosing *choosing, const struct chosen_trial *trial)
{
    const char *application = trial->facts.application;
    if (choosing->choice->n_selectors == 0)
        return memory_format("%s/%s", application, trial->facts.experiment);
    for (size_t i = 0; i < choosing->n_trials; i++)
        if (strcmp(choosing->trials[i].facts.application, application) != 0)
            return memory_copy_text("chosen runs");
    return memory_copy_text(application);
}

static void name_series(struct choosing *choosing)
{
    SCOPED const char **names = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < choosing->n_trials; i++) {
        struct chosen_trial *trial = &choosing->trials[i];
        trial->series = base_name(choosing, trial);
        for (size_t j = 0; j < trial->facts.n_parameters; j++) {
            const char *name = trial->facts.parameters[j].name;
            if (HAS_TEXT(names, n, name) || is_ignored(choosing->choice, name))
                continue;
            *ARRAY_NEXT(names, n, capacity) = name;
        }
    }
    for (size_t i = 0; i < n; i++)
        split_by(choosing, names[i]);
    if (!is_ignored(choosing->choice, "ranks"))
        split_by(choosing, "ranks");
}

// --- one series

/// Whether the numeric parameter NAME rises from each x of the series to the next.
static bool rises(const struct choosing *choosing, const char *series, const char *name)
{
    const struct chosen_trial *all = choosing->trials;
    bool has_pair = false;
    for (size_t i = 0; i < choosing->n_trials; i++) {
        for (size_t j = 0; j < choosing->n_trials; j++) {
            if (strcmp(all[i].series, series) != 0 || strcmp(all[j].series, series) != 0 ||
                !(all[i].x < all[j].x))
                continue;
            const char *low = trial_parameter_find(&all[i].facts, name);
            const char *high = trial_parameter_find(&all[j].facts, name);
            if (!low || !high || !(strtod(low, NULL) < strtod(high, NULL)))
                return false;
            // The number of ranks under another name says nothing about the work.
            has_pair |= strtod(high, NULL) > (double)all[j].facts.n_ranks ||
                        strtod(high, NULL) < (double)all[j].facts.n_ranks;
        }
    }
    return has_pair;
}

/// What is said of a series before its times are read.
struct series_kind {
    enum scaling_kind kind;
    char *reason;
    bool is_by_x; // the parameter, not the number of ranks, is the size of the machine
};

/// The ranks of a series' trials; returns one of these.
static const struct trial_efficiency *
range_of_ranks(const struct choosing *choosing, const char *series, uint64_t *least, uint64_t *most)
{
    const struct trial_efficiency *one = NULL;
    *least = UINT64_MAX;
    *most = 0;
    for (size_t i = 0; i < choosing->n_trials; i++) {
        if (strcmp(choosing->trials[i].series, series) != 0)
            continue;
        one = &choosing->trials[i].facts;
        *least = one->n_ranks < *least ? one->n_ranks : *least;
        *most = one->n_ranks > *most ? one->n_ranks : *most;
    }
    return one;
}

/// Where the ranks stay the same, more of the machine must be more of the parameter.
static int kind_with_same_ranks(const struct choosing *choosing, const struct trial_efficiency *one,
                                struct series_kind *kind)
{
    const struct scaling_choice *choice = choosing->choice;
    const char *role = trial_parameter_role(one, choice->by);
    bool is_wanted = choice->asked != SCALING_BY_PARAMETERS;
    if (is_wanted && strcmp(role, "problem") == 0)
        return error_set(choosing->err,
                         "%s is the size of the problem, and all of the trials have the same "
                         "ranks: there is no machine that grows; leave --strong and --weak away",
                         choice->by);
    kind->is_by_x = is_wanted || strcmp(role, "machine") == 0;
    for (size_t i = 0; kind->is_by_x && is_wanted && i < choosing->n_trials; i++)
        if (choosing->trials[i].x <= 0)
            return error_set(choosing->err,
                             "all of the trials have the same ranks, and %s = %g of the trial %s "
                             "can be no size of a machine; leave --strong and --weak away",
                             choice->by, choosing->trials[i].x, choosing->trials[i].facts.name);
    kind->kind = !kind->is_by_x                        ? SCALING_SIZE
                 : choice->asked == SCALING_ASKED_WEAK ? SCALING_WEAK
                                                       : SCALING_STRONG;
    kind->reason =
        kind->is_by_x
            ? memory_format("all have the same ranks; %s is the size of the machine", choice->by)
            : memory_copy_text("all have the same ranks");
    return 0;
}

/// Strong or weak, as wished or as the parameters tell; the reason is to be freed.
static int find_kind(const struct choosing *choosing, const char *series, struct series_kind *kind)
{
    const struct scaling_choice *choice = choosing->choice;
    uint64_t least, most;
    const struct trial_efficiency *one = range_of_ranks(choosing, series, &least, &most);
    *kind = (struct series_kind){0};
    if (least == most)
        return kind_with_same_ranks(choosing, one, kind);
    kind->kind = choice->asked == SCALING_ASKED_WEAK ? SCALING_WEAK : SCALING_STRONG;
    if (choice->asked != SCALING_BY_PARAMETERS) {
        kind->reason = memory_copy_text("as --strong or --weak says");
        return 0;
    }
    for (size_t i = 0; i < one->n_parameters; i++) {
        const char *name = one->parameters[i].name;
        if (is_ignored(choice, name) || strcmp(one->parameters[i].role, "machine") == 0 ||
            !rises(choosing, series, name))
            continue;
        kind->reason = memory_format("%s rises with %s; --strong for the other", name, choice->by);
        kind->kind = SCALING_WEAK;
        return 0;
    }
    kind->reason = memory_copy_text("no parameter says that the work grows; --weak for the other");
    return 0;
}

struct part_adder {
    struct scaling *scaling;
    size_t trial;
};

static bool is_start_or_end(const char *name)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "MPI_Finalize",
                                        "wait-at-finalize"};
    return HAS_TEXT(names, sizeof names / sizeof names[0], name);
}

static void add_part(void *user, const char *region, const char *wait_state, int64_t value_ns)
{
    struct part_adder *adder = user;
    SCOPED char *name = *wait_state ? memory_copy_text(wait_state)
                                    : resource_path_plain(resource_path_last(region));
    scaling_add_part(adder->scaling, adder->trial, name, wait_state, is_start_or_end(name),
                     (double)value_ns);
}

static int add_trial(const struct choosing *choosing, struct scaling *scaling,
                     const struct chosen_trial *trial, bool is_by_x)
{
    const struct trial_efficiency *facts = &trial->facts;
    bool is_whole = facts->window_ns == 0;
    double all_ns = (double)facts->window_ns * (double)facts->n_ranks;
    SCOPED char *name =
        memory_format("%s/%s/%s", facts->application, facts->experiment, facts->name);
    const struct scaling_trial values = {
        .id = facts->id,
        .name = name,
        .x = trial->x,
        .n_ranks = facts->n_ranks,
        .machine_size = is_by_x ? trial->x : (double)facts->n_ranks,
        .time_ns = (double)(is_whole ? facts->time_ns : facts->window_ns),
        .useful_ns = (double)facts->useful_ns,
        .no_cpu_share = all_ns > 0 ? (double)facts->no_cpu_ns / all_ns : 0,
        .n_cores = facts->n_cores,
        .factors = {[FACTOR_PARALLEL] = facts->parallel,
                    [FACTOR_LOAD_BALANCE] = facts->load_balance,
                    [FACTOR_CPU] = isnan(facts->cpu) ? 1 : facts->cpu,
                    [FACTOR_COMMUNICATION] = facts->communication,
                    [FACTOR_SERIALIZATION] = facts->serialization,
                    [FACTOR_TRANSFER] = facts->transfer},
    };
    struct part_adder adder = {scaling, scaling_add_trial(scaling, &values)};
    return trial_region_times(choosing->database, facts->id, add_part, &adder, choosing->err);
}

/// How many trials are in the series of the trial FIRST; *HAS_POINTS: of different x.
static size_t count_trials(const struct choosing *choosing, size_t first, bool *has_points)
{
    const struct chosen_trial *one = &choosing->trials[first];
    size_t n = 0;
    *has_points = false;
    for (size_t i = first; i < choosing->n_trials; i++) {
        const struct chosen_trial *trial = &choosing->trials[i];
        if (strcmp(trial->series, one->series) != 0)
            continue;
        n++;
        *has_points |= trial->x < one->x || trial->x > one->x;
    }
    return n;
}

/// Makes the series of the trial FIRST and of those after it that are in the same one.
static int add_series(struct choosing *choosing, size_t first)
{
    struct scaling_page *page = choosing->page;
    const char *name = choosing->trials[first].series;
    struct series_kind kind;
    if (find_kind(choosing, name, &kind))
        return -1;
    bool has_points;
    size_t n_trials = count_trials(choosing, first, &has_points);
    if (!has_points) {
        page->n_alone += n_trials;
        free(kind.reason);
        return 0;
    }
    struct scaling *scaling = scaling_new(kind.kind, choosing->choice->by);
    *ARRAY_EXTEND(page->series, page->n_series) = (struct scaling_series){
        .name = memory_copy_text(name), .kind_reason = kind.reason, .scaling = scaling};
    for (size_t i = first; i < choosing->n_trials; i++)
        if (strcmp(choosing->trials[i].series, name) == 0 &&
            add_trial(choosing, scaling, &choosing->trials[i], kind.is_by_x))
            return -1;
    scaling_compute(scaling, page->threshold);
    page->series[page->n_series - 1].conclusion = scaling_conclusion(scaling);
    return 0;
}

static int make_series(struct choosing *choosing)
{
    for (size_t i = 0; i < choosing->n_trials; i++)
        if (first_of(choosing, i) == i && add_series(choosing, i))
            return -1;
    if (choosing->page->n_series == 0)
        return error_set(choosing->err, "%s: nothing to compare, no two of them differ in %s only",
                         quantity_count(choosing->n_trials, "trial").text, choosing->choice->by);
    return 0;
}

static int read_trials(struct choosing *choosing)
{
    SCOPED_BY(trial_group_release) struct trial_group group = {0};
    int status = find_ids(choosing, &group);
    for (size_t i = 0; i < group.n_ids && status == 0; i++) {
        struct chosen_trial trial = {0};
        status =
            trial_efficiency_read(choosing->database, group.ids[i], &trial.facts, choosing->err);
        if (status)
            break;
        *ARRAY_NEXT(choosing->trials, choosing->n_trials, choosing->capacity) = trial;
    }
    choosing->n_read = choosing->n_trials;
    return status;
}

int scaling_series_read(struct database *database, const struct scaling_choice *choice,
                        struct scaling_page *page, struct error *err)
{
    struct choosing choosing = {.database = database, .choice = choice, .page = page, .err = err};
    int status = read_trials(&choosing);
    if (status == 0)
        status = read_x(&choosing);
    if (status == 0) {
        name_series(&choosing);
        status = make_series(&choosing);
    }
    for (size_t i = 0; i < choosing.n_read; i++) {
        trial_efficiency_release(&choosing.trials[i].facts);
        free(choosing.trials[i].series);
    }
    free(choosing.trials);
    if (status)
        scaling_series_release(page);
    return status;
}

void scaling_series_release(struct scaling_page *page)
{
    for (size_t i = 0; i < page->n_series; i++) {
        struct scaling_series *series = &page->series[i];
        FREE_ALL(series->findings, series->name, series->kind_reason, series->conclusion);
        scaling_free(series->scaling);
    }
    if (page->properties)
        property_catalogue_release(page->properties);
    free(page->properties);
    page->properties = NULL;
    free(page->series);
    page->series = NULL;
    page->n_series = 0;
}

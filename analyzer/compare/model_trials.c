// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/compare/back_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/compare/resource_path.h"
#include "db/query/figures.h"
#include "db/query/query.h"
#include "db/query/selection.h"

/// What was read of a trial.
struct read_trial {
    struct trial_efficiency facts;
    char *suffix;   // of the names of its series
    double *values; // by series, of those up to N_VALUES; NAN: none
    size_t n_values, capacity;
};

/// What a series is of.
struct source {
    const char *suffix; // of its name, that of a trial
    char *path;         // of the region or call path, escaped; NULL: a wait state of all
    char *wait_state;
};

struct reading {
    struct database *database;
    const struct model_choice *choice;
    struct model_table *table;
    struct read_trial *trials;
    size_t n_trials;
    struct source *sources; // by series
    size_t n_sources, sources_capacity;
    bool is_0_where_missing; // a part without value in a trial that was measured
    struct error *err;
};

struct part_adder {
    struct reading *reading;
    struct read_trial *trial;
};

/// The parameter NAME of a trial as a number. False: it has none, or no number.
static bool number_of(const struct trial_efficiency *trial, const char *name, double *number)
{
    const char *value = trial_parameter_find(trial, name);
    *number = (double)trial->n_ranks;
    return strcmp(name, "ranks") == 0 || (value && option_read_quantity(value, number, NULL) == 0);
}

static bool same(double a, double b)
{
    return !(a < b || a > b);
}

/// Whether the trials have different numbers of NAME, and all have one.
static bool varies(const struct reading *reading, const char *name)
{
    double first, number;
    bool is_different = false;
    for (size_t i = 0; i < reading->n_trials; i++) {
        if (!number_of(&reading->trials[i].facts, name, &number))
            return false;
        if (i == 0)
            first = number;
        is_different = is_different || !same(first, number);
    }
    return is_different;
}

/// Whether NAME has one value only for each value of OTHER: it tells nothing more.
static bool follows(const struct reading *reading, const char *name, const char *other)
{
    for (size_t i = 0; i < reading->n_trials; i++)
        for (size_t j = 0; j < i; j++) {
            double a, b, c, d;
            number_of(&reading->trials[i].facts, name, &a);
            number_of(&reading->trials[j].facts, name, &b);
            number_of(&reading->trials[i].facts, other, &c);
            number_of(&reading->trials[j].facts, other, &d);
            if (same(c, d) && !same(a, b))
                return false;
        }
    return true;
}

static void add_parameter(struct reading *reading, const char *name)
{
    struct model_table *table = reading->table;
    if (table->n_parameters >= MODEL_MAX_PARAMETERS || !model_parameter_is_name(name) ||
        !varies(reading, name))
        return;
    for (size_t i = 0; i < table->n_parameters; i++)
        if (strcmp(table->parameters[i], name) == 0 || follows(reading, name, table->parameters[i]))
            return;
    words_add(&table->parameters, name);
    table->n_parameters++;
}

static int find_parameters(struct reading *reading)
{
    const struct option_list *by = reading->choice->by;
    const struct trial_efficiency *first = &reading->trials[0].facts;
    for (size_t i = 0; i < by->count; i++) {
        size_t n = reading->table->n_parameters;
        add_parameter(reading, by->values[i]);
        if (reading->table->n_parameters == n)
            return error_set(reading->err,
                             "the trials cannot be modelled by %s: it must be a number in all of "
                             "them that varies, also beside the parameters before it",
                             by->values[i]);
    }
    if (by->count == 0) {
        add_parameter(reading, "ranks");
        for (size_t i = 0; i < first->n_parameters; i++)
            add_parameter(reading, first->parameters[i].name);
    }
    if (reading->table->n_parameters == 0)
        return error_set(reading->err,
                         "the %zu trials differ neither in their ranks nor in a numeric parameter",
                         reading->n_trials);
    return 0;
}

/// The values of parameters of a trial that vary and are no numbers, or that other trials lack:
/// ", kind=ball".
static char *suffix_of(const struct reading *reading, const struct trial_efficiency *trial)
{
    char *suffix = memory_copy_text("");
    for (size_t i = 0; i < trial->n_parameters; i++) {
        const char *name = trial->parameters[i].name, *value = trial->parameters[i].value;
        double number;
        bool is_different = false, is_missing = false;
        for (size_t j = 0; j < reading->n_trials; j++) {
            const char *other = trial_parameter_find(&reading->trials[j].facts, name);
            is_missing = is_missing || !other;
            is_different = is_different || !other || strcmp(other, value) != 0;
        }
        if (is_different && (is_missing || !number_of(trial, name, &number)))
            text_append(&suffix, ", %s=%s", name, value);
    }
    return suffix;
}

static void add_value(struct part_adder *adder, const char *name, const char *path,
                      const char *wait_state, double value)
{
    struct reading *reading = adder->reading;
    struct read_trial *trial = adder->trial;
    SCOPED char *longer = memory_format("%s%s", name, trial->suffix);
    size_t series = model_table_series(reading->table, longer);
    if (series == reading->n_sources)
        *ARRAY_NEXT(reading->sources, reading->n_sources, reading->sources_capacity) =
            (struct source){trial->suffix, path ? memory_copy_text(path) : NULL,
                            memory_copy_text(wait_state)};
    trial->values = array_reserve(trial->values, &trial->capacity, series + 1, sizeof(double));
    while (trial->n_values <= series)
        trial->values[trial->n_values++] = NAN;
    double before = trial->values[series];
    trial->values[series] = isnan(before) ? value : before + value;
}

/// The name of a part: PLACE, or a wait state there or, without place, anywhere. The caller frees.
static char *part_name(const char *place, const char *wait_state)
{
    return !place         ? memory_copy_text(wait_state)
           : !*wait_state ? memory_copy_text(place)
                          : memory_format("%s in %s", wait_state, place);
}

/// Adds the VALUE of a region or call path, without wait state, or of a wait state there.
static void add_at(struct part_adder *adder, const char *path, const char *wait_state, double value)
{
    bool by_call_path = adder->reading->choice->by_call_path;
    const char *part = by_call_path   ? resource_path_short(path)
                       : !*wait_state ? resource_path_last(path)
                                      : NULL;
    SCOPED char *place = part ? resource_path_plain(part) : NULL;
    SCOPED char *name = part_name(place, wait_state);
    add_value(adder, name, part, wait_state, value);
}

static void add_part(void *user, const char *path, const char *wait_state, int64_t value_ns)
{
    struct part_adder *adder = user;
    add_at(adder, path, wait_state, (double)value_ns / 1e9 / (double)adder->trial->facts.n_ranks);
}

/// Says which series are parts, that is all but the time of the run, and how they are shown.
static void name_parts(struct reading *reading)
{
    SCOPED_BY(shown_paths_release) struct shown_paths paths = {0};
    for (size_t i = 0; i < reading->n_sources; i++)
        if (reading->sources[i].path)
            shown_paths_add(&paths, reading->sources[i].path);
    shown_paths_complete(&paths);
    for (size_t i = 0; i < reading->n_sources; i++) {
        const struct source *source = &reading->sources[i];
        struct model_series *series = &reading->table->series[i];
        series->is_part = source->path || *source->wait_state;
        series->unit = reading->table->unit;
        if (!source->path)
            continue;
        SCOPED char *place = shown_paths_text(&paths, source->path);
        SCOPED char *name = part_name(place, source->wait_state);
        series->shown = memory_format("%s%s", name, source->suffix);
    }
}

static int read_times(struct reading *reading, struct read_trial *trial)
{
    struct part_adder adder = {reading, trial};
    const struct trial_efficiency *facts = &trial->facts;
    trial->suffix = suffix_of(reading, facts);
    add_value(&adder, "time", NULL, "",
              (double)(facts->window_ns ? facts->window_ns : facts->time_ns) / 1e9);
    return reading->choice->by_call_path
               ? trial_call_path_times(reading->database, facts->id, add_part, &adder, reading->err)
               : trial_region_times(reading->database, facts->id, add_part, &adder, reading->err);
}

// --- of a metric

static double in_units(const struct part_adder *adder, double value)
{
    return strcmp(adder->reading->table->unit, "s") == 0 ? value / 1e9 : value;
}

static void add_whole_value(const struct query_value *value, void *user)
{
    struct part_adder *adder = user;
    add_value(adder, adder->reading->table->metric, NULL, "", in_units(adder, value->value));
}

static void add_part_value(const struct query_value *value, void *user)
{
    if (strchr(value->part + 1, '/')) // else the whole program
        add_at(user, value->part, "", in_units(user, value->value));
}

static int read_values(struct reading *reading, struct read_trial *trial)
{
    struct part_adder adder = {reading, trial};
    struct query_question question = {
        .metric = reading->table->metric, .trials = &trial->facts.id, .n_trials = 1};
    trial->suffix = suffix_of(reading, &trial->facts);
    if (reading->table->has_sums) // a value of 0 is not stored
        add_value(&adder, question.metric, NULL, "", 0);
    if (query_metric(reading->database, &question, add_whole_value, &adder, reading->err))
        return -1;
    question.by = reading->choice->by_call_path ? QUERY_BY_CALL_PATH : QUERY_BY_CODE;
    return query_metric(reading->database, &question, add_part_value, &adder, reading->err);
}

/// Finds the metric asked for, if one is, and what is to be known of it.
static int find_metric(struct reading *reading)
{
    struct model_table *table = reading->table;
    if (!reading->choice->metric) {
        table->unit = memory_copy_text("s");
        table->has_sums = true;
        return 0;
    }
    struct query_metric *metric =
        query_metric_named(reading->database, reading->choice->metric, reading->err);
    if (!metric)
        return -1;
    table->metric = memory_copy_text(metric->name);
    table->unit = memory_copy_text(strcmp(metric->unit, "ns") == 0 ? "s" : metric->unit);
    table->has_sums = strcmp(metric->adds_up_over, "everything") == 0;
    reading->is_0_where_missing = strcmp(metric->adds_up_over, "nothing") != 0;
    database_rows_free(metric, 1, QUERY_METRIC_LETTERS);
    return 0;
}

/// Appends the rows of all trials to the series. A part that a trial lacks took no time there, and
/// has none of a metric whose values add up.
static void add_rows(struct reading *reading)
{
    struct model_table *table = reading->table;
    for (size_t t = 0; t < reading->n_trials; t++) {
        const struct read_trial *trial = &reading->trials[t];
        double x[MODEL_MAX_PARAMETERS];
        for (size_t k = 0; k < table->n_parameters; k++)
            number_of(&trial->facts, table->parameters[k], &x[k]);
        for (size_t i = 0; i < table->n_series; i++) {
            double value = i < trial->n_values ? trial->values[i] : NAN;
            if (isnan(value) && reading->is_0_where_missing)
                value = 0;
            if (!isnan(value) && strcmp(reading->sources[i].suffix, trial->suffix) == 0)
                model_series_add_row(&table->series[i], table->n_parameters, x, value);
        }
    }
}

/// Reads what is known of the trials that were measured by the metric.
static int read_facts(struct reading *reading, const struct trial_group *group)
{
    const char *metric = reading->table->metric;
    reading->trials = memory_zeroed(group->n_ids + 1, sizeof *reading->trials);
    for (size_t i = 0; i < group->n_ids; i++) {
        int has =
            metric ? query_trial_has(reading->database, group->ids[i], metric, reading->err) : 1;
        if (has < 0)
            return -1;
        if (!has) {
            reading->table->n_left_out++;
            continue;
        }
        if (trial_efficiency_read(reading->database, group->ids[i],
                                  &reading->trials[reading->n_trials].facts, reading->err))
            return -1;
        reading->n_trials++;
    }
    reading->table->n_trials = reading->n_trials;
    if (reading->n_trials == 0)
        return error_set(reading->err, "no trial has values of %s", metric);
    return 0;
}

static int read_trials(struct reading *reading, const struct trial_group *group)
{
    if (find_metric(reading) || read_facts(reading, group) || find_parameters(reading))
        return -1;
    for (size_t i = 0; i < reading->n_trials; i++)
        if (reading->table->metric ? read_values(reading, &reading->trials[i])
                                   : read_times(reading, &reading->trials[i]))
            return -1;
    if (reading->n_sources == 0)
        return error_set(reading->err, "no trial has values of %s by %s", reading->table->metric,
                         reading->choice->by_call_path ? "call path" : "region; --call-paths may");
    add_rows(reading);
    name_parts(reading);
    return 0;
}

int model_trials_read(struct database *database, const struct model_choice *choice,
                      struct model_table *table, struct error *err)
{
    struct reading reading = {.database = database,
                              .choice = choice,
                              .table = table,
                              .is_0_where_missing = true,
                              .err = err};
    struct trial_group group = {0};
    *table = (struct model_table){0};
    int status =
        choice->n_selectors
            ? trial_group_to_compare(database, choice->selectors, choice->n_selectors, &group, err)
            : trial_group_all(database, choice->application, choice->experiment, NULL, &group, err);
    if (status == 0) {
        status = read_trials(&reading, &group);
        trial_group_release(&group);
    }
    for (size_t i = 0; i < reading.n_trials; i++) {
        trial_efficiency_release(&reading.trials[i].facts);
        FREE_ALL(reading.trials[i].suffix, reading.trials[i].values);
    }
    free(reading.trials);
    FREE_MEMBERS(reading.sources, reading.n_sources, path, wait_state);
    free(reading.sources);
    if (status)
        model_table_release(table);
    return status;
}

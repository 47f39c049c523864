// SPDX-License-Identifier: BSD-3-Clause
// Grouping by a sort that puts the values of a group beside each other, then one pass. The
// aggregates list and cluster are those of Karavanic and Miller, "Experiment Management Support for
// Performance Tuning", SC 1997.
#include "analyzer/cmd/query_values.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

/// While the values of one metric are taken.
struct taking {
    struct found_values *found;
    size_t metric, interval;
    size_t trial; // answers come in the order of the trials
};

static void take_value(const struct query_value *value, void *user)
{
    struct taking *taking = user;
    struct found_values *found = taking->found;
    while (found->trials[taking->trial].summary.id != value->trial_id)
        taking->trial++;
    *ARRAY_NEXT(found->values, found->n_values, found->values_capacity) =
        (struct found_value){.metric = taking->metric,
                             .interval = taking->interval,
                             .trial = taking->trial,
                             .part = value->part ? memory_copy_text(value->part) : NULL,
                             .value = value->value};
}

static void add_metric(struct found_values *found, const char *name, const char *unit)
{
    if (HAS_BY(found->metrics, found->n_metrics, name, name))
        return;
    *ARRAY_NEXT(found->metrics, found->n_metrics, found->metrics_capacity) =
        (struct found_metric){memory_copy_text(name), memory_copy_text(unit)};
}

static int read_trials(struct database *database, const struct trial_group *group,
                       struct found_values *found, struct error *err)
{
    found->trials = memory_zeroed(group->n_ids, sizeof *found->trials);
    for (size_t i = 0; i < group->n_ids; i++) {
        struct found_trial *trial = &found->trials[i];
        if (trial_summary_read(database, group->ids[i], &trial->summary, err))
            return -1;
        found->n_trials++;
        trial->attributes = memory_zeroed(found->n_attributes, sizeof *trial->attributes);
        for (size_t j = 0; j < found->n_attributes; j++)
            if (trial_attribute_read(database, group->ids[i], found->attribute_names[j],
                                     &trial->attributes[j], err))
                return -1;
    }
    return 0;
}

/// Asks one question for each interval, or for the one that the values have.
static int ask(struct database *database, struct query_question question, size_t metric,
               struct found_values *found, struct error *err)
{
    size_t n_intervals = found->n_intervals ? found->n_intervals : 1;
    for (size_t i = 0; i < n_intervals; i++) {
        struct taking taking = {.found = found, .metric = metric, .interval = i};
        if (found->n_intervals)
            question.interval = found->intervals[i];
        if (query_metric(database, &question, take_value, &taking, err))
            return -1;
    }
    return 0;
}

static int ask_metrics(struct database *database, const struct query_request *request,
                       const struct query_question *question, struct found_values *found,
                       struct error *err)
{
    for (size_t i = 0; i < request->metrics.count; i++) {
        size_t n;
        struct query_metric *metrics = query_metrics(database, request->metrics.values[i], &n, err);
        if (!metrics)
            return -1;
        for (size_t j = 0; j < n; j++)
            add_metric(found, metrics[j].name, metrics[j].unit);
        database_rows_free(metrics, n, QUERY_METRIC_LETTERS);
    }
    size_t n_metrics = found->n_metrics;
    for (size_t i = 0; i < n_metrics; i++) {
        struct query_question one = *question;
        one.metric = found->metrics[i].name;
        if (ask(database, one, i, found, err))
            return -1;
    }
    return 0;
}

static int ask_properties(struct database *database, const struct query_request *request,
                          const struct query_question *question, struct found_values *found,
                          struct error *err)
{
    static const struct {
        const char *column, *unit;
    } values[] = {
        {"severity", "share"}, {"confidence", "share"}, {"count", "instances"}, {"wait_ns", "ns"}};
    for (size_t i = 0; i < request->properties.count; i++)
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
            struct query_question one = *question;
            one.metric = request->properties.values[i];
            one.property_value = values[j].column;
            SCOPED char *name = memory_format("%s %s", one.metric, one.property_value);
            add_metric(found, name, values[j].unit);
            if (ask(database, one, found->n_metrics - 1, found, err))
                return -1;
        }
    return 0;
}

static const char *part_title(enum query_by by)
{
    static const char *const titles[N_QUERY_BY] = {
        [QUERY_BY_PROCESS] = "process", [QUERY_BY_CALL_PATH] = "call path",
        [QUERY_BY_CODE] = "code",       [QUERY_BY_MACHINE] = "machine",
        [QUERY_BY_MESSAGE] = "message", [QUERY_BY_SYNC_OBJECT] = "sync object",
    };
    return titles[by];
}

/// The message if every name exists but no value is stored for them.
static int nothing_found(const struct database *database, const struct query_request *request,
                         const struct found_values *found, struct error *err)
{
    const char *what = found->n_metrics == 1 ? found->metrics[0].name : "these metrics";
    return error_set(err,
                     "no selected trial of %s has values of %s%s%s%s%s%s: `pagoda query DB` says "
                     "over what each metric adds up",
                     database->path, what, request->focus ? " at " : "",
                     request->focus ? request->focus : "", request->by ? " by " : "",
                     request->by ? part_title(request->by) : "",
                     request->interval ? " in that interval" : "");
}

int query_find(struct database *database, const struct query_request *request,
               struct found_values *found, struct error *err)
{
    struct trial_group group;
    if (trial_selection_find(database, &request->conditions, &group, err))
        return -1;
    const struct query_question question = {.focus = request->focus,
                                            .interval = request->interval,
                                            .by = request->by,
                                            .trials = group.ids,
                                            .n_trials = group.n_ids};
    int status = read_trials(database, &group, found, err);
    found->part_title = part_title(request->by);
    if (status == 0 && request->over == OVER_INTERVALS)
        status = (found->intervals = query_intervals(database, &found->n_intervals, err)) ? 0 : -1;
    if (status == 0)
        status = ask_metrics(database, request, &question, found, err);
    if (status == 0)
        status = ask_properties(database, request, &question, found, err);
    if (status == 0 && found->n_values == 0)
        status = nothing_found(database, request, found, err);
    trial_group_release(&group);
    return status;
}

// --- putting together

/// What a value is compared by while it is sorted.
struct sorting {
    enum query_over over;
    bool by_value; // within a group, for clusters
};

static int compare_parts(const char *a, const char *b)
{
    return !a || !b ? (a != NULL) - (b != NULL) : strverscmp(a, b);
}

/// 0: both are in one group.
static int compare_groups(const struct found_value *a, const struct found_value *b,
                          enum query_over over)
{
    return ORDER_BY(LESS_FIRST(a->metric, b->metric),
                    over != OVER_TRIALS ? LESS_FIRST(a->trial, b->trial) : 0,
                    over != OVER_RANKS ? compare_parts(a->part, b->part) : 0,
                    over == OVER_NOTHING ? LESS_FIRST(a->interval, b->interval) : 0);
}

static int compare_values(const void *a, const void *b, void *user)
{
    const struct sorting *sorting = user;
    const struct found_value *x = a, *y = b;
    return ORDER_BY(compare_groups(x, y, sorting->over),
                    sorting->by_value ? LESS_FIRST(x->value, y->value) : 0,
                    LESS_FIRST(x->trial, y->trial), compare_parts(x->part, y->part),
                    LESS_FIRST(x->interval, y->interval));
}

static void add_columns(struct relation *relation, const struct found_values *found,
                        enum query_over over)
{
    if (over != OVER_TRIALS) {
        relation_add_columns(relation, "number", "experiment", "trial");
        for (size_t i = 0; i < found->n_attributes; i++)
            relation_add_column(relation, found->attribute_names[i]);
    }
    if (found->part_title && over != OVER_RANKS)
        relation_add_column(relation, found->part_title);
    relation_add_column(relation, "metric");
}

/// What the values of a group have in common.
static void add_common(struct relation *relation, const struct found_values *found,
                       const struct found_value *value, enum query_over over)
{
    if (over != OVER_TRIALS) {
        const struct found_trial *trial = &found->trials[value->trial];
        relation_add_integer(relation, trial->summary.id);
        relation_add_text(relation, trial->summary.experiment);
        relation_add_text(relation, trial->summary.name);
        for (size_t i = 0; i < found->n_attributes; i++)
            relation_add_text(relation, trial->attributes[i]);
    }
    if (found->part_title && over != OVER_RANKS)
        relation_add_text(relation, value->part);
    relation_add_text(relation, found->metrics[value->metric].name);
}

static const char *name_in_path(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : "";
}

/// The number of trials, itself included, with its name and, if IS_OF_EXPERIMENT, its experiment.
static size_t count_namesakes(const struct found_values *found, const struct trial_summary *trial,
                              bool is_of_experiment)
{
    size_t n = 0;
    for (size_t i = 0; i < found->n_trials; i++) {
        const struct trial_summary *other = &found->trials[i].summary;
        n += strcmp(other->name, trial->name) == 0 &&
             (!is_of_experiment || strcmp(other->experiment, trial->experiment) == 0);
    }
    return n;
}

/// The shortest name by which `--trial` finds it among those found.
static char *trial_name(const struct found_values *found, const struct trial_summary *trial)
{
    if (count_namesakes(found, trial, false) == 1)
        return memory_copy_text(trial->name);
    if (count_namesakes(found, trial, true) == 1)
        return memory_format("%s/%s", trial->experiment, trial->name);
    return memory_format("%s/%s/%s", trial->application, trial->experiment, trial->name);
}

/// Which of those put together a value is, as a text: the trial, the rank, the interval.
static char *member_name(const struct found_values *found, const struct found_value *value,
                         enum query_over over)
{
    if (over == OVER_TRIALS)
        return memory_copy_text(found->trials[value->trial].shown_name);
    return memory_copy_text(over == OVER_INTERVALS ? found->intervals[value->interval]
                                                   : name_in_path(value->part));
}

/// "n=4, n=8" of members, or "1.5, 7" of values.
static void add_listing(struct relation *relation, const struct found_values *found,
                        const struct found_value *values, size_t n, enum query_over over,
                        bool of_values)
{
    SCOPED char *text = NULL;
    for (size_t i = 0; i < n; i++) {
        SCOPED char *member = of_values ? NULL : member_name(found, &values[i], over);
        text_append(&text, "%s", i ? ", " : "");
        if (of_values && values[i].value == (double)(int64_t)values[i].value)
            text_append(&text, "%" PRId64, (int64_t)values[i].value);
        else
            text_append(&text, "%s", of_values ? exact_number(values[i].value).text : member);
    }
    relation_add_text(relation, text);
}

static const char *over_title(enum query_over over)
{
    return over == OVER_TRIALS ? "trials" : over == OVER_RANKS ? "ranks" : "intervals";
}

static void add_group_columns(struct relation *relation, const struct aggregation *aggregation)
{
    relation_add_columns(relation, "unit", "n");
    switch (aggregation->aggregate) {
    case AGGREGATE_LIST:
        relation_add_column(relation, "values");
        break;
    case AGGREGATE_CLUSTER:
        relation_add_columns(relation, "mean", "min", "max");
        break;
    case AGGREGATE_STATISTICS:
        relation_add_columns(relation, "min", "max", "mean", "median", "stddev");
        for (size_t i = 0; i < aggregation->n_quantiles; i++) {
            SCOPED char *name = memory_format("q%g", aggregation->quantiles[i]);
            relation_add_column(relation, name);
        }
        return;
    }
    relation_add_column(relation, over_title(aggregation->over));
}

static void add_statistics(struct relation *relation, const struct aggregation *aggregation,
                           const double *sorted, size_t n)
{
    relation_add_number(relation, sorted[0]);
    relation_add_number(relation, sorted[n - 1]);
    relation_add_number(relation, gsl_stats_mean(sorted, 1, n));
    relation_add_number(relation, gsl_stats_median_from_sorted_data(sorted, 1, n));
    relation_add_number(relation, n < 2 ? NAN : gsl_stats_sd(sorted, 1, n));
    for (size_t i = 0; i < aggregation->n_quantiles; i++)
        relation_add_number(
            relation, gsl_stats_quantile_from_sorted_data(sorted, 1, n, aggregation->quantiles[i]));
}

/// One row of N values of one group.
static void add_group(struct relation *relation, const struct found_values *found,
                      const struct aggregation *aggregation, const struct found_value *values,
                      size_t n)
{
    add_common(relation, found, values, aggregation->over);
    relation_add_text(relation, found->metrics[values->metric].unit);
    relation_add_integer(relation, (int64_t)n);
    SCOPED double *numbers = memory_zeroed(n, sizeof *numbers);
    for (size_t i = 0; i < n; i++)
        numbers[i] = values[i].value;
    gsl_sort(numbers, 1, n);
    if (aggregation->aggregate == AGGREGATE_STATISTICS) {
        add_statistics(relation, aggregation, numbers, n);
    } else if (aggregation->aggregate == AGGREGATE_CLUSTER) {
        relation_add_number(relation, gsl_stats_mean(numbers, 1, n));
        relation_add_number(relation, numbers[0]);
        relation_add_number(relation, numbers[n - 1]);
    } else {
        add_listing(relation, found, values, n, aggregation->over, true);
    }
    if (aggregation->aggregate != AGGREGATE_STATISTICS)
        add_listing(relation, found, values, n, aggregation->over, false);
}

/// How many of the N values of a group, from the first on, belong into one row.
static size_t row_length(const struct found_value *values, size_t n,
                         const struct aggregation *aggregation)
{
    size_t length = 1;
    if (aggregation->aggregate != AGGREGATE_CLUSTER)
        return n;
    while (length < n && values[length].value - values[0].value <= aggregation->delta)
        length++;
    return length;
}

static void add_groups(struct relation *relation, struct found_values *found,
                       const struct aggregation *aggregation)
{
    size_t begin = 0;
    while (begin < found->n_values) {
        size_t end = begin + 1;
        while (end < found->n_values &&
               !compare_groups(&found->values[begin], &found->values[end], aggregation->over))
            end++;
        while (begin < end) {
            size_t length = row_length(&found->values[begin], end - begin, aggregation);
            add_group(relation, found, aggregation, &found->values[begin], length);
            begin += length;
        }
    }
}

void values_to_rows(struct found_values *found, const struct aggregation *aggregation,
                    struct relation *relation)
{
    struct sorting sorting = {aggregation->over, aggregation->over != OVER_NOTHING &&
                                                     aggregation->aggregate == AGGREGATE_CLUSTER};
    add_columns(relation, found, aggregation->over);
    if (aggregation->over == OVER_TRIALS && aggregation->aggregate != AGGREGATE_STATISTICS)
        for (size_t i = 0; i < found->n_trials; i++)
            found->trials[i].shown_name = trial_name(found, &found->trials[i].summary);
    if (aggregation->over != OVER_NOTHING) {
        add_group_columns(relation, aggregation);
        qsort_r(found->values, found->n_values, sizeof *found->values, compare_values, &sorting);
        add_groups(relation, found, aggregation);
        return;
    }
    relation_add_columns(relation, "value", "unit");
    for (size_t i = 0; i < found->n_values; i++) {
        add_common(relation, found, &found->values[i], aggregation->over);
        relation_add_number(relation, found->values[i].value);
        relation_add_text(relation, found->metrics[found->values[i].metric].unit);
    }
}

void found_values_release(struct found_values *found)
{
    FREE_MEMBERS(found->values, found->n_values, part);
    FREE_MEMBERS(found->metrics, found->n_metrics, name, unit);
    for (size_t i = 0; i < found->n_trials; i++) {
        trial_summary_release(&found->trials[i].summary);
        memory_free_each(found->trials[i].attributes, found->n_attributes);
        free(found->trials[i].shown_name);
    }
    memory_free_each(found->intervals, found->n_intervals);
    FREE_ALL(found->values, found->metrics, found->trials);
}

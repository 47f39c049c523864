// SPDX-License-Identifier: BSD-3-Clause
// See find.h.
#include "analyzer/cmd/query/find.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

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
    found->values = array_reserve(found->values, &found->values_capacity, found->n_values + 1,
                                  sizeof *found->values);
    found->values[found->n_values++] =
        (struct found_value){.metric = taking->metric,
                             .interval = taking->interval,
                             .trial = taking->trial,
                             .part = value->part ? memory_copy_text(value->part) : NULL,
                             .value = value->value};
}

static void add_metric(struct found_values *found, const char *name, const char *unit)
{
    for (size_t i = 0; i < found->n_metrics; i++)
        if (!strcmp(found->metrics[i].name, name))
            return;
    found->metrics = array_reserve(found->metrics, &found->metrics_capacity, found->n_metrics + 1,
                                   sizeof *found->metrics);
    found->metrics[found->n_metrics++] =
        (struct found_metric){memory_copy_text(name), memory_copy_text(unit)};
}

static void take_metric(void *user, const char *name, const char *unit, const char *adds_up_over,
                        const char *description)
{
    (void)adds_up_over, (void)description;
    add_metric(user, name, unit);
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

static int ask_metrics(struct database *database, const struct query_wishes *wishes,
                       const struct query_question *question, struct found_values *found,
                       struct error *err)
{
    for (size_t i = 0; i < wishes->metrics.count; i++)
        if (query_metrics(database, wishes->metrics.values[i], take_metric, found, err))
            return -1;
    size_t n_metrics = found->n_metrics;
    for (size_t i = 0; i < n_metrics; i++) {
        struct query_question one = *question;
        one.metric = found->metrics[i].name;
        if (ask(database, one, i, found, err))
            return -1;
    }
    return 0;
}

static int ask_properties(struct database *database, const struct query_wishes *wishes,
                          const struct query_question *question, struct found_values *found,
                          struct error *err)
{
    static const struct {
        const char *column, *unit;
    } values[] = {
        {"severity", "share"}, {"confidence", "share"}, {"count", "instances"}, {"wait_ns", "ns"}};
    for (size_t i = 0; i < wishes->properties.count; i++)
        for (size_t j = 0; j < sizeof values / sizeof values[0]; j++) {
            struct query_question one = *question;
            one.metric = wishes->properties.values[i];
            one.property_value = values[j].column;
            char *name = memory_format("%s %s", one.metric, one.property_value);
            add_metric(found, name, values[j].unit);
            free(name);
            if (ask(database, one, found->n_metrics - 1, found, err))
                return -1;
        }
    return 0;
}

/// Intervals by name, in the order of their numbers.
static void take_interval(void *user, const char *name)
{
    struct found_values *found = user;
    found->intervals = array_reserve(found->intervals, &found->intervals_capacity,
                                     found->n_intervals + 1, sizeof *found->intervals);
    found->intervals[found->n_intervals++] = memory_copy_text(name);
}

static const char *part_title(enum query_by by)
{
    static const char *const titles[N_QUERY_BY] = {
        [QUERY_BY_PROCESS] = "process", [QUERY_BY_CALL_PATH] = "call path",
        [QUERY_BY_CODE] = "code",       [QUERY_BY_MACHINE] = "machine",
        [QUERY_BY_MESSAGE] = "message",
    };
    return titles[by];
}

/// What is said when everything named exists but no value is there.
static int nothing_found(const struct database *database, const struct query_wishes *wishes,
                         const struct found_values *found, struct error *err)
{
    const char *what = found->n_metrics == 1 ? found->metrics[0].name : "these metrics";
    return error_set(err,
                     "no selected trial of %s has values of %s%s%s%s%s%s: `pagoda query DB` says "
                     "over what each metric adds up",
                     database->path, what, wishes->focus ? " at " : "",
                     wishes->focus ? wishes->focus : "", wishes->by ? " by " : "",
                     wishes->by ? part_title(wishes->by) : "",
                     wishes->interval ? " in that interval" : "");
}

int query_find(struct database *database, const struct query_wishes *wishes,
               struct found_values *found, struct error *err)
{
    struct trial_group group;
    if (trial_selection_find(database, &wishes->conditions, &group, err))
        return -1;
    const struct query_question question = {.focus = wishes->focus,
                                            .interval = wishes->interval,
                                            .by = wishes->by,
                                            .trials = group.ids,
                                            .n_trials = group.n_ids};
    int status = read_trials(database, &group, found, err);
    found->part_title = part_title(wishes->by);
    if (status == 0 && wishes->over == OVER_INTERVALS)
        status = query_intervals(database, take_interval, found, err);
    if (status == 0)
        status = ask_metrics(database, wishes, &question, found, err);
    if (status == 0)
        status = ask_properties(database, wishes, &question, found, err);
    if (status == 0 && found->n_values == 0)
        status = nothing_found(database, wishes, found, err);
    trial_group_release(&group);
    return status;
}

// SPDX-License-Identifier: BSD-3-Clause
// Values of stored trials, given to difference.h run by run.
#include "analyzer/compare/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/query/query.h"
#include "db/query/selection.h"

static int read_group(struct database *database, const struct difference_choice *choice,
                      enum difference_group group, struct difference_runs *runs, struct error *err)
{
    struct trial_group trials;
    bool is_a = group == DIFFERENCE_A;
    char *selector = (char *)(is_a ? choice->a : choice->b);
    if (trial_group_to_compare(database, &selector, 1, &trials, err))
        return -1;
    int status = is_a && choice->wants_newest_a ? trial_group_newest(database, &trials, err) : 0;
    for (size_t i = 0; i < trials.n_ids && status == 0; i++) {
        runs->list = array_reserve(runs->list, &runs->capacity, runs->n + 1, sizeof *runs->list);
        struct difference_run *run = &runs->list[runs->n];
        *run = (struct difference_run){.id = trials.ids[i], .group = group};
        status = trial_time_read(database, trials.ids[i], &run->trial, err);
        runs->n += status == 0;
    }
    trial_group_release(&trials);
    return status;
}

int difference_runs_read(struct database *database, const struct difference_choice *choice,
                         struct difference_runs *runs, struct error *err)
{
    return read_group(database, choice, DIFFERENCE_A, runs, err)
               ? -1
               : read_group(database, choice, DIFFERENCE_B, runs, err);
}

void difference_runs_release(struct difference_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        trial_time_release(&runs->list[i].trial);
    free(runs->list);
}

/// Where the times of one run go.
struct adder {
    struct difference *difference;
    const struct resource_map *map;
    size_t run;
};

// --- run time

static void add_time(void *user, const char *call_path, const char *process, const char *wait_state,
                     int64_t value_ns)
{
    const struct adder *adder = user;
    SCOPED char *path = resource_map_apply(adder->map, call_path);
    SCOPED char *rank = resource_map_apply(adder->map, process);
    difference_add(adder->difference, adder->run, path, rank, wait_state, value_ns);
}

int difference_page_read(struct database *database, const struct difference_choice *choice,
                         struct difference_page *page, struct error *err)
{
    *page = (struct difference_page){.database = database->path,
                                     .thresholds = choice->thresholds,
                                     .difference = difference_new()};
    if (difference_runs_read(database, choice, &page->runs, err))
        return -1;
    for (size_t i = 0; i < page->runs.n; i++) {
        const struct difference_run *run = &page->runs.list[i];
        struct adder adder = {page->difference, choice->map,
                              difference_add_run(page->difference, run->group, run->trial.time_ns,
                                                 run->trial.n_ranks)};
        if (trial_time_parts(database, run->id, add_time, &adder, err))
            return -1;
    }
    for (enum difference_by by = 0; by < N_DIFFERENCE_BY; by++)
        difference_tabulate(page->difference, by, &page->thresholds, &page->tables[by]);
    difference_descend(page->difference, &page->thresholds, false, &page->top_down);
    return finding_changes_read(database, &page->runs, &page->thresholds, &page->findings, err);
}

void difference_page_release(struct difference_page *page)
{
    for (enum difference_by by = 0; by < N_DIFFERENCE_BY; by++)
        difference_table_release(&page->tables[by]);
    difference_table_release(&page->top_down);
    finding_changes_release(&page->findings);
    difference_runs_release(&page->runs);
    difference_free(page->difference);
    *page = (struct difference_page){0};
}

size_t difference_count_worse(const struct difference_page *page)
{
    const struct difference_table *table = &page->tables[DIFFERENCE_BY_CALL_PATH];
    size_t n_worse = difference_is_worse(&table->total);
    for (size_t i = 0; i < table->n_rows; i++)
        n_worse += difference_is_worse(&table->rows[i]);
    return n_worse;
}

// --- any metric

/// Values that may be summed are followed from the whole to the parts; those that may not are
/// compared part by part. Sums over some of the resources are neither.
static int check_metric(struct database *database, const char *name,
                        struct metric_difference *difference, struct error *err)
{
    struct query_metric *metric = query_metric_named(database, name, err);
    if (!metric)
        return -1;
    int status = 0;
    if (strcmp(metric->adds_up_over, "processes") == 0)
        status = error_set(err,
                           "values of %s do not add up to that of the whole run; `pagoda query` "
                           "lists metrics that add up over everything%s",
                           metric->name,
                           strcmp(metric->name, "inclusive_ns") == 0
                               ? ", such as exclusive_ns, which is summed from the top down"
                               : "");
    if (status == 0) {
        difference->metric = memory_copy_text(metric->name);
        difference->unit = memory_copy_text(metric->unit);
        difference->adds_up = strcmp(metric->adds_up_over, "everything") == 0;
    }
    database_rows_free(metric, 1, QUERY_METRIC_LETTERS);
    return status;
}

/// The values of one run by one kind of resources, whose names the map has changed, and its sum or,
/// where they do not add up, its value.
struct values {
    struct part {
        char *name;
        double value;
    } * parts;
    size_t n, capacity;
    double total;
    const struct resource_map *map;
};

static void keep_total(const struct query_value *value, void *user)
{
    ((struct values *)user)->total = value->value;
}

static void keep_value(const struct query_value *value, void *user)
{
    struct values *values = user;
    *ARRAY_NEXT(values->parts, values->n, values->capacity) =
        (struct part){resource_map_apply(values->map, value->part), value->value};
}

static void release_values(struct values *runs, size_t n_runs)
{
    for (size_t i = 0; i < n_runs; i++) {
        for (size_t j = 0; j < runs[i].n; j++)
            free(runs[i].parts[j].name);
        free(runs[i].parts);
    }
    free(runs);
}

/// The power of two that makes whole numbers of at most 2^50 of the values of all runs: differences
/// are of integers, and a counter may be of joules or beyond 64 bits. 1 for times.
static double find_scale(const struct metric_difference *of, const struct values *runs)
{
    double greatest = 0;
    int exponent = 50;
    for (size_t i = 0; i < of->runs.n && strcmp(of->unit, "ns") != 0; i++) {
        double size = fabs(runs[i].total);
        for (size_t j = 0; j < runs[i].n; j++)
            size += fabs(runs[i].parts[j].value);
        greatest = fmax(greatest, size);
    }
    if (greatest > 0)
        frexp(greatest, &exponent);
    return ldexp(1, 50 - exponent);
}

/// The values of TABLE as they were before they got the SCALE.
static void unscale(struct difference_table *table, double scale)
{
    for (size_t i = 0; i <= table->n_rows; i++) {
        struct difference_row *row = i < table->n_rows ? &table->rows[i] : &table->total;
        row->a_ns /= scale;
        row->b_ns /= scale;
        row->half_width_ns /= scale;
    }
}

/// The values of a run, as whole numbers; the length of the run is their total.
static void add_run(struct difference *difference, enum difference_group group,
                    const struct values *values, bool adds_up, double scale)
{
    int64_t total = adds_up ? 0 : llround(values->total * scale);
    for (size_t i = 0; adds_up && i < values->n; i++)
        total += llround(values->parts[i].value * scale);
    size_t run = difference_add_run(difference, group, total > 0 ? (uint64_t)total : 0, 1);
    for (size_t i = 0; i < values->n; i++) {
        const struct part *part = &values->parts[i];
        difference_add(difference, run, part->name, part->name, "", llround(part->value * scale));
    }
}

/// Compares the runs by one kind of resources; *HAS_VALUES once there are any. 0, or -1 and ERR.
static int read_hierarchy(struct database *database, const struct resource_map *map,
                          enum query_by by, const struct metric_difference *of,
                          struct metric_hierarchy *to, bool *has_values, struct error *err)
{
    size_t n = of->runs.n;
    struct values *runs = memory_zeroed(n, sizeof *runs);
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        struct query_question question = {
            .metric = of->metric, .by = by, .trials = &of->runs.list[i].id, .n_trials = 1};
        runs[i].map = map;
        status = query_metric(database, &question, keep_value, &runs[i], err);
        question.by = QUERY_BY_TRIAL;
        if (status == 0 && !of->adds_up)
            status = query_metric(database, &question, keep_total, &runs[i], err);
        *has_values |= runs[i].n > 0 || fpclassify(runs[i].total) != FP_ZERO;
    }
    double scale = find_scale(of, runs);
    for (size_t i = 0; i < n; i++)
        add_run(to->difference, of->runs.list[i].group, &runs[i], of->adds_up, scale);
    release_values(runs, n);
    if (of->adds_up)
        difference_descend(to->difference, &of->thresholds, true, &to->table);
    else
        difference_of_each(to->difference, &of->thresholds, &to->table);
    unscale(&to->table, scale);
    return status;
}

int metric_difference_read(struct database *database, const struct difference_choice *choice,
                           const char *metric, struct metric_difference *difference,
                           struct error *err)
{
    static const struct {
        enum query_by by;
        const char *name;
    } hierarchies[] = {{QUERY_BY_CODE, "Code"},       {QUERY_BY_CALL_PATH, "CallPath"},
                       {QUERY_BY_MACHINE, "Machine"}, {QUERY_BY_PROCESS, "Process"},
                       {QUERY_BY_MESSAGE, "Message"}, {QUERY_BY_SYNC_OBJECT, "SyncObject"}};
    bool has_values = false;
    *difference =
        (struct metric_difference){.database = database->path, .thresholds = choice->thresholds};
    if (check_metric(database, metric, difference, err) ||
        difference_runs_read(database, choice, &difference->runs, err))
        return -1;
    if (choice->thresholds.absolute_ns != DIFFERENCE_DEFAULT && strcmp(difference->unit, "ns") != 0)
        return error_set(err, "--absolute is a time, %s is in %s: use --relative",
                         difference->metric, difference->unit);
    for (size_t i = 0; i < sizeof hierarchies / sizeof hierarchies[0]; i++) {
        struct metric_hierarchy *to = &difference->hierarchies[difference->n_hierarchies];
        if (hierarchies[i].by == QUERY_BY_MACHINE && !difference->adds_up)
            continue; // only sums over ranks are stored by node
        *to = (struct metric_hierarchy){hierarchies[i].name, difference_new(), {0}};
        difference->n_hierarchies++;
        if (read_hierarchy(database, choice->map, hierarchies[i].by, difference, to, &has_values,
                           err))
            return -1;
        if (difference->n_hierarchies == 1)
            difference->total = to->table.total;
        if (to->table.n_rows == 0) { // nothing to show by these resources
            difference_free(to->difference);
            difference_table_release(&to->table);
            difference->n_hierarchies--;
        }
    }
    return has_values ? 0
                      : error_set(err, "no compared run has values of %s by resources",
                                  difference->metric);
}

void metric_difference_release(struct metric_difference *difference)
{
    for (size_t i = 0; i < difference->n_hierarchies; i++) {
        difference_table_release(&difference->hierarchies[i].table);
        difference_free(difference->hierarchies[i].difference);
    }
    difference_runs_release(&difference->runs);
    FREE_ALL(difference->metric, difference->unit);
    *difference = (struct metric_difference){0};
}

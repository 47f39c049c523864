// SPDX-License-Identifier: BSD-3-Clause
// Values are sorted by the key of their row and then by run; equal neighbours form a row. Changes
// are rounded by the differences of rounded running sums, so that they sum to the whole exactly.
#include "analyzer/compare/difference.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/compare/resource_path.h"

/// The standard error of the difference of the means, and its degrees of freedom; NAN when no
/// group has two values.
static double standard_error(const double *a, size_t n_a, const double *b, size_t n_b,
                             double *freedom)
{
    *freedom = 1;
    if (n_a == 0 || n_b == 0 || (n_a < 2 && n_b < 2))
        return NAN;
    if (n_a < 2 || n_b < 2) {
        const double *many = n_a < 2 ? b : a;
        size_t n = n_a < 2 ? n_b : n_a;
        *freedom = (double)n - 1;
        return sqrt(gsl_stats_variance(many, 1, n) * (1 + 1 / (double)n));
    }
    double share_a = gsl_stats_variance(a, 1, n_a) / (double)n_a;
    double share_b = gsl_stats_variance(b, 1, n_b) / (double)n_b;
    double sum = share_a + share_b;
    if (sum > 0)
        *freedom = sum * sum /
                   (share_a * share_a / (double)(n_a - 1) + share_b * share_b / (double)(n_b - 1));
    return sqrt(sum);
}

double significance_of_difference(const double *a, size_t n_a, const double *b, size_t n_b)
{
    double freedom;
    double error = standard_error(a, n_a, b, n_b, &freedom);
    if (isnan(error))
        return NAN;
    double distance = fabs(gsl_stats_mean(a, 1, n_a) - gsl_stats_mean(b, 1, n_b));
    if (!(error > 0))
        return distance > 0 ? 0 : 1;
    return fmin(1, 2 * gsl_cdf_tdist_Q(distance / error, freedom));
}

double significance_half_width(const double *a, size_t n_a, const double *b, size_t n_b,
                               double alpha)
{
    double freedom;
    double error = standard_error(a, n_a, b, n_b, &freedom);
    return isnan(error) || !(error > 0) ? error : error * gsl_cdf_tdist_Qinv(alpha / 2, freedom);
}

struct run {
    enum difference_group group;
    uint64_t time_ns, n_ranks;
    int64_t recorded_ns; // sum of its values
    size_t sample;       // where its values stand among those of all runs, A before B
};

struct value {
    char *call_path, *process, *wait_state;
    size_t run;
    int64_t value_ns;
};

struct difference {
    struct run *runs;
    size_t n_runs, run_capacity;
    struct value *values;
    size_t n_values, value_capacity;
    bool is_complete;             // what was not recorded is among the values
    struct difference *inclusive; // of difference_descend(), NULL before
};

struct difference *difference_new(void)
{
    return memory_zeroed(1, sizeof(struct difference));
}

void difference_free(struct difference *difference)
{
    if (!difference)
        return;
    difference_free(difference->inclusive);
    FREE_MEMBERS(difference->values, difference->n_values, call_path, process, wait_state);
    FREE_ALL(difference->values, difference->runs, difference);
}

size_t difference_add_run(struct difference *difference, enum difference_group group,
                          uint64_t time_ns, uint64_t n_ranks)
{
    *ARRAY_NEXT(difference->runs, difference->n_runs, difference->run_capacity) =
        (struct run){.group = group, .time_ns = time_ns, .n_ranks = n_ranks ? n_ranks : 1};
    return difference->n_runs - 1;
}

void difference_add(struct difference *difference, size_t run, const char *call_path,
                    const char *process, const char *wait_state, int64_t value_ns)
{
    *ARRAY_NEXT(difference->values, difference->n_values, difference->value_capacity) =
        (struct value){.call_path = memory_copy_text(call_path),
                       .process = memory_copy_text(process),
                       .wait_state = memory_copy_text(wait_state),
                       .run = run,
                       .value_ns = value_ns};
    difference->runs[run].recorded_ns += value_ns;
}

/// Adds, as a value of no call path and no process, what the ranks of a run lack to its run time.
static void complete(struct difference *difference)
{
    if (difference->is_complete)
        return;
    difference->is_complete = true;
    for (size_t i = 0; i < difference->n_runs; i++) {
        const struct run *run = &difference->runs[i];
        int64_t missing_ns = (int64_t)(run->time_ns * run->n_ranks) - run->recorded_ns;
        if (missing_ns)
            difference_add(difference, i, "", "", "", missing_ns);
    }
}

static int compare_by_call_path(const void *a, const void *b)
{
    const struct value *value_a = a, *value_b = b;
    return ORDER_BY(strcmp(value_a->call_path, value_b->call_path),
                    strcmp(value_a->wait_state, value_b->wait_state));
}

static int compare_by_process(const void *a, const void *b)
{
    return strcmp(((const struct value *)a)->process, ((const struct value *)b)->process);
}

static int compare_by_wait_state(const void *a, const void *b)
{
    const struct value *value_a = a, *value_b = b;
    int order = strcmp(value_a->wait_state, value_b->wait_state);
    // What no process recorded is no time of work.
    return order ? order : !*value_a->process - !*value_b->process;
}

static int (*const compare_keys[N_DIFFERENCE_BY])(const void *, const void *) = {
    [DIFFERENCE_BY_CALL_PATH] = compare_by_call_path,
    [DIFFERENCE_BY_PROCESS] = compare_by_process,
    [DIFFERENCE_BY_WAIT_STATE] = compare_by_wait_state,
};

/// Values of one row run by run, those of A before those of B.
struct samples {
    double *ns;       // per rank; room for all runs
    int64_t *sums_ns; // over ranks: integers, so that the order of the values does not matter
    size_t n_a, n_b;
};

static void row_judge(struct difference_row *row, const struct samples *samples, double alpha)
{
    const double *a = samples->ns, *b = samples->ns + samples->n_a;
    row->a_ns = gsl_stats_mean(a, 1, samples->n_a); // exact for equal values
    row->b_ns = gsl_stats_mean(b, 1, samples->n_b);
    row->p = significance_of_difference(a, samples->n_a, b, samples->n_b);
    row->half_width_ns = significance_half_width(a, samples->n_a, b, samples->n_b, alpha);
}

static void count_samples(struct difference *difference, struct samples *samples)
{
    *samples = (struct samples){.ns = memory_zeroed(difference->n_runs + 1, sizeof *samples->ns),
                                .sums_ns = memory_zeroed(difference->n_runs + 1, sizeof(int64_t))};
    for (size_t i = 0; i < difference->n_runs; i++)
        if (difference->runs[i].group == DIFFERENCE_A)
            difference->runs[i].sample = samples->n_a++;
    for (size_t i = 0; i < difference->n_runs; i++)
        if (difference->runs[i].group == DIFFERENCE_B)
            difference->runs[i].sample = samples->n_a + samples->n_b++;
}

/// Makes the row of the values FIRST to BEFORE.
static struct difference_row make_row(const struct difference *difference, enum difference_by by,
                                      size_t first, size_t before, struct samples *samples,
                                      double alpha)
{
    const struct value *key = &difference->values[first];
    bool has_process = by == DIFFERENCE_BY_PROCESS, has_path = by == DIFFERENCE_BY_CALL_PATH;
    struct difference_row row = {.call_path = has_path ? key->call_path : "",
                                 .process = has_process ? key->process : "",
                                 .wait_state = has_process ? "" : key->wait_state,
                                 .is_unrecorded = !*key->process};
    memset(samples->sums_ns, 0, difference->n_runs * sizeof *samples->sums_ns);
    for (size_t i = first; i < before; i++) {
        const struct value *value = &difference->values[i];
        const struct run *run = &difference->runs[value->run];
        samples->sums_ns[run->sample] += value->value_ns;
        *(run->group == DIFFERENCE_A ? &row.is_in_a : &row.is_in_b) = true;
    }
    for (size_t i = 0; i < difference->n_runs; i++) {
        const struct run *run = &difference->runs[i];
        samples->ns[run->sample] = (double)samples->sums_ns[run->sample] / (double)run->n_ranks;
    }
    row_judge(&row, samples, alpha);
    return row;
}

static void make_total(const struct difference *difference, struct samples *samples, double alpha,
                       struct difference_row *total)
{
    *total = (struct difference_row){
        .call_path = "", .process = "", .wait_state = "", .is_in_a = true, .is_in_b = true};
    for (size_t i = 0; i < difference->n_runs; i++)
        samples->ns[difference->runs[i].sample] = (double)difference->runs[i].time_ns;
    row_judge(total, samples, alpha);
    total->change_ns = llround(total->b_ns - total->a_ns);
}

static int compare_changes(const void *a, const void *b)
{
    const struct difference_row *row_a = a, *row_b = b;
    double change_a = fabs(row_a->b_ns - row_a->a_ns), change_b = fabs(row_b->b_ns - row_b->a_ns);
    return ORDER_BY(MORE_FIRST(change_a, change_b), strcmp(row_a->call_path, row_b->call_path),
                    strcmp(row_a->wait_state, row_b->wait_state),
                    strcmp(row_a->process, row_b->process));
}

static void round_changes(struct difference_table *table)
{
    double sum_ns = 0;
    int64_t rounded_ns = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        struct difference_row *row = &table->rows[i];
        sum_ns += row->b_ns - row->a_ns;
        int64_t next_ns = i + 1 < table->n_rows ? llround(sum_ns) : table->total.change_ns;
        row->change_ns = next_ns - rounded_ns;
        rounded_ns = next_ns;
    }
}

static double absolute_threshold(const struct difference_thresholds *thresholds, double run_time_ns)
{
    return thresholds->absolute_ns == DIFFERENCE_DEFAULT ? 0.01 * run_time_ns
                                                         : (double)thresholds->absolute_ns;
}

/// Corrects for the number of tests. Rows too small to reach the threshold are not tested: their
/// size, other than their change, says nothing about whether they changed.
static void correct_p(struct difference_table *table, double absolute_ns)
{
    SCOPED struct difference_row **order = memory_zeroed(table->n_rows + 1, sizeof *order);
    size_t n_tests = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        struct difference_row *row = &table->rows[i];
        if (fabs(row->a_ns) + fabs(row->b_ns) < absolute_ns)
            row->p = NAN;
        if (!isnan(row->p))
            order[n_tests++] = row;
    }
    SORT_POINTERS_BY(order, n_tests, LEAST(p));
    double largest = 0;
    for (size_t i = 0; i < n_tests; i++) {
        largest = fmax(largest, fmin(1, order[i]->p * (double)(n_tests - i)));
        order[i]->p = largest;
    }
}

static bool is_change(const struct difference_row *row,
                      const struct difference_thresholds *thresholds, double run_time_ns)
{
    double distance_ns = fabs(row->b_ns - row->a_ns);
    bool is_large = distance_ns >= 0.5 &&
                    distance_ns >= absolute_threshold(thresholds, run_time_ns) &&
                    distance_ns >= thresholds->relative * fabs(row->a_ns);
    return is_large && (isnan(row->p) || row->p < thresholds->alpha);
}

/// Rows put together BY, with their p values; the changes are not rounded.
static void make_table(struct difference *difference, enum difference_by by,
                       const struct difference_thresholds *thresholds,
                       struct difference_table *table)
{
    struct samples samples;
    count_samples(difference, &samples);
    if (difference->n_values)
        qsort(difference->values, difference->n_values, sizeof *difference->values,
              compare_keys[by]);
    size_t capacity = 0;
    for (size_t first = 0, before; first < difference->n_values; first = before) {
        for (before = first + 1; before < difference->n_values; before++)
            if (compare_keys[by](&difference->values[first], &difference->values[before]))
                break;
        *ARRAY_NEXT(table->rows, table->n_rows, capacity) =
            make_row(difference, by, first, before, &samples, thresholds->alpha);
    }
    make_total(difference, &samples, thresholds->alpha, &table->total);
    correct_p(table, absolute_threshold(thresholds, table->total.a_ns));
    for (size_t i = 0; i < table->n_rows; i++)
        table->rows[i].is_change = is_change(&table->rows[i], thresholds, table->total.a_ns);
    table->total.is_change = is_change(&table->total, thresholds, table->total.a_ns);
    FREE_ALL(samples.ns, samples.sums_ns);
}

void difference_tabulate(struct difference *difference, enum difference_by by,
                         const struct difference_thresholds *thresholds,
                         struct difference_table *table)
{
    *table = (struct difference_table){0};
    complete(difference);
    make_table(difference, by, thresholds, table);
    if (table->n_rows)
        qsort(table->rows, table->n_rows, sizeof *table->rows, compare_changes);
    round_changes(table);
}

/// Adds VALUE to its call path and to all above.
static void add_inclusive(struct difference *inclusive, const struct value *value)
{
    SCOPED char *path = memory_copy_text(value->call_path);
    size_t length = resource_path_next(path, 0); // the root
    while (path[length]) {
        length = resource_path_next(path, length);
        char next = path[length];
        path[length] = '\0';
        difference_add(inclusive, value->run, path, value->process, "", value->value_ns);
        path[length] = next;
    }
}

static int compare_places(const void *a, const void *b)
{
    return resource_path_compare(((const struct difference_row *)a)->call_path,
                                 ((const struct difference_row *)b)->call_path);
}

/// A row in the tree of call paths.
struct place {
    const struct difference_row *row;
    const struct place *above; // NULL: a root
    size_t depth;
};

/// Above before below, and of neighbours the one with the larger change first.
static int compare_in_tree(const void *a, const void *b)
{
    const struct place *place_a = *(const struct place *const *)a;
    const struct place *place_b = *(const struct place *const *)b;
    size_t depth_a = place_a->depth, depth_b = place_b->depth;
    while (place_a->depth > depth_b)
        place_a = place_a->above;
    while (place_b->depth > depth_a)
        place_b = place_b->above;
    if (place_a->row == place_b->row)
        return LESS_FIRST(depth_a, depth_b);
    for (; place_a->above != place_b->above; place_b = place_b->above)
        place_a = place_a->above;
    return ORDER_BY(MORE_FIRST(llabs(place_a->row->change_ns), llabs(place_b->row->change_ns)),
                    compare_places(place_a->row, place_b->row));
}

/// Brings the rows, which are in the order of their paths, into that of compare_in_tree().
static void order_tree(struct difference_table *table)
{
    SCOPED struct difference_row *rows = memory_zeroed(table->n_rows + 1, sizeof *rows);
    SCOPED struct place *places = memory_zeroed(table->n_rows + 1, sizeof *places);
    SCOPED const struct place **order = memory_zeroed(table->n_rows + 1, sizeof(struct place *));
    for (size_t i = 0; i < table->n_rows; i++) {
        const struct place *above = i > 0 ? &places[i - 1] : NULL;
        rows[i] = table->rows[i];
        while (above && !resource_path_is_within(rows[i].call_path, above->row->call_path))
            above = above->above;
        places[i] = (struct place){&rows[i], above, above ? above->depth + 1 : 0};
        order[i] = &places[i];
    }
    if (table->n_rows)
        qsort(order, table->n_rows, sizeof *order, compare_in_tree);
    for (size_t i = 0; i < table->n_rows; i++)
        table->rows[i] = *order[i]->row;
}

void difference_descend(struct difference *difference,
                        const struct difference_thresholds *thresholds, bool is_lack_zero,
                        struct difference_table *table)
{
    *table = (struct difference_table){0};
    difference_free(difference->inclusive);
    difference->inclusive = difference_new();
    for (size_t i = 0; i < difference->n_runs; i++)
        difference_add_run(difference->inclusive, difference->runs[i].group,
                           difference->runs[i].time_ns, difference->runs[i].n_ranks);
    for (size_t i = 0; i < difference->n_values; i++)
        add_inclusive(difference->inclusive, &difference->values[i]);
    make_table(difference->inclusive, DIFFERENCE_BY_CALL_PATH, thresholds, table);
    if (table->n_rows)
        qsort(table->rows, table->n_rows, sizeof *table->rows, compare_places);
    const char *closed = NULL; // below it nothing is looked at
    size_t n_kept = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        struct difference_row row = table->rows[i];
        if (closed && resource_path_is_within(row.call_path, closed))
            continue;
        row.change_ns = llround(row.b_ns - row.a_ns);
        row.is_change = row.is_change && (is_lack_zero || (row.is_in_a && row.is_in_b));
        closed = row.is_change ? NULL : row.call_path;
        table->rows[n_kept++] = row;
    }
    table->n_rows = n_kept;
    order_tree(table);
}

void difference_of_each(struct difference *difference,
                        const struct difference_thresholds *thresholds,
                        struct difference_table *table)
{
    size_t n_kept = 0;
    *table = (struct difference_table){0};
    make_table(difference, DIFFERENCE_BY_CALL_PATH, thresholds, table);
    for (size_t i = 0; i < table->n_rows; i++)
        if (table->rows[i].is_change)
            table->rows[n_kept++] = table->rows[i];
    table->n_rows = n_kept;
    if (n_kept > 0)
        qsort(table->rows, n_kept, sizeof *table->rows, compare_changes);
}

void difference_table_release(struct difference_table *table)
{
    free(table->rows);
    *table = (struct difference_table){0};
}

const char *difference_kind(const struct difference_row *row)
{
    if (row->is_unrecorded) // below 0: more was recorded than the run time times the ranks
        return row->a_ns < 0 || row->b_ns < 0 ? "parallel threads" : "not recorded";
    return *row->wait_state ? row->wait_state : "no wait";
}

bool difference_is_worse(const struct difference_row *row)
{
    return row->is_change && row->b_ns > row->a_ns;
}

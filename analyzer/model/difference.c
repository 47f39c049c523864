// SPDX-License-Identifier: BSD-3-Clause
// Values are sorted by the key of their row and then by run; a row is one stretch of them. Changes
// are rounded by the differences of rounded running sums, so that they sum to the whole exactly.
#include "analyzer/model/difference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/model/significance.h"

struct run {
    enum difference_group group;
    uint64_t time_ns, n_ranks;
    int64_t recorded_ns; // sum of its values
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
    bool is_complete; // what was not recorded is among the values
};

struct difference *difference_new(void)
{
    return memory_zeroed(1, sizeof(struct difference));
}

void difference_free(struct difference *difference)
{
    if (!difference)
        return;
    for (size_t i = 0; i < difference->n_values; i++) {
        free(difference->values[i].call_path);
        free(difference->values[i].process);
        free(difference->values[i].wait_state);
    }
    free(difference->values);
    free(difference->runs);
    free(difference);
}

size_t difference_add_run(struct difference *difference, enum difference_group group,
                          uint64_t time_ns, uint64_t n_ranks)
{
    difference->runs = array_reserve(difference->runs, &difference->run_capacity,
                                     difference->n_runs + 1, sizeof *difference->runs);
    difference->runs[difference->n_runs] =
        (struct run){.group = group, .time_ns = time_ns, .n_ranks = n_ranks ? n_ranks : 1};
    return difference->n_runs++;
}

void difference_add(struct difference *difference, size_t run, const char *call_path,
                    const char *process, const char *wait_state, int64_t value_ns)
{
    difference->values = array_reserve(difference->values, &difference->value_capacity,
                                       difference->n_values + 1, sizeof *difference->values);
    difference->values[difference->n_values++] =
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
    int order = strcmp(value_a->call_path, value_b->call_path);
    return order ? order : strcmp(value_a->wait_state, value_b->wait_state);
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
    double *ns; // room for all runs
    size_t n_a, n_b;
};

static void row_judge(struct difference_row *row, const struct samples *samples, double alpha)
{
    const double *a = samples->ns, *b = samples->ns + samples->n_a;
    for (size_t i = 0; i < samples->n_a; i++)
        row->a_ns += a[i] / (double)samples->n_a;
    for (size_t i = 0; i < samples->n_b; i++)
        row->b_ns += b[i] / (double)samples->n_b;
    row->p = significance_of_difference(a, samples->n_a, b, samples->n_b);
    row->half_width_ns = significance_half_width(a, samples->n_a, b, samples->n_b, alpha);
}

/// Where the value of RUN stands among the samples.
static size_t sample_index(const struct difference *difference, size_t run)
{
    enum difference_group own = difference->runs[run].group;
    size_t index = 0;
    for (size_t i = 0; i < difference->n_runs; i++) {
        enum difference_group group = difference->runs[i].group;
        index += group < own || (group == own && i < run);
    }
    return index;
}

static void count_samples(const struct difference *difference, struct samples *samples)
{
    *samples = (struct samples){.ns = memory_zeroed(difference->n_runs + 1, sizeof(double))};
    for (size_t i = 0; i < difference->n_runs; i++)
        *(difference->runs[i].group == DIFFERENCE_A ? &samples->n_a : &samples->n_b) += 1;
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
    memset(samples->ns, 0, difference->n_runs * sizeof *samples->ns);
    for (size_t i = first; i < before; i++) {
        const struct value *value = &difference->values[i];
        const struct run *run = &difference->runs[value->run];
        samples->ns[sample_index(difference, value->run)] +=
            (double)value->value_ns / (double)run->n_ranks;
        *(run->group == DIFFERENCE_A ? &row.is_in_a : &row.is_in_b) = true;
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
        samples->ns[sample_index(difference, i)] = (double)difference->runs[i].time_ns;
    row_judge(total, samples, alpha);
    total->change_ns = llround(total->b_ns - total->a_ns);
}

static int compare_changes(const void *a, const void *b)
{
    const struct difference_row *row_a = a, *row_b = b;
    double change_a = fabs(row_a->b_ns - row_a->a_ns), change_b = fabs(row_b->b_ns - row_b->a_ns);
    if (change_a > change_b || change_a < change_b)
        return change_a > change_b ? -1 : 1;
    int order = strcmp(row_a->call_path, row_b->call_path);
    order = order ? order : strcmp(row_a->wait_state, row_b->wait_state);
    return order ? order : strcmp(row_a->process, row_b->process);
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

static int compare_p(const void *a, const void *b)
{
    double p_a = (*(struct difference_row *const *)a)->p,
           p_b = (*(struct difference_row *const *)b)->p;
    return (p_a > p_b) - (p_a < p_b);
}

static void correct_p(struct difference_table *table)
{
    if (table->n_rows == 0 || isnan(table->rows[0].p))
        return;
    struct difference_row **order = memory_zeroed(table->n_rows, sizeof *order);
    for (size_t i = 0; i < table->n_rows; i++)
        order[i] = &table->rows[i];
    qsort(order, table->n_rows, sizeof *order, compare_p);
    double largest = 0;
    for (size_t i = 0; i < table->n_rows; i++) {
        largest = fmax(largest, fmin(1, order[i]->p * (double)(table->n_rows - i)));
        order[i]->p = largest;
    }
    free(order);
}

static bool is_change(const struct difference_row *row,
                      const struct difference_thresholds *thresholds, double run_time_ns)
{
    double distance_ns = fabs(row->b_ns - row->a_ns);
    double absolute_ns = thresholds->absolute_ns == DIFFERENCE_DEFAULT
                             ? 0.01 * run_time_ns
                             : (double)thresholds->absolute_ns;
    bool is_large = distance_ns > 0 && distance_ns >= absolute_ns &&
                    distance_ns >= thresholds->relative * fabs(row->a_ns);
    return is_large && (isnan(row->p) || row->p < thresholds->alpha);
}

void difference_tabulate(struct difference *difference, enum difference_by by,
                         const struct difference_thresholds *thresholds,
                         struct difference_table *table)
{
    *table = (struct difference_table){0};
    complete(difference);
    struct samples samples;
    count_samples(difference, &samples);
    qsort(difference->values, difference->n_values, sizeof *difference->values, compare_keys[by]);
    size_t capacity = 0;
    for (size_t first = 0, before; first < difference->n_values; first = before) {
        for (before = first + 1; before < difference->n_values; before++)
            if (compare_keys[by](&difference->values[first], &difference->values[before]))
                break;
        table->rows = array_reserve(table->rows, &capacity, table->n_rows + 1, sizeof *table->rows);
        table->rows[table->n_rows++] =
            make_row(difference, by, first, before, &samples, thresholds->alpha);
    }
    make_total(difference, &samples, thresholds->alpha, &table->total);
    if (table->n_rows)
        qsort(table->rows, table->n_rows, sizeof *table->rows, compare_changes);
    round_changes(table);
    correct_p(table);
    for (size_t i = 0; i < table->n_rows; i++)
        table->rows[i].is_change = is_change(&table->rows[i], thresholds, table->total.a_ns);
    table->total.is_change = is_change(&table->total, thresholds, table->total.a_ns);
    free(samples.ns);
}

void difference_table_release(struct difference_table *table)
{
    free(table->rows);
    *table = (struct difference_table){0};
}

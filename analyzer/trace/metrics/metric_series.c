// SPDX-License-Identifier: BSD-3-Clause
// Sums over the values of metrics, see metric_series.h.
#include "analyzer/trace/metrics/metric_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// A sum that begins anew falls below this share of what it was.
static const double restart_share = 0.01;

static struct metric_series *series_of(struct metric_series_list *list, uint32_t metric,
                                       uint32_t member)
{
    for (int i = 0; i < 2 && list->n > 0; i++) { // most metrics are recorded in turn
        size_t place = (list->next + (size_t)i) % list->n;
        if (list->items[place].metric == metric && list->items[place].member == member) {
            list->next = (place + 1) % list->n;
            return &list->items[place];
        }
    }
    uint64_t key = (uint64_t)metric << 8 | (member & 0xff); // OTF2 has at most 255 members
    uint32_t place;
    if (!map_get(&list->places, key, &place)) {
        place = (uint32_t)list->n;
        *ARRAY_NEXT(list->items, list->n, list->capacity) =
            (struct metric_series){.metric = metric, .member = member};
        map_put(&list->places, key, place);
    }
    list->next = (place + 1) % list->n;
    return &list->items[place];
}

void metric_series_add(struct metric_series_list *list, uint32_t metric, uint32_t member,
                       uint64_t ticks, double value)
{
    struct metric_series *series = series_of(list, metric, member);
    if (series->n_values++ == 0) {
        series->first_ticks = ticks;
        series->first = series->min = series->max = value;
    } else {
        double step_ticks = (double)(ticks - series->last_ticks);
        series->before_ticks += series->last * step_ticks;
        series->after_ticks += value * step_ticks;
        series->grown += value > series->last ? value - series->last : 0;
        series->falls |= value < series->last && value > restart_share * series->last;
        series->min = fmin(series->min, value);
        series->max = fmax(series->max, value);
    }
    series->last_ticks = ticks;
    series->last = value;
    series->sum += value;
}

static double pass_value(struct numbers *numbers, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = numbers_pass(numbers, bits);
    memcpy(&value, &bits, sizeof bits);
    return value;
}

void metric_series_pass(struct metric_series_list *list, size_t n_metrics, struct numbers *numbers)
{
    size_t n = numbers_pass_count(numbers, list->n);
    if (numbers->is_reading)
        metric_series_release(list);
    for (size_t i = 0; i < n; i++) {
        struct metric_series series = {0};
        if (!numbers->is_reading)
            series = list->items[i];
        series.metric = numbers_pass_index(numbers, series.metric, n_metrics);
        series.member = numbers_pass_index(numbers, series.member, 256);
        NUMBERS_PASS(numbers, series.n_values, series.first_ticks, series.last_ticks);
        double *values[] = {&series.first,        &series.last,        &series.min, &series.max,
                            &series.before_ticks, &series.after_ticks, &series.sum, &series.grown};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            *values[k] = pass_value(numbers, *values[k]);
        series.falls = numbers_pass(numbers, series.falls) != 0;
        if (numbers->is_reading)
            *series_of(list, series.metric, series.member) = series;
    }
}

void metric_series_release(struct metric_series_list *list)
{
    free(list->items);
    map_release(&list->places);
    *list = (struct metric_series_list){0};
}

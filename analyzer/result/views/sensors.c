// SPDX-License-Identifier: BSD-3-Clause
// Metrics of the archive that belong to no call path. Those whose names differ only in the device
// are one sensor at several places.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/parts.h"
#include "analyzer/trace/metrics/sensors.h"

/// The name without its device, which the caller frees.
static char *name_of(const struct metric_values *values)
{
    int length;
    const char *device = sensor_device(values->name, &length);
    SCOPED char *name = NULL;
    if (!device)
        return utf8_clean(values->name);
    const char *rest = device + length + strspn(device + length, ":");
    size_t n = (size_t)(device - values->name);
    while (n > 0 && *rest == '\0' && values->name[n - 1] == ':')
        n--;
    name = memory_format("%.*s%s", (int)n, values->name, rest);
    return utf8_clean(name);
}

/// "rank 3", "rank 3, \"OMP thread 1\"", "node n1", "device 0"; the caller frees.
static char *label_of(const struct definitions *definitions, const struct metric_values *values)
{
    const struct location *location = &definitions->locations[values->location];
    bool has_rank = values->place == METRIC_OF_LOCATION && location->rank != EVENT_NO_INDEX;
    SCOPED char *name = utf8_clean(values->place_name);
    int length;
    const char *device = sensor_device(values->name, &length);
    SCOPED char *place = has_rank && location->is_cpu_thread && !location->is_master
                             ? memory_format("rank %u, \"%s\"", location->rank, location->name)
                         : has_rank ? memory_format("rank %u", location->rank)
                         : values->place == METRIC_OF_NODE ? memory_format("node %s", name)
                         : values->place == METRIC_OF_OTHER
                             ? memory_copy_text(name)
                             : memory_format("\"%s\"", location->name);
    if (!device)
        return utf8_clean(place);
    SCOPED char *text = memory_format("%s%s%.*s", definitions->n_nodes > 1 ? place : "",
                                      definitions->n_nodes > 1 ? " " : "", length, device);
    for (char *at = text; *at; at++)
        if (*at == '=' || *at == '_')
            *at = ' ';
    return utf8_clean(text);
}

static struct result_sensor_place place_of(const struct definitions *definitions,
                                           const struct metric_values *values, uint64_t end_ns)
{
    bool is_here = values->place == METRIC_OF_LOCATION;
    double seconds = values->seconds, total = values->total;
    if (values->is_state && values->holds && end_ns > values->last_ns) {
        total += values->last * (double)(end_ns - values->last_ns) / 1e9;
        seconds += (double)(end_ns - values->last_ns) / 1e9;
    }
    bool is_power = strcmp(values->unit, "W") == 0;
    return (struct result_sensor_place){
        .label = label_of(definitions, values),
        .rank = is_here ? definitions->locations[values->location].rank : RESULT_NONE,
        .location = is_here ? values->location : RESULT_NONE,
        .n_values = values->n_values,
        .first_ns = values->first_ns,
        .last_ns = values->last_ns,
        .mean = seconds > 0        ? total / seconds
                : values->is_state ? values->mean
                                   : NAN,
        .min = values->is_state ? values->min : NAN,
        .max = values->is_state ? values->max : NAN,
        .total = values->is_state && !is_power ? NAN : total,
    };
}

/// What is known of all places together.
static void sum_up(struct result_sensor *sensor)
{
    double sum = 0, total = 0;
    size_t n = 0;
    sensor->min = sensor->max = NAN;
    for (size_t i = 0; i < sensor->n_places; i++) {
        const struct result_sensor_place *place = &sensor->places[i];
        sensor->min = fmin(sensor->min, place->min); // not NAN where one is a number
        sensor->max = fmax(sensor->max, place->max);
        total += place->total;
        if (isfinite(place->mean)) {
            sum += place->mean;
            n++;
        }
    }
    sensor->mean = n == 0 ? NAN : sensor->is_state ? sum / (double)n : sum;
    sensor->total = total;
}

static int by_mean(const void *a, const void *b)
{
    const struct result_sensor_place *left = a, *right = b;
    double l = isnan(left->mean) ? -INFINITY : left->mean;
    double r = isnan(right->mean) ? -INFINITY : right->mean;
    return ORDER_BY(MORE_FIRST(l, r), LESS_FIRST(left->location, right->location),
                    strcmp(left->label, right->label));
}

/// Values with the name they share, in an order that puts these together.
struct named_values {
    char *name;
    const struct metric_values *values;
};

static int by_name(const void *a, const void *b)
{
    const struct named_values *left = a, *right = b;
    return ORDER_BY(strcmp(left->name, right->name),
                    MORE_FIRST(left->values->is_state, right->values->is_state),
                    strcmp(left->values->unit, right->values->unit),
                    LESS_FIRST(left->values, right->values));
}

static bool is_same(const struct named_values *a, const struct named_values *b)
{
    return strcmp(a->name, b->name) == 0 && a->values->is_state == b->values->is_state &&
           strcmp(a->values->unit, b->values->unit) == 0;
}

void sensors_collect(const struct trace *trace, struct result *result)
{
    struct metric_values *list;
    size_t n = trace_metric_values(trace, &list);
    SCOPED struct named_values *named = memory_zeroed(n + 1, sizeof *named);
    for (size_t i = 0; i < n; i++)
        named[i] = (struct named_values){name_of(&list[i]), &list[i]};
    qsort(named, n, sizeof *named, by_name);
    result->sensors = memory_zeroed(n, sizeof *result->sensors);
    for (size_t i = 0, end; i < n; i = end) {
        struct result_sensor *sensor = &result->sensors[result->n_sensors++];
        for (end = i + 1; end < n && is_same(&named[i], &named[end]);)
            end++;
        *sensor = (struct result_sensor){.name = memory_copy_text(named[i].name),
                                         .unit = utf8_clean(named[i].values->unit),
                                         .description = utf8_clean(named[i].values->description),
                                         .is_state = named[i].values->is_state,
                                         .places = memory_zeroed(end - i, sizeof *sensor->places),
                                         .n_places = end - i};
        for (size_t k = i; k < end; k++)
            sensor->places[k - i] =
                place_of(trace_definitions(trace), named[k].values, result->time_ns);
        qsort(sensor->places, sensor->n_places, sizeof *sensor->places, by_mean);
        sum_up(sensor);
    }
    for (size_t i = 0; i < n; i++)
        free(named[i].name);
    free(list);
}

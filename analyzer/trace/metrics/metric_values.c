// SPDX-License-Identifier: BSD-3-Clause
// What metrics that are not summed by call path come to (trace_metric_values() of reader.h): series
// of values with what their definitions say of them.
#include <math.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/metrics/sensors.h"
#include "analyzer/trace/open_trace.h"
#include "analyzer/trace/reader.h"

/// Whether the location with index LOCATION has this id, or is of the group with it.
static bool is_location(const struct trace *trace, size_t location, uint64_t id, bool is_group)
{
    const struct records *records = &trace->records;
    uint64_t own = trace_definitions(trace)->locations[location].id;
    uint32_t place = id_table_get(&records->locations.by_id, own);
    return is_group ? place != UINT32_MAX && records->locations.items[place].group == id
                    : own == id;
}

/// The first such location; RECORDER if it is one, or there is none.
static uint32_t find_location(const struct trace *trace, uint32_t recorder, uint64_t id,
                              bool is_group)
{
    size_t n = trace_definitions(trace)->n_locations, i = 0;
    if (is_location(trace, recorder, id, is_group))
        return recorder;
    while (i < n && !is_location(trace, i, id, is_group))
        i++;
    return i < n ? (uint32_t)i : recorder;
}

static const char *node_name(const struct records *records, uint64_t id)
{
    uint32_t place = id_table_get(&records->nodes.by_id, id);
    return place == UINT32_MAX ? "" : records_text(records, records->nodes.items[place].name);
}

/// What the values of METRIC are about, unless it is the recording location.
static void put_place(const struct trace *trace, const struct metric_record *metric,
                      struct metric_values *values)
{
    bool is_group = metric->scope_type == OTF2_SCOPE_LOCATION_GROUP;
    if (metric->class_ == OTF2_UNDEFINED_METRIC)
        return;
    if (metric->scope_type == OTF2_SCOPE_SYSTEM_TREE_NODE) {
        values->place = METRIC_OF_NODE;
        values->place_name = node_name(&trace->records, metric->scope);
    } else if (is_group || metric->scope_type == OTF2_SCOPE_LOCATION) {
        uint32_t place = is_group
                             ? id_table_get(&trace->records.location_groups.by_id, metric->scope)
                             : UINT32_MAX;
        values->location = find_location(trace, values->location, metric->scope, is_group);
        if (place == UINT32_MAX || trace->records.location_groups.items[place].type !=
                                       OTF2_LOCATION_GROUP_TYPE_ACCELERATOR)
            return;
        values->place = METRIC_OF_OTHER;
        values->place_name =
            records_text(&trace->records, trace->records.location_groups.items[place].name);
    } else {
        values->place = METRIC_OF_OTHER;
        uint32_t place = id_table_get(&trace->records.groups.by_id, metric->scope);
        values->place_name = place == UINT32_MAX ? "" : "group of locations";
    }
}

/// States are summed over time as their definition says how long each value is valid.
static double over_time(const struct metric_series *series, unsigned timing)
{
    return timing == OTF2_METRIC_TIMING_NEXT   ? series->before_ticks
           : timing == OTF2_METRIC_TIMING_LAST ? series->after_ticks
                                               : (series->before_ticks + series->after_ticks) / 2;
}

/// Values may be older than the run's first event.
static uint64_t time_of(const struct clock *clock, uint64_t ticks)
{
    return (int64_t)ticks < (int64_t)clock->origin_ticks ? 0 : clock_time_ns(clock, ticks);
}

static struct metric_values values_of(const struct trace *trace, uint32_t location,
                                      const struct metric_series *series)
{
    const struct records *records = &trace->records;
    const struct metric_record *metric = &records->metrics.items[series->metric];
    const struct metric_record *class_ = records_metric_class(records, series->metric);
    const struct metric_member_record *member =
        &records->metric_members
             .items[id_table_get(&trace->resolved.sensors, class_->members[series->member])];
    const char *name = records_text(records, member->name);
    struct sensor sensor = sensor_of(name, records_text(records, member->unit));
    unsigned kind = member->mode & OTF2_METRIC_VALUE_MASK;
    unsigned timing = member->mode & OTF2_METRIC_TIMING_MASK;
    double base = member->base == OTF2_BASE_BINARY ? 2 : 10;
    double scale = sensor.scale * pow(base, (double)member->exponent);
    bool is_growth = kind == OTF2_METRIC_VALUE_RELATIVE;
    double tick_s = (double)clock_duration_ns(&trace->clock, UINT64_C(1) << 32) / 1e9 / 0x1p32;
    struct metric_values values = {
        .name = name,
        .unit = sensor.unit,
        .description = records_text(records, member->description),
        .location = location,
        .place_name = "",
        .is_state = kind == OTF2_METRIC_VALUE_ABSOLUTE || (sensor.is_known && sensor.is_state) ||
                    (!is_growth && !sensor.is_known && series->falls),
        .holds = kind == OTF2_METRIC_VALUE_ABSOLUTE && timing == OTF2_METRIC_TIMING_NEXT,
        .n_values = series->n_values,
        .first_ns = time_of(&trace->clock, series->first_ticks),
        .last_ns = time_of(&trace->clock, series->last_ticks),
        .seconds = (double)(series->last_ticks - series->first_ticks) * tick_s,
        .min = series->min * scale,
        .max = series->max * scale,
        .last = series->last * scale,
        .mean = series->sum / (double)series->n_values * scale,
    };
    values.total = values.is_state ? over_time(series, timing) * tick_s * scale
                   : is_growth     ? series->sum * scale
                                   : series->grown * scale;
    put_place(trace, metric, &values);
    return values;
}

size_t trace_metric_values(const struct trace *trace, struct metric_values **list)
{
    size_t n = 0, n_all = 0;
    for (size_t i = 0; i < trace->n_readers && trace->is_counted; i++)
        n_all += trace->readers[i].decoder.series.n;
    *list = memory_zeroed(n_all + 1, sizeof **list);
    for (uint32_t i = 0; i < trace->n_readers && trace->is_counted; i++) {
        const struct metric_series_list *series = &trace->readers[i].decoder.series;
        for (size_t k = 0; k < series->n; k++)
            (*list)[n++] = values_of(trace, i, &series->items[k]);
    }
    return n;
}

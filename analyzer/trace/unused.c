// SPDX-License-Identifier: BSD-3-Clause
// See unused.h. A record of a metric has a value for each member of its class.
#include "analyzer/trace/unused.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/records.h"

// Records of the kind PLACE of location_report.n_unused.
static uint64_t n_records_of(const struct trace *trace, size_t place)
{
    uint64_t n = 0;
    for (size_t i = 0; i < trace_definitions(trace)->n_locations; i++)
        n += trace_location_report(trace, i)->n_unused[place];
    return n;
}

// Adds the values of one metric to those of its counters; COUNTERS are by metric member.
static void add_metric(const struct trace *trace, const struct records *records, size_t metric,
                       struct unused *counters)
{
    const struct metric_record *class_ = records_metric_class(records, metric);
    uint64_t n_records = class_ ? n_records_of(trace, metric) : 0;
    for (uint32_t i = 0; n_records > 0 && i < class_->n_members; i++) {
        uint32_t member = id_table_get(&records->metric_members.by_id, class_->members[i]);
        if (member != UINT32_MAX)
            counters[member].n_values += n_records;
    }
}

size_t trace_unused(const struct trace *trace, struct unused **list)
{
    const struct records *records = trace_source(trace).records;
    size_t n_counters = records->metric_members.n, n_all = n_counters + records->parameters.n;
    struct unused *all = memory_zeroed(n_all, sizeof *all);
    for (size_t i = 0; i < records->metrics.n; i++)
        add_metric(trace, records, i, all);
    for (size_t i = 0; i < n_counters; i++)
        all[i].name = records_text(records, records->metric_members.items[i].name);
    for (size_t i = 0; i < records->parameters.n; i++)
        all[n_counters + i] =
            (struct unused){.name = records_text(records, records->parameters.items[i].name),
                            .is_parameter = true,
                            .n_values = n_records_of(trace, records->metrics.n + i)};
    size_t n = 0;
    for (size_t i = 0; i < n_all; i++)
        if (all[i].n_values > 0 && (all[i].is_parameter || strcmp(all[i].name, METRIC_CPU_TIME)))
            all[n++] = all[i];
    *list = all;
    return n;
}

// SPDX-License-Identifier: BSD-3-Clause
// The section on stragglers: ranks and nodes that the others wait for, and the iteration with most
// waiting.
#include <inttypes.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"

static const double worth_a_column = 0.01; // of what others wait for a straggler

/// "rank 3, slowest in 35 of 40", iterations. The caller frees.
static char *who_text(const struct result *result, const struct result_straggler *row)
{
    SCOPED char *who = part_text(result, &row->in, "");
    if (row->in.iteration != RESULT_NONE) {
        uint32_t rank = result->iterations.items[row->in.iteration].slowest_rank;
        return rank == RESULT_NONE ? memory_copy_text(who)
                                   : memory_format("%s, rank %" PRIu32 " most", who, rank);
    }
    return row->slowest_in == 0 || result->iterations.n_items == 0
               ? memory_copy_text(who)
               : memory_format("%s, slowest in %" PRIu64 " of %zu", who, row->slowest_in,
                               result->iterations.n_items);
}

/// Of what made it late; the rest of a rank or node is that it started late.
static void add_part(struct table *table, const struct result_straggler *row, uint64_t ns)
{
    uint64_t sum_ns = row->work_ns + row->core_ns + row->blocked_ns + row->network_ns;
    uint64_t whole_ns = row->in.iteration == RESULT_NONE ? row->late_ns : sum_ns;
    table_add_cell(table, "%s",
                   sum_ns > 0 ? quantity_part((double)ns, (double)whole_ns).text : "-");
}

void page_stragglers(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    bool has_blocked = false;
    if (result->n_stragglers == 0)
        return;
    for (size_t i = 0; i < result->n_stragglers; i++)
        has_blocked |= (double)result->stragglers[i].blocked_ns >=
                       worth_a_column * (double)result->stragglers[i].late_ns;
    table_add_columns(&table, "late", "share", result->has_cpu_time ? "work" : "work or core");
    if (result->has_cpu_time)
        table_add_column(&table, "core", false);
    if (has_blocked)
        table_add_column(&table, "blocked", false);
    table_add_columns(&table, "network", "<straggler");
    for (size_t i = 0; i < result->n_stragglers; i++) {
        const struct result_straggler *row = &result->stragglers[i];
        SCOPED char *who = who_text(result, row);
        table_add_cells(&table, page_time(page, row->late_ns).text,
                        quantity_share(row->share).text);
        add_part(&table, row, row->work_ns);
        if (result->has_cpu_time)
            add_part(&table, row, row->core_ns);
        if (has_blocked)
            add_part(&table, row, row->blocked_ns);
        add_part(&table, row, row->network_ns);
        table_add_cell(&table, "%s", who);
    }
    page_heading_of_times(page, "Stragglers", "how long others wait for them, and why");
    page_table(page, &table);
}

// ---- JSON

static json_t *straggler_object(const struct result *result, const struct result_straggler *row)
{
    return json_put_part(JSON_OBJECT(JSON_COUNT(row, late_ns), JSON_NUMBER(row, share),
                                     JSON_COUNT(row, work_ns), JSON_COUNT(row, core_ns),
                                     JSON_COUNT(row, blocked_ns), JSON_COUNT(row, network_ns),
                                     JSON_COUNT(row, slowest_in)),
                         result, &row->in);
}

json_t *json_stragglers(const struct result *result)
{
    return JSON_EACH(i, result->n_stragglers, straggler_object(result, &result->stragglers[i]));
}

// SPDX-License-Identifier: BSD-3-Clause
// The section of the report that says how much slower the network may be.
#include "analyzer/report/text/whatif.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/page.h"

/// VALUE in the first of three units, each a thousand times the one before, that suits it.
static void add_cell(struct table *table, double value, const char *const units[3])
{
    int unit = 0;
    for (; unit < 2 && value >= 999.5; unit++)
        value /= 1000;
    table_add_cell(table, "%.3g %s", value, units[unit]);
}

/// The time of a byte, and the bandwidth of a link that takes it.
static void add_byte_cells(struct table *table, const struct whatif_tolerance *tolerance)
{
    static const char *const times[] = {"ps", "ns", "us"};
    static const char *const bandwidths[] = {"MB/s", "GB/s", "TB/s"};
    if (!tolerance->has_byte || tolerance->byte_fs == 0) {
        table_add_cell(table, "%s", tolerance->has_byte ? "none" : "any");
        table_add_cell(table, "%s", tolerance->has_byte ? "-" : "any");
        return;
    }
    add_cell(table, (double)tolerance->byte_fs / 1e3, times);
    add_cell(table, 1e9 / (double)tolerance->byte_fs, bandwidths);
}

void page_tolerance(const struct page *page, const struct whatif_report *report)
{
    struct table table = {0};
    if (report->n_tolerances == 0)
        return;
    table_add_column(&table, "until", false);
    table_add_column(&table, "more latency", false);
    table_add_column(&table, "or more a byte", false);
    table_add_column(&table, "(a link of)", false);
    for (size_t i = 0; i < report->n_tolerances; i++) {
        const struct whatif_tolerance *tolerance = &report->tolerances[i];
        table_add_cell(&table, "%+g %%", tolerance->percent);
        table_add_cell(&table, "%s",
                       tolerance->has_latency ? quantity_time(tolerance->latency_ns).text : "any");
        add_byte_cells(&table, tolerance);
    }
    char *text = memory_format("of %s, within 1 %%; collectives: log2(p) times that; found by %zu "
                               "predictions",
                               report->tolerates_everywhere ? "every message, all being on one node"
                                                            : "each message between nodes",
                               report->n_tolerance_runs);
    page_heading(page, "Tolerance of the predicted run", text);
    page_table(page, &table);
    table_release(&table);
    free(text);
}

// SPDX-License-Identifier: BSD-3-Clause
// The section on counters of the archive, such as those of PAPI: how much of each, and where most.
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/report/views/views.h"

enum { SHOWN_PATHS = 3 };

struct path_sum {
    uint32_t path;
    double value;
};

/// The values of COUNTER by call path, summed over the ranks, greatest first. The caller frees.
static struct path_sum *sums_of(const struct result *result, const struct result_counter *counter,
                                size_t *n)
{
    struct path_sum *sums = memory_zeroed(result->n_paths + 1, sizeof *sums);
    *n = 0;
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        uint32_t path = result->path_ranks[i].path; // ascending
        if (counter->by_path_rank[i] <= 0)
            continue;
        if (*n == 0 || sums[*n - 1].path != path)
            sums[(*n)++].path = path;
        sums[*n - 1].value += counter->by_path_rank[i];
    }
    SORT_BY(sums, *n, MOST(value), LEAST(path));
    return sums;
}

static void add_row(const struct page *page, const struct result_counter *counter,
                    struct table *table)
{
    size_t n;
    SCOPED struct path_sum *sums = sums_of(page->result, counter, &n);
    SCOPED char *most = memory_copy_text("");
    for (size_t i = 0; i < n && i < SHOWN_PATHS; i++)
        text_append(&most, "%s%s %s", i ? ", " : "", page->result->paths[sums[i].path].shown,
                    quantity_part(sums[i].value, counter->total).text);
    bool has_unit = counter->unit[0] && strcmp(counter->unit, "#") != 0;
    table_add_cell(table, "%.4g%s%s", counter->total, has_unit ? " " : "",
                   has_unit ? counter->unit : "");
    table_add_cells(table, counter->name, most);
}

void page_counters(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    size_t n = result->n_counters;
    size_t n_shown = page_n_shown(page, n);
    if (n == 0)
        return;
    table_add_columns(&table, "total", "<counter", "<most of it in");
    for (size_t i = 0; i < n_shown; i++)
        add_row(page, &result->counters[i], &table);
    page_heading(page, "Counters", "sums over ranks, whole run");
    page_table_of(page, &table, n, "further counter");
}

static json_t *value_object(const struct result *result, const struct result_path_rank *at,
                            double value)
{
    return value > 0 ? JSON_OBJECT({"path", json_path(result, at->path)}, JSON_COUNT(at, rank),
                                   {"value", json_real(value)})
                     : NULL;
}

static json_t *counter_object(const struct result *result, const struct result_counter *counter)
{
    return JSON_OBJECT(JSON_TEXT(counter, name), JSON_TEXT(counter, unit),
                       JSON_TEXT(counter, description), JSON_REAL(counter, total),
                       {"values", JSON_EACH(k, result->n_path_ranks,
                                            value_object(result, &result->path_ranks[k],
                                                         counter->by_path_rank[k]))});
}

json_t *json_counters(const struct result *result)
{
    return result->n_counters > 0
               ? JSON_EACH(i, result->n_counters, counter_object(result, &result->counters[i]))
               : NULL;
}

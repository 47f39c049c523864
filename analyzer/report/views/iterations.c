// SPDX-License-Identifier: BSD-3-Clause
// The section on the iterations of a run, and their JSON.
#include "analyzer/result/parts.h"

#include <inttypes.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/sites.h"

enum { LEVELS = 8 };
// The output does not depend on the locale: these are UTF-8, always.
static const char *const blocks[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

/// Time of one iteration of ITEM, mean over the ranks.
static double each_ns(const struct result *result, const struct result_iteration *item)
{
    return (double)item->time_ns / (double)result->iterations.n_ranks /
           (double)(item->last - item->first + 1);
}

/// A column for each item, or for several: their longest. The first one, which may hold what was
/// before the loop, is as high as the highest of the others at most.
static void print_sparkline(const struct page *page)
{
    const struct result *result = page->result;
    size_t n = result->iterations.n_items, most = page->options->width - 4;
    size_t per_column = (n + most - 1) / most;
    double highest_ns = 0;
    for (size_t i = n > 1; i < n; i++) {
        double own_ns = each_ns(result, &result->iterations.items[i]);
        highest_ns = own_ns > highest_ns ? own_ns : highest_ns;
    }
    fputs("  ", page->stream);
    for (size_t i = 0; i < n; i += per_column) {
        double own_ns = 0;
        for (size_t k = i; k < i + per_column && k < n; k++) {
            double item_ns = each_ns(result, &result->iterations.items[k]);
            own_ns = item_ns > own_ns ? item_ns : own_ns;
        }
        double level = highest_ns > 0 ? own_ns / highest_ns * LEVELS : 0;
        fputs(blocks[level >= LEVELS ? LEVELS - 1 : (int)level], page->stream);
    }
    fputc('\n', page->stream);
}

/// "40", "from 40 on", "10, 20, ... 90".
static struct quantity numbers_text(const struct result_odd *odd)
{
    if (odd->every > 1)
        return quantity_format("%" PRIu64 ", %" PRIu64 ", ... %" PRIu64, odd->first,
                               odd->first + odd->every, odd->last);
    if (odd->is_trend)
        return quantity_format("from %" PRIu64 " on", odd->first);
    if (odd->first == odd->last)
        return quantity_format("%" PRIu64, odd->first);
    return quantity_format("%" PRIu64 " to %" PRIu64, odd->first, odd->last);
}

static void print_odd(const struct page *page)
{
    const struct result *result = page->result;
    struct table table = {0};
    size_t n = result->iterations.n_odd;
    size_t n_shown = page_n_shown(page, n);
    table_add_columns(&table, "times as long", "lost", "<iterations", "<why");
    for (size_t i = 0; i < n_shown; i++) {
        const struct result_odd *odd = &result->iterations.odd[i];
        SCOPED char *why = iterations_why(result, odd);
        table_add_cells(&table, quantity_format("%.2f", odd->factor).text,
                        quantity_time(odd->lost_ns).text, numbers_text(odd).text);
        if (odd->last_factor > odd->factor * 1.1)
            table_add_cell(&table, "%s; %.2f at the end", why, odd->last_factor);
        else
            table_add_cell(&table, "%s", why);
    }
    page_table_of(page, &table, n, "further row");
}

void page_iterations(const struct page *page)
{
    const struct result *result = page->result;
    uint32_t region = result->iterations.region;
    if (result->iterations.n == 0)
        return;
    SCOPED char *calls = result->iterations.site == RESULT_NONE
                             ? path_text(result, NULL, result->iterations.path)
                             : site_text(result, result->iterations.site, RESULT_NONE);
    SCOPED char *heading =
        memory_format("Iterations: %" PRIu64 ", usually %s", result->iterations.n,
                      quantity_time(result->iterations.usual_ns).text);
    SCOPED char *explanation = region == RESULT_NONE
                                   ? memory_format("each ends with a call of %s", calls)
                                   : memory_format("each is a visit of %s, up to %s",
                                                   result->regions[region].shown, calls);
    page_heading(page, heading, explanation);
    print_sparkline(page);
    if (result->iterations.n_odd > 0)
        print_odd(page);
}

// ---- JSON

static json_t *item_object(const struct result_iteration *item)
{
    return JSON_OBJECT(JSON_COUNT(item, first), JSON_COUNT(item, last), JSON_COUNT(item, begin_ns),
                       JSON_COUNT(item, end_ns), JSON_COUNT(item, time_ns),
                       JSON_COUNT(item, useful_ns), JSON_COUNT(item, no_cpu_ns),
                       JSON_COUNT(item, wait_ns), JSON_COUNT(item, other_mpi_ns),
                       JSON_COUNT(item, slowest_rank), JSON_COUNT(item, slowest_ns));
}

static json_t *odd_object(const struct result *result, const struct result_odd *odd)
{
    static const char *const causes[] = {
        [RESULT_ODD_UNKNOWN] = "unknown",
        [RESULT_ODD_COMPUTING] = "computing",
        [RESULT_ODD_NO_CPU] = "no-cpu-time",
        [RESULT_ODD_MPI] = "mpi",
    };
    SCOPED char *text = iterations_why(result, odd);
    return JSON_OBJECT(JSON_COUNT(odd, first), JSON_COUNT(odd, last), JSON_COUNT(odd, every),
                       JSON_FLAG(odd, is_trend), JSON_NUMBER(odd, factor),
                       JSON_NUMBER(odd, last_factor), JSON_COUNT(odd, lost_ns),
                       {"cause", json_text(causes[odd->cause])}, {"rank", json_index(odd->rank)},
                       {"path", json_path(result, odd->path)},
                       {"before", json_source(result, odd->site)}, {"text", json_text(text)});
}

json_t *json_iterations(const struct result *result)
{
    uint32_t region = result->iterations.region, site = result->iterations.site;
    if (result->iterations.n == 0)
        return NULL;
    return JSON_OBJECT(
        {"count", json_count(result->iterations.n)}, JSON_COUNT(&result->iterations, usual_ns),
        {"path", json_text(result->paths[result->iterations.path].path)},
        {"source", json_source(result, site)}, {"region", json_region(result, region)},
        {"ranks", json_count(result->iterations.n_ranks)},
        JSON_COUNT(&result->iterations, slowest_rank),
        {"slowest_in", json_count(result->iterations.n_slowest)},
        {"odd",
         JSON_EACH(i, result->iterations.n_odd, odd_object(result, &result->iterations.odd[i]))},
        {"items",
         JSON_EACH(k, result->iterations.n_items, item_object(&result->iterations.items[k]))});
}

// SPDX-License-Identifier: BSD-3-Clause
// The section on the critical path.
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/sites.h"

enum { MOST_RANKS = 3, MOST_RANKS_IN_ROW = 2, MOST_ROWS = 3 };
static const double worth_naming = 0.05; // of the critical path

/// The ranks that SHARES, of the critical path, lie on: those of REGION, or all with RESULT_NONE.
/// NULL: none. The caller frees.
static char *ranks_on_path(const struct result *result, const struct result_path_share *shares,
                           size_t n_shares, uint32_t region, uint64_t whole_ns, size_t limit)
{
    SCOPED struct result_amount *amounts = memory_zeroed(n_shares, sizeof *amounts);
    size_t count = 0;
    for (size_t i = 0; i < n_shares; i++)
        if (shares[i].region == region && shares[i].rank != RESULT_NONE && shares[i].time_ns > 0)
            amounts[count++] =
                (struct result_amount){shares[i].rank, 1, (uint64_t)shares[i].time_ns};
    char *text = NULL;
    if (count > 0)
        write_ranks(result, amounts, count, whole_ns, limit, &text);
    return text;
}

/// Before which calls the computing in a region was, where the trace tells.
static void add_stretch_rows(struct table *table, const struct page *page, uint32_t region)
{
    const struct result *result = page->result;
    size_t n_rows = 0;
    for (size_t i = 0; i < result->critical_path.n_by_site && n_rows < MOST_ROWS; i++) {
        const struct result_path_share *share = &result->critical_path.by_site[i];
        if (share->region != region || share->share < worth_naming ||
            result->regions[region].is_mpi)
            continue;
        SCOPED char *site = site_text(result, share->site, region);
        table_add_cell(table, "%s", quantity_in(share->time_ns, page->unit).text);
        table_add_cell(table, "%s", quantity_share(share->share).text);
        table_add_cell(table, "  before");
        if (share->rank == RESULT_NONE)
            table_add_cell(table, "%s", site);
        else
            table_add_cell(table, "%s, rank %" PRIu32, site, share->rank);
        n_rows++;
    }
}

/// Computing that takes longer on the critical path than on the mean rank.
static void print_imbalance(const struct page *page)
{
    const struct result *result = page->result;
    size_t n_shown = 0;
    SCOPED char *text = NULL;
    for (size_t i = 0; i < result->critical_path.n_by_region && n_shown < MOST_ROWS; i++) {
        const struct result_region *region =
            &result->regions[result->critical_path.by_region[i].region];
        double part = (double)region->path_imbalance_ns / (double)result->time_ns;
        if (region->is_mpi || part < worth_naming)
            continue;
        text_append(&text, "%s%s %s", n_shown++ ? ", " : "", region->shown,
                    quantity_share(part).text);
    }
    if (text)
        fprintf(page->stream, "  imbalance on it (above the mean of the ranks): %s\n", text);
}

void page_critical_path(const struct page *page)
{
    const struct result *result = page->result;
    size_t n_rows = result->critical_path.n_by_region;
    size_t n_shown = n_rows < page->options->top ? n_rows : page->options->top;
    struct table table = {0};
    table_add_columns(&table, "time", "share", "<region", "<on");
    for (size_t i = 0; i < n_shown; i++) {
        const struct result_path_share *share = &result->critical_path.by_region[i];
        uint64_t share_ns = share->time_ns > 0 ? (uint64_t)share->time_ns : 0;
        char *ranks = ranks_on_path(result, result->critical_path.by_region_rank,
                                    result->critical_path.n_by_region_rank, share->region, share_ns,
                                    MOST_RANKS_IN_ROW);
        table_add_cell(&table, "%s", quantity_in(share->time_ns, page->unit).text);
        table_add_cell(&table, "%s", quantity_share(share->share).text);
        table_add_cell(&table, "%s", result->regions[share->region].shown);
        table_add_cell(&table, "%s", ranks ? ranks : "-");
        free(ranks);
        add_stretch_rows(&table, page, share->region);
    }
    page_heading_of_times(page, "Critical path",
                          "what determined the run time, by region and rank");
    char *ranks =
        ranks_on_path(result, result->critical_path.by_rank, result->critical_path.n_by_rank,
                      RESULT_NONE, result->time_ns, MOST_RANKS);
    if (ranks)
        fprintf(page->stream, "  %s\n", ranks);
    free(ranks);
    print_imbalance(page);
    page_table(page, &table);
    page_left_out(page, n_rows - n_shown, "further region", "--top");
}

// ---- JSON

static json_t *region_on_path(const void *of, size_t i)
{
    const struct result *result = of;
    const struct result_path_share *share = &result->critical_path.by_region[i];
    const struct result_region *region = &result->regions[share->region];
    json_t *object = JSON_OBJECT({"region", json_text(region->name)});
    return JSON_PUT(json_put_share(object, share),
                    {"imbalance_ns", json_count(region->path_imbalance_ns)});
}

json_t *json_critical_path(const struct result *result)
{
    return JSON_OBJECT(
        JSON_INTEGER(&result->critical_path, length_ns),
        {"regions", json_list(result->critical_path.n_by_region, region_on_path, result)},
        {"ranks",
         json_shares(result, result->critical_path.by_rank, result->critical_path.n_by_rank)},
        {"region_ranks", json_shares(result, result->critical_path.by_region_rank,
                                     result->critical_path.n_by_region_rank)},
        {"sources",
         json_site_shares(result, result->critical_path.by_site, result->critical_path.n_by_site)});
}

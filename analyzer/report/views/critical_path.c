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
        table_add_cells(table, page_time(page, share->time_ns).text,
                        quantity_share(share->share).text, "  before");
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

/// "solve on rank 3: 12.0 % less saves 1.200 ms already; then exchange on rank 1 is critical". The
/// caller frees.
static char *slack_text(const struct result_slack *slack)
{
    const char *then = slack->until.then ? slack->until.then : "";
    if (slack->until.share == 0)
        return memory_format("%s: less saves nothing, because another path is as long%s%s",
                             slack->what, then[0] ? ", with " : "", then);
    if (slack->until.share == 1)
        return memory_format("%s: all of it pays; without it the run is %s shorter", slack->what,
                             quantity_signed_time(slack->until.gain_ns).text);
    SCOPED char *bend = bend_text(&slack->until);
    return memory_format("%s: %s", slack->what, bend);
}

/// How much less of it pays before another path is critical.
static void print_slacks(const struct page *page)
{
    const struct result *result = page->result;
    if (result->critical_path.n_slacks > 0)
        fputs("  near-critical paths: how much less work pays before another one is critical\n",
              page->stream);
    for (size_t i = 0; i < result->critical_path.n_slacks; i++) {
        const struct result_slack *slack = &result->critical_path.slacks[i];
        SCOPED char *text = slack_text(slack);
        fputs("    ", page->stream);
        print_paragraph(text, 4, 6, page->options->width, page->stream);
    }
}

void page_critical_path(const struct page *page)
{
    const struct result *result = page->result;
    size_t n_rows = result->critical_path.n_by_region;
    size_t n_shown = page_n_shown(page, n_rows);
    struct table table = {0};
    table_add_columns(&table, "time", "share", "<region", "<on");
    for (size_t i = 0; i < n_shown; i++) {
        const struct result_path_share *share = &result->critical_path.by_region[i];
        uint64_t share_ns = share->time_ns > 0 ? (uint64_t)share->time_ns : 0;
        char *ranks = ranks_on_path(result, result->critical_path.by_region_rank,
                                    result->critical_path.n_by_region_rank, share->region, share_ns,
                                    MOST_RANKS_IN_ROW);
        table_add_cells(&table, page_time(page, share->time_ns).text,
                        quantity_share(share->share).text, result->regions[share->region].shown,
                        ranks ? ranks : "-");
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
    print_slacks(page);
    page_table_of(page, &table, n_rows, "further region");
}

// ---- JSON

static json_t *region_on_path(const struct result *result, const struct result_path_share *share)
{
    const struct result_region *region = &result->regions[share->region];
    json_t *object = JSON_OBJECT({"region", json_text(region->name)});
    return JSON_PUT(json_put_share(object, share),
                    {"imbalance_ns", json_count(region->path_imbalance_ns)});
}

static json_t *slack_object(const struct result *result, const struct result_slack *slack)
{
    const struct result_site *site =
        slack->site == RESULT_NONE ? NULL : &result->sites[slack->site];
    const char *then = slack->until.then;
    SCOPED char *text = slack_text(slack);
    return JSON_OBJECT(JSON_TEXT(slack, what), {"region", json_region(result, slack->region)},
                       {"rank", json_integer(slack->rank)},
                       {"source", site ? json_text(site->source) : NULL},
                       {"path_ns", json_count(slack->until.path_ns)},
                       JSON_NUMBER(&slack->until, share), JSON_INTEGER(&slack->until, gain_ns),
                       {"then", json_text_or_null(then)}, {"text", json_text(text)});
}

json_t *json_critical_path(const struct result *result)
{
    return JSON_OBJECT(
        JSON_INTEGER(&result->critical_path, length_ns),
        {"regions", JSON_EACH(i, result->critical_path.n_by_region,
                              region_on_path(result, &result->critical_path.by_region[i]))},
        {"ranks",
         json_shares(result, result->critical_path.by_rank, result->critical_path.n_by_rank)},
        {"region_ranks", json_shares(result, result->critical_path.by_region_rank,
                                     result->critical_path.n_by_region_rank)},
        {"sources",
         json_site_shares(result, result->critical_path.by_site, result->critical_path.n_by_site)},
        {"slack", JSON_EACH(k, result->critical_path.n_slacks,
                            slack_object(result, &result->critical_path.slacks[k]))});
}

// SPDX-License-Identifier: BSD-3-Clause
// The sections on wait states and on the critical path.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/report/page.h"
#include "analyzer/result/shares.h"
#include "analyzer/result/sites.h"

enum { HARDEST_HIT = 3, HARDEST_ON_PATH = 2 };
static const double worth_details = 0.005; // of the ranks' run time
static const double worth_naming = 0.05;   // of the waits, of the critical path

/// A top pattern with those below it, which follow it.
struct group {
    size_t first, end; // indices of patterns
    uint64_t total_ns; // of the first
};

static int compare_groups(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    return ORDER_BY(MORE_FIRST(a->total_ns, b->total_ns), LESS_FIRST(a->first, b->first));
}

/// The indices of the patterns that found something, the heaviest group first, the order of the
/// hierarchy within a group. The caller frees.
static size_t *order_patterns(const struct result *result, size_t *n_ordered)
{
    struct group *groups = memory_zeroed(result->n_patterns, sizeof *groups);
    size_t *order = memory_zeroed(result->n_patterns, sizeof *order);
    size_t n_groups = 0;
    for (size_t i = 0; i < result->n_patterns; i++) {
        if (result->patterns[i].depth == 0 || n_groups == 0)
            groups[n_groups++] = (struct group){i, i, result->patterns[i].total_ns};
        groups[n_groups - 1].end = i + 1;
    }
    qsort(groups, n_groups, sizeof *groups, compare_groups);
    *n_ordered = 0;
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = groups[g].first; i < groups[g].end; i++)
            if (result->patterns[i].count > 0)
                order[(*n_ordered)++] = i;
    free(groups);
    return order;
}

static void print_overview(const struct page *page, const size_t *order, size_t n)
{
    const struct result *result = page->result;
    struct table table = {0};
    table_add_columns(&table, "total", "share", "count", "confidence", "<wait state");
    for (size_t i = 0; i < n; i++) {
        const struct result_pattern *pattern = &result->patterns[order[i]];
        table_add_cell(&table, "%s", quantity_in((int64_t)pattern->total_ns, page->unit).text);
        table_add_cell(&table, "%s",
                       quantity_part((double)pattern->total_ns, page->rank_time_ns).text);
        table_add_cell(&table, "%" PRIu64, pattern->count);
        table_add_cell(&table, "%.2f", pattern->confidence);
        table_add_cell(&table, "%*s%s", 2 * (int)pattern->depth, "", pattern->name);
    }
    page_table(page, &table);
}

static int compare_amounts(const void *left, const void *right)
{
    const struct result_amount *a = left, *b = right;
    return ORDER_BY(MORE_FIRST(a->ns, b->ns), LESS_FIRST(a->key, b->key));
}

/// The sums of AMOUNTS, by rank, by group instead; how many there are.
static size_t sum_groups(const struct result *result, struct result_amount *amounts, size_t count)
{
    struct result_amount *sums = memory_zeroed(result->groups.n, sizeof *sums);
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        sums[result->groups.of_rank[amounts[i].key]].ns += amounts[i].ns;
    for (uint32_t i = 0; i < result->groups.n; i++)
        if (sums[i].ns > 0)
            amounts[n++] = (struct result_amount){.key = i, .ns = sums[i].ns};
    free(sums);
    return n;
}

/// Writes "rank 0 81.0 %, rank 2 12.3 % and 5 others", or the same of groups.
static void write_ranks(const struct result *result, const struct result_amount *amounts,
                        size_t count, uint64_t total_ns, size_t limit, char **text)
{
    struct result_amount *sorted = memory_zeroed(count, sizeof *sorted);
    bool has_groups = result->groups.n > 0;
    memcpy(sorted, amounts, count * sizeof *sorted);
    if (has_groups)
        count = sum_groups(result, sorted, count);
    qsort(sorted, count, sizeof *sorted, compare_amounts);
    if (count == limit + 1) // one more is shorter than "and 1 other"
        limit = count;
    for (size_t i = 0; i < count && i < limit; i++) {
        struct quantity share = quantity_part((double)sorted[i].ns, (double)total_ns);
        if (has_groups)
            text_append(text, "%s%s %s", i ? ", " : "", result->groups.items[sorted[i].key].name,
                        share.text);
        else
            text_append(text, "%srank %" PRIu32 " %s", i ? ", " : "", sorted[i].key, share.text);
    }
    if (count > limit)
        text_append(text, " and %s", quantity_count(count - limit, "other").text);
    free(sorted);
}

static void print_ranks(const struct page *page, const char *label,
                        const struct result_amount *amounts, size_t count, uint64_t total_ns)
{
    char *text = NULL;
    if (count > 0)
        write_ranks(page->result, amounts, count, total_ns, HARDEST_HIT, &text);
    if (text)
        page_labelled(page, label, "%s", text);
    free(text);
}

/// The places of AMOUNT's calls with their shares: "solve.c:56 70.0 %, solve.c:60 11.0 %". How
/// many.
static size_t write_places(const struct result *result, const struct result_pattern *pattern,
                           const struct result_amount *amount, char **text)
{
    size_t n_places = 0;
    for (size_t i = 0; i < pattern->n_by_site; i++) {
        const struct result_amount *at = &pattern->by_site[i];
        const struct result_site *site = &result->sites[at->key];
        if (site->path == amount->key && site->source[0] && ++n_places <= HARDEST_HIT)
            text_append(text, "%s%s %s", n_places > 1 ? ", " : "", site->source,
                        quantity_part((double)at->ns, (double)pattern->total_ns).text);
    }
    if (n_places > HARDEST_HIT)
        text_append(text, " and %s", quantity_count(n_places - HARDEST_HIT, "other place").text);
    return n_places;
}

/// "main/solve/MPI_Recv at solve.c:56 81.0 %", or with the shares of its places, if it has several:
/// "main/solve/MPI_Recv 81.0 % (solve.c:56 70.0 %, solve.c:60 11.0 %)".
static void print_paths(const struct page *page, const struct result_pattern *pattern)
{
    const struct result *result = page->result;
    for (size_t i = 0; i < pattern->n_by_path && i < HARDEST_HIT; i++) {
        const struct result_amount *amount = &pattern->by_path[i];
        struct quantity share = quantity_part((double)amount->ns, (double)pattern->total_ns);
        const char *label = i == 0 ? "  call paths" : "";
        char *places = NULL;
        size_t n_places = write_places(result, pattern, amount, &places);
        char *path = path_text(result, pattern, amount->key);
        if (n_places > 1)
            page_labelled(page, label, "%s %s (%s)", result->paths[amount->key].shown, share.text,
                          places);
        else
            page_labelled(page, label, "%s %s",
                          n_places == 1 ? path : result->paths[amount->key].shown, share.text);
        free(path);
        free(places);
    }
}

/// RANKS: who, "": not known. Freed here.
static void write_origin(const char *separator, const char *name, double share, char *ranks,
                         char **text)
{
    text_append(text, "%s%s %s", separator, name, quantity_share(share).text);
    if (ranks[0])
        text_append(text, " (%s)", ranks);
    free(ranks);
}

/// Which computing outside recorded regions it is, by the calls that followed. Whether any is told.
static bool write_stretches(const struct result *result, const struct result_origins *origins,
                            uint32_t region, char **text)
{
    size_t n_shown = 0;
    for (size_t i = 0; i < origins->n_by_site && n_shown < HARDEST_HIT; i++) {
        const struct result_path_share *share = &origins->by_site[i];
        if (share->region != region || share->share < worth_naming)
            continue;
        char *site = site_text(result, share->site, region);
        char *rank = share->rank == RESULT_NONE ? memory_copy_text("")
                                                : memory_format("rank %" PRIu32, share->rank);
        write_origin(n_shown++ ? ", before " : ": before ", site, share->share, rank, text);
        free(site);
    }
    return n_shown > 0;
}

/// How much of the waiting is the doing of the ranks waited for, where not all of it is.
static void print_directness(const struct page *page, const struct result_origins *origins)
{
    double total_ns = (double)(origins->explained_ns + origins->unexplained_ns);
    if (origins->indirect_ns > 0)
        page_labelled(page, "  directly", "%s; indirectly %s, while the awaited rank waited itself",
                      quantity_part((double)origins->direct_ns, total_ns).text,
                      quantity_part((double)origins->indirect_ns, total_ns).text);
}

/// "merge_result 95.2 % (rank 0), solve_task 3.1 %, 2 others 0.4 %; not known 1.3 %".
static void print_origins(const struct page *page, const struct result_pattern *pattern)
{
    const struct result *result = page->result;
    const struct result_origins *origins = &pattern->origins;
    double total_ns = (double)(origins->explained_ns + origins->unexplained_ns);
    uint64_t left_ns = origins->explained_ns;
    const char *separator = "";
    size_t n_shown = 0;
    char *text = NULL;
    if (total_ns == 0)
        return;
    for (; n_shown < origins->n_by_region && n_shown < HARDEST_HIT; n_shown++) {
        const struct result_path_share *share = &origins->by_region[n_shown];
        const struct result_region *region = &result->regions[share->region];
        write_origin(separator, region->shown, share->share, origin_ranks(origins, share->region),
                     &text);
        separator = !strcmp(region->name, RESULT_REGION_PROGRAM) &&
                            write_stretches(result, origins, share->region, &text)
                        ? "; "
                        : ", ";
        left_ns -= (uint64_t)share->time_ns;
    }
    if (n_shown < origins->n_by_region)
        text_append(&text, "%s%s %s", separator,
                    quantity_count(origins->n_by_region - n_shown, "other").text,
                    quantity_part((double)left_ns, total_ns).text);
    if (origins->unexplained_ns > 0)
        text_append(&text, "%snot known %s", n_shown > 0 ? "; " : "",
                    quantity_part((double)origins->unexplained_ns, total_ns).text);
    if (pattern->window_ns > 0 && pattern->window_ns < pattern->total_ns)
        text_append(&text, " (of the %s in the judged part)",
                    quantity_time(pattern->window_ns).text);
    page_labelled(page, "  delayed by", "%s", text);
    free(text);
    print_directness(page, origins);
}

static void print_worst(const struct page *page, const struct result_pattern *pattern)
{
    char *cause = pattern->worst.cause_rank == RESULT_NONE
                      ? memory_copy_text("")
                      : memory_format(", waiting for rank %" PRIu32, pattern->worst.cause_rank);
    const struct result *result = page->result;
    const char *path = pattern->worst.path == RESULT_NONE
                           ? "an unknown place"
                           : result->paths[pattern->worst.path].shown;
    const char *source =
        pattern->worst.site < result->n_sites ? result->sites[pattern->worst.site].source : "";
    page_labelled(page, "  worst", "%s on rank %" PRIu32 ", from %s %s on, in %s%s%s%s",
                  quantity_time(pattern->worst.wait_ns).text, pattern->worst.rank,
                  quantity_in((int64_t)pattern->worst.time_ns, page->unit).text, page->unit.name,
                  path, source[0] ? " at " : "", source, cause);
    free(cause);
}

static const struct result_hint *hint_of(const struct result *result, const char *pattern)
{
    for (size_t i = 0; i < result->n_hints; i++)
        if (!strcmp(result->hints[i].pattern, pattern))
            return &result->hints[i];
    return NULL;
}

static void print_pattern(const struct page *page, const struct result_pattern *pattern)
{
    char *title = memory_format("%s: %s", pattern->name, pattern->summary);
    fputs("\n  ", page->stream);
    print_paragraph(title, 2, 4, page->options->width, page->stream);
    free(title);
    print_ranks(page, "  ranks", pattern->by_rank, pattern->n_by_rank, pattern->total_ns);
    print_ranks(page, "  waiting for", pattern->by_cause, pattern->n_by_cause, pattern->total_ns);
    print_origins(page, pattern);
    print_paths(page, pattern);
    print_worst(page, pattern);
    const struct result_hint *hint = hint_of(page->result, pattern->id);
    if (hint)
        page_labelled(page, "  hint", "%s", hint->text);
}

/// A pattern all of whose waits are those of the next one, a part of it, says less than that one.
static bool is_told_by_next(const struct result *result, const size_t *order, size_t n, size_t i)
{
    const struct result_pattern *pattern = &result->patterns[order[i]];
    if (i + 1 == n)
        return false;
    const struct result_pattern *next = &result->patterns[order[i + 1]];
    return next->depth > pattern->depth && next->total_ns == pattern->total_ns;
}

static void print_details(const struct page *page, const size_t *order, size_t n)
{
    const struct result *result = page->result;
    uint64_t n_small = 0;
    for (size_t i = 0; i < n; i++) {
        const struct result_pattern *pattern = &result->patterns[order[i]];
        bool is_small = (double)pattern->total_ns < worth_details * page->rank_time_ns;
        if (page->options->shows_all || (!is_small && !is_told_by_next(result, order, n, i)))
            print_pattern(page, pattern);
        else
            n_small += is_small;
    }
    if (n_small > 0)
        fprintf(page->stream, "\n  (details of %s with --all)\n",
                quantity_count(n_small, "small wait state").text);
}

/// Patterns that could not be looked for are no good news.
static void print_not_evaluated(const struct page *page)
{
    const struct result *result = page->result;
    char *names = NULL;
    for (size_t i = 0; i < result->n_patterns; i++)
        if (!result->patterns[i].is_evaluated)
            text_append(&names, "%s%s", names ? "; " : "", result->patterns[i].name);
    if (names) {
        fputc('\n', page->stream);
        page_labelled(page, "not recorded", "%s", names);
    }
    free(names);
}

void page_waits(const struct page *page)
{
    const struct result *result = page->result;
    size_t n;
    size_t *order = order_patterns(result, &n);
    page_heading_of_times(page, "Wait states", "sums over ranks; share: of the ranks' run time");
    if (n == 0)
        fputs("  none found\n", page->stream);
    else
        print_overview(page, order, n);
    print_details(page, order, n);
    print_not_evaluated(page);
    free(order);
}

/// The ranks that SHARES, of the critical path, lie on: those of REGION, or all with RESULT_NONE.
/// NULL: none. The caller frees.
static char *ranks_on_path(const struct result *result, const struct result_path_share *shares,
                           size_t n_shares, uint32_t region, uint64_t whole_ns, size_t limit)
{
    struct result_amount *amounts = memory_zeroed(n_shares, sizeof *amounts);
    size_t count = 0;
    for (size_t i = 0; i < n_shares; i++)
        if (shares[i].region == region && shares[i].rank != RESULT_NONE && shares[i].time_ns > 0)
            amounts[count++] =
                (struct result_amount){shares[i].rank, 1, (uint64_t)shares[i].time_ns};
    char *text = NULL;
    if (count > 0)
        write_ranks(result, amounts, count, whole_ns, limit, &text);
    free(amounts);
    return text;
}

/// Before which calls the computing in a region was, where the trace tells.
static void add_stretch_rows(struct table *table, const struct page *page, uint32_t region)
{
    const struct result *result = page->result;
    size_t n_rows = 0;
    for (size_t i = 0; i < result->critical_path.n_by_site && n_rows < HARDEST_HIT; i++) {
        const struct result_path_share *share = &result->critical_path.by_site[i];
        if (share->region != region || share->share < worth_naming ||
            result->regions[region].is_mpi)
            continue;
        char *site = site_text(result, share->site, region);
        table_add_cell(table, "%s", quantity_in(share->time_ns, page->unit).text);
        table_add_cell(table, "%s", quantity_share(share->share).text);
        table_add_cell(table, "  before");
        if (share->rank == RESULT_NONE)
            table_add_cell(table, "%s", site);
        else
            table_add_cell(table, "%s, rank %" PRIu32, site, share->rank);
        free(site);
        n_rows++;
    }
}

/// Computing that takes longer on the critical path than on the mean rank.
static void print_imbalance(const struct page *page)
{
    const struct result *result = page->result;
    size_t n_shown = 0;
    char *text = NULL;
    for (size_t i = 0; i < result->critical_path.n_by_region && n_shown < HARDEST_HIT; i++) {
        const struct result_region *region =
            &result->regions[result->critical_path.by_region[i].region];
        double part = (double)region->path_imbalance_ns / (double)result->time_ns;
        if (region->is_mpi || part < worth_naming)
            continue;
        text_append(&text, "%s%s %s", n_shown++ ? ", " : "", region->shown,
                    quantity_share(part).text);
    }
    if (text)
        fprintf(page->stream, "  above the mean of the ranks: %s\n", text);
    free(text);
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
                                    HARDEST_ON_PATH);
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
                      RESULT_NONE, result->time_ns, HARDEST_HIT);
    if (ranks)
        fprintf(page->stream, "  %s\n", ranks);
    free(ranks);
    print_imbalance(page);
    page_table(page, &table);
    page_left_out(page, n_rows - n_shown, "further region", "--top");
}

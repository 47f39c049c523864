// SPDX-License-Identifier: BSD-3-Clause
// The sections on wait states and on the critical path.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/page.h"
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
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
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
    table_add_column(&table, "total", false);
    table_add_column(&table, "share", false);
    table_add_column(&table, "count", false);
    table_add_column(&table, "confidence", false);
    table_add_column(&table, "wait state", true);
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
    if (a->ns != b->ns)
        return a->ns > b->ns ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

/// "rank 0 81.0 %, rank 2 12.3 % and 5 others"; NULL when there is none. The caller frees.
static char *ranks_text(const struct result_amount *amounts, size_t count, uint64_t total_ns,
                        size_t limit)
{
    if (count == 0)
        return NULL;
    struct result_amount *sorted = memory_zeroed(count, sizeof *sorted);
    memcpy(sorted, amounts, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_amounts);
    char *text = memory_copy_text("");
    if (count == limit + 1) // one more is shorter than "and 1 other"
        limit = count;
    for (size_t i = 0; i < count && i < limit; i++) {
        char *longer = memory_format("%s%srank %" PRIu32 " %s", text, i ? ", " : "", sorted[i].key,
                                     quantity_part((double)sorted[i].ns, (double)total_ns).text);
        free(text);
        text = longer;
    }
    if (count > limit) {
        char *longer =
            memory_format("%s and %s", text, quantity_count(count - limit, "other").text);
        free(text);
        text = longer;
    }
    free(sorted);
    return text;
}

static char *append(char *text, char *more)
{
    char *longer = memory_format("%s%s", text, more);
    free(text);
    free(more);
    return longer;
}

/// "main/solve/MPI_Recv at solve.c:56 81.0 %", or with the shares of its places, if it has several:
/// "main/solve/MPI_Recv 81.0 % (solve.c:56 70.0 %, solve.c:60 11.0 %)". The caller frees.
static char *path_share_text(const struct result *result, const struct result_pattern *pattern,
                             const struct result_amount *amount)
{
    struct quantity share = quantity_part((double)amount->ns, (double)pattern->total_ns);
    size_t n_places = 0;
    char *places = memory_copy_text("");
    for (size_t i = 0; i < pattern->n_by_site; i++) {
        const struct result_amount *at = &pattern->by_site[i];
        const struct result_site *site = &result->sites[at->key];
        if (site->path != amount->key || !site->source[0])
            continue;
        if (++n_places <= HARDEST_HIT)
            places = append(
                places,
                memory_format("%s%s %s", n_places > 1 ? ", " : "", site->source,
                              quantity_part((double)at->ns, (double)pattern->total_ns).text));
    }
    if (n_places > HARDEST_HIT)
        places = append(
            places,
            memory_format(" and %s", quantity_count(n_places - HARDEST_HIT, "other place").text));
    char *path = n_places == 1 ? path_text(result, pattern, amount->key)
                               : memory_copy_text(result->paths[amount->key].shown);
    char *text = memory_format("%s %s%s%s%s", path, share.text, n_places > 1 ? " (" : "",
                               n_places > 1 ? places : "", n_places > 1 ? ")" : "");
    free(path);
    free(places);
    return text;
}

static void print_paths(const struct page *page, const struct result_pattern *pattern)
{
    for (size_t i = 0; i < pattern->n_by_path && i < HARDEST_HIT; i++) {
        char *text = path_share_text(page->result, pattern, &pattern->by_path[i]);
        page_labelled(page, i == 0 ? "  call paths" : "", "%s", text);
        free(text);
    }
}

/// The rank that has most of what a region contributes, when that is more than half; else
/// RESULT_NONE.
static uint32_t main_rank_of(const struct result_origins *origins, uint32_t region)
{
    int64_t positive_ns = 0;
    const struct result_path_share *most = NULL;
    for (size_t i = 0; i < origins->n_by_region_rank; i++) {
        const struct result_path_share *share = &origins->by_region_rank[i];
        if (share->region != region || share->time_ns <= 0)
            continue;
        positive_ns += share->time_ns;
        if (!most)
            most = share;
    }
    return most && most->time_ns > positive_ns / 2 ? most->rank : RESULT_NONE;
}

static char *append_rank(char *text, uint32_t rank)
{
    return rank == RESULT_NONE ? text : append(text, memory_format(" (rank %" PRIu32 ")", rank));
}

/// Adds which computing outside recorded regions it is, by the calls that followed.
static char *append_stretches(char *text, const struct result *result,
                              const struct result_origins *origins, uint32_t region)
{
    size_t n_shown = 0;
    for (size_t i = 0; i < origins->n_by_site && n_shown < HARDEST_HIT; i++) {
        const struct result_path_share *share = &origins->by_site[i];
        if (share->region != region || share->share < worth_naming)
            continue;
        char *site = site_text(result, share->site, region);
        text = append(text, memory_format("%sbefore %s %s", n_shown++ ? ", " : ": ", site,
                                          quantity_share(share->share).text));
        text = append_rank(text, share->rank);
        free(site);
    }
    return n_shown ? append(text, memory_copy_text(";")) : text;
}

/// What stands between TEXT, a list so far, and its next item.
static const char *separator_after(const char *text)
{
    size_t length = strlen(text);
    return length == 0 ? "" : text[length - 1] == ';' ? " " : ", ";
}

/// "merge_result 95.2 % (rank 0), solve_task 3.1 %, 2 others 0.4 %; not known 1.3 %".
static void print_origins(const struct page *page, const struct result_origins *origins)
{
    char *text = memory_copy_text("");
    double total_ns = (double)(origins->explained_ns + origins->unexplained_ns);
    uint64_t left_ns = origins->explained_ns;
    size_t n_shown = 0;
    for (; n_shown < origins->n_by_region && n_shown < HARDEST_HIT; n_shown++) {
        const struct result_path_share *share = &origins->by_region[n_shown];
        const struct result_region *region = &page->result->regions[share->region];
        text = append(text, memory_format("%s%s %s", separator_after(text), region->shown,
                                          quantity_share(share->share).text));
        text = append_rank(text, main_rank_of(origins, share->region));
        if (!strcmp(region->name, RESULT_REGION_PROGRAM))
            text = append_stretches(text, page->result, origins, share->region);
        left_ns -= (uint64_t)share->time_ns;
    }
    if (n_shown < origins->n_by_region)
        text =
            append(text, memory_format("%s%s %s", separator_after(text),
                                       quantity_count(origins->n_by_region - n_shown, "other").text,
                                       quantity_part((double)left_ns, total_ns).text));
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == ';')
        text[length - 1] = '\0';
    if (origins->unexplained_ns > 0)
        text = append(text,
                      memory_format("%snot known %s", length > 0 ? "; " : "",
                                    quantity_part((double)origins->unexplained_ns, total_ns).text));
    if (total_ns > 0)
        page_labelled(page, "  delayed by", "%s", text);
    free(text);
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
    char *ranks = ranks_text(pattern->by_rank, pattern->n_by_rank, pattern->total_ns, HARDEST_HIT);
    if (ranks)
        page_labelled(page, "  ranks", "%s", ranks);
    free(ranks);
    char *causes =
        ranks_text(pattern->by_cause, pattern->n_by_cause, pattern->total_ns, HARDEST_HIT);
    if (causes)
        page_labelled(page, "  waiting for", "%s", causes);
    free(causes);
    print_origins(page, &pattern->origins);
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
    char *names = memory_copy_text("");
    for (size_t i = 0; i < result->n_patterns; i++) {
        if (result->patterns[i].is_evaluated)
            continue;
        char *longer =
            memory_format("%s%s%s", names, names[0] ? "; " : "", result->patterns[i].name);
        free(names);
        names = longer;
    }
    if (names[0]) {
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

/// The ranks a region's part of the path lies on, as ranks_text() says it.
static char *ranks_on_path(const struct result *result, const struct result_path_share *share)
{
    size_t n_parts = result->critical_path.n_by_region_rank, count = 0;
    struct result_amount *amounts = memory_zeroed(n_parts, sizeof *amounts);
    for (size_t i = 0; i < n_parts; i++) {
        const struct result_path_share *part = &result->critical_path.by_region_rank[i];
        if (part->region == share->region && part->rank != RESULT_NONE && part->time_ns > 0)
            amounts[count++] = (struct result_amount){part->rank, 1, (uint64_t)part->time_ns};
    }
    char *text = ranks_text(amounts, count, share->time_ns > 0 ? (uint64_t)share->time_ns : 0,
                            HARDEST_ON_PATH);
    free(amounts);
    return text ? text : memory_copy_text("-");
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

/// "ranks: rank 3 70.1 %, rank 1 20.3 % and 2 others"
static void print_path_ranks(const struct page *page)
{
    const struct result *result = page->result;
    struct result_amount *amounts = memory_zeroed(result->n_ranks, sizeof *amounts);
    size_t n = 0;
    for (size_t i = 0; i < result->critical_path.n_by_rank; i++) {
        const struct result_path_share *share = &result->critical_path.by_rank[i];
        if (share->rank != RESULT_NONE && share->time_ns > 0)
            amounts[n++] = (struct result_amount){share->rank, 1, (uint64_t)share->time_ns};
    }
    char *text = ranks_text(amounts, n, result->time_ns, HARDEST_HIT);
    if (text)
        fprintf(page->stream, "  %s\n", text);
    free(text);
    free(amounts);
}

void page_critical_path(const struct page *page)
{
    const struct result *result = page->result;
    size_t n_rows = result->critical_path.n_by_region;
    size_t n_shown = n_rows < page->options->top ? n_rows : page->options->top;
    struct table table = {0};
    table_add_column(&table, "time", false);
    table_add_column(&table, "share", false);
    table_add_column(&table, "region", true);
    table_add_column(&table, "on", true);
    for (size_t i = 0; i < n_shown; i++) {
        const struct result_path_share *share = &result->critical_path.by_region[i];
        char *ranks = ranks_on_path(result, share);
        table_add_cell(&table, "%s", quantity_in(share->time_ns, page->unit).text);
        table_add_cell(&table, "%s", quantity_share(share->share).text);
        table_add_cell(&table, "%s", result->regions[share->region].shown);
        table_add_cell(&table, "%s", ranks);
        free(ranks);
        add_stretch_rows(&table, page, share->region);
    }
    page_heading_of_times(page, "Critical path",
                          "what determined the run time, by region and rank");
    print_path_ranks(page);
    page_table(page, &table);
    page_left_out(page, n_rows - n_shown, "further region", "--top");
}

// SPDX-License-Identifier: BSD-3-Clause
// The section on wait states.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/parts.h"
#include "analyzer/result/sites.h"

enum { HARDEST_HIT = 3 };
static const double worth_details = 0.005; // of the ranks' run time
static const double worth_naming = 0.05;   // of the waits

/// A top pattern with those below it, which follow it.
struct group {
    size_t first, end; // indices of patterns
    uint64_t total_ns; // of the first
};

/// The indices of the patterns that found something, the heaviest group first, the order of the
/// hierarchy within a group. The caller frees.
static size_t *order_patterns(const struct result *result, size_t *n_ordered)
{
    SCOPED struct group *groups = memory_zeroed(result->n_patterns, sizeof *groups);
    size_t *order = memory_zeroed(result->n_patterns, sizeof *order);
    size_t n_groups = 0;
    for (size_t i = 0; i < result->n_patterns; i++) {
        if (result->patterns[i].depth == 0 || n_groups == 0)
            groups[n_groups++] = (struct group){i, i, result->patterns[i].total_ns};
        groups[n_groups - 1].end = i + 1;
    }
    SORT_BY(groups, n_groups, MOST(total_ns), LEAST(first));
    *n_ordered = 0;
    for (size_t g = 0; g < n_groups; g++)
        for (size_t i = groups[g].first; i < groups[g].end; i++)
            if (result->patterns[i].count > 0)
                order[(*n_ordered)++] = i;
    return order;
}

static void print_overview(const struct page *page, const size_t *order, size_t n)
{
    const struct result *result = page->result;
    struct table table = {0};
    table_add_columns(&table, "total", "share", "count", "confidence", "<wait state");
    for (size_t i = 0; i < n; i++) {
        const struct result_pattern *pattern = &result->patterns[order[i]];
        table_add_cells(&table, page_time(page, pattern->total_ns).text,
                        quantity_part((double)pattern->total_ns, page->rank_time_ns).text,
                        quantity_number(pattern->count).text,
                        quantity_format("%.2f", pattern->confidence).text);
        table_add_cell(&table, "%*s%s", 2 * (int)pattern->depth, "", pattern->name);
    }
    page_table(page, &table);
}

static void print_ranks(const struct page *page, const char *label,
                        const struct result_amount *amounts, size_t count, uint64_t total_ns)
{
    SCOPED char *text = NULL;
    if (count > 0)
        write_ranks(page->result, amounts, count, total_ns, HARDEST_HIT, &text);
    if (text)
        page_labelled(page, label, "%s", text);
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
        SCOPED char *places = NULL;
        size_t n_places = write_places(result, pattern, amount, &places);
        SCOPED char *path = path_text(result, pattern, amount->key);
        if (n_places > 1)
            page_labelled(page, label, "%s %s (%s)", result->paths[amount->key].shown, share.text,
                          places);
        else
            page_labelled(page, label, "%s %s",
                          n_places == 1 ? path : result->paths[amount->key].shown, share.text);
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

/// Which computing outside recorded regions it is, by the calls that followed. Whether any is
/// named.
static bool write_stretches(const struct result *result, const struct result_origins *origins,
                            uint32_t region, char **text)
{
    size_t n_shown = 0;
    for (size_t i = 0; i < origins->n_by_site && n_shown < HARDEST_HIT; i++) {
        const struct result_path_share *share = &origins->by_site[i];
        if (share->region != region || share->share < worth_naming)
            continue;
        SCOPED char *site = site_text(result, share->site, region);
        char *rank = share->rank == RESULT_NONE ? memory_copy_text("")
                                                : memory_format("rank %" PRIu32, share->rank);
        write_origin(n_shown++ ? ", before " : ": before ", site, share->share, rank, text);
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
    SCOPED char *text = NULL;
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
    print_directness(page, origins);
}

/// "MPI_COMM_WORLD tag 7 81.0 %, halo tag 3 19.0 %"; nothing where all waits are of one.
static void print_objects(const struct page *page, const struct result_pattern *pattern)
{
    SCOPED char *text = NULL;
    if (pattern->n_by_object < 2)
        return;
    for (size_t i = 0; i < pattern->n_by_object && i < HARDEST_HIT; i++) {
        const struct result_object_amount *amount = &pattern->by_object[i];
        SCOPED char *object =
            amount->is_collective
                ? memory_copy_text(page->result->communicators[amount->communicator].name)
                : messages_text(page->result, amount->communicator, amount->tag);
        text_append(&text, "%s%s %s", i > 0 ? ", " : "", object,
                    quantity_part((double)amount->ns, (double)pattern->total_ns).text);
    }
    if (pattern->n_by_object > HARDEST_HIT)
        text_append(&text, ", %s",
                    quantity_count(pattern->n_by_object - HARDEST_HIT, "other").text);
    page_labelled(page, "  on", "%s", text);
}

static void print_worst(const struct page *page, const struct result_pattern *pattern)
{
    SCOPED char *cause =
        pattern->worst.cause_rank == RESULT_NONE
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
                  page_time(page, pattern->worst.time_ns).text, page->unit.name, path,
                  source[0] ? " at " : "", source, cause);
}

static void print_pattern(const struct page *page, const struct result_pattern *pattern)
{
    SCOPED char *title = memory_format("%s: %s", pattern->name, pattern->summary);
    fputs("\n  ", page->stream);
    print_paragraph(title, 2, 4, page->options->width, page->stream);
    print_ranks(page, "  ranks", pattern->by_rank, pattern->n_by_rank, pattern->total_ns);
    print_ranks(page, "  waiting for", pattern->by_cause, pattern->n_by_cause, pattern->total_ns);
    print_objects(page, pattern);
    print_origins(page, pattern);
    print_paths(page, pattern);
    print_worst(page, pattern);
    const struct result_hint *hint =
        ITEM_BY(page->result->hints, page->result->n_hints, pattern, pattern->id);
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
    SCOPED char *names = NULL;
    for (size_t i = 0; i < result->n_patterns; i++)
        if (!result->patterns[i].is_evaluated)
            text_append(&names, "%s%s", names ? "; " : "", result->patterns[i].name);
    if (names) {
        fputc('\n', page->stream);
        page_labelled(page, "not recorded", "%s", names);
    }
}

void page_waits(const struct page *page)
{
    const struct result *result = page->result;
    size_t n;
    SCOPED size_t *order = order_patterns(result, &n);
    page_heading_of_times(page, "Wait states", "sums over ranks; share: of the ranks' run time");
    if (n == 0)
        fputs("  none found\n", page->stream);
    else
        print_overview(page, order, n);
    print_details(page, order, n);
    print_not_evaluated(page);
}

// ---- JSON

static json_t *rank_object(const struct result_amount *amount)
{
    return JSON_OBJECT({"rank", json_count(amount->key)}, JSON_COUNT(amount, ns));
}

static json_t *object_object(const struct result *result, const struct result_object_amount *amount)
{
    return JSON_OBJECT(
        {"communicator", json_text(result->communicators[amount->communicator].name)},
        {"tag", json_index(amount->tag)}, JSON_COUNT(amount, ns));
}

static json_t *path_object(const struct result *result, const struct result_amount *amount)
{
    return JSON_OBJECT({"path", json_path(result, amount->key)}, JSON_COUNT(amount, ns));
}

static json_t *source_object(const struct result *result, const struct result_amount *amount)
{
    const struct result_site *site = &result->sites[amount->key];
    return site->source[0]
               ? JSON_PUT(json_put_site(json_object(), site),
                          {"path", json_path(result, site->path)}, JSON_COUNT(amount, ns))
               : NULL;
}

static json_t *worst_object(const struct result *result, const struct result_pattern *pattern)
{
    if (pattern->worst.wait_ns == 0)
        return json_null();
    json_t *object = JSON_OBJECT(
        {"rank", json_index(pattern->worst.rank)}, JSON_COUNT(&pattern->worst, time_ns),
        JSON_COUNT(&pattern->worst, wait_ns), {"path", json_path(result, pattern->worst.path)});
    if (pattern->worst.site < result->n_sites)
        json_put_site(object, &result->sites[pattern->worst.site]);
    else
        JSON_PUT(object, {"source", json_null()});
    return JSON_PUT(object, {"cause_rank", json_index(pattern->worst.cause_rank)});
}

static json_t *origins_object(const struct result *result, const struct result_origins *origins)
{
    if (origins->explained_ns + origins->unexplained_ns == 0)
        return json_null();
    return JSON_OBJECT(
        JSON_COUNT(origins, explained_ns), JSON_COUNT(origins, direct_ns),
        JSON_COUNT(origins, indirect_ns), JSON_COUNT(origins, unexplained_ns),
        JSON_INTEGER(origins, offset_ns),
        {"regions", json_shares(result, origins->by_region, origins->n_by_region)},
        {"region_ranks", json_shares(result, origins->by_region_rank, origins->n_by_region_rank)},
        {"sources", json_site_shares(result, origins->by_site, origins->n_by_site)});
}

static json_t *pattern_object(const struct result *result, const struct result_pattern *pattern)
{
    return JSON_OBJECT(
        JSON_TEXT(pattern, id), JSON_TEXT(pattern, parent), JSON_TEXT(pattern, name),
        {"evaluated", json_boolean(pattern->is_evaluated)}, JSON_COUNT(pattern, count),
        JSON_COUNT(pattern, total_ns), JSON_COUNT(pattern, window_ns),
        JSON_NUMBER(pattern, severity),
        {"confidence", json_number(pattern->count > 0 ? pattern->confidence : NAN)},
        {"by_rank", JSON_EACH(i, pattern->n_by_rank, rank_object(&pattern->by_rank[i]))},
        {"by_path", JSON_EACH(i, pattern->n_by_path, path_object(result, &pattern->by_path[i]))},
        {"by_source",
         JSON_EACH(i, pattern->n_by_site, source_object(result, &pattern->by_site[i]))},
        {"by_cause", JSON_EACH(i, pattern->n_by_cause, rank_object(&pattern->by_cause[i]))},
        {"by_object",
         JSON_EACH(i, pattern->n_by_object, object_object(result, &pattern->by_object[i]))},
        {"worst", worst_object(result, pattern)},
        {"origins", origins_object(result, &pattern->origins)});
}

json_t *json_wait_states(const struct result *result)
{
    return JSON_EACH(i, result->n_patterns, pattern_object(result, &result->patterns[i]));
}

// SPDX-License-Identifier: BSD-3-Clause
// Call paths of all locations that are calls of known place, sorted by merged call path, file and
// line; equal ones are one site.
#include "analyzer/result/sites.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

static const double nearly_all = 0.95; // of the computing before calls

/// One call path of one location, with the stretch before it.
struct placed_call {
    const struct calling_context *context;
    const struct call_path *call, *stretch;
    const struct stretch_since *since; // PAG_SINCE of the stretch; NULL: not known
    struct call_place *places;         // of both
    uint32_t location, rank;
};

static int compare_places(const struct placed_call *a, const struct placed_call *b)
{
    if (a->places->path != b->places->path)
        return a->places->path < b->places->path ? -1 : 1;
    int order = strcmp(a->context->file, b->context->file);
    if (order != 0)
        return order;
    return LESS_FIRST(a->context->line, b->context->line);
}

static int compare_calls(const void *left, const void *right)
{
    const struct placed_call *a = left, *b = right;
    return ORDER_BY(compare_places(a, b), LESS_FIRST(a->rank, b->rank),
                    LESS_FIRST(a->location, b->location), LESS_FIRST(a->places, b->places));
}

static struct placed_call *find_calls(const struct call_tree *tree, size_t *n_calls)
{
    const struct definitions *definitions = tree->definitions;
    struct placed_call *calls = NULL;
    size_t capacity = 0;
    *n_calls = 0;
    for (uint32_t location = 0; location < tree->replay->n_locations; location++) {
        const struct pag_location *of = &tree->replay->locations[location];
        size_t n_since = 0;
        for (uint32_t i = 0; i < of->n_paths; i++) {
            size_t since = n_since;
            n_since += of->paths[i].context != EVENT_NO_INDEX ? PAG_SINCE : 0;
            if (of->paths[i].context == EVENT_NO_INDEX ||
                tree->places[location][i].path == RESULT_NONE)
                continue; // no place known, or no call in this interval
            *ARRAY_NEXT(calls, *n_calls, capacity) = (struct placed_call){
                .context = &definitions->contexts[of->paths[i].context],
                .call = &of->paths[i],
                .stretch = &of->paths[i + 1],
                .since = n_since <= of->n_since ? &of->since[since] : NULL,
                .places = &tree->places[location][i],
                .location = location,
                .rank = definitions->locations[location].rank,
            };
        }
    }
    if (*n_calls > 0)
        qsort(calls, *n_calls, sizeof *calls, compare_calls);
    return calls;
}

char *source_text(const char *file, uint32_t line)
{
    const char *name = path_base_name(file);
    return name[0] && line > 0 ? memory_format("%s:%u", name, line) : memory_copy_text(name);
}

static void begin_site(struct result_site *site, const struct call_tree *tree,
                       const struct placed_call *call)
{
    uint32_t region = call->context->region;
    bool is_known = region != EVENT_NO_INDEX;
    *site = (struct result_site){
        .path = call->places->path,
        .function = utf8_clean(is_known ? tree->definitions->regions[region].name : ""),
        .function_shown = memory_copy_text(is_known ? tree->shown[region] : ""),
        .file = utf8_clean(call->context->file),
        .line = call->context->line,
        .before_path = RESULT_NONE,
        .before_max_rank = RESULT_NONE,
        .before_since = RESULT_NONE,
        .since_max_rank = RESULT_NONE,
    };
    site->source = source_text(site->file, site->line);
}

/// Adds the calls of one site, which are sorted by rank.
static void sum_site(struct result_site *site, const struct placed_call *calls, size_t count)
{
    uint64_t rank_ns = 0;
    for (size_t i = 0; i < count; i++) {
        site->visits += calls[i].call->visits;
        site->inclusive_ns += calls[i].call->inclusive_ns;
        site->blocked_before_ns += calls[i].stretch->blocked_ns;
        uint64_t before_ns = calls[i].stretch->exclusive_ns;
        if (before_ns == 0)
            continue;
        site->before_ns += before_ns;
        if (site->before_path == RESULT_NONE)
            site->before_path = calls[i].places[1].path;
        bool is_same_rank = i > 0 && calls[i - 1].rank == calls[i].rank;
        rank_ns = is_same_rank ? rank_ns + before_ns : before_ns;
        if (rank_ns > site->before_max_ns) {
            site->before_max_ns = rank_ns;
            site->before_max_rank = calls[i].rank == EVENT_NO_INDEX ? RESULT_NONE : calls[i].rank;
        }
    }
}

/// Fills in the longest stretch of all before CALLS, those of SITE, and the call in front of it.
static void put_longest(struct result_site *site, const struct call_tree *tree,
                        const struct placed_call *calls, size_t count)
{
    const struct placed_call *longest = &calls[0];
    for (size_t i = 1; i < count; i++)
        if (calls[i].stretch->inclusive_ns > longest->stretch->inclusive_ns)
            longest = &calls[i];
    site->before_longest_ns = longest->stretch->inclusive_ns;
    site->before_since = call_tree_place(tree, longest->location, longest->stretch->since).site;
}

/// The computing before CALL that began with calls of the site SINCE; false: not known.
static bool add_since(const struct call_tree *tree, const struct placed_call *call, uint32_t since,
                      uint64_t *ns)
{
    uint64_t others_ns = 0, all_ns = call->stretch->exclusive_ns;
    for (size_t i = 0; i < PAG_SINCE && call->since; i++) {
        const struct stretch_since *first = &call->since[i];
        bool is_of_since = first->ns > 0 && first->call != EVENT_NO_INDEX &&
                           call_tree_place(tree, call->location, first->call).site == since;
        *(is_of_since ? ns : &others_ns) += first->ns;
    }
    return *ns > 0 || (double)others_ns >= nearly_all * (double)all_ns;
}

/// Fills in what of the computing before CALLS, those of SITE, began as the longest did.
static void put_since(struct result_site *site, const struct call_tree *tree,
                      const struct placed_call *calls, size_t count)
{
    uint64_t rank_ns = 0;
    bool is_known = site->before_since != RESULT_NONE;
    for (size_t i = 0; i < count && is_known; i++) {
        uint64_t ns = 0;
        is_known = add_since(tree, &calls[i], site->before_since, &ns);
        site->since_ns += ns;
        rank_ns = i > 0 && calls[i - 1].rank == calls[i].rank ? rank_ns + ns : ns;
        if (rank_ns > site->since_max_ns) {
            site->since_max_ns = rank_ns;
            site->since_max_rank = calls[i].rank == EVENT_NO_INDEX ? RESULT_NONE : calls[i].rank;
        }
    }
    if (!is_known)
        site->since_max_rank = RESULT_NONE;
}

void sites_collect(struct call_tree *tree, struct result *result)
{
    size_t n_calls;
    SCOPED struct placed_call *calls = find_calls(tree, &n_calls);
    SCOPED size_t *firsts =
        memory_zeroed(n_calls + 1, sizeof *firsts); // call of each site, and the end
    result->sites = memory_zeroed(n_calls, sizeof *result->sites);
    for (size_t i = 0; i < n_calls; i++) {
        if (i == 0 || compare_places(&calls[i - 1], &calls[i]) != 0)
            firsts[result->n_sites++] = i;
        calls[i].places[0].site = calls[i].places[1].site = (uint32_t)result->n_sites - 1;
    }
    firsts[result->n_sites] = n_calls;
    for (size_t i = 0; i < result->n_sites; i++) {
        const struct placed_call *first = &calls[firsts[i]];
        size_t count = firsts[i + 1] - firsts[i];
        begin_site(&result->sites[i], tree, first);
        sum_site(&result->sites[i], first, count);
        put_longest(&result->sites[i], tree, first, count);
        put_since(&result->sites[i], tree, first, count);
    }
}

char *site_text(const struct result *result, uint32_t index, uint32_t region)
{
    const struct result_site *site = &result->sites[index];
    const char *call = result->regions[result->paths[site->path].region].name;
    bool is_named = region != RESULT_NONE && !strcmp(site->function, result->regions[region].name);
    const char *function = is_named ? "" : site->function_shown;
    return memory_format("%s%s%s%s%s", function, function[0] ? "/" : "", call,
                         site->source[0] ? " at " : "", site->source);
}

/// What the calls from a site weigh: their waits of PATTERN, or with NULL their time.
static uint64_t weight_of(const struct result *result, const struct result_pattern *pattern,
                          uint32_t site)
{
    if (!pattern)
        return result->sites[site].inclusive_ns;
    for (size_t i = 0; i < pattern->n_by_site; i++)
        if (pattern->by_site[i].key == site)
            return pattern->by_site[i].ns;
    return 0;
}

/// path_site(), and from how many places calls of PATH come.
static uint32_t heaviest_site(const struct result *result, const struct result_pattern *pattern,
                              uint32_t path, size_t *n_places)
{
    uint32_t heaviest = RESULT_NONE;
    uint64_t most_ns = 0;
    *n_places = 0;
    for (uint32_t i = 0; i < result->n_sites; i++) {
        if (result->sites[i].path != path || !result->sites[i].source[0])
            continue;
        uint64_t weight_ns = weight_of(result, pattern, i);
        *n_places += weight_ns > 0;
        if (weight_ns <= most_ns)
            continue;
        most_ns = weight_ns;
        heaviest = i;
    }
    return heaviest;
}

uint32_t path_site(const struct result *result, const struct result_pattern *pattern, uint32_t path)
{
    size_t n_places;
    return heaviest_site(result, pattern, path, &n_places);
}

char *path_text(const struct result *result, const struct result_pattern *pattern, uint32_t path)
{
    size_t n_places;
    uint32_t site = heaviest_site(result, pattern, path, &n_places);
    const char *source = site == RESULT_NONE ? "" : result->sites[site].source;
    SCOPED char *others = n_places > 1 ? memory_format(" and %zu other place%s", n_places - 1,
                                                       n_places > 2 ? "s" : "")
                                       : memory_copy_text("");
    return memory_format("%s%s%s%s", result->paths[path].shown, source[0] ? " at " : "", source,
                         others);
}

struct source source_of(const struct result *result, uint32_t site, uint32_t path)
{
    if (site != RESULT_NONE && result->sites[site].file[0])
        return (struct source){result->sites[site].file, result->sites[site].line};
    for (uint32_t at = path; at != RESULT_NONE; at = result->paths[at].parent) {
        const struct result_region *region = &result->regions[result->paths[at].region];
        if (!region->is_mpi && region->file[0])
            return (struct source){region->file, region->line};
    }
    return (struct source){"", 0};
}

const struct result_path_share *site_share_in(const struct result_path_share *shares, size_t count,
                                              uint32_t region)
{
    for (size_t i = 0; i < count && shares[i].time_ns > 0; i++)
        if (shares[i].region == region)
            return &shares[i];
    return NULL;
}

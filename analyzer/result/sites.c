// SPDX-License-Identifier: BSD-3-Clause
// Call paths of all locations that are calls of known place, sorted by merged call path, file and
// line; equal ones are one site.
#include "analyzer/result/sites.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

/// One call path of one location, with the stretch before it.
struct placed_call {
    const struct calling_context *context;
    const struct call_path *call, *stretch;
    uint32_t path;   // merged
    uint32_t around; // merged path the stretch is in
    uint32_t location, call_path, rank;
};

static int compare_places(const struct placed_call *a, const struct placed_call *b)
{
    if (a->path != b->path)
        return a->path < b->path ? -1 : 1;
    int order = strcmp(a->context->file, b->context->file);
    if (order != 0)
        return order;
    return (a->context->line > b->context->line) - (a->context->line < b->context->line);
}

static int compare_calls(const void *left, const void *right)
{
    const struct placed_call *a = left, *b = right;
    int order = compare_places(a, b);
    if (order != 0)
        return order;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->location != b->location)
        return a->location < b->location ? -1 : 1;
    return (a->call_path > b->call_path) - (a->call_path < b->call_path);
}

static struct placed_call *find_calls(const struct definitions *definitions,
                                      const struct call_tree *tree, const struct pag_result *replay,
                                      size_t *n_calls)
{
    struct placed_call *calls = NULL;
    size_t capacity = 0;
    *n_calls = 0;
    for (uint32_t location = 0; location < replay->n_locations; location++) {
        const struct pag_location *of = &replay->locations[location];
        for (uint32_t i = 0; i < of->n_paths; i++) {
            if (of->paths[i].context == EVENT_NO_INDEX ||
                call_tree_path(tree, location, i) == RESULT_NONE)
                continue; // no place known, or no call in this interval
            calls = array_reserve(calls, &capacity, *n_calls + 1, sizeof *calls);
            calls[(*n_calls)++] = (struct placed_call){
                .context = &definitions->contexts[of->paths[i].context],
                .call = &of->paths[i],
                .stretch = &of->paths[i + 1],
                .path = call_tree_path(tree, location, i),
                .around = call_tree_path(tree, location, i + 1),
                .location = location,
                .call_path = i,
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
    const char *slash = strrchr(file, '/');
    const char *name = slash && slash[1] ? slash + 1 : file;
    return name[0] && line > 0 ? memory_format("%s:%u", name, line) : memory_copy_text(name);
}

static void begin_site(struct result_site *site, const struct definitions *definitions,
                       const struct call_tree *tree, const struct placed_call *call)
{
    uint32_t region = call->context->region;
    *site = (struct result_site){
        .path = call->path,
        .function = utf8_clean(region == EVENT_NO_INDEX ? "" : definitions->regions[region].name),
        .function_shown = memory_copy_text(region == EVENT_NO_INDEX ? "" : tree->shown[region]),
        .file = utf8_clean(call->context->file),
        .line = call->context->line,
        .before_path = RESULT_NONE,
        .before_max_rank = RESULT_NONE,
        .before_since = RESULT_NONE,
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
        uint64_t before_ns = calls[i].stretch->exclusive_ns;
        if (before_ns == 0)
            continue;
        site->before_ns += before_ns;
        if (site->before_path == RESULT_NONE)
            site->before_path = calls[i].around;
        bool is_same_rank = i > 0 && calls[i - 1].rank == calls[i].rank;
        rank_ns = is_same_rank ? rank_ns + before_ns : before_ns;
        if (rank_ns > site->before_max_ns) {
            site->before_max_ns = rank_ns;
            site->before_max_rank = calls[i].rank == EVENT_NO_INDEX ? RESULT_NONE : calls[i].rank;
        }
    }
}

static void table_init(struct site_table *table, const struct pag_result *replay)
{
    table->n_locations = replay->n_locations;
    table->site_of = memory_zeroed(replay->n_locations, sizeof *table->site_of);
    table->n_paths = memory_zeroed(replay->n_locations, sizeof *table->n_paths);
    for (size_t i = 0; i < replay->n_locations; i++) {
        table->n_paths[i] = replay->locations[i].n_paths;
        table->site_of[i] = memory_zeroed(table->n_paths[i], sizeof *table->site_of[i]);
        for (size_t j = 0; j < table->n_paths[i]; j++)
            table->site_of[i][j] = RESULT_NONE;
    }
}

/// The site of the call in front of the longest stretch of all before CALLS.
static uint32_t site_since(const struct placed_call *calls, size_t count,
                           const struct site_table *table)
{
    const struct placed_call *longest = &calls[0];
    for (size_t i = 1; i < count; i++)
        if (calls[i].stretch->inclusive_ns > longest->stretch->inclusive_ns)
            longest = &calls[i];
    return site_table_at(table, longest->location, longest->stretch->since);
}

void sites_collect(const struct definitions *definitions, const struct call_tree *tree,
                   const struct pag_result *replay, struct result *result, struct site_table *table)
{
    size_t n_calls;
    struct placed_call *calls = find_calls(definitions, tree, replay, &n_calls);
    table_init(table, replay);
    result->sites = memory_zeroed(n_calls, sizeof *result->sites);
    for (size_t i = 0, next; i < n_calls; i = next) {
        uint32_t index = (uint32_t)result->n_sites++;
        for (next = i; next < n_calls && compare_places(&calls[i], &calls[next]) == 0; next++) {
            uint32_t *of_location = table->site_of[calls[next].location];
            of_location[calls[next].call_path] = index;
            of_location[calls[next].call_path + 1] = index;
        }
        begin_site(&result->sites[index], definitions, tree, &calls[i]);
        sum_site(&result->sites[index], &calls[i], next - i);
    }
    for (size_t i = 0, site = 0, next; i < n_calls; i = next, site++) {
        for (next = i; next < n_calls && compare_places(&calls[i], &calls[next]) == 0;)
            next++;
        result->sites[site].before_since = site_since(&calls[i], next - i, table);
    }
    free(calls);
}

void site_table_release(struct site_table *table)
{
    for (size_t i = 0; i < table->n_locations; i++)
        free(table->site_of[i]);
    free(table->site_of);
    free(table->n_paths);
    *table = (struct site_table){0};
}

uint32_t site_table_at(const struct site_table *table, uint32_t location, uint32_t call_path)
{
    if (location >= table->n_locations || call_path >= table->n_paths[location])
        return RESULT_NONE;
    return table->site_of[location][call_path];
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

char *path_text(const struct result *result, const struct result_pattern *pattern, uint32_t path)
{
    const char *source = "";
    uint64_t most_ns = 0;
    size_t n_places = 0;
    for (uint32_t i = 0; i < result->n_sites; i++) {
        if (result->sites[i].path != path || !result->sites[i].source[0])
            continue;
        uint64_t weight_ns = weight_of(result, pattern, i);
        n_places += weight_ns > 0;
        if (weight_ns <= most_ns)
            continue;
        most_ns = weight_ns;
        source = result->sites[i].source;
    }
    char *others = n_places > 1 ? memory_format(" and %zu other place%s", n_places - 1,
                                                n_places > 2 ? "s" : "")
                                : memory_copy_text("");
    char *text = memory_format("%s%s%s%s", result->paths[path].shown, source[0] ? " at " : "",
                               source, others);
    free(others);
    return text;
}

const struct result_path_share *site_share_in(const struct result_path_share *shares, size_t count,
                                              uint32_t region)
{
    for (size_t i = 0; i < count && shares[i].time_ns > 0; i++)
        if (shares[i].region == region)
            return &shares[i];
    return NULL;
}

// SPDX-License-Identifier: BSD-3-Clause
// See child_paths.h. Nothing is matched: each rank is read by itself, its enters and leaves only.
#include "analyzer/result/views/child_paths.h"

#include <stdlib.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/reader.h"

enum { MAX_PATHS = 1024, MAX_CALLS = 64 };

/// A rank that is being read.
struct reading {
    struct child_paths *paths;
    struct map *path_of; // hash of the calls -> index + 1 of the path
    const bool *is_meant;
    struct child_path now; // the open visit
    bool is_open;
    uint32_t depth; // of regions in it
    uint64_t begin_ns;
};

static void add_call(struct child_path *path, uint32_t region)
{
    if (path->n_calls > 0 && !path->is_cut && path->calls[path->n_calls - 1].region == region) {
        path->calls[path->n_calls - 1].n_times++;
        return;
    }
    path->is_cut = path->is_cut || path->n_calls == MAX_CALLS;
    if (path->is_cut)
        return;
    *ARRAY_NEXT(path->calls, path->n_calls, path->capacity) = (struct child_call){region, 1};
}

static bool are_equal(const struct child_path *a, const struct child_path *b)
{
    if (a->n_calls != b->n_calls || a->is_cut != b->is_cut)
        return false;
    for (size_t i = 0; i < a->n_calls; i++)
        if (a->calls[i].region != b->calls[i].region || a->calls[i].n_times != b->calls[i].n_times)
            return false;
    return true;
}

/// FNV-1a of the calls.
static uint64_t hash_of(const struct child_path *path)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325) + path->is_cut;
    for (size_t i = 0; i < path->n_calls; i++) {
        hash = (hash ^ path->calls[i].region) * UINT64_C(0x100000001B3);
        hash = (hash ^ path->calls[i].n_times) * UINT64_C(0x100000001B3);
    }
    return hash;
}

/// The path of the visit NOW, made if it is new; the others where there are too many.
static struct child_path *path_of(struct child_paths *paths, struct map *map,
                                  const struct child_path *now)
{
    uint64_t hash = hash_of(now);
    uint32_t index;
    for (; map_get(map, hash, &index); hash++)
        if (are_equal(&paths->items[index], now))
            return &paths->items[index];
    if (paths->n == MAX_PATHS)
        return &paths->others;
    map_put(map, hash, (uint32_t)paths->n);
    struct child_path *path = ARRAY_NEXT(paths->items, paths->n, paths->capacity);
    *path = (struct child_path){.n_calls = now->n_calls, .is_cut = now->is_cut};
    path->calls = memory_new((now->n_calls + 1) * sizeof *path->calls);
    for (size_t i = 0; i < now->n_calls; i++)
        path->calls[i] = now->calls[i];
    return path;
}

static void end_visit(struct reading *reading, uint64_t time_ns)
{
    struct child_path *path = path_of(reading->paths, reading->path_of, &reading->now);
    uint64_t ns = time_ns - reading->begin_ns;
    path->min_ns = path->count == 0 || ns < path->min_ns ? ns : path->min_ns;
    path->max_ns = ns > path->max_ns ? ns : path->max_ns;
    path->total_ns += ns;
    path->count++;
    reading->is_open = false;
}

static void enter(struct reading *reading, uint32_t region, uint64_t time_ns)
{
    if (reading->is_open) {
        if (reading->depth++ == 0)
            add_call(&reading->now, region);
        return;
    }
    reading->is_open = reading->is_meant[region];
    reading->begin_ns = time_ns;
    reading->now.n_calls = reading->depth = 0;
    reading->now.is_cut = false;
}

static void read_rank(struct trace *trace, size_t location, struct reading *reading)
{
    struct cursor *cursor = trace_cursor(trace, location);
    const struct event *event;
    uint64_t last_ns = 0;
    for (; (event = trace_peek(trace, location, cursor, 0)) != NULL; cursor->position++) {
        last_ns = event->time_ns;
        if (event->kind == EVENT_ENTER)
            enter(reading, event->index, last_ns);
        else if (event->kind == EVENT_LEAVE && reading->is_open && reading->depth > 0)
            reading->depth--;
        else if (event->kind == EVENT_LEAVE && reading->is_open && reading->is_meant[event->index])
            end_visit(reading, last_ns);
    }
    if (reading->is_open)
        end_visit(reading, last_ns);
}

static int by_total(const void *left, const void *right)
{
    const struct child_path *a = left, *b = right;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    for (size_t i = 0; i < a->n_calls && i < b->n_calls; i++) {
        if (a->calls[i].region != b->calls[i].region)
            return a->calls[i].region < b->calls[i].region ? -1 : 1;
        if (a->calls[i].n_times != b->calls[i].n_times)
            return a->calls[i].n_times < b->calls[i].n_times ? -1 : 1;
    }
    return ORDER_BY(LESS_FIRST(a->n_calls, b->n_calls), LESS_FIRST(a->is_cut, b->is_cut));
}

static void read_trace(struct trace *trace, const bool *is_meant, struct child_paths *paths)
{
    const struct definitions *definitions = trace_definitions(trace);
    struct map map;
    map_init(&map);
    struct reading reading = {.paths = paths, .path_of = &map, .is_meant = is_meant};
    for (size_t i = 0; i < definitions->n_ranks; i++) {
        uint32_t master = definitions->ranks[i].master;
        read_rank(trace, master, &reading);
        paths->is_unreadable |= trace_location_report(trace, master)->reason != NULL;
    }
    if (paths->n > 0)
        qsort(paths->items, paths->n, sizeof *paths->items, by_total);
    map_release(&map);
    free(reading.now.calls);
}

/// Sets by region whether NAME means it. 0, or -1 and ERR: it means none, or several.
static int find_regions(const struct definitions *definitions, const char *name, bool *is_meant,
                        struct error *err)
{
    if (region_names_take(definitions, name, is_meant, err) != 0)
        return error_wrap(err, "--paths");
    for (size_t i = 0; i < definitions->n_regions; i++)
        if (is_meant[i])
            return 0;
    char **shown = region_names_shown(definitions);
    error_set(err, "--paths: the run has no region `%s`%s", name,
              spelling_hint(name, (const char *const *)shown, definitions->gap_region,
                            "; did you mean `%s`?", "")
                  .text);
    memory_free_each(shown, definitions->n_regions);
    return -1;
}

int child_paths_find(const char *trace, const char *region, struct child_paths *paths,
                     struct error *err)
{
    *paths =
        (struct child_paths){.trace = memory_copy_text(trace), .region = memory_copy_text(region)};
    struct trace *opened = trace_open(trace, err);
    if (!opened)
        return -1;
    const struct definitions *definitions = trace_definitions(opened);
    SCOPED bool *is_meant = memory_zeroed(definitions->n_regions + 1, sizeof *is_meant);
    int status = find_regions(definitions, region, is_meant, err);
    if (status == 0) {
        paths->shown = region_names_shown(definitions);
        paths->n_regions = definitions->n_regions;
        read_trace(opened, is_meant, paths);
        if (paths->n == 0)
            status = error_set(err,
                               "--paths: no rank visits `%s`; of a function that was not recorded "
                               "only the calls are known",
                               region);
    }
    trace_close(opened);
    return status;
}

void child_paths_release(struct child_paths *paths)
{
    FREE_MEMBERS(paths->items, paths->n, calls);
    FREE_ALL(paths->items, paths->trace, paths->region);
    memory_free_each(paths->shown, paths->n_regions);
    *paths = (struct child_paths){0};
}

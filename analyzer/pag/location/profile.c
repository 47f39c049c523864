// SPDX-License-Identifier: BSD-3-Clause
// Call tree and times of one location. The hot path (enter, leave) is an addition, a comparison of
// the mark's epoch and, almost always, a right guess of what is entered next.
//
// Of a program without recorded functions calls of MPI and of the C library for files are all there
// is. Where the trace says from where they are called, the functions on the way become nodes of the
// tree, without visits or time of their own, and the time up to a call is kept apart as the stretch
// before it: it still belongs to the open region, but lineages tell one stretch from another.
#include "analyzer/pag/location/profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/location/region_visits.h"

// Deeper calls, and paths beyond the number, are counted at the path they exceed: endless recursion
// must not use up memory.
enum { MAX_DEPTH = 1000, PATH_BITS = 20, MAX_PATHS = 1 << PATH_BITS };
// A key of profile.calls; calls of regions or contexts with larger numbers are known without place.
enum { CALL_BITS = 22 };

static_assert(PATH_BITS + 2 * CALL_BITS == 64, "a call's key");

// --- times and their mark

void times_init(struct times *times)
{
    *times = (struct times){.epoch = 1};
}

void times_release(struct times *times)
{
    FREE_ALL(times->paths, times->touched);
}

void times_reserve(struct times *times, uint32_t path)
{
    size_t n = times->n_paths;
    times->paths = array_reserve(times->paths, &times->n_paths, path + 1, sizeof *times->paths);
    memset(times->paths + n, 0, (times->n_paths - n) * sizeof *times->paths);
    times->touched = memory_resize(times->touched, times->n_paths, sizeof *times->touched);
}

void times_look_reserve(struct times_look *look, const struct times *times)
{
    if (look->n_paths >= times->n_paths)
        return;
    look->exclusive_ns =
        memory_resize(look->exclusive_ns, times->n_paths, sizeof *look->exclusive_ns);
    memset(look->exclusive_ns + look->n_paths, 0,
           (times->n_paths - look->n_paths) * sizeof *look->exclusive_ns);
    look->n_paths = times->n_paths;
}

uint64_t times_take(struct times *times, uint32_t from, uint64_t ns)
{
    if (from >= times->n_paths || times->paths[from].epoch != times->epoch)
        return 0;
    uint64_t most_ns = times_since(times, from);
    uint64_t taken_ns = ns < most_ns ? ns : most_ns;
    times->paths[from].exclusive_ns -= taken_ns;
    return taken_ns;
}

// --- call tree

void profile_init(struct profile *profile, const struct definitions *definitions,
                  struct times *times)
{
    *profile = (struct profile){.definitions = definitions, .times = times};
    map_init(&profile->children);
    map_init(&profile->calls);
    profile->paths = array_reserve(NULL, &profile->paths_capacity, 1, sizeof(struct path));
    profile->paths[0] = (struct path){.region = NONE,
                                      .context = NONE,
                                      .parent = NONE,
                                      .from = NONE,
                                      .last_child = NONE,
                                      .next = NONE};
    profile->n_paths = 1;
    profile->left_call = NONE;
}

void profile_release(struct profile *profile)
{
    FREE_ALL(profile->paths, profile->since, profile->stack, profile->counted);
    file_uses_release(&profile->file_uses);
    region_visits_free(profile->visits);
    free(profile->without_cpu.segments);
    map_release(&profile->children);
    map_release(&profile->calls);
}

/// Whether there is room for N more nodes below PARENT, one below the other.
static bool has_room(const struct profile *profile, uint32_t parent, unsigned n)
{
    return profile->n_paths + n <= MAX_PATHS && profile->paths[parent].depth + n <= MAX_DEPTH;
}

static uint32_t new_path(struct profile *profile, uint32_t parent, uint32_t region,
                         uint32_t context)
{
    uint32_t index = (uint32_t)profile->n_paths++;
    profile->paths = array_reserve(profile->paths, &profile->paths_capacity, profile->n_paths,
                                   sizeof(struct path));
    profile->paths[index] = (struct path){.region = region,
                                          .context = context,
                                          .parent = parent,
                                          .from = NONE,
                                          .last_child = NONE,
                                          .next = NONE,
                                          .depth = (uint16_t)(profile->paths[parent].depth + 1)};
    return index;
}

uint32_t profile_child(struct profile *profile, uint32_t parent, uint32_t region)
{
    uint64_t key = (uint64_t)parent << 32 | region;
    uint32_t child;
    if (map_get(&profile->children, key, &child))
        return child;
    if (!has_room(profile, parent, 1))
        return parent;
    child = new_path(profile, parent, region, NONE);
    map_put(&profile->children, key, child);
    return child;
}

/// Whether a region called NAME is open at PATH.
static bool is_open(const struct profile *profile, uint32_t path, const char *name)
{
    const struct region *regions = profile->definitions->regions;
    for (; path != 0; path = profile->paths[path].parent)
        if (strcmp(regions[profile->paths[path].region].name, name) == 0)
            return true;
    return false;
}

/// The node below PATH, the current one, for the function of CONTEXT. Its functions outwards from
/// the innermost are new until one is open: that one, and what is around it, is recorded already.
static uint32_t enter_context(struct profile *profile, uint32_t path, uint32_t context)
{
    const struct definitions *definitions = profile->definitions;
    uint32_t functions[MAX_DEPTH], n = 0;
    for (; context != NONE && n < MAX_DEPTH; context = definitions->contexts[context].parent) {
        uint32_t region = definitions->contexts[context].region;
        if (region == NONE)
            continue;
        if (is_open(profile, path, definitions->regions[region].name))
            break;
        functions[n++] = region;
    }
    while (n > 0)
        path = profile_child(profile, path, functions[--n]);
    return path;
}

/// Where profile.calls has a call of REGION from CONTEXT while PATH is the current one.
static uint64_t call_key(uint32_t path, uint32_t region, uint32_t context)
{
    return ((uint64_t)path << CALL_BITS | region) << CALL_BITS | context;
}

static void make_stretch(struct profile *profile, uint32_t path)
{
    profile->paths[path].is_stretch = true;
    profile->paths[path].next = (uint32_t)profile->n_since;
    for (size_t i = 0; i < PAG_SINCE; i++)
        *ARRAY_NEXT(profile->since, profile->n_since, profile->since_capacity) =
            (struct stretch_since){0};
}

/// The node of a call of REGION from CONTEXT while PATH is the current one, with its stretch.
static uint32_t find_call(struct profile *profile, uint32_t path, uint32_t region, uint32_t context)
{
    uint64_t key = call_key(path, region, context);
    uint32_t call;
    if (map_get(&profile->calls, key, &call))
        return call;
    uint32_t parent = enter_context(profile, path, context);
    if (!has_room(profile, parent, 2))
        return profile_child(profile, parent, region);
    call = new_path(profile, parent, region, context);
    make_stretch(profile, new_path(profile, path, NONE, NONE));
    map_put(&profile->calls, key, call);
    return call;
}

// A call with a place is followed by its stretch, which is below the path it was called from.
void profile_grow_as(struct profile *profile, const struct call_path *tree, size_t n_paths)
{
    for (size_t i = 1; i < n_paths; i++) {
        const struct call_path *path = &tree[i];
        uint32_t index = new_path(profile, path->parent, path->region, path->context);
        if (path->is_stretch) {
            make_stretch(profile, index);
            continue;
        }
        if (path->context == NONE)
            map_put(&profile->children, (uint64_t)path->parent << 32 | path->region, index);
        else
            map_put(&profile->calls, call_key(tree[i + 1].parent, path->region, path->context),
                    index);
    }
}

void profile_become(struct profile *profile, const struct call_path *tree, size_t n_paths)
{
    profile_grow_as(profile, tree, n_paths);
    for (size_t i = 0; i < n_paths; i++) {
        struct path *path = &profile->paths[i];
        path->visits = tree[i].visits;
        path->inclusive_ns = tree[i].inclusive_ns;
        path->blocked_ns = tree[i].blocked_ns;
        path->last_child = tree[i].since;
    }
}

struct call_path profile_path(const struct profile *profile, size_t index)
{
    const struct path *path = &profile->paths[index];
    return (struct call_path){
        .region = path->region,
        .parent = path->parent,
        .context = path->context,
        .is_stretch = path->is_stretch,
        .since = path->is_stretch ? path->last_child : NONE,
        .blocked_ns = path->blocked_ns,
        .visits = path->visits,
        .inclusive_ns = path->inclusive_ns,
    };
}

/// The node to go to from the current one; CONTEXT only for MPI calls. What followed the last one
/// before is guessed.
static inline uint32_t next_path(struct profile *profile, uint32_t region, uint32_t context)
{
    const struct path *paths = profile->paths;
    uint32_t from = profile->current, last = paths[from].last_child;
    uint32_t guess = last == NONE ? NONE : paths[last].next;
    if (guess != NONE && paths[guess].region == region && paths[guess].context == context &&
        paths[guess].from == from)
        return guess;
    return context == NONE ? profile_child(profile, from, region)
                           : find_call(profile, from, region, context);
}

/// PATH is entered from the current one.
static inline void note_next(struct profile *profile, uint32_t path)
{
    struct path *from = &profile->paths[profile->current];
    if (path == profile->current) // there was no room for it
        return;
    if (from->last_child != NONE)
        profile->paths[from->last_child].next = path;
    from->last_child = path;
    profile->paths[path].from = profile->current;
}

static inline void push(struct profile *profile, uint32_t child, uint32_t region, uint64_t time_ns)
{
    note_next(profile, child);
    if (profile->depth == profile->stack_capacity)
        profile->stack = array_reserve(profile->stack, &profile->stack_capacity, profile->depth + 1,
                                       sizeof(struct frame));
    profile->stack[profile->depth++] =
        (struct frame){.path = profile->current, .region = region, .enter_ns = time_ns};
    profile->current = child;
}

void profile_enter(struct profile *profile, uint32_t region, uint64_t time_ns)
{
    profile_account(profile, time_ns);
    profile->left_call = NONE;
    push(profile, next_path(profile, region, NONE), region, time_ns);
}

/// Keeps between which calls the longest of the stretches was, and how long those were that began
/// with its first calls.
static inline void note_stretch(const struct profile *profile, struct path *stretch,
                                uint64_t length_ns)
{
    for (size_t i = 0; i < PAG_SINCE; i++) {
        struct stretch_since *first = &profile->since[stretch->next + i];
        if (first->ns > 0 && first->call != profile->left_call)
            continue;
        first->call = profile->left_call;
        first->ns += length_ns;
        break;
    }
    if (length_ns <= stretch->inclusive_ns)
        return;
    stretch->inclusive_ns = length_ns;
    stretch->last_child = profile->left_call;
}

/// Whether a call of REGION from CONTEXT has a place of its own in the tree.
static bool has_place(uint32_t region, uint32_t context)
{
    return context != NONE && (region | context) >> CALL_BITS == 0;
}

uint32_t profile_enter_call(struct profile *profile, uint32_t region, uint32_t context,
                            uint64_t time_ns)
{
    uint32_t before = profile->current;
    if (!has_place(region, context)) {
        profile_enter(profile, region, time_ns);
        return before;
    }
    uint32_t call = next_path(profile, region, context);
    if (profile->paths[call].context == context) {
        before = call + 1;
        note_stretch(profile, &profile->paths[before], time_ns - profile->last_ns);
    }
    profile_account_to(profile, before, time_ns);
    push(profile, call, region, time_ns);
    return before;
}

uint32_t profile_before_call(struct profile *profile, uint32_t region, uint32_t context)
{
    if (!has_place(region, context))
        return profile->current;
    uint32_t call = next_path(profile, region, context);
    return profile->paths[call].context == context ? call + 1 : profile->current;
}

/// The frame beyond the top of the stack, of the current path, has been left.
static void __attribute__((noinline)) tell_visit(const struct profile *profile, uint64_t time_ns)
{
    const struct frame *frame = &profile->stack[profile->depth];
    region_visits_leave(profile->visits, profile->depth,
                        (struct event){.time_ns = time_ns,
                                       .kind = EVENT_VISIT,
                                       .index = profile->current,
                                       .context = frame->region,
                                       .size_bytes = frame->enter_ns,
                                       .request = profile->paths[profile->current].visits});
}

static inline void pop(struct profile *profile, uint64_t time_ns)
{
    struct frame *frame = &profile->stack[--profile->depth];
    struct path *path = &profile->paths[profile->current];
    path->visits++;
    profile->left_call = path->context == NONE ? NONE : profile->current;
    if (frame->path != profile->current) { // else a call beyond the limits, inside itself
        path->inclusive_ns += time_ns - frame->enter_ns;
        for (uint32_t on_way = path->parent; on_way != frame->path;
             on_way = profile->paths[on_way].parent)
            profile->paths[on_way].inclusive_ns += time_ns - frame->enter_ns;
    }
    if (__builtin_expect(profile->visits != NULL, 0))
        tell_visit(profile, time_ns);
    profile->current = frame->path;
}

void profile_leave(struct profile *profile, uint32_t region, uint64_t time_ns)
{
    profile_account(profile, time_ns);
    if (profile->depth > 0 && (profile->stack[profile->depth - 1].region == region ||
                               profile->definitions->renames_tasks)) {
        pop(profile, time_ns);
        return;
    }
    size_t depth = profile->depth;
    while (depth > 0 && profile->stack[depth - 1].region != region)
        depth--;
    if (depth == 0) { // a leave without enter
        profile->n_unbalanced++;
        return;
    }
    while (profile->depth > depth) {
        profile->n_unbalanced++;
        pop(profile, time_ns);
    }
    pop(profile, time_ns);
}

void profile_end(struct profile *profile)
{
    if (profile->is_off)
        profile_switch(profile, false, profile->last_ns);
    while (profile->depth > 0) {
        profile->n_unbalanced++;
        profile_leave(profile, profile->stack[profile->depth - 1].region, profile->last_ns);
    }
}

// --- recording off

void profile_switch(struct profile *profile, bool is_off, uint64_t time_ns)
{
    uint32_t gap = profile->definitions->gap_region;
    if (is_off == profile->is_off)
        profile_account(profile, time_ns);
    else if (is_off)
        profile_enter(profile, gap, time_ns);
    else
        profile_leave(profile, gap, time_ns);
    profile->is_off = is_off;
}

void profile_leave_around_gap(struct profile *profile, uint32_t region, uint64_t time_ns)
{
    uint32_t gap = profile->definitions->gap_region;
    bool is_innermost =
        profile->is_off && profile->depth > 0 && profile->stack[profile->depth - 1].region == gap;
    if (is_innermost)
        profile_leave(profile, gap, time_ns);
    profile_leave(profile, region, time_ns);
    if (is_innermost)
        profile_enter(profile, gap, time_ns);
}

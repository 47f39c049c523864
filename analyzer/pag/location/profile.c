// SPDX-License-Identifier: BSD-3-Clause
// Call tree and times of one location. The hot path (enter, leave) is an addition, a comparison of
// the open leaf's epoch and, almost always, a hit in the parent's last-child cache.
//
// Of a program without recorded functions the MPI calls are all there is. Where the trace says from
// where they are called, the functions on the way become nodes of the tree, without visits or time
// of their own, and the time up to a call is kept apart as the stretch before it: it still belongs
// to the open region, but lineages tell one stretch from another.
#include "analyzer/pag/location/location.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

// Deeper calls, and paths beyond the number, are counted at the path they exceed: endless recursion
// must not use up memory.
enum { MAX_DEPTH = 1000, PATH_BITS = 20, MAX_PATHS = 1 << PATH_BITS };
// A key of profile.calls; calls of regions or contexts with larger numbers are known without place.
enum { CALL_BITS = 22 };

static_assert(sizeof(struct path) == 64, "a path is one cache line");
static_assert(PATH_BITS + 2 * CALL_BITS == 64, "a call's key");

void profile_init(struct profile *profile)
{
    *profile = (struct profile){0};
    map_init(&profile->children);
    map_init(&profile->calls);
    profile->paths = array_reserve(NULL, &profile->paths_capacity, 1, sizeof(struct path));
    profile->paths[0] =
        (struct path){.region = NONE, .parent = NONE, .context = NONE, .last_child_region = NONE};
    profile->n_paths = 1;
    profile->left_call = NONE;
}

void profile_release(struct profile *profile)
{
    free(profile->paths);
    free(profile->stack);
    map_release(&profile->children);
    map_release(&profile->calls);
}

void profile_touch(struct location_state *location, struct path *path, uint32_t index)
{
    struct head *head = &location->head;
    path->epoch = head->epoch;
    path->mark_ns = path->exclusive_ns;
    head->touched = array_reserve(head->touched, &head->touched_capacity, head->n_touched + 1,
                                  sizeof(*head->touched));
    head->touched[head->n_touched++] = index;
}

uint64_t profile_move(struct location_state *location, uint32_t from, uint32_t to, uint64_t ns)
{
    struct path *source = &location->profile.paths[from];
    struct path *target = &location->profile.paths[to];
    uint32_t epoch = location->head.epoch;
    uint64_t most_ns = source->epoch == epoch ? source->exclusive_ns - source->mark_ns : 0;
    uint64_t moved_ns = ns < most_ns ? ns : most_ns;
    if (moved_ns == 0 || from == to)
        return 0;
    if (target->epoch != epoch)
        profile_touch(location, target, to);
    source->exclusive_ns -= moved_ns;
    target->exclusive_ns += moved_ns;
    target->inclusive_ns += moved_ns;
    target->visits++;
    return moved_ns;
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
                                          .parent = parent,
                                          .depth = (uint16_t)(profile->paths[parent].depth + 1),
                                          .context = context,
                                          .last_child_region = NONE};
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
static bool is_open(const struct definitions *definitions, const struct profile *profile,
                    uint32_t path, const char *name)
{
    for (; path != 0; path = profile->paths[path].parent)
        if (strcmp(definitions->regions[profile->paths[path].region].name, name) == 0)
            return true;
    return false;
}

/// The node below PATH, the current one, for the function of CONTEXT. Its functions outwards from
/// the innermost are new until one is open: that one, and what is around it, is recorded already.
static uint32_t enter_context(const struct definitions *definitions, struct profile *profile,
                              uint32_t path, uint32_t context)
{
    uint32_t functions[MAX_DEPTH], n = 0;
    for (; context != NONE && n < MAX_DEPTH; context = definitions->contexts[context].parent) {
        uint32_t region = definitions->contexts[context].region;
        if (region == NONE)
            continue;
        if (is_open(definitions, profile, path, definitions->regions[region].name))
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

/// The node of a call of REGION from CONTEXT while PATH is the current one, with its stretch.
static uint32_t find_call(const struct definitions *definitions, struct profile *profile,
                          uint32_t path, uint32_t region, uint32_t context)
{
    uint64_t key = call_key(path, region, context);
    uint32_t call;
    if (map_get(&profile->calls, key, &call))
        return call;
    uint32_t parent = enter_context(definitions, profile, path, context);
    if (!has_room(profile, parent, 2))
        return profile_child(profile, parent, region);
    call = new_path(profile, parent, region, context);
    uint32_t stretch = new_path(profile, path, NONE, NONE);
    profile->paths[stretch].is_stretch = true;
    profile->paths[stretch].last_child = NONE;
    map_put(&profile->calls, key, call);
    return call;
}

// A call with a place is followed by its stretch, which is below the path it was called from.
void profile_grow_as(struct profile *profile, const struct call_path *tree, size_t n_paths)
{
    for (size_t i = 1; i < n_paths; i++) {
        const struct call_path *path = &tree[i];
        uint32_t index = new_path(profile, path->parent, path->region, path->context);
        profile->paths[index].is_stretch = path->is_stretch;
        if (path->is_stretch)
            profile->paths[index].last_child = NONE;
        else if (path->context == NONE)
            map_put(&profile->children, (uint64_t)path->parent << 32 | path->region, index);
        else
            map_put(&profile->calls, call_key(tree[i + 1].parent, path->region, path->context),
                    index);
    }
}

/// The node to go to from the current one; CONTEXT only for MPI calls.
static inline uint32_t next_path(const struct definitions *definitions, struct profile *profile,
                                 uint32_t region, uint32_t context)
{
    struct path *current = &profile->paths[profile->current];
    if (current->last_child_region == region && current->last_child_context == context)
        return current->last_child;
    uint32_t child = context == NONE
                         ? profile_child(profile, profile->current, region)
                         : find_call(definitions, profile, profile->current, region, context);
    current = &profile->paths[profile->current]; // may have moved
    current->last_child_region = region;
    current->last_child_context = context;
    current->last_child = child;
    return child;
}

static inline void push(struct profile *profile, uint32_t child, uint32_t region, uint64_t time_ns)
{
    if (profile->depth == profile->stack_capacity)
        profile->stack = array_reserve(profile->stack, &profile->stack_capacity, profile->depth + 1,
                                       sizeof(struct frame));
    profile->stack[profile->depth++] =
        (struct frame){.path = profile->current, .region = region, .enter_ns = time_ns};
    profile->current = child;
}

void profile_enter(struct location_state *location, uint32_t region, uint64_t time_ns)
{
    struct profile *profile = &location->profile;
    profile_account(location, time_ns);
    profile->left_call = NONE;
    push(profile, next_path(NULL, profile, region, NONE), region, time_ns);
}

/// Keeps between which calls the longest of the stretches was.
static inline void note_longest(const struct profile *profile, struct path *stretch,
                                uint64_t length_ns)
{
    if (length_ns <= stretch->inclusive_ns)
        return;
    stretch->inclusive_ns = length_ns;
    stretch->last_child = profile->left_call;
}

void profile_enter_call(const struct definitions *definitions, struct location_state *location,
                        uint32_t region, uint32_t context, uint64_t time_ns)
{
    struct profile *profile = &location->profile;
    if (context == NONE || (region | context) >> CALL_BITS != 0) {
        profile_enter(location, region, time_ns);
        return;
    }
    uint32_t call = next_path(definitions, profile, region, context);
    bool has_stretch = profile->paths[call].context == context;
    if (has_stretch)
        note_longest(profile, &profile->paths[call + 1], time_ns - profile->last_ns);
    profile_account_to(location, has_stretch ? call + 1 : profile->current, time_ns);
    push(profile, call, region, time_ns);
}

uint32_t profile_before_call(const struct definitions *definitions, struct location_state *location,
                             uint32_t region, uint32_t context)
{
    struct profile *profile = &location->profile;
    if (context == NONE || (region | context) >> CALL_BITS != 0)
        return profile->current;
    uint32_t call = next_path(definitions, profile, region, context);
    return profile->paths[call].context == context ? call + 1 : profile->current;
}

static void pop(struct profile *profile, uint64_t time_ns)
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
    profile->current = frame->path;
}

void profile_leave(struct location_state *location, uint32_t region, uint64_t time_ns)
{
    struct profile *profile = &location->profile;
    profile_account(location, time_ns);
    if (profile->depth > 0 && profile->stack[profile->depth - 1].region == region) {
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

// SPDX-License-Identifier: BSD-3-Clause
// Call tree and times of one location. The hot path (enter, leave) is an addition, a comparison of
// the open leaf's epoch and, almost always, a hit in the parent's last-child cache.
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/engine.h"

// Deeper calls, and paths beyond the number, are counted at the path they exceed: endless recursion
// must not use up memory.
enum { MAX_DEPTH = 1000, MAX_PATHS = 1 << 20 };

void profile_init(struct profile *profile)
{
    *profile = (struct profile){0};
    map_init(&profile->children);
    profile->paths = array_reserve(NULL, &profile->paths_capacity, 1, sizeof(struct path));
    profile->paths[0] = (struct path){
        .region = EVENT_NO_INDEX, .parent = NONE, .last_child_region = EVENT_NO_INDEX};
    profile->n_paths = 1;
}

void profile_release(struct profile *profile)
{
    free(profile->paths);
    free(profile->stack);
    map_release(&profile->children);
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

static uint32_t new_child(struct profile *profile, uint32_t parent, uint32_t region)
{
    if (profile->n_paths >= MAX_PATHS || profile->paths[parent].depth >= MAX_DEPTH)
        return parent;
    uint32_t index = (uint32_t)profile->n_paths++;
    profile->paths = array_reserve(profile->paths, &profile->paths_capacity, profile->n_paths,
                                   sizeof(struct path));
    profile->paths[index] = (struct path){.region = region,
                                          .parent = parent,
                                          .depth = profile->paths[parent].depth + 1,
                                          .last_child_region = EVENT_NO_INDEX};
    map_put(&profile->children, (uint64_t)parent << 32 | region, index);
    return index;
}

static uint32_t child_of(struct profile *profile, uint32_t parent, uint32_t region)
{
    if (profile->paths[parent].last_child_region == region)
        return profile->paths[parent].last_child;
    uint32_t child;
    if (!map_get(&profile->children, (uint64_t)parent << 32 | region, &child))
        child = new_child(profile, parent, region);
    profile->paths[parent].last_child_region = region;
    profile->paths[parent].last_child = child;
    return child;
}

void profile_enter(struct location_state *location, uint32_t region, uint64_t time_ns)
{
    struct profile *profile = &location->profile;
    profile_account(location, time_ns);
    uint32_t child = child_of(profile, profile->current, region);
    if (profile->depth == profile->stack_capacity)
        profile->stack = array_reserve(profile->stack, &profile->stack_capacity, profile->depth + 1,
                                       sizeof(struct frame));
    profile->stack[profile->depth++] =
        (struct frame){.path = profile->current, .region = region, .enter_ns = time_ns};
    profile->current = child;
}

static void pop(struct profile *profile, uint64_t time_ns)
{
    struct frame *frame = &profile->stack[--profile->depth];
    struct path *path = &profile->paths[profile->current];
    path->visits++;
    if (frame->path != profile->current) // else a call beyond the limits, inside itself
        path->inclusive_ns += time_ns - frame->enter_ns;
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

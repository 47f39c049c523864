// SPDX-License-Identifier: BSD-3-Clause
// What a location's own events before a point determine of its parts of the run after it (see
// location.h): where it is in the call tree, and the CPU time of the open interval. The sums up to
// the point are left out, for excerpts count differences only. Of the open leaf of the lineage,
// which limits how much time without CPU time can be moved, this concerns paths that the open
// interval or an MPI call has spent time at.
#include "analyzer/pag/location/location.h"

#include "analyzer/base/format/numbers.h"
#include "analyzer/base/memory.h"

/// The call tree, which is the begin of TREE, and the open regions.
static void pass_tree(struct profile *profile, const struct pag_location *tree,
                      struct numbers *numbers)
{
    size_t n_paths = numbers_pass(numbers, profile->n_paths);
    if (numbers->is_reading) {
        bool is_split = n_paths > 0 && n_paths < tree->n_paths && tree->paths[n_paths].is_stretch;
        if (n_paths > tree->n_paths || is_split) {
            numbers->is_damaged = true;
            return;
        }
        profile_grow_as(profile, tree->paths, n_paths);
    }
    profile->current = numbers_pass_index(numbers, profile->current, profile->n_paths);
    profile->last_ns = numbers_pass(numbers, profile->last_ns);
    profile->depth = numbers_pass_count(numbers, profile->depth);
    if (numbers->is_reading)
        profile->stack = array_reserve(profile->stack, &profile->stack_capacity, profile->depth,
                                       sizeof(struct frame));
    for (size_t i = 0; i < profile->depth; i++) {
        struct frame *frame = &profile->stack[i];
        frame->path = numbers_pass_index(numbers, frame->path, profile->n_paths);
        frame->region = (uint32_t)numbers_pass(numbers, frame->region);
        if (numbers->is_reading)
            frame->enter_ns = profile->last_ns; // for inclusive times, which are summed anew
    }
}

static void pass_cpu_time(struct without_cpu *account, size_t n_paths, struct numbers *numbers)
{
    struct cpu_span *span = &account->span;
    NUMBERS_PASS(numbers, span->has_seen, span->had, span->has);
    if (span->has_seen) {
        NUMBERS_PASS(numbers, span->seen_ns, span->seen_wait_ns);
    }
    if (span->had) {
        NUMBERS_PASS(numbers, span->had_ns, span->had_wait_ns);
    }
    if (span->has) {
        NUMBERS_PASS(numbers, span->first_at_ns, span->first_ns, span->last_at_ns, span->last_ns,
                     span->first_wait_ns, span->last_wait_ns);
    }
    account->begin_ns = numbers_pass(numbers, account->begin_ns);
    uint32_t n = numbers_pass_index(numbers, account->n_segments, 2 * CPU_SEGMENTS + 1);
    for (uint32_t i = 0; i < n && !numbers->is_damaged; i++) {
        if (numbers->is_reading)
            *cpu_segment_add(account) = (struct cpu_segment){0};
        struct cpu_segment *segment = &account->segments[i];
        NUMBERS_PASS(numbers, segment->begin_ns, segment->end_ns);
        segment->path = numbers_pass_index(numbers, segment->path, n_paths);
    }
}

static bool is_in_segment(const struct without_cpu *account, uint32_t path)
{
    for (uint32_t i = 0; i < account->n_segments; i++)
        if (account->segments[i].path == path)
            return true;
    return false;
}

/// Whether time may be moved from PATH that was spent before now.
static bool may_lose(const struct location_state *location, uint32_t path)
{
    uint32_t region = location->profile.paths[path].region;
    return path == location->profile.current ||
           is_in_segment(&location->profile.without_cpu, path) ||
           (region != NONE && location->definitions->regions[region].mpi != MPI_FUNCTION_NONE);
}

/// Writes, or adds what is read of, the time spent at PATH in the open leaf.
static void pass_spent(struct location_state *location, uint32_t path, struct numbers *numbers)
{
    path = numbers_pass_index(numbers, path, location->profile.n_paths);
    struct times *times = &location->head.times;
    uint64_t ns = numbers_pass(numbers, numbers->is_reading ? 0 : times_since(times, path));
    if (numbers->is_reading)
        times_at(times, path)->mark_ns = 0 - ns;
}

static void pass_leaf(struct location_state *location, struct numbers *numbers)
{
    const struct times *times = &location->head.times;
    size_t n = 0;
    for (size_t i = 0; i < times->n_touched && !numbers->is_reading; i++)
        n += may_lose(location, times->touched[i]);
    n = numbers_pass_count(numbers, n);
    if (numbers->is_reading)
        for (size_t i = 0; i < n; i++)
            pass_spent(location, 0, numbers);
    else
        for (size_t i = 0; i < times->n_touched; i++)
            if (may_lose(location, times->touched[i]))
                pass_spent(location, times->touched[i], numbers);
}

void location_pass(struct location_state *location, const struct pag_location *tree,
                   struct numbers *numbers)
{
    NUMBERS_PASS(numbers, location->has_begun, location->has_ended, location->profile.is_off,
                 location->profile.noted_ns, location->team_end_ns);
    location->lookahead_left = (uint32_t)numbers_pass(numbers, location->lookahead_left);
    pass_tree(&location->profile, tree, numbers);
    if (numbers->is_damaged)
        return;
    pass_cpu_time(&location->profile.without_cpu, location->profile.n_paths, numbers);
    pass_leaf(location, numbers);
}

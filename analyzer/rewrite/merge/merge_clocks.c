// SPDX-License-Identifier: BSD-3-Clause
// The new archive has the finest of the clocks, and its times are those of the first archive. A
// clock that ticks slower is scaled by clock offsets, which are exact at their ends and linear
// between them.
#include "analyzer/rewrite/merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

__extension__ typedef __int128 wide;

static const uint64_t second_ns = UINT64_C(1000000000);

/// VALUE counted TIMES a second, in units of which there are PER_SECOND; rounded to the nearest.
static int64_t rescaled(int64_t value, uint64_t times, uint64_t per_second)
{
    wide twice = (wide)value * (int64_t)per_second * 2, n = (wide)times;
    return (int64_t)((twice + (twice < 0 ? -n : n)) / (2 * n));
}

uint64_t merge_ticks(const struct merge *merge, const struct merged_world *world, uint64_t ticks)
{
    int64_t since = (int64_t)(ticks - world->begin_ticks);
    return world->new_begin_ticks +
           (uint64_t)rescaled(since, world->records->ticks_per_second, merge->ticks_per_second);
}

// ---- which clocks are the same

static const char *host_of(const struct merged_world *world)
{
    const struct definitions *definitions = world->definitions;
    return definitions->n_ranks > 0 ? definitions->nodes[definitions->ranks[0].node].name : "";
}

static bool has_realtime(const struct merged_world *world)
{
    return world->records->realtime_ns > 0 && world->records->realtime_ns < INT64_MAX;
}

/// The time of day at which the clock was 0.
static int64_t epoch_ns(const struct merged_world *world)
{
    return (int64_t)world->records->realtime_ns -
           rescaled((int64_t)world->begin_ticks, world->records->ticks_per_second, second_ns);
}

/// What an archive promises as its length counts up to a year.
static uint64_t end_of(const struct merged_world *world)
{
    const uint64_t year_s = 365 * UINT64_C(86400);
    uint64_t length = world->records->length_ticks, rate = world->records->ticks_per_second;
    uint64_t most = rate < UINT64_MAX / year_s ? rate * year_s : UINT64_MAX;
    return world->begin_ticks + (length < most ? length : most);
}

/// A clock that counts from the start of a host, or a fixed day, keeps its zero by the time of day,
/// unless somebody sets that. Without the time of day, the runs overlap.
static bool is_same_clock(const struct merged_world *a, const struct merged_world *b)
{
    if (a->records->ticks_per_second != b->records->ticks_per_second ||
        strcmp(host_of(a), host_of(b)) != 0)
        return false;
    if (has_realtime(a) && has_realtime(b))
        return llabs(epoch_ns(a) - epoch_ns(b)) <= (int64_t)second_ns;
    return a->begin_ticks <= end_of(b) && b->begin_ticks <= end_of(a);
}

/// When WORLD begins by the new archive's clock: as worlds before it tell.
static int place_begin(struct merge *merge, uint32_t index, int64_t *new_begins, struct error *err)
{
    struct merged_world *world = &merge->worlds[index];
    uint64_t rate = world->records->ticks_per_second;
    world->clock = index;
    if (index == 0) {
        new_begins[0] = rescaled((int64_t)world->begin_ticks, rate, merge->ticks_per_second);
        return 0;
    }
    for (uint32_t i = 0; i < index; i++) {
        const struct merged_world *other = &merge->worlds[i];
        if (!is_same_clock(other, world))
            continue;
        world->clock = other->clock;
        new_begins[index] =
            new_begins[i] + rescaled((int64_t)(world->begin_ticks - other->begin_ticks), rate,
                                     merge->ticks_per_second);
        return 0;
    }
    for (uint32_t i = 0; i < index && has_realtime(world); i++) {
        const struct merged_world *other = &merge->worlds[i];
        if (!has_realtime(other))
            continue;
        int64_t later_ns = (int64_t)(world->records->realtime_ns - other->records->realtime_ns);
        new_begins[index] = new_begins[i] + rescaled(later_ns, second_ns, merge->ticks_per_second);
        return 0;
    }
    return error_set(err,
                     "nothing relates the clock of '%s' to that of '%s': they are not the same "
                     "clock of one host, and not both say at what time of day they begin",
                     world->path, merge->worlds[0].path);
}

int merge_relate_clocks(struct merge *merge, struct error *err)
{
    int64_t *new_begins = memory_zeroed(merge->n_worlds, sizeof *new_begins), least = 0;
    int status = 0;
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        struct merged_world *world = &merge->worlds[i];
        world->begin_ticks = world->records->global_offset;
        if (world->records->ticks_per_second > merge->ticks_per_second)
            merge->ticks_per_second = world->records->ticks_per_second;
    }
    for (uint32_t i = 0; i < merge->n_worlds && status == 0; i++) {
        status = place_begin(merge, i, new_begins, err);
        least = new_begins[i] < least ? new_begins[i] : least;
    }
    uint64_t end_ticks = 0;
    merge->begin_ticks = UINT64_MAX;
    for (uint32_t i = 0; i < merge->n_worlds && status == 0; i++) {
        struct merged_world *world = &merge->worlds[i];
        world->new_begin_ticks = (uint64_t)(new_begins[i] - least);
        uint64_t end = merge_ticks(merge, world, end_of(world));
        if (world->new_begin_ticks < merge->begin_ticks)
            merge->begin_ticks = world->new_begin_ticks;
        end_ticks = end > end_ticks ? end : end_ticks;
    }
    merge->length_ticks = end_ticks - merge->begin_ticks;
    free(new_begins);
    return status;
}

// ---- clock offsets

static void add_knot(const struct merge *merge, const struct merged_world *world,
                     const struct local_definitions *own, size_t interval, uint64_t ticks,
                     double deviation, struct local_definitions *new_one)
{
    uint64_t run_ticks = local_definitions_ticks(own, &interval, ticks);
    uint64_t new_ticks = merge_ticks(merge, world, run_ticks);
    local_definitions_add_offset(new_one, ticks, (int64_t)(new_ticks - ticks), deviation);
}

void merge_offsets(const struct merge *merge, const struct merged_world *world,
                   const struct local_definitions *own, struct local_definitions *new_one)
{
    if (merge->ticks_per_second == world->records->ticks_per_second &&
        world->new_begin_ticks == world->begin_ticks) {
        local_definitions_copy_offsets(new_one, own);
        return;
    }
    for (size_t i = 0; i < own->n_intervals && own->n_intervals > 1; i++)
        add_knot(merge, world, own, i, own->intervals[i].begin_ticks, own->intervals[i].deviation,
                 new_one);
    if (own->n_intervals > 1)
        return;
    uint64_t end_ticks = end_of(world);
    add_knot(merge, world, own, 0, world->begin_ticks, 0, new_one);
    add_knot(merge, world, own, 0,
             end_ticks > world->begin_ticks ? end_ticks : world->begin_ticks + 1, 0, new_one);
}

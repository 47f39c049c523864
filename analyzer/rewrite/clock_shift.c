// SPDX-License-Identifier: BSD-3-Clause
// Bounds by pairs of ranks, in the order in which they were first seen, and shortest paths over
// them (see clock_shift.h).
#include "analyzer/rewrite/clock_shift.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/trace/event.h"

#define UNREACHED INT64_MAX

/// What CAUSE did came to EFFECT after at least this time, by their clocks.
struct bound {
    uint32_t cause, effect;
    int64_t least_ns;
};

struct clock_shift {
    size_t n_ranks;
    struct bound *bounds;
    size_t n_bounds, capacity;
    struct map by_pair; // cause << 32 | effect: index into bounds
};

struct clock_shift *clock_shift_new(size_t n_ranks)
{
    struct clock_shift *shift = memory_zeroed(1, sizeof *shift);
    shift->n_ranks = n_ranks;
    map_init(&shift->by_pair);
    return shift;
}

void clock_shift_free(struct clock_shift *shift)
{
    if (!shift)
        return;
    map_release(&shift->by_pair);
    free(shift->bounds);
    free(shift);
}

static void note(struct clock_shift *shift, int64_t cause, uint32_t effect, int64_t took_ns)
{
    if (cause < 0 || (size_t)cause >= shift->n_ranks || effect >= shift->n_ranks || cause == effect)
        return;
    uint64_t pair = (uint64_t)cause << 32 | effect;
    uint32_t index;
    if (!map_get(&shift->by_pair, pair, &index)) {
        index = (uint32_t)shift->n_bounds;
        shift->bounds = array_reserve(shift->bounds, &shift->capacity, shift->n_bounds + 1,
                                      sizeof *shift->bounds);
        shift->bounds[shift->n_bounds++] = (struct bound){(uint32_t)cause, effect, took_ns};
        map_put(&shift->by_pair, pair, index);
    } else if (took_ns < shift->bounds[index].least_ns) {
        shift->bounds[index].least_ns = took_ns;
    }
}

void clock_shift_message(void *context, const struct pag_message *message)
{
    note(context, message->sender, message->receiver,
         (int64_t)message->leave_ns - (int64_t)message->send_enter_ns);
}

void clock_shift_root(void *context, const struct root *root)
{
    const int64_t *value = root->value;
    if (root->kind != ROOT_COLLECTIVE)
        return;
    int64_t leave_ns = value[ROOT_COLLECTIVE_LEAVE];
    bool has_data = value[ROOT_COLLECTIVE_BYTES] > 0;
    int64_t last_ns = leave_ns - value[ROOT_COLLECTIVE_LAST_ENTER];
    switch (value[ROOT_COLLECTIVE_KIND]) {
    case COLLECTIVE_BARRIER:
        note(context, value[ROOT_COLLECTIVE_LAST_RANK], root->rank, last_ns);
        break;
    case COLLECTIVE_ALL_TO_ALL:
        if (has_data)
            note(context, value[ROOT_COLLECTIVE_LAST_RANK], root->rank, last_ns);
        break;
    case COLLECTIVE_ONE_TO_ALL:
        if (has_data && value[ROOT_COLLECTIVE_ROOT_ENTER] != ROOT_NEVER)
            note(context, value[ROOT_COLLECTIVE_ROOT_RANK], root->rank,
                 leave_ns - value[ROOT_COLLECTIVE_ROOT_ENTER]);
        break;
    case COLLECTIVE_ALL_TO_ONE:
        if (has_data && value[ROOT_COLLECTIVE_IS_ROOT])
            note(context, value[ROOT_COLLECTIVE_LAST_RANK], root->rank, last_ns);
        break;
    default:
        break;
    }
}

/// Shortest ways to every rank: from where AT_NS is 0, along the bounds or against them. Whether
/// there are any: a circle of bounds below 0 has none.
static bool shorten(const struct clock_shift *shift, bool against, int64_t *at_ns)
{
    bool goes_on = true;
    for (size_t round = 0; goes_on && round <= shift->n_ranks; round++) {
        goes_on = false;
        for (size_t i = 0; i < shift->n_bounds; i++) {
            const struct bound *bound = &shift->bounds[i];
            int64_t from_ns = at_ns[against ? bound->effect : bound->cause];
            int64_t *to_ns = &at_ns[against ? bound->cause : bound->effect];
            if (from_ns == UNREACHED || from_ns + bound->least_ns >= *to_ns)
                continue;
            *to_ns = from_ns + bound->least_ns;
            goes_on = true;
        }
    }
    return !goes_on;
}

/// How far each clock is ahead of that of rank 0, in the middle between the bounds; false: there
/// are none for some rank. The mean of two solutions is one; rounding down both ways of a bound
/// keeps it.
static bool take_middle(const struct clock_shift *shift, int64_t *ahead_ns)
{
    int64_t *least = memory_zeroed(shift->n_ranks, sizeof *least);
    bool has_all = true;
    for (size_t i = 1; i < shift->n_ranks; i++)
        ahead_ns[i] = least[i] = UNREACHED;
    ahead_ns[0] = 0;
    shorten(shift, false, ahead_ns);
    shorten(shift, true, least);
    for (size_t i = 0; i < shift->n_ranks; i++) {
        has_all = has_all && ahead_ns[i] != UNREACHED && least[i] != UNREACHED;
        if (!has_all)
            break;
        int64_t twice = ahead_ns[i] - least[i];
        ahead_ns[i] = twice / 2 - (twice % 2 < 0);
    }
    free(least);
    return has_all;
}

int clock_shift_solve(const struct clock_shift *shift, uint64_t *later_ns, struct error *err)
{
    int64_t *ahead = memory_zeroed(shift->n_ranks, sizeof *ahead);
    int64_t *middle = memory_zeroed(shift->n_ranks, sizeof *middle);
    int status = 0;
    if (!shorten(shift, false, ahead))
        status = error_set(err, "no constant shifts of the ranks' clocks let all messages and "
                                "collectives come after what they come from: the clocks run at "
                                "different speeds, or jump");
    else if (shift->n_ranks > 0 && take_middle(shift, middle))
        for (size_t i = 0; i < shift->n_ranks; i++)
            ahead[i] = middle[i];
    int64_t most = INT64_MIN;
    for (size_t i = 0; i < shift->n_ranks; i++)
        most = ahead[i] > most ? ahead[i] : most;
    for (size_t i = 0; i < shift->n_ranks && status == 0; i++)
        later_ns[i] = (uint64_t)(most - ahead[i]);
    free(ahead);
    free(middle);
    return status;
}

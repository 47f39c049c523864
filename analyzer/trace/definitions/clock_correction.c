// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/trace/definitions/clock_correction.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/clock.h"

struct clock_correction clock_correction_none(size_t n_ranks)
{
    return clock_correction_new(n_ranks, 1);
}

struct clock_correction clock_correction_new(size_t n_ranks, size_t n_knots)
{
    return (struct clock_correction){.n_ranks = n_ranks,
                                     .n_knots = n_knots,
                                     .at_ns = memory_zeroed(n_ranks * n_knots, sizeof(int64_t)),
                                     .later_ns = memory_zeroed(n_ranks * n_knots, sizeof(int64_t))};
}

void clock_correction_release(struct clock_correction *correction)
{
    FREE_ALL(correction->at_ns, correction->later_ns);
    *correction = (struct clock_correction){0};
}

uint64_t clock_correction_most_ns(const struct clock_correction *correction)
{
    int64_t most_ns = 0;
    for (size_t i = 0; i < correction->n_ranks * correction->n_knots; i++)
        most_ns = correction->later_ns[i] > most_ns ? correction->later_ns[i] : most_ns;
    return (uint64_t)most_ns;
}

/// In ticks, rounded to the nearest.
static int64_t ticks_of(int64_t time_ns, uint64_t ticks_per_second)
{
    __extension__ typedef __int128 wide;
    const wide second_ns = 1000000000;
    wide twice = (wide)time_ns * (int64_t)ticks_per_second * 2;
    return (int64_t)((twice + (twice < 0 ? -second_ns : second_ns)) / (2 * second_ns));
}

/// A piecewise linear function of N knots; the outermost pieces go on beyond their ends. One knot
/// alone is a constant.
static int64_t later_at(const int64_t *at, const int64_t *later, size_t n, int64_t time)
{
    if (n == 1)
        return later[0];
    size_t i = 0;
    while (i + 2 < n && time > at[i + 1])
        i++;
    double slope = (double)(later[i + 1] - later[i]) / (double)(at[i + 1] - at[i]);
    return later[i] + llround(slope * (double)(time - at[i]));
}

void clock_correction_sum(struct clock_correction *total, const struct clock_correction *more)
{
    const struct clock_correction *knots = total->n_knots > 1 ? total : more;
    struct clock_correction sum = clock_correction_new(total->n_ranks, knots->n_knots);
    for (size_t i = 0; i < sum.n_ranks * sum.n_knots; i++) {
        size_t rank = i / sum.n_knots, mine = rank * total->n_knots, other = rank * more->n_knots;
        sum.at_ns[i] = knots->at_ns[i] - (knots == more ? total->later_ns[mine] : 0);
        sum.later_ns[i] =
            later_at(&total->at_ns[mine], &total->later_ns[mine], total->n_knots, sum.at_ns[i]);
        sum.later_ns[i] += later_at(&more->at_ns[other], &more->later_ns[other], more->n_knots,
                                    sum.at_ns[i] + sum.later_ns[i]);
    }
    clock_correction_release(total);
    *total = sum;
}

/// TICKS of a location's clock on the run's clock.
static int64_t in_run(const struct local_definitions *local, int64_t ticks)
{
    size_t interval = 0;
    return (int64_t)local_definitions_ticks(local, &interval, (uint64_t)ticks);
}

static int ascending(const void *a, const void *b)
{
    const int64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/// Where the sum may change: where offsets did, and at the knots, which are by the times that these
/// offsets make of the clock's. The library takes no notice of a single offset, so a constant has
/// two.
static size_t find_changes(const struct local_definitions *local, const int64_t *at_ticks,
                           size_t n_knots, int64_t *changes)
{
    size_t n = 0;
    if (local->n_intervals > 1)
        for (; n < local->n_intervals; n++)
            changes[n] = (int64_t)local->intervals[n].begin_ticks;
    if (n == 0 && n_knots == 1) {
        changes[n++] = at_ticks[0];
        changes[n++] = at_ticks[0] + 1;
    }
    for (size_t k = 0; k < n_knots && n_knots > 1; k++) {
        int64_t ticks = at_ticks[k];
        for (int i = 0; i < 4; i++) // each brings it as much nearer as the drift is small
            ticks += at_ticks[k] - in_run(local, ticks);
        changes[n++] = ticks > 0 ? ticks : 0;
    }
    qsort(changes, n, sizeof *changes, ascending);
    return n;
}

/// The deviation that LOCAL has at TICKS.
static double deviation_at(const struct local_definitions *local, int64_t ticks)
{
    size_t i = 0;
    while (i + 1 < local->n_intervals && (int64_t)local->intervals[i + 1].begin_ticks <= ticks)
        i++;
    return i < local->n_intervals ? local->intervals[i].deviation : 0;
}

void clock_correction_add(const struct clock_correction *correction, uint32_t rank,
                          const struct clock *clock, uint64_t ticks_per_second,
                          struct local_definitions *local)
{
    size_t n_knots = correction->n_knots;
    SCOPED int64_t *at_ticks = memory_zeroed(n_knots, sizeof *at_ticks);
    SCOPED int64_t *later_ticks = memory_zeroed(n_knots, sizeof *later_ticks);
    SCOPED int64_t *changes = memory_zeroed(n_knots + local->n_intervals + 2, sizeof *changes);
    bool is_any = false;
    for (size_t k = 0; k < n_knots; k++) {
        size_t i = rank * n_knots + k;
        at_ticks[k] =
            (int64_t)clock->origin_ticks + ticks_of(correction->at_ns[i], ticks_per_second);
        later_ticks[k] = ticks_of(correction->later_ns[i], ticks_per_second);
        is_any |= later_ticks[k] != 0;
    }
    SCOPED_BY(local_definitions_release) struct local_definitions sum = {0};
    size_t n = is_any ? find_changes(local, at_ticks, n_knots, changes) : 0;
    for (size_t i = 0; i < n; i++) {
        int64_t run_ticks = in_run(local, changes[i]);
        int64_t later = later_at(at_ticks, later_ticks, n_knots, run_ticks);
        local_definitions_add_offset(&sum, (uint64_t)changes[i], run_ticks + later - changes[i],
                                     deviation_at(local, changes[i]));
    }
    if (is_any)
        local_definitions_copy_offsets(local, &sum);
}

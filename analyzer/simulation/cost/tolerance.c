// SPDX-License-Identifier: BSD-3-Clause
// Bracketing, then secants and halves (see tolerance.h).
#include "analyzer/simulation/cost/tolerance.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { FIRST_GROWTH = 8 };

/// The two tried values around a crossing, and the next larger one.
struct bracket {
    struct tolerance_point low, high, beyond;
    bool has_high, has_beyond;
};

static void insert(struct tolerance_search *search, struct tolerance_point point)
{
    search->points = array_reserve(search->points, &search->capacity, search->n_points + 1,
                                   sizeof *search->points);
    size_t at = search->n_points++;
    for (; at > 0 && search->points[at - 1].added > point.added; at--)
        search->points[at] = search->points[at - 1];
    search->points[at] = point;
}

void tolerance_search_init(struct tolerance_search *search, tolerance_run *run, void *context,
                           uint64_t most, uint64_t base_ns)
{
    *search = (struct tolerance_search){.run = run, .context = context, .most = most};
    insert(search, (struct tolerance_point){0, base_ns});
}

void tolerance_search_release(struct tolerance_search *search)
{
    free(search->points);
    *search = (struct tolerance_search){0};
}

static int try(struct tolerance_search *search, uint64_t added, struct error *err)
{
    struct tolerance_point point = {.added = added};
    if (search->run(search->context, added, &point.time_ns, err) != 0)
        return -1;
    insert(search, point);
    return 0;
}

static struct bracket bracket_of(const struct tolerance_search *search, uint64_t level_ns)
{
    struct bracket bracket = {.low = search->points[0]};
    for (size_t i = 1; i < search->n_points; i++) {
        if (bracket.has_high) {
            bracket.beyond = search->points[i];
            bracket.has_beyond = true;
            break;
        }
        bracket.has_high = search->points[i].time_ns > level_ns;
        *(bracket.has_high ? &bracket.high : &bracket.low) = search->points[i];
    }
    return bracket;
}

/// Beyond all that was tried: where the slope so far leads, and more; twice as far as the last time
/// where that led to nothing, for a time that stays at the level, whatever is added, has no slope.
static uint64_t further(const struct tolerance_search *search, const struct bracket *bracket,
                        uint64_t level_ns, uint64_t start)
{
    const struct tolerance_point *base = &search->points[0], *low = &bracket->low;
    double next = low->added > 0 ? (double)low->added * FIRST_GROWTH : (double)start;
    if (low->time_ns > base->time_ns) {
        double slope = (double)(low->time_ns - base->time_ns) / (double)low->added;
        double leads_to = (double)low->added + 1.1 * (double)(level_ns - low->time_ns) / slope + 1;
        next = leads_to < next ? leads_to : next;
    }
    if (search->n_points > 2) {
        uint64_t step = low->added - search->points[search->n_points - 2].added;
        double least = (double)low->added + 2 * (double)step;
        next = next < least ? least : next;
    }
    if (next >= (double)search->most)
        return search->most;
    return (uint64_t)next > low->added ? (uint64_t)next : low->added + 1;
}

static uint64_t width_wanted(uint64_t low)
{
    double width = (double)low * TOLERANCE_PRECISION;
    return width > 1 ? (uint64_t)width : 1;
}

/// Where the line through two points meets LEVEL_NS; their times differ.
static double meets(const struct tolerance_point *a, const struct tolerance_point *b,
                    uint64_t level_ns)
{
    double slope =
        ((double)b->time_ns - (double)a->time_ns) / ((double)b->added - (double)a->added);
    return (double)a->added + ((double)level_ns - (double)a->time_ns) / slope;
}

/// A value inside BRACKET: where the line through the two points above the level meets it (of a
/// convex function not before it does), or the bracket's chord (not after it); with HALVES the
/// middle. At least one precision away from either end.
static uint64_t inside(const struct bracket *bracket, uint64_t level_ns, bool halves)
{
    uint64_t low = bracket->low.added, high = bracket->high.added;
    uint64_t least = width_wanted(low);
    double at = (double)low + (double)(high - low) / 2;
    if (!halves && bracket->has_beyond && bracket->beyond.time_ns > bracket->high.time_ns)
        at = meets(&bracket->high, &bracket->beyond, level_ns);
    else if (!halves)
        at = meets(&bracket->low, &bracket->high, level_ns);
    if (at > (double)(high - least))
        at = (double)(high - least);
    return at > (double)(low + least) ? (uint64_t)at : low + least;
}

int tolerance_find(struct tolerance_search *search, uint64_t level_ns, uint64_t start,
                   struct tolerance *found, struct error *err)
{
    struct bracket bracket = bracket_of(search, level_ns);
    while (!bracket.has_high && bracket.low.added < search->most) {
        if (try(search, further(search, &bracket, level_ns, start), err) != 0)
            return -1;
        bracket = bracket_of(search, level_ns);
    }
    bool halves = false;
    while (bracket.has_high &&
           bracket.high.added - bracket.low.added > width_wanted(bracket.low.added)) {
        uint64_t width = bracket.high.added - bracket.low.added;
        if (try(search, inside(&bracket, level_ns, halves), err) != 0)
            return -1;
        bracket = bracket_of(search, level_ns);
        halves = !halves && bracket.high.added - bracket.low.added > width / 2;
    }
    *found = (struct tolerance){
        .tolerated = bracket.low.added,
        .exceeded = bracket.has_high ? bracket.high.added : UINT64_MAX,
    };
    return 0;
}

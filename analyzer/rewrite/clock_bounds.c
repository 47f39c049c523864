// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/rewrite/clock_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum {
    MAX_WINDOWS = 128,     // of a pair of ranks
    MIN_WINDOWS = 16,      // however many ranks
    SHARED_WINDOWS = 8192, // by all ranks
    HULL_POINTS = 6,       // of a window
};

void clock_bounds_init(struct clock_bounds *all, size_t n_ranks, uint64_t length_ns)
{
    size_t n_windows = SHARED_WINDOWS / (n_ranks + 1);
    n_windows = n_windows > MAX_WINDOWS   ? MAX_WINDOWS
                : n_windows < MIN_WINDOWS ? MIN_WINDOWS
                                          : n_windows;
    *all = (struct clock_bounds){.n_ranks = n_ranks,
                                 .window_ns = (int64_t)(length_ns / n_windows) + 1};
    map_init(&all->by_pair);
}

void clock_bounds_release(struct clock_bounds *all)
{
    FREE_MEMBERS(all->bounds, all->n, points);
    map_release(&all->by_pair);
    free(all->bounds);
    *all = (struct clock_bounds){0};
}

void clock_bounds_drop(struct clock_bounds *all, uint32_t rank)
{
    size_t n = 0;
    map_release(&all->by_pair);
    for (size_t i = 0; i < all->n; i++) {
        struct clock_bound *bound = &all->bounds[i];
        if (bound->cause == rank || bound->effect == rank) {
            free(bound->points);
            continue;
        }
        map_put(&all->by_pair, (uint64_t)bound->cause << 32 | bound->effect, (uint32_t)n);
        all->bounds[n++] = *bound;
    }
    all->n = n;
}

// --- the lower hull of a window

static double slope(struct clock_point from, struct clock_point to)
{
    return (double)(to.took_ns - from.took_ns) / (double)(to.sent_ns - from.sent_ns);
}

double clock_bound_took(struct clock_point from, struct clock_point to, double sent_ns)
{
    return (double)from.took_ns + slope(from, to) * (sent_ns - (double)from.sent_ns);
}

/// Leaves the lower hull of N points in ascending order: how many there are.
static size_t lower_hull(struct clock_point *points, size_t n)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        const struct clock_point next = points[i];
        if (n_kept > 0 && points[n_kept - 1].sent_ns == next.sent_ns) {
            if (points[n_kept - 1].took_ns <= next.took_ns)
                continue;
            n_kept--;
        }
        while (n_kept > 1 &&
               slope(points[n_kept - 2], points[n_kept - 1]) >= slope(points[n_kept - 2], next))
            n_kept--;
        points[n_kept++] = next;
    }
    return n_kept;
}

/// Where the edges before and after the edge from points[i] meet: below it.
static struct clock_point below(const struct clock_point *points, size_t i)
{
    const struct clock_point *p = &points[i];
    double before = slope(p[-1], p[0]), after = slope(p[1], p[2]);
    double meet_ns = (double)p[0].sent_ns + ((double)(p[1].took_ns - p[0].took_ns) -
                                             after * (double)(p[1].sent_ns - p[0].sent_ns)) /
                                                (before - after);
    struct clock_point point = {.sent_ns = (int64_t)meet_ns};
    double sent_ns = (double)point.sent_ns;
    point.took_ns = (int64_t)floor(
        fmin(clock_bound_took(p[-1], p[0], sent_ns), clock_bound_took(p[1], p[2], sent_ns)));
    return point;
}

/// Joins the two of N points of a hull with the least loss, so that it bounds no less.
static void join_two(struct clock_point *points, size_t n)
{
    size_t best = 1;
    double least_ns = INFINITY;
    for (size_t i = 1; i + 2 < n; i++) {
        const struct clock_point point = below(points, i);
        double loss_ns = clock_bound_took(points[i], points[i + 1], (double)point.sent_ns) -
                         (double)point.took_ns;
        if (loss_ns < least_ns) {
            least_ns = loss_ns;
            best = i;
        }
    }
    points[best] = below(points, best);
    memmove(&points[best + 1], &points[best + 2], (n - best - 2) * sizeof *points);
}

static int64_t window_of(const struct clock_bounds *all, const struct clock_point *point)
{
    return point->sent_ns / all->window_ns;
}

static void add_point(const struct clock_bounds *all, struct clock_bound *bound,
                      struct clock_point point)
{
    ARRAY_NEXT(bound->points, bound->n_points, bound->capacity);
    struct clock_point *points = bound->points;
    size_t at = bound->n_points - 1; // messages come nearly in this order
    for (; at > 0 && points[at - 1].sent_ns > point.sent_ns; at--)
        points[at] = points[at - 1];
    points[at] = point;
    size_t first = at, end = at + 1;
    while (first > 0 && window_of(all, &points[first - 1]) == window_of(all, &point))
        first--;
    while (end < bound->n_points && window_of(all, &points[end]) == window_of(all, &point))
        end++;
    size_t n = lower_hull(&points[first], end - first);
    if (n > HULL_POINTS)
        join_two(&points[first], n--);
    memmove(&points[first + n], &points[end], (bound->n_points - end) * sizeof *points);
    bound->n_points -= end - first - n;
}

void clock_bounds_cause(void *context, const struct pag_cause *cause)
{
    struct clock_bounds *all = context;
    int64_t took_ns = (int64_t)(cause->leave_ns - cause->cause_ns);
    if (cause->cause == cause->effect)
        return;
    uint64_t pair = (uint64_t)cause->cause << 32 | cause->effect;
    uint32_t index;
    if (!map_get(&all->by_pair, pair, &index)) {
        index = (uint32_t)all->n;
        *ARRAY_NEXT(all->bounds, all->n, all->capacity) = (struct clock_bound){
            .cause = cause->cause, .effect = cause->effect, .least_ns = took_ns};
        map_put(&all->by_pair, pair, index);
    }
    struct clock_bound *bound = &all->bounds[index];
    if (took_ns < bound->least_ns)
        bound->least_ns = took_ns;
    add_point(all, bound, (struct clock_point){(int64_t)cause->cause_ns, took_ns});
}

// --- looked up

bool clock_bound_has_edge(const struct clock_bounds *all, const struct clock_bound *bound, size_t i)
{
    return i > 0 && i < bound->n_points &&
           window_of(all, &bound->points[i - 1]) == window_of(all, &bound->points[i]);
}

size_t clock_bound_find(const struct clock_bound *bound, double sent_ns)
{
    size_t first = 0, end = bound->n_points;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if ((double)bound->points[middle].sent_ns < sent_ns)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

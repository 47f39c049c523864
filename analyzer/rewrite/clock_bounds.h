// SPDX-License-Identifier: BSD-3-Clause
// What messages and collectives say of the ranks' clocks. If the clock of rank i is A_i ahead, a
// message that took T by the clocks of its sender s and receiver r says A_r - A_s <= T. Of each
// pair of ranks and each window of the run only the lower hull of these bounds over time is kept,
// or a few points below it: it implies all others as long as A is linear within the window, and
// memory does not grow with the trace.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/map.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pag/trigger.h"

struct clock_point {
    int64_t sent_ns, took_ns; // by the clock of the cause; by both
};

/// What CAUSE did came to EFFECT after at least this time.
struct clock_bound {
    uint32_t cause, effect;
    struct clock_point *points; // ascending by sent_ns
    size_t n_points, capacity;
    int64_t least_ns; // of all; then the solver's
};

struct clock_bounds {
    size_t n_ranks;
    int64_t window_ns;
    struct clock_bound *bounds;
    size_t n, capacity;
    struct map by_pair; // cause << 32 | effect: index into bounds
};

/// None yet, of a run of LENGTH_NS; clock_bounds_release() frees what it holds.
void clock_bounds_init(struct clock_bounds *all, size_t n_ranks, uint64_t length_ns);
void clock_bounds_release(struct clock_bounds *all);

/// Parts of a pag_listener; CONTEXT is a struct clock_bounds. Of collectives these say something:
/// barriers and operations in which all need all, by the member that came last; broadcasts and the
/// like, by their root; reductions and the like, of their root.
void clock_bounds_message(void *context, const struct pag_message *message);
void clock_bounds_trigger(void *context, const struct trigger *trigger);

/// The first point at this time or later; n_points: none.
size_t clock_bound_find(const struct clock_bound *bound, double sent_ns);

/// Whether an edge of a hull ends at point I: both its ends are of one window.
bool clock_bound_has_edge(const struct clock_bounds *all, const struct clock_bound *bound,
                          size_t i);

/// On the line through two points.
double clock_bound_took(struct clock_point from, struct clock_point to, double sent_ns);

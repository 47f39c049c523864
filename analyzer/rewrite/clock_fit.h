// SPDX-License-Identifier: BSD-3-Clause
// Corrections of the ranks' clocks with which no message or collective comes before its cause:
// constants where these suffice, else pieces of constant drift, which is what OTF2's clock offsets
// can say.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/map.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions/clock_correction.h"

// --- clock_bounds.c
// What messages and collectives say of the ranks' clocks. If the clock of rank i is A_i ahead, a
// message that took T by the clocks of its sender s and receiver r says A_r - A_s <= T. Of each
// pair of ranks and each window of the run only the lower hull of these bounds over time is kept,
// or a few points below it: it implies all others as long as A is linear within the window, and
// memory does not grow with the trace.

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

/// Forgets the bounds of RANK.
void clock_bounds_drop(struct clock_bounds *all, uint32_t rank);

/// A pag_listener's `caused`; CONTEXT is a struct clock_bounds.
void clock_bounds_cause(void *context, const struct pag_cause *cause);

/// The first point at this time or later; n_points: none.
size_t clock_bound_find(const struct clock_bound *bound, double sent_ns);

/// Whether an edge of a hull ends at point I: both its ends are of one window.
bool clock_bound_has_edge(const struct clock_bounds *all, const struct clock_bound *bound,
                          size_t i);

/// On the line through two points.
double clock_bound_took(struct clock_point from, struct clock_point to, double sent_ns);

// --- clock_ways.c
// Ways from rank to rank over the bounds of a part of the run.

#define CLOCK_UNREACHED INT64_MAX

enum clock_end { CLOCK_CAUSE, CLOCK_EFFECT, CLOCK_ENDS };

struct clock_ways {
    struct clock_bounds *all;
    uint32_t reference; // a rank that others are measured from, 0 at first
    uint32_t *back;     // of each bound: the one the other way; its own index: none
    uint32_t *at_hand;  // bounds in their order; least_ns of all others is CLOCK_UNREACHED
    size_t n;
    // By rank, and which end of them it is: places in at_hand. The last rank's go up to N.
    uint32_t *first[CLOCK_ENDS], *places[CLOCK_ENDS];
};

/// All bounds are at hand.
void clock_ways_init(struct clock_ways *ways, struct clock_bounds *all);
void clock_ways_release(struct clock_ways *ways);
/// After a change of what is at hand.
void clock_ways_sort(struct clock_ways *ways);

/// Shortest ways to every rank: from where AT_NS is 0, from the BEGIN of each bound to its other
/// end. Whether there are any: a circle of bounds below 0 has none.
bool clock_ways_shorten(const struct clock_ways *ways, enum clock_end begin, int64_t *at_ns);

/// The way to a rank over the pairs whose messages, to and fro, took least.
struct clock_way {
    double ahead_ns, round_trip_ns;
};

/// How far the clocks are ahead of the reference's by the bounds at hand, of each rank; ranks that
/// no way leads to keep an infinite round trip.
void clock_ways_estimate(const struct clock_ways *ways, struct clock_way *way);

// --- clock_fit.c

/// The correction with the fewest knots that keeps BOUNDS, exact to RESOLUTION_NS. Of ranks that
/// all send to each other, perhaps by way of others, it is in the middle between the bounds,
/// measured from the first of them; else the least that does. A few ranks whose clocks jump are
/// left as they are, but for a constant, and JUMPING (of zeros) says which, by how much and when.
/// 0, and it takes the place of CORRECTION; or -1 and ERR where clocks jump too often. BOUNDS are
/// of no use afterwards.
int clock_fit(struct clock_bounds *bounds, uint64_t resolution_ns,
              struct clock_correction *correction, struct error *jumping, struct error *err);

// --- correct_clocks.c

/// What is wrong with the clocks of a trace, and what was done.
struct clock_report {
    uint64_t n_violations, n_left;      // before and after
    struct clock_correction correction; // all 0 if there are none. The caller releases
    struct error jumping;               // whose clocks are not aligned, for they jump; empty: none
};

/// Replays TRACE, which has been read or just opened, and corrects its clocks from then on
/// (trace_correct_clocks()), again while some remain: the member that enters a collective operation
/// last may change with each correction. 0, and TRACE has been read to its end; 1 and ERR: its
/// clocks cannot be corrected, likewise; -1 and ERR: it cannot be read.
int correct_clocks(struct trace *trace, struct clock_report *report, struct error *err);

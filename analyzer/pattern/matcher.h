// SPDX-License-Identifier: BSD-3-Clause
// The matcher: shows each trigger event of a replay to the patterns that can hold there, and sums
// what they find by pattern, location and call path. Constant time per trigger event, no allocation
// except for the first instance on a call path.
//
//     struct matcher *matcher = matcher_new(catalogue, trace_definitions(trace));
//     struct pag_listener listener = {.trigger = {matcher_trigger, matcher},
//                                     .window_moved = {matcher_window_moved, matcher}};
//     pag_run(trace, &options, &listener, &result, &err);
//     for (size_t p = 0; p < catalogue->n_patterns; p++) {
//         struct matcher_finding finding = matcher_finding(matcher, p);
//         for (size_t location = 0; location < definitions->n_locations; location++) {
//             size_t n_cells; // index = local call path, as in pag_result.locations[].paths
//             const struct matcher_cell *cells = matcher_cells(matcher, p, location, &n_cells);
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/pag/trigger.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/trace/definitions.h"

struct matcher;

#define MATCHER_NO_RANK UINT32_MAX

/// Instances of a pattern at one call path of one location.
struct matcher_cell {
    uint64_t count;
    uint64_t wait_ns;
};

/// All instances of a pattern.
struct matcher_finding {
    uint64_t count;
    uint64_t total_ns;
    uint64_t window_ns;  // of those entered in the window, what lies in it (trigger.h)
    double confidence;   // 0..1, mean weighted by the waits; 0 without instances
    uint64_t held_bytes; // of trigger events `send`: nine tenths of the waits are for messages of
                         // up to this size, which one of them has; else 0
    struct {             // the longest; ties: begins first, then lowest rank. wait_ns 0: none
        uint64_t wait_ns;
        uint64_t time_ns; // when the wait began
        uint32_t rank, location, call_path;
        uint32_t cause_rank; // that was waited for; MATCHER_NO_RANK when unknown
    } worst;
};

/// By region: whether a pattern looks at its visits, for pag_options.visited. NULL: none does. The
/// caller frees.
bool *matcher_visited(const struct catalogue *catalogue, const struct definitions *definitions);

/// Both arguments stay the caller's and must outlive the matcher.
struct matcher *matcher_new(const struct catalogue *catalogue,
                            const struct definitions *definitions);
void matcher_free(struct matcher *matcher);

/// An instance of a pattern, as it is found; those within it come after it.
struct matcher_instance {
    const struct pattern *pattern;
    const struct trigger *trigger;
    uint64_t begin_ns, wait_ns;
    uint32_t cause_rank; // that was waited for; MATCHER_NO_RANK when unknown
};
typedef void matcher_listener(void *context, const struct matcher_instance *instance);

/// From now on LISTENER is told of each instance.
void matcher_listen(struct matcher *matcher, matcher_listener *listener, void *context);

/// For struct pag_listener; the context is the matcher. An instance is a wait above 0 where the
/// condition holds, as far as it lies in its call: no wait is longer than that, whatever the clocks
/// or a user's formula say.
void matcher_trigger(void *matcher, const struct trigger *trigger);
void matcher_window_moved(void *matcher);

struct matcher_finding matcher_finding(const struct matcher *matcher, size_t pattern);

/// The sums of a pattern on a location by its local call paths (cells after *N are zero).
const struct matcher_cell *matcher_cells(const struct matcher *matcher, size_t pattern,
                                         size_t location, size_t *n);

/// Instances of a pattern in which RANK was waited for; those of unknown cause belong to no rank.
struct matcher_cell matcher_caused_by(const struct matcher *matcher, size_t pattern, uint32_t rank);

/// The sums of a pattern by trigger.sync_object, N of them; not of parts.
const struct matcher_cell *matcher_objects(const struct matcher *matcher, size_t pattern,
                                           size_t *n);

/// Waits of the pattern on a location within the window. The waiting time of a rank is the sum over
/// its locations and the patterns with is_counted.
uint64_t matcher_window_ns(const struct matcher *matcher, size_t pattern, size_t location);

struct part_matchers;

/// Matchers that count of a wait only what lies in their PARTS (each by location), and judge all of
/// that. All arguments stay the caller's and must outlive the matchers.
struct part_matchers *part_matchers_new(const struct catalogue *catalogue,
                                        const struct definitions *definitions,
                                        const struct pag_part *const *parts, size_t n_parts);
void part_matchers_free(struct part_matchers *matchers);

/// See matcher_trigger().
void part_matchers_trigger(void *part_matchers, const struct trigger *trigger);

const struct matcher *part_matchers_at(const struct part_matchers *matchers, size_t part);

/// Memory that the matchers take.
size_t part_matchers_bytes(const struct part_matchers *matchers);

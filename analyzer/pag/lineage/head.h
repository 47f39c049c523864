// SPDX-License-Identifier: BSD-3-Clause
// The lineage of a location: its open end, the waits it explains, and teams of threads.
#pragma once

#include <stdint.h>

#include "analyzer/pag/state.h"

/// Added to a call path in tallies: its time without CPU time that `lost` holds.
#define HEAD_LOST UINT32_C(0x40000000)

void head_init(struct engine *engine, uint32_t location, struct head *head);
void head_release(struct head *head);
/// The location's lineage as it is now, as a node; the caller gets a reference.
uint32_t head_cut(struct engine *engine, struct location_state *location);
/// The lineage that a location goes on from, instead of its own.
struct hand_over {
    uint32_t node;
    uint64_t released_ns; // the time of NODE
    uint64_t since_ns; // when another rank's lineage ended; of another location of the rank that of
                       // NODE
    uint64_t now_ns;
    uint32_t path; // of the location's own: what it is in from the release until now
};
/// The location's lineage becomes that of HAND_OVER plus the time from its release until now. A
/// release that comes later, for want of good clocks, is repaired by negative time.
void head_take_over(struct engine *engine, struct location_state *location,
                    const struct hand_over *hand_over);
/// The whole lineage of the location as one tally.
void head_sum(const struct engine *engine, const struct location_state *location,
              struct tally *sum);

struct waiting_call {
    uint64_t enter_ns, leave_ns;
};

/// Explains the wait of KIND that lasts from FROM to TO, the moment of its release, in CALL. FROM
/// then is TO, where the next wait of the same call begins; so the explanations of consecutive
/// waits sum to the time from the first FROM to the last TO. No wait: TO is not later than FROM.
/// Not explained: a lineage is unknown, or the release is later than the leave. The part after the
/// releaser itself waited last is direct (pag_explanation).
void explain_wait(struct engine *engine, enum pag_wait_kind kind, struct waiting_call call,
                  struct moment *from, struct moment to);
/// The window begins anew: what was explained so far lies outside.
void explain_window_anew(struct engine *engine);

/// EVENT_THREAD_FORK, _JOIN, _TEAM_BEGIN and _TEAM_END, at TIME_NS, up to which the location's time
/// is accounted: at the fork the lineage of every member goes on from the forking thread's, at the
/// join the joining thread's from that of the last member out. With EVENT_OF_CREATED a thread's
/// goes on from that of the thread that made it, and that of one that waits for its end from its
/// own.
void threads_event(struct engine *engine, struct location_state *location,
                   const struct event *event, uint64_t time_ns);

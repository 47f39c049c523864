// SPDX-License-Identifier: BSD-3-Clause
// How many threads of each process are at work at once: each from its begin to its end, or in a
// team, except while it waits for others in a construct of a thread runtime. So it is known whether
// they had a core each, although there may be more of them, such as one that waits for all others.
#pragma once

#include "analyzer/pag/state.h"

struct threads_at_work;

/// For the locations and ranks of ENGINE. The caller frees.
struct threads_at_work *threads_at_work_new(const struct engine *engine);
void threads_at_work_free(struct threads_at_work *self);

// What happens to LOCATION, of a rank, at a time, in the order of time.
void threads_at_work_begin(struct threads_at_work *self, const struct location_state *location,
                           uint64_t time_ns);
void threads_at_work_end(struct threads_at_work *self, const struct location_state *location,
                         uint64_t time_ns);
/// EVENT_THREAD_FORK, _JOIN, _TEAM_BEGIN or _TEAM_END.
void threads_at_work_team(struct threads_at_work *self, const struct location_state *location,
                          const struct event *event);
/// EVENT_CONSTRUCT_ENTER, _LEAVE or EVENT_BARRIER_LEAVE.
void threads_at_work_construct(const struct engine *engine, struct threads_at_work *self,
                               const struct location_state *location, const struct event *event);

/// The run is over: fills n_at_work of result.rank_threads. So many threads were at work at once,
/// but for a twentieth of the time in which several were; at least 1.
void threads_at_work_fill(const struct threads_at_work *self, struct pag_result *result);

// SPDX-License-Identifier: BSD-3-Clause
// Where the threads of each process spend the window: computing, in MPI, waiting for each other in
// constructs of OpenMP or another thread runtime, or idle, outside the team while the master goes
// on alone. Only where a process has several threads, and the whole run counts (not for
// pag_options.parts, nor in simulated time); else engine.threads is NULL and all of this nothing.
//
// A thread waits at a barrier until the last thread of its team enters; what is left of the barrier
// is the runtime's. It waits for a lock from the enter of the construct to that of its body. A
// further thread is idle from the end of its team to the begin of the next one, except from a fork
// to the begin of its team and from its end to the join, which are the runtime's.
#pragma once

#include "analyzer/pag/state.h"

/// For ENGINE, whose locations are known; NULL where there is nothing to account for.
struct thread_time *thread_time_new(const struct engine *engine);
void thread_time_free(struct thread_time *time);

// What happens to LOCATION at TIME_NS, in the order of time.
void thread_time_begin(struct engine *engine, const struct location_state *location,
                       uint64_t time_ns);
void thread_time_end(struct engine *engine, const struct location_state *location,
                     uint64_t time_ns);
void thread_time_mpi(struct engine *engine, const struct location_state *location, bool is_inside,
                     uint64_t time_ns);
void thread_time_off(struct engine *engine, const struct location_state *location, bool is_off,
                     uint64_t time_ns);
/// EVENT_CONSTRUCT_ENTER, _LEAVE or EVENT_BARRIER_LEAVE.
void thread_time_construct(struct engine *engine, const struct location_state *location,
                           const struct event *event);
/// EVENT_LOCK_ACQUIRED or EVENT_LOCK_RELEASED.
void thread_time_lock(struct engine *engine, const struct location_state *location,
                      const struct event *event);

/// EVENT_THREAD_FORK, _JOIN, _TEAM_BEGIN or _TEAM_END.
void thread_time_team(struct engine *engine, const struct location_state *location,
                      const struct event *event);
/// The window begins anew, or is known to end.
void thread_time_window(struct engine *engine);

/// The run is over: fills result.threads.
void thread_time_fill(struct engine *engine);

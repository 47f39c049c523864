// SPDX-License-Identifier: BSD-3-Clause
// How a location of a simulated run goes on. Outside MPI: the work up to its next call, an event of
// its threads, or its end. In an MPI call: work before its messages depart, the wait for what it
// needs (blocked.h), its leave.
#pragma once

#include <stdint.h>

struct engine;
struct event;
struct location_state;

/// LOCATION is outside MPI from NOW_NS on, which was RECORDED_NS in the recording: reads what it
/// does up to its next call, which the scheduler lets it work.
void outside_begin(struct engine *engine, struct location_state *location, uint64_t now_ns,
                   uint64_t recorded_ns);

/// That work is done: goes on with what comes next.
void outside_is_over(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// LOCATION has no further event.
void outside_end_location(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// The work before the wait of a call is done.
void in_call_await(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// All of the call is done: reads its records up to its leave, and goes on after it.
void in_call_leave(struct engine *engine, struct location_state *location, uint64_t now_ns);

// SPDX-License-Identifier: BSD-3-Clause
// A location of a simulated run in an MPI call: work before its messages depart, the wait for what
// it needs (blocked.h), its leave.
#ifndef PAGODA_SIMULATION_IN_CALL_H
#define PAGODA_SIMULATION_IN_CALL_H

#include <stdint.h>

struct engine;
struct event;
struct location_state;

/// LOCATION enters a call by EVENT.
void in_call_enter(struct engine *engine, struct location_state *location,
                   const struct event *event, uint64_t now_ns);

/// It enters the call that stands for those that were put off (overlap_begin), and waits.
void in_call_enter_late(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// The work before the wait is done.
void in_call_await(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// All of the call is done: reads its records up to its leave, and goes on behind it.
void in_call_leave(struct engine *engine, struct location_state *location, uint64_t now_ns);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// What the leave of a call settles: waits, trigger events, hand-over of the lineage.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/state.h"

/// After the enter of a call: keeps the lineage of a waiter for the explanation of its wait.
void leave_expect(struct engine *engine, struct location_state *location);

/// Settles the open call. EVENT_NO_INDEX when done, else the world rank that must be read first.
uint32_t leave_call(struct engine *engine, struct location_state *location);
/// The world rank that must be read before CALL can be settled, EVENT_NO_INDEX: none.
uint32_t leave_awaited_rank(const struct engine *engine, const struct location_state *location);
/// CALL, a member of a cycle of calls that wait for each other, no longer waits for what it does.
void leave_give_up(const struct engine *engine, struct call *call);
/// LOCATION and WAITER wait for each other. If LOCATION waits only for an operation that need not
/// synchronise, and its next records send what WAITER waits for, it has evidently not waited: then
/// its call no longer does. Whether that is so.
bool leave_break_cycle(const struct engine *engine, struct location_state *location,
                       const struct location_state *waiter);

// SPDX-License-Identifier: BSD-3-Clause
// Calls of a simulated run that wait, and their conditions. A call whose partners have not all come
// blocks its location until matching says that the last one has (blocked_try_again()): then its
// conditions are complete and the cost model says from when on they are met.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct location_state;

/// LOCATION's call waits from NOW_NS on; it goes on by itself if all partners have come already.
void blocked_begin(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// LOCATION's call is blocked in an operation whose steps need a core, and perhaps has it at
/// NOW_NS.
void blocked_step(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// Goes on with the blocked calls of RANK (of N ranks; of all) whose conditions are met by now.
void blocked_try_again(struct engine *engine, uint32_t rank);
void blocked_try_ranks(struct engine *engine, const uint32_t *ranks, uint32_t n);
void blocked_try_all_again(struct engine *engine);

/// No location can go on: the call entered first is let go without the partners that have not come.
/// False when there is none.
bool blocked_let_go(struct engine *engine);

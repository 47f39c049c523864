// SPDX-License-Identifier: BSD-3-Clause
// Calls of a simulated run that wait, and their conditions. A call whose partners have not all come
// blocks its location until matching says that the last one has (simulation_try_again): then its
// conditions are complete and the cost model says from when on they are met.
#ifndef PAGODA_SIMULATION_BLOCKED_H
#define PAGODA_SIMULATION_BLOCKED_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/simulation/simulation.h"

/// LOCATION's call waits from NOW_NS on; it goes on by itself if all partners have come already.
void blocked_begin(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// LOCATION's call is blocked in an operation whose steps need a core, and perhaps has it at
/// NOW_NS.
void blocked_step(struct engine *engine, struct location_state *location, uint64_t now_ns);

/// Goes on with all blocked calls whose conditions are met by now.
void blocked_try_all_again(struct engine *engine);

/// Nobody can go on: the call entered first is let go without the partners that have not come.
/// False when there is none.
bool blocked_let_go(struct engine *engine);

/// Goes on with the blocked calls of RANK whose conditions are met by now.
void simulation_try_again(struct engine *engine, uint32_t rank);

/// Whether another member releases PART: its operation synchronises, and its member waits in it.
bool simulation_part_waits(const struct engine *engine, struct part part);

/// Whether CALL is MPI_Init or MPI_Finalize, or all it completes creates or destroys handles.
bool simulation_is_handle(const struct engine *engine, const struct call *call);

/// All conditions of LOCATION's call that are known so far are met as far as partners go: true, and
/// they stand in simulation.conditions, *N_CONDITIONS of them. False: a partner has not come.
bool simulation_gather(struct engine *engine, struct location_state *location,
                       uint32_t *n_conditions);

/// Puts the conditions of CALL into simulation.conditions: their number.
uint32_t simulation_conditions(struct engine *engine, const struct call *call);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// A task farm with another number of workers, or dealt otherwise: the recorded tasks are handed out
// again as a dealing says, by default in their order, each to whoever is free. Which worker did a
// task in the recording counts for nothing, for in another run it would be another one.
//
// The master sends a task to each worker, one a gap. Then, until all answers are there: it receives
// the answer that came first (a receive where one is there, else it waits for one); if a task is
// left for who answered it works `before`, sends it, and works `after`, else it works `tail`. A
// worker has a task after its flight, works, answers; the answer comes after its flight. All share
// the cores as predictions do (simulation/cores/scheduler.h): the master and the workers of the run
// those of their ranks, each worker more those with the fewest processes for a core (ties: the
// first ones). Costs: farm.h, or those of the dealing.
#ifndef PAGODA_SIMULATION_DEALT_HAND_OUT_H
#define PAGODA_SIMULATION_DEALT_HAND_OUT_H

#include "analyzer/simulation/dealt/farm.h"
#include "analyzer/simulation/dealt/observe.h"

/// How long the phases of FARM take with N_WORKERS of them on the cores of CORES; where their
/// number is not known each rank has one.
uint64_t hand_out_length(const struct farm *farm, uint32_t n_workers, const struct observed *cores,
                         const struct dealing *dealing);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// The task farm of a run (farm.h), and how long the run is with another number of workers.
#pragma once

#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/dealt/farm.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/reader.h"

struct farm_run {
    uint32_t master;
    const struct scenario *scenario;
    uint32_t n_cores;            // that all ranks may use together; 0: not known, one for each
    uint64_t time_ns, phases_ns; // of the run under the scenario, and of its phases
    // Of the run as it was recorded: the phases, and the same by the model.
    uint64_t recorded_ns, modelled_ns;
    struct farm_messages messages;
    struct farm farm; // with every rank on a core of its own, so that tasks are work, not waiting
    uint32_t n_passes;
};

/// Finds the farm of TRACE, whose measured replay is MEASURED, by predicted runs under SCENARIO,
/// which must outlive RUN. 0, or -1 and ERR: there is none, and why. The caller releases RUN in
/// either case.
int farm_run_find(struct farm_run *run, struct trace *trace, const struct scenario *scenario,
                  const struct recorded *recorded, const struct pag_result *measured,
                  struct error *err);
void farm_run_release(struct farm_run *run);

/// Length of the phases with N_WORKERS and DEALING: the recorded one times the model's for these
/// under the settings over the model's for the run as it was recorded, which is exact where nothing
/// changes. With as many workers and the dealing there were it is the same run, except which worker
/// does which task.
uint64_t farm_run_phases_ns(const struct farm_run *run, uint32_t n_workers,
                            const struct dealing *dealing);

/// The number of workers, from 1 to twice today's and two, with the shortest run: the least one
/// within 2 % of the shortest phases, dealt as recorded. Where that would take long not all numbers
/// are tried.
uint32_t farm_run_best(const struct farm_run *run);

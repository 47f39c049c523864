// SPDX-License-Identifier: BSD-3-Clause
// A prediction: the clock of a simulated run under a scenario.
#ifndef PAGODA_SIMULATION_PREDICTION_H
#define PAGODA_SIMULATION_PREDICTION_H

#include "analyzer/base/error.h"
#include "analyzer/simulation/change/visits.h"
#include "analyzer/simulation/clock.h"
#include "analyzer/simulation/cores/scheduler.h"
#include "analyzer/simulation/cost/added_delay.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/cost/timeless.h"
#include "analyzer/simulation/network/collective_run.h"
#include "analyzer/simulation/network/contention.h"
#include "analyzer/simulation/scenario.h"

/// What of a rank's call that completes sends, the last such one, is its own at most.
struct send_limit {
    uint64_t recorded_leave_ns, own_ns;
};

/// How far a rank has come: the call it entered last, and the last one before ENTER_NS.
struct rank_progress {
    uint64_t enter_ns, recorded_enter_ns, recorded_before_ns;
};

struct prediction {
    const struct definitions *definitions;
    const struct scenario *scenario;
    const struct recorded *recorded;
    const struct machine *machine; // whose messages cost what it says; NULL: as recorded
    struct scheduler *scheduler;
    struct contention *contention;       // NULL: messages do not hinder each other
    struct collective_runs *collectives; // carried out by algorithms; NULL: none is
    struct visit_run *visits;            // whose work is set; NULL: none is
    struct visits *counted;              // that are counted; NULL: none are
    struct added_delay delay;
    bool is_delayed;
    uint32_t n_finalized; // ranks that have entered MPI_Finalize, the last one then
    uint64_t last_finalize_ns;
    struct timeless *timeless; // NULL: recorded times count
    // By rank, NULL: it did not lack cores.
    struct rank_notes_reader **own_times, **crowded_times, **lost_cores;
    struct rank_notes_reader **partner_times[RECORDED_PARTNERS];
    struct send_limit *send_limits; // by rank
    struct rank_progress *progress; // by rank
    size_t n_ranks;
    struct recorded_use use;
    struct pag_clock clock; // for pag_simulate()
};

/// Prepares one simulated run of the locations of DEFINITIONS. SCENARIO and RECORDED must outlive
/// it; PREDICTION must not move while its clock is in use.
void prediction_init(struct prediction *prediction, const struct definitions *definitions,
                     const struct scenario *scenario, const struct recorded *recorded);

/// After the run: whether all that was needed could be read. 0, or -1 and ERR.
int prediction_check(const struct prediction *prediction, struct error *err);

void prediction_release(struct prediction *prediction);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// A simulated run: prepared once, replayed once, and then asked what it found.
#ifndef PAGODA_SIMULATION_PREDICTION_H
#define PAGODA_SIMULATION_PREDICTION_H

#include "analyzer/base/error.h"
#include "analyzer/simulation/change/add_latency.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/simulation/cores/scheduler.h"
#include "analyzer/simulation/cost/cost_model.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/cost/timeless.h"
#include "analyzer/simulation/network/collective_run.h"
#include "analyzer/simulation/network/contention.h"
#include "analyzer/simulation/scenario.h"

struct ideal;
struct recorded_calls;

struct prediction {
    const struct definitions *definitions;
    const struct scenario *scenario;
    const struct recorded *recorded;
    const struct cost_model *costs;
    struct scheduler *scheduler;
    struct contention *contention;       // NULL: messages do not hinder each other
    struct collective_runs *collectives; // carried out message by message; NULL: none is
    bool has_slices;                     // steps of these need a core
    bool counts_wall_time; // the process time outside MPI is its length, whatever CPU samples say
    bool knows_paths;      // regions are named, so call paths have marks and scales
    struct visit_run *visits;     // whose work is set; NULL: none is
    struct visits *counted;       // that are counted instead; NULL: none are
    struct recorded_calls *calls; // of ranks that lacked cores; NULL: none did
    struct added_latency delay;
    bool is_delayed;
    struct timeless *timeless; // NULL: recorded times count
    struct ideal *ideal;       // with ideal_costs
    uint32_t n_finalized;      // ranks that have entered MPI_Finalize, the last one then
    uint64_t last_finalize_ns;
    struct recorded_use use;
};

/// Prepares one simulated run of the locations of DEFINITIONS. SCENARIO and RECORDED must outlive
/// it. Messages cost what the machine of the settings says if it has any, else what they did.
void prediction_init(struct prediction *prediction, const struct definitions *definitions,
                     const struct scenario *scenario, const struct recorded *recorded);
void prediction_release(struct prediction *prediction);

/// Replays the whole archive in simulated time: all of RESULT, the root events and the critical
/// path are those of the predicted run. TRACE is a freshly opened one. As pag_run(); -1 and ERR
/// also when the predicted run takes too long for sums over its ranks.
int prediction_run(struct prediction *prediction, struct trace *trace,
                   const struct pag_options *options, const struct pag_listener *listener,
                   struct pag_result *result, struct error *err);

/// After the run: whether all that was needed could be read. 0, or -1 and ERR.
int prediction_check(const struct prediction *prediction, struct error *err);

/// The scheduler of a run under SCENARIO. The caller frees.
struct scheduler *prediction_share_cores(const struct scenario *scenario,
                                         const struct definitions *definitions);

/// The factor in millionths of a call path of LOCATION. *MARK is that of the path above (0: none)
/// and becomes that of the path, from its region, and of an MPI call from where it is called
/// (EVENT_NO_INDEX where unknown). With region EVENT_NO_INDEX: of the stretch before the call with
/// *MARK, which stays.
static inline uint64_t prediction_scale(const struct prediction *prediction, uint32_t location,
                                        uint64_t *mark, uint32_t region, uint32_t calling_context)
{
    const struct scenario *scenario = prediction->scenario;
    if (region != EVENT_NO_INDEX)
        region_patterns_enter(scenario->regions, mark, region, calling_context);
    uint64_t factor = region_scales_factor(&scenario->scales, *mark);
    if (!prediction->visits)
        return factor;
    return (uint64_t)((pag_work)factor * visit_run_scale(prediction->visits, location, *mark) /
                      PAG_WORK_PER_NS);
}

/// What CALL, all partners of which have come, waits for, as struct cost_model has it.
static inline void prediction_settle(struct prediction *prediction,
                                     const struct simulated_call *call,
                                     const struct call_condition *conditions, uint32_t n_conditions,
                                     uint64_t *ready_ns, pag_work *work)
{
    if (prediction->is_delayed)
        conditions = added_latency_apply(&prediction->delay, conditions, n_conditions);
    prediction->costs->settle(prediction, call, conditions, n_conditions, ready_ns, work);
}

#endif

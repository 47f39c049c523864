// SPDX-License-Identifier: BSD-3-Clause
// Costs as recorded: the cost model, and what the recording tells of calls of oversubscribed ranks.
#pragma once

#include "analyzer/simulation/state.h"

/// What of CALL, of a master location, is its own: recorded_work_ns of CALL where nothing else is
/// known. The same whenever it is asked between the call's enter and its leave.
uint64_t recorded_own_work(const struct prediction *prediction, const struct simulated_call *call);

/// Process time of WALL_NS of the master location of RANK outside MPI, up to the next call or its
/// end at END_NS, of which its CPU clock says that it is CPU_NS.
uint64_t recorded_process_time(const struct prediction *prediction, uint32_t rank, uint64_t end_ns,
                               uint64_t wall_ns, uint64_t cpu_ns);

/// cost_model.work_before and .settle at recorded costs; machines take them for handle calls.
pag_work recorded_costs_before(struct prediction *prediction, const struct simulated_call *call,
                               const uint32_t *receivers);
void recorded_costs_settle(struct prediction *prediction, const struct simulated_call *call,
                           const struct call_condition *conditions, uint32_t n_conditions,
                           uint64_t *ready_ns, pag_work *work);
uint64_t recorded_costs_length(const struct prediction *prediction,
                               const struct simulated_call *call, bool is_unknown);
bool recorded_costs_synchronise(const struct prediction *prediction, uint8_t operation,
                                bool is_finalize);

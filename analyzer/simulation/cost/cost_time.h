// SPDX-License-Identifier: BSD-3-Clause
// Times that options and machine files give as costs.
#ifndef PAGODA_SIMULATION_COST_COST_TIME_H
#define PAGODA_SIMULATION_COST_COST_TIME_H

#include <stdint.h>

#include "analyzer/base/error.h"

/// Shorter slices would take a simulation for ever, and no system has them.
#define COST_TIME_LEAST_SLICE_NS UINT64_C(1000)

/// As option_read_duration(), but an hour at most: so sums over millions of messages and visits
/// stay far from the end of the clock. 0, or -1 and ERR.
int cost_time_read(const char *text, uint64_t *time_ns, struct error *err);

/// Likewise, of a time slice: 0, or a microsecond at least.
int cost_time_read_slice(const char *text, uint64_t *slice_ns, struct error *err);

#endif

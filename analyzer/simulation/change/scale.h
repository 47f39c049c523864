// SPDX-License-Identifier: BSD-3-Clause
// Regions that compute faster or slower: --scale REGION=F, and <region> of a machine file.
#ifndef PAGODA_SIMULATION_CHANGE_SCALE_H
#define PAGODA_SIMULATION_CHANGE_SCALE_H

#include <stdint.h>

#include "analyzer/base/error.h"

struct scenario;

/// Reads those of SCENARIO's settings, and of their machine. 0, or -1 and ERR.
int region_scales_init(struct scenario *scenario, struct error *err);

/// The product of the factors of all that the path with MARK (region_pattern.h) is inside of.
uint64_t region_scales_factor(const struct scenario *scenario, uint64_t mark);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// What matching tells in a simulated run.
#ifndef PAGODA_SIMULATION_MATCHED_H
#define PAGODA_SIMULATION_MATCHED_H

#include "analyzer/pag/hooks.h"

extern const struct engine_hooks simulation_hooks;

#endif

// SPDX-License-Identifier: BSD-3-Clause
// User regions: instrumented functions (by address) and annotations of pagoda.h (by name).
#ifndef PAGODA_TRACER_REGION_H
#define PAGODA_TRACER_REGION_H

#include "tracer/dispatch.h"
#include "tracer/stream.h"

// Where the dispatcher sends user regions.
extern const struct recorder region_recorder; // without language entries

#endif

// SPDX-License-Identifier: BSD-3-Clause
// User regions: instrumented functions (by address) and annotations of pagoda.h (by name).
#ifndef PAGODA_TRACER_REGION_H
#define PAGODA_TRACER_REGION_H

#include "tracer/dispatch.h"
#include "tracer/stream.h"

// Where the dispatcher sends user regions.
extern const struct recorder region_recorder; // without language entries

// Records which programs and libraries are loaded where, unless nothing has changed since the last
// time; function addresses are turned into names after the run.
void region_write_modules(struct stream *stream);

#endif

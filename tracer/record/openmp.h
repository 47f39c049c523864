// SPDX-License-Identifier: BSD-3-Clause
// OpenMP: teams of threads and the constructs they meet, whichever runtime they are of.
#pragma once

#include "tracer/dispatch/dispatch.h"

/// Where the dispatcher sends what OpenMP threads do.
extern const struct openmp_recorder openmp_recorder;

// SPDX-License-Identifier: BSD-3-Clause
// User regions: instrumented functions (by address) and annotations of pagoda.h (by name).
#pragma once

#include "tracer/dispatch/dispatch.h"
#include "tracer/record/stream.h"

#include <stdbool.h>
#include <stdint.h>

/// Where the dispatcher sends user regions.
extern const struct recorder region_recorder; // without language entries and OpenMP

// Which regions are recorded, and which ones switch recording on and off: the rules of the settings
// applied to functions, annotations and MPI functions.
//
// The last rule that fits a region decides; without one it is recorded. A pattern is compared with
// the function's name, for C++ with its demangled form, with and without the parameters. Rules
// about source files need debug information: the finisher applies them.

#define FILTER_EXCLUDED 1u
#define FILTER_STARTS   2u // recording begins at its enter
#define FILTER_STOPS    4u // recording ends at its leave

/// Anything to look up at all? Set by filter_init() after the settings have been read.
extern bool filter_active;
void filter_init(void);

/// What holds for an instrumented function. Decided once per address; then one look-up.
unsigned filter_function(uint64_t address);

/// What holds for an annotation or marker of this name. Compares with every rule.
unsigned filter_name(const char *name);

/// Which of N functions of the C library are to be left out.
void filter_names(const char *const names[], int n, bool is_excluded[]);

/// Is this MPI function to be left out? Asked before MPI starts.
bool filter_excludes_mpi(const char *name);

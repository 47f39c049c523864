// SPDX-License-Identifier: BSD-3-Clause
// The MPI functions of this mpi.h, one FN_... number each, and their wrappers. functions.gen.h also
// declares the definitions to call (next_...) and the wrappers themselves (wrap_...).
#pragma once

#include "tracer/dispatch/dispatch.h"

#include <mpi.h>
#include <stdbool.h>

#include "functions.gen.h" // generated from this mpi.h, in its build folder

struct wrapper {
    const char *name;
    function_pointer *next;
    function_pointer wrap;
    bool enter_leave_only; // nothing else depends on its records
};

extern const struct wrapper wrappers[N_MPI_FUNCTIONS];

// A hand-written wrapper of an MPI function that returns int. The generator looks for WRAP at the
// start of a line.
#define WRAP(name) int wrap_##name

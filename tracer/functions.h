// SPDX-License-Identifier: BSD-3-Clause
// The wrapped functions of the MPI this recorder is built for: their numbers (FN_...), the
// definitions to call (next_...), the wrappers (wrap_...). All of it is generated from mpi.h.
#ifndef PAGODA_TRACER_FUNCTIONS_H
#define PAGODA_TRACER_FUNCTIONS_H

#include "tracer/dispatch.h"

#include <mpi.h>
#include <stdbool.h>

#include "functions.gen.h" // of the build folder of this MPI

struct wrapper {
    const char *name;
    function_pointer *next;
    function_pointer wrap;
    bool enter_leave_only; // nothing else depends on its records
};

extern const struct wrapper wrappers[N_MPI_FUNCTIONS];

#endif

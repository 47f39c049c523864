// SPDX-License-Identifier: BSD-3-Clause
/*
 * A program with a counter of its own, which PAPI reads on any machine: 101 steps in each of 3
 * visits of "solve", and 7 after each.
 */
#include "tracer/pagoda.h"

#include <mpi.h>
#include <sde_lib.h>

int main(int argc, char **argv)
{
    static long long steps;

    papi_sde_register_counter(papi_sde_init("demo"), "steps", PAPI_SDE_RO | PAPI_SDE_DELTA,
                              PAPI_SDE_long_long, &steps);
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        pagoda_region_begin("solve");
        steps += 100;
        MPI_Barrier(MPI_COMM_WORLD);
        steps += 1;
        pagoda_region_end("solve");
        steps += 7;
    }
    return MPI_Finalize();
}

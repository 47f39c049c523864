// SPDX-License-Identifier: BSD-3-Clause
/*
 * Annotations of pagoda.h, before, while and after MPI is up, and from a library function called by
 * MPI (a reduction operation). For the tests of the tracer.
 */
#include "tracer/pagoda.h"

#include <mpi.h>
#include <stdio.h>

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)type;
    pagoda_region_begin("hidden"); /* inside an MPI call: not recorded */
    for (int i = 0; i < *n; i++)
        ((double *)inout)[i] += ((double *)in)[i];
    pagoda_region_end("hidden");
}

static double solve(double x, int n)
{
    pagoda_region_begin("iterate");
    for (int i = 0; i < n; i++)
        x = 0.5 * (x + 2 / x);
    pagoda_region_end("iterate");
    return x;
}

int main(int argc, char **argv)
{
    const char *names[] = {"unknowns", "step"};
    double values[] = {1000, 0}, x = 1, sum;
    char name[32];
    int rank;
    MPI_Op op;

    pagoda_region_begin("before");
    MPI_Init(&argc, &argv);
    pagoda_region_end("before");
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < 3; i++) {
        values[1] = i;
        pagoda_marker("step begins", 2, names, values);
        snprintf(name, sizeof name, "phase %d", i);
        pagoda_region_begin(name);
        x = solve(x, 1000);
        pagoda_region_end(name);
        MPI_Allreduce(&x, &sum, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    }
    pagoda_marker("done", 0, NULL, NULL);
    MPI_Op_free(&op);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    pagoda_region_begin("after");
    if (rank == 0)
        printf("%.3f\n", x);
    pagoda_region_end("after");
    return 0;
}

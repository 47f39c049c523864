// SPDX-License-Identifier: BSD-3-Clause
/*
 * Thousands of short-lived communicators (default 10000), made by MPI_Comm_dup, MPI_Comm_split and
 * MPI_Comm_idup in turn, a message in each; prints "handles ok", and the growth of the process's
 * memory between a quarter of them and the end on stderr. For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

static int rank, n_ranks, errors;

/* Not of /proc/self/status, which some kernels count in parts, one for each core. */
static long resident_kib(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long kib = 0;

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Anonymous: %ld kB", &kib) == 1)
            break;
    if (file != NULL)
        fclose(file);
    return kib;
}

static MPI_Comm make(int i)
{
    MPI_Comm made;
    MPI_Request request;

    if (i % 3 == 0) {
        MPI_Comm_dup(MPI_COMM_WORLD, &made);
    } else if (i % 3 == 1) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &made);
    } else {
        MPI_Comm_idup(MPI_COMM_WORLD, &made, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return made;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 10000;
    long before = 0;

    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); /* a huge page may come at any time */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    for (int i = 0; i < n; i++) {
        MPI_Comm comm = make(i);
        int own, value = i;

        MPI_Comm_rank(comm, &own);
        if (own == 0)
            MPI_Send(&value, 1, MPI_INT, n_ranks - 1, 1, comm);
        if (own == n_ranks - 1)
            MPI_Recv(&value, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
        errors += value != i;
        MPI_Comm_free(&comm);
        if (i == n / 4)
            before = resident_kib();
    }
    if (rank == 0) {
        printf("handles %s\n", errors == 0 ? "ok" : "wrong");
        fprintf(stderr, "growth %ld KiB\n", resident_kib() - before);
    }
    MPI_Finalize();
    return errors > 0;
}

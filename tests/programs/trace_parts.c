// SPDX-License-Identifier: BSD-3-Clause
/* MPI 4: rank 0 sends three messages in parts, the last of which takes 20 ms. Rank 1 waits for
 * each. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { N_ROUNDS = 3, N_PARTS = 4, LATE_MS = 20 };

#if MPI_VERSION >= 4
static void work(int ms)
{
    struct timespec rest = {.tv_nsec = ms * 1000000L};
    nanosleep(&rest, NULL);
}

static void send_parts(void)
{
    int parts[N_PARTS];
    MPI_Request request;
    MPI_Psend_init(parts, N_PARTS, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < N_ROUNDS; round++) {
        MPI_Start(&request);
        for (int i = 0; i < N_PARTS; i++) {
            work(i == N_PARTS - 1 ? LATE_MS : 1);
            parts[i] = round + i;
            MPI_Pready(i, request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
}

static long receive(void)
{
    int parts[N_PARTS];
    long sum = 0;
    MPI_Request request;
    MPI_Precv_init(parts, N_PARTS, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int round = 0; round < N_ROUNDS; round++) {
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < N_PARTS; i++)
            sum += parts[i];
    }
    MPI_Request_free(&request);
    return sum;
}
#endif

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#if MPI_VERSION >= 4
    if (rank == 0)
        send_parts();
    else
        printf("sum %ld\n", receive());
#endif
    MPI_Finalize();
    return 0;
}

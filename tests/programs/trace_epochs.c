// SPDX-License-Identifier: BSD-3-Clause
/*
 * Epochs of RMA windows between groups of ranks, on 4 ranks. Rank 1 posts 100 ms late for ranks 0
 * and 2. Then rank 0 computes as long between its last access to ranks 1, 2 and 3 and the end of
 * its epoch, so these wait. Then rank 3 looks for the end of an epoch by MPI_Win_test. Prints
 * "epochs ok". For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { LATE_MS = 100, N_RANKS = 4, N_ROUNDS = 5 };

static int rank, errors;

static void check(int is_right)
{
    errors += !is_right;
}

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void compute(double ms)
{
    double end = now_ms() + ms;
    while (now_ms() < end)
        ;
}

static MPI_Group group_of(int n, const int *ranks)
{
    MPI_Group all, group;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, n, ranks, &group);
    MPI_Group_free(&all);
    return group;
}

static void put(int target, MPI_Win window)
{
    MPI_Put(&rank, 1, MPI_INT, target, rank, 1, MPI_INT, window);
}

static void access_one(MPI_Group targets, int target, MPI_Win window)
{
    MPI_Win_start(targets, 0, window);
    put(target, window);
    MPI_Win_complete(window);
}

/* The origins wait in whatever call the library chooses. */
static void late_post(MPI_Win window, const int *memory)
{
    MPI_Group origins = group_of(2, (const int[]){0, 2}), target = group_of(1, (const int[]){1});

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
        compute(LATE_MS);
        MPI_Win_post(origins, 0, window); /* late: 1 */
        MPI_Win_wait(window);
        check(memory[0] == 0 && memory[2] == 2);
    } else if (rank != 3) {
        access_one(target, 1, window);
    }
    MPI_Group_free(&origins);
    MPI_Group_free(&target);
}

static void early_wait(MPI_Win window, const int *memory)
{
    MPI_Group origin = group_of(1, (const int[]){0}), targets = group_of(3, (const int[]){1, 2, 3});

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Win_start(targets, 0, window);
        for (int target = 1; target < N_RANKS; target++)
            put(target, window);
        compute(LATE_MS);
        MPI_Win_complete(window); /* late: 0 */
    } else {
        MPI_Win_post(origin, 0, window);
        MPI_Win_wait(window);
        check(memory[0] == 0);
    }
    MPI_Group_free(&origin);
    MPI_Group_free(&targets);
}

/* Everybody accesses the rank to its right, and is accessed from its left. */
static void ring(MPI_Win window, const int *memory)
{
    int left = (rank + N_RANKS - 1) % N_RANKS, right = (rank + 1) % N_RANKS;
    MPI_Group origin = group_of(1, &left), target = group_of(1, &right);

    for (int round = 0; round < N_ROUNDS; round++) {
        int is_over = 0;
        MPI_Win_post(origin, 0, window);
        access_one(target, right, window);
        while (rank == 3 && !is_over)
            MPI_Win_test(window, &is_over);
        if (rank != 3)
            MPI_Win_wait(window);
        check(memory[left] == left);
    }
    MPI_Group_free(&origin);
    MPI_Group_free(&target);
}

int main(int argc, char **argv)
{
    MPI_Win window;
    int *memory, all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(16 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    for (int i = 0; i < 16; i++)
        memory[i] = -1;
    late_post(window, memory);
    early_wait(window, memory);
    ring(window, memory);
    MPI_Win_free(&window);
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        puts(all == 0 ? "epochs ok" : "epochs FAILED");
    MPI_Finalize();
    return 0;
}

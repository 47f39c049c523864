// SPDX-License-Identifier: BSD-3-Clause
/*
 * RMA windows over several communicators, on 4 ranks. Two ranks are late, by 100 ms: rank 2 at a
 * fence of the window "first", rank 3 where the window over the odd ranks is freed. Rank 1 computes
 * three times as long while it holds a lock of "second" that ranks 2 and 3 ask for.
 *
 * Then epochs of a window without a name between groups of ranks. Rank 1 posts 100 ms late for
 * ranks 0 and 2. Then rank 0 computes as long between its last access to ranks 1, 2 and 3 and the
 * end of its epoch, so these wait. Then rank 3 looks for the end of an epoch by MPI_Win_test.
 *
 * Prints "rma ok". For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { LATE_MS = 100, HELD_MS = 300, N_ROUNDS = 5 };

static int rank, n_ranks, errors;

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

/* Of the ranks FIRST to LAST of COMM, all of which call it, WHO is late: by 100 ms after the others
 * said that they come next. */
static void late(int who, int first, int last, MPI_Comm comm)
{
    int own;

    MPI_Comm_rank(comm, &own);
    if (own != who) {
        MPI_Send(NULL, 0, MPI_INT, who, 1, comm);
        return;
    }
    for (int other = first; other <= last; other++)
        if (other != who)
            MPI_Recv(NULL, 0, MPI_INT, other, 1, comm, MPI_STATUS_IGNORE);
    compute(LATE_MS);
}

static MPI_Win make(MPI_Comm comm, const char *name, int **memory)
{
    MPI_Win window;

    /* MPICH 4 mixes up windows of a few bytes. */
    MPI_Win_allocate(16 * sizeof **memory, sizeof **memory, MPI_INFO_NULL, comm, memory, &window);
    MPI_Win_set_name(window, name);
    **memory = -1;
    return window;
}

/* Everybody puts its rank to its right. */
static void fences(MPI_Win window, const int *memory)
{
    MPI_Win_fence(0, window); /* all memory is set */
    MPI_Put(&rank, 1, MPI_INT, (rank + 1) % n_ranks, 0, 1, MPI_INT, window);
    late(2, 0, 3, MPI_COMM_WORLD);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window); /* late: 2 */
    check(*memory == (rank + n_ranks - 1) % n_ranks);
}

/* Rank 1 adds to the memory of rank 0, which others read, too. */
static void locks(MPI_Win window)
{
    int sum = 0;

    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    MPI_Get(&sum, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_unlock(0, window);
    check(sum == 0); /* -1 + 1 */
    MPI_Win_lock_all(0, window);
    MPI_Win_unlock_all(window);
}

/* Rank 1 has the lock when its flush is over, at the latest. Then the others may ask for it. */
static void hold(MPI_Win window)
{
    MPI_Win_flush(0, window);
    MPI_Send(NULL, 0, MPI_INT, 2, 0, MPI_COMM_WORLD);
    MPI_Send(NULL, 0, MPI_INT, 3, 0, MPI_COMM_WORLD);
    compute(HELD_MS);
}

static void contention(MPI_Win window)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 1)
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
        MPI_Accumulate(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, window);
        if (rank == 1)
            hold(window);
        MPI_Win_unlock(0, window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/*
 * Windows over the odd ranks, and over one rank. Open MPI 4 gives windows of different
 * communicators with the same number on one node the same file, so the even ranks have none.
 */
static void parts(void)
{
    MPI_Comm half;
    MPI_Win window;
    int *memory;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank % 2 == 1) {
        window = make(half, "odd", &memory);
        MPI_Win_fence(0, window);
        late(1, 0, 1, half);
        MPI_Win_free(&window); /* late: 3 */
    } else if (rank == 0) {
        window = make(MPI_COMM_SELF, "own", &memory);
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);
    }
    MPI_Comm_free(&half);
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
    if (rank != 3)
        late(1, 0, 2, MPI_COMM_WORLD);
    if (rank == 1) {
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
        for (int target = 1; target < n_ranks; target++)
            put(target, window);
        late(0, 0, 3, MPI_COMM_WORLD);
        MPI_Win_complete(window); /* late: 0 */
    } else {
        MPI_Win_post(origin, 0, window);
        late(0, 0, 3, MPI_COMM_WORLD);
        MPI_Win_wait(window);
        check(memory[0] == 0);
    }
    MPI_Group_free(&origin);
    MPI_Group_free(&targets);
}

/* Everybody accesses the rank to its right, and is accessed from its left. */
static void ring(MPI_Win window, const int *memory)
{
    int left = (rank + n_ranks - 1) % n_ranks, right = (rank + 1) % n_ranks;
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

static void epochs(void)
{
    MPI_Win window;
    int *memory;

    MPI_Win_allocate(16 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
                     &window);
    for (int i = 0; i < 16; i++)
        memory[i] = -1;
    late_post(window, memory);
    early_wait(window, memory);
    ring(window, memory);
    MPI_Win_free(&window);
}

int main(int argc, char **argv)
{
    MPI_Win first, second;
    int *memory, *other, all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    first = make(MPI_COMM_WORLD, "first", &memory);
    second = make(MPI_COMM_WORLD, "second", &other);
    fences(first, memory);
    parts();
    MPI_Win_fence(0, second);
    locks(second);
    contention(second);
    MPI_Win_free(&second);
    MPI_Win_free(&first);
    check(first == MPI_WIN_NULL);
    epochs();
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        puts(all == 0 ? "rma ok" : "rma FAILED");
    MPI_Finalize();
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
/*
 * trace_poll iprobe|test FILE: rank 1 polls for a message that rank 0 sends only after 3 polls have
 * found nothing, and some work. Rank 1 counts these in FILE, of at least 4 zero bytes, which both
 * have mapped: however slow the machine is, the recording has polls that found nothing before the
 * one that ends the loop. Prints "poll ok". For the tests of predictions.
 */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TAG = 5, N_POLLS = 3, N_STEPS = 2000000 };

/* No region: what rank 1 does to check the result is not the work of prepare(). */
__attribute__((no_instrument_function)) static uint64_t work(void)
{
    uint64_t random = 88172645463325252ULL;

    for (int i = 0; i < N_STEPS; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
    }
    return random;
}

static uint64_t prepare(const atomic_uint *n_empty)
{
    while (atomic_load(n_empty) < N_POLLS)
        sched_yield();
    return work();
}

static uint64_t poll_by_iprobe(atomic_uint *n_empty)
{
    uint64_t number;
    int flag = 0;

    for (;;) {
        MPI_Iprobe(0, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        if (flag)
            break;
        atomic_fetch_add(n_empty, 1);
    }
    MPI_Recv(&number, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return number;
}

static uint64_t poll_by_test(atomic_uint *n_empty)
{
    MPI_Request request;
    uint64_t number;
    int flag = 0;

    MPI_Irecv(&number, 1, MPI_UINT64_T, 0, TAG, MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (flag)
            break;
        atomic_fetch_add(n_empty, 1);
    }
    return number;
}

static void *map(const char *path)
{
    int file = open(path, O_RDWR | O_CLOEXEC);
    void *place =
        file < 0 ? MAP_FAILED
                 : mmap(NULL, sizeof(atomic_uint), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    if (place == MAP_FAILED) {
        perror(path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    close(file);
    return place;
}

int main(int argc, char **argv)
{
    uint64_t number = 0;
    int rank, n_ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (argc != 3 || n_ranks != 2)
        MPI_Abort(MPI_COMM_WORLD, 2);
    atomic_uint *n_empty = map(argv[2]);
    if (rank == 0) {
        number = prepare(n_empty);
        MPI_Send(&number, 1, MPI_UINT64_T, 1, TAG, MPI_COMM_WORLD);
    } else {
        number = strcmp(argv[1], "test") == 0 ? poll_by_test(n_empty) : poll_by_iprobe(n_empty);
    }
    MPI_Finalize();
    if (rank == 1 && number == work() && atomic_load(n_empty) >= N_POLLS)
        puts("poll ok");
    return 0;
}

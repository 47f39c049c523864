// SPDX-License-Identifier: BSD-3-Clause
/*
 * Ping-pong: rank 0 sends messages of growing size to rank 1, which sends them back; half of a
 * round trip is the one-way message time. Further ranks wait for the end, asleep most of the time
 * so that they leave the cores to the players whatever the MPI does while it waits.
 *
 * Check: rank 1 counts the round trips in the message's first bytes, and all others must come back
 * as they were sent.
 */
#include <time.h>

#include "program.h"

enum { COUNTER_BYTES = 8, TAG = 7 };

static long max_size_bytes = 1 << 20, n_iterations = 200, seed = 1;

static const struct program_option options[] = {
    {"max-size", "BYTES", &max_size_bytes, 0, 1 << 28, "largest message: 0, 1, 4, 16 ... BYTES"},
    {"iterations", "N", &n_iterations, 1, 100000000, "round trips of each size"},
    {"seed", "N", &seed, 0, 1000000, "seed of the messages' content"},
    {0}};

static struct program program = {
    .name = "pingpong",
    .summary = "Sends messages of growing size to and fro and checks what comes back.",
    .rank_rule = "Any number of ranks is valid; ranks 0 and 1 play, a single rank plays alone.",
    .min_ranks = 1,
    .options = options};

static void fill_message(unsigned char *message, long size_bytes)
{
    for (long i = 0; i < size_bytes; i++)
        message[i] = (unsigned char)program_random((uint64_t)(seed + size_bytes), (uint64_t)i);
}

/* The message after n_iterations round trips: the counter has moved on, nothing else has. */
static bool message_is_right(const unsigned char *message, long size_bytes)
{
    unsigned char *expected = program_alloc((size_t)size_bytes + 1, 1);
    uint64_t counter;

    fill_message(expected, size_bytes);
    if (size_bytes >= COUNTER_BYTES) {
        memcpy(&counter, expected, COUNTER_BYTES);
        counter += (uint64_t)n_iterations;
        memcpy(expected, &counter, COUNTER_BYTES);
    }
    bool right = memcmp(message, expected, (size_t)size_bytes) == 0;
    free(expected);
    return right;
}

PROGRAM_INNER void count(unsigned char *message, long size_bytes)
{
    uint64_t counter;

    if (size_bytes < COUNTER_BYTES)
        return;
    memcpy(&counter, message, COUNTER_BYTES);
    counter++;
    memcpy(message, &counter, COUNTER_BYTES);
}

static void ping(unsigned char *message, int size_bytes)
{
    for (long i = 0; i < n_iterations; i++) {
        MPI_Send(message, size_bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD);
        MPI_Recv(message, size_bytes, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void pong(unsigned char *message, int size_bytes)
{
    for (long i = 0; i < n_iterations; i++) {
        MPI_Recv(message, size_bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        count(message, size_bytes);
        MPI_Send(message, size_bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD);
    }
}

/* One rank: the message goes from one buffer to the other by a send to itself. */
static void play_alone(unsigned char *message, int size_bytes)
{
    unsigned char *other = program_alloc((size_t)size_bytes + 1, 1);

    for (long i = 0; i < n_iterations; i++) {
        MPI_Request requests[2];
        MPI_Status statuses[2];

        MPI_Irecv(other, size_bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(message, size_bytes, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        count(other, size_bytes);
        memcpy(message, other, (size_t)size_bytes);
    }
    free(other);
}

/* All round trips of one size; rank 0 prints a result line. False when the content is wrong. */
static bool play(unsigned char *message, long size_bytes)
{
    bool right = true;

    if (program.rank == 0)
        fill_message(message, size_bytes);
    double begin_s = MPI_Wtime();
    if (program.n_ranks == 1)
        play_alone(message, (int)size_bytes);
    else if (program.rank == 0)
        ping(message, (int)size_bytes);
    else if (program.rank == 1)
        pong(message, (int)size_bytes);
    double half_us = (MPI_Wtime() - begin_s) / (double)n_iterations / 2 * 1e6;

    if (program.rank == 0) {
        if (program.spoiled && size_bytes > 0)
            message[size_bytes - 1] ^= 1;
        right = message_is_right(message, size_bytes);
        printf("%8ld bytes: %ld round trips%s\n", size_bytes, n_iterations,
               right ? "" : ", content wrong");
        if (program.with_times)
            fprintf(stderr, "time: %ld bytes %.3f us half round trip\n", size_bytes, half_us);
    }
    return right;
}

/* The barrier at the end, for a rank that may be early by the whole run. */
static void wait_for_end(void)
{
    const struct timespec pause = {0, 1000000};
    MPI_Request request;
    int done = 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (;;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        nanosleep(&pause, NULL);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int status = program_begin(&program, argc, argv);
    if (status < 0) {
        unsigned char *message = program_alloc((size_t)max_size_bytes + 1, 1);
        bool right = play(message, 0);

        for (long size_bytes = 1; size_bytes <= max_size_bytes; size_bytes *= 4)
            right = play(message, size_bytes) && right;
        wait_for_end();
        free(message);
        status = program_end(&program, right ? NULL : "a message came back changed");
    }
    MPI_Finalize();
    return status;
}

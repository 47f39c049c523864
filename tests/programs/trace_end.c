// SPDX-License-Identifier: BSD-3-Clause
/*
 * Ends in the way its argument says: exit N, abort N, kill SIGNAL (rank 1 to itself),
 * no-init, fill MEGABYTES (records that much by cheap calls), reopen MEGABYTES (the same after it
 * has put a file of its own, named reopened and empty, in the place of every descriptor that is a
 * regular file), poll MEGABYTES (the same by probes that find nothing and are not folded), fail
 * NUMBER (so many sends that fail, to a rank that does not exist, and as many to MPI_PROC_NULL).
 * For the tests of the tracer.
 */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A call of MPI_Comm_rank is 24 bytes of records. */
static void fill(long n_bytes)
{
    int rank;

    for (long i = 0; i < n_bytes / 24; i++)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
}

/* As a program does that tidies up descriptors it believes to be its own. */
static void reopen(void)
{
    int own = open("reopened", O_RDWR | O_CREAT, 0666);
    struct stat file;

    for (int fd = 3; fd < 1024; fd++)
        if (fd != own && fstat(fd, &file) == 0 && S_ISREG(file.st_mode))
            dup2(own, fd);
}

/* Probes of two kinds in turn: each is a call and a poll record, 56 bytes. */
static void poll(long n_bytes)
{
    MPI_Message message;
    int flag;

    for (long i = 0; i < n_bytes / 112; i++) {
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Improbe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    }
}

static void fail(int n_sends)
{
    int token = 0;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < n_sends; i++) {
        if (MPI_Send(&token, 1, MPI_INT, 2, 0, MPI_COMM_WORLD) == MPI_SUCCESS)
            MPI_Abort(MPI_COMM_WORLD, 8);
        MPI_Send(&token, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/* When it returns on one rank, the other one has left the barrier: the launcher, which ends the
 * other when one is gone, cannot catch it there. */
static void know_of_each_other(int rank)
{
    int token = 0;

    if (rank == 0)
        MPI_Send(&token, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "exit";
    int number = argc > 2 ? atoi(argv[2]) : 0, rank, value;

    if (!strcmp(way, "no-init"))
        return number;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("running\n");
        fflush(stdout);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!strcmp(way, "abort") || !strcmp(way, "kill"))
        know_of_each_other(rank);
    if (!strcmp(way, "abort") && rank == 1)
        MPI_Abort(MPI_COMM_WORLD, number);
    if (!strcmp(way, "kill") && rank == 1)
        kill(getpid(), number);
    if (!strcmp(way, "abort") || !strcmp(way, "kill"))
        MPI_Recv(&value, 1, MPI_INT, rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!strcmp(way, "reopen"))
        reopen();
    if (!strcmp(way, "fill") || !strcmp(way, "reopen"))
        fill(number * 1024L * 1024L);
    if (!strcmp(way, "fail"))
        fail(number);
    if (!strcmp(way, "poll"))
        poll(number * 1024L * 1024L);
    MPI_Finalize();
    return strcmp(way, "exit") ? 0 : number;
}

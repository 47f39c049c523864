// SPDX-License-Identifier: BSD-3-Clause
/*
 * 2 ranks start 2 others (argument "program": an executable to start instead of this one), with
 * messages in both directions, collectives between parents and children, a merged communicator and
 * one split off from it, and processes that part (MPI_Comm_disconnect) before they end. "twice"
 * starts a second pair after that. The parents print "spawn ok". For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int errors;

static void expect(int value, int wanted, const char *what)
{
    if (value != wanted) {
        fprintf(stderr, "trace_spawn: %s is %d, not %d\n", what, value, wanted);
        errors++;
    }
}

/* What both sides do with the intercommunicator; `parent` says which one this is. */
static void together(MPI_Comm inter, int parent)
{
    int rank, n, others, value, in = -1, merged_rank, sum = 0;
    MPI_Comm merged, half;

    MPI_Comm_rank(inter, &rank);
    MPI_Comm_size(inter, &n);
    MPI_Comm_remote_size(inter, &others);
    expect(n, 2, "size of this side");
    expect(others, 2, "size of the other side");
    /* Parent i and child i: one message each way, of 1 and of 2 ints. */
    value = 10 * parent + rank;
    if (parent) {
        MPI_Send(&value, 1, MPI_INT, rank, 1, inter);
        MPI_Recv(&in, 1, MPI_INT, rank, 2, inter, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&in, 1, MPI_INT, rank, 1, inter, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, rank, 2, inter);
    }
    expect(in, 10 * !parent + rank, "message of the other side");
    value = 7;
    MPI_Bcast(&value, 1, MPI_INT, !parent ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
    expect(value, 7, "broadcast of parent 0");
    MPI_Barrier(inter);
    /* Parents come first: ranks 0 and 1, children 2 and 3. */
    MPI_Intercomm_merge(inter, !parent, &merged);
    MPI_Comm_rank(merged, &merged_rank);
    expect(merged_rank, 2 * !parent + rank, "rank among all");
    MPI_Allreduce(&merged_rank, &sum, 1, MPI_INT, MPI_SUM, merged);
    expect(sum, 6, "sum of all");
    /* One parent and one child each. */
    MPI_Comm_split(merged, rank, 0, &half);
    value = merged_rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, !parent ? 0 : 1, 3, !parent ? 0 : 1, 3, half,
                         MPI_STATUS_IGNORE);
    expect(value, 2 * parent + rank, "message in a part of all");
    MPI_Comm_free(&half);
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&inter);
}

static void start(const char *program)
{
    char *arguments[] = {"child", NULL};
    MPI_Comm inter;

    MPI_Comm_spawn(program, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                   MPI_ERRCODES_IGNORE);
    together(inter, 1);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int rank;
    const char *last = argc > 1 ? argv[argc - 1] : "";

    MPI_Init(&argc, &argv);
    MPI_Comm_get_parent(&parent);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (parent != MPI_COMM_NULL) {
        together(parent, 0);
    } else {
        start(strchr(last, '/') != NULL ? last : argv[0]);
        if (strcmp(last, "twice") == 0)
            start(argv[0]);
        if (rank == 0)
            printf("spawn %s\n", errors == 0 ? "ok" : "wrong");
    }
    MPI_Finalize();
    return errors > 0;
}

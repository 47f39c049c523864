// SPDX-License-Identifier: BSD-3-Clause
/* Calls that end the run, with the default error handler MPI_ERRORS_ARE_FATAL or by MPI_Abort. */
#include "every.h"

static int value[4];

static void abort_with_code(void)
{
    if (rank == 0) {
        printf("before MPI_Abort\n");
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 42);
    }
    MPI_Recv(value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void invalid_rank(void)
{
    if (rank == 0)
        MPI_Send(value, 1, MPI_INT, n_ranks + 5, 1, MPI_COMM_WORLD);
    MPI_Recv(value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void truncated(void)
{
    if (rank == 0)
        MPI_Send(value, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(value, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void truncated_waitall(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};

    if (rank == 0)
        MPI_Send(value, 4, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Irecv(value, 2, MPI_INT, 0, 1, MPI_COMM_WORLD, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void null_communicator(void)
{
    if (rank == 0)
        MPI_Barrier(MPI_COMM_NULL);
    MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void null_message(void)
{
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request;

    if (rank == 0) {
        MPI_Mrecv(value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv(value, 1, MPI_INT, &message, &request);
    }
    MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void own_handler(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    printf("handler: %s\n", text_of(*error));
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 17);
}

static void abort_in_handler(void)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(own_handler, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (rank == 0)
        MPI_Send(value, -1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* MPICH has these, but not for the network its package is built for. */
#ifdef HAVE_MPIX_Comm_shrink
static void no_agree(void)
{
    MPIX_Comm_agree(MPI_COMM_WORLD, value);
}

static void no_shrink(void)
{
    MPI_Comm comm;

    MPIX_Comm_shrink(MPI_COMM_WORLD, &comm);
}

static void no_revoke(void)
{
    MPIX_Comm_revoke(MPI_COMM_WORLD);
}

static void no_failure_ack(void)
{
    MPIX_Comm_failure_ack(MPI_COMM_WORLD);
}

static void no_failure_get_acked(void)
{
    MPI_Group group;

    MPIX_Comm_failure_get_acked(MPI_COMM_WORLD, &group);
}
#endif

static const struct {
    const char *name;
    void (*run)(void);
} calls[] = {{"abort", abort_with_code},
             {"invalid-rank", invalid_rank},
             {"truncated", truncated},
             {"truncated-waitall", truncated_waitall},
             {"null-communicator", null_communicator},
             {"null-message", null_message},
#ifdef HAVE_MPIX_Comm_shrink
             {"comm-agree", no_agree},
             {"comm-shrink", no_shrink},
             {"comm-revoke", no_revoke},
             {"comm-failure-ack", no_failure_ack},
             {"comm-failure-get-acked", no_failure_get_acked},
#endif
             {"abort-in-handler", abort_in_handler}};

bool fatal(const char *name)
{
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        if (strcmp(calls[i].name, name) == 0) {
            calls[i].run();
            return true;
        }
    }
    return false;
}

// SPDX-License-Identifier: BSD-3-Clause
/*
 * Makes recording stop at each place of a sequence that writes all kinds of records. A file of
 * CHUNK bytes of records is full after a filling that is 8 bytes longer from one time to the next;
 * the test sets the size of files so that recording stops there. Prints "stops ok".
 *
 * threads FIRST END STEP: fillings in threads, each of which has a file of its own
 * start FIRST END STEP: fillings before MPI_Init, in ranks FIRST + STEP * rank (END does not
 * count), or without a launcher in a child process for each; the thread that calls MPI_Init does it
 * all
 */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tracer/pagoda.h"

/* MPICH's header calls MPI_STATUSES_IGNORE an array that is too short. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"

enum { CHUNK = 65536, MARKER_WORDS = 3, PARAMETER_WORDS = 2, MOST_PARAMETERS = 255 };

#pragma weak __cyg_profile_func_enter
#pragma weak __cyg_profile_func_exit
void __cyg_profile_func_enter(void *function, void *site);
void __cyg_profile_func_exit(void *function, void *site);

static void check(int is_right, const char *what)
{
    if (is_right)
        return;
    fprintf(stderr, "trace_stops: wrong result of %s\n", what);
    abort();
}

static void mark(int n_parameters)
{
    static const char *names[MOST_PARAMETERS];
    static const double values[MOST_PARAMETERS];

    for (int i = 0; i < n_parameters; i++)
        names[i] = "same";
    pagoda_marker("filling", n_parameters, names, values);
}

/* Writes markers of `n_words` words together. */
static void fill(long n_words)
{
    const long most = MARKER_WORDS + PARAMETER_WORDS * MOST_PARAMETERS;
    int n = 0;

    for (; n_words >= 2 * most; n_words -= most)
        mark(MOST_PARAMETERS);
    while ((n_words - PARAMETER_WORDS * n) % MARKER_WORDS != 0)
        n++;
    if (n_words < MARKER_WORDS + PARAMETER_WORDS * n)
        return;
    mark(n);
    for (n_words -= MARKER_WORDS + PARAMETER_WORDS * n; n_words > 0; n_words -= MARKER_WORDS)
        mark(0);
}

static void regions(void)
{
    pagoda_region_begin("outer");
    if (__cyg_profile_func_enter != NULL)
        __cyg_profile_func_enter((void *)(size_t)regions, NULL);
    pagoda_region_begin("inner");
    pagoda_region_end("inner");
    if (__cyg_profile_func_exit != NULL)
        __cyg_profile_func_exit((void *)(size_t)regions, NULL);
    pagoda_region_end("outer");
}

static void messages(MPI_Comm comm)
{
    MPI_Request requests[4], cancelled, persistent[2];
    MPI_Status status;
    MPI_Message message;
    int out = 5, in[4] = {0}, flag = 0;

    for (int i = 0; i < 3; i++)
        MPI_Iprobe(0, 1, comm, &flag, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in[0], 1, MPI_INT, 0, 1, comm, &status);
    check(in[0] == 5, "MPI_Sendrecv");
    for (int i = 0; i < 2; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i, comm, &requests[i]);
        MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
        MPI_Isend(&out, 1, MPI_INT, 0, i, comm, &requests[2 + i]);
    }
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(in, 1, MPI_INT, 0, 7, comm, &cancelled);
    MPI_Cancel(&cancelled);
    MPI_Wait(&cancelled, &status);
    MPI_Send_init(&out, 1, MPI_INT, 0, 3, comm, &persistent[0]);
    MPI_Recv_init(in, 1, MPI_INT, 0, 3, comm, &persistent[1]);
    MPI_Startall(2, persistent);
    for (int n = 0, i; n < 2; n++)
        MPI_Waitany(2, persistent, &i, &status);
    MPI_Request_free(&persistent[0]);
    MPI_Request_free(&persistent[1]);
    MPI_Isend(&out, 1, MPI_INT, 0, 4, comm, &requests[0]);
    MPI_Mprobe(0, 4, comm, &message, &status);
    MPI_Mrecv(in, 1, MPI_INT, &message, &status);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    check(in[0] == 5, "MPI_Mrecv");
}

static void collectives(MPI_Comm comm)
{
    MPI_Comm copy, later, grid;
    MPI_Request request;
    int one = 1, sum = 0, from[2] = {0, 0}, to[2] = {1, 1};

    MPI_Comm_dup(comm, &copy);
    MPI_Comm_set_name(copy, "copy");
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, copy);
    check(sum == 1, "MPI_Allreduce");
    MPI_Ibcast(&one, 1, MPI_INT, 0, copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_idup(copy, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(later);
    MPI_Comm_free(&later);
    MPI_Cart_create(copy, 1, (int[]){1}, (int[]){1}, 0, &grid);
    MPI_Neighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, grid);
    check(from[0] == 1 && from[1] == 1, "MPI_Neighbor_alltoall");
    MPI_Ineighbor_alltoall(to, 1, MPI_INT, from, 1, MPI_INT, grid, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&copy);
}

/* A completion of what was started while recording was off is recorded; so is the call. */
static void switches(MPI_Comm comm)
{
    MPI_Request requests[2];
    int out = 1, in = 0;

    MPI_Irecv(&in, 1, MPI_INT, 0, 9, comm, &requests[0]);
    pagoda_trace_off();
    pagoda_region_begin("off");
    MPI_Isend(&out, 1, MPI_INT, 0, 9, comm, &requests[1]);
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(comm);
    pagoda_trace_on();
    pagoda_region_end("off");
    MPI_Barrier(comm);
}

static jmp_buf away;

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    longjmp(away, 1);
}

/* An error handler leaves the call by a jump. (Not with several threads: MPICH stays locked then.)
 */
static void leave_by_jump(MPI_Comm comm)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    if (setjmp(away) == 0)
        MPI_Send(NULL, 0, MPI_INT, 77, 0, comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
}

static void sequence(MPI_Comm comm)
{
    regions();
    messages(comm);
    collectives(comm);
    switches(comm);
    for (int i = 0; i < 2; i++) {
        usleep(300); /* a stretch with CPU times */
        MPI_Barrier(comm);
    }
    regions();
}

static void *run_thread(void *filling)
{
    fill((CHUNK - *(long *)filling) / 8);
    sequence(MPI_COMM_SELF);
    fill(*(long *)filling / 8 + MARKER_WORDS); /* until its file is full */
    sequence(MPI_COMM_SELF);
    return NULL;
}

static void run_threads(long first, long end, long step)
{
    for (long i = first; i < end; i += step) {
        long left = 8 * i;
        pthread_t thread;

        check(pthread_create(&thread, NULL, run_thread, &left) == 0, "pthread_create");
        pthread_join(thread, NULL);
    }
}

static void start(long i)
{
    int provided;

    fill((CHUNK - 8 * i) / 8);
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    leave_by_jump(MPI_COMM_SELF);
    sequence(MPI_COMM_SELF);
    MPI_Finalize();
}

/* How MPI starts without a launcher differs from child to child in nothing but the filling. */
static void start_each(long first, long end, long step)
{
    for (long i = first; i < end; i += step) {
        int status;
        pid_t child = fork();

        if (child == 0) {
            start(i);
            exit(0);
        }
        waitpid(child, &status, 0);
        if (status != 0)
            fprintf(stderr, "trace_stops: %ld bytes left: status 0x%x\n", 8 * i, (unsigned)status);
        check(status == 0, "start");
    }
}

int main(int argc, char **argv)
{
    long first = argc > 2 ? atol(argv[2]) : 0, end = argc > 3 ? atol(argv[3]) : 0;
    long step = argc > 4 ? atol(argv[4]) : 1;
    int provided;

    if (argc > 3 && strcmp(argv[1], "threads") == 0) {
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
        check(provided == MPI_THREAD_MULTIPLE, "MPI_Init_thread");
        run_threads(first, end, step);
        MPI_Finalize();
    } else if (argc > 3) {
        start_each(first, end, step);
    }
    puts("stops ok");
    return 0;
}

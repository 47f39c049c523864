// SPDX-License-Identifier: BSD-3-Clause
/*
 * Neighbourhood collectives of every form on every kind of topology, on 4 ranks; prints
 * "neighbor ok" and how many messages of how many bytes this rank exchanged with its neighbours.
 * For the tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifdef OPEN_MPI
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_Neighbor_##name##_init
#else
#define PERSISTENT(name) MPI_Neighbor_##name##_init
#endif

/* MPICH's header calls MPI_STATUSES_IGNORE an array that is too short. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wstringop-overread" /* Open MPI's MPI_UNWEIGHTED likewise */

enum { MAX_NEIGHBORS = 8, N_FORMS = 5 };

static int rank, n_ranks, errors;
static long n_sent, n_received, sent_bytes, received_bytes; /* by this rank, its own knowledge */

/* One topology as this rank sees it, and a block of ints for each neighbour. */
static struct {
    MPI_Comm comm;
    int n_in, n_out;
    int in[MAX_NEIGHBORS], out[MAX_NEIGHBORS];
} graph;

static int send_buffer[4 * MAX_NEIGHBORS], recv_buffer[4 * MAX_NEIGHBORS];
static int send_counts[MAX_NEIGHBORS], recv_counts[MAX_NEIGHBORS];
static int send_places[MAX_NEIGHBORS], recv_places[MAX_NEIGHBORS];
static MPI_Aint send_bytes_at[MAX_NEIGHBORS], recv_bytes_at[MAX_NEIGHBORS];
static MPI_Datatype types[MAX_NEIGHBORS];

static void expect(int value, int wanted, const char *what)
{
    if (value != wanted) {
        fprintf(stderr, "rank %d: %s is %d, not %d\n", rank, what, value, wanted);
        errors++;
    }
}

/* Ints that `from` sends to `to` where the counts are per neighbour: none, 1, 2 or 3. */
static int amount(int from, int to)
{
    return (from + 2 * to) % 4;
}

static void prepare(void)
{
    for (int i = 0; i < MAX_NEIGHBORS; i++) {
        types[i] = MPI_INT;
        send_places[i] = recv_places[i] = 4 * i;
        send_bytes_at[i] = recv_bytes_at[i] = 4 * i * (MPI_Aint)sizeof(int);
        for (int k = 0; k < 4; k++) {
            send_buffer[4 * i + k] = rank;
            recv_buffer[4 * i + k] = -1;
        }
        if (i < graph.n_out)
            send_counts[i] = graph.out[i] >= 0 ? amount(rank, graph.out[i]) : 0;
        if (i < graph.n_in)
            recv_counts[i] = graph.in[i] >= 0 ? amount(graph.in[i], rank) : 0;
    }
}

/* What one operation exchanges; `ints` with each neighbour, 0: as amount() says. */
static void count(int ints)
{
    for (int i = 0; i < graph.n_out; i++) {
        int n = graph.out[i] < 0 ? 0 : ints > 0 ? ints : send_counts[i];

        n_sent += n > 0;
        sent_bytes += 4 * n;
    }
    for (int i = 0; i < graph.n_in; i++) {
        int n = graph.in[i] < 0 ? 0 : ints > 0 ? ints : recv_counts[i];

        n_received += n > 0;
        received_bytes += 4 * n;
    }
}

/* After an operation that puts `stride` ints for each neighbour: the first ones came from there. */
static void verify(const char *what, int ints, int stride)
{
    for (int i = 0; i < graph.n_in; i++)
        if (graph.in[i] >= 0 && (ints > 0 || recv_counts[i] > 0))
            expect(recv_buffer[stride * i], graph.in[i], what);
    count(ints);
    prepare();
}

/* MPICH 4.0 loses messages of MPI_Neighbor_alltoallw beside one of none: no amount is 0 here. */
static void one_more(void)
{
    for (int i = 0; i < graph.n_out; i++)
        send_counts[i] += graph.out[i] >= 0;
    for (int i = 0; i < graph.n_in; i++)
        recv_counts[i] += graph.in[i] >= 0;
}

static void blocking(void)
{
    MPI_Comm c = graph.comm;

    MPI_Neighbor_allgather(send_buffer, 2, MPI_INT, recv_buffer, 2, MPI_INT, c);
    verify("allgather", 2, 2);
    for (int i = 0; i < graph.n_in; i++)
        recv_counts[i] = 3;
    MPI_Neighbor_allgatherv(send_buffer, 3, MPI_INT, recv_buffer, recv_counts, recv_places, MPI_INT,
                            c);
    verify("allgatherv", 3, 4);
    MPI_Neighbor_alltoall(send_buffer, 1, MPI_INT, recv_buffer, 1, MPI_INT, c);
    verify("alltoall", 1, 1);
    MPI_Neighbor_alltoallv(send_buffer, send_counts, send_places, MPI_INT, recv_buffer, recv_counts,
                           recv_places, MPI_INT, c);
    verify("alltoallv", 0, 4);
    one_more();
    MPI_Neighbor_alltoallw(send_buffer, send_counts, send_bytes_at, types, recv_buffer, recv_counts,
                           recv_bytes_at, types, c);
    verify("alltoallw", 0, 4);
}

static void complete(MPI_Request *request)
{
    int flag = 0;

    while (!flag)
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
}

static void nonblocking(void)
{
    MPI_Comm c = graph.comm;
    MPI_Request request;

    MPI_Ineighbor_allgather(send_buffer, 2, MPI_INT, recv_buffer, 2, MPI_INT, c, &request);
    complete(&request);
    verify("iallgather", 2, 2);
    for (int i = 0; i < graph.n_in; i++)
        recv_counts[i] = 3;
    MPI_Ineighbor_allgatherv(send_buffer, 3, MPI_INT, recv_buffer, recv_counts, recv_places,
                             MPI_INT, c, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify("iallgatherv", 3, 4);
    MPI_Ineighbor_alltoall(send_buffer, 1, MPI_INT, recv_buffer, 1, MPI_INT, c, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify("ialltoall", 1, 1);
    MPI_Ineighbor_alltoallv(send_buffer, send_counts, send_places, MPI_INT, recv_buffer,
                            recv_counts, recv_places, MPI_INT, c, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
    verify("ialltoallv", 0, 4);
    one_more();
    MPI_Ineighbor_alltoallw(send_buffer, send_counts, send_bytes_at, types, recv_buffer,
                            recv_counts, recv_bytes_at, types, c, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify("ialltoallw", 0, 4);
}

/* Each persistent one is started twice, one after the other. */
static void persistent(void)
{
    MPI_Comm c = graph.comm;
    MPI_Request requests[N_FORMS];
    static const char *const names[] = {"allgather_init", "allgatherv_init", "alltoall_init",
                                        "alltoallv_init", "alltoallw_init"};
    static const int ints[] = {2, 3, 1, 0, 0}, strides[] = {2, 4, 1, 4, 4};
    int three[MAX_NEIGHBORS] = {3, 3, 3, 3, 3, 3, 3, 3};
    int more_out[MAX_NEIGHBORS], more_in[MAX_NEIGHBORS];
    MPI_Info none = MPI_INFO_NULL;

    PERSISTENT(allgather)(send_buffer, 2, MPI_INT, recv_buffer, 2, MPI_INT, c, none, &requests[0]);
    PERSISTENT(allgatherv)
    (send_buffer, 3, MPI_INT, recv_buffer, three, recv_places, MPI_INT, c, none, &requests[1]);
    PERSISTENT(alltoall)(send_buffer, 1, MPI_INT, recv_buffer, 1, MPI_INT, c, none, &requests[2]);
    PERSISTENT(alltoallv)
    (send_buffer, send_counts, send_places, MPI_INT, recv_buffer, recv_counts, recv_places, MPI_INT,
     c, none, &requests[3]);
    one_more();
    memcpy(more_out, send_counts, sizeof more_out);
    memcpy(more_in, recv_counts, sizeof more_in);
    PERSISTENT(alltoallw)
    (send_buffer, more_out, send_bytes_at, types, recv_buffer, more_in, recv_bytes_at, types, c,
     none, &requests[4]);
    prepare();
    for (int k = 0; k < 2 * N_FORMS; k++) {
        int i = k % N_FORMS;

        if (i == 4)
            one_more();
        MPI_Start(&requests[i]);
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        verify(names[i], ints[i], strides[i]);
    }
    for (int i = 0; i < N_FORMS; i++)
        MPI_Request_free(&requests[i]);
}

static void all_forms(void)
{
    prepare();
    blocking();
    nonblocking();
    persistent();
    MPI_Comm_free(&graph.comm);
}

/* A line of 4: the ends have one neighbour that is MPI_PROC_NULL. */
static void line(void)
{
    MPI_Cart_create(MPI_COMM_WORLD, 1, &n_ranks, (int[]){0}, 0, &graph.comm);
    graph.n_in = graph.n_out = 2;
    MPI_Cart_shift(graph.comm, 0, 1, &graph.in[0], &graph.in[1]);
    for (int i = 0; i < 2; i++)
        graph.out[i] = graph.in[i] = graph.in[i] == MPI_PROC_NULL ? -1 : graph.in[i];
    all_forms();
}

/* 2 x 2 with both ends joined: each neighbour twice. */
static void torus(void)
{
    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 0, &graph.comm);
    graph.n_in = graph.n_out = 4;
    for (int i = 0; i < 2; i++)
        MPI_Cart_shift(graph.comm, i, 1, &graph.in[2 * i], &graph.in[2 * i + 1]);
    for (int i = 0; i < 4; i++)
        graph.out[i] = graph.in[i];
    all_forms();
}

/* Everybody and rank 0. */
static void star(void)
{
    int index[] = {3, 4, 5, 6}, edges[] = {1, 2, 3, 0, 0, 0};

    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph.comm);
    graph.n_in = graph.n_out = rank == 0 ? 3 : 1;
    for (int i = 0; i < graph.n_in; i++)
        graph.in[i] = graph.out[i] = rank == 0 ? i + 1 : 0;
    all_forms();
}

/* One way round, and to itself; rank 3 sends to nobody else. */
static void one_way(void)
{
    graph.n_in = graph.n_out = 0;
    graph.in[graph.n_in++] = rank;
    graph.out[graph.n_out++] = rank;
    if (rank < 3)
        graph.out[graph.n_out++] = rank + 1;
    if (rank > 0)
        graph.in[graph.n_in++] = rank - 1;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, graph.n_in, graph.in, MPI_UNWEIGHTED,
                                   graph.n_out, graph.out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph.comm);
    all_forms();
}

/* The same made by MPI_Dist_graph_create, with weights; the order of edges is asked for. */
static void weighted(void)
{
    int source = rank, degree = rank < 3 ? 2 : 1;
    int targets[] = {rank, rank + 1}, weights[] = {1, 2}, in_weights[MAX_NEIGHBORS];
    int is_weighted;

    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &source, &degree, targets, weights, MPI_INFO_NULL, 0,
                          &graph.comm);
    MPI_Dist_graph_neighbors_count(graph.comm, &graph.n_in, &graph.n_out, &is_weighted);
    MPI_Dist_graph_neighbors(graph.comm, graph.n_in, graph.in, in_weights, graph.n_out, graph.out,
                             weights);
    all_forms();
}

int main(int argc, char **argv)
{
    int all = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (n_ranks != 4) {
        if (rank == 0)
            fprintf(stderr, "trace_neighbor: needs 4 ranks\n");
        MPI_Finalize();
        return 2;
    }
    line();
    torus();
    star();
    one_way();
    weighted();
    MPI_Allreduce(&errors, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("neighbor %s\n", all == 0 ? "ok" : "wrong");
    fprintf(stderr, "rank %d sent %ld %ld received %ld %ld\n", rank, n_sent, sent_bytes, n_received,
            received_bytes);
    MPI_Finalize();
    return errors > 0;
}

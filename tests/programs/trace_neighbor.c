// SPDX-License-Identifier: BSD-3-Clause
/*
 * Neighbourhood collectives of every form on every kind of topology, on 4 ranks; prints how many
 * messages of how many bytes each rank exchanged with its neighbours, and "neighbor ok". For the
 * tests of the tracer.
 */
#include <mpi.h>
#include <stdio.h>

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_Neighbor_##name##_init
#else
#define PERSISTENT(name) MPI_Neighbor_##name##_init
#endif

/* MPICH's header calls MPI_STATUSES_IGNORE an array that is too short. */
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wstringop-overread" /* Open MPI's MPI_UNWEIGHTED likewise */

enum { MAX_NEIGHBORS = 8 };

static int rank, n_ranks, errors;
static long totals[4]; /* messages and bytes sent, and received, by this rank's own knowledge */

/* One topology as this rank sees it, and a block of ints for each neighbour. */
static struct {
    MPI_Comm comm;
    int n_in, n_out;
    int in[MAX_NEIGHBORS], out[MAX_NEIGHBORS];
} graph;

/* So many ints to, and from, each neighbour. */
struct counts {
    int out[MAX_NEIGHBORS], in[MAX_NEIGHBORS];
};

static int send_buffer[4 * MAX_NEIGHBORS], recv_buffer[4 * MAX_NEIGHBORS];
static int places[MAX_NEIGHBORS];
static MPI_Aint bytes_at[MAX_NEIGHBORS];
static MPI_Datatype types[MAX_NEIGHBORS];

static void prepare(void)
{
    for (int i = 0; i < MAX_NEIGHBORS; i++) {
        types[i] = MPI_INT;
        places[i] = 4 * i;
        bytes_at[i] = 4 * i * (MPI_Aint)sizeof(int);
        for (int k = 0; k < 4; k++) {
            send_buffer[4 * i + k] = rank;
            recv_buffer[4 * i + k] = -1;
        }
    }
}

/* The same number for each neighbour; with 0 what differs from pair to pair, `least` to `least`
 * + 3. */
static struct counts counts_of(int number, int least)
{
    struct counts counts = {{0}, {0}};

    for (int i = 0; i < graph.n_out; i++)
        if (graph.out[i] >= 0)
            counts.out[i] = number > 0 ? number : least + (rank + 2 * graph.out[i]) % 4;
    for (int i = 0; i < graph.n_in; i++)
        if (graph.in[i] >= 0)
            counts.in[i] = number > 0 ? number : least + (graph.in[i] + 2 * rank) % 4;
    return counts;
}

static void add(const int *counts, int n, long *messages_and_bytes)
{
    for (int i = 0; i < n; i++) {
        messages_and_bytes[0] += counts[i] > 0;
        messages_and_bytes[1] += counts[i] * (long)sizeof(int);
    }
}

/* After an operation that puts `stride` ints for each neighbour: the first ones came from there. */
static void verify(const char *what, const struct counts *counts, int stride)
{
    for (int i = 0; i < graph.n_in; i++)
        if (counts->in[i] > 0 && recv_buffer[stride * i] != graph.in[i]) {
            fprintf(stderr, "rank %d: %s is %d, not %d\n", rank, what, recv_buffer[stride * i],
                    graph.in[i]);
            errors++;
        }
    add(counts->out, graph.n_out, &totals[0]);
    add(counts->in, graph.n_in, &totals[2]);
    prepare();
}

/* In each of the ways there are. */
static void complete(MPI_Request *request)
{
    static int turn;
    int flag = 0;

    switch (turn++ % 3) {
    case 0:
        while (!flag)
            MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        break;
    case 1:
        MPI_Wait(request, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
    }
}

/* One operation blocking, nonblocking, and persistent, which is started twice. */
#define EACH_FORM(name, counts, stride, ...)                                                       \
    do {                                                                                           \
        MPI_Request request;                                                                       \
        MPI_Neighbor_##name(__VA_ARGS__, graph.comm);                                              \
        verify(#name, counts, stride);                                                             \
        MPI_Ineighbor_##name(__VA_ARGS__, graph.comm, &request);                                   \
        complete(&request);                                                                        \
        verify("i" #name, counts, stride);                                                         \
        PERSISTENT(name)(__VA_ARGS__, graph.comm, MPI_INFO_NULL, &request);                        \
        for (int i = 0; i < 2; i++) {                                                              \
            MPI_Start(&request);                                                                   \
            complete(&request);                                                                    \
            verify(#name "_init", counts, stride);                                                 \
        }                                                                                          \
        MPI_Request_free(&request);                                                                \
    } while (0)

static void all_forms(void)
{
    struct counts one = counts_of(1, 0), two = counts_of(2, 0), three = counts_of(3, 0);
    /* MPICH 4.0 loses messages of MPI_Neighbor_alltoallw beside one of none: no count is 0 there.
     */
    struct counts some = counts_of(0, 0), more = counts_of(0, 1);

    prepare();
    EACH_FORM(allgather, &two, 2, send_buffer, 2, MPI_INT, recv_buffer, 2, MPI_INT);
    EACH_FORM(allgatherv, &three, 4, send_buffer, 3, MPI_INT, recv_buffer, three.in, places,
              MPI_INT);
    EACH_FORM(alltoall, &one, 1, send_buffer, 1, MPI_INT, recv_buffer, 1, MPI_INT);
    EACH_FORM(alltoallv, &some, 4, send_buffer, some.out, places, MPI_INT, recv_buffer, some.in,
              places, MPI_INT);
    EACH_FORM(alltoallw, &more, 4, send_buffer, more.out, bytes_at, types, recv_buffer, more.in,
              bytes_at, types);
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
    long of_all[4 * 4];

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
    MPI_Gather(totals, 4, MPI_LONG, of_all, 4, MPI_LONG, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < n_ranks; i++)
        printf("rank %d sent %ld %ld received %ld %ld\n", i, of_all[4 * i], of_all[4 * i + 1],
               of_all[4 * i + 2], of_all[4 * i + 3]);
    if (rank == 0)
        printf("neighbor %s\n", all == 0 ? "ok" : "wrong");
    MPI_Finalize();
    return errors > 0;
}

// SPDX-License-Identifier: BSD-3-Clause
/*
 * Neighbourhood collectives of every form on every kind of topology, of 4 ranks. Each says how many
 * messages of how many bytes it exchanged with its neighbours. COUNTED, too.
 */
#define N_STARTS 2
#include "every.h"

enum { MAX = 8, N = 4 }; /* most neighbours, most ints for each */

/* One topology as this rank sees it; -1 is MPI_PROC_NULL. */
static struct {
    MPI_Comm comm;
    int n_in, n_out;
    int in[MAX], out[MAX];
} graph;

/* So many ints to, and from, each neighbour. */
struct counts {
    count_t out[MAX], in[MAX];
};

static int own[N * MAX], all[N * MAX];
static displacement_t places[MAX];
static MPI_Aint byte_places[MAX];
static MPI_Datatype types[MAX];
static long sent[2], received[2]; /* messages and bytes, by this rank's own knowledge */

static void prepare(void)
{
    for (int i = 0; i < MAX; i++) {
        types[i] = MPI_INT;
        places[i] = N * i;
        byte_places[i] = N * i * (MPI_Aint)sizeof(int);
    }
    for (int k = 0; k < N * MAX; k++) {
        own[k] = rank;
        all[k] = -1;
    }
}

/* The same number for each neighbour; with 0 what differs from pair to pair, `least` and more. */
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

static void add(const count_t *counts, int n, enum form form, long *messages_and_bytes)
{
    int times = form == PERSISTENT ? N_STARTS : 1;

    for (int i = 0; i < n; i++) {
        messages_and_bytes[0] += times * (counts[i] > 0);
        messages_and_bytes[1] += times * (long)counts[i] * (long)sizeof(int);
    }
}

/* After an operation that puts `stride` ints for each neighbour: the first ones came from there. */
static void check(const char *what, enum form form, const struct counts *counts, int stride)
{
    for (int i = 0; i < graph.n_in; i++)
        if (counts->in[i] > 0)
            equal(what, all[stride * i], graph.in[i]);
    add(counts->out, graph.n_out, form, sent);
    add(counts->in, graph.n_in, form, received);
    prepare();
}

static void in_form(enum form form)
{
    struct counts one = counts_of(1, 0), two = counts_of(2, 0), three = counts_of(3, 0);
    /* MPICH 4.0 loses messages of MPI_Neighbor_alltoallw beside one of none: no count is 0 there.
     */
    struct counts some = counts_of(0, 0), more = counts_of(0, 1);

    IN_FORM(form, Neighbor_allgather, neighbor_allgather, own, 2, MPI_INT, all, 2, MPI_INT,
            graph.comm);
    check("neighbours gathered", form, &two, 2);
    IN_FORM(form, Neighbor_allgatherv, neighbor_allgatherv, own, 3, MPI_INT, all, three.in, places,
            MPI_INT, graph.comm);
    check("neighbours gathered by counts", form, &three, N);
    IN_FORM(form, Neighbor_alltoall, neighbor_alltoall, own, 1, MPI_INT, all, 1, MPI_INT,
            graph.comm);
    check("neighbours exchanged", form, &one, 1);
    IN_FORM(form, Neighbor_alltoallv, neighbor_alltoallv, own, some.out, places, MPI_INT, all,
            some.in, places, MPI_INT, graph.comm);
    check("neighbours exchanged by counts", form, &some, N);
    IN_FORM(form, Neighbor_alltoallw, neighbor_alltoallw, own, more.out, byte_places, types, all,
            more.in, byte_places, types, graph.comm);
    check("neighbours exchanged by types", form, &more, N);
}

static void all_forms(void)
{
    prepare();
    for (int form = 0; form < N_FORMS; form++)
        in_form((enum form)form);
    TRY(MPI_Comm_free, &graph.comm);
}

/* A grid of 4, in each direction with the ends joined or with nobody after them. */
static void grid(int n_dimensions, const int *dimensions, const int *periods)
{
    TRY(MPI_Cart_create, MPI_COMM_WORLD, n_dimensions, dimensions, periods, 0, &graph.comm);
    graph.n_in = graph.n_out = 2 * n_dimensions;
    for (int i = 0; i < n_dimensions; i++)
        TRY(MPI_Cart_shift, graph.comm, i, 1, &graph.in[2 * i], &graph.in[2 * i + 1]);
    for (int i = 0; i < graph.n_in; i++)
        graph.out[i] = graph.in[i] = graph.in[i] == MPI_PROC_NULL ? -1 : graph.in[i];
    all_forms();
}

/* Everybody and rank 0. */
static void star(void)
{
    const int index[] = {3, 4, 5, 6}, edges[] = {1, 2, 3, 0, 0, 0};

    TRY(MPI_Graph_create, MPI_COMM_WORLD, 4, index, edges, 0, &graph.comm);
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
    TRY(MPI_Dist_graph_create_adjacent, MPI_COMM_WORLD, graph.n_in, graph.in, MPI_UNWEIGHTED,
        graph.n_out, graph.out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph.comm);
    all_forms();
}

/* The same made by MPI_Dist_graph_create, with weights; the order of edges is asked for. */
static void weighted(void)
{
    int degree = rank < 3 ? 2 : 1, is_weighted = 0;
    int targets[] = {rank, rank + 1}, weights[] = {1, 2}, in_weights[MAX];

    TRY(MPI_Dist_graph_create, MPI_COMM_WORLD, 1, &rank, &degree, targets, weights, MPI_INFO_NULL,
        0, &graph.comm);
    TRY(MPI_Dist_graph_neighbors_count, graph.comm, &graph.n_in, &graph.n_out, &is_weighted);
    TRY(MPI_Dist_graph_neighbors, graph.comm, graph.n_in, graph.in, in_weights, graph.n_out,
        graph.out, weights);
    all_forms();
}

CHAPTER(neighbours)
{
    if (n_ranks != 4) {
        say("needs 4 ranks");
        return;
    }
    grid(1, (int[]){4}, (int[]){0});
    grid(2, (int[]){2, 2}, (int[]){1, 1});
    star();
    one_way();
    weighted();
    say("sent %ld %ld received %ld %ld", sent[0], sent[1], received[0], received[1]);
}

// SPDX-License-Identifier: BSD-3-Clause
/* Collective operations among the neighbours of a ring, in three forms. */
#include "every.h"

enum { N = 3 };

static int own[2 * N], all[2 * N];
static count_t counts[2] = {N, N};
static displacement_t places[2] = {0, N};
static MPI_Aint byte_places[2] = {0, N * sizeof(int)};
static MPI_Datatype types[2];

static void fill(void)
{
    for (int k = 0; k < 2 * N; k++) {
        own[k] = 100 * rank + k;
        all[k] = -1;
    }
}

/* Neighbours are left, right; `sent_to_left` and so on: where a neighbour's part begins. */
static void check(const char *what, int from_left, int from_right)
{
    for (int k = 0; k < N; k++) {
        equal(what, all[k], 100 * left + from_left + k);
        equal(what, all[N + k], 100 * right + from_right + k);
    }
}

static void in_form(enum form form, MPI_Comm ring)
{
    fill();
    IN_FORM(form, Neighbor_allgather, neighbor_allgather, own, N, MPI_INT, all, N, MPI_INT, ring);
    check("neighbours gathered", 0, 0);
    fill();
    IN_FORM(form, Neighbor_allgatherv, neighbor_allgatherv, own, N, MPI_INT, all, counts, places,
            MPI_INT, ring);
    check("neighbours gathered by counts", 0, 0);
    fill();
    IN_FORM(form, Neighbor_alltoall, neighbor_alltoall, own, N, MPI_INT, all, N, MPI_INT, ring);
    check("neighbours exchanged", N, 0);
    fill();
    IN_FORM(form, Neighbor_alltoallv, neighbor_alltoallv, own, counts, places, MPI_INT, all, counts,
            places, MPI_INT, ring);
    check("neighbours exchanged by counts", N, 0);
    fill();
    IN_FORM(form, Neighbor_alltoallw, neighbor_alltoallw, own, counts, byte_places, types, all,
            counts, byte_places, types, ring);
    check("neighbours exchanged by types", N, 0);
}

/* With two ranks both neighbours are the same one: which message is whose depends on the MPI. */
CHAPTER(neighbours)
{
    const int periodic = 1;
    MPI_Comm ring, line;

    types[0] = types[1] = MPI_INT;
    if (n_ranks < 3) {
        say("needs 3 ranks");
        return;
    }
    TRY(MPI_Cart_create, MPI_COMM_WORLD, 1, &n_ranks, &periodic, 0, &ring);
    for (int form = 0; form < N_FORMS; form++)
        in_form((enum form)form, ring);
    TRY(MPI_Comm_free, &ring);
    TRY(MPI_Dist_graph_create_adjacent, MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right,
        MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &line);
    fill();
    TRY_COUNTED(MPI_Neighbor_alltoall, own, N, MPI_INT, all, N, MPI_INT, line);
    EQUAL(all[0], 100 * left);
    EQUAL(all[N], -1);
    TRY(MPI_Comm_free, &line);
}

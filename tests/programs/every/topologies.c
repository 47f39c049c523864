// SPDX-License-Identifier: BSD-3-Clause
/* Cartesian grids and graphs. */
#include "every.h"

static void grid(void)
{
    int dims[2] = {0, 1}, periods[2] = {1, 0}, coords[2], n_dims = -1, kind = -1, at = -1;
    int from = -1, to = -1, keep[2] = {1, 0};
    MPI_Comm cart, row;

    TRY(MPI_Dims_create, n_ranks, 2, dims);
    EQUAL(dims[0], n_ranks);
    TRY(MPI_Cart_create, MPI_COMM_WORLD, 2, dims, periods, 0, &cart);
    TRY(MPI_Topo_test, cart, &kind);
    EQUAL(kind, MPI_CART);
    TRY(MPI_Cartdim_get, cart, &n_dims);
    EQUAL(n_dims, 2);
    TRY(MPI_Cart_get, cart, 2, dims, periods, coords);
    EQUAL(coords[0], rank);
    TRY(MPI_Cart_coords, cart, rank, 2, coords);
    TRY(MPI_Cart_rank, cart, coords, &at);
    EQUAL(at, rank);
    TRY(MPI_Cart_shift, cart, 0, 1, &from, &to);
    EQUAL(from, left);
    EQUAL(to, right);
    TRY(MPI_Cart_shift, cart, 1, 1, &from, &to);
    EQUAL(to, MPI_PROC_NULL);
    TRY(MPI_Cart_map, MPI_COMM_WORLD, 2, dims, periods, &at);
    EQUAL(at, rank);
    TRY(MPI_Cart_sub, cart, keep, &row);
    TRY(MPI_Comm_size, row, &at);
    EQUAL(at, n_ranks);
    TRY(MPI_Comm_free, &row);
    TRY(MPI_Comm_free, &cart);
}

/* A star: rank 0 knows all others, they know rank 0. */
static void graph(void)
{
    int index[64], edges[128], n_nodes = -1, n_edges = -1, n = -1, at = -1, neighbours[64];
    MPI_Comm star;

    for (int i = 0; i < n_ranks; i++) {
        index[i] = n_ranks - 1 + i;
        if (i > 0) {
            edges[i - 1] = i;
            edges[n_ranks - 2 + i] = 0;
        }
    }
    TRY(MPI_Graph_create, MPI_COMM_WORLD, n_ranks, index, edges, 0, &star);
    TRY(MPI_Graphdims_get, star, &n_nodes, &n_edges);
    EQUAL(n_nodes, n_ranks);
    EQUAL(n_edges, 2 * (n_ranks - 1));
    TRY(MPI_Graph_get, star, 64, 128, index, edges);
    EQUAL(index[0], n_ranks - 1);
    TRY(MPI_Graph_neighbors_count, star, rank, &n);
    EQUAL(n, rank == 0 ? n_ranks - 1 : 1);
    TRY(MPI_Graph_neighbors, star, rank, n, neighbours);
    EQUAL(neighbours[0], rank == 0 ? 1 : 0);
    TRY(MPI_Graph_map, MPI_COMM_WORLD, n_ranks, index, edges, &at);
    EQUAL(at, rank);
    TRY(MPI_Comm_free, &star);
}

static void distributed_graph(void)
{
    int one = 1, n_in = -1, n_out = -1, weighted = -1, source = -1, target = -1, weight = 3;
    int in_weight = -1, out_weight = -1, value = -1;
    MPI_Comm ring;

    TRY(MPI_Dist_graph_create, MPI_COMM_WORLD, 1, &rank, &one, &right, &weight, MPI_INFO_NULL, 0,
        &ring);
    TRY(MPI_Dist_graph_neighbors_count, ring, &n_in, &n_out, &weighted);
    EQUAL(n_in, 1);
    EQUAL(n_out, 1);
    EQUAL(weighted, true);
    TRY(MPI_Dist_graph_neighbors, ring, 1, &source, &in_weight, 1, &target, &out_weight);
    EQUAL(source, left);
    EQUAL(target, right);
    EQUAL(in_weight, 3);
    TRY(MPI_Neighbor_allgather, &rank, 1, MPI_INT, &value, 1, MPI_INT, ring);
    EQUAL(value, left);
    TRY(MPI_Comm_free, &ring);
    TRY(MPI_Dist_graph_create_adjacent, MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right,
        MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
    TRY(MPI_Dist_graph_neighbors_count, ring, &n_in, &n_out, &weighted);
    EQUAL(weighted, false);
    TRY(MPI_Comm_free, &ring);
}

CHAPTER(topologies)
{
    int kind = -1, dims = 2 * n_ranks, period = 0;
    MPI_Comm cart;

    TRY(MPI_Topo_test, MPI_COMM_WORLD, &kind);
    EQUAL(kind, MPI_UNDEFINED);
    grid();
    graph();
    distributed_graph();
    ATTEMPT(MPI_Cart_create, MPI_COMM_WORLD, 1, &dims, &period, 0, &cart);
}

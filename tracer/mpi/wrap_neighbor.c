// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives. OTF2 has no operation for them, and a rank waits only for its
// neighbours. So they are recorded as the messages that define them: one to and one from each
// neighbour, with a tag that no message of the program can have. Edges without bytes are left out
// on both sides, because no rank waits there. The k-th message to a neighbour matches the k-th one
// it receives; between ranks that are neighbours twice MPI pairs them differently, but only sizes
// differ.
#include "tracer/mpi/comm.h"
#include "tracer/mpi/hooks.h"
#include "tracer/mpi/request.h"

#include <stdlib.h>

/// Ranks this one sends to, then ranks it receives from. MPI_PROC_NULL keeps its place.
struct topology {
    uint32_t n_out;
    uint32_t n_in;
    int peers[];
};

// ---- Who the neighbours are

static struct topology *topology_new(int n_out, int n_in)
{
    size_t n = (size_t)n_out + (size_t)n_in;
    struct topology *topology = malloc(sizeof *topology + n * sizeof *topology->peers);
    if (!topology)
        return NULL;
    topology->n_out = (uint32_t)n_out;
    topology->n_in = (uint32_t)n_in;
    return topology;
}

static struct topology *ask_grid(MPI_Comm comm)
{
    int n_dims = 0;
    PMPI_Cartdim_get(comm, &n_dims);
    struct topology *topology = topology_new(2 * n_dims, 2 * n_dims);
    for (int i = 0; topology && i < n_dims; i++) {
        int *out = &topology->peers[2 * i];
        PMPI_Cart_shift(comm, i, 1, &out[0], &out[1]);
        out[2 * n_dims] = out[0];
        out[2 * n_dims + 1] = out[1];
    }
    return topology;
}

static struct topology *ask_graph(MPI_Comm comm, int rank)
{
    int n = 0;
    PMPI_Graph_neighbors_count(comm, rank, &n);
    struct topology *topology = topology_new(n, n);
    if (topology && n > 0) {
        PMPI_Graph_neighbors(comm, rank, n, topology->peers);
        for (int i = 0; i < n; i++)
            topology->peers[n + i] = topology->peers[i];
    }
    return topology;
}

static struct topology *ask_distributed_graph(MPI_Comm comm)
{
    int n_in = 0;
    int n_out = 0;
    int is_weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &is_weighted);
    struct topology *topology = topology_new(n_out, n_in);
    int *weights = calloc((size_t)n_in + (size_t)n_out + 1, sizeof *weights);
    if (topology && weights) {
        PMPI_Dist_graph_neighbors(comm, n_in, topology->peers + n_out,
                                  is_weighted ? weights : MPI_UNWEIGHTED, n_out, topology->peers,
                                  is_weighted ? weights + n_in : MPI_UNWEIGHTED);
    } else {
        free(topology);
        topology = NULL;
    }
    free(weights);
    return topology;
}

/// The communicator's neighbours, asked for once. NULL: out of memory.
static const struct topology *topology_of(const struct comm *comm)
{
    struct topology *topology = comm->topology;
    int kind = MPI_UNDEFINED;
    if (topology)
        return topology;
    PMPI_Topo_test(comm->handle, &kind);
    if (kind == MPI_CART)
        topology = ask_grid(comm->handle);
    else if (kind == MPI_GRAPH)
        topology = ask_graph(comm->handle, comm->rank);
    else if (kind == MPI_DIST_GRAPH)
        topology = ask_distributed_graph(comm->handle);
    if (!topology)
        return NULL;
    struct topology *kept = comm_set_topology(comm->handle, topology);
    if (kept != topology)
        free(topology);
    return kept;
}

// ---- Messages

/// Edge `i`: who, and how much; nothing to or from MPI_PROC_NULL.
static struct neighbor_edge edge_at(const struct topology *topology, uint32_t i,
                                    const struct amounts *sent, const struct amounts *received)
{
    struct neighbor_edge edge = {.peer = topology->peers[i]};
    if (edge.peer != MPI_PROC_NULL)
        edge.n_bytes = i < topology->n_out ? amounts_at(sent, (int)i)
                                           : amounts_at(received, (int)(i - topology->n_out));
    return edge;
}

/// The messages of a nonblocking operation, to be kept until it is complete.
static struct neighbor_edges *edges_of(const struct topology *topology, const struct amounts *sent,
                                       const struct amounts *received)
{
    uint32_t n = topology->n_out + topology->n_in;
    struct neighbor_edges *edges = calloc(1, sizeof *edges + n * sizeof *edges->edges);
    for (uint32_t i = 0; edges && i < n; i++) {
        struct neighbor_edge edge = edge_at(topology, i, sent, received);
        if (edge.n_bytes == 0)
            continue;
        edges->edges[edges->n_out + edges->n_in] = edge;
        *(i < topology->n_out ? &edges->n_out : &edges->n_in) += 1;
    }
    return edges;
}

void neighbor_called(struct call *call, struct start start, MPI_Comm handle, struct amounts sent,
                     struct amounts received)
{
    struct comm comm = comm_find(call->stream, handle);
    const struct topology *topology = topology_of(&comm);
    if (!topology)
        return;
    if (start.kind == START_AND_END) {
        for (uint32_t i = 0; i < topology->n_out + topology->n_in; i++) {
            struct neighbor_edge edge = edge_at(topology, i, &sent, &received);
            if (edge.n_bytes > 0)
                p2p_write(call, i < topology->n_out ? RECORD_SEND : RECORD_RECV, comm.id, edge.peer,
                          RECORD_TAG_NEIGHBOR, edge.n_bytes, 0);
        }
        return;
    }
    struct request request = {.kind = REQUEST_NEIGHBORS, .comm = comm.id};
    request.edges = edges_of(topology, &sent, &received);
    if (!request.edges)
        return;
    request.n_ids = request.edges->n_out + request.edges->n_in;
    request_begin(call, start, &request);
}

void neighbor_posted(struct call *call, const struct request *request)
{
    const struct neighbor_edges *edges = request->edges;
    for (uint32_t i = 0; i < edges->n_out + edges->n_in; i++)
        p2p_write(call, i < edges->n_out ? RECORD_ISEND : RECORD_IRECV_POST, request->comm,
                  edges->edges[i].peer, RECORD_TAG_NEIGHBOR, edges->edges[i].n_bytes,
                  request->id + i);
}

void neighbor_completed(struct call *call, const struct request *request)
{
    const struct neighbor_edges *edges = request->edges;
    for (uint32_t i = 0; i < edges->n_out; i++)
        request_write_end(call, RECORD_ISEND_DONE, request->id + i);
    for (uint32_t i = edges->n_out; i < edges->n_out + edges->n_in; i++)
        request_write_received(call, request->comm, edges->edges[i].peer, RECORD_TAG_NEIGHBOR,
                               edges->edges[i].n_bytes, request->id + i);
}

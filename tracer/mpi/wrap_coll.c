// SPDX-License-Identifier: BSD-3-Clause
// Collective operations: their records, and the bytes each rank sends and receives. The counting
// is Score-P's, so that other tools show the same volumes for our traces: what the operation moves
// by its definition, a rank's own contribution included unless MPI_IN_PLACE is given. Only
// arguments that are significant on the calling rank are looked at.
#include "tracer/mpi/comm.h"
#include "tracer/mpi/request.h"

static int32_t root_to_record(enum coll_operation operation, int root)
{
    bool has_root = operation == COLL_BCAST || operation == COLL_REDUCE ||
                    operation == COLL_GATHER || operation == COLL_GATHERV ||
                    operation == COLL_SCATTER || operation == COLL_SCATTERV;
    if (!has_root)
        return RECORD_NO_ROOT;
    if (root == MPI_ROOT)
        return RECORD_ROOT_SELF;
    if (root == MPI_PROC_NULL)
        return RECORD_ROOT_GROUP;
    return root;
}

/// The end of an operation, in ROOM or NULL.
static void write_end(void *room, uint16_t kind, const struct request *operation)
{
    RECORD_WRITE(room, kind, operation->comm, record_collective,
                 .operation = (int16_t)operation->operation,
                 .is_in_place = operation->coll_bytes.is_in_place, .root = operation->root,
                 .sent_bytes = operation->coll_bytes.sent,
                 .received_bytes = operation->coll_bytes.received, .request = operation->id);
}

void coll_completed(struct call *call, const struct request *operation)
{
    write_end(call_reserve_completion(call, sizeof(struct record_collective)), RECORD_ICOLL,
              operation);
}

/// A blocking one is over.
static void done(struct call *call, const struct request *operation)
{
    if (call->stream->off)
        recording_skip(call->stream, RECORD_COLLECTIVE, operation->comm, 0, 0);
    write_end(call_reserve(call, sizeof(struct record_collective)), RECORD_COLLECTIVE, operation);
}

void coll_done_on(struct call *call, uint32_t comm_id, enum coll_operation operation)
{
    done(call, &(struct request){.comm = comm_id, .operation = operation, .root = RECORD_NO_ROOT});
}

void coll_posted(struct call *call, uint32_t comm, uint64_t id)
{
    if (call->stream->off)
        recording_skip(call->stream, RECORD_ICOLL_POST, comm, 0, 0);
    CALL_WRITE(call, RECORD_ICOLL_POST, comm, record_request, .request = id);
}

// ---- Bytes

static uint64_t count_at(const struct amounts *amounts, int i)
{
    if (amounts->count_bytes == sizeof(int))
        return (uint64_t)((const int *)amounts->counts)[i];
    return (uint64_t)((const MPI_Count *)amounts->counts)[i];
}

uint64_t amounts_at(const struct amounts *amounts, int i)
{
    MPI_Count count = amounts->counts ? (MPI_Count)count_at(amounts, i) : amounts->count;
    // The type of nothing need not be one.
    return count == 0 ? 0 : p2p_bytes(count, amounts->types ? amounts->types[i] : amounts->type);
}

/// Bytes to or from the first `n` of the ranks.
static uint64_t sum(const struct amounts *amounts, int n)
{
    uint64_t total = 0;
    if (!amounts->counts)
        return (uint64_t)n * amounts_at(amounts, 0);
    for (int i = 0; i < n; i++)
        total += amounts->types ? amounts_at(amounts, i) : count_at(amounts, i);
    return amounts->types ? total : p2p_bytes((MPI_Count)total, amounts->type);
}

/// A call as the counting sees it: `n_peers` ranks exchange data with this one.
struct view {
    const struct comm *comm;
    int n_peers, root;
    bool is_inter;
    bool is_in_place;
    const struct amounts *sent, *received;
};

static struct coll_bytes all_to_one(const struct view *view)
{
    struct coll_bytes bytes = {0, 0, false};
    if (view->is_inter ? view->root == MPI_ROOT : view->root == view->comm->rank) {
        uint64_t own = view->is_inter ? 0 : amounts_at(view->received, view->comm->rank);
        bytes.received = sum(view->received, view->n_peers);
        bytes.is_in_place = view->is_in_place && !view->is_inter;
        if (bytes.is_in_place)
            bytes.received -= own;
        else
            bytes.sent = own;
    } else if (view->root != MPI_PROC_NULL) {
        bytes.sent = amounts_at(view->sent, 0);
    }
    return bytes;
}

static struct coll_bytes one_to_all(struct view view)
{
    const struct amounts *sent = view.sent;
    view.sent = view.received;
    view.received = sent;
    struct coll_bytes bytes = all_to_one(&view);
    return (struct coll_bytes){bytes.received, bytes.sent, bytes.is_in_place};
}

static struct coll_bytes all_gather(const struct view *view)
{
    uint64_t all = sum(view->received, view->n_peers);
    if (!view->is_in_place)
        return (struct coll_bytes){(uint64_t)view->n_peers * amounts_at(view->sent, 0), all, false};
    uint64_t own = amounts_at(view->received, view->comm->rank);
    return (struct coll_bytes){(uint64_t)(view->n_peers - 1) * own, all - own, true};
}

static struct coll_bytes all_to_all(const struct view *view)
{
    uint64_t all = sum(view->received, view->n_peers);
    if (!view->is_in_place)
        return (struct coll_bytes){sum(view->sent, view->n_peers), all, false};
    uint64_t moved = all - amounts_at(view->received, view->comm->rank);
    return (struct coll_bytes){moved, moved, true};
}

/// `n_receives` is from how many ranks this one's part comes.
static struct coll_bytes reduce_scatter(const struct view *view, int n_receives)
{
    uint64_t all = sum(view->received, view->comm->n_local);
    uint64_t own = amounts_at(view->received, view->comm->rank);
    if (view->is_in_place)
        return (struct coll_bytes){all - own, (uint64_t)(view->comm->n_local - 1) * own, true};
    return (struct coll_bytes){all, (uint64_t)n_receives * own, false};
}

static struct coll_bytes scan(const struct view *view)
{
    uint64_t block = amounts_at(view->sent, 0), own = view->is_in_place ? 0 : block;
    int rank = view->comm->rank;
    return (struct coll_bytes){(uint64_t)(view->comm->n_local - rank - 1) * block + own,
                               (uint64_t)rank * block + own, view->is_in_place};
}

static struct coll_bytes bytes_of(enum coll_operation operation, const struct view *view)
{
    switch (operation) {
    case COLL_BCAST:
    case COLL_SCATTER:
    case COLL_SCATTERV:
        return one_to_all(*view);
    case COLL_GATHER:
    case COLL_GATHERV:
    case COLL_REDUCE:
        return all_to_one(view);
    case COLL_ALLGATHER:
    case COLL_ALLGATHERV:
        return all_gather(view);
    case COLL_ALLTOALL:
    case COLL_ALLTOALLV:
    case COLL_ALLTOALLW:
    case COLL_ALLREDUCE:
        return all_to_all(view);
    case COLL_REDUCE_SCATTER:
        return reduce_scatter(view, view->n_peers);
    case COLL_REDUCE_SCATTER_BLOCK:
        return reduce_scatter(view, view->comm->n_local);
    case COLL_SCAN:
    case COLL_EXSCAN:
        return scan(view);
    default:
        return (struct coll_bytes){0, 0, false};
    }
}

void coll_called(struct call *call, struct start start, MPI_Comm handle,
                 enum coll_operation operation, int root, struct amounts sent,
                 struct amounts received, const void *buffer)
{
    struct comm comm = comm_find(call->stream, handle);
    struct request request = {.kind = REQUEST_COLLECTIVE, .comm = comm.id, .operation = operation};
    bool is_inter = comm.n_remote > 0;
    request.root = root_to_record(operation, root);
    request.coll_bytes =
        bytes_of(operation, &(struct view){.comm = &comm,
                                           .n_peers = is_inter ? comm.n_remote : comm.n_local,
                                           .root = root,
                                           .is_inter = is_inter,
                                           .is_in_place = buffer == MPI_IN_PLACE,
                                           .sent = &sent,
                                           .received = &received});
    if (start.kind == START_AND_END)
        done(call, &request);
    else
        request_begin(call, start, &request);
}

// SPDX-License-Identifier: BSD-3-Clause
// Collective operations: their records, and the bytes each rank sends and receives. The counting
// is Score-P's, so that other tools show the same volumes for our traces; only arguments that are
// significant on the calling rank are looked at.
#include "tracer/mpi/comm.h"
#include "tracer/mpi/request.h"

static int32_t root_to_record(int root)
{
    if (root == MPI_ROOT)
        return RECORD_ROOT_SELF;
    if (root == MPI_PROC_NULL)
        return RECORD_ROOT_GROUP;
    return root;
}

static void write_collective(struct call *call, uint32_t comm, enum coll_operation operation,
                             int32_t root, struct coll_bytes bytes)
{
    struct record_collective *record = call_reserve(call, sizeof *record);
    if (call->stream->off)
        recording_skip(call->stream, RECORD_COLLECTIVE, comm, 0, 0);
    if (!record)
        return;
    record->operation = (int16_t)operation;
    record->is_in_place = bytes.is_in_place;
    record->root = root;
    record->sent_bytes = bytes.sent;
    record->received_bytes = bytes.received;
    record->request = 0;
    stream_commit(&record->head, RECORD_COLLECTIVE, comm, sizeof *record);
}

static bool has_root(enum coll_operation operation)
{
    return operation == COLL_BCAST || operation == COLL_REDUCE || operation == COLL_GATHER ||
           operation == COLL_GATHERV || operation == COLL_SCATTER || operation == COLL_SCATTERV;
}

void coll_done(struct call *call, MPI_Comm comm, enum coll_operation operation, int root,
               struct coll_bytes bytes)
{
    int32_t recorded_root = has_root(operation) ? root_to_record(root) : RECORD_NO_ROOT;
    write_collective(call, comm_find(call->stream, comm).id, operation, recorded_root, bytes);
}

void coll_done_on(struct call *call, uint32_t comm_id, enum coll_operation operation)
{
    write_collective(call, comm_id, operation, RECORD_NO_ROOT, coll_no_bytes());
}

static struct request collective_request(const struct call *call, MPI_Comm comm,
                                         enum coll_operation operation, int root,
                                         struct coll_bytes bytes, MPI_Request handle)
{
    struct request request = {.handle = handle,
                              .stream = call->stream,
                              .kind = REQUEST_COLLECTIVE,
                              .operation = operation};
    request.comm = comm_find(call->stream, comm).id;
    request.root = has_root(operation) ? root_to_record(root) : RECORD_NO_ROOT;
    request.coll_bytes = bytes;
    return request;
}

void coll_posted(struct call *call, uint32_t comm, uint64_t id)
{
    struct record_request *record = call_reserve(call, sizeof *record);
    if (call->stream->off)
        recording_skip(call->stream, RECORD_ICOLL_POST, comm, 0, 0);
    if (!record)
        return;
    record->request = id;
    stream_commit(&record->head, RECORD_ICOLL_POST, comm, sizeof *record);
}

void coll_started(struct call *call, MPI_Comm comm, enum coll_operation operation, int root,
                  struct coll_bytes bytes, MPI_Request handle)
{
    struct request request = collective_request(call, comm, operation, root, bytes, handle);
    request.active = true;
    coll_posted(call, request.comm, request_add(&request));
}

void coll_init(struct call *call, MPI_Comm comm, enum coll_operation operation, int root,
               struct coll_bytes bytes, MPI_Request handle)
{
    struct request request = collective_request(call, comm, operation, root, bytes, handle);
    request.persistent = true;
    request_add(&request);
}

/// The communicator as the counting sees it: `n_peers` ranks exchange data with this one.
struct view {
    int rank;
    int n_local;
    int n_peers;
    bool is_inter;
};

static struct view view_of(MPI_Comm comm)
{
    struct view view = {0};
    PMPI_Comm_rank(comm, &view.rank);
    PMPI_Comm_size(comm, &view.n_local);
    view.n_peers = view.n_local;
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    view.is_inter = is_inter != 0;
    if (view.is_inter)
        PMPI_Comm_remote_size(comm, &view.n_peers);
    return view;
}

static uint64_t size_of(MPI_Datatype datatype)
{
    int size = 0;
    PMPI_Type_size(datatype, &size);
    return size > 0 ? (uint64_t)size : 0;
}

uint64_t count_at(struct counts counts, int i)
{
    if (counts.element_bytes == sizeof(int))
        return (uint64_t)((const int *)counts.array)[i];
    return (uint64_t)((const MPI_Count *)counts.array)[i];
}

static uint64_t sum(struct counts counts, int n)
{
    uint64_t total = 0;
    for (int i = 0; i < n; i++)
        total += count_at(counts, i);
    return total;
}

static bool in_place(const void *buffer)
{
    return buffer == MPI_IN_PLACE;
}

struct coll_bytes coll_no_bytes(void)
{
    return (struct coll_bytes){0, 0, false};
}

struct coll_bytes coll_all_to_one(MPI_Comm comm, int root, MPI_Count send_count,
                                  MPI_Datatype send_type, MPI_Count recv_count,
                                  MPI_Datatype recv_type, const void *buffer)
{
    struct view view = view_of(comm);
    uint64_t n_peers = (uint64_t)view.n_peers;
    struct coll_bytes bytes = {0, 0, false};
    if (view.is_inter ? root == MPI_ROOT : root == view.rank) {
        uint64_t block = (uint64_t)recv_count * size_of(recv_type);
        bytes.received = n_peers * block;
        bytes.is_in_place = !view.is_inter && in_place(buffer);
        if (bytes.is_in_place)
            bytes.received -= block;
        else if (!view.is_inter)
            bytes.sent = block;
    } else if (root != MPI_PROC_NULL) {
        bytes.sent = (uint64_t)send_count * size_of(send_type);
    }
    return bytes;
}

static struct coll_bytes swapped(struct coll_bytes bytes)
{
    return (struct coll_bytes){bytes.received, bytes.sent, bytes.is_in_place};
}

struct coll_bytes coll_one_to_all(MPI_Comm comm, int root, MPI_Count send_count,
                                  MPI_Datatype send_type, MPI_Count recv_count,
                                  MPI_Datatype recv_type, const void *buffer)
{
    return swapped(
        coll_all_to_one(comm, root, recv_count, recv_type, send_count, send_type, buffer));
}

struct coll_bytes coll_gatherv(MPI_Comm comm, int root, MPI_Count send_count,
                               MPI_Datatype send_type, struct counts recv_counts,
                               MPI_Datatype recv_type, const void *buffer)
{
    struct view view = view_of(comm);
    struct coll_bytes bytes = {0, 0, false};
    if (view.is_inter ? root == MPI_ROOT : root == view.rank) {
        uint64_t size = size_of(recv_type);
        uint64_t own = view.is_inter ? 0 : count_at(recv_counts, view.rank) * size;
        bytes.received = sum(recv_counts, view.n_peers) * size;
        bytes.is_in_place = in_place(buffer);
        if (bytes.is_in_place)
            bytes.received -= own;
        else
            bytes.sent = own;
    } else if (root != MPI_PROC_NULL) {
        bytes.sent = (uint64_t)send_count * size_of(send_type);
    }
    return bytes;
}

struct coll_bytes coll_scatterv(MPI_Comm comm, int root, struct counts send_counts,
                                MPI_Datatype send_type, MPI_Count recv_count,
                                MPI_Datatype recv_type, const void *buffer)
{
    return swapped(coll_gatherv(comm, root, recv_count, recv_type, send_counts, send_type, buffer));
}

struct coll_bytes coll_all_to_all(MPI_Comm comm, MPI_Count send_count, MPI_Datatype send_type,
                                  MPI_Count recv_count, MPI_Datatype recv_type, const void *buffer)
{
    uint64_t n_peers = (uint64_t)view_of(comm).n_peers;
    uint64_t block = (uint64_t)recv_count * size_of(recv_type);
    if (in_place(buffer))
        return (struct coll_bytes){(n_peers - 1) * block, (n_peers - 1) * block, true};
    return (struct coll_bytes){n_peers * (uint64_t)send_count * size_of(send_type), n_peers * block,
                               false};
}

struct coll_bytes coll_allgatherv(MPI_Comm comm, MPI_Count send_count, MPI_Datatype send_type,
                                  struct counts recv_counts, MPI_Datatype recv_type,
                                  const void *buffer)
{
    struct view view = view_of(comm);
    uint64_t size = size_of(recv_type);
    uint64_t n_peers = (uint64_t)view.n_peers;
    struct coll_bytes bytes = {0, sum(recv_counts, view.n_peers) * size, in_place(buffer)};
    if (bytes.is_in_place) {
        uint64_t own = count_at(recv_counts, view.rank) * size;
        bytes.received -= own;
        bytes.sent = (n_peers - 1) * own;
    } else {
        bytes.sent = n_peers * (uint64_t)send_count * size_of(send_type);
    }
    return bytes;
}

struct coll_bytes coll_alltoallv(MPI_Comm comm, struct counts send_counts, MPI_Datatype send_type,
                                 struct counts recv_counts, MPI_Datatype recv_type,
                                 const void *buffer)
{
    struct view view = view_of(comm);
    uint64_t size = size_of(recv_type);
    uint64_t received = sum(recv_counts, view.n_peers) * size;
    if (in_place(buffer)) {
        received -= count_at(recv_counts, view.rank) * size;
        return (struct coll_bytes){received, received, true};
    }
    return (struct coll_bytes){sum(send_counts, view.n_peers) * size_of(send_type), received,
                               false};
}

static uint64_t sum_typed(struct counts counts, const MPI_Datatype *types, int n, int without)
{
    uint64_t total = 0;
    for (int i = 0; i < n; i++)
        if (i != without && count_at(counts, i) > 0)
            total += count_at(counts, i) * size_of(types[i]);
    return total;
}

struct coll_bytes coll_alltoallw(MPI_Comm comm, struct counts send_counts,
                                 const MPI_Datatype *send_types, struct counts recv_counts,
                                 const MPI_Datatype *recv_types, const void *buffer)
{
    struct view view = view_of(comm);
    if (in_place(buffer)) {
        uint64_t moved = sum_typed(recv_counts, recv_types, view.n_peers, view.rank);
        return (struct coll_bytes){moved, moved, true};
    }
    return (struct coll_bytes){sum_typed(send_counts, send_types, view.n_peers, -1),
                               sum_typed(recv_counts, recv_types, view.n_peers, -1), false};
}

struct coll_bytes coll_reduce_scatter(MPI_Comm comm, struct counts recv_counts,
                                      MPI_Datatype datatype, const void *buffer)
{
    struct view view = view_of(comm);
    uint64_t size = size_of(datatype);
    uint64_t own = count_at(recv_counts, view.rank) * size;
    uint64_t all = sum(recv_counts, view.n_local) * size;
    if (in_place(buffer))
        return (struct coll_bytes){all - own, (uint64_t)(view.n_local - 1) * own, true};
    return (struct coll_bytes){all, (uint64_t)view.n_peers * own, false};
}

struct coll_bytes coll_reduce_scatter_block(MPI_Comm comm, MPI_Count recv_count,
                                            MPI_Datatype datatype, const void *buffer)
{
    uint64_t n_ranks = (uint64_t)view_of(comm).n_local;
    uint64_t moved =
        (in_place(buffer) ? n_ranks - 1 : n_ranks) * (uint64_t)recv_count * size_of(datatype);
    return (struct coll_bytes){moved, moved, in_place(buffer)};
}

struct coll_bytes coll_scan(MPI_Comm comm, MPI_Count count, MPI_Datatype datatype,
                            const void *buffer)
{
    struct view view = view_of(comm);
    uint64_t block = (uint64_t)count * size_of(datatype);
    uint64_t own = in_place(buffer) ? 0 : 1;
    return (struct coll_bytes){((uint64_t)(view.n_local - view.rank - 1) + own) * block,
                               ((uint64_t)view.rank + own) * block, own == 0};
}

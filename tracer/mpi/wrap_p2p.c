// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point messages: the records of sends and receives, and of the requests they start.
#include "tracer/mpi/comm.h"
#include "tracer/mpi/hooks.h"
#include "tracer/mpi/request.h"

#include <stdlib.h>

uint64_t p2p_bytes(MPI_Count count, MPI_Datatype datatype)
{
    int size = 0;
    PMPI_Type_size(datatype, &size);
    return (uint64_t)count * (uint64_t)(size > 0 ? size : 0);
}

uint64_t p2p_bytes_of(const MPI_Status *status)
{
    int n_bytes = 0;
    PMPI_Get_count(status, MPI_BYTE, &n_bytes);
    return n_bytes == MPI_UNDEFINED ? 0 : (uint64_t)n_bytes;
}

static int32_t tag_or_any(int tag)
{
    return tag == MPI_ANY_TAG ? RECORD_ANY : tag;
}

static int32_t source_or_any(int source)
{
    return source == MPI_ANY_SOURCE ? RECORD_ANY : source;
}

void p2p_write(struct call *call, uint16_t kind, uint32_t comm, int32_t peer, int32_t tag,
               uint64_t n_bytes, uint64_t request)
{
    struct record_message *record = call_reserve(call, sizeof *record);
    if (call->stream->off && kind != RECORD_IRECV_POST)
        recording_skip(call->stream, kind == RECORD_RECV ? RECORD_RECV : RECORD_SEND, comm, peer,
                       tag);
    if (!record)
        return;
    record->peer = peer;
    record->tag = tag;
    record->n_bytes = n_bytes;
    record->request = request;
    stream_commit(&record->head, kind, comm, sizeof *record);
}

void p2p_send(struct call *call, MPI_Comm comm, int dest, int tag, MPI_Count count,
              MPI_Datatype datatype)
{
    if (dest == MPI_PROC_NULL)
        return;
    p2p_write(call, RECORD_SEND, comm_find(call->stream, comm).id, dest, tag,
              p2p_bytes(count, datatype), 0);
}

void p2p_received(struct call *call, uint32_t comm, const MPI_Status *status)
{
    if (status->MPI_SOURCE != MPI_PROC_NULL)
        p2p_write(call, RECORD_RECV, comm, status->MPI_SOURCE, status->MPI_TAG,
                  p2p_bytes_of(status), 0);
}

bool p2p_was_received(int returned)
{
    int class = MPI_SUCCESS;
    if (returned != MPI_SUCCESS)
        PMPI_Error_class(returned, &class);
    return class == MPI_SUCCESS || class == MPI_ERR_TRUNCATE;
}

void p2p_recv(struct call *call, int returned, MPI_Comm comm, const MPI_Status *status)
{
    if (p2p_was_received(returned))
        p2p_received(call, comm_find(call->stream, comm).id, status);
}

void p2p_sendrecv(struct call *call, int returned, MPI_Comm comm, int dest, int tag,
                  MPI_Count count, MPI_Datatype datatype, const MPI_Status *status)
{
    if (!p2p_was_received(returned))
        return;
    p2p_send(call, comm, dest, tag, count, datatype);
    p2p_received(call, comm_find(call->stream, comm).id, status);
}

void p2p_isend(struct call *call, MPI_Comm comm, int dest, int tag, MPI_Count count,
               MPI_Datatype datatype, MPI_Request handle)
{
    struct request request = {
        .handle = handle, .stream = call->stream, .kind = REQUEST_SEND, .active = true};
    if (dest == MPI_PROC_NULL)
        return;
    request.comm = comm_find(call->stream, comm).id;
    p2p_write(call, RECORD_ISEND, request.comm, dest, tag, p2p_bytes(count, datatype),
              request_add(&request));
}

void p2p_posted(struct call *call, uint32_t comm, int source, int tag, MPI_Request handle)
{
    struct request request = {
        .handle = handle, .stream = call->stream, .kind = REQUEST_RECV, .active = true};
    if (source == MPI_PROC_NULL)
        return;
    request.comm = comm;
    p2p_write(call, RECORD_IRECV_POST, comm, source_or_any(source), tag_or_any(tag), 0,
              request_add(&request));
}

void p2p_irecv(struct call *call, MPI_Comm comm, int source, int tag, MPI_Request handle)
{
    p2p_posted(call, comm_find(call->stream, comm).id, source, tag, handle);
}

void p2p_isendrecv(struct call *call, MPI_Comm comm, int dest, int send_tag, uint64_t n_bytes,
                   int source, int recv_tag, uint64_t n_room, MPI_Request handle)
{
    struct request request = {
        .handle = handle, .stream = call->stream, .kind = REQUEST_SENDRECV, .active = true};
    if (dest == MPI_PROC_NULL && source == MPI_PROC_NULL)
        return;
    request.comm = comm_find(call->stream, comm).id;
    request.has_send = dest != MPI_PROC_NULL;
    request.has_recv = source != MPI_PROC_NULL;
    request.n_ids = 2;
    request.peer = source_or_any(source);
    request.tag = tag_or_any(recv_tag);
    request.n_bytes = n_room;
    request.id = request_add(&request);
    if (request.has_recv)
        p2p_write(call, RECORD_IRECV_POST, request.comm, request.peer, request.tag, 0, request.id);
    if (request.has_send)
        p2p_write(call, RECORD_ISEND, request.comm, dest, send_tag, n_bytes, request.id + 1);
}

void p2p_send_init(struct call *call, MPI_Comm comm, int dest, int tag, MPI_Count count,
                   MPI_Datatype datatype, MPI_Request handle)
{
    struct request request = {
        .handle = handle, .stream = call->stream, .kind = REQUEST_SEND, .persistent = true};
    if (dest == MPI_PROC_NULL)
        return;
    request.comm = comm_find(call->stream, comm).id;
    request.peer = dest;
    request.tag = tag;
    request.n_bytes = p2p_bytes(count, datatype);
    request_add(&request);
}

void p2p_recv_init(struct call *call, MPI_Comm comm, int source, int tag, MPI_Request handle)
{
    struct request request = {
        .handle = handle, .stream = call->stream, .kind = REQUEST_RECV, .persistent = true};
    if (source == MPI_PROC_NULL)
        return;
    request.comm = comm_find(call->stream, comm).id;
    request.peer = source_or_any(source);
    request.tag = tag_or_any(tag);
    request_add(&request);
}

void request_start(struct call *call, MPI_Request handle)
{
    struct request request;
    if (!request_activate(call->stream, handle, &request))
        return;
    if (request.kind == REQUEST_COLLECTIVE)
        coll_posted(call, request.comm, request.id);
    else if (request.kind == REQUEST_NEIGHBORS)
        neighbor_posted(call, &request);
    else
        p2p_write(call, request.kind == REQUEST_SEND ? RECORD_ISEND : RECORD_IRECV_POST,
                  request.comm, request.peer, request.tag, request.n_bytes, request.id);
}

// Matched probes and receives. A message handle stands for a message already taken out of a
// communicator, so the communicator is remembered from the probe to the receive.

static struct {
    MPI_Message handle;
    uint32_t comm;
} * pending;
static size_t n_pending;
static size_t n_slots;

void message_probed(struct call *call, MPI_Comm comm, MPI_Message handle)
{
    if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC)
        return;
    uint32_t id = comm_find(call->stream, comm).id;
    tables_lock();
    if (n_pending == n_slots) {
        size_t n_new = n_slots == 0 ? 64 : 2 * n_slots;
        void *larger = realloc(pending, n_new * sizeof *pending);
        if (larger) {
            pending = larger;
            n_slots = n_new;
        }
    }
    if (n_pending < n_slots) {
        pending[n_pending].handle = handle;
        pending[n_pending++].comm = id;
    }
    tables_unlock();
}

/// Takes the handle's communicator out of the list; RECORD_NO_COMM if its probe was not seen.
static uint32_t take(MPI_Message handle)
{
    tables_lock();
    uint32_t comm = RECORD_NO_COMM;
    for (size_t i = 0; i < n_pending; i++) {
        if (pending[i].handle == handle) {
            comm = pending[i].comm;
            pending[i] = pending[--n_pending];
            break;
        }
    }
    tables_unlock();
    return comm;
}

// Both functions once more with a large count, where there is one.
#define WRAPPER_OF_MRECV(name, count_type)                                                         \
    (void *buf, count_type count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) \
    {                                                                                              \
        struct call call;                                                                          \
        MPI_Status own;                                                                            \
        uint32_t comm;                                                                             \
        int result;                                                                                \
                                                                                                   \
        if (!call_enter(&call, FN_##name))                                                         \
            return next_##name(buf, count, datatype, message, status);                             \
        comm = message ? take(*message) : RECORD_NO_COMM;                                          \
        if (status == MPI_STATUS_IGNORE)                                                           \
            status = &own;                                                                         \
        result = next_##name(buf, count, datatype, message, status);                               \
        call_returned(&call);                                                                      \
        if (comm != RECORD_NO_COMM && p2p_was_received(result))                                    \
            p2p_received(&call, comm, status);                                                     \
        call_leave(&call);                                                                         \
        return result;                                                                             \
    }

// Source and tag are known to the probe's caller only; the completion tells them.
#define WRAPPER_OF_IMRECV(name, count_type)                                                        \
    (void *buf, count_type count, MPI_Datatype datatype, MPI_Message *message,                     \
     MPI_Request *request)                                                                         \
    {                                                                                              \
        struct call call;                                                                          \
        uint32_t comm;                                                                             \
        int result;                                                                                \
                                                                                                   \
        if (!call_enter(&call, FN_##name))                                                         \
            return next_##name(buf, count, datatype, message, request);                            \
        comm = message ? take(*message) : RECORD_NO_COMM;                                          \
        result = next_##name(buf, count, datatype, message, request);                              \
        call_returned(&call);                                                                      \
        if (result == MPI_SUCCESS && comm != RECORD_NO_COMM)                                       \
            p2p_posted(&call, comm, MPI_ANY_SOURCE, MPI_ANY_TAG, *request);                        \
        call_leave(&call);                                                                         \
        return result;                                                                             \
    }

// WRAP has to stand at the start of a line, for the generator.
// clang-format off
WRAP(MPI_Mrecv) WRAPPER_OF_MRECV(MPI_Mrecv, int)
WRAP(MPI_Imrecv) WRAPPER_OF_IMRECV(MPI_Imrecv, int)
#ifdef HAVE_MPI_Mrecv_c
WRAP(MPI_Mrecv_c) WRAPPER_OF_MRECV(MPI_Mrecv_c, MPI_Count)
WRAP(MPI_Imrecv_c) WRAPPER_OF_IMRECV(MPI_Imrecv_c, MPI_Count)
#endif
    // clang-format on

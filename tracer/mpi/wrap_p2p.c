// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point messages: the records of sends and receives, and of the requests they start.
#include "tracer/mpi/comm.h"
#include "tracer/mpi/hooks.h"
#include "tracer/mpi/request.h"

#include <stdlib.h>

uint64_t p2p_bytes(MPI_Count count, MPI_Datatype datatype)
{
    int size = 0;
    if (datatype == MPI_BYTE)
        return (uint64_t)count;
    PMPI_Type_size(datatype, &size);
    return (uint64_t)count * (uint64_t)(size > 0 ? size : 0);
}

#if MPI_VERSION >= 4
#define get_elements PMPI_Get_elements_c
#else
#define get_elements PMPI_Get_elements_x
#endif

uint64_t p2p_bytes_of(const MPI_Status *status)
{
    int n_bytes = 0;
    MPI_Count n_more = 0;
    PMPI_Get_count(status, MPI_BYTE, &n_bytes);
    if (n_bytes != MPI_UNDEFINED)
        return (uint64_t)n_bytes;
    get_elements(status, MPI_BYTE, &n_more);  // slower
    return n_more < 0 ? 0 : (uint64_t)n_more; // MPI_UNDEFINED is negative
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
    if (call->stream->off && kind != RECORD_IRECV_POST)
        recording_skip(call->stream, kind == RECORD_RECV ? RECORD_RECV : RECORD_SEND, comm, peer,
                       tag);
    CALL_WRITE(call, kind, comm, record_message, .peer = peer, .tag = tag, .n_bytes = n_bytes,
               .request = request);
}

void p2p_send(struct call *call, struct start start, MPI_Comm comm, int dest, int tag,
              MPI_Count count, MPI_Datatype datatype)
{
    if (dest == MPI_PROC_NULL)
        return;
    uint32_t id = comm_find(call->stream, comm).id;
    uint64_t n_bytes = p2p_bytes(count, datatype);
    if (start.kind == START_AND_END)
        p2p_write(call, RECORD_SEND, id, dest, tag, n_bytes, 0);
    else
        request_begin(
            call, start,
            &(struct request){
                .kind = REQUEST_SEND, .comm = id, .peer = dest, .tag = tag, .n_bytes = n_bytes});
}

static void received(struct call *call, uint32_t comm, const MPI_Status *status)
{
    if (status->MPI_SOURCE != MPI_PROC_NULL)
        p2p_write(call, RECORD_RECV, comm, status->MPI_SOURCE, status->MPI_TAG,
                  p2p_bytes_of(status), 0);
}

int p2p_error_class(int returned)
{
    int class = MPI_SUCCESS;
    if (returned != MPI_SUCCESS)
        PMPI_Error_class(returned, &class);
    return class;
}

bool p2p_was_received(int returned)
{
    int class = p2p_error_class(returned);
    return class == MPI_SUCCESS || class == MPI_ERR_TRUNCATE;
}

void p2p_recv(struct call *call, int returned, MPI_Comm comm, const MPI_Status *status)
{
    if (p2p_was_received(returned))
        received(call, comm_find(call->stream, comm).id, status);
}

void p2p_sendrecv(struct call *call, int returned, MPI_Comm comm, int dest, int tag,
                  MPI_Count count, MPI_Datatype datatype, const MPI_Status *status)
{
    if (!p2p_was_received(returned))
        return;
    p2p_send(call, BLOCKING, comm, dest, tag, count, datatype);
    received(call, comm_find(call->stream, comm).id, status);
}

static void posted(struct call *call, struct start start, uint32_t comm, int source, int tag)
{
    if (source != MPI_PROC_NULL)
        request_begin(call, start,
                      &(struct request){.kind = REQUEST_RECV,
                                        .comm = comm,
                                        .peer = source_or_any(source),
                                        .tag = tag_or_any(tag)});
}

void p2p_irecv(struct call *call, struct start start, MPI_Comm comm, int source, int tag)
{
    posted(call, start, comm_find(call->stream, comm).id, source, tag);
}

void p2p_isendrecv(struct call *call, struct start start, MPI_Comm comm, int dest, int send_tag,
                   uint64_t n_bytes, int source, int recv_tag, uint64_t n_room)
{
    struct request request = {.kind = REQUEST_SENDRECV,
                              .n_ids = 2,
                              .has_send = dest != MPI_PROC_NULL,
                              .has_recv = source != MPI_PROC_NULL,
                              .peer = source_or_any(source),
                              .tag = tag_or_any(recv_tag),
                              .n_bytes = n_room};
    if (!request.has_send && !request.has_recv)
        return;
    request.comm = comm_find(call->stream, comm).id;
    request_begin(call, start, &request);
    if (request.has_send)
        p2p_write(call, RECORD_ISEND, request.comm, dest, send_tag, n_bytes, request.id + 1);
}

void p2p_parts(struct call *call, struct start start, bool is_send, MPI_Comm comm, int peer,
               int tag, int n_parts, uint64_t part_bytes)
{
    if (peer != MPI_PROC_NULL)
        request_begin(call, start,
                      &(struct request){.kind = is_send ? REQUEST_SEND : REQUEST_RECV,
                                        .comm = comm_find(call->stream, comm).id,
                                        .peer = peer,
                                        .tag = tag,
                                        .n_bytes = (uint64_t)n_parts * part_bytes,
                                        .n_parts = (uint32_t)n_parts});
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

uint32_t message_taken(const MPI_Message *message)
{
    tables_lock();
    uint32_t comm = RECORD_NO_COMM;
    for (size_t i = 0; message && i < n_pending; i++) {
        if (pending[i].handle == *message) {
            comm = pending[i].comm;
            pending[i] = pending[--n_pending];
            break;
        }
    }
    tables_unlock();
    return comm;
}

void message_received(struct call *call, int returned, uint32_t comm, const MPI_Status *status)
{
    if (comm != RECORD_NO_COMM && p2p_was_received(returned))
        received(call, comm, status);
}

/// Source and tag are known to the probe's caller only; the completion tells them.
void message_posted(struct call *call, struct start start, uint32_t comm)
{
    if (comm != RECORD_NO_COMM)
        posted(call, start, comm, MPI_ANY_SOURCE, MPI_ANY_TAG);
}

// SPDX-License-Identifier: BSD-3-Clause
// Creation, naming and release of communicators. As Score-P does, a creation is a collective
// operation on the parent (or on the new communicator, where only its members take part) that
// brackets the new communicator's first appearance.
#include "tracer/comm.h"
#include "tracer/functions.h"
#include "tracer/hooks.h"

static void write_lifetime(struct call *call, uint16_t kind, uint32_t comm)
{
    struct record_head *record = stream_reserve(call->stream, sizeof *record);

    if (record != NULL)
        stream_commit(record, kind, comm, sizeof *record);
}

void comm_created(struct call *call, MPI_Comm parent, MPI_Comm created)
{
    if (created != MPI_COMM_NULL)
        write_lifetime(call, RECORD_COMM_BEGIN, comm_add(call->stream, parent, created).id);
    coll_done(call, parent, COLL_CREATE_HANDLE, 0, coll_no_bytes());
}

void comm_created_by_members(struct call *call, MPI_Comm parent, MPI_Comm created)
{
    if (created == MPI_COMM_NULL)
        return;
    write_lifetime(call, RECORD_COMM_BEGIN, comm_add(call->stream, parent, created).id);
    coll_done(call, created, COLL_CREATE_HANDLE, 0, coll_no_bytes());
}

void comm_named(struct call *call, MPI_Comm comm, const char *name)
{
    stream_write_name(call->stream, RECORD_COMM_NAME, comm_find(call->stream, comm).id, name);
}

// The entry leaves the table before the call: as soon as the handle is free, another thread may get
// it for a new communicator.
static int release(uint32_t function, int (*next)(MPI_Comm *comm), MPI_Comm *handle)
{
    struct call call;
    struct comm comm;
    bool known;
    int result;

    if (!call_enter(&call, function))
        return next(handle);
    known = handle != NULL && comm_take(*handle, &comm);
    result = next(handle);
    call_returned(&call);
    if (known && result == MPI_SUCCESS) {
        write_lifetime(&call, RECORD_COMM_END, comm.id);
        coll_done_on(&call, comm.id, COLL_DESTROY_HANDLE);
    } else if (known) {
        comm_put_back(&comm);
    }
    call_leave(&call);
    return result;
}

WRAP(MPI_Comm_free)(MPI_Comm *comm)
{
    return release(FN_MPI_Comm_free, next_MPI_Comm_free, comm);
}

WRAP(MPI_Comm_disconnect)(MPI_Comm *comm)
{
    return release(FN_MPI_Comm_disconnect, next_MPI_Comm_disconnect, comm);
}

// SPDX-License-Identifier: BSD-3-Clause
// Creation, naming and release of communicators. As in Score-P's archives a creation is a
// collective operation on the parent (or on the new communicator, where only its members take
// part), a release one on the communicator itself. OTF2's CommCreate and CommDestroy events between
// their begin and end are left out: Python's bindings of OTF2 3.0 cannot open an archive that
// announces them.
#include "tracer/comm.h"
#include "tracer/functions.h"
#include "tracer/request.h"

#include <stdlib.h>

void comm_created(struct call *call, MPI_Comm parent, MPI_Comm created)
{
    if (created != MPI_COMM_NULL)
        comm_add(call->stream, parent, created);
    coll_done(call, parent, COLL_CREATE_HANDLE, 0, coll_no_bytes());
}

void comm_created_by_members(struct call *call, MPI_Comm parent, MPI_Comm created)
{
    if (created == MPI_COMM_NULL)
        return;
    comm_add(call->stream, parent, created);
    coll_done(call, created, COLL_CREATE_HANDLE, 0, coll_no_bytes());
}

// The duplicate gets its number now, because that counts the duplicates in the order in which all
// members start them. Where its handle is not set yet, MPI itself will write to *created.
void comm_dup_started(struct call *call, MPI_Comm parent, MPI_Comm *created, MPI_Request handle)
{
    struct request request = {.handle = handle,
                              .stream = call->stream,
                              .kind = REQUEST_DUP,
                              .active = true,
                              .operation = COLL_CREATE_HANDLE,
                              .root = RECORD_NO_ROOT,
                              .created = *created,
                              .created_at = created};

    request.comm = comm_find(call->stream, parent).id;
    request.created_id = comm_announce_duplicate(call->stream, parent);
    coll_posted(call, request.comm, request_add(&request));
}

void comm_joined(struct call *call, MPI_Comm created)
{
    if (created != MPI_COMM_NULL)
        comm_add(call->stream, MPI_COMM_NULL, created);
}

void comm_named(struct call *call, MPI_Comm comm, const char *name)
{
    stream_write_name(call->stream, RECORD_COMM_NAME, comm_find(call->stream, comm).id, name);
}

// The entry leaves the table before the call: as soon as the handle is free, another thread may get
// it for a new communicator. Part of the wrapper, whose return address tells the caller.
__attribute__((always_inline)) static inline int
release(uint32_t function, int (*next)(MPI_Comm *comm), MPI_Comm *handle)
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
        coll_done_on(&call, comm.id, COLL_DESTROY_HANDLE);
        free(comm.topology);
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

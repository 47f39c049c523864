// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: windows and how they are synchronised. As in Score-P's archives the
// creation and the end of a window and a fence are collective operations on the window; a lock is
// requested at the enter of its call and released at the leave of the other one. An epoch of a
// group of ranks (MPI_Win_post, MPI_Win_start) is synchronised at the leaves of the calls that
// begin and end it. An access stands at the enter of its call; what completes it, and when, the
// finisher works out.
#include "tracer/mpi/comm.h"
#include "tracer/mpi/hooks.h"
#include "tracer/mpi/request.h"

void window_created(struct call *call, MPI_Comm parent, MPI_Win window)
{
    coll_done_on(call, comm_add_window(call->stream, parent, window), COLL_CREATE_HANDLE);
}

void window_named(struct call *call, MPI_Win window, const char *name)
{
    uint32_t id = comm_find_window(window);
    if (id != RECORD_NO_COMM)
        stream_write_name(call->stream, RECORD_COMM_NAME, id, name);
}

void window_fenced(struct call *call, MPI_Win window)
{
    uint32_t id = comm_find_window(window);
    if (id != RECORD_NO_COMM)
        coll_done_on(call, id, COLL_BARRIER);
}

void window_locked(struct call *call, MPI_Win window, int target, bool is_exclusive)
{
    uint32_t id = comm_find_window(window);
    if (id != RECORD_NO_COMM)
        CALL_WRITE(call, RECORD_LOCK, id, record_lock, .target = target,
                   .is_exclusive = is_exclusive);
}

void window_unlocked(struct call *call, MPI_Win window, int target)
{
    uint32_t id = comm_find_window(window);
    if (id != RECORD_NO_COMM)
        CALL_WRITE(call, RECORD_UNLOCK, id, record_lock, .target = target);
}

void access_posted(struct call *call, const struct request *request)
{
    CALL_WRITE(call, RECORD_ACCESS, request->comm, record_access, .target = request->peer,
               .operation = (uint32_t)request->tag, .sent_bytes = request->coll_bytes.sent,
               .received_bytes = request->coll_bytes.received, .request = request->id);
}

void window_accessed(struct call *call, struct start start, MPI_Win window, int target,
                     enum access_kind kind, uint64_t sent_bytes, uint64_t received_bytes)
{
    uint32_t id = comm_find_window(window);
    if (id == RECORD_NO_COMM || target == MPI_PROC_NULL)
        return;
    struct request request = {.kind = REQUEST_ACCESS,
                              .comm = id,
                              .peer = target,
                              .tag = (int32_t)kind,
                              .coll_bytes = {.sent = sent_bytes, .received = received_bytes}};
    if (start.kind == START)
        request_begin(call, start, &request);
    else
        access_posted(call, &request);
}

void window_flushed(struct call *call, MPI_Win window, int target, bool is_local)
{
    uint32_t id = comm_find_window(window);
    if (id != RECORD_NO_COMM)
        CALL_WRITE(call, RECORD_FLUSH, id, record_flush, .target = target, .is_local = is_local);
}

/// While recording is off the window's epochs can no longer be told apart: see the finisher's gaps.
void epoch_begun(struct call *call, MPI_Win window, MPI_Group group, bool is_exposure)
{
    uint32_t id = comm_find_window(window);
    int n = 0;
    if (id == RECORD_NO_COMM)
        return;
    if (group != MPI_GROUP_NULL)
        PMPI_Group_size(group, &n);
    size_t n_bytes = (sizeof(struct record_epoch) + (size_t)n * sizeof(int32_t) + 7) / 8 * 8;
    bool is_short = n_bytes / 8 <= UINT16_MAX; // else a record cannot tell its length
    if (call->stream->off || !is_short)
        recording_skip(call->stream, RECORD_EPOCH, id, 0, 0);
    struct record_epoch *record = is_short ? call_reserve(call, n_bytes) : NULL;
    if (!record)
        return;
    record->is_exposure = is_exposure;
    record->is_end = group == MPI_GROUP_NULL;
    record->n = (uint32_t)n;
    comm_members(group, n, record->members);
    stream_commit(&record->head, RECORD_EPOCH, id, n_bytes);
}

void epoch_ended(struct call *call, MPI_Win window, bool is_exposure)
{
    epoch_begun(call, window, MPI_GROUP_NULL, is_exposure);
}

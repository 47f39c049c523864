// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: windows and how they are synchronised. As in Score-P's archives the
// creation and the end of a window and a fence are collective operations on the window; a lock is
// requested at the enter of its call and released at the leave of the other one.
#include "tracer/mpi/comm.h"
#include "tracer/mpi/hooks.h"

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

static void write_lock(struct call *call, uint16_t kind, MPI_Win window, int target,
                       bool is_exclusive)
{
    uint32_t id = comm_find_window(window);
    if (id == RECORD_NO_COMM)
        return;
    struct record_lock *record = call_reserve(call, sizeof *record);
    if (!record)
        return;
    record->target = target;
    record->is_exclusive = is_exclusive;
    stream_commit(&record->head, kind, id, sizeof *record);
}

void window_locked(struct call *call, MPI_Win window, int target, bool is_exclusive)
{
    write_lock(call, RECORD_LOCK, window, target, is_exclusive);
}

void window_unlocked(struct call *call, MPI_Win window, int target)
{
    write_lock(call, RECORD_UNLOCK, window, target, false);
}

void window_freed(struct call *call, int returned, const struct comm *freed)
{
    comm_freed(call, returned, freed);
}

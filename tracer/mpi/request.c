// SPDX-License-Identifier: BSD-3-Clause
// Request table: chained hashing by handle. MPIs hand out one shared handle for everything that
// was complete at once (Open MPI: every small send), so a handle may stand for several requests;
// a chain keeps them in the order they were started and they are completed in that order, those of
// the completing thread first. With several threads a handle that one has just completed may be
// given to another one's next request at once: then the id from before the call decides.
#include "tracer/mpi/request.h"

#include "tracer/mpi/comm.h"

#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

static struct request *pool;
static struct chain {
    uint32_t head, tail;
} * chains;             // one a bucket
static uint32_t n_pool; // entries and buckets, a power of two
static uint32_t free_list = NONE;
static uint32_t n_used;
static uint64_t n_ids;

static uint32_t bucket_of(MPI_Request handle)
{
    return (uint32_t)(((uint64_t)handle * 0x9e3779b97f4a7c15U) >> 32) & (n_pool - 1);
}

static void append(uint32_t entry)
{
    struct chain *chain = &chains[bucket_of(pool[entry].handle)];
    pool[entry].next = NONE;
    if (chain->head == NONE)
        chain->head = entry;
    else
        pool[chain->tail].next = entry;
    chain->tail = entry;
}

/// Doubles the table. Chains are rebuilt in the order of start, which the ids give.
static bool grow(void)
{
    uint32_t n_new = n_pool == 0 ? 1024 : 2 * n_pool;
    struct request *new_pool = malloc(n_new * sizeof *new_pool), *old_pool = pool;
    struct chain *new_chains = malloc(n_new * sizeof *new_chains), *old_chains = chains;
    uint32_t n_old = n_pool;
    if (!new_pool || !new_chains) {
        free(new_pool);
        free(new_chains);
        return false;
    }
    pool = new_pool;
    chains = new_chains;
    n_pool = n_new;
    memset(chains, 0xff, n_new * sizeof *chains);
    n_used = 0;
    // Requests of one handle share a bucket: walking chain by chain keeps their order.
    for (uint32_t bucket = 0; bucket < n_old; bucket++) {
        for (uint32_t i = old_chains[bucket].head; i != NONE; i = old_pool[i].next) {
            pool[n_used] = old_pool[i];
            append(n_used++);
        }
    }
    free_list = NONE;
    for (uint32_t i = n_new; i-- > n_used;) {
        pool[i].next = free_list;
        free_list = i;
    }
    free(old_pool);
    free(old_chains);
    return true;
}

static uint32_t find(const struct stream *stream, MPI_Request handle, uint32_t *previous)
{
    *previous = NONE;
    if (n_pool == 0)
        return NONE;
    uint32_t before = NONE;
    uint32_t found = NONE;
    for (uint32_t i = chains[bucket_of(handle)].head; i != NONE; before = i, i = pool[i].next) {
        bool is_own = pool[i].stream == stream;
        if (pool[i].handle != handle || (found != NONE && !is_own))
            continue;
        found = i;
        *previous = before;
        if (is_own)
            break;
    }
    return found;
}

static uint32_t find_id(MPI_Request handle, uint64_t id, uint32_t *previous)
{
    uint32_t i = n_pool == 0 ? NONE : chains[bucket_of(handle)].head;
    for (*previous = NONE; i != NONE && pool[i].id != id; i = pool[i].next)
        *previous = i;
    return i;
}

static void drop(uint32_t entry, uint32_t previous)
{
    struct chain *chain = &chains[bucket_of(pool[entry].handle)];
    if (previous == NONE)
        chain->head = pool[entry].next;
    else
        pool[previous].next = pool[entry].next;
    if (chain->tail == entry)
        chain->tail = previous;
    pool[entry].next = free_list;
    free_list = entry;
    __atomic_store_n(&n_used, n_used - 1, __ATOMIC_RELAXED);
}

/// With the tables locked.
static uint64_t new_id(const struct request *request)
{
    uint64_t id = n_ids + 1;
    n_ids += request->n_ids > 1 ? request->n_ids : 1;
    return id;
}

/// Copies REQUEST first and sets the other fields in the copy: set in REQUEST, they would still be
/// on their way to memory when the copy reads them.
static void add(const struct stream *stream, struct start start, struct request *request)
{
    tables_lock();
    request->id = new_id(request);
    if (free_list != NONE || grow()) {
        uint32_t entry = free_list;
        struct request *added = &pool[entry];
        free_list = added->next;
        *added = *request;
        added->id = request->id;
        added->handle = start.handle;
        added->stream = stream;
        added->unrecorded = stream->off;
        added->active = start.kind == START;
        added->persistent = start.kind == START_LATER;
        append(entry);
        __atomic_store_n(&n_used, n_used + 1, __ATOMIC_RELAXED);
    }
    tables_unlock();
}

static void write_sent(struct call *call, const struct request *request)
{
    p2p_write(call, RECORD_ISEND, request->comm, request->peer, request->tag, request->n_bytes,
              request->id);
}

static void write_begin(struct call *call, const struct request *request)
{
    switch (request->kind) {
    case REQUEST_SEND:
        if (request->n_parts == 0)
            write_sent(call, request);
        break;
    case REQUEST_RECV:
    case REQUEST_SENDRECV:
        if (request->kind == REQUEST_RECV || request->has_recv)
            p2p_write(call, RECORD_IRECV_POST, request->comm, request->peer, request->tag, 0,
                      request->id);
        break;
    case REQUEST_NEIGHBORS:
        neighbor_posted(call, request);
        break;
    case REQUEST_FILE:
        file_posted(call, request);
        break;
    case REQUEST_ACCESS:
        access_posted(call, request);
        break;
    case REQUEST_DUP:
    case REQUEST_COLLECTIVE:
        coll_posted(call, request->comm, request->id);
        break;
    }
}

void request_begin(struct call *call, struct start start, struct request *request)
{
    add(call->stream, start, request);
    if (start.kind == START)
        write_begin(call, request);
}

bool request_any(void)
{
    return __atomic_load_n(&n_used, __ATOMIC_RELAXED) != 0;
}

/// Takes the request out of the table, or leaves it there inactive. One that is not persistent is
/// the caller's then, with its edges.
static bool take(const struct stream *stream, MPI_Request handle, uint64_t expected,
                 struct request *taken)
{
    tables_lock();
    uint32_t previous = NONE;
    uint32_t entry = NONE;
    if (expected != 0)
        entry = find_id(handle, expected, &previous);
    if (entry == NONE)
        entry = find(stream, handle, &previous);
    bool found = false;
    if (entry != NONE) {
        *taken = pool[entry];
        found = taken->active;
        if (taken->persistent)
            pool[entry].active = false;
        else
            drop(entry, previous);
    }
    tables_unlock();
    return found;
}

void request_write_end(struct call *call, uint16_t kind, uint64_t id)
{
    RECORD_WRITE(call_reserve_completion(call, sizeof(struct record_request)), kind, 0,
                 record_request, .request = id);
}

void request_write_received(struct call *call, uint32_t comm, int32_t source, int32_t tag,
                            uint64_t n_bytes, uint64_t id)
{
    if (call->stream->request_unrecorded)
        recording_skip(call->stream, RECORD_RECV, comm, source, tag);
    RECORD_WRITE(call_reserve_completion(call, sizeof(struct record_message)), RECORD_IRECV, comm,
                 record_message, .peer = source, .tag = tag, .n_bytes = n_bytes, .request = id);
}

/// Another thread may wait for a partitioned message before the call with its last part records it.
static void write_send_done(struct call *call, const struct request *request)
{
    if (request->n_ready < request->n_parts)
        write_sent(call, request);
    request_write_end(call, RECORD_ISEND_DONE, request->id);
}

/// The status of a partitioned message may be empty; its size is what was asked for.
static void write_receive_done(struct call *call, const struct request *request,
                               const MPI_Status *status)
{
    if (request->n_parts > 0)
        request_write_received(call, request->comm, request->peer, request->tag, request->n_bytes,
                               request->id);
    else if (status->MPI_SOURCE != MPI_PROC_NULL)
        request_write_received(call, request->comm, status->MPI_SOURCE, status->MPI_TAG,
                               p2p_bytes_of(status), request->id);
}

/// MPICH 4.0 leaves the status of MPI_Isendrecv empty: what the call has asked for goes first.
static void write_both(struct call *call, const struct request *request, const MPI_Status *status)
{
    int32_t source = request->peer != RECORD_ANY ? request->peer : status->MPI_SOURCE;
    int32_t tag = request->tag != RECORD_ANY ? request->tag : status->MPI_TAG;
    bool is_told = status->MPI_SOURCE == source && status->MPI_TAG == tag;
    if (request->has_send)
        request_write_end(call, RECORD_ISEND_DONE, request->id + 1);
    if (request->has_recv)
        request_write_received(call, request->comm, source, tag,
                               is_told ? p2p_bytes_of(status) : request->n_bytes, request->id);
}

/// A duplicate exists: from now on its handle is known.
static void bind_duplicate(const struct request *request)
{
    MPI_Comm created = request->created != MPI_COMM_NULL ? request->created : *request->created_at;
    if (created != MPI_COMM_NULL)
        comm_bind(created, request->created_id);
}

static void write_completed(struct call *call, const struct request *request,
                            const MPI_Status *status)
{
    switch (request->kind) {
    case REQUEST_SEND:
        write_send_done(call, request);
        break;
    case REQUEST_SENDRECV:
        write_both(call, request, status);
        break;
    case REQUEST_RECV:
        write_receive_done(call, request, status);
        break;
    case REQUEST_NEIGHBORS:
        neighbor_completed(call, request);
        break;
    case REQUEST_FILE:
        file_completed(call, request, status);
        break;
    case REQUEST_ACCESS:
        request_write_end(call, RECORD_ACCESS_DONE, request->id);
        break;
    case REQUEST_DUP:
        bind_duplicate(request);
        coll_completed(call, request);
        break;
    case REQUEST_COLLECTIVE:
        coll_completed(call, request);
        break;
    }
}

uint64_t request_expect(const struct stream *stream, MPI_Request handle)
{
    return tables_are_threaded() && handle != MPI_REQUEST_NULL ? request_id(stream, handle) : 0;
}

void request_completed(struct call *call, MPI_Request handle, uint64_t expected,
                       const MPI_Status *status)
{
    struct request request;
    if (handle == MPI_REQUEST_NULL || !take(call->stream, handle, expected, &request))
        return;
    int cancelled = 0;
    if (request.cancelling)
        PMPI_Test_cancelled(status, &cancelled);
    call->stream->request_unrecorded = request.unrecorded;
    if (cancelled)
        request_write_end(call, RECORD_CANCELLED, request.id);
    else
        write_completed(call, &request, status);
    if (!request.persistent)
        free(request.edges);
}

void request_freed(struct call *call, const struct asked *asked)
{
    struct request request = {.edges = NULL};
    MPI_Request handle = asked->requests[0];
    bool active = take(call->stream, handle, 0, &request);
    call->stream->request_unrecorded = request.unrecorded;
    int cancelled = 0;
    if (active && asked->statuses)
        PMPI_Test_cancelled(asked->statuses, &cancelled);
    if (cancelled)
        request_write_end(call, RECORD_CANCELLED, request.id);
    else if (active && request.kind == REQUEST_SEND)
        write_send_done(call, &request);
    else if (active && request.has_send)
        request_write_end(call, RECORD_ISEND_DONE, request.id + 1);
    if (request.persistent)
        request_remove(call->stream, handle);
    else
        free(request.edges);
}

bool request_is_cancelling(const struct stream *stream, MPI_Request handle)
{
    tables_lock();
    uint32_t previous;
    uint32_t entry = find(stream, handle, &previous);
    bool cancelling = entry != NONE && pool[entry].active && pool[entry].cancelling;
    tables_unlock();
    return cancelling;
}

uint64_t request_id(const struct stream *stream, MPI_Request handle)
{
    tables_lock();
    uint32_t previous;
    uint32_t entry = find(stream, handle, &previous);
    uint64_t id = entry != NONE && pool[entry].active ? pool[entry].id : 0;
    tables_unlock();
    return id;
}

void request_start(struct call *call, MPI_Request handle)
{
    struct request request;
    tables_lock();
    uint32_t previous;
    uint32_t entry = find(call->stream, handle, &previous);
    if (entry != NONE) {
        pool[entry].id = new_id(&pool[entry]);
        pool[entry].stream = call->stream;
        pool[entry].active = true;
        pool[entry].cancelling = false;
        pool[entry].n_ready = 0;
        pool[entry].unrecorded = call->stream->off;
        request = pool[entry];
    }
    tables_unlock();
    if (entry != NONE)
        write_begin(call, &request);
}

void request_parts_ready(struct call *call, MPI_Request handle, int n)
{
    struct request request = {.n_parts = 0};
    tables_lock();
    uint32_t previous;
    uint32_t entry = find(call->stream, handle, &previous);
    if (entry != NONE && pool[entry].active) {
        pool[entry].n_ready += (uint32_t)n;
        request = pool[entry];
    }
    tables_unlock();
    if (n > 0 && request.n_parts > 0 && request.n_ready == request.n_parts)
        write_sent(call, &request);
}

void request_cancelling(const struct call *call, MPI_Request handle)
{
    tables_lock();
    uint32_t previous;
    uint32_t entry = find(call->stream, handle, &previous);
    if (entry != NONE)
        pool[entry].cancelling = true;
    tables_unlock();
}

void request_remove(const struct stream *stream, MPI_Request handle)
{
    tables_lock();
    uint32_t previous;
    uint32_t entry = find(stream, handle, &previous);
    if (entry != NONE) {
        free(pool[entry].edges);
        drop(entry, previous);
    }
    tables_unlock();
}

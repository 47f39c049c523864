// SPDX-License-Identifier: BSD-3-Clause
// The requests in flight: what each was started for, kept from its start to its completion.
#pragma once

#include "tracer/mpi/hooks.h"

enum request_kind {
    REQUEST_SEND,
    REQUEST_RECV,
    REQUEST_SENDRECV, // id: the receive, id + 1: the send; peer, tag and bytes are the receive's
    REQUEST_COLLECTIVE,
    REQUEST_NEIGHBORS, // id, id + 1 ...: as the edges
    REQUEST_FILE,      // comm: the file, peer: enum file_mode, tag: it is collective, or 0
    REQUEST_ACCESS,    // comm: the window, peer: the target, tag: enum access_kind, with coll_bytes
    REQUEST_DUP        // a duplicate of a communicator, a COLLECTIVE besides
};

/// The messages of a neighbourhood collective: those sent, then those received.
struct neighbor_edges {
    uint32_t n_out;
    uint32_t n_in;
    struct neighbor_edge {
        int32_t peer;
        uint64_t n_bytes;
    } edges[];
};

struct request {
    MPI_Request handle;
    uint64_t id;                 // in the archive; unique in this process, from 1
    uint32_t n_ids;              // how many it takes from there; 0 stands for 1
    const struct stream *stream; // of the thread that started it
    enum request_kind kind;
    bool persistent;
    bool active;
    bool cancelling;
    bool has_send; // REQUEST_SENDRECV: not to or from MPI_PROC_NULL
    bool has_recv;
    bool unrecorded; // started while recording was off
    uint32_t comm;
    int32_t peer;
    int32_t tag;
    uint64_t n_bytes;
    uint32_t n_parts; // of a partitioned message, which is sent when all are ready; 0: of none
    uint32_t n_ready;
    enum coll_operation operation;
    int32_t root;
    struct coll_bytes coll_bytes;
    struct neighbor_edges *edges; // REQUEST_NEIGHBORS: freed with the request
    // REQUEST_DUP: its number, and its handle or where to find it (if the handle is MPI_COMM_NULL)
    uint32_t created_id;
    MPI_Comm created;
    MPI_Comm *created_at;
    uint32_t next; // in its chain, or in the free list
};

/// A call has made a request, to be started at once or not: enters it, with its (first) id, and
/// records its begin. What belongs to its kind is filled in already; *request is copied. Of a
/// REQUEST_SENDRECV the begin of the receive is recorded.
void request_begin(struct call *call, struct start start, struct request *request);

/// True while any request is known: otherwise the test and wait family need not look.
bool request_any(void);

/// To be asked before a call that may complete `handle`: its id, so that the request can be told
/// afterwards from one that another thread has started meanwhile under the same handle. 0: not
/// known, or only one thread calls MPI.
uint64_t request_expect(const struct stream *stream, MPI_Request handle);

/// The request of `handle`, one of those that completed: records its end in `call` and forgets
/// it, or makes it inactive if it is persistent. `expected` is what request_expect() said, `status`
/// its own status. Handles that are not known are ignored.
void request_completed(struct call *call, MPI_Request handle, uint64_t expected,
                       const MPI_Status *status);

/// The id of the request of `handle`, 0 if there is none.
uint64_t request_id(const struct stream *stream, MPI_Request handle);

/// Was this request asked to be cancelled?
bool request_is_cancelling(const struct stream *stream, MPI_Request handle);

/// The end of a receive in `call`, for a request number `id`.
void request_write_received(struct call *call, uint32_t comm, int32_t source, int32_t tag,
                            uint64_t n_bytes, uint64_t id);

/// The end of anything that has no more to say: RECORD_ISEND_DONE, RECORD_CANCELLED.
void request_write_end(struct call *call, uint16_t kind, uint64_t id);

/// Forgets a request.
void request_remove(const struct stream *stream, MPI_Request handle);

// ---- wrap_coll.c: the end of a nonblocking or persistent collective.
void coll_completed(struct call *call, const struct request *operation);

// ---- wrap_neighbor.c: the records of a request's messages.
void neighbor_posted(struct call *call, const struct request *request);
void neighbor_completed(struct call *call, const struct request *request);

// ---- wrap_rma.c: an access to a window.
void access_posted(struct call *call, const struct request *request);

// ---- wrap_file.c: the begin and the end of an operation.
void file_posted(struct call *call, const struct request *request);
void file_completed(struct call *call, const struct request *request, const MPI_Status *status);

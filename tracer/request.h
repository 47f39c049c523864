// SPDX-License-Identifier: BSD-3-Clause
// The requests in flight: what each was started for, kept from its start to its completion.
#ifndef PAGODA_TRACER_REQUEST_H
#define PAGODA_TRACER_REQUEST_H

#include "tracer/hooks.h"

enum request_kind { REQUEST_SEND, REQUEST_RECV, REQUEST_COLLECTIVE };

struct request {
    MPI_Request handle;
    uint64_t id;                 // in the archive; unique in this process, from 1
    const struct stream *stream; // of the thread that started it
    enum request_kind kind;
    bool persistent;
    bool active;
    bool cancelling;
    uint32_t comm;
    int32_t peer;
    int32_t tag;
    uint64_t n_bytes;
    enum coll_operation operation;
    int32_t root;
    struct coll_bytes coll_bytes;
    uint32_t next; // in its chain, or in the free list
};

// Enters a started (or persistent, inactive) request; *request is copied. Returns its new id.
uint64_t request_add(const struct request *request);

// True while any request is known: otherwise the test and wait family need not look.
bool request_any(void);

// The request behind `handle`, one of those that completed: records its end in `call` and forgets
// it, or makes it inactive if it is persistent. `status` is its own status; it may be NULL for
// functions without one. Handles that are not known are ignored.
void request_completed(struct call *call, MPI_Request handle, const MPI_Status *status);

// The id of the request behind `handle`, 0 if there is none.
uint64_t request_id(const struct stream *stream, MPI_Request handle);

// Makes a persistent request active under a new id; *started is a copy of it. False: not known.
bool request_activate(const struct stream *stream, MPI_Request handle, struct request *started);

// Notes that the program asked to cancel the request.
void request_set_cancelling(const struct stream *stream, MPI_Request handle);

// Forgets a request that the program gives up.
void request_remove(const struct stream *stream, MPI_Request handle);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// One decoded event as the engine sees it: OTF2 record kinds reduced to what a replay can use,
// identifiers reduced to dense indices of struct definitions, time in nanoseconds.
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum event_kind {
    EVENT_ENTER, // index = region, context; tag = which barrier or condition of threads it is
                 // about, 0: unknown
    EVENT_LEAVE, // index = region
    EVENT_SEND,
    EVENT_ISEND,
    EVENT_ISEND_COMPLETE, // request
    EVENT_IRECV_REQUEST,  // request; with EVENT_HAS_ENVELOPE also index = comm, peer, tag
    EVENT_RECV,
    EVENT_IRECV,
    EVENT_REQUEST_TEST,      // request
    EVENT_REQUEST_CANCELLED, // request
    EVENT_COLLECTIVE_BEGIN,
    EVENT_COLLECTIVE_END,
    EVENT_COLLECTIVE_REQUEST,  // a nonblocking collective is posted: request; with
                               // EVENT_HAS_ENVELOPE also index = comm
    EVENT_COLLECTIVE_COMPLETE, // request, and the fields of EVENT_COLLECTIVE_END
    EVENT_CPU_TIME,            // size_bytes = accumulated process CPU time in ns, received_bytes =
                               // that without a core while ready to run, or EVENT_NO_CORE_WAIT
    EVENT_THREAD_FORK,
    EVENT_THREAD_JOIN,
    EVENT_THREAD_TEAM_BEGIN, // index = comm: the team
    EVENT_THREAD_TEAM_END,   // likewise
    EVENT_BUFFER_FLUSH,      // size_bytes = its duration in ns
    EVENT_MEASUREMENT_OFF,
    EVENT_MEASUREMENT_ON,
    // of one-sided communication, index = window (a communicator):
    EVENT_RMA_LOCK,   // a lock is asked for: peer = target or EVENT_ALL_TARGETS, tag = whether it
                      // is exclusive
    EVENT_RMA_UNLOCK, // peer likewise
    EVENT_RMA_ACCESS, // memory is put, got, or changed: peer = target, size_bytes = both ways
    EVENT_RMA_SYNC,   // with the ranks of a group: peer = that one (definitions.groups), tag =
                      // whether memory is synchronised, too: an epoch ends
    // of locks of a thread runtime: size_bytes = the lock, a number within the process
    EVENT_LOCK_ACQUIRED,
    EVENT_LOCK_RELEASED, // and, from a digest, context = call path
    // made by a digest (pag/location/digest.h), in no archive:
    EVENT_SPENT, // index = call path, size_bytes = ns spent there
    EVENT_LOST,  // the same in a segment without CPU time: size_bytes to received_bytes is when,
                 // request = ns lost, tag = whether blocked
    EVENT_CONSTRUCT_ENTER, // of a thread runtime, of a process with several threads: index =
                           // region, context = call path, tag = which barrier, 0: unknown
    EVENT_CONSTRUCT_LEAVE, // index = region
    EVENT_BARRIER_LEAVE,   // the same of a barrier
    EVENT_VISIT, // a visit is over (location/region_visits.h): index = call path, context = region,
                 // size_bytes = its enter, received_bytes = time in regions in it,
                 // request = its number
    // made for listener.counted (pag/views/regions.h), in no archive:
    EVENT_COUNTED, // index = counter, size_bytes = the bits of a double: what it grew by
    EVENT_KINDS
};

enum event_flag {
    EVENT_HAS_ENVELOPE = 1,  // an EVENT_IRECV_REQUEST that says communicator, source and tag; an
                             // EVENT_COLLECTIVE_REQUEST that says its communicator
    EVENT_UNEVEN = 4,        // a collective whose members give and take different amounts, perhaps
                             // nothing: gatherv, allgatherv, alltoallv, alltoallw, reduce_scatter
    EVENT_FOLDED_POLLS = 2,  // an EVENT_ENTER of a folded polling loop: size_bytes = its polls; its
                             // leave is where the time inside them ends, the rest lies around it
    EVENT_HAS_WORK = 8,      // an EVENT_ENTER that says how much work it does: size_bytes = units
    EVENT_HAS_ELEMENTS = 16, // and of how many elements that is a part: received_bytes
    EVENT_OF_WINDOW = 8,     // of a collective: on an RMA window; of a message: what one rank of it
                             // tells another one (pag/location/epoch_messages.h)
    EVENT_OF_FILE = 16,      // of a collective: on files; its time is not that of its end
    EVENT_OF_CREATED = 4,    // of EVENT_THREAD_FORK to _TEAM_END: not of a team, but of one thread
                             // that is made, awaited, begins, ends: index = comm of those of its
                             // process, size_bytes = its number there
    // of the records of a call in a simulated run, set there:
    EVENT_LEFT_OUT = 32, // the run does not have it
    EVENT_RESIZED = 64,  // a message of received_bytes instead of size_bytes
    // of the records of collectives again:
    EVENT_IN_PLACE = 128, // its bytes do not count what the rank keeps
};

#define EVENT_NO_CORE_WAIT UINT64_MAX

#define EVENT_ANY UINT32_MAX // wildcard source or tag of a posted receive
#define EVENT_FIRST_OWN_TAG                                                                        \
    0x80000000U // no program's tag: of messages that are part of an operation
#define EVENT_TAG_POST        EVENT_FIRST_OWN_TAG // of a window's messages
#define EVENT_TAG_COMPLETE    (EVENT_FIRST_OWN_TAG + 1)
#define EVENT_NO_INDEX        UINT32_MAX
#define EVENT_ALL_TARGETS     UINT32_MAX       // of a lock: of all members of the window
#define EVENT_ROOT_NONE       UINT32_MAX       // a collective without a root
#define EVENT_ROOT_SELF       (UINT32_MAX - 1) // intercommunicator: this process is the root
#define EVENT_ROOT_THIS_GROUP (UINT32_MAX - 2) // intercommunicator: the root is in the own group

/// Collective operations by what they synchronise; the operation itself (OTF2_CollectiveOp) is kept
/// in `op`.
enum collective_class {
    COLLECTIVE_BARRIER,
    COLLECTIVE_ALL_TO_ALL, // N×N: everybody needs everybody (allreduce, allgather, alltoall, ...)
    COLLECTIVE_ONE_TO_ALL, // bcast, scatter(v)
    COLLECTIVE_ALL_TO_ONE, // reduce, gather(v)
    COLLECTIVE_SCAN,       // scan, exscan
    COLLECTIVE_HANDLE,     // creates or destroys a handle (communicator, window, file, MPI_Init)
};

enum { COLLECTIVE_OP_CREATE = 17 }; // in `op`: creates a communicator

/// In `op` of collectives on files, beyond the numbers of OTF2.
enum {
    COLLECTIVE_OP_FILE_OPEN = 128,
    COLLECTIVE_OP_FILE_CLOSE,
    COLLECTIVE_OP_FILE_READ,
    COLLECTIVE_OP_FILE_WRITE,
    COLLECTIVE_OP_FILE_SYNC,
    COLLECTIVE_OP_FILE_CHANGE, // its view, size, ...
};

struct event {
    uint64_t time_ns; // from the first event of the run, clock offsets applied, never decreasing
    uint8_t kind;     // enum event_kind
    uint8_t op;       // OTF2_CollectiveOp of a collective
    uint8_t class_;   // enum collective_class of a collective
    uint8_t flags;    // enum event_flag
    uint32_t index;   // region of enter and leave, communicator of messages and collectives
    union {
        uint32_t peer;    // rank in the communicator: receiver, sender, root (or EVENT_ROOT_...)
        uint32_t context; // of an enter: struct calling_context of the call, EVENT_NO_INDEX
    };
    uint32_t tag;
    uint64_t size_bytes;     // message size; bytes sent in a collective
    uint64_t received_bytes; // bytes received in a collective
    uint64_t request;        // request id, unique per location while it is open
};
static_assert(sizeof(struct event) == 48, "batches of events stay small");

/// Whether EVENT is a message or collective record, which belongs to an MPI call.
static inline bool event_is_message_record(const struct event *event)
{
    return event->kind >= EVENT_SEND && event->kind <= EVENT_COLLECTIVE_COMPLETE;
}

/// Whether recording is switched off or on at EVENT.
static inline bool event_is_switch(const struct event *event)
{
    return event->kind == EVENT_MEASUREMENT_OFF || event->kind == EVENT_MEASUREMENT_ON;
}

/// Whether EVENT begins or ends a team of threads, or (EVENT_OF_CREATED) a single one.
static inline bool event_is_of_threads(const struct event *event)
{
    return event->kind >= EVENT_THREAD_FORK && event->kind <= EVENT_THREAD_TEAM_END;
}

static inline bool event_is_of_created(const struct event *event)
{
    return event_is_of_threads(event) && (event->flags & EVENT_OF_CREATED) != 0;
}

/// Whether EVENT is a record of one-sided communication that is no collective operation.
static inline bool event_is_rma_record(const struct event *event)
{
    return event->kind >= EVENT_RMA_LOCK && event->kind <= EVENT_RMA_SYNC;
}

/// Whether EVENT is the completion of a message, a collective or an epoch. That of an operation on
/// files need not be when it completes.
static inline bool event_completes(const struct event *event)
{
    switch (event->kind) {
    case EVENT_RECV:
    case EVENT_IRECV:
    case EVENT_ISEND_COMPLETE:
    case EVENT_REQUEST_CANCELLED:
    case EVENT_COLLECTIVE_COMPLETE:
    case EVENT_RMA_SYNC:
        return true;
    case EVENT_COLLECTIVE_END:
        return (event->flags & EVENT_OF_FILE) == 0;
    default:
        return false;
    }
}

/// The decoded, not yet consumed events of one location: events[position .. end).
struct cursor {
    struct event *events;
    uint32_t position;
    uint32_t end;
    bool at_end; // nothing follows events[end - 1] in the archive
};

/// What reading found out about one location; final when its cursor is at_end.
struct location_report {
    uint64_t n_read;
    uint64_t n_unknown;        // records of a kind this library does not know
    uint64_t n_bad_references; // records that name an undefined region, communicator, ...; dropped
    uint64_t n_matched;        // records of OTF2 3.2 about messages of matched probes
    uint64_t n_backward;       // time stamps smaller than the one before; raised to it
    const uint64_t *n_unused;  // records that no replay uses (unused.h)
    bool lacks_definitions;    // no local definition file: clock offsets and mappings are unknown
    bool is_skipped;           // no event file, or unreadable from the start
    bool is_cut;               // unreadable from some record on
    const char *reason;        // one sentence for skipped and cut, else NULL
};

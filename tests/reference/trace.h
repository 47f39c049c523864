// SPDX-License-Identifier: BSD-3-Clause
// A whole trace in memory, parsed from the text format of tests/traces: what the brute-force
// reference works on. Nothing here is shared with the analyzer's reader or engine.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFERENCE_NONE UINT32_MAX // no index; also the wildcard of a posted receive

enum record_kind {
    RECORD_ENTER,
    RECORD_LEAVE,
    RECORD_SEND,
    RECORD_ISEND,
    RECORD_ISEND_COMPLETE,
    RECORD_IRECV_REQUEST,
    RECORD_RECV,
    RECORD_IRECV,
    RECORD_CANCEL,
    RECORD_COLL_END,
    RECORD_COLL_REQUEST,
    RECORD_COLL_COMPLETE,
    RECORD_FORK,
    RECORD_JOIN,
    RECORD_TEAM_BEGIN,
    RECORD_TEAM_END,
    RECORD_THREAD_CREATE, // request: the number of the thread; so of the next ones
    RECORD_THREAD_BEGIN,
    RECORD_THREAD_END,
    RECORD_THREAD_WAIT,
    RECORD_CPU,
    RECORD_LOCK,
    RECORD_UNLOCK,
    RECORD_SYNC,
    RECORD_ACCESS, // put, get, atomic; of a target, a rank of the window
    RECORD_OTHER,  // no meaning for the reference: test, coll-begin
};

enum operation_class {
    CLASS_BARRIER,
    CLASS_ALL_TO_ALL,
    CLASS_ONE_TO_ALL,
    CLASS_ALL_TO_ONE,
    CLASS_SCAN,
    CLASS_HANDLE,
};

struct record {
    uint64_t time_ns; // from the run's first record
    enum record_kind kind;
    uint32_t region; // of enter and leave
    uint32_t comm;
    uint32_t peer; // world rank of the partner or root, REFERENCE_NONE: any or none
    uint32_t tag;  // REFERENCE_NONE: any
    uint64_t sent_bytes, received_bytes;
    uint64_t request;
    uint64_t cpu_ns; // of a sample: processor time used so far
    enum operation_class class;
    const char *operation; // of a collective
    uint32_t target;       // of a lock: a rank of the window, REFERENCE_NONE: all
    bool is_exclusive;     // a lock
    uint32_t group;        // a synchronisation: with the members of this communicator
    bool is_end;           // the same: of memory, too
    bool is_in_place;      // what it keeps is not counted
    bool is_window;        // on an RMA window
    bool is_file;          // on a file
    bool is_uneven;        // members give and take different amounts, perhaps nothing
    bool has_envelope;
    bool is_missing;  // a leave that the trace has not: at the location's last record
    uint32_t context; // of an enter: where the call is, REFERENCE_NONE
    uint64_t n_polls; // of the calls folded into one, 0: it is just one
    uint64_t work_units, n_elements; // of an enter: what the visit does, 0: it does not say so
};

struct reference_location {
    uint32_t rank, thread;
    struct record *records;
    size_t n_records, capacity;
    bool in_polls; // while parsing: in a folded polling loop, which ends at polls_end_ns
    uint64_t polls_end_ns;
};

struct reference_region {
    char *name;
    bool is_mpi;
};

/// A call in the function REGION, which the call CALLER called; REFERENCE_NONE for either. It is
/// made at PLACE, "file.c:56"; NULL: unknown.
struct reference_context {
    char *name, *place;
    uint32_t region, caller;
};

struct reference_comm {
    char *name;
    bool is_self;      // every rank is alone in its own instance
    uint32_t *members; // world ranks; the first group of an intercommunicator
    uint32_t n_members;
    uint32_t *remote;
    uint32_t n_remote;
};

/// An RMA window, or a file.
struct reference_window {
    char *name;
    uint32_t base; // its communicator
    uint32_t comm; // what stands for it among the communicators; all files of BASE have one
};

struct reference_trace {
    struct reference_location *locations; // sorted by (rank, thread)
    size_t n_locations, location_capacity;
    struct reference_region *regions;
    size_t n_regions, region_capacity;
    struct reference_context *contexts;
    size_t n_contexts, context_capacity;
    struct reference_comm *comms;
    size_t n_comms, comm_capacity;
    struct reference_window *windows;
    size_t n_windows, window_capacity;
    struct reference_window *files;
    size_t n_files, file_capacity;
    uint32_t n_ranks;
    uint64_t n_spawned_ranks; // the last ones
    uint64_t ticks_per_second;
    uint64_t time_ns; // of the last record
};

/// Parses TEXT (text_trace.h, without `offset` lines), which text_trace_write() has made an archive
/// of, or will: so it has no errors. Regions left open at a location's end are closed there. The
/// caller releases TRACE.
void reference_trace_parse(struct reference_trace *trace, const char *text);
void reference_trace_release(struct reference_trace *trace);

/// All ranks of COMM seen from RANK (both groups of an intercommunicator; RANK itself in a self
/// communicator) into MEMBERS, which has room for 2 * n_ranks. Returns how many.
uint32_t reference_comm_members(const struct reference_trace *trace, uint32_t comm, uint32_t rank,
                                uint32_t *members);

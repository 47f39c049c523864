// SPDX-License-Identifier: BSD-3-Clause
// A measured run as a trace for Paraver, written while it is replayed: the states of each thread,
// events of functions, MPI calls and counters, and messages; names are in a .pcf, those of rows in
// a .row beside it. Times are nanoseconds since the run's first event. MPI calls and states have
// the numbers of Extrae, so that configurations for its traces work.
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions.h"

struct prv_trace;

/// The trace is PATH; of run.prv the other files are run.pcf and run.row. DEFINITIONS must outlive
/// it. NULL and ERR if nothing can be written. The caller frees.
struct prv_trace *prv_trace_new(const char *path, const struct definitions *definitions,
                                struct error *err);
/// Removes what was written, unless prv_trace_finish() was successful.
void prv_trace_free(struct prv_trace *trace);

/// What it is told of the replay.
struct pag_listener prv_trace_listener(struct prv_trace *trace);

/// After the replay: the files are whole. 0, or -1 and ERR, also for any write before.
int prv_trace_finish(struct prv_trace *trace, const struct pag_result *replay, struct error *err);

// --- prv_names.c
// What numbers of a Paraver trace mean: types of events, values of MPI calls, states; and the files
// that name them (.pcf) and the rows (.row).

#define PRV_STATES(X)                                                                              \
    X(IDLE, 0, "Idle")                                                                             \
    X(RUNNING, 1, "Running")                                                                       \
    X(NOT_CREATED, 2, "Not created")                                                               \
    X(WAITING_MESSAGE, 3, "Waiting a message")                                                     \
    X(BLOCKING_SEND, 4, "Blocking Send")                                                           \
    X(SYNCHRONIZATION, 5, "Synchronization")                                                       \
    X(TEST_PROBE, 6, "Test/Probe")                                                                 \
    X(FORK_JOIN, 7, "Scheduling and Fork/Join")                                                    \
    X(WAIT, 8, "Wait/WaitAll")                                                                     \
    X(BLOCKED, 9, "Blocked")                                                                       \
    X(IMMEDIATE_SEND, 10, "Immediate Send")                                                        \
    X(IMMEDIATE_RECEIVE, 11, "Immediate Receive")                                                  \
    X(IO, 12, "I/O")                                                                               \
    X(GROUP_COMMUNICATION, 13, "Group Communication")                                              \
    X(TRACING_DISABLED, 14, "Tracing Disabled")                                                    \
    X(OTHERS, 15, "Others")                                                                        \
    X(SEND_RECEIVE, 16, "Send Receive")
#define PRV_STATE_ENUM(name, number, text) PRV_STATE_##name = number,
enum prv_state { PRV_STATES(PRV_STATE_ENUM) };

enum {
    PRV_USER_FUNCTION = 60000019,
    PRV_FIRST_COUNTER = 42000000,
    PRV_SEND_SIZE = 50100001, // of collective operations, at their begin
    PRV_RECEIVE_SIZE,
    PRV_ROOT, // 1: this is it
    PRV_COMMUNICATOR,
};

/// What a region is in the trace.
struct prv_function {
    uint32_t type;        // of the events at its begin and end
    enum prv_state state; // of a thread in it
    uint64_t value;       // of the event at its begin; at its end that is 0
};

struct prv_function prv_function_of(const struct definitions *definitions, uint32_t region);

/// What the .pcf says of the numbers above.
void prv_print_names(const struct definitions *definitions, FILE *stream);

// --- record_sort.c
// Records of a Paraver trace in the order of time. They come as they become known: a state at its
// end, a communication when it is received. They are kept in a file without name, sorted in parts.
// Memory grows by a few KiB for each part, which has 65 536 records.

/// As the first number of a line has them; those of one time come in this order.
enum prv_kind { PRV_STATE = 1, PRV_EVENT, PRV_COMMUNICATION };

struct prv_record {
    uint64_t time_ns; // the begin of a state, the send of a communication
    uint32_t kind;    // enum prv_kind
    uint32_t location;
    uint32_t type;     // of an event; the tag of a communication
    uint32_t receiver; // location
    uint64_t value;    // state, or value of an event, or bytes
    uint64_t end_ns;   // of a state; the receive of a communication,
    uint64_t post_ns;  // and when it was posted
};

struct record_sort;

/// The file is in FOLDER. NULL and ERR if there can be none. The caller frees.
struct record_sort *record_sort_new(const char *folder, struct error *err);
void record_sort_free(struct record_sort *sort);

/// A failure is told by record_sort_walk().
void record_sort_add(struct record_sort *sort, const struct prv_record *record);

typedef void record_sort_put(void *context, const struct prv_record *record);

/// All records by time, then kind, then as they came. Once. 0, or -1 and ERR.
int record_sort_walk(struct record_sort *sort, record_sort_put *put, void *context,
                     struct error *err);

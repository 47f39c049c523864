// SPDX-License-Identifier: BSD-3-Clause
// What numbers of a Paraver trace mean: types of events, values of MPI calls, states; and the files
// that name them (.pcf) and the rows (.row).
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "analyzer/trace/definitions.h"

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

enum { PRV_USER_FUNCTION = 60000019, PRV_FIRST_COUNTER = 42000000 };

/// What a region is in the trace.
struct prv_function {
    uint32_t type;        // of the events at its begin and end
    enum prv_state state; // of a thread in it
    uint64_t value;       // of the event at its begin; at its end that is 0
};

struct prv_function prv_function_of(const struct definitions *definitions, uint32_t region);

/// What the .pcf says of the numbers above.
void prv_print_names(const struct definitions *definitions, FILE *stream);

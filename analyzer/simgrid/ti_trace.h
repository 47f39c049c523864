// SPDX-License-Identifier: BSD-3-Clause
// A measured run as a time-independent trace for SimGrid, written while it is replayed: what each
// rank computes, sends, receives and waits for, without times, so that SimGrid's smpirun -replay
// can run it on any platform. A list names the file of actions beside it, which holds all ranks.
//
// Computing is counted in floating-point operations: one for each nanosecond of CPU time.
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions.h"

struct ti_trace;

/// What the format cannot hold.
struct ti_losses {
    uint64_t n_nonblocking; // collectives that are blocking in it
    uint64_t n_left_out;    // collectives between two groups of ranks
    bool has_windows;
};

/// Begins the list PATH, and the file beside it. NULL and ERR if one of them cannot be written.
/// DEFINITIONS must live as long. The caller frees, after ti_trace_finish() or instead of it.
struct ti_trace *ti_trace_new(const char *path, const struct definitions *definitions,
                              struct error *err);
void ti_trace_free(struct ti_trace *trace);

/// What it is told of the replay.
struct pag_listener ti_trace_listener(struct ti_trace *trace);

/// The run is over, as REPLAY says: completes the files, and sets LOSSES. 0, or -1 and ERR, when
/// there are none: they cannot be written, or several threads of a rank exchange messages.
int ti_trace_finish(struct ti_trace *trace, const struct pag_result *replay,
                    struct ti_losses *losses, struct error *err);

// SPDX-License-Identifier: BSD-3-Clause
// A measured run as a trace for Paraver, written while it is replayed: the states of each thread,
// events of functions, MPI calls and counters, and messages; names are in a .pcf, those of rows in
// a .row beside it. Times are nanoseconds since the run's first event. MPI calls and states have
// the numbers of Extrae, so that configurations for its traces work.
#pragma once

#include <stdint.h>

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

/// As struct pag_listener has them.
void prv_trace_entered(struct prv_trace *trace, const struct pag_entered *entered);
void prv_trace_left(struct prv_trace *trace, uint32_t location, uint64_t time_ns);
void prv_trace_counted(struct prv_trace *trace, uint32_t location, uint64_t time_ns,
                       uint32_t counter, double growth);
void prv_trace_message(struct prv_trace *trace, const struct pag_message *message);

/// After the replay: the files are whole. 0, or -1 and ERR, also for any write before.
int prv_trace_finish(struct prv_trace *trace, const struct pag_result *replay, struct error *err);

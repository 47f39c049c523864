// SPDX-License-Identifier: BSD-3-Clause
// The files of a trace in Perfetto's format: tracks, slices on them, values of counters. Names are
// written once a file. The files appear when all are whole: until then they have other names.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

struct packets;

/// What a slice is, for the viewer's search.
#define SLICE_CATEGORIES(X)                                                                        \
    X(FUNCTION, "function")                                                                        \
    X(MPI, "MPI")                                                                                  \
    X(WAIT_STATE, "wait state")                                                                    \
    X(CRITICAL_PATH, "critical path")                                                              \
    X(PHASE, "phase")

/// What is said of a slice: numbers.
#define SLICE_FACTS(X)                                                                             \
    X(SENT_MESSAGES, "messages sent")                                                              \
    X(SENT_BYTES, "bytes sent")                                                                    \
    X(RECEIVER, "sent to rank")                                                                    \
    X(RECEIVED_MESSAGES, "messages received")                                                      \
    X(RECEIVED_BYTES, "bytes received")                                                            \
    X(SENDER, "received from rank")                                                                \
    X(COLLECTIVE_SENT_BYTES, "collective bytes sent")                                              \
    X(COLLECTIVE_RECEIVED_BYTES, "collective bytes received")                                      \
    X(AWAITED_RANK, "waits for rank")                                                              \
    X(BEGAN, "began at ns, in the file before")

#define SLICE_CATEGORY_ENUM(name, text) SLICE_##name,
enum slice_category { SLICE_CATEGORIES(SLICE_CATEGORY_ENUM) N_SLICE_CATEGORIES };
#define SLICE_FACT_ENUM(name, text) SLICE_FACT_##name,
enum slice_fact_name { SLICE_FACTS(SLICE_FACT_ENUM) N_SLICE_FACTS };

struct slice_fact {
    enum slice_fact_name name;
    uint64_t value;
};

struct track {
    uint64_t uuid;        // not 0
    uint64_t parent_uuid; // 0: none
    const char *name;
    int32_t order;     // among its siblings
    bool joins_others; // of the same name below the same parent, in the viewer
    bool is_counter;
    const char *unit, *description; // of a counter; ""
};

/// The begin or end of a slice; those of one track come in order, those of its name, category and
/// source are those of its begin.
struct slice_edge {
    uint64_t time_ns, track_uuid;
    enum slice_category category;
    uint32_t name_number; // that always stands for this name
    const char *name;
    uint32_t source_number; // likewise; EVENT_NO_INDEX: unknown
    const char *file, *function;
    uint32_t line;
    const struct slice_fact *facts;
    size_t n_facts;
    const uint64_t *flows; // begin or end with it
    size_t n_flows;
};

/// The file is PATH; if it would have more than MAX_BYTES, others follow, see packets_next_file().
/// A pipe, device or link gets all. NULL and ERR if it cannot be written. The caller frees.
struct packets *packets_new(const char *path, uint64_t max_bytes, struct error *err);
/// Removes what was written, unless packets_finish() was successful.
void packets_free(struct packets *packets);

/// Where temporary files may be as large as the files. The caller frees.
char *packets_folder(const struct packets *packets);

/// Whether the file is as large as it may be.
bool packets_is_full(const struct packets *packets);
/// What follows goes to a new file: of run.pftrace to run.2.pftrace. It needs its tracks again.
void packets_next_file(struct packets *packets);
/// Files so far, the number of the one that is written.
size_t packets_n_files(const struct packets *packets);
/// What follows goes to the end of a file that was written before; likewise.
void packets_go_back(struct packets *packets, size_t file);

void packets_track(struct packets *packets, const struct track *track);
void packets_begin(struct packets *packets, const struct slice_edge *begin);
void packets_end(struct packets *packets, const struct slice_edge *end);
void packets_count(struct packets *packets, uint64_t track_uuid, uint64_t time_ns, double value);

/// The files get their names. 0, or -1 and ERR, also for any write before; then none is left.
int packets_finish(struct packets *packets, struct error *err);

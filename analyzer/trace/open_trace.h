// SPDX-License-Identifier: BSD-3-Clause
// An open archive as the files of this folder see it, and the reading of one of its locations.
#pragma once

#include <pthread.h>

#include <otf2/otf2.h>

#include "analyzer/trace/batch.h"
#include "analyzer/trace/clock.h"
#include "analyzer/trace/decode.h"
#include "analyzer/trace/definitions/local_definitions.h"
#include "analyzer/trace/definitions/records.h"
#include "analyzer/trace/definitions/resolve.h"
#include "analyzer/trace/event_file.h"

// Chunk sizes of the archive's files; both 0 when its files are compressed and cannot be looked
// into.
struct chunk_bytes {
    uint64_t events, definitions;
};

// Reads one location.
struct location_reader {
    struct decoder decoder;
    struct local_definitions local;
    struct event_file file;      // not open: the library reads
    OTF2_EvtReader *otf2_reader; // NULL: nothing (more) to read
    struct cursor cursor;        // what the engine reads
    size_t capacity;             // events the cursor's buffer can hold
    struct trace_place first;    // the begin of its events
    struct batch_begins begins;  // of a trace that keeps places
    uint64_t n_first_chunk;      // records that the first chunk holds, as it says
    int read_error;              // errno of the event file, 0: every read was well
    char *reason;                // owned text of decoder.report.reason
    bool is_remote;              // of a shared trace: another process reads it
};

struct trace {
    char *path;
    OTF2_Reader *otf2_reader;
    struct chunk_bytes chunk_bytes;
    struct records records;
    struct resolved resolved;
    struct clock clock;
    struct location_reader *readers; // by location index
    size_t n_readers;
    struct decode_ahead *ahead; // NULL: decoding happens in place
    struct trace_digest digest; // zeroed: none
    struct shared *shared;      // with other processes, NULL: not
    bool is_counted;            // the digest got what counters grew by
    struct batch digested;      // in place
    size_t n_batch_events;      // decoded at once in place,
    size_t n_ahead_events;      // and in another thread
    size_t window_bytes;
    bool has_origin; // times are final: decoding ahead may begin
    bool has_tried_ahead;
    bool keeps_places;
    OTF2_EvtReaderCallbacks *callbacks;
    pthread_mutex_t lock; // of what is lent
    bool is_lent;
    struct trace *spares; // further openings, not in use
    struct trace *next_spare;
    char *creator;
    char *description;
};

/// Kinds of records that are only counted.
static inline size_t location_n_unused_kinds(const struct trace *trace)
{
    return trace->records.metrics.n + trace->records.parameters.n;
}

/// Why the location ends early, or is skipped.
void location_set_reason(struct location_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Opens a location's events and reads the first batch, or reports why it is skipped.
void location_open(struct trace *trace, size_t location);

/// Writes the counts of a location's report, or reads them.
void location_pass_counts(struct trace *trace, size_t location, struct numbers *numbers);

/// Decodes ahead from now on, if other threads or processes can.
void location_decode_ahead(struct trace *trace);

/// Ends a location whose next event lies later than any run takes.
void location_end_late(struct trace *trace, size_t location);

/// Ends the reading of a location's events, wherever it is.
void location_close(struct trace *trace, struct location_reader *reader);

/// How much is decoded of each of N_LOCATIONS at once, and how much of its file is in memory.
void location_share_memory(struct trace *trace, size_t n_locations);

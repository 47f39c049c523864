// SPDX-License-Identifier: BSD-3-Clause
// Reads the records of one location's events (.evt, see chunk_file.h) and gives them to decode.h.
// The OTF2 library would do the same in five times the time, and trusts its files. Damage ends the
// file.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/chunk_file.h"
#include "analyzer/trace/decode.h"
#include "analyzer/trace/definitions/local_definitions.h"
#include "analyzer/trace/place.h"

enum event_file_state {
    EVENT_FILE_READING,
    EVENT_FILE_AT_END,  // up to its end mark, and as many records as it promises
    EVENT_FILE_DAMAGED, // or it can no longer be read
};

struct event_file {
    enum event_file_state state;
    struct chunk_file chunks;
    struct window window;
    uint64_t n_read;           // records so far, of all kinds
    uint64_t raw_ticks, ticks; // the newest time stamp, on the location's and the run's clock
    size_t clock_interval;
};

/// Opens PATH, of chunks of CHUNK_BYTES, to be read WINDOW_BYTES at a time. false, and FILE
/// (zeroed) stays as it is, when it cannot be opened.
bool event_file_open(struct event_file *file, const char *path, uint64_t chunk_bytes,
                     size_t window_bytes);

/// Where FILE is, the part of a place that it knows.
struct trace_place event_file_place(const struct event_file *file);
/// Goes there; a place that cannot be is damage.
void event_file_go_to(struct event_file *file, const struct trace_place *place);

/// Frees what FILE holds and zeroes it; that may have been done before.
void event_file_close(struct event_file *file);

/// Whether FILE was opened and not closed again.
static inline bool event_file_is_open(const struct event_file *file)
{
    return file->chunks.path;
}

/// Reads N_WANTED records, less when FILE's state is no longer EVENT_FILE_READING, and gives them
/// to DECODER. LOCAL are the definitions of the location. Returns their number.
uint64_t event_file_read(struct event_file *file, struct decoder *decoder,
                         const struct local_definitions *local, uint64_t n_wanted);

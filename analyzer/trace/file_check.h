// SPDX-License-Identifier: BSD-3-Clause
// Looks at an archive's files before OTF2 does. Where a file ends without its end mark, or a record
// leads beyond the end of the file, the library reads on in the old contents of its buffer: it
// delivers them as records, or takes the same chunk again and again, for ever.
#ifndef PAGODA_TRACE_FILE_CHECK_H
#define PAGODA_TRACE_FILE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether the records of a definition file lead from its begin to its end mark; the library does
/// not read what follows that. True for a file that cannot be opened: let OTF2 say why. CHUNK_BYTES
/// is what the anchor says of definition chunks.
bool file_check_definitions(const char *path, uint64_t chunk_bytes);

/// How far an event file was looked at; zeroed to begin with.
struct event_walk {
    uint64_t n_events; // records that OTF2 finds without leaving what the file holds
    bool is_done;      // there are no more of them
    bool is_sound;     // if is_done: up to the end mark, and as many as the file promises
    uint64_t at;       // begin of the next chunk
};

/// Memory for one chunk, for several walks; zeroed to begin with, `bytes` is to be freed.
struct chunk_memory {
    unsigned char *bytes;
    size_t capacity;
};

/// Looks at the next chunk, of CHUNK_BYTES. A file that cannot be opened counts as sound, with any
/// number of events: let OTF2 say why.
void file_check_next_chunk(struct event_walk *walk, const char *path, uint64_t chunk_bytes,
                           struct chunk_memory *memory);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Looks at an archive's files before OTF2 does: behind the end of a file that was cut, and behind a
// chunk that ends in the wrong place, the library takes the rest of its buffer for records, or the
// same chunk again and again.
#ifndef PAGODA_TRACE_FILE_CHECK_H
#define PAGODA_TRACE_FILE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

/// Whether the records of a definition file lead from its begin to its end. True for a file that
/// cannot be opened: let OTF2 say why. CHUNK_BYTES is what the anchor says of definition chunks.
bool file_check_definitions(const char *path, uint64_t chunk_bytes);

struct event_file {
    bool is_complete; // ends as OTF2 ends its files, and says how many events it holds
    /// In its chunks; when it was cut, in its complete ones, or if there is none, at most in its
    /// only one.
    uint64_t n_events;
};

/// How many events an event file of CHUNK_BYTES a chunk holds. One that cannot be opened counts as
/// complete, with any number.
struct event_file file_check_events(const char *path, uint64_t chunk_bytes);

#endif

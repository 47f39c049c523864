// SPDX-License-Identifier: BSD-3-Clause
// Traces of other formats as OTF2 archives. They are read once, forward, and written as they are
// read, so memory does not grow with their length.
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"

/// What was read, and what an archive cannot hold or the file does not say.
struct conversion {
    uint64_t n_events, n_messages;
    uint64_t n_late;      // ends of messages after what they precede, as with clocks that disagree
    uint64_t n_cut;       // visits that outlasted the one around them
    uint64_t n_unmatched; // ends without a begin
    uint64_t n_ignored;   // events of kinds that have no counterpart
};

/// Makes an archive of PATH in the new or empty folder DIRECTORY: of a Paraver trace (.prv, with
/// the .pcf beside it), else of a trace of Chrome's format, JSON. 0, or -1 and ERR, with line and
/// reason; then there is no folder.
int convert_trace(const char *path, const char *directory, struct conversion *done,
                  struct error *err);

// The two formats: each reads PATH and writes the events of TRACE, which is in FOLDER. *END_NS
// becomes the end of the run. 0, or -1 and ERR.
struct new_trace;
int convert_prv(const char *path, const char *folder, struct new_trace *trace,
                struct conversion *done, uint64_t *end_ns, struct error *err);
int convert_chrome(const char *path, const char *folder, struct new_trace *trace,
                   struct conversion *done, uint64_t *end_ns, struct error *err);

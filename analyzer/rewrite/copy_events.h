// SPDX-License-Identifier: BSD-3-Clause
// Copies the records of one location with other times.
#pragma once

#include <otf2/otf2.h>

#include "analyzer/base/error.h"
#include "analyzer/rewrite/time_map.h"
#include "analyzer/trace/reader.h"

struct late_definitions;
struct progress;

struct copy_events {
    struct trace_source source;
    OTF2_Reader *reader; // its event files are open
    OTF2_Archive *archive;
    OTF2_EvtReaderCallbacks *callbacks;  // of copy_events_callbacks()
    const struct late_definitions *late; // NULL: no call is waited for later
    struct progress *progress;
    uint64_t n_done; // records of all locations so far
};

/// NULL when memory is out; the caller deletes them.
OTF2_EvtReaderCallbacks *copy_events_callbacks(void);

/// Copies the first N_RECORDS records of the location with this OTF2 ID, at the times of TIMES;
/// *N_WRITTEN records were written. 0, or -1 and ERR.
int copy_events(struct copy_events *copy, OTF2_LocationRef id, uint64_t n_records,
                struct time_map_reader *times, uint64_t *n_written, struct error *err);

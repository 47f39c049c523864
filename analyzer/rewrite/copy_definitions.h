// SPDX-License-Identifier: BSD-3-Clause
// Copies the global definitions of an archive.
#ifndef PAGODA_REWRITE_COPY_DEFINITIONS_H
#define PAGODA_REWRITE_COPY_DEFINITIONS_H

#include <otf2/otf2.h>

#include "analyzer/base/error.h"
#include "analyzer/rewrite/rewrite.h"
#include "analyzer/trace/source.h"

/// What is new of a location, by its index in struct definitions.
struct copy_location {
    uint64_t n_records;
    uint64_t end_ns; // of its last event
};

struct late_definitions;

/// Copies the definitions READER has to ARCHIVE, whose events are written, and adds LATE unless
/// NULL. 0, or -1 and ERR.
int copy_definitions(const struct trace_source *source, OTF2_Reader *reader, OTF2_Archive *archive,
                     const struct rewrite_run *run, const struct copy_location *locations,
                     const struct late_definitions *late, struct error *err);

#endif

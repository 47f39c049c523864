// SPDX-License-Identifier: BSD-3-Clause
// Copies the global definitions of an archive.
#pragma once

#include <stdbool.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/trace/reader.h"

/// What is new of a location, by its index in struct definitions.
struct copy_location {
    uint64_t n_records;
    uint64_t end_ns; // of its last event
};

enum { LATE_ATTRIBUTES = 3 };

/// Definitions that calls need which are waited for later (copy_events.c): the region MPI_Waitall,
/// and the attributes by which a posted receive says what it is for. Those of the trace where it
/// has them, else new ones.
struct late_definitions {
    OTF2_RegionRef waitall;
    OTF2_AttributeRef attributes[LATE_ATTRIBUTES]; // by enum attribute_role
    bool has_new_region, has_new_attribute[LATE_ATTRIBUTES];
};

/// Chooses the identifiers.
void late_definitions_find(struct late_definitions *late, const struct trace_source *source);

/// Copies the definitions READER has to ARCHIVE, whose events are written, and adds LATE unless
/// NULL. 0, or -1 and ERR.
int copy_definitions(const struct trace_source *source, OTF2_Reader *reader, OTF2_Archive *archive,
                     const struct rewrite_run *run, const struct copy_location *locations,
                     const struct late_definitions *late, struct error *err);

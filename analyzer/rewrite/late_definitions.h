// SPDX-License-Identifier: BSD-3-Clause
// Definitions that an archive needs for calls that are waited for later (copy_messages.c): the
// region MPI_Waitall, and the attributes by which a posted receive says what it is for. Those of
// the trace where it has them, else new ones.
#ifndef PAGODA_REWRITE_LATE_DEFINITIONS_H
#define PAGODA_REWRITE_LATE_DEFINITIONS_H

#include <stdbool.h>

#include <otf2/otf2.h>

#include "analyzer/trace/source.h"

enum { LATE_ATTRIBUTES = 3, LATE_STRINGS = 1 + LATE_ATTRIBUTES };

struct late_definitions {
    OTF2_RegionRef waitall;
    OTF2_AttributeRef attributes[LATE_ATTRIBUTES]; // by enum attribute_role
    bool has_new_region, has_new_attribute[LATE_ATTRIBUTES];
};

/// Chooses the identifiers.
void late_definitions_find(struct late_definitions *late, const struct trace_source *source);

/// Writes the texts of the new ones, as FIRST_STRING to FIRST_STRING + LATE_STRINGS - 1, and then
/// the definitions, after those of the trace, whose identifiers are lower. The first failure.
OTF2_ErrorCode late_definitions_write(const struct late_definitions *late,
                                      OTF2_GlobalDefWriter *writer, OTF2_StringRef first_string);

#endif

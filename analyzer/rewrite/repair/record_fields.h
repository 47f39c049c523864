// SPDX-License-Identifier: BSD-3-Clause
// What the records of events consist of, kind by kind: enough to tell whether one is whole and
// what it refers to, whatever a replay makes of it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/trace/chunk_file.h"

enum { MOST_FIELDS = 8 };

struct record_fields {
    /// A letter for each field: b a byte, w a number of 32 bits, q of 64 bits, t a time stamp of 8
    /// bytes; R a reference to a region, C communicator, P parameter, X calling context, M metric
    /// (to others: w). "" also for kinds that OTF2 3.0 does not have.
    const char *letters;
    uint64_t values[MOST_FIELDS];
    uint8_t n_metric_values;
    OTF2_Type metric_types[UINT8_MAX];
};

/// Takes the fields of a record of KIND from CONTENT. false: it is damaged.
bool record_fields_read(struct record_fields *fields, int kind, struct content *content);

/// Follows a list of attributes. false: it is damaged.
bool record_attributes_are_sound(struct content *content);

/// What the field LETTER refers to; OTF2_MAPPING_MAX: nothing of these.
OTF2_MappingType record_fields_reference(char letter);

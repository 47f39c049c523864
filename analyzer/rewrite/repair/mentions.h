// SPDX-License-Identifier: BSD-3-Clause
// What the events of an archive say of definitions by the way they use them: for those that are
// lost.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/map.h"
#include "analyzer/rewrite/repair/record_fields.h"
#include "analyzer/rewrite/repair/sound_part.h"
#include "analyzer/trace/definitions/local_definitions.h"

/// Something that events refer to, by its global identifier.
struct mention {
    uint32_t id;
    bool is_mpi; // a region: records of MPI are in it; a communicator: records of MPI name it
    bool is_collective; // a region: those are of collective operations
    uint32_t n_ranks;   // a communicator: it has this many at least, as peers and roots tell
    uint32_t *users;    // of a communicator: the locations that use it, by index, ascending
    size_t n_users, user_capacity;
    OTF2_ParameterType parameter_type;
    uint8_t n_values; // of a metric
    OTF2_Type *value_types;
};

struct mention_list {
    struct mention *items; // in the order in which they were found
    size_t n, capacity;
    struct map by_id;
};

/// Zeroed to begin with, then told of one location after the other, in ascending order.
struct mentions {
    struct mention_list kinds[OTF2_MAPPING_MAX];
    // The location whose events are being read:
    const struct local_definitions *local;
    uint32_t location;
    bool has_mpi; // one of its records is of MPI
};

/// A sound_record; CONTEXT is a struct mentions.
void mentions_take(void *context, int kind, const struct record_fields *fields,
                   const struct open_region *innermost);
void mentions_release(struct mentions *mentions);

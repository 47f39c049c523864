// SPDX-License-Identifier: BSD-3-Clause
// What the definition file of one location says of its event records: how far its clock is from the
// others', and which global identifiers its own ones stand for.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/trace/chunk_file.h"

/// From BEGIN_TICKS to END_TICKS of the location's clock its offset to the run's is interpolated.
struct clock_interval {
    uint64_t begin_ticks, end_ticks;
    int64_t offset_ticks; // at the begin
    double slope;
    double deviation; // of the offset, as recorded
};

/// Zeroed: no offset, and identifiers are global ones.
struct local_definitions {
    struct clock_interval *intervals; // in order of time; the last one is still open, not used
    size_t n_intervals, interval_capacity;
    const OTF2_IdMap *maps[OTF2_MAPPING_MAX]; // by kind of identifier, NULL: none
    bool owns_maps;                           // else the library's, while the archive is open
};

void local_definitions_release(struct local_definitions *local);

/// Reads the definition file of a location, of chunks of CHUNK_BYTES. false: it is damaged; SOUND
/// (NULL: not wanted) is how far it is not.
bool local_definitions_read(struct local_definitions *local, const char *path, uint64_t chunk_bytes,
                            struct sound_definitions *sound);

/// Has the library read all definitions of READER into LOCAL, which must outlive the reading.
OTF2_ErrorCode local_definitions_read_by_library(struct local_definitions *local,
                                                 OTF2_Reader *archive, OTF2_DefReader *reader);

/// Adds an offset that holds from TICKS on. false: not after the one before, which OTF2 refuses,
/// too.
bool local_definitions_add_offset(struct local_definitions *local, uint64_t ticks,
                                  int64_t offset_ticks, double deviation);

/// Gives LOCAL the clock offsets of OTHER.
void local_definitions_copy_offsets(struct local_definitions *local,
                                    const struct local_definitions *other);

/// The same as local_definitions_ticks() where there are two intervals or more.
uint64_t local_definitions_shifted(const struct local_definitions *local, size_t *interval,
                                   uint64_t ticks);

/// TICKS of the location's clock on the run's clock. *INTERVAL (0 to begin with) follows the time
/// and never goes back, as in OTF2.
static inline uint64_t local_definitions_ticks(const struct local_definitions *local,
                                               size_t *interval, uint64_t ticks)
{
    return local->n_intervals < 2 ? ticks : local_definitions_shifted(local, interval, ticks);
}

/// The global identifier of ID.
static inline uint32_t local_definitions_id(const struct local_definitions *local,
                                            OTF2_MappingType kind, uint32_t id)
{
    uint64_t global_id = id;
    if (local->maps[kind])
        OTF2_IdMap_GetGlobalId(local->maps[kind], id, &global_id);
    return (uint32_t)global_id;
}

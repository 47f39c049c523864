// SPDX-License-Identifier: BSD-3-Clause
// The part of a file of an archive before the first damage: found by following its records, and
// written as a file that is whole.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/rewrite/repair/record_fields.h"

struct open_region {
    bool is_context; // a calling context
    uint32_t id;     // as the file has it
};

struct sound_part {
    bool is_whole;   // the file is sound to its end mark
    uint64_t end_at; // offset after the last sound record; 0: not even the header of a chunk
    // Of events:
    uint64_t n_records;
    uint64_t first_ticks, last_ticks; // on the location's clock; valid with records
    struct open_region *open;         // at the end, the outermost first
    size_t n_open, open_capacity;
    uint64_t last_promised; // number of the last record, as the header of the last chunk says
};

/// Gets each record of events. INNERMOST is the region it is in, NULL: none; of an enter or leave
/// the region around it.
typedef void sound_record(void *context, int kind, const struct record_fields *fields,
                          const struct open_region *innermost);

/// Follows the events in PATH, of chunks of CHUNK_BYTES. An empty part for a file that cannot be
/// read. The caller releases.
void sound_part_of_events(struct sound_part *part, const char *path, uint64_t chunk_bytes,
                          sound_record *tell, void *context);
void sound_part_release(struct sound_part *part);

/// The same of a file of global definitions, and of one of a location's own.
void sound_part_of_definitions(struct sound_part *part, const char *path, uint64_t chunk_bytes);
void sound_part_of_local_definitions(struct sound_part *part, const char *path,
                                     uint64_t chunk_bytes);

/// Writes the part of FROM to TO as a whole file; of events, each open region is left at the time
/// of the last record. A part that is whole is copied byte by byte. 0, or -1 and ERR.
int sound_part_write_events(const struct sound_part *part, const char *from, const char *to,
                            uint64_t chunk_bytes, struct error *err);
int sound_part_write_definitions(const struct sound_part *part, const char *from, const char *to,
                                 struct error *err);

/// The size of the chunks of the file PATH, as the begin of its second chunk tells; 0: it has no
/// second one. IS_EVENTS: else definitions.
uint64_t sound_chunk_bytes(const char *path, bool is_events);

// SPDX-License-Identifier: BSD-3-Clause
// See local_definitions.h. The rules are those by which OTF2 applies these definitions itself: a
// clock offset counts from its time until that of the next one, the last two beyond it, and a
// single one not at all.
//
// The library takes a whole chunk of memory for each location, 4 MiB in most archives. So it reads
// only what is compressed.
#include "analyzer/trace/definitions/local_definitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { MAPPING_TABLE = 5, CLOCK_OFFSET = 6 }; // kinds of records

bool local_definitions_add_offset(struct local_definitions *local, uint64_t ticks,
                                  int64_t offset_ticks, double deviation)
{
    if (local->n_intervals > 0 && ticks <= local->intervals[local->n_intervals - 1].begin_ticks)
        return false;
    struct clock_interval *interval =
        ARRAY_NEXT(local->intervals, local->n_intervals, local->interval_capacity);
    *interval = (struct clock_interval){
        .begin_ticks = ticks, .offset_ticks = offset_ticks, .deviation = deviation};
    if (local->n_intervals == 1)
        return true;
    struct clock_interval *before = interval - 1;
    int64_t change = (int64_t)((uint64_t)offset_ticks - (uint64_t)before->offset_ticks);
    before->end_ticks = ticks;
    before->slope = (double)change / (double)(ticks - before->begin_ticks);
    return true;
}

void local_definitions_copy_offsets(struct local_definitions *local,
                                    const struct local_definitions *other)
{
    local->n_intervals = 0;
    for (size_t i = 0; i < other->n_intervals; i++)
        *ARRAY_NEXT(local->intervals, local->n_intervals, local->interval_capacity) =
            other->intervals[i];
}

static void add_map(struct local_definitions *local, unsigned kind, const OTF2_IdMap *map)
{
    if (local->maps[kind] && local->owns_maps)
        OTF2_IdMap_Free((OTF2_IdMap *)local->maps[kind]);
    local->maps[kind] = map;
}

void local_definitions_release(struct local_definitions *local)
{
    for (unsigned kind = 0; kind < OTF2_MAPPING_MAX; kind++)
        add_map(local, kind, NULL);
    free(local->intervals);
    *local = (struct local_definitions){0};
}

// --- from the file

static bool read_clock_offset(struct local_definitions *local, struct content *content)
{
    uint64_t ticks = content_full(content);
    uint64_t offset_ticks = content_64(content);
    uint64_t bits = content_full(content);
    double deviation;
    memcpy(&deviation, &bits, sizeof deviation);
    return content_is_whole(content) &&
           local_definitions_add_offset(local, ticks, (int64_t)offset_ticks, deviation);
}

// A row of global identifiers, or of pairs of a local and a global one.
static bool read_map(struct local_definitions *local, struct content *content)
{
    unsigned kind = content_byte(content);
    uint64_t n = content_64(content);
    OTF2_IdMapMode mode = content_byte(content);
    uint64_t n_left = content_is_whole(content) ? (uint64_t)(content->end - content->at) : 0;
    if (n > n_left) // each takes a byte or more
        return false;
    OTF2_IdMap *map = OTF2_IdMap_Create(mode, n);
    for (uint64_t i = 0; map && i < n && content_is_whole(content); i++) {
        uint64_t id = mode == OTF2_ID_MAP_DENSE ? i : content_64(content);
        OTF2_IdMap_AddIdPair(map, id, content_64(content));
    }
    bool is_second = kind < OTF2_MAPPING_MAX && local->maps[kind]; // which OTF2 refuses, too
    bool is_sound = map && content_is_whole(content) && !is_second;
    if (is_sound && kind < OTF2_MAPPING_MAX)
        add_map(local, kind, map);
    else
        OTF2_IdMap_Free(map);
    return is_sound;
}

static bool read_record(void *context, int kind, struct content *content)
{
    if (kind == CLOCK_OFFSET)
        return read_clock_offset(context, content);
    return kind != MAPPING_TABLE || read_map(context, content);
}

bool local_definitions_read(struct local_definitions *local, const char *path, uint64_t chunk_bytes,
                            struct sound_definitions *sound)
{
    local->owns_maps = true;
    return chunk_file_holds_definitions(path, chunk_bytes, read_record, local, sound);
}

// --- by the library

static OTF2_CallbackCode on_clock_offset(void *user_data, OTF2_TimeStamp ticks,
                                         int64_t offset_ticks, double standard_deviation)
{
    local_definitions_add_offset(user_data, ticks, offset_ticks, standard_deviation);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_mapping_table(void *user_data, OTF2_MappingType kind,
                                          const OTF2_IdMap *map)
{
    if (kind < OTF2_MAPPING_MAX)
        add_map(user_data, kind, map);
    return OTF2_CALLBACK_SUCCESS;
}

OTF2_ErrorCode local_definitions_read_by_library(struct local_definitions *local,
                                                 OTF2_Reader *archive, OTF2_DefReader *reader)
{
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    if (!callbacks)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
    OTF2_DefReaderCallbacks_SetMappingTableCallback(callbacks, on_mapping_table);
    uint64_t n_read = 0;
    OTF2_ErrorCode code = OTF2_Reader_RegisterDefCallbacks(archive, reader, callbacks, local);
    OTF2_DefReaderCallbacks_Delete(callbacks);
    if (code == OTF2_SUCCESS)
        code = OTF2_Reader_ReadAllLocalDefinitions(archive, reader, &n_read);
    return code;
}

// --- times

uint64_t local_definitions_shifted(const struct local_definitions *local, size_t *interval,
                                   uint64_t ticks)
{
    while (*interval + 2 < local->n_intervals && ticks > local->intervals[*interval].end_ticks)
        ++*interval;
    const struct clock_interval *current = &local->intervals[*interval];
    double distance = ticks >= current->begin_ticks ? (double)(ticks - current->begin_ticks)
                                                    : -(double)(current->begin_ticks - ticks);
    return ticks + (uint64_t)current->offset_ticks + (uint64_t)llrint(current->slope * distance);
}

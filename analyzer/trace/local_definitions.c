// SPDX-License-Identifier: BSD-3-Clause
// See local_definitions.h. The rules are those by which OTF2 applies these definitions itself: a
// clock offset counts from its time until that of the next one, the last two beyond it, and a
// single one not at all.
#include "analyzer/trace/local_definitions.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

static OTF2_CallbackCode on_clock_offset(void *user_data, OTF2_TimeStamp ticks,
                                         int64_t offset_ticks, double standard_deviation)
{
    (void)standard_deviation;
    struct local_definitions *local = user_data;
    local->intervals = array_reserve(local->intervals, &local->interval_capacity,
                                     local->n_intervals + 1, sizeof *local->intervals);
    struct clock_interval *interval = &local->intervals[local->n_intervals++];
    *interval = (struct clock_interval){.begin_ticks = ticks, .offset_ticks = offset_ticks};
    if (local->n_intervals == 1)
        return OTF2_CALLBACK_SUCCESS;
    struct clock_interval *before = interval - 1;
    int64_t change = (int64_t)((uint64_t)offset_ticks - (uint64_t)before->offset_ticks);
    before->end_ticks = ticks;
    before->slope = (double)change / (double)(ticks - before->begin_ticks);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_mapping_table(void *user_data, OTF2_MappingType kind,
                                          const OTF2_IdMap *map)
{
    struct local_definitions *local = user_data;
    if (kind < OTF2_MAPPING_MAX)
        local->maps[kind] = map;
    return OTF2_CALLBACK_SUCCESS;
}

void local_definitions_release(struct local_definitions *local)
{
    free(local->intervals);
    *local = (struct local_definitions){0};
}

OTF2_ErrorCode local_definitions_read(struct local_definitions *local, OTF2_Reader *archive,
                                      OTF2_DefReader *reader)
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

uint64_t local_definitions_ticks(const struct local_definitions *local, size_t *interval,
                                 uint64_t ticks)
{
    if (local->n_intervals < 2)
        return ticks;
    while (*interval + 2 < local->n_intervals && ticks > local->intervals[*interval].end_ticks)
        ++*interval;
    const struct clock_interval *current = &local->intervals[*interval];
    double distance = ticks >= current->begin_ticks ? (double)(ticks - current->begin_ticks)
                                                    : -(double)(current->begin_ticks - ticks);
    return ticks + (uint64_t)current->offset_ticks + (uint64_t)llrint(current->slope * distance);
}

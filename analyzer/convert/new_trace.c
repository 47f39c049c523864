// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/convert/new_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/trace/archive.h"

enum { CHUNK_BYTES = 1 << 18, DEFINITION_CHUNK_BYTES = 1 << 22 };

struct names {
    char **items;
    size_t n, capacity;
    struct map by_hash; // of a text, or the next number if it is taken by another one
};

struct process {
    char *name;
    uint32_t node;
};

struct new_location {
    char *name;
    uint32_t process;
    OTF2_LocationType type;
    OTF2_EvtWriter *events;
};

struct counter {
    OTF2_Type type;
    OTF2_MetricMode mode;
};

struct communicator {
    uint64_t *members;
    size_t n;
};

struct new_trace {
    OTF2_Archive *archive;
    OTF2_ErrorCode code; // the first failure
    struct names regions, counters, nodes, process_keys, location_keys;
    struct process *processes;
    size_t n_processes, processes_capacity;
    struct new_location *locations;
    size_t n_locations, locations_capacity;
    struct counter *counter_kinds;
    size_t n_counter_kinds, counter_kinds_capacity;
    struct communicator *communicators;
    size_t n_communicators, communicators_capacity;
    bool uses_mpi;
    OTF2_GlobalDefWriter *definitions;
    uint32_t n_strings;
};

static uint32_t name_number(struct names *names, const char *name)
{
    uint64_t hash = rewrite_hash(UINT64_C(0xcbf29ce484222325), name);
    uint32_t number;
    for (; map_get(&names->by_hash, hash, &number); hash++)
        if (strcmp(names->items[number], name) == 0)
            return number;
    number = (uint32_t)names->n;
    *ARRAY_NEXT(names->items, names->n, names->capacity) = memory_copy_text(name);
    map_put(&names->by_hash, hash, number);
    return number;
}

static void names_release(struct names *names)
{
    memory_free_each(names->items, names->n);
    map_release(&names->by_hash);
}

struct new_trace *new_trace_open(const char *folder, struct error *err)
{
    struct new_trace *trace = memory_zeroed(1, sizeof *trace);
    map_init(&trace->regions.by_hash);
    map_init(&trace->counters.by_hash);
    map_init(&trace->nodes.by_hash);
    map_init(&trace->process_keys.by_hash);
    map_init(&trace->location_keys.by_hash);
    otf2_error_begin();
    trace->archive = rewrite_open(folder, "traces", CHUNK_BYTES, DEFINITION_CHUNK_BYTES);
    if (trace->archive)
        new_trace_wrote(trace, OTF2_Archive_OpenEvtFiles(trace->archive));
    new_trace_communicator(trace, NULL, 0);
    if (trace->archive && trace->code == OTF2_SUCCESS)
        return trace;
    error_set(err, "cannot write: %s", otf2_error_cause(trace->code));
    new_trace_free(trace);
    return NULL;
}

void new_trace_free(struct new_trace *trace)
{
    if (!trace)
        return;
    if (trace->archive)
        OTF2_Archive_Close(trace->archive);
    FREE_MEMBERS(trace->processes, trace->n_processes, name);
    FREE_MEMBERS(trace->locations, trace->n_locations, name);
    FREE_MEMBERS(trace->communicators, trace->n_communicators, members);
    FREE_ALL(trace->processes, trace->locations, trace->counter_kinds, trace->communicators);
    names_release(&trace->regions);
    names_release(&trace->counters);
    names_release(&trace->nodes);
    names_release(&trace->process_keys);
    names_release(&trace->location_keys);
    free(trace);
}

void new_trace_wrote(struct new_trace *trace, OTF2_ErrorCode code)
{
    if (trace->code == OTF2_SUCCESS)
        trace->code = code;
}

// --- what is met

uint32_t new_trace_region(struct new_trace *trace, const char *name)
{
    return name_number(&trace->regions, name);
}

uint32_t new_trace_counter(struct new_trace *trace, const char *name, OTF2_Type type)
{
    uint32_t counter = name_number(&trace->counters, name);
    if (counter == trace->n_counter_kinds)
        *ARRAY_NEXT(trace->counter_kinds, trace->n_counter_kinds, trace->counter_kinds_capacity) =
            (struct counter){type, OTF2_METRIC_ACCUMULATED_START};
    return counter;
}

void new_trace_counter_falls(struct new_trace *trace, uint32_t counter)
{
    trace->counter_kinds[counter].mode = OTF2_METRIC_ABSOLUTE_NEXT;
}

uint32_t new_trace_node(struct new_trace *trace, const char *name)
{
    return name_number(&trace->nodes, name);
}

uint32_t new_trace_process(struct new_trace *trace, const char *key, uint32_t node)
{
    uint32_t process = name_number(&trace->process_keys, key);
    if (process == trace->n_processes)
        *ARRAY_NEXT(trace->processes, trace->n_processes, trace->processes_capacity) =
            (struct process){memory_copy_text(key), node};
    return process;
}

static void rename_to(char **name, const char *new_name)
{
    free(*name);
    *name = memory_copy_text(new_name);
}

void new_trace_name_process(struct new_trace *trace, uint32_t process, const char *name)
{
    rename_to(&trace->processes[process].name, name);
}

uint32_t new_trace_location(struct new_trace *trace, uint32_t process, const char *key,
                            const char *name)
{
    uint32_t index = name_number(&trace->location_keys, key);
    if (index < trace->n_locations)
        return index;
    struct new_location *location =
        ARRAY_NEXT(trace->locations, trace->n_locations, trace->locations_capacity);
    *location = (struct new_location){
        .name = memory_copy_text(name), .process = process, .type = OTF2_LOCATION_TYPE_CPU_THREAD};
    location->events = OTF2_Archive_GetEvtWriter(trace->archive, index);
    if (!location->events)
        new_trace_wrote(trace, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    return index;
}

void new_trace_name_location(struct new_trace *trace, uint32_t location, const char *name)
{
    rename_to(&trace->locations[location].name, name);
}

uint32_t new_trace_further_location(struct new_trace *trace, uint32_t location, uint32_t number)
{
    SCOPED char *key = memory_format("%" PRIu32 "#%" PRIu32, location, number);
    SCOPED char *name = memory_format("%s %" PRIu32, trace->locations[location].name, number);
    return new_trace_location(trace, trace->locations[location].process, key, name);
}

uint32_t new_trace_counters_location(struct new_trace *trace, uint32_t process)
{
    SCOPED char *key = memory_format("%" PRIu32 ":counters", process);
    uint32_t location = new_trace_location(trace, process, key, "counters");
    trace->locations[location].type = OTF2_LOCATION_TYPE_METRIC;
    return location;
}

uint32_t new_trace_communicator(struct new_trace *trace, const uint64_t *members, size_t n)
{
    struct communicator *made =
        ARRAY_NEXT(trace->communicators, trace->n_communicators, trace->communicators_capacity);
    *made = (struct communicator){memory_zeroed(n + 1, sizeof *members), n};
    if (n > 0)
        memcpy(made->members, members, n * sizeof *members);
    return (uint32_t)trace->n_communicators - 1;
}

void new_trace_uses_mpi(struct new_trace *trace)
{
    trace->uses_mpi = true;
}

OTF2_EvtWriter *new_trace_events(struct new_trace *trace, uint32_t location)
{
    return trace->locations[location].events;
}

// --- definitions

static OTF2_StringRef add_string(struct new_trace *trace, const char *text)
{
    new_trace_wrote(trace,
                    OTF2_GlobalDefWriter_WriteString(trace->definitions, trace->n_strings, text));
    return trace->n_strings++;
}

static void add_places(struct new_trace *trace)
{
    OTF2_GlobalDefWriter *out = trace->definitions;
    OTF2_StringRef node_class = add_string(trace, "node");
    if (trace->nodes.n == 0)
        name_number(&trace->nodes, "node");
    for (uint32_t i = 0; i < trace->nodes.n; i++) {
        OTF2_StringRef name = add_string(trace, trace->nodes.items[i]);
        new_trace_wrote(trace, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                                   out, i, name, node_class, OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        new_trace_wrote(trace, OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
                                   out, i, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
    }
    for (uint32_t i = 0; i < trace->n_processes; i++) {
        OTF2_StringRef name = add_string(trace, trace->processes[i].name);
        new_trace_wrote(trace, OTF2_GlobalDefWriter_WriteLocationGroup(
                                   out, i, name, OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                   trace->processes[i].node, OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (uint32_t i = 0; i < trace->n_locations; i++) {
        uint64_t n_events = 0;
        OTF2_StringRef name = add_string(trace, trace->locations[i].name);
        new_trace_wrote(trace,
                        OTF2_EvtWriter_GetNumberOfEvents(trace->locations[i].events, &n_events));
        new_trace_wrote(trace,
                        OTF2_GlobalDefWriter_WriteLocation(out, i, name, trace->locations[i].type,
                                                           n_events, trace->locations[i].process));
    }
}

static void add_names(struct new_trace *trace)
{
    OTF2_GlobalDefWriter *out = trace->definitions;
    OTF2_StringRef empty = add_string(trace, "");
    for (uint32_t i = 0; i < trace->regions.n; i++) {
        bool is_mpi = strncmp(trace->regions.items[i], "MPI_", 4) == 0;
        OTF2_StringRef name = add_string(trace, trace->regions.items[i]);
        new_trace_wrote(trace, OTF2_GlobalDefWriter_WriteRegion(
                                   out, i, name, name, empty, OTF2_REGION_ROLE_FUNCTION,
                                   is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
                                   OTF2_REGION_FLAG_NONE, empty, 0, 0));
    }
    for (uint32_t i = 0; i < trace->counters.n; i++) {
        OTF2_StringRef name = add_string(trace, trace->counters.items[i]);
        new_trace_wrote(trace, OTF2_GlobalDefWriter_WriteMetricMember(
                                   out, i, name, empty, OTF2_METRIC_TYPE_OTHER,
                                   trace->counter_kinds[i].mode, trace->counter_kinds[i].type,
                                   OTF2_BASE_DECIMAL, 0, empty));
        new_trace_wrote(trace, OTF2_GlobalDefWriter_WriteMetricClass(out, i, 1, &i,
                                                                     OTF2_METRIC_ASYNCHRONOUS,
                                                                     OTF2_RECORDER_KIND_CPU));
    }
}

/// Ranks are the first locations of processes.
static void add_communicators(struct new_trace *trace)
{
    OTF2_GlobalDefWriter *out = trace->definitions;
    SCOPED uint64_t *ranks = memory_zeroed(trace->n_processes + 1, sizeof *ranks);
    SCOPED uint64_t *all = memory_zeroed(trace->n_processes + 1, sizeof *all);
    for (size_t i = trace->n_locations; i-- > 0;)
        ranks[trace->locations[i].process] = i;
    for (size_t i = 0; i < trace->n_processes; i++)
        all[i] = i;
    OTF2_StringRef empty = add_string(trace, ""), world = add_string(trace, "MPI_COMM_WORLD");
    new_trace_wrote(trace, OTF2_GlobalDefWriter_WriteGroup(
                               out, 0, empty, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                               OTF2_GROUP_FLAG_NONE, (uint32_t)trace->n_processes, ranks));
    for (uint32_t i = 0; i < trace->n_communicators; i++) {
        const struct communicator *made = &trace->communicators[i];
        uint32_t n = (uint32_t)(i == 0 ? trace->n_processes : made->n);
        new_trace_wrote(trace, OTF2_GlobalDefWriter_WriteGroup(
                                   out, i + 1, empty, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                   OTF2_GROUP_FLAG_NONE, n, i == 0 ? all : made->members));
        new_trace_wrote(trace,
                        OTF2_GlobalDefWriter_WriteComm(out, i, i == 0 ? world : empty, i + 1,
                                                       OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    }
}

/// None; but other readers expect a file for each location.
static void add_local_definitions(struct new_trace *trace)
{
    if (trace->code == OTF2_SUCCESS)
        new_trace_wrote(trace, OTF2_Archive_OpenDefFiles(trace->archive));
    for (size_t i = 0; i < trace->n_locations && trace->code == OTF2_SUCCESS; i++) {
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(trace->archive, i);
        new_trace_wrote(trace, writer ? OTF2_Archive_CloseDefWriter(trace->archive, writer)
                                      : OTF2_ERROR_FILE_CAN_NOT_OPEN);
    }
    if (trace->code == OTF2_SUCCESS)
        new_trace_wrote(trace, OTF2_Archive_CloseDefFiles(trace->archive));
}

int new_trace_close(struct new_trace *trace, const char *creator, uint64_t end_ns,
                    struct error *err)
{
    trace->definitions = OTF2_Archive_GetGlobalDefWriter(trace->archive);
    if (!trace->definitions)
        new_trace_wrote(trace, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    if (trace->code == OTF2_SUCCESS) {
        new_trace_wrote(trace, OTF2_GlobalDefWriter_WriteClockProperties(
                                   trace->definitions, UINT64_C(1000000000), 0, end_ns + 1,
                                   OTF2_UNDEFINED_TIMESTAMP));
        add_places(trace);
        add_names(trace);
        if (trace->uses_mpi)
            add_communicators(trace);
        new_trace_wrote(trace, OTF2_Archive_SetCreator(trace->archive, creator));
    }
    for (size_t i = 0; i < trace->n_locations && trace->code == OTF2_SUCCESS; i++)
        new_trace_wrote(trace,
                        OTF2_Archive_CloseEvtWriter(trace->archive, trace->locations[i].events));
    if (trace->code == OTF2_SUCCESS)
        new_trace_wrote(trace, OTF2_Archive_CloseEvtFiles(trace->archive));
    add_local_definitions(trace);
    if (trace->code == OTF2_SUCCESS)
        new_trace_wrote(trace, OTF2_Archive_Close(trace->archive));
    trace->archive = NULL;
    int status = trace->code == OTF2_SUCCESS
                     ? 0
                     : error_set(err, "cannot write: %s", otf2_error_cause(trace->code));
    new_trace_free(trace);
    return status;
}

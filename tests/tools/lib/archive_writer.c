// SPDX-License-Identifier: BSD-3-Clause
// Archive writing for tests (see archive_writer.h). Definitions are collected while events are
// written, since OTF2 wants the number of events in each location's definition.
#include "tests/tools/lib/archive_writer.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/archive.h"

struct location_entry {
    uint64_t id;
    OTF2_EvtWriter *events;
    uint64_t n_events;
};

struct region_entry {
    char *name;
    char *file; // NULL: none
    uint32_t line;
    OTF2_Paradigm paradigm;
    bool is_marker;
    char *as; // what the archive calls it, NULL: its name
};

struct source_entry {
    char *file;
    uint32_t line;
};

struct context_entry {
    char *name;
    uint32_t region, source, parent;
    bool is_defined;
};

struct comm_entry {
    char *name;
    uint64_t *members, *remote;
    uint32_t n_members, n_remote;
};

/// An RMA window, or a file.
struct shared_entry {
    char *name;
    uint32_t comm;
};

struct local_entry {
    uint64_t location;
    uint64_t ticks;
    int64_t offset_ticks;
    uint32_t *global_ids; // NULL: a clock offset
    uint32_t n_global_ids;
    OTF2_MappingType type;
};

struct cores_entry {
    char *node;
    uint32_t n_cores;
};

struct property_entry {
    uint64_t location, number;
    char *name;
};

struct archive_writer {
    OTF2_Archive *archive;
    uint64_t ticks_per_second, realtime_ns;
    uint32_t n_ranks;
    char **nodes, **bound; // by rank; NULL: not said
    struct cores_entry *cores;
    size_t n_cores, cores_capacity;
    struct property_entry *properties;
    size_t n_properties, properties_capacity;
    struct location_entry *locations;
    size_t n_locations, location_capacity;
    struct region_entry *regions;
    size_t n_regions, region_capacity;
    struct source_entry *sources;
    size_t n_sources, source_capacity;
    struct context_entry *contexts;
    size_t n_contexts, context_capacity;
    struct comm_entry *comms;
    size_t n_comms, comm_capacity;
    struct shared_entry *windows;
    size_t n_windows, window_capacity;
    struct shared_entry *files;
    size_t n_files, file_capacity;
    struct local_entry *locals;
    size_t n_locals, local_capacity;
    OTF2_GlobalDefWriter *definitions;
    uint32_t n_strings;
    bool has_outsiders; // the last rank
    bool has_failed;
};

static OTF2_FlushType flush_always(void *data, OTF2_FileType type, OTF2_LocationRef location,
                                   void *caller, bool is_final)
{
    return OTF2_FLUSH;
}

/// Memory of the library for a file. It clears all of it whenever it writes, so chunks of earlier
/// files are used again, whose memory is there already.
struct chunk {
    struct chunk *next;
    _Alignas(max_align_t) unsigned char bytes[OTF2_CHUNK_SIZE_MIN];
};
static struct chunk *idle_chunks;

static void *allocate_chunk(void *data, OTF2_FileType type, OTF2_LocationRef location, void **file,
                            uint64_t n_bytes)
{
    struct chunk *chunk = idle_chunks;
    if (n_bytes > sizeof chunk->bytes)
        return NULL;
    if (chunk)
        idle_chunks = chunk->next;
    else
        chunk = memory_zeroed(1, sizeof *chunk);
    memset(chunk->bytes, 0, sizeof chunk->bytes);
    chunk->next = *file;
    *file = chunk;
    return chunk->bytes;
}

static void free_chunks(void *data, OTF2_FileType type, OTF2_LocationRef location, void **file,
                        bool is_final)
{
    for (struct chunk *chunk = *file, *next; chunk; chunk = next) {
        next = chunk->next;
        chunk->next = idle_chunks;
        idle_chunks = chunk;
    }
    *file = NULL;
}

static void check(struct archive_writer *writer, OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        writer->has_failed = true;
}

struct archive_writer *archive_writer_new(const char *directory, uint32_t n_ranks,
                                          struct error *err)
{
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = flush_always};
    static const OTF2_MemoryCallbacks memory = {allocate_chunk, free_chunks};
    otf2_error_begin();
    OTF2_Archive *archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_MIN,
                          OTF2_CHUNK_SIZE_MIN, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive) {
        error_set(err, "cannot create an archive in '%s': %s", directory,
                  otf2_error_cause(OTF2_ERROR_INVALID_ARGUMENT));
        return NULL;
    }
    struct archive_writer *writer = memory_zeroed(1, sizeof *writer);
    writer->archive = archive;
    writer->ticks_per_second = 1000000000;
    writer->realtime_ns = OTF2_UNDEFINED_TIMESTAMP;
    writer->n_ranks = n_ranks;
    writer->nodes = memory_zeroed(n_ranks, sizeof *writer->nodes);
    writer->bound = memory_zeroed(n_ranks, sizeof *writer->bound);
    check(writer, OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
    check(writer, OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL));
    check(writer, OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    check(writer, OTF2_Archive_SetCreator(archive, "pagoda test writer"));
    check(writer, OTF2_Archive_OpenEvtFiles(archive));
    SCOPED uint64_t *world = memory_zeroed(n_ranks, sizeof *world);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        world[rank] = rank;
    archive_writer_comm(writer, "world", world, n_ranks, NULL, 0);
    archive_writer_comm(writer, "self", NULL, 0, NULL, 0);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        archive_writer_events(writer, archive_location(rank, 0));
    return writer;
}

void archive_writer_set_clock(struct archive_writer *writer, uint64_t ticks_per_second)
{
    writer->ticks_per_second = ticks_per_second;
}

void archive_writer_set_realtime(struct archive_writer *writer, uint64_t realtime_ns)
{
    writer->realtime_ns = realtime_ns;
}

void archive_writer_set_fact(struct archive_writer *writer, const char *name, const char *value)
{
    check(writer, OTF2_Archive_SetProperty(writer->archive, name, value, true));
}

void archive_writer_set_outsiders(struct archive_writer *writer)
{
    writer->has_outsiders = true;
    archive_writer_set_property(writer, archive_location(writer->n_ranks - 1, 0),
                                "PAGODA::UNTRACED", 1);
}

void archive_writer_set_spawned(struct archive_writer *writer, uint32_t n_ranks)
{
    char value[16];
    snprintf(value, sizeof value, "%u", n_ranks);
    check(writer, OTF2_Archive_SetProperty(writer->archive, "PAGODA::SPAWNED_RANKS", value, true));
}

void archive_writer_set_mpi(struct archive_writer *writer, const char *name, const char *variable)
{
    check(writer, OTF2_Archive_SetProperty(writer->archive, "PAGODA::MPI", name, true));
    const char *equals = variable ? strchr(variable, '=') : NULL;
    if (!equals)
        return;
    SCOPED char *property = memory_format("PAGODA::ENV::%.*s", (int)(equals - variable), variable);
    check(writer, OTF2_Archive_SetProperty(writer->archive, property, equals + 1, true));
}

void archive_writer_set_node(struct archive_writer *writer, uint32_t rank, const char *node)
{
    free(writer->nodes[rank]);
    writer->nodes[rank] = memory_copy_text(node);
}

void archive_writer_set_property(struct archive_writer *writer, uint64_t location, const char *name,
                                 uint64_t number)
{
    *ARRAY_NEXT(writer->properties, writer->n_properties, writer->properties_capacity) =
        (struct property_entry){location, number, memory_copy_text(name)};
}

void archive_writer_set_bound(struct archive_writer *writer, uint32_t rank, const char *cores)
{
    free(writer->bound[rank]);
    writer->bound[rank] = memory_copy_text(cores);
}

void archive_writer_set_cores(struct archive_writer *writer, const char *node, uint32_t n_cores)
{
    *ARRAY_NEXT(writer->cores, writer->n_cores, writer->cores_capacity) =
        (struct cores_entry){memory_copy_text(node), n_cores};
}

OTF2_EvtWriter *archive_writer_events(struct archive_writer *writer, uint64_t location)
{
    if (location < writer->n_ranks && location < writer->n_locations)
        return writer->locations[location].events; // the masters come first
    for (size_t i = 0; i < writer->n_locations; i++)
        if (writer->locations[i].id == location)
            return writer->locations[i].events;
    writer->locations = array_reserve(writer->locations, &writer->location_capacity,
                                      writer->n_locations + 1, sizeof *writer->locations);
    OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(writer->archive, location);
    if (!events)
        writer->has_failed = true;
    writer->locations[writer->n_locations++] = (struct location_entry){location, events, 0};
    return events;
}

uint32_t archive_writer_region(struct archive_writer *writer, const char *name, const char *file,
                               uint32_t line, OTF2_Paradigm paradigm)
{
    for (size_t i = 0; i < writer->n_regions; i++)
        if (strcmp(writer->regions[i].name, name) == 0)
            return (uint32_t)i;
    if (!file && paradigm == OTF2_PARADIGM_MPI)
        file = "MPI";
    *ARRAY_NEXT(writer->regions, writer->n_regions,
                writer->region_capacity) = (struct region_entry){
        memory_copy_text(name), file ? memory_copy_text(file) : NULL, line, paradigm, false, NULL};
    return (uint32_t)writer->n_regions - 1;
}

void archive_writer_is_marker(struct archive_writer *writer, uint32_t region)
{
    writer->regions[region].is_marker = true;
}

void archive_writer_call_region(struct archive_writer *writer, uint32_t region, const char *name)
{
    writer->regions[region].as = memory_copy_text(name);
}

uint32_t archive_writer_source(struct archive_writer *writer, const char *file, uint32_t line)
{
    *ARRAY_NEXT(writer->sources, writer->n_sources, writer->source_capacity) =
        (struct source_entry){memory_copy_text(file), line};
    return (uint32_t)writer->n_sources - 1;
}

uint32_t archive_writer_context(struct archive_writer *writer, const char *name)
{
    for (size_t i = 0; i < writer->n_contexts; i++)
        if (strcmp(writer->contexts[i].name, name) == 0)
            return (uint32_t)i;
    *ARRAY_NEXT(writer->contexts, writer->n_contexts, writer->context_capacity) =
        (struct context_entry){.name = memory_copy_text(name)};
    return (uint32_t)writer->n_contexts - 1;
}

void archive_writer_set_context(struct archive_writer *writer, uint32_t context, uint32_t region,
                                uint32_t source, uint32_t parent)
{
    struct context_entry *entry = &writer->contexts[context];
    entry->region = region;
    entry->source = source;
    entry->parent = parent;
    entry->is_defined = true;
}

static uint64_t *copy_members(const uint64_t *members, uint32_t n)
{
    uint64_t *copy = memory_zeroed(n, sizeof *copy);
    if (n)
        memcpy(copy, members, n * sizeof *copy);
    return copy;
}

uint32_t archive_writer_comm(struct archive_writer *writer, const char *name,
                             const uint64_t *members, uint32_t n_members, const uint64_t *remote,
                             uint32_t n_remote)
{
    *ARRAY_NEXT(writer->comms, writer->n_comms, writer->comm_capacity) = (struct comm_entry){
        .name = memory_copy_text(name),
        .members = copy_members(members, n_members),
        .remote = copy_members(remote, n_remote),
        .n_members = n_members,
        .n_remote = n_remote,
    };
    return (uint32_t)writer->n_comms - 1;
}

uint32_t archive_writer_find_comm(const struct archive_writer *writer, const char *name)
{
    size_t i = FIND_BY(writer->comms, writer->n_comms, name, name);
    return i < writer->n_comms ? (uint32_t)i : OTF2_UNDEFINED_COMM;
}

uint32_t archive_writer_comm_size(const struct archive_writer *writer, uint32_t comm)
{
    return writer->comms[comm].n_members;
}

static struct local_entry *add_local(struct archive_writer *writer, uint64_t location)
{
    struct local_entry *local =
        ARRAY_NEXT(writer->locals, writer->n_locals, writer->local_capacity);
    *local = (struct local_entry){.location = location};
    return local;
}

void archive_writer_clock_offset(struct archive_writer *writer, uint64_t location, uint64_t ticks,
                                 int64_t offset_ticks)
{
    struct local_entry *local = add_local(writer, location);
    local->ticks = ticks;
    local->offset_ticks = offset_ticks;
}

void archive_writer_map(struct archive_writer *writer, uint64_t location, OTF2_MappingType type,
                        const uint32_t *global_ids, uint32_t n)
{
    struct local_entry *local = add_local(writer, location);
    local->type = type;
    local->n_global_ids = n;
    local->global_ids = memory_zeroed(n, sizeof *global_ids);
    memcpy(local->global_ids, global_ids, n * sizeof *global_ids);
}

static uint32_t write_string(struct archive_writer *writer, const char *text)
{
    check(writer, OTF2_GlobalDefWriter_WriteString(writer->definitions, writer->n_strings, text));
    return writer->n_strings++;
}

static void write_local(struct archive_writer *writer, OTF2_DefWriter *definitions,
                        const struct local_entry *local)
{
    if (!local->global_ids) {
        check(writer,
              OTF2_DefWriter_WriteClockOffset(definitions, local->ticks, local->offset_ticks, 0));
        return;
    }
    OTF2_IdMap *map =
        OTF2_IdMap_CreateFromUint32Array(local->n_global_ids, local->global_ids, false);
    check(writer, OTF2_DefWriter_WriteMappingTable(definitions, local->type, map));
    OTF2_IdMap_Free(map);
}

static void write_local_definitions(struct archive_writer *writer)
{
    check(writer, OTF2_Archive_OpenDefFiles(writer->archive));
    for (size_t i = 0; i < writer->n_locations; i++) {
        uint64_t location = writer->locations[i].id;
        OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(writer->archive, location);
        for (size_t l = 0; l < writer->n_locals; l++)
            if (writer->locals[l].location == location)
                write_local(writer, definitions, &writer->locals[l]);
        check(writer, OTF2_Archive_CloseDefWriter(writer->archive, definitions));
    }
    check(writer, OTF2_Archive_CloseDefFiles(writer->archive));
}

static const char *node_of(const struct archive_writer *writer, uint32_t rank)
{
    return writer->nodes[rank] ? writer->nodes[rank] : "node0";
}

static void write_cores(struct archive_writer *writer, uint32_t node, const char *name)
{
    for (size_t i = 0; i < writer->n_cores; i++)
        if (strcmp(writer->cores[i].node, name) == 0)
            check(writer,
                  OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(
                      writer->definitions, node, write_string(writer, "PAGODA::CORES"),
                      OTF2_TYPE_UINT32, (OTF2_AttributeValue){.uint32 = writer->cores[i].n_cores}));
}

static void write_properties(struct archive_writer *writer, uint64_t location)
{
    for (size_t i = 0; i < writer->n_properties; i++) {
        const struct property_entry *property = &writer->properties[i];
        if (property->location == location)
            check(writer, OTF2_GlobalDefWriter_WriteLocationProperty(
                              writer->definitions, location, write_string(writer, property->name),
                              OTF2_TYPE_UINT64, (OTF2_AttributeValue){.uint64 = property->number}));
    }
}

// System tree: the machine, then one node for each different name.
static void write_processes(struct archive_writer *writer)
{
    OTF2_GlobalDefWriter *definitions = writer->definitions;
    uint32_t node_class = write_string(writer, "node");
    uint32_t master_name = write_string(writer, "Master thread");
    check(writer, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                      definitions, 0, write_string(writer, "machine"),
                      write_string(writer, "machine"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t rank = 0; rank < writer->n_ranks; rank++) {
        uint32_t first = 0; // the first rank on the same node names the node
        while (strcmp(node_of(writer, first), node_of(writer, rank)) != 0)
            first++;
        if (first == rank) {
            check(writer, OTF2_GlobalDefWriter_WriteSystemTreeNode(
                              definitions, rank + 1, write_string(writer, node_of(writer, rank)),
                              node_class, 0));
            write_cores(writer, rank + 1, node_of(writer, rank));
        }
        SCOPED char *name = memory_format("MPI Rank %u", rank);
        check(writer,
              OTF2_GlobalDefWriter_WriteLocationGroup(definitions, rank, write_string(writer, name),
                                                      OTF2_LOCATION_GROUP_TYPE_PROCESS, first + 1,
                                                      OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (size_t i = 0; i < writer->n_locations; i++) {
        const struct location_entry *location = &writer->locations[i];
        uint32_t thread = (uint32_t)(location->id >> 32);
        uint32_t name = master_name;
        if (thread) {
            SCOPED char *text = memory_format("Thread %u", thread);
            name = write_string(writer, text);
        }
        check(writer, OTF2_GlobalDefWriter_WriteLocation(
                          definitions, location->id, name, OTF2_LOCATION_TYPE_CPU_THREAD,
                          location->n_events, (uint32_t)location->id));
        write_properties(writer, location->id);
        if (thread == 0 && writer->bound[location->id])
            check(writer, OTF2_GlobalDefWriter_WriteLocationProperty(
                              definitions, location->id, write_string(writer, "PAGODA::BOUND_TO"),
                              OTF2_TYPE_STRING,
                              (OTF2_AttributeValue){
                                  .stringRef = write_string(writer, writer->bound[location->id])}));
    }
}

/// The first part that NAME has decides.
struct role_of_part {
    const char *part;
    OTF2_RegionRole role;
};

static OTF2_RegionRole find_role(const char *name, const struct role_of_part *roles, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcasestr(name, roles[i].part))
            return roles[i].role;
    return OTF2_REGION_ROLE_FUNCTION;
}

static OTF2_RegionRole role_of(const char *name, OTF2_Paradigm paradigm)
{
    static const struct role_of_part mpi[] = {
        {"barrier", OTF2_REGION_ROLE_BARRIER},       {"bcast", OTF2_REGION_ROLE_COLL_ONE2ALL},
        {"scatter", OTF2_REGION_ROLE_COLL_ONE2ALL},  {"allgather", OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"alltoall", OTF2_REGION_ROLE_COLL_ALL2ALL}, {"allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
        {"gather", OTF2_REGION_ROLE_COLL_ALL2ONE},   {"reduce", OTF2_REGION_ROLE_COLL_ALL2ONE},
        {"scan", OTF2_REGION_ROLE_COLL_OTHER},       {"send", OTF2_REGION_ROLE_POINT2POINT},
        {"recv", OTF2_REGION_ROLE_POINT2POINT},      {"wait", OTF2_REGION_ROLE_POINT2POINT},
    };
    // As Score-P calls them: "!$omp implicit barrier".
    static const struct role_of_part openmp[] = {
        {"implicit barrier", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
        {"barrier", OTF2_REGION_ROLE_BARRIER},
        {"parallel", OTF2_REGION_ROLE_PARALLEL},
        {"critical sblock", OTF2_REGION_ROLE_CRITICAL_SBLOCK},
        {"critical", OTF2_REGION_ROLE_CRITICAL},
        {"ordered sblock", OTF2_REGION_ROLE_ORDERED_SBLOCK},
        {"ordered", OTF2_REGION_ROLE_ORDERED},
        {"taskwait", OTF2_REGION_ROLE_TASK_WAIT},
        {"create task", OTF2_REGION_ROLE_TASK_CREATE},
        {"task", OTF2_REGION_ROLE_TASK},
        {"loop", OTF2_REGION_ROLE_LOOP},
    };
    if (paradigm == OTF2_PARADIGM_NONE)
        return OTF2_REGION_ROLE_FILE_IO;
    if (paradigm == OTF2_PARADIGM_MPI)
        return find_role(name, mpi, sizeof mpi / sizeof *mpi);
    if (paradigm == OTF2_PARADIGM_OPENMP)
        return find_role(name, openmp, sizeof openmp / sizeof *openmp);
    return OTF2_REGION_ROLE_FUNCTION;
}

static void write_regions(struct archive_writer *writer)
{
    for (uint32_t i = 0; i < writer->n_regions; i++) {
        const struct region_entry *region = &writer->regions[i];
        uint32_t name = write_string(writer, region->as ? region->as : region->name);
        uint32_t file = region->file ? write_string(writer, region->file) : OTF2_UNDEFINED_STRING;
        uint32_t description = region->is_marker ? write_string(writer, "pagoda marker") : name;
        OTF2_RegionRole role =
            region->is_marker ? OTF2_REGION_ROLE_ARTIFICIAL
                              : role_of(region->as ? region->as : region->name, region->paradigm);
        check(writer, OTF2_GlobalDefWriter_WriteRegion(
                          writer->definitions, i, name, name, description, role, region->paradigm,
                          OTF2_REGION_FLAG_NONE, file, region->line, region->line));
    }
}

static void write_contexts(struct archive_writer *writer)
{
    for (uint32_t i = 0; i < writer->n_sources; i++) {
        const struct source_entry *source = &writer->sources[i];
        check(writer, OTF2_GlobalDefWriter_WriteSourceCodeLocation(
                          writer->definitions, i, write_string(writer, source->file),
                          source->line ? source->line : OTF2_UNDEFINED_UINT32));
    }
    for (uint32_t i = 0; i < writer->n_contexts; i++) {
        const struct context_entry *context = &writer->contexts[i];
        if (context->is_defined)
            check(writer,
                  OTF2_GlobalDefWriter_WriteCallingContext(writer->definitions, i, context->region,
                                                           context->source, context->parent));
    }
}

static void write_group(struct archive_writer *writer, uint32_t id, OTF2_GroupType type,
                        const uint64_t *members, uint32_t n_members)
{
    check(writer,
          OTF2_GlobalDefWriter_WriteGroup(writer->definitions, id, 0, type, OTF2_PARADIGM_MPI,
                                          OTF2_GROUP_FLAG_NONE, n_members, members));
}

uint32_t archive_writer_group(const struct archive_writer *writer, uint32_t comm)
{
    uint32_t group = 1 + comm; // after that of all locations
    for (uint32_t i = 0; i < comm; i++)
        group += writer->comms[i].n_remote > 0;
    return group;
}

static void write_communicators(struct archive_writer *writer)
{
    const struct comm_entry *world = &writer->comms[ARCHIVE_WORLD];
    uint32_t n_groups = 0;
    write_group(writer, n_groups++, OTF2_GROUP_TYPE_COMM_LOCATIONS, world->members,
                world->n_members);
    for (uint32_t i = 0; i < writer->n_comms; i++) {
        const struct comm_entry *comm = &writer->comms[i];
        uint32_t name = write_string(writer, comm->name);
        uint32_t group = n_groups++;
        write_group(writer, group,
                    i == ARCHIVE_SELF ? OTF2_GROUP_TYPE_COMM_SELF : OTF2_GROUP_TYPE_COMM_GROUP,
                    comm->members, comm->n_members - (i == ARCHIVE_WORLD && writer->has_outsiders));
        if (comm->n_remote == 0) {
            check(writer, OTF2_GlobalDefWriter_WriteComm(writer->definitions, i, name, group,
                                                         OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
            continue;
        }
        uint32_t remote_group = n_groups++;
        write_group(writer, remote_group, OTF2_GROUP_TYPE_COMM_GROUP, comm->remote, comm->n_remote);
        check(writer,
              OTF2_GlobalDefWriter_WriteInterComm(writer->definitions, i, name, group, remote_group,
                                                  ARCHIVE_WORLD, OTF2_COMM_FLAG_NONE));
    }
}

void archive_writer_window(struct archive_writer *writer, const char *name, uint32_t comm)
{
    *ARRAY_NEXT(writer->windows, writer->n_windows, writer->window_capacity) =
        (struct shared_entry){memory_copy_text(name), comm};
}

static_assert(OTF2_UNDEFINED_RMA_WIN == OTF2_UNDEFINED_IO_HANDLE, "find() gives either");

static uint32_t find(const struct shared_entry *entries, size_t n, const char *name)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(entries[i].name, name) == 0)
            return i;
    return OTF2_UNDEFINED_RMA_WIN;
}

uint32_t archive_writer_find_window(const struct archive_writer *writer, const char *name)
{
    return find(writer->windows, writer->n_windows, name);
}

static void write_windows(struct archive_writer *writer)
{
    for (uint32_t i = 0; i < writer->n_windows; i++)
        check(writer, OTF2_GlobalDefWriter_WriteRmaWin(
                          writer->definitions, i, write_string(writer, writer->windows[i].name),
                          writer->windows[i].comm, OTF2_RMA_WIN_FLAG_NONE));
}

void archive_writer_file(struct archive_writer *writer, const char *name, uint32_t comm)
{
    *ARRAY_NEXT(writer->files, writer->n_files, writer->file_capacity) =
        (struct shared_entry){memory_copy_text(name), comm};
}

uint32_t archive_writer_find_file(const struct archive_writer *writer, const char *name)
{
    return find(writer->files, writer->n_files, name);
}

static void write_files(struct archive_writer *writer)
{
    if (writer->n_files == 0)
        return;
    uint32_t mpi_io = write_string(writer, "MPI-IO");
    check(writer, OTF2_GlobalDefWriter_WriteIoParadigm(
                      writer->definitions, 0, mpi_io, mpi_io, OTF2_IO_PARADIGM_CLASS_PARALLEL,
                      OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL, NULL, NULL));
    for (uint32_t i = 0; i < writer->n_files; i++) {
        uint32_t name = write_string(writer, writer->files[i].name);
        check(writer, OTF2_GlobalDefWriter_WriteIoRegularFile(writer->definitions, i, name,
                                                              OTF2_UNDEFINED_SYSTEM_TREE_NODE));
        check(writer, OTF2_GlobalDefWriter_WriteIoHandle(
                          writer->definitions, i, name, i, 0, OTF2_IO_HANDLE_FLAG_NONE,
                          writer->files[i].comm, OTF2_UNDEFINED_IO_HANDLE));
    }
}

static void write_attributes_and_metric(struct archive_writer *writer)
{
    static const struct {
        const char *name;
        OTF2_Type type;
    } attributes[] = {
        [ARCHIVE_ATTRIBUTE_COMMUNICATOR] = {"pagoda::communicator", OTF2_TYPE_COMM},
        [ARCHIVE_ATTRIBUTE_SOURCE] = {"pagoda::source", OTF2_TYPE_INT32},
        [ARCHIVE_ATTRIBUTE_TAG] = {"pagoda::tag", OTF2_TYPE_INT32},
        [ARCHIVE_ATTRIBUTE_POLL_COUNT] = {"pagoda::poll_count", OTF2_TYPE_UINT64},
        [ARCHIVE_ATTRIBUTE_POLL_NS] = {"pagoda::poll_ns", OTF2_TYPE_UINT64},
        [ARCHIVE_ATTRIBUTE_IN_PLACE] = {"pagoda::in_place", OTF2_TYPE_UINT8},
        [ARCHIVE_ATTRIBUTE_CALL_SITE] = {"pagoda::call_site", OTF2_TYPE_CALLING_CONTEXT},
        [ARCHIVE_ATTRIBUTE_WORK] = {"work", OTF2_TYPE_DOUBLE},
        [ARCHIVE_ATTRIBUTE_ELEMENTS] = {"elements", OTF2_TYPE_UINT64},
        [ARCHIVE_ATTRIBUTE_CALL_LINE] = {"pagoda::call_site", OTF2_TYPE_SOURCE_CODE_LOCATION},
        [ARCHIVE_ATTRIBUTE_BARRIER] = {"pagoda::barrier", OTF2_TYPE_UINT32},
        [ARCHIVE_ATTRIBUTE_CONDITION] = {"pagoda::condition", OTF2_TYPE_UINT32},
        [ARCHIVE_ATTRIBUTE_COLLECTIVE] = {"pagoda::collective", OTF2_TYPE_UINT8},
    };
    for (uint32_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        check(writer, OTF2_GlobalDefWriter_WriteAttribute(writer->definitions, i,
                                                          write_string(writer, attributes[i].name),
                                                          0, attributes[i].type));
    static const char *const members[] = {"process_cpu_time", "thread_core_wait"};
    static const OTF2_MetricMemberRef numbers[] = {0, 1};
    uint32_t unit = write_string(writer, "ns");
    for (uint32_t i = 0; i < 2; i++)
        check(writer, OTF2_GlobalDefWriter_WriteMetricMember(
                          writer->definitions, numbers[i], write_string(writer, members[i]), 0,
                          OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64,
                          OTF2_BASE_DECIMAL, 0, unit));
    for (uint8_t i = 0; i < 2; i++)
        check(writer, OTF2_GlobalDefWriter_WriteMetricClass(
                          writer->definitions, ARCHIVE_METRIC_CPU_TIME + i, (uint8_t)(i + 1),
                          numbers, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
}

static void end_location(struct archive_writer *writer, struct location_entry *location)
{
    if (!location->events)
        return;
    OTF2_EvtWriter_GetNumberOfEvents(location->events, &location->n_events);
    check(writer, OTF2_Archive_CloseEvtWriter(writer->archive, location->events));
    location->events = NULL;
}

uint64_t archive_writer_end(struct archive_writer *writer, uint64_t location)
{
    size_t i = 0;
    while (writer->locations[i].id != location)
        i++;
    end_location(writer, &writer->locations[i]);
    return writer->locations[i].n_events;
}

static void close_event_writers(struct archive_writer *writer)
{
    for (size_t i = 0; i < writer->n_locations; i++)
        end_location(writer, &writer->locations[i]);
    check(writer, OTF2_Archive_CloseEvtFiles(writer->archive));
}

static void release(struct archive_writer *writer)
{
    memory_free_each(writer->nodes, writer->n_ranks);
    memory_free_each(writer->bound, writer->n_ranks);
    FREE_MEMBERS(writer->regions, writer->n_regions, name, file, as);
    FREE_MEMBERS(writer->sources, writer->n_sources, file);
    FREE_MEMBERS(writer->contexts, writer->n_contexts, name);
    FREE_ALL(writer->sources, writer->contexts);
    FREE_MEMBERS(writer->comms, writer->n_comms, name, members, remote);
    FREE_MEMBERS(writer->windows, writer->n_windows, name);
    FREE_MEMBERS(writer->files, writer->n_files, name);
    FREE_ALL(writer->windows, writer->files);
    FREE_MEMBERS(writer->locals, writer->n_locals, global_ids);
    FREE_MEMBERS(writer->cores, writer->n_cores, node);
    FREE_MEMBERS(writer->properties, writer->n_properties, name);
    FREE_ALL(writer->properties, writer->cores, writer->locations, writer->regions, writer->comms,
             writer->locals, writer);
}

int archive_writer_close(struct archive_writer *writer, archive_define *define, void *data,
                         struct error *err)
{
    close_event_writers(writer);
    write_local_definitions(writer);
    writer->definitions = OTF2_Archive_GetGlobalDefWriter(writer->archive);
    write_string(writer, "");
    check(writer,
          OTF2_GlobalDefWriter_WriteClockProperties(writer->definitions, writer->ticks_per_second,
                                                    0, UINT64_C(1) << 62, writer->realtime_ns));
    uint32_t mpi = write_string(writer, "MPI");
    check(writer, OTF2_GlobalDefWriter_WriteParadigm(writer->definitions, OTF2_PARADIGM_MPI, mpi,
                                                     OTF2_PARADIGM_CLASS_PROCESS));
    write_processes(writer);
    write_regions(writer);
    write_contexts(writer);
    write_communicators(writer);
    write_windows(writer);
    write_files(writer);
    write_attributes_and_metric(writer);
    if (define)
        define(writer->definitions, data);
    check(writer, OTF2_Archive_CloseGlobalDefWriter(writer->archive, writer->definitions));
    check(writer, OTF2_Archive_Close(writer->archive));
    int result = writer->has_failed ? error_set(err, "cannot write the archive: %s",
                                                otf2_error_cause(OTF2_ERROR_INVALID_CALL))
                                    : 0;
    release(writer);
    return result;
}

void archive_writer_abandon(struct archive_writer *writer)
{
    close_event_writers(writer);
    OTF2_Archive_Close(writer->archive);
    release(writer);
}

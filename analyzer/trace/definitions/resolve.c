// SPDX-License-Identifier: BSD-3-Clause
// Resolves definition records (see resolve.h). Regions and communicators keep the order of their
// records, so a record's place is its index; processes and locations are resolve_processes()'s.
#include "analyzer/trace/definitions/resolve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/metrics/sensors.h"

static bool is_thread_runtime(OTF2_Paradigm paradigm)
{
    switch (paradigm) {
    case OTF2_PARADIGM_OPENMP:
    case OTF2_PARADIGM_OMPSS:
    case OTF2_PARADIGM_PTHREAD:
    case OTF2_PARADIGM_WINTHREAD:
    case OTF2_PARADIGM_QTTHREAD:
    case OTF2_PARADIGM_ACETHREAD:
    case OTF2_PARADIGM_TBBTHREAD:
    case OTF2_PARADIGM_MTAPI:
        return true;
    default:
        return false;
    }
}

/// Functions of thread libraries, which have no role of their own.
static enum construct construct_of_name(const char *name)
{
    static const struct {
        const char *part;
        enum construct construct;
    } parts[] = {
        {"unset", CONSTRUCT_UNLOCK},        {"unlock", CONSTRUCT_UNLOCK},
        {"trylock", CONSTRUCT_UNLOCK},      {"test_", CONSTRUCT_UNLOCK},
        {"init", CONSTRUCT_RUNTIME},        {"destroy", CONSTRUCT_RUNTIME},
        {"signal", CONSTRUCT_RUNTIME},      {"broadcast", CONSTRUCT_RUNTIME},
        {"create", CONSTRUCT_RUNTIME},      {"join", CONSTRUCT_TASK},
        {"barrier", CONSTRUCT_BARRIER},     {"cond_wait", CONSTRUCT_CONDITION},
        {"timedwait", CONSTRUCT_CONDITION}, {"clockwait", CONSTRUCT_CONDITION},
        {"cnd_wait", CONSTRUCT_CONDITION},  {"lock", CONSTRUCT_LOCK},
    };
    // The place of the call says nothing: "pthread_join @file.c:1", "pthread_join in main".
    const char *at = strstr(name, " @"), *in = strstr(name, " in ");
    size_t length = at && (!in || at < in) ? (size_t)(at - name)
                    : in                   ? (size_t)(in - name)
                                           : strlen(name);
    SCOPED char *function = memory_format("%.*s", (int)length, name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(function, parts[i].part))
            return parts[i].construct;
    return CONSTRUCT_WORK;
}

static enum construct construct_of(const struct region_record *record, const char *name)
{
    if (!is_thread_runtime(record->paradigm))
        return CONSTRUCT_NONE;
    switch (record->role) {
    case OTF2_REGION_ROLE_PARALLEL:
        return CONSTRUCT_PARALLEL;
    case OTF2_REGION_ROLE_BARRIER:
        return CONSTRUCT_BARRIER;
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
        return CONSTRUCT_IMPLICIT_BARRIER;
    case OTF2_REGION_ROLE_CRITICAL:
    case OTF2_REGION_ROLE_ORDERED:
        return CONSTRUCT_LOCK;
    case OTF2_REGION_ROLE_TASK_WAIT:
    case OTF2_REGION_ROLE_THREAD_WAIT:
        return CONSTRUCT_TASK;
    case OTF2_REGION_ROLE_ATOMIC:
    case OTF2_REGION_ROLE_FLUSH:
    case OTF2_REGION_ROLE_TASK_CREATE:
    case OTF2_REGION_ROLE_THREAD_CREATE:
        return CONSTRUCT_RUNTIME;
    case OTF2_REGION_ROLE_UNKNOWN:
    case OTF2_REGION_ROLE_FUNCTION:
    case OTF2_REGION_ROLE_WRAPPER:
        return construct_of_name(name);
    default:
        return CONSTRUCT_WORK;
    }
}

/// How our tracer writes a marker of pagoda.h: a region that is left as it is entered.
static bool is_marker(const struct records *records, const struct region_record *record)
{
    return record->role == OTF2_REGION_ROLE_ARTIFICIAL &&
           strcmp(records_text(records, record->description), "pagoda marker") == 0;
}

static void resolve_regions(struct definitions *definitions, const struct records *records)
{
    size_t n_recorded = records->regions.n;
    definitions->n_regions = n_recorded + 3;
    definitions->regions = memory_zeroed(definitions->n_regions, sizeof *definitions->regions);
    definitions->gap_region = (uint32_t)n_recorded;
    definitions->no_cpu_region = definitions->gap_region + 1;
    definitions->blocked_region = definitions->gap_region + 2;
    definitions->regions[definitions->gap_region] =
        (struct region){.name = DEFINITIONS_GAP, .file = ""};
    definitions->regions[definitions->no_cpu_region] =
        (struct region){.name = DEFINITIONS_NO_CPU, .file = ""};
    definitions->regions[definitions->blocked_region] =
        (struct region){.name = DEFINITIONS_BLOCKED, .file = ""};
    for (size_t i = 0; i < n_recorded; i++) {
        const struct region_record *record = &records->regions.items[i];
        const char *name = records_text(records, record->name);
        if (!*name)
            name = records_text(records, record->canonical_name);
        if (!*name)
            name = "(no name)";
        definitions->regions[i] = (struct region){
            .name = name,
            .file = records_text(records, record->file),
            .line = record->line == OTF2_UNDEFINED_UINT32 ? 0 : record->line,
            .mpi = (uint8_t)mpi_function_of_name(name, record->paradigm == OTF2_PARADIGM_MPI),
            .construct = (uint8_t)construct_of(record, name),
            .is_marker = is_marker(records, record),
        };
        if (definitions->regions[i].mpi != MPI_FUNCTION_NONE)
            definitions->regions[i].mpi_class = (uint8_t)mpi_class_of_name(name);
        else
            definitions->regions[i].is_for_files =
                record->role == OTF2_REGION_ROLE_FILE_IO ||
                record->role == OTF2_REGION_ROLE_FILE_IO_METADATA;
    }
}

// The first group of communication locations of PARADIGM, NULL when there is none.
static const struct group_record *find_comm_locations(const struct records *records,
                                                      OTF2_Paradigm paradigm)
{
    for (size_t i = 0; i < records->groups.n; i++) {
        const struct group_record *group = &records->groups.items[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group->paradigm == paradigm)
            return group;
    }
    return NULL;
}

// World rank that member MEMBER (an index into the communication locations ALL) stands for.
static uint32_t rank_of_member(const struct definitions *definitions,
                               const struct group_record *all, OTF2_Paradigm paradigm,
                               const struct id_table *rank_of_location, uint64_t member)
{
    if (paradigm == OTF2_PARADIGM_MPI || !all)
        return member < definitions->n_ranks ? (uint32_t)member : EVENT_NO_INDEX;
    return member < all->n_members ? id_table_get(rank_of_location, all->members[member])
                                   : EVENT_NO_INDEX;
}

static void resolve_group(struct resolved *resolved, const struct records *records, size_t place,
                          const struct id_table *rank_of_location)
{
    struct resolved_group *group = &resolved->groups[place];
    const struct group_record *record = &records->groups.items[place];
    if (group->is_resolved)
        return;
    const struct group_record *all = find_comm_locations(records, record->paradigm);
    bool is_direct = record->type == OTF2_GROUP_TYPE_COMM_LOCATIONS; // members are locations
    group->is_resolved = true;
    group->is_consecutive = true;
    group->members = memory_zeroed(record->n_members, sizeof *group->members);
    for (uint32_t i = 0; i < record->n_members; i++) {
        group->members[i] = rank_of_member(&resolved->definitions, all, record->paradigm,
                                           rank_of_location, is_direct ? i : record->members[i]);
        if (group->members[i] == EVENT_NO_INDEX || group->members[i] != group->members[0] + i)
            group->is_consecutive = false;
    }
    map_init(&group->places);
    if (group->is_consecutive)
        return;
    for (uint32_t i = 0; i < record->n_members; i++) {
        uint32_t rank = group->members[i];
        if (rank != EVENT_NO_INDEX && !map_get(&group->places, rank, NULL))
            map_put(&group->places, rank, i);
    }
}

// Resolves the group REF; its place, or EVENT_NO_INDEX when it is not a defined group of processes.
static uint32_t use_group(struct resolved *resolved, const struct records *records,
                          OTF2_GroupRef ref, const struct id_table *rank_of_location)
{
    uint32_t place = id_table_get(&records->groups.by_id, ref);
    if (place == UINT32_MAX)
        return EVENT_NO_INDEX;
    resolve_group(resolved, records, place, rank_of_location);
    return place;
}

static const uint32_t no_members[1];

/// Those of the archive, one for the files of each, and windows.
static size_t n_communicators_at_most(const struct records *records)
{
    size_t n_of_files = records->io_handles.n < records->communicators.n ? records->io_handles.n
                                                                         : records->communicators.n;
    return records->communicators.n + n_of_files + records->windows.n;
}

static void resolve_communicators(struct resolved *resolved, const struct records *records,
                                  const struct id_table *rank_of_location)
{
    struct definitions *definitions = &resolved->definitions;
    definitions->n_communicators = records->communicators.n;
    definitions->communicators =
        memory_zeroed(n_communicators_at_most(records), sizeof *definitions->communicators);
    resolved->n_groups = records->groups.n;
    resolved->groups = memory_zeroed(resolved->n_groups, sizeof *resolved->groups);
    for (size_t i = 0; i < records->communicators.n; i++) {
        const struct communicator_record *record = &records->communicators.items[i];
        struct communicator *comm = &definitions->communicators[i];
        *comm = (struct communicator){
            .name = records_text(records, record->name),
            .members = no_members,
            .remote_members = no_members,
            .is_intercommunicator = record->remote_group != OTF2_UNDEFINED_GROUP,
        };
        comm->is_neighborhood = strcmp(comm->name, DEFINITIONS_NEIGHBORHOOD) == 0;
        uint32_t place = use_group(resolved, records, record->group, rank_of_location);
        if (place != EVENT_NO_INDEX) {
            const struct resolved_group *group = &resolved->groups[place];
            comm->is_mpi = records->groups.items[place].paradigm == OTF2_PARADIGM_MPI;
            comm->members = group->members;
            comm->n_members = records->groups.items[place].n_members;
            comm->rank_by_member = group->is_consecutive ? NULL : &group->places;
        }
        place = use_group(resolved, records, record->remote_group, rank_of_location);
        if (comm->is_intercommunicator && place != EVENT_NO_INDEX) {
            const struct resolved_group *group = &resolved->groups[place];
            comm->remote_members = group->members;
            comm->n_remote_members = records->groups.items[place].n_members;
            comm->rank_by_remote_member = group->is_consecutive ? NULL : &group->places;
        }
    }
}

/// What stands for the files of communicator PLACE, made when it is new.
static uint32_t add_of_files(struct resolved *resolved, uint32_t place, uint32_t *of_files)
{
    struct definitions *definitions = &resolved->definitions;
    if (of_files[place] != 0)
        return of_files[place];
    uint32_t index = of_files[place] = (uint32_t)definitions->n_communicators++;
    const struct communicator *comm = &definitions->communicators[place];
    char *name = memory_format("files of %s", *comm->name ? comm->name : "(unnamed)");
    definitions->communicators[index] = *comm;
    definitions->communicators[index].name = name;
    resolved->names_of_files[definitions->n_of_files++] = name;
    return index;
}

// Collective operations on all files that a communicator opened match apart from its others. Not by
// handle: archives need not say that handles of several ranks are one.
static void resolve_communicators_of_files(struct resolved *resolved, const struct records *records)
{
    const struct communicator *communicators = resolved->definitions.communicators;
    if (records->io_handles.n == 0)
        return;
    SCOPED uint32_t *of_files = memory_zeroed(records->communicators.n + 1, sizeof *of_files);
    resolved->names_of_files =
        memory_zeroed(records->communicators.n + 1, sizeof *resolved->names_of_files);
    for (size_t i = 0; i < records->io_handles.n; i++) {
        const struct io_handle_record *handle = &records->io_handles.items[i];
        uint32_t place = id_table_get(&records->communicators.by_id, handle->communicator);
        if (place != UINT32_MAX && communicators[place].is_mpi &&
            communicators[place].n_members > 1 && !communicators[place].is_intercommunicator)
            id_table_add(&resolved->communicators_of_handles, handle->id,
                         add_of_files(resolved, place, of_files));
    }
}

// A window has the members of its communicator, and matches its operations apart from those.
static void resolve_windows(struct definitions *definitions, const struct records *records)
{
    struct communicator *windows = definitions->communicators + definitions->n_communicators;
    definitions->n_windows = records->windows.n;
    definitions->n_communicators += records->windows.n;
    for (size_t i = 0; i < records->windows.n; i++) {
        const struct window_record *record = &records->windows.items[i];
        uint32_t place = id_table_get(&records->communicators.by_id, record->communicator);
        const char *name = records_text(records, record->name);
        struct communicator *window = &windows[i];
        *window = place != UINT32_MAX // else no event is of it
                      ? definitions->communicators[place]
                      : (struct communicator){
                            .name = name, .members = no_members, .remote_members = no_members};
        if (*name)
            window->name = name;
    }
}

// The groups of ranks that may synchronise on windows. Others have no members here.
static void resolve_groups(struct resolved *resolved, const struct records *records,
                           const struct id_table *rank_of_location)
{
    struct definitions *definitions = &resolved->definitions;
    if (records->windows.n == 0)
        return;
    definitions->n_groups = records->groups.n;
    definitions->groups = memory_zeroed(definitions->n_groups, sizeof *definitions->groups);
    for (size_t i = 0; i < definitions->n_groups; i++) {
        const struct group_record *record = &records->groups.items[i];
        if (record->paradigm != OTF2_PARADIGM_MPI || record->type != OTF2_GROUP_TYPE_COMM_GROUP)
            continue;
        resolve_group(resolved, records, i, rank_of_location);
        definitions->groups[i] =
            (struct rank_group){resolved->groups[i].members, record->n_members};
    }
}

// Place of REF in TABLE; a reference to something that is not defined makes the context a bad one.
static uint32_t find_reference(const struct id_table *table, uint64_t ref, uint64_t undefined,
                               bool *is_bad)
{
    uint32_t place = id_table_get(table, ref);
    *is_bad |= place == UINT32_MAX && ref != undefined;
    return place;
}

static void put_source(struct calling_context *context, const struct records *records,
                       const struct source_location_record *source)
{
    context->file = records_text(records, source->file);
    context->line = source->line == OTF2_UNDEFINED_UINT32 ? 0 : source->line;
}

// Cuts circles of parents open. Each context is walked over once: WALK_OF says in which walk.
static void break_circles(struct definitions *definitions)
{
    struct calling_context *contexts = definitions->contexts;
    SCOPED uint32_t *walk_of = memory_zeroed(definitions->n_contexts, sizeof *walk_of);
    for (uint32_t i = 0; i < definitions->n_contexts; i++) {
        uint32_t at = i;
        while (walk_of[at] == 0) {
            walk_of[at] = i + 1;
            uint32_t parent = contexts[at].parent;
            if (parent == EVENT_NO_INDEX)
                break;
            if (walk_of[parent] == i + 1) {
                contexts[at].parent = EVENT_NO_INDEX;
                definitions->n_bad_contexts++;
                break;
            }
            at = parent;
        }
    }
}

static void resolve_calling_contexts(struct definitions *definitions, const struct records *records)
{
    size_t n_real = records->calling_contexts.n, n_sources = records->source_locations.n;
    definitions->n_contexts = n_real + n_sources;
    definitions->contexts = memory_zeroed(definitions->n_contexts, sizeof *definitions->contexts);
    for (size_t i = 0; i < n_real; i++) {
        const struct calling_context_record *record = &records->calling_contexts.items[i];
        struct calling_context *context = &definitions->contexts[i];
        bool is_bad = false;
        context->region =
            find_reference(&records->regions.by_id, record->region, OTF2_UNDEFINED_REGION, &is_bad);
        context->parent = find_reference(&records->calling_contexts.by_id, record->parent,
                                         OTF2_UNDEFINED_CALLING_CONTEXT, &is_bad);
        uint32_t source = find_reference(&records->source_locations.by_id, record->source,
                                         OTF2_UNDEFINED_SOURCE_CODE_LOCATION, &is_bad);
        context->file = "";
        if (source != UINT32_MAX)
            put_source(context, records, &records->source_locations.items[source]);
        definitions->n_bad_contexts += is_bad;
    }
    for (size_t i = 0; i < n_sources; i++) {
        struct calling_context *context = &definitions->contexts[n_real + i];
        context->region = context->parent = EVENT_NO_INDEX;
        put_source(context, records, &records->source_locations.items[i]);
    }
    break_circles(definitions);
}

// Place of the member called NAME in a metric class, UINT32_MAX when it has none.
static uint32_t find_member(const struct records *records, const struct metric_record *metric,
                            const char *name)
{
    for (uint32_t i = 0; i < metric->n_members; i++)
        if (strcmp(records_counter_name(records, metric->members[i]), name) == 0)
            return i;
    return UINT32_MAX;
}

static void resolve_member(struct id_table *positions, const struct records *records, size_t i,
                           const char *name)
{
    const struct metric_record *class_ = records_metric_class(records, i);
    uint32_t position = class_ ? find_member(records, class_, name) : UINT32_MAX;
    if (position != UINT32_MAX)
        id_table_add(positions, records->metrics.items[i].id, position);
}

// Of accesses to windows.
static void add_access_counters(struct definitions *definitions)
{
    static const struct counter counters[ACCESS_COUNTERS] = {
        [COUNTER_PUTS] = {"num_puts", "", "MPI_Put, MPI_Rput", 1, true},
        [COUNTER_BYTES_PUT] = {"bytes_put", "bytes", "by MPI_Put and MPI_Rput", 1, true},
        [COUNTER_GETS] = {"num_gets", "", "MPI_Get, MPI_Rget", 1, true},
        [COUNTER_BYTES_GOT] = {"bytes_got", "bytes", "by MPI_Get and MPI_Rget", 1, true},
        [COUNTER_ATOMICS] = {"num_atomics", "", "MPI_Accumulate, MPI_Fetch_and_op and the like", 1,
                             true},
        [COUNTER_BYTES_ATOMIC] = {"bytes_atomic", "bytes", "sent and received by these", 1, true},
    };
    definitions->access_counters = (uint32_t)definitions->n_counters;
    for (size_t i = 0; i < ACCESS_COUNTERS; i++)
        definitions->counters[definitions->n_counters++] = counters[i];
}

// A counter of the sum of a parameter's values.
static void add_parameter(struct definitions *definitions, struct id_table *table, uint32_t id,
                          const char *name)
{
    id_table_add(table, id, (uint32_t)definitions->n_counters);
    definitions->counters[definitions->n_counters++] =
        (struct counter){name, "", "values of the parameter, added up", 1, true};
}

// Values of Parameter records, and those that our markers have as attributes.
static void add_parameters(struct resolved *resolved, const struct records *records)
{
    struct definitions *definitions = &resolved->definitions;
    size_t n_markers = 0;
    for (size_t i = 0; i < records->parameters.n; i++) {
        const struct parameter_record *record = &records->parameters.items[i];
        if (record->is_number && !is_identifier(records_text(records, record->name)))
            add_parameter(definitions, &resolved->parameters, record->id,
                          records_text(records, record->name));
    }
    for (size_t i = 0; i < definitions->n_regions; i++)
        n_markers += definitions->regions[i].is_marker;
    for (size_t i = 0; n_markers > 0 && i < records->attributes.n; i++) {
        const char *name = records_text(records, records->attributes.items[i].name);
        if (strncmp(name, "pagoda::", 8) != 0 && !is_identifier(name))
            add_parameter(definitions, &resolved->marker_parameters,
                          records->attributes.items[i].id, name);
    }
}

// Counters other than our own, without those whose values are a state, such as a temperature.
static void resolve_counters(struct resolved *resolved, const struct records *records)
{
    struct definitions *definitions = &resolved->definitions;
    definitions->counters = memory_zeroed(records->metric_members.n + records->parameters.n +
                                              records->attributes.n + ACCESS_COUNTERS,
                                          sizeof(struct counter));
    for (size_t i = 0; i < records->metric_members.n; i++) {
        const struct metric_member_record *record = &records->metric_members.items[i];
        const char *name = records_text(records, record->name);
        unsigned kind = record->mode & OTF2_METRIC_VALUE_MASK;
        struct sensor sensor = sensor_of(name, records_text(records, record->unit));
        if (strcmp(name, METRIC_CPU_TIME) == 0 || strcmp(name, METRIC_CORE_WAIT) == 0 ||
            name[0] == '\0')
            continue;
        id_table_add(&resolved->sensors, record->id, (uint32_t)i);
        if (kind == OTF2_METRIC_VALUE_ABSOLUTE || (sensor.is_known && sensor.is_state))
            continue;
        double base = record->base == OTF2_BASE_BINARY ? 2 : 10;
        id_table_add(&resolved->counters, record->id, (uint32_t)definitions->n_counters);
        definitions->counters[definitions->n_counters++] =
            (struct counter){.name = name,
                             .unit = records_text(records, record->unit),
                             .description = records_text(records, record->description),
                             .scale = pow(base, (double)record->exponent),
                             .is_growth = kind == OTF2_METRIC_VALUE_RELATIVE};
    }
    add_parameters(resolved, records);
    if (records->windows.n > 0)
        add_access_counters(definitions);
}

static void resolve_metrics(struct resolved *resolved, const struct records *records)
{
    for (size_t i = 0; i < records->metrics.n; i++) {
        resolve_member(&resolved->cpu_time_position, records, i, METRIC_CPU_TIME);
        resolve_member(&resolved->core_wait_position, records, i, METRIC_CORE_WAIT);
    }
    resolve_counters(resolved, records);
}

/// Handles of one name and paradigm are one file.
static void resolve_files(struct resolved *resolved, const struct records *records)
{
    struct definitions *definitions = &resolved->definitions;
    struct map places; // (name, paradigm) -> place
    map_init(&places);
    definitions->files = memory_zeroed(records->io_handles.n, sizeof *definitions->files);
    for (size_t i = 0; i < records->io_handles.n; i++) {
        const struct io_handle_record *handle = &records->io_handles.items[i];
        uint32_t file = id_table_get(&records->io_files.by_id, handle->file);
        uint32_t paradigm = id_table_get(&records->io_paradigms.by_id, handle->paradigm);
        OTF2_StringRef name =
            file == UINT32_MAX ? handle->name : records->io_files.items[file].name;
        uint32_t place = (uint32_t)definitions->n_files;
        if (!map_get(&places, (uint64_t)name << 32 | paradigm, &place)) {
            map_put(&places, (uint64_t)name << 32 | paradigm, place);
            definitions->files[definitions->n_files++] = (struct file){
                records_text(records, name),
                paradigm == UINT32_MAX
                    ? ""
                    : records_text(records, records->io_paradigms.items[paradigm].name)};
        }
        id_table_add(&resolved->files_of_handles, handle->id, place);
    }
    map_release(&places);
}

static void resolve_attributes(struct resolved *resolved, const struct records *records)
{
    static const char *const names[] = {
        [ATTRIBUTE_COMMUNICATOR] = "pagoda::communicator",
        [ATTRIBUTE_SOURCE] = "pagoda::source",
        [ATTRIBUTE_TAG] = "pagoda::tag",
        [ATTRIBUTE_POLL_COUNT] = "pagoda::poll_count",
        [ATTRIBUTE_POLL_NS] = "pagoda::poll_ns",
        [ATTRIBUTE_WORK] = "work",
        [ATTRIBUTE_ELEMENTS] = "elements",
        [ATTRIBUTE_CALL_SITE] = "pagoda::call_site",
        [ATTRIBUTE_IN_PLACE] = "pagoda::in_place",
        [ATTRIBUTE_BARRIER] = "pagoda::barrier",
        [ATTRIBUTE_CONDITION] = "pagoda::condition",
        [ATTRIBUTE_COLLECTIVE] = "pagoda::collective",
    };
    for (size_t i = 0; i < records->attributes.n; i++) {
        const struct attribute_record *record = &records->attributes.items[i];
        const char *name = records_text(records, record->name);
        for (uint32_t role = 0; role < sizeof names / sizeof *names; role++) {
            if (strcmp(name, names[role]) == 0)
                id_table_add(&resolved->attribute_roles, record->id, role);
        }
    }
}

void resolve_records(struct resolved *resolved, const struct records *records)
{
    *resolved = (struct resolved){0};
    struct id_table rank_of_location;
    id_table_init(&rank_of_location);
    const struct group_record *mpi_locations = find_comm_locations(records, OTF2_PARADIGM_MPI);
    resolve_regions(&resolved->definitions, records);
    resolve_processes(&resolved->definitions, records, mpi_locations, &rank_of_location);
    resolve_communicators(resolved, records, &rank_of_location);
    resolve_communicators_of_files(resolved, records);
    resolve_windows(&resolved->definitions, records);
    resolve_groups(resolved, records, &rank_of_location);
    resolve_calling_contexts(&resolved->definitions, records);
    resolve_metrics(resolved, records);
    resolve_files(resolved, records);
    resolve_attributes(resolved, records);
    id_table_release(&rank_of_location);
}

void resolved_release(struct resolved *resolved)
{
    struct definitions *definitions = &resolved->definitions;
    for (size_t i = 0; i < resolved->n_groups; i++) {
        free(resolved->groups[i].members);
        map_release(&resolved->groups[i].places);
    }
    memory_free_each(resolved->names_of_files, definitions->n_of_files);
    FREE_ALL(resolved->groups, definitions->regions, definitions->contexts, definitions->locations,
             definitions->ranks, definitions->communicators, definitions->groups,
             definitions->nodes, definitions->counters, definitions->files, definitions->core_sets);
    id_table_release(&resolved->cpu_time_position);
    id_table_release(&resolved->core_wait_position);
    id_table_release(&resolved->counters);
    id_table_release(&resolved->sensors);
    id_table_release(&resolved->parameters);
    id_table_release(&resolved->marker_parameters);
    id_table_release(&resolved->files_of_handles);
    id_table_release(&resolved->communicators_of_handles);
    id_table_release(&resolved->attribute_roles);
    *resolved = (struct resolved){0};
}

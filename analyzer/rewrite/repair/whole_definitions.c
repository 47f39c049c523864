// SPDX-License-Identifier: BSD-3-Clause
// Locations are those that have files. Without definitions each is a
// process, unless its number is that of a thread as Score-P counts them: that of the process, and
// the thread's in the upper half. Members of a communicator are the processes that use it, in the
// order of their numbers; all, if peers or roots tell of more.
#include "analyzer/rewrite/repair/repair.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/rewrite/rewrite.h"

#define NONE UINT32_MAX

struct writing {
    struct definition_copy copy; // first: callbacks take it
    const struct definition_sources *sources;
    const struct records *records;
    struct added_definitions *added;
    struct id_table location_of_id; // OTF2 location -> index
    uint32_t *groups;               // by location: the location group that it belongs to
    uint32_t *ranks;                // by location: the rank of its process in MPI; NONE
    uint32_t n_ranks;
    // The next identifiers that are free:
    OTF2_StringRef next_string;
    OTF2_LocationGroupRef next_location_group;
    OTF2_SystemTreeNodeRef node;
    OTF2_GroupRef next_group;
    OTF2_RegionRef next_region;
    OTF2_MetricMemberRef next_metric_member;
};

#define WRITE(kind, ...) WRITE_DEFINITION(&all->copy, kind, __VA_ARGS__)

/// The next identifier that KNOWN does not have; *NEXT moves beyond it.
static uint32_t take_id(const struct id_table *known, uint32_t *next)
{
    while (id_table_get(known, *next) != NONE)
        ++*next;
    return (*next)++;
}

__attribute__((format(printf, 2, 3))) static OTF2_StringRef add_string(struct writing *all,
                                                                       const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    SCOPED char *text = memory_format_list(format, arguments);
    va_end(arguments);
    OTF2_StringRef id = take_id(&all->records->strings.by_id, &all->next_string);
    WRITE(String, id, text);
    return id;
}

// ---- what is left ----

static OTF2_CallbackCode copy_location(void *user_data, OTF2_LocationRef self, OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t n_events,
                                       OTF2_LocationGroupRef group)
{
    struct writing *all = user_data;
    uint32_t index = id_table_get(&all->location_of_id, self);
    if (index != NONE && all->sources->locations[index].has_changed)
        n_events = all->sources->locations[index].n_events;
    return WRITE(Location, self, name, type, n_events, group);
}

static int copy_left(struct writing *all, struct error *err)
{
    if (all->sources->n_left == 0)
        return 0;
    OTF2_GlobalDefReaderCallbacks *callbacks = definition_copy_callbacks();
    if (callbacks)
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, copy_location);
    if (callbacks && all->added->has_clock)
        OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, NULL);
    return definition_copy_run(&all->copy, all->sources->reader, callbacks, all->sources->n_left,
                               err);
}

// ---- clock, locations and processes ----

static void add_clock(struct writing *all)
{
    const struct definition_sources *sources = all->sources;
    if (all->records->has_clock && all->records->ticks_per_second > 0)
        return;
    all->added->has_clock = true;
    WRITE(ClockProperties, UINT64_C(1000000000), sources->first_ticks,
          sources->last_ticks - sources->first_ticks + 1, OTF2_UNDEFINED_TIMESTAMP);
}

static void add_node(struct writing *all)
{
    if (all->added->n_locations > 0)
        return;
    uint32_t next = (uint32_t)all->records->nodes.n;
    all->node = take_id(&all->records->nodes.by_id, &next);
    OTF2_StringRef name = add_string(all, "unknown node");
    WRITE(SystemTreeNode, all->node, name, add_string(all, "node"),
          OTF2_UNDEFINED_SYSTEM_TREE_NODE);
}

/// The location group of a location that no definition is left of.
static OTF2_LocationGroupRef group_of(struct writing *all, uint64_t id)
{
    uint32_t owner = id > UINT32_MAX ? id_table_get(&all->location_of_id, (uint32_t)id) : NONE;
    if (owner != NONE)
        return all->groups[owner];
    OTF2_LocationGroupRef group =
        take_id(&all->records->location_groups.by_id, &all->next_location_group);
    WRITE(LocationGroup, group, add_string(all, "process %" PRIu64, id),
          OTF2_LOCATION_GROUP_TYPE_PROCESS, all->node, OTF2_UNDEFINED_LOCATION_GROUP);
    return group;
}

static void add_locations(struct writing *all)
{
    for (uint32_t i = 0; i < all->sources->n_locations; i++) {
        const struct whole_location *location = &all->sources->locations[i];
        uint32_t place = id_table_get(&all->records->locations.by_id, location->id);
        if (place != NONE) {
            all->groups[i] = all->records->locations.items[place].group;
            continue;
        }
        add_node(all);
        all->groups[i] = group_of(all, location->id);
        WRITE(Location, location->id, add_string(all, "location %" PRIu64, location->id),
              OTF2_LOCATION_TYPE_CPU_THREAD, location->n_events, all->groups[i]);
        all->added->n_locations++;
    }
}

/// What our own tracer writes of processes that did not end regularly, for every replay to tell.
static void add_ends(struct writing *all)
{
    OTF2_StringRef name = OTF2_UNDEFINED_STRING;
    for (uint32_t i = 0; i < all->sources->n_locations; i++) {
        const struct whole_location *location = &all->sources->locations[i];
        OTF2_AttributeValue value = {.uint64 = location->until_ticks};
        if (!location->is_cut_short)
            continue;
        if (name == OTF2_UNDEFINED_STRING)
            name = add_string(all, "PAGODA::RECORDED_UNTIL");
        WRITE(LocationProperty, location->id, name, OTF2_TYPE_UINT64, value);
    }
}

// ---- MPI ----

static const struct group_record *mpi_locations(const struct writing *all)
{
    for (size_t i = 0; i < all->records->groups.n; i++) {
        const struct group_record *group = &all->records->groups.items[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group->paradigm == OTF2_PARADIGM_MPI)
            return group;
    }
    return NULL;
}

static bool uses_mpi(const struct writing *all)
{
    const struct mention_list *communicators = &all->sources->mentions->kinds[OTF2_MAPPING_COMM];
    for (size_t i = 0; i < communicators->n; i++)
        if (communicators->items[i].is_mpi)
            return true;
    return false;
}

static bool may_be_master(const struct writing *all, uint64_t id)
{
    uint32_t place = id_table_get(&all->records->locations.by_id, id);
    return place == NONE ||
           all->records->locations.items[place].type == OTF2_LOCATION_TYPE_CPU_THREAD;
}

/// The first thread of each process is a rank.
static void add_ranks(struct writing *all, struct id_table *rank_of_group)
{
    size_t n = all->sources->n_locations;
    SCOPED uint64_t *members = memory_zeroed(n, sizeof *members);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t id = all->sources->locations[i].id;
        if (may_be_master(all, id) && id_table_add(rank_of_group, all->groups[i], all->n_ranks))
            members[all->n_ranks++] = id;
    }
    OTF2_GroupRef id = take_id(&all->records->groups.by_id, &all->next_group);
    WRITE(Group, id, add_string(all, "%s", ""), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
          OTF2_GROUP_FLAG_NONE, all->n_ranks, members);
}

/// Which locations belong to which rank, by the definitions or else by new ones.
static void find_ranks(struct writing *all)
{
    const struct group_record *defined = mpi_locations(all);
    SCOPED_BY(id_table_release) struct id_table rank_of_group;
    id_table_init(&rank_of_group);
    if (defined) {
        all->n_ranks = defined->n_members;
        for (uint32_t i = 0; i < defined->n_members; i++) {
            uint32_t location = id_table_get(&all->location_of_id, defined->members[i]);
            if (location != NONE)
                id_table_add(&rank_of_group, all->groups[location], i);
        }
    } else if (uses_mpi(all)) {
        add_ranks(all, &rank_of_group);
    }
    for (uint32_t i = 0; i < all->sources->n_locations; i++)
        all->ranks[i] = id_table_get(&rank_of_group, all->groups[i]);
}

/// The ranks that use a communicator, ascending, each once; their number.
static uint32_t list_users(const struct writing *all, const struct mention *communicator,
                           uint64_t *members)
{
    uint32_t n = 0, n_single = 0;
    for (size_t i = 0; i < communicator->n_users; i++)
        if (all->ranks[communicator->users[i]] != NONE)
            members[n++] = all->ranks[communicator->users[i]];
    if (n > 0)
        qsort(members, n, sizeof *members, uint64_compare);
    for (uint32_t i = 0; i < n; i++)
        if (n_single == 0 || members[n_single - 1] != members[i])
            members[n_single++] = members[i];
    return n_single;
}

static void add_communicator(struct writing *all, const struct mention *communicator)
{
    size_t most = communicator->n_users > all->n_ranks ? communicator->n_users : all->n_ranks;
    SCOPED uint64_t *members = memory_zeroed(most, sizeof *members);
    uint32_t n = list_users(all, communicator, members);
    if (n < communicator->n_ranks)
        for (n = 0; n < all->n_ranks; n++)
            members[n] = n;
    OTF2_GroupRef group = take_id(&all->records->groups.by_id, &all->next_group);
    OTF2_StringRef name = add_string(all, "communicator %" PRIu32, communicator->id);
    WRITE(Group, group, name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
          n, members);
    WRITE(Comm, communicator->id, name, group, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    all->added->n_communicators++;
}

// ---- regions and others ----

static void add_region(struct writing *all, OTF2_RegionRef id, OTF2_StringRef name,
                       const struct mention *mention)
{
    OTF2_RegionRole role = !mention->is_mpi         ? OTF2_REGION_ROLE_FUNCTION
                           : mention->is_collective ? OTF2_REGION_ROLE_COLL_OTHER
                                                    : OTF2_REGION_ROLE_POINT2POINT;
    WRITE(Region, id, name, name, OTF2_UNDEFINED_STRING, role,
          mention->is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_UNKNOWN, OTF2_REGION_FLAG_NONE,
          OTF2_UNDEFINED_STRING, 0, 0);
    all->added->n_regions++;
}

static void add_context(struct writing *all, const struct mention *context)
{
    const struct mentions *mentions = all->sources->mentions;
    OTF2_RegionRef region = all->next_region;
    do
        region = take_id(&all->records->regions.by_id, &all->next_region);
    while (map_get(&mentions->kinds[OTF2_MAPPING_REGION].by_id, region, NULL));
    add_region(all, region, add_string(all, "calling context %" PRIu32, context->id), context);
    WRITE(CallingContext, context->id, region, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
          OTF2_UNDEFINED_CALLING_CONTEXT);
}

static void add_metric(struct writing *all, const struct mention *metric)
{
    OTF2_MetricMemberRef members[UINT8_MAX];
    for (uint8_t i = 0; i < metric->n_values; i++) {
        members[i] = take_id(&all->records->metric_members.by_id, &all->next_metric_member);
        OTF2_StringRef name =
            add_string(all, "metric %" PRIu32 ", value %u", metric->id, (unsigned)i);
        WRITE(MetricMember, members[i], name, OTF2_UNDEFINED_STRING, OTF2_METRIC_TYPE_OTHER,
              OTF2_METRIC_ABSOLUTE_POINT, metric->value_types[i], OTF2_BASE_DECIMAL, 0,
              OTF2_UNDEFINED_STRING);
    }
    WRITE(MetricClass, metric->id, metric->n_values, members, OTF2_METRIC_ASYNCHRONOUS,
          OTF2_RECORDER_KIND_UNKNOWN);
    all->added->n_metrics++;
}

static void add_parameter(struct writing *all, const struct mention *parameter)
{
    OTF2_StringRef name = add_string(all, "parameter %" PRIu32, parameter->id);
    WRITE(Parameter, parameter->id, name, parameter->parameter_type);
    all->added->n_parameters++;
}

static void add_mentioned(struct writing *all)
{
    const struct records *records = all->records;
    const struct id_table *known[OTF2_MAPPING_MAX] = {
        [OTF2_MAPPING_REGION] = &records->regions.by_id,
        [OTF2_MAPPING_COMM] = &records->communicators.by_id,
        [OTF2_MAPPING_CALLING_CONTEXT] = &records->calling_contexts.by_id,
        [OTF2_MAPPING_METRIC] = &records->metrics.by_id,
        [OTF2_MAPPING_PARAMETER] = &records->parameters.by_id,
    };
    for (OTF2_MappingType kind = 0; kind < OTF2_MAPPING_MAX; kind++) {
        const struct mention_list *list = &all->sources->mentions->kinds[kind];
        for (size_t i = 0; i < list->n; i++) {
            const struct mention *mention = &list->items[i];
            if (mention->id == NONE || !known[kind] ||
                id_table_get(known[kind], mention->id) != NONE)
                continue;
            if (kind == OTF2_MAPPING_REGION)
                add_region(all, mention->id, add_string(all, "region %" PRIu32, mention->id),
                           mention);
            else if (kind == OTF2_MAPPING_COMM && mention->is_mpi)
                add_communicator(all, mention);
            else if (kind == OTF2_MAPPING_CALLING_CONTEXT)
                add_context(all, mention);
            else if (kind == OTF2_MAPPING_METRIC)
                add_metric(all, mention);
            else if (kind == OTF2_MAPPING_PARAMETER)
                add_parameter(all, mention);
        }
    }
}

// ---- all of them ----

static void init(struct writing *all)
{
    const struct records *records = all->records;
    size_t n = all->sources->n_locations;
    id_table_init(&all->location_of_id);
    for (size_t i = 0; i < n; i++)
        id_table_add(&all->location_of_id, all->sources->locations[i].id, (uint32_t)i);
    all->groups = memory_zeroed(n, sizeof *all->groups);
    all->ranks = memory_zeroed(n, sizeof *all->ranks);
    all->next_string = (uint32_t)records->strings.n;
    all->next_location_group = (uint32_t)records->location_groups.n;
    all->next_group = (uint32_t)records->groups.n;
    all->next_region = (uint32_t)records->regions.n;
    all->next_metric_member = (uint32_t)records->metric_members.n;
}

int whole_definitions_write(const struct definition_sources *sources, OTF2_Archive *archive,
                            struct added_definitions *added, struct error *err)
{
    struct writing all = {.sources = sources, .records = sources->records, .added = added};
    if (definition_copy_begin(&all.copy, archive, err) != 0)
        return -1;
    init(&all);
    add_clock(&all);
    int status = copy_left(&all, err);
    add_locations(&all);
    add_ends(&all);
    find_ranks(&all);
    add_mentioned(&all);
    status = definition_copy_end(&all.copy, archive, status, err);
    id_table_release(&all.location_of_id);
    FREE_ALL(all.groups, all.ranks);
    return status;
}

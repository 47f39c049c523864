// SPDX-License-Identifier: BSD-3-Clause
// A callback for each kind of definition writes it again. What differs: the clock, the number of
// records of each location, and the nodes. Where ranks are on other nodes than recorded, the nodes
// of the recording are left out (below the root of their tree) and those of the run stand there;
// where they are not, only their cores may differ.
#include "analyzer/rewrite/rewrite.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/definitions/resolve.h"

// ---- calls that are waited for later ----

enum { LATE_STRINGS = 1 + LATE_ATTRIBUTES };

static const char waitall_name[] = "MPI_Waitall";
static const char *const attribute_names[LATE_ATTRIBUTES] = {
    [ATTRIBUTE_COMMUNICATOR] = "pagoda::communicator",
    [ATTRIBUTE_SOURCE] = "pagoda::source",
    [ATTRIBUTE_TAG] = "pagoda::tag",
};
static const OTF2_Type attribute_types[LATE_ATTRIBUTES] = {
    [ATTRIBUTE_COMMUNICATOR] = OTF2_TYPE_COMM,
    [ATTRIBUTE_SOURCE] = OTF2_TYPE_INT32,
    [ATTRIBUTE_TAG] = OTF2_TYPE_INT32,
};

/// The first identifier from ID on that KNOWN does not have.
static uint32_t free_id(const struct id_table *known, uint32_t id)
{
    while (id_table_get(known, id) != UINT32_MAX)
        id++;
    return id;
}

void late_definitions_find(struct late_definitions *late, const struct trace_source *source)
{
    const struct records *records = source->records;
    *late = (struct late_definitions){.has_new_region = true};
    for (size_t i = 0; i < records->regions.n && late->has_new_region; i++) {
        if (strcmp(records_text(records, records->regions.items[i].name), waitall_name) != 0)
            continue;
        late->waitall = records->regions.items[i].id;
        late->has_new_region = false;
    }
    if (late->has_new_region)
        late->waitall = free_id(&records->regions.by_id, (uint32_t)records->regions.n);
    OTF2_AttributeRef next = (OTF2_AttributeRef)records->attributes.n;
    for (uint32_t role = 0; role < LATE_ATTRIBUTES; role++) {
        late->has_new_attribute[role] = true;
        for (size_t i = 0; i < records->attributes.n && late->has_new_attribute[role]; i++) {
            late->attributes[role] = records->attributes.items[i].id;
            late->has_new_attribute[role] =
                id_table_get(&source->resolved->attribute_roles, late->attributes[role]) != role;
        }
        if (!late->has_new_attribute[role])
            continue;
        late->attributes[role] = free_id(&records->attributes.by_id, next);
        next = late->attributes[role] + 1;
    }
}

static void late_definitions_write(const struct late_definitions *late,
                                   struct definition_copy *copy, OTF2_StringRef first_string)
{
    WRITE_DEFINITION(copy, String, first_string, waitall_name);
    for (uint32_t role = 0; role < LATE_ATTRIBUTES; role++)
        WRITE_DEFINITION(copy, String, first_string + 1 + role, attribute_names[role]);
    if (late->has_new_region)
        WRITE_DEFINITION(copy, Region, late->waitall, first_string, first_string, first_string,
                         OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI, OTF2_REGION_FLAG_NONE,
                         OTF2_UNDEFINED_STRING, 0, 0);
    for (uint32_t role = 0; role < LATE_ATTRIBUTES; role++)
        if (late->has_new_attribute[role])
            WRITE_DEFINITION(copy, Attribute, late->attributes[role], first_string + 1 + role,
                             first_string + 1 + role, attribute_types[role]);
}

// ---- copying ----

#define NONE UINT32_MAX
static const char cores_property[] = "PAGODA::CORES";

struct copy {
    struct definition_copy same; // first: the callbacks of what is copied as it is take it
    const struct trace_source *source;
    const struct definitions *definitions;
    const struct rewrite_run *run;
    const struct copy_location *locations;
    struct id_table location_of_id; // OTF2 location -> index
    struct id_table rank_of_group;  // OTF2 location group -> world rank
    bool *is_left_out;              // by place of the system tree node in the records
    bool is_moved;                  // some rank is on another node
    bool has_nodes;                 // the nodes of the run are written, their cores known
    OTF2_SystemTreeNodeRef root;
    OTF2_StringRef first_string; // of the run: node names, then "node" and the name of the property
    OTF2_SystemTreeNodeRef *nodes;
};

#define WRITE(kind, ...) WRITE_DEFINITION(&copy->same, kind, __VA_ARGS__)

// --- nodes

static const struct system_tree_node_record *node_at(const struct copy *copy,
                                                     OTF2_SystemTreeNodeRef id)
{
    const struct records *records = copy->source->records;
    uint32_t place = id_table_get(&records->nodes.by_id, id);
    return place == UINT32_MAX ? NULL : &records->nodes.items[place];
}

/// The topmost node above ID, which may be itself.
static OTF2_SystemTreeNodeRef root_of(const struct copy *copy, OTF2_SystemTreeNodeRef id)
{
    const struct system_tree_node_record *node = node_at(copy, id);
    for (size_t hops = 0; node && hops < copy->source->records->nodes.n; hops++) {
        const struct system_tree_node_record *parent = node_at(copy, node->parent);
        if (!parent)
            break;
        node = parent;
    }
    return node ? node->id : OTF2_UNDEFINED_SYSTEM_TREE_NODE;
}

/// Marks what stands above the processes, except roots and what other location groups need.
static void leave_out_nodes(struct copy *copy)
{
    const struct records *records = copy->source->records;
    copy->root = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < records->location_groups.n; i++) {
            const struct location_group_record *group = &records->location_groups.items[i];
            bool is_rank = id_table_get(&copy->rank_of_group, group->id) != UINT32_MAX;
            const struct system_tree_node_record *node = node_at(copy, group->node);
            if (is_rank == (pass == 1))
                continue;
            if (is_rank && copy->root == OTF2_UNDEFINED_SYSTEM_TREE_NODE)
                copy->root = root_of(copy, group->node);
            for (size_t hops = 0; node && hops < records->nodes.n; hops++) {
                const struct system_tree_node_record *parent = node_at(copy, node->parent);
                bool is_inner = parent != NULL;
                copy->is_left_out[node - records->nodes.items] = is_rank && is_inner;
                node = parent;
            }
        }
    }
}

static bool is_left_out(const struct copy *copy, OTF2_SystemTreeNodeRef id)
{
    uint32_t place = id_table_get(&copy->source->records->nodes.by_id, id);
    return copy->is_moved && place != UINT32_MAX && copy->is_left_out[place];
}

/// The node of the run that NAME stands for; NONE.
static uint32_t node_named(const struct copy *copy, const char *name)
{
    size_t i = FIND_BY(copy->run->nodes, copy->run->n_nodes, name, name);
    return i < copy->run->n_nodes ? (uint32_t)i : NONE;
}

static OTF2_StringRef node_class_string(const struct copy *copy)
{
    return copy->first_string + (OTF2_StringRef)copy->run->n_nodes;
}

static void write_cores(struct copy *copy, OTF2_SystemTreeNodeRef node, uint32_t n_cores)
{
    OTF2_AttributeValue value = {.uint32 = n_cores};
    if (n_cores > 0)
        WRITE(SystemTreeNodeProperty, node, node_class_string(copy) + 1, OTF2_TYPE_UINT32, value);
}

/// The nodes of the run, before the first location group; where they are those of the recording,
/// only their cores.
static void write_nodes(struct copy *copy)
{
    const struct records *records = copy->source->records;
    const struct rewrite_run *run = copy->run;
    if (copy->has_nodes)
        return;
    copy->has_nodes = true;
    OTF2_SystemTreeNodeRef id = 0;
    for (uint32_t i = 0; i < run->n_nodes && copy->is_moved; i++, id++) {
        while (node_at(copy, id) && !is_left_out(copy, id))
            id++;
        copy->nodes[i] = id;
        WRITE(SystemTreeNode, id, copy->first_string + i, node_class_string(copy), copy->root);
        WRITE(SystemTreeNodeDomain, id, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
        write_cores(copy, id, run->nodes[i].n_cores);
    }
    for (size_t i = 0; i < records->nodes.n && !copy->is_moved; i++) {
        uint32_t node = node_named(copy, records_text(records, records->nodes.items[i].name));
        if (node != NONE)
            write_cores(copy, records->nodes.items[i].id, run->nodes[node].n_cores);
    }
}

static void write_strings(struct copy *copy)
{
    const struct id_table *known = &copy->source->records->strings.by_id;
    const struct rewrite_run *run = copy->run;
    // A row of identifiers that are free: the archive's may be any.
    OTF2_StringRef id = (OTF2_StringRef)copy->source->records->strings.n;
    size_t n_wanted = run->n_nodes + 2 + LATE_STRINGS;
    for (size_t n_free = 0; n_free < n_wanted; id++)
        n_free = id_table_get(known, id) == UINT32_MAX ? n_free + 1 : 0;
    copy->first_string = id - (OTF2_StringRef)n_wanted;
    for (uint32_t i = 0; i < run->n_nodes; i++)
        WRITE(String, copy->first_string + i, run->nodes[i].name);
    WRITE(String, node_class_string(copy), "node");
    WRITE(String, node_class_string(copy) + 1, cores_property);
}

// --- callbacks

static OTF2_CallbackCode copy_SystemTreeNode(void *user_data, OTF2_SystemTreeNodeRef self,
                                             OTF2_StringRef name, OTF2_StringRef class_name,
                                             OTF2_SystemTreeNodeRef parent)
{
    struct copy *copy = user_data;
    if (is_left_out(copy, self))
        return OTF2_CALLBACK_SUCCESS;
    return WRITE(SystemTreeNode, self, name, class_name, parent);
}

static OTF2_CallbackCode copy_SystemTreeNodeDomain(void *user_data, OTF2_SystemTreeNodeRef node,
                                                   OTF2_SystemTreeDomain domain)
{
    struct copy *copy = user_data;
    if (is_left_out(copy, node))
        return OTF2_CALLBACK_SUCCESS;
    return WRITE(SystemTreeNodeDomain, node, domain);
}

static OTF2_CallbackCode copy_SystemTreeNodeProperty(void *user_data, OTF2_SystemTreeNodeRef node,
                                                     OTF2_StringRef name, OTF2_Type type,
                                                     OTF2_AttributeValue value)
{
    struct copy *copy = user_data;
    const struct records *records = copy->source->records;
    const struct system_tree_node_record *record = node_at(copy, node);
    if (is_left_out(copy, node))
        return OTF2_CALLBACK_SUCCESS;
    if (record && strcmp(records_text(records, name), cores_property) == 0) {
        uint32_t index = node_named(copy, records_text(records, record->name));
        if (index != NONE && copy->run->nodes[index].n_cores > 0)
            return OTF2_CALLBACK_SUCCESS; // write_nodes()
    }
    return WRITE(SystemTreeNodeProperty, node, name, type, value);
}

static OTF2_CallbackCode copy_LocationGroup(void *user_data, OTF2_LocationGroupRef self,
                                            OTF2_StringRef name, OTF2_LocationGroupType type,
                                            OTF2_SystemTreeNodeRef parent,
                                            OTF2_LocationGroupRef creator)
{
    struct copy *copy = user_data;
    uint32_t rank = id_table_get(&copy->rank_of_group, self);
    write_nodes(copy);
    if (copy->is_moved && rank != UINT32_MAX)
        parent = copy->nodes[copy->run->ranks[rank].node];
    return WRITE(LocationGroup, self, name, type, parent, creator);
}

static OTF2_CallbackCode copy_Location(void *user_data, OTF2_LocationRef self, OTF2_StringRef name,
                                       OTF2_LocationType type, uint64_t n_events,
                                       OTF2_LocationGroupRef group)
{
    struct copy *copy = user_data;
    uint32_t location = id_table_get(&copy->location_of_id, self);
    if (location != UINT32_MAX)
        n_events = copy->locations[location].n_records;
    return WRITE(Location, self, name, type, n_events, group);
}

static OTF2_CallbackCode copy_LocationProperty(void *user_data, OTF2_LocationRef self,
                                               OTF2_StringRef name, OTF2_Type type,
                                               OTF2_AttributeValue value)
{
    struct copy *copy = user_data;
    uint32_t location = id_table_get(&copy->location_of_id, self);
    const char *text = records_text(copy->source->records, name);
    if (location != UINT32_MAX && strcmp(text, "PAGODA::RECORDED_UNTIL") == 0)
        value.uint64 = copy->locations[location].end_ns;
    bool is_cost = strncmp(text, "PAGODA::RECORDING_", 18) == 0 ||
                   strcmp(text, "PAGODA::RECORD_PS") == 0 ||
                   strcmp(text, "PAGODA::EXCLUDED_NS") == 0;
    if (is_cost && copy->run && copy->run->is_untraced)
        return OTF2_CALLBACK_SUCCESS;
    return WRITE(LocationProperty, self, name, type, value);
}

static OTF2_CallbackCode copy_MetricInstance(void *user_data, OTF2_MetricRef self,
                                             OTF2_MetricRef class_, OTF2_LocationRef recorder,
                                             OTF2_MetricScope kind, uint64_t scope)
{
    struct copy *copy = user_data;
    if (kind == OTF2_SCOPE_SYSTEM_TREE_NODE && is_left_out(copy, (OTF2_SystemTreeNodeRef)scope))
        scope = root_of(copy, (OTF2_SystemTreeNodeRef)scope);
    return WRITE(MetricInstance, self, class_, recorder, kind, scope);
}

static OTF2_CallbackCode copy_IoRegularFile(void *user_data, OTF2_IoFileRef self,
                                            OTF2_StringRef name, OTF2_SystemTreeNodeRef scope)
{
    struct copy *copy = user_data;
    if (is_left_out(copy, scope))
        scope = root_of(copy, scope);
    return WRITE(IoRegularFile, self, name, scope);
}

static OTF2_CallbackCode copy_IoDirectory(void *user_data, OTF2_IoFileRef self, OTF2_StringRef name,
                                          OTF2_SystemTreeNodeRef scope)
{
    struct copy *copy = user_data;
    if (is_left_out(copy, scope))
        scope = root_of(copy, scope);
    return WRITE(IoDirectory, self, name, scope);
}

static OTF2_GlobalDefReaderCallbacks *make_callbacks(void)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = definition_copy_callbacks();
    if (!callbacks)
        return NULL;
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, NULL); // written before
#define SET(kind) OTF2_GlobalDefReaderCallbacks_Set##kind##Callback(callbacks, copy_##kind);
    SET(SystemTreeNode)
    SET(SystemTreeNodeDomain)
    SET(SystemTreeNodeProperty)
    SET(LocationGroup)
    SET(Location)
    SET(LocationProperty)
    SET(MetricInstance)
    SET(IoRegularFile)
    SET(IoDirectory)
#undef SET
    return callbacks;
}

// --- all of them

static void init(struct copy *copy)
{
    const struct records *records = copy->source->records;
    const struct definitions *definitions = copy->definitions;
    id_table_init(&copy->location_of_id);
    id_table_init(&copy->rank_of_group);
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        uint32_t place = id_table_get(&records->locations.by_id, location->id);
        id_table_add(&copy->location_of_id, location->id, (uint32_t)i);
        if (location->is_master && location->rank != EVENT_NO_INDEX && place != UINT32_MAX)
            id_table_add(&copy->rank_of_group, records->locations.items[place].group,
                         location->rank);
    }
    for (size_t i = 0; i < definitions->n_ranks; i++)
        copy->is_moved =
            copy->is_moved || strcmp(definitions->nodes[definitions->ranks[i].node].name,
                                     copy->run->nodes[copy->run->ranks[i].node].name) != 0;
    copy->is_left_out = memory_zeroed(records->nodes.n, sizeof *copy->is_left_out);
    copy->nodes = memory_zeroed(copy->run->n_nodes, sizeof *copy->nodes);
    leave_out_nodes(copy);
}

static void release(struct copy *copy)
{
    id_table_release(&copy->location_of_id);
    id_table_release(&copy->rank_of_group);
    FREE_ALL(copy->is_left_out, copy->nodes);
}

int copy_definitions(const struct trace_source *source, OTF2_Reader *reader, OTF2_Archive *archive,
                     const struct rewrite_run *run, const struct copy_location *locations,
                     const struct late_definitions *late, struct error *err)
{
    struct copy copy = {.source = source,
                        .definitions = &source->resolved->definitions,
                        .run = run,
                        .locations = locations};
    if (definition_copy_begin(&copy.same, archive, err) != 0)
        return -1;
    init(&copy);
    WRITE_DEFINITION(&copy.same, ClockProperties, UINT64_C(1000000000), 0, run->time_ns,
                     copy.definitions->realtime_ns);
    write_strings(&copy);
    int status =
        definition_copy_run(&copy.same, reader, make_callbacks(), DEFINITION_COPY_ALL, err);
    if (status == 0 && late)
        late_definitions_write(late, &copy.same, node_class_string(&copy) + 2);
    status = definition_copy_end(&copy.same, archive, status, err);
    release(&copy);
    return status;
}

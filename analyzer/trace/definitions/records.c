// SPDX-License-Identifier: BSD-3-Clause
// Collects an archive's definition records (see records.h) by OTF2's global definition callbacks.
#include "analyzer/trace/definitions/records.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

void id_table_init(struct id_table *table)
{
    *table = (struct id_table){0};
    map_init(&table->sparse);
}

void id_table_release(struct id_table *table)
{
    free(table->dense);
    map_release(&table->sparse);
    id_table_init(table);
}

bool id_table_add(struct id_table *table, uint64_t id, uint32_t index)
{
    if (id_table_get(table, id) != UINT32_MAX)
        return false;
    if (id >= ID_TABLE_DENSE_LIMIT) {
        map_put(&table->sparse, id, index);
        return true;
    }
    if (id >= table->n_dense) {
        table->dense = array_reserve(table->dense, &table->capacity, id + 1, sizeof *table->dense);
        while (table->n_dense <= id)
            table->dense[table->n_dense++] = UINT32_MAX;
    }
    table->dense[id] = index;
    return true;
}

uint32_t id_table_get_sparse(const struct id_table *table, uint64_t id)
{
    uint32_t index = UINT32_MAX;
    map_get(&table->sparse, id, &index);
    return index;
}

// Appends a record to LIST unless its identifier is taken; yields a pointer to it or NULL.
#define APPEND(records, list, identifier)                                                          \
    (id_table_add(&(records)->list.by_id, (identifier), (uint32_t)(records)->list.n)               \
         ? ARRAY_NEXT((records)->list.items, (records)->list.n, (records)->list.capacity)          \
         : NULL)

static OTF2_CallbackCode on_ClockProperties(void *user_data, uint64_t ticks_per_second,
                                            uint64_t global_offset, uint64_t trace_length,
                                            uint64_t realtime_ns)
{
    struct records *records = user_data;
    records->has_clock = true;
    records->ticks_per_second = ticks_per_second;
    records->global_offset = global_offset;
    records->length_ticks = trace_length;
    records->realtime_ns = realtime_ns == OTF2_UNDEFINED_TIMESTAMP ? 0 : realtime_ns;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_String(void *user_data, OTF2_StringRef id, const char *text)
{
    struct records *records = user_data;
    struct string_record *record = APPEND(records, strings, id);
    if (record)
        record->text = memory_copy_text(text);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_SystemTreeNodeProperty(void *user_data, OTF2_SystemTreeNodeRef node,
                                                   OTF2_StringRef name, OTF2_Type type,
                                                   OTF2_AttributeValue value)
{
    struct records *records = user_data;
    if (type != OTF2_TYPE_UINT32)
        return OTF2_CALLBACK_SUCCESS;
    *ARRAY_NEXT(records->node_properties, records->n_node_properties,
                records->node_property_capacity) =
        (struct node_property_record){node, name, value.uint32};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_LocationProperty(void *user_data, OTF2_LocationRef location,
                                             OTF2_StringRef name, OTF2_Type type,
                                             OTF2_AttributeValue value)
{
    struct records *records = user_data;
    bool is_text = type == OTF2_TYPE_STRING;
    if (!is_text && type != OTF2_TYPE_UINT64)
        return OTF2_CALLBACK_SUCCESS;
    *ARRAY_NEXT(records->location_properties, records->n_location_properties,
                records->location_property_capacity) = (struct location_property_record){
        location, name, is_text, is_text ? value.stringRef : value.uint64};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_Group(void *user_data, OTF2_GroupRef id, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t n_members, const uint64_t *members)
{
    (void)name, (void)flags;
    struct records *records = user_data;
    struct group_record *record = APPEND(records, groups, id);
    if (!record)
        return OTF2_CALLBACK_SUCCESS;
    *record = (struct group_record){.id = id,
                                    .type = type,
                                    .paradigm = paradigm,
                                    .n_members = n_members,
                                    .members = memory_zeroed(n_members, sizeof *members)};
    if (n_members)
        memcpy(record->members, members, n_members * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_MetricClass(void *user_data, OTF2_MetricRef id, uint8_t n_members,
                                        const OTF2_MetricMemberRef *members,
                                        OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
    (void)occurrence, (void)kind;
    struct records *records = user_data;
    struct metric_record *record = APPEND(records, metrics, id);
    if (!record)
        return OTF2_CALLBACK_SUCCESS;
    *record = (struct metric_record){id,
                                     OTF2_UNDEFINED_METRIC,
                                     n_members,
                                     memory_zeroed(n_members, sizeof *members),
                                     OTF2_SCOPE_LOCATION,
                                     UINT64_MAX};
    if (n_members)
        memcpy(record->members, members, n_members * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

// A definition of KIND is kept in LIST as a RECORD of these MEMBERS, from the callback's
// parameters.
#define UNUSED __attribute__((unused))
#define MEMBERS(...)                                                                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define KEPT(kind, list, record, members, ...)                                                     \
    static OTF2_CallbackCode on_##kind(void *user_data, __VA_ARGS__)                               \
    {                                                                                              \
        struct records *records = user_data;                                                       \
        struct record *place = APPEND(records, list, id);                                          \
        if (place)                                                                                 \
            *place = (struct record)members;                                                       \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
KEPT(SystemTreeNode, nodes, system_tree_node_record, MEMBERS(id, name, class_, parent),
     OTF2_SystemTreeNodeRef id, OTF2_StringRef name, OTF2_StringRef class_,
     OTF2_SystemTreeNodeRef parent)
KEPT(LocationGroup, location_groups, location_group_record, MEMBERS(id, name, type, node, creator),
     OTF2_LocationGroupRef id, OTF2_StringRef name, OTF2_LocationGroupType type,
     OTF2_SystemTreeNodeRef node, OTF2_LocationGroupRef creator)
KEPT(Location, locations, location_record, MEMBERS(id, name, type, n_events, group),
     OTF2_LocationRef id, OTF2_StringRef name, OTF2_LocationType type, uint64_t n_events,
     OTF2_LocationGroupRef group)
KEPT(Region, regions, region_record,
     MEMBERS(id, name, canonical_name, file, paradigm, line, description, role), OTF2_RegionRef id,
     OTF2_StringRef name, OTF2_StringRef canonical_name, OTF2_StringRef description,
     OTF2_RegionRole role, OTF2_Paradigm paradigm, OTF2_RegionFlag flags UNUSED,
     OTF2_StringRef file, uint32_t line, uint32_t end_line UNUSED)
KEPT(SourceCodeLocation, source_locations, source_location_record, MEMBERS(id, file, line),
     OTF2_SourceCodeLocationRef id, OTF2_StringRef file, uint32_t line)
KEPT(CallingContext, calling_contexts, calling_context_record, MEMBERS(id, region, source, parent),
     OTF2_CallingContextRef id, OTF2_RegionRef region, OTF2_SourceCodeLocationRef source,
     OTF2_CallingContextRef parent)
KEPT(Comm, communicators, communicator_record,
     MEMBERS(id, name, group, OTF2_UNDEFINED_GROUP, parent), OTF2_CommRef id, OTF2_StringRef name,
     OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags UNUSED)
KEPT(InterComm, communicators, communicator_record, MEMBERS(id, name, group_a, group_b, common),
     OTF2_CommRef id, OTF2_StringRef name, OTF2_GroupRef group_a, OTF2_GroupRef group_b,
     OTF2_CommRef common, OTF2_CommFlag flags UNUSED)
KEPT(RmaWin, windows, window_record, MEMBERS(id, name, communicator), OTF2_RmaWinRef id,
     OTF2_StringRef name, OTF2_CommRef communicator, OTF2_RmaWinFlag flags UNUSED)
KEPT(MetricMember, metric_members, metric_member_record,
     MEMBERS(id, name, description, unit, mode, base, exponent), OTF2_MetricMemberRef id,
     OTF2_StringRef name, OTF2_StringRef description, OTF2_MetricType type UNUSED,
     OTF2_MetricMode mode, OTF2_Type value_type UNUSED, OTF2_Base base, int64_t exponent,
     OTF2_StringRef unit)
KEPT(MetricInstance, metrics, metric_record, MEMBERS(id, class_, 0, NULL, scope_type, scope),
     OTF2_MetricRef id, OTF2_MetricRef class_, OTF2_LocationRef recorder UNUSED,
     OTF2_MetricScope scope_type, uint64_t scope)
KEPT(Parameter, parameters, parameter_record, MEMBERS(id, name, type != OTF2_PARAMETER_TYPE_STRING),
     OTF2_ParameterRef id, OTF2_StringRef name, OTF2_ParameterType type)
KEPT(IoParadigm, io_paradigms, io_paradigm_record, MEMBERS(id, name), OTF2_IoParadigmRef id,
     OTF2_StringRef identification UNUSED, OTF2_StringRef name, OTF2_IoParadigmClass class_ UNUSED,
     OTF2_IoParadigmFlag flags UNUSED, uint8_t n_properties UNUSED,
     const OTF2_IoParadigmProperty *properties UNUSED, const OTF2_Type *types UNUSED,
     const OTF2_AttributeValue *values UNUSED)
KEPT(IoRegularFile, io_files, io_file_record, MEMBERS(id, name), OTF2_IoFileRef id,
     OTF2_StringRef name, OTF2_SystemTreeNodeRef scope UNUSED)
KEPT(IoDirectory, io_files, io_file_record, MEMBERS(id, name), OTF2_IoFileRef id,
     OTF2_StringRef name, OTF2_SystemTreeNodeRef scope UNUSED)
KEPT(IoHandle, io_handles, io_handle_record, MEMBERS(id, name, file, paradigm, communicator),
     OTF2_IoHandleRef id, OTF2_StringRef name, OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
     OTF2_IoHandleFlag flags UNUSED, OTF2_CommRef communicator, OTF2_IoHandleRef parent UNUSED)
KEPT(Attribute, attributes, attribute_record, MEMBERS(id, name), OTF2_AttributeRef id,
     OTF2_StringRef name, OTF2_StringRef description UNUSED, OTF2_Type type UNUSED)

#define READ_KINDS(X)                                                                              \
    X(ClockProperties)                                                                             \
    X(String)                                                                                      \
    X(SystemTreeNode)                                                                              \
    X(SystemTreeNodeProperty)                                                                      \
    X(LocationProperty)                                                                            \
    X(LocationGroup)                                                                               \
    X(Location)                                                                                    \
    X(Region)                                                                                      \
    X(SourceCodeLocation)                                                                          \
    X(CallingContext)                                                                              \
    X(Group)                                                                                       \
    X(Comm)                                                                                        \
    X(InterComm)                                                                                   \
    X(RmaWin)                                                                                      \
    X(MetricMember)                                                                                \
    X(MetricClass)                                                                                 \
    X(MetricInstance)                                                                              \
    X(Parameter)                                                                                   \
    X(IoParadigm)                                                                                  \
    X(IoRegularFile)                                                                               \
    X(IoDirectory)                                                                                 \
    X(IoHandle)                                                                                    \
    X(Attribute)

void records_init(struct records *records)
{
    *records = (struct records){0};
}

void records_release(struct records *records)
{
    FREE_MEMBERS(records->strings.items, records->strings.n, text);
    FREE_MEMBERS(records->groups.items, records->groups.n, members);
    FREE_MEMBERS(records->metrics.items, records->metrics.n, members);
    FREE_ALL(records->node_properties, records->location_properties);
#define RELEASE(list, type)                                                                        \
    free(records->list.items);                                                                     \
    id_table_release(&records->list.by_id);
    RECORD_LISTS(RELEASE)
#undef RELEASE
    records_init(records);
}

OTF2_ErrorCode records_register(struct records *records, OTF2_Reader *reader,
                                OTF2_GlobalDefReader *definition_reader)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
#define SET(kind) OTF2_GlobalDefReaderCallbacks_Set##kind##Callback(callbacks, on_##kind);
    READ_KINDS(SET)
#undef SET
    OTF2_ErrorCode code =
        OTF2_Reader_RegisterGlobalDefCallbacks(reader, definition_reader, callbacks, records);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    return code;
}

const char *records_text(const struct records *records, OTF2_StringRef ref)
{
    uint32_t place = id_table_get(&records->strings.by_id, ref);
    return place == UINT32_MAX ? "" : records->strings.items[place].text;
}

const struct metric_record *records_metric_class(const struct records *records, size_t metric)
{
    const struct metric_record *record = &records->metrics.items[metric];
    if (record->class_ == OTF2_UNDEFINED_METRIC)
        return record;
    uint32_t place = id_table_get(&records->metrics.by_id, record->class_);
    return place == UINT32_MAX ? NULL : &records->metrics.items[place];
}

const char *records_counter_name(const struct records *records, OTF2_MetricMemberRef ref)
{
    uint32_t place = id_table_get(&records->metric_members.by_id, ref);
    return place == UINT32_MAX ? ""
                               : records_text(records, records->metric_members.items[place].name);
}

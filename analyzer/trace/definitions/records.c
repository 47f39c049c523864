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
    (take_place((records), &(records)->list.by_id, (identifier), (records)->list.n)                \
         ? ARRAY_NEXT((records)->list.items, (records)->list.n, (records)->list.capacity)          \
         : NULL)

static bool take_place(struct records *records, struct id_table *table, uint64_t id, size_t place)
{
    if (id_table_add(table, id, (uint32_t)place))
        return true;
    records->n_duplicates++;
    return false;
}

static OTF2_CallbackCode on_unknown(void *user_data)
{
    struct records *records = user_data;
    records->n_unknown++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *user_data, uint64_t ticks_per_second,
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

static OTF2_CallbackCode on_string(void *user_data, OTF2_StringRef id, const char *text)
{
    struct records *records = user_data;
    struct string_record *record = APPEND(records, strings, id);
    if (record)
        record->text = memory_copy_text(text);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node(void *user_data, OTF2_SystemTreeNodeRef id, OTF2_StringRef name,
                                 OTF2_StringRef class_, OTF2_SystemTreeNodeRef parent)
{
    struct records *records = user_data;
    struct system_tree_node_record *record = APPEND(records, nodes, id);
    if (record)
        *record = (struct system_tree_node_record){id, name, class_, parent};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node_property(void *user_data, OTF2_SystemTreeNodeRef node,
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

static OTF2_CallbackCode on_location_property(void *user_data, OTF2_LocationRef location,
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

static OTF2_CallbackCode on_location_group(void *user_data, OTF2_LocationGroupRef id,
                                           OTF2_StringRef name, OTF2_LocationGroupType type,
                                           OTF2_SystemTreeNodeRef node,
                                           OTF2_LocationGroupRef creator)
{
    struct records *records = user_data;
    struct location_group_record *record = APPEND(records, location_groups, id);
    if (record)
        *record = (struct location_group_record){id, name, type, node, creator};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user_data, OTF2_LocationRef id, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t n_events,
                                     OTF2_LocationGroupRef group)
{
    struct records *records = user_data;
    struct location_record *record = APPEND(records, locations, id);
    if (record)
        *record = (struct location_record){id, name, type, n_events, group};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user_data, OTF2_RegionRef id, OTF2_StringRef name,
                                   OTF2_StringRef canonical_name, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin_line,
                                   uint32_t end_line)
{
    (void)flags, (void)end_line;
    struct records *records = user_data;
    struct region_record *record = APPEND(records, regions, id);
    if (record)
        *record = (struct region_record){id,       name,       canonical_name, file,
                                         paradigm, begin_line, description,    role};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_source_location(void *user_data, OTF2_SourceCodeLocationRef id,
                                            OTF2_StringRef file, uint32_t line)
{
    struct records *records = user_data;
    struct source_location_record *record = APPEND(records, source_locations, id);
    if (record)
        *record = (struct source_location_record){id, file, line};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_calling_context(void *user_data, OTF2_CallingContextRef id,
                                            OTF2_RegionRef region,
                                            OTF2_SourceCodeLocationRef source,
                                            OTF2_CallingContextRef parent)
{
    struct records *records = user_data;
    struct calling_context_record *record = APPEND(records, calling_contexts, id);
    if (record)
        *record = (struct calling_context_record){id, region, source, parent};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *user_data, OTF2_GroupRef id, OTF2_StringRef name,
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

static OTF2_CallbackCode on_comm(void *user_data, OTF2_CommRef id, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    (void)flags;
    struct records *records = user_data;
    struct communicator_record *record = APPEND(records, communicators, id);
    if (record)
        *record = (struct communicator_record){id, name, group, OTF2_UNDEFINED_GROUP, parent};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_intercomm(void *user_data, OTF2_CommRef id, OTF2_StringRef name,
                                      OTF2_GroupRef group_a, OTF2_GroupRef group_b,
                                      OTF2_CommRef common, OTF2_CommFlag flags)
{
    (void)flags;
    struct records *records = user_data;
    struct communicator_record *record = APPEND(records, communicators, id);
    if (record)
        *record = (struct communicator_record){id, name, group_a, group_b, common};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_window(void *user_data, OTF2_RmaWinRef id, OTF2_StringRef name,
                                   OTF2_CommRef communicator, OTF2_RmaWinFlag flags)
{
    (void)flags;
    struct records *records = user_data;
    struct window_record *record = APPEND(records, windows, id);
    if (record)
        *record = (struct window_record){id, name, communicator};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_member(void *user_data, OTF2_MetricMemberRef id,
                                          OTF2_StringRef name, OTF2_StringRef description,
                                          OTF2_MetricType type, OTF2_MetricMode mode,
                                          OTF2_Type value_type, OTF2_Base base, int64_t exponent,
                                          OTF2_StringRef unit)
{
    (void)type, (void)value_type;
    struct records *records = user_data;
    struct metric_member_record *record = APPEND(records, metric_members, id);
    if (record)
        *record = (struct metric_member_record){id, name, description, unit, mode, base, exponent};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_class(void *user_data, OTF2_MetricRef id, uint8_t n_members,
                                         const OTF2_MetricMemberRef *members,
                                         OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
    (void)occurrence, (void)kind;
    struct records *records = user_data;
    struct metric_record *record = APPEND(records, metrics, id);
    if (!record)
        return OTF2_CALLBACK_SUCCESS;
    *record = (struct metric_record){id, OTF2_UNDEFINED_METRIC, n_members,
                                     memory_zeroed(n_members, sizeof *members)};
    if (n_members)
        memcpy(record->members, members, n_members * sizeof *members);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_instance(void *user_data, OTF2_MetricRef id,
                                            OTF2_MetricRef class_, OTF2_LocationRef recorder,
                                            OTF2_MetricScope scope_type, uint64_t scope)
{
    (void)recorder, (void)scope_type, (void)scope;
    struct records *records = user_data;
    struct metric_record *record = APPEND(records, metrics, id);
    if (record)
        *record = (struct metric_record){id, class_, 0, NULL};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(void *user_data, OTF2_ParameterRef id, OTF2_StringRef name,
                                      OTF2_ParameterType type)
{
    struct records *records = user_data;
    struct parameter_record *record = APPEND(records, parameters, id);
    if (record)
        *record = (struct parameter_record){id, name, type != OTF2_PARAMETER_TYPE_STRING};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_paradigm(void *user_data, OTF2_IoParadigmRef id,
                                        OTF2_StringRef identification, OTF2_StringRef name,
                                        OTF2_IoParadigmClass class_, OTF2_IoParadigmFlag flags,
                                        uint8_t n_properties,
                                        const OTF2_IoParadigmProperty *properties,
                                        const OTF2_Type *types, const OTF2_AttributeValue *values)
{
    (void)identification, (void)class_, (void)flags;
    (void)n_properties, (void)properties, (void)types, (void)values;
    struct records *records = user_data;
    struct io_paradigm_record *record = APPEND(records, io_paradigms, id);
    if (record)
        *record = (struct io_paradigm_record){id, name};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_file(void *user_data, OTF2_IoFileRef id, OTF2_StringRef name,
                                    OTF2_SystemTreeNodeRef scope)
{
    (void)scope;
    struct records *records = user_data;
    struct io_file_record *record = APPEND(records, io_files, id);
    if (record)
        *record = (struct io_file_record){id, name};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_handle(void *user_data, OTF2_IoHandleRef id, OTF2_StringRef name,
                                      OTF2_IoFileRef file, OTF2_IoParadigmRef paradigm,
                                      OTF2_IoHandleFlag flags, OTF2_CommRef comm,
                                      OTF2_IoHandleRef parent)
{
    (void)flags, (void)comm, (void)parent;
    struct records *records = user_data;
    struct io_handle_record *record = APPEND(records, io_handles, id);
    if (record)
        *record = (struct io_handle_record){id, name, file, paradigm};
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *user_data, OTF2_AttributeRef id, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    (void)description, (void)type;
    struct records *records = user_data;
    struct attribute_record *record = APPEND(records, attributes, id);
    if (record)
        *record = (struct attribute_record){id, name};
    return OTF2_CALLBACK_SUCCESS;
}

void records_init(struct records *records)
{
    *records = (struct records){0};
}

// Frees a list whose items own nothing, leaves it empty.
#define RELEASE(list) (free((list).items), id_table_release(&(list).by_id))

void records_release(struct records *records)
{
    FREE_MEMBERS(records->strings.items, records->strings.n, text);
    FREE_MEMBERS(records->groups.items, records->groups.n, members);
    FREE_MEMBERS(records->metrics.items, records->metrics.n, members);
    RELEASE(records->strings);
    RELEASE(records->nodes);
    free(records->node_properties);
    free(records->location_properties);
    RELEASE(records->location_groups);
    RELEASE(records->locations);
    RELEASE(records->regions);
    RELEASE(records->source_locations);
    RELEASE(records->calling_contexts);
    RELEASE(records->groups);
    RELEASE(records->communicators);
    RELEASE(records->windows);
    RELEASE(records->metric_members);
    RELEASE(records->metrics);
    RELEASE(records->parameters);
    RELEASE(records->io_paradigms);
    RELEASE(records->io_files);
    RELEASE(records->io_handles);
    RELEASE(records->attributes);
    records_init(records);
}

OTF2_ErrorCode records_register(struct records *records, OTF2_Reader *reader,
                                OTF2_GlobalDefReader *definition_reader)
{
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(callbacks, on_unknown);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(callbacks, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, on_string);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(callbacks, on_node);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(callbacks, on_node_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(callbacks, on_location_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(callbacks, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(callbacks, on_region);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(callbacks, on_source_location);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(callbacks, on_calling_context);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(callbacks, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(callbacks, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(callbacks, on_intercomm);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(callbacks, on_window);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, on_metric_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, on_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(callbacks, on_metric_instance);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(callbacks, on_parameter);
    OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(callbacks, on_io_paradigm);
    OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(callbacks, on_io_file);
    OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(callbacks, on_io_file);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(callbacks, on_io_handle);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(callbacks, on_attribute);
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

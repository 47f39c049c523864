// SPDX-License-Identifier: BSD-3-Clause
// The definition records of an archive in their order, identifiers unresolved: a
// record may name others that follow it. definitions.c resolves them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/map.h"

// Translates the archive's identifiers into dense indices: an array while the identifiers are
// small, which grows to the largest of them, a hash map for those beyond (64-bit location ids,
// sparse ids of some converters).
enum { ID_TABLE_DENSE_LIMIT = 1 << 20 }; // larger identifiers go to the hash map

struct id_table {
    uint32_t *dense; // UINT32_MAX where nothing is defined
    size_t n_dense;
    size_t capacity;
    struct map sparse;
};

/// An empty table holds no memory; id_table_release() leaves an empty one.
void id_table_init(struct id_table *table);
void id_table_release(struct id_table *table);

/// Gives ID the value INDEX, which is not UINT32_MAX; false (and no change) when it has one.
bool id_table_add(struct id_table *table, uint64_t id, uint32_t index);

/// The slow half of id_table_get().
uint32_t id_table_get_sparse(const struct id_table *table, uint64_t id);

/// The index of ID, UINT32_MAX when there is none.
static inline uint32_t id_table_get(const struct id_table *table, uint64_t id)
{
    return id < table->n_dense ? table->dense[id] : id_table_get_sparse(table, id);
}

struct string_record {
    char *text;
};

struct system_tree_node_record {
    OTF2_SystemTreeNodeRef id;
    OTF2_StringRef name;
    OTF2_StringRef class_;
    OTF2_SystemTreeNodeRef parent;
};

struct node_property_record { // those with a number
    OTF2_SystemTreeNodeRef node;
    OTF2_StringRef name;
    uint32_t value;
};

struct location_property_record { // those with a 64-bit number or a text
    OTF2_LocationRef location;
    OTF2_StringRef name;
    bool is_text;
    uint64_t value; // the number, or the reference of the text
};

struct location_group_record {
    OTF2_LocationGroupRef id;
    OTF2_StringRef name;
    OTF2_LocationGroupType type;
    OTF2_SystemTreeNodeRef node;
    OTF2_LocationGroupRef creator;
};

struct location_record {
    OTF2_LocationRef id;
    OTF2_StringRef name;
    OTF2_LocationType type;
    uint64_t n_events;
    OTF2_LocationGroupRef group;
};

struct region_record {
    OTF2_RegionRef id;
    OTF2_StringRef name;
    OTF2_StringRef canonical_name;
    OTF2_StringRef file;
    OTF2_Paradigm paradigm;
    uint32_t line;
    OTF2_StringRef description;
    OTF2_RegionRole role;
};

struct source_location_record {
    OTF2_SourceCodeLocationRef id;
    OTF2_StringRef file;
    uint32_t line;
};

struct calling_context_record {
    OTF2_CallingContextRef id;
    OTF2_RegionRef region;
    OTF2_SourceCodeLocationRef source;
    OTF2_CallingContextRef parent;
};

struct group_record {
    OTF2_GroupRef id;
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    uint32_t n_members;
    uint64_t *members;
};

struct communicator_record {
    OTF2_CommRef id;
    OTF2_StringRef name;
    OTF2_GroupRef group;
    OTF2_GroupRef remote_group; // of an intercommunicator, else OTF2_UNDEFINED_GROUP
    OTF2_CommRef parent;
};

struct window_record {
    OTF2_RmaWinRef id;
    OTF2_StringRef name;
    OTF2_CommRef communicator;
};

struct metric_member_record {
    OTF2_MetricMemberRef id;
    OTF2_StringRef name, description, unit;
    OTF2_MetricMode mode;
    OTF2_Base base;
    int64_t exponent;
};

struct metric_record {
    OTF2_MetricRef id;
    OTF2_MetricRef class_; // of an instance, else OTF2_UNDEFINED_METRIC
    uint32_t n_members;
    OTF2_MetricMemberRef *members;
    OTF2_MetricScope scope_type; // of an instance: what its values are about,
    uint64_t scope;              // by its id
};

struct io_paradigm_record {
    OTF2_IoParadigmRef id;
    OTF2_StringRef name;
};

struct io_file_record { // directories, too
    OTF2_IoFileRef id;
    OTF2_StringRef name;
};

struct io_handle_record {
    OTF2_IoHandleRef id;
    OTF2_StringRef name;
    OTF2_IoFileRef file; // OTF2_UNDEFINED_IO_FILE: not of a file, such as stdout
    OTF2_IoParadigmRef paradigm;
    OTF2_CommRef communicator; // who opened it together, OTF2_UNDEFINED_COMM
};

struct parameter_record {
    OTF2_ParameterRef id;
    OTF2_StringRef name;
    bool is_number;
};

struct attribute_record {
    OTF2_AttributeRef id;
    OTF2_StringRef name;
};

/// Each a growing array and the table from identifiers to its places.
#define RECORD_LISTS(X)                                                                            \
    X(strings, string_record)                                                                      \
    X(nodes, system_tree_node_record)                                                              \
    X(location_groups, location_group_record)                                                      \
    X(locations, location_record)                                                                  \
    X(regions, region_record)                                                                      \
    X(source_locations, source_location_record)                                                    \
    X(calling_contexts, calling_context_record)                                                    \
    X(groups, group_record)                                                                        \
    X(communicators, communicator_record)                                                          \
    X(windows, window_record)                                                                      \
    X(metric_members, metric_member_record)                                                        \
    X(metrics, metric_record)                                                                      \
    X(parameters, parameter_record)                                                                \
    X(io_paradigms, io_paradigm_record)                                                            \
    X(io_files, io_file_record)                                                                    \
    X(io_handles, io_handle_record)                                                                \
    X(attributes, attribute_record)

struct records {
#define RECORD_LIST(list, type)                                                                    \
    struct {                                                                                       \
        struct type *items;                                                                        \
        size_t n;                                                                                  \
        size_t capacity;                                                                           \
        struct id_table by_id;                                                                     \
    } list;
    RECORD_LISTS(RECORD_LIST)
#undef RECORD_LIST
    struct node_property_record *node_properties;
    size_t n_node_properties, node_property_capacity;
    struct location_property_record *location_properties;
    size_t n_location_properties, location_property_capacity;
    bool has_clock;
    uint64_t ticks_per_second;
    uint64_t global_offset; // ticks
    uint64_t length_ticks;  // as the archive declares
    uint64_t realtime_ns;   // wall-clock time at global_offset, 0 when unknown
};

/// Prepares RECORDS; records_release() frees all they hold.
void records_init(struct records *records);
void records_release(struct records *records);

/// Lets READER deliver its definitions into RECORDS, which must outlive the reading.
OTF2_ErrorCode records_register(struct records *records, OTF2_Reader *reader,
                                OTF2_GlobalDefReader *definition_reader);

/// The text of a string, "" when REF is undefined. Lives as long as RECORDS.
const char *records_text(const struct records *records, OTF2_StringRef ref);

/// The counter of the CPU time of a process, in our archives.
#define METRIC_CPU_TIME  "process_cpu_time"
#define METRIC_CORE_WAIT "thread_core_wait"

/// The class of a metric (index into RECORDS), itself or that of an instance; NULL without.
const struct metric_record *records_metric_class(const struct records *records, size_t metric);

/// The name of a member of a metric class, as records_text().
const char *records_counter_name(const struct records *records, OTF2_MetricMemberRef ref);

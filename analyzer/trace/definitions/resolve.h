// SPDX-License-Identifier: BSD-3-Clause
// Turns definition records into struct definitions and the tables by which event records find
// their dense indices.
#pragma once

#include "analyzer/base/map.h"
#include "analyzer/trace/definitions.h"
#include "analyzer/trace/definitions/records.h"

/// What an attribute of an event record means to us, by its name.
enum attribute_role {
    ATTRIBUTE_COMMUNICATOR, // pagoda::communicator of a posted receive or collective
    ATTRIBUTE_SOURCE,       // pagoda::source, -1 = any
    ATTRIBUTE_TAG,          // pagoda::tag, -1 = any
    ATTRIBUTE_POLL_COUNT,   // pagoda::poll_count of a folded polling loop
    ATTRIBUTE_POLL_NS,      // pagoda::poll_ns, the time inside its calls
    ATTRIBUTE_WORK,         // work, how much a region does, in units of the program
    ATTRIBUTE_ELEMENTS,     // elements, how many the process has
    ATTRIBUTE_CALL_SITE,    // pagoda::call_site, the calling context (or only the source line)
    ATTRIBUTE_IN_PLACE,     // pagoda::in_place of the end of a collective: 1
    ATTRIBUTE_BARRIER,      // pagoda::barrier of threads: its number in the process
    ATTRIBUTE_CONDITION,    // pagoda::condition, likewise
    ATTRIBUTE_COLLECTIVE,   // pagoda::collective of the change of a file's handle: 1
};

// Members of a group record as world ranks.
struct resolved_group {
    uint32_t *members;
    struct map places;   // inverse, empty while members are consecutive
    bool is_consecutive; // members[i] = members[0] + i
    bool is_resolved;
};

struct resolved {
    struct definitions definitions;
    struct resolved_group *groups; // by place in records->groups
    size_t n_groups;
    struct id_table cpu_time_position;  // metric class or instance -> place of process_cpu_time
    struct id_table core_wait_position; // the same of thread_core_wait
    struct id_table counters;           // metric member -> place in definitions.counters
    struct id_table sensors;            // metric member other than our own -> its place in records
    struct id_table parameters;         // that of parameters whose values are numbers,
    struct id_table marker_parameters;  // and of attributes of markers
    struct id_table files_of_handles;   // I/O handle -> place in definitions.files
    struct id_table communicators_of_handles; // that of several ranks -> what stands for its files
                                              // among the communicators
    char **names_of_files;                    // of those communicators
    struct id_table attribute_roles;          // attribute -> enum attribute_role
};

/// Resolves RECORDS into RESOLVED (zeroed or released before). Texts stay owned by RECORDS, which
/// must live as long. Undefined references become "" or EVENT_NO_INDEX; nothing can fail. Calling
/// contexts keep the order of their records; after them comes one for each source location. The
/// caller releases.
void resolve_records(struct resolved *resolved, const struct records *records);
void resolved_release(struct resolved *resolved);

/// For resolve_records(): fills ranks, locations and nodes of DEFINITIONS. MPI_LOCATIONS is the
/// archive's group of MPI locations in rank order, or NULL: then every process with a location is a
/// rank, in the order of definition. RANK_OF_LOCATION (empty) receives location id -> rank.
void resolve_processes(struct definitions *definitions, const struct records *records,
                       const struct group_record *mpi_locations, struct id_table *rank_of_location);

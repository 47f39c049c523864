// SPDX-License-Identifier: BSD-3-Clause
// One archive of several, each of which is a world: a launch with an MPI_COMM_WORLD of its own.
// Event files stay as they are, byte by byte. Each location's own definitions say what the
// identifiers in them are in the new archive, and how its clock differs.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"
#include "analyzer/base/map.h"
#include "analyzer/rewrite/clock_fit.h"
#include "analyzer/rewrite/rewrite.h"
#include "analyzer/trace/definitions/local_definitions.h"
#include "analyzer/trace/definitions/records.h"

/// What definitions refer to; the first ones have mapping tables, for events refer to them as well.
enum reference {
    REF_String = OTF2_MAPPING_STRING,
    REF_Attribute = OTF2_MAPPING_ATTRIBUTE,
    REF_Location = OTF2_MAPPING_LOCATION,
    REF_Region = OTF2_MAPPING_REGION,
    REF_Group = OTF2_MAPPING_GROUP,
    REF_Metric = OTF2_MAPPING_METRIC,
    REF_Comm = OTF2_MAPPING_COMM,
    REF_Parameter = OTF2_MAPPING_PARAMETER,
    REF_RmaWin = OTF2_MAPPING_RMA_WIN,
    REF_SourceCodeLocation = OTF2_MAPPING_SOURCE_CODE_LOCATION,
    REF_CallingContext = OTF2_MAPPING_CALLING_CONTEXT,
    REF_InterruptGenerator = OTF2_MAPPING_INTERRUPT_GENERATOR,
    REF_IoFile = OTF2_MAPPING_IO_FILE,
    REF_IoHandle = OTF2_MAPPING_IO_HANDLE,
    REF_LocationGroup = OTF2_MAPPING_LOCATION_GROUP,
    REF_SystemTreeNode = OTF2_MAPPING_MAX,
    REF_Callsite,
    REF_Callpath,
    REF_MetricMember,
    REF_CartDimension,
    REF_CartTopology,
    REF_IoParadigm,
    REFERENCES
};

/// Identifiers of an archive, and what they are in the new one.
struct id_pair {
    uint64_t from, to;
};

struct id_pairs {
    struct id_pair *items;
    size_t n, capacity;
    struct id_table by_id; // the place of a pair
};

#define MERGE_NONE UINT32_MAX

/// The communicator of another world that is the same one.
struct comm_partner {
    uint32_t world; // MERGE_NONE: there is none
    uint32_t comm;  // its place among the records
};

struct merged_world {
    const char *path; // as the caller has it
    struct trace *trace;
    const struct records *records;
    const struct definitions *definitions;
    OTF2_Reader *reader;
    uint64_t trace_id, event_bytes, definition_bytes;
    // Ranks: those that were launched, then, after those of all worlds, spawned ones.
    const struct group_record *mpi; // its locations of MPI, NULL: none
    uint64_t outsider; // the location that stands for what was not traced; UINT64_MAX: none
    uint32_t n_launched, n_spawned;
    uint32_t first_launched, first_spawned; // in the new archive
    // Clock: the tick that its records count from is this one of the new archive's clock.
    uint64_t begin_ticks, new_begin_ticks;
    uint32_t clock;                // the first world with the same one
    struct comm_partner *partners; // by place of the communicator's record
    struct id_pairs ids[REFERENCES];
    uint32_t *n_alike; // by key: definitions with it so far
    size_t n_alike_known;
};

/// Keys of definitions: rows of bytes, numbered.
struct merge_keys {
    struct merge_key {
        size_t n_bytes;
        unsigned char *bytes;
    } * items;
    size_t n, capacity;
    struct map by_hash;
};

struct merge {
    struct definition_copy copy; // while definitions are written; its code is of all writes
    struct merged_world *worlds;
    uint32_t n_worlds, n_ranks;                           // of MPI
    uint64_t ticks_per_second, begin_ticks, length_ticks; // of the new archive
    bool has_outsiders;                                   // communicators still have such members
    size_t n_connections;                                 // between worlds
    struct merge_cores *cores;
    // While definitions are written:
    OTF2_Archive *archive;
    struct merged_world *world;
    struct merge_keys keys;
    struct map id_of_key; // key << 32 | how many before it: the identifier
    uint64_t n_ids[REFERENCES];
};

// --- merge_archives.c

/// Opens the N archives PATHS and finds out how they go together. 0, or -1 and ERR. The caller
/// releases, in any case.
int merge_open(struct merge *merge, char *const *paths, size_t n, struct error *err);
void merge_release(struct merge *merge);

/// Writes the new archive to DIRECTORY, wholly or not at all, with clocks that messages between the
/// worlds, and within them, have corrected: REPORT, which the caller releases. 0, or -1 and ERR.
int merge_write(struct merge *merge, const char *directory, struct clock_report *report,
                struct error *err);

// --- merge_clocks.c

/// Finds how the clocks differ: those of one host are the same, others are related by the time of
/// day. 0, or -1 and ERR: nothing relates them.
int merge_relate_clocks(struct merge *merge, struct error *err);

/// A time of WORLD's clock by that of the new archive.
uint64_t merge_ticks(const struct merge *merge, const struct merged_world *world, uint64_t ticks);

/// The clock offsets OWN of a location of WORLD, as NEW has them.
void merge_offsets(const struct merge *merge, const struct merged_world *world,
                   const struct local_definitions *own, struct local_definitions *new_one);

// --- merge_cores.c

struct merge_cores *merge_cores_new(const struct merge *merge);
void merge_cores_free(struct merge_cores *cores);

/// How many cores the ranks on the host NAME may use.
uint32_t merge_cores_of(struct merge_cores *cores, const char *name);

/// Whether it can be said of each of them to which it is bound.
bool merge_cores_are_bound(struct merge_cores *cores, const char *name);

// --- merge_definitions.c

/// Writes the global definitions; then the identifiers of all worlds are known. 0, or -1 and ERR.
int merge_definitions(struct merge *merge, struct error *err);

// --- merge_ids.c

/// What the identifier ID of the current world is in the new archive; an undefined one stays so.
uint64_t merge_id(struct merge *merge, enum reference kind, uint64_t id);
OTF2_LocationRef merge_location(struct merge *merge, OTF2_LocationRef id);
OTF2_AttributeValue merge_value(struct merge *merge, OTF2_Type type, OTF2_AttributeValue value);

/// Says what ID of WORLD is.
void merge_set_id(struct merged_world *world, enum reference kind, uint64_t id, uint64_t new_id);

/// The identifier of SELF, a definition of the current world; *IS_NEW: it is to be written. Two
/// worlds have the same one where the KEYs are the same, and as many were before it in each.
uint64_t merge_define(struct merge *merge, enum reference kind, uint64_t self, const void *key,
                      size_t n_bytes, bool *is_new);

/// Whether KEY comes for the first time.
bool merge_is_first(struct merge *merge, const void *key, size_t n_bytes);

/// The maps that an event file of WORLD needs whose location has OWN: from identifiers in events to
/// those of the new archive.
void merge_maps(const struct merged_world *world, const struct local_definitions *own,
                struct local_definitions *new_one);

void merge_ids_release(struct merge *merge);

// --- merge_connections.c

/// Finds the communicators that connect worlds (MPI_Comm_accept and the like), and those made of
/// them.
void merge_connections(struct merge *merge);

/// The rank in the new archive of member MEMBER of a group of MPI, MERGE_NONE: it was not traced.
uint32_t merge_rank(const struct merged_world *world, uint64_t member);

/// The locations of PARADIGM in WORLD, by rank; NULL: none.
const struct group_record *merge_locations(const struct merged_world *world,
                                           OTF2_Paradigm paradigm);

/// The group that ID is in WORLD; NULL.
const struct group_record *merge_group(const struct merged_world *world, OTF2_GroupRef id);

/// Whether some member of GROUP was not traced.
bool merge_has_outsider(const struct merged_world *world, const struct group_record *group);

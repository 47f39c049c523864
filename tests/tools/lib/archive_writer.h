// SPDX-License-Identifier: BSD-3-Clause
// Writes OTF2 archives for tests and benchmarks, with the definitions Score-P would write: system
// tree, one location group a rank, COMM_LOCATIONS group, communicators, regions. Events are written
// by OTF2's own calls on the writer of a location.
#pragma once

#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"

struct archive_writer;

// Communicators, attributes and the metric that every archive defines.
enum { ARCHIVE_WORLD, ARCHIVE_SELF, ARCHIVE_FIRST_COMM };
enum {
    ARCHIVE_ATTRIBUTE_COMMUNICATOR,
    ARCHIVE_ATTRIBUTE_SOURCE,
    ARCHIVE_ATTRIBUTE_TAG,
    ARCHIVE_ATTRIBUTE_POLL_COUNT,
    ARCHIVE_ATTRIBUTE_POLL_NS,
    ARCHIVE_ATTRIBUTE_IN_PLACE,
    ARCHIVE_ATTRIBUTE_CALL_SITE,
    ARCHIVE_ATTRIBUTE_WORK,
    ARCHIVE_ATTRIBUTE_ELEMENTS,
    ARCHIVE_ATTRIBUTE_CALL_LINE, // the same name, but the type of a source code location
    ARCHIVE_ATTRIBUTE_BARRIER,
    ARCHIVE_ATTRIBUTE_CONDITION,
    ARCHIVE_ATTRIBUTE_COLLECTIVE,
};
enum { ARCHIVE_METRIC_CPU_TIME, ARCHIVE_METRIC_CORE_WAIT }; // the latter with both members

/// Opens a new archive DIRECTORY/traces.otf2. NULL and ERR when that cannot be (it exists, ...).
struct archive_writer *archive_writer_new(const char *directory, uint32_t n_ranks,
                                          struct error *err);

/// Before the first event: clock frequency (default 10^9), time of day at tick 0 (unknown) and the
/// node of a rank (default "node0").
void archive_writer_set_clock(struct archive_writer *writer, uint64_t ticks_per_second);
void archive_writer_set_realtime(struct archive_writer *writer, uint64_t realtime_ns);
void archive_writer_set_node(struct archive_writer *writer, uint32_t rank, const char *node);

/// The number of cores of the node of this name, as its property PAGODA::CORES (default: none).
void archive_writer_set_cores(struct archive_writer *writer, const char *node, uint32_t n_cores);

/// A property of a location, a UINT64.
void archive_writer_set_property(struct archive_writer *writer, uint64_t location, const char *name,
                                 uint64_t number);

/// The cores that a rank is bound to, as its property PAGODA::BOUND_TO (default: none).
void archive_writer_set_bound(struct archive_writer *writer, uint32_t rank, const char *cores);

/// The last rank stands for all processes that were not traced, as in our tracer's archives.
void archive_writer_set_outsiders(struct archive_writer *writer);

/// A property of the archive.
void archive_writer_set_fact(struct archive_writer *writer, const char *name, const char *value);

/// The last N_RANKS ranks were started by MPI_Comm_spawn, as the property PAGODA::SPAWNED_RANKS.
void archive_writer_set_spawned(struct archive_writer *writer, uint32_t n_ranks);
/// The MPI of the run, and "NAME=VALUE" of its environment, NULL: none, as properties.
void archive_writer_set_mpi(struct archive_writer *writer, const char *name, const char *variable);

/// OTF2 location id of a thread (0: the master) of a rank.
static inline uint64_t archive_location(uint32_t rank, uint32_t thread)
{
    return (uint64_t)thread << 32 | rank;
}

/// Makes sure a location exists, and gives the writer of its events; NULL when that cannot be. The
/// masters of all ranks exist always.
OTF2_EvtWriter *archive_writer_events(struct archive_writer *writer, uint64_t location);
/// No event of this location follows: what its writer holds goes to disk. Returns its events.
uint64_t archive_writer_end(struct archive_writer *writer, uint64_t location);

/// Region NAME as it was defined, or a new one: FILE may be NULL; a MPI paradigm gives it the
/// source file "MPI" and the role of its operation.
uint32_t archive_writer_region(struct archive_writer *writer, const char *name, const char *file,
                               uint32_t line, OTF2_Paradigm paradigm);
/// REGION is a marker as our tracer writes them.
void archive_writer_is_marker(struct archive_writer *writer, uint32_t region);
/// REGION is NAME in the archive, where several may have one name.
void archive_writer_call_region(struct archive_writer *writer, uint32_t region, const char *name);

/// A reference to something that is never defined.
enum { ARCHIVE_DANGLING = 123456789 };

/// Source code location of a line of FILE (line 0: undefined).
uint32_t archive_writer_source(struct archive_writer *writer, const char *file, uint32_t line);

/// The calling context called NAME. It is only defined by archive_writer_set_context(), all of
/// whose references may be undefined ones of OTF2 or dangling.
uint32_t archive_writer_context(struct archive_writer *writer, const char *name);
void archive_writer_set_context(struct archive_writer *writer, uint32_t context, uint32_t region,
                                uint32_t source, uint32_t parent);

/// Communicator NAME of these world ranks; with N_REMOTE an intercommunicator of two groups.
/// archive_writer_find_comm() gives OTF2_UNDEFINED_COMM for an unknown name.
uint32_t archive_writer_comm(struct archive_writer *writer, const char *name,
                             const uint64_t *members, uint32_t n_members, const uint64_t *remote,
                             uint32_t n_remote);
uint32_t archive_writer_find_comm(const struct archive_writer *writer, const char *name);
uint32_t archive_writer_comm_size(const struct archive_writer *writer, uint32_t comm);
/// The group of a communicator's members, the first one of an intercommunicator.
uint32_t archive_writer_group(const struct archive_writer *writer, uint32_t comm);

/// RMA window NAME of a communicator; archive_writer_find_window() gives OTF2_UNDEFINED_RMA_WIN for
/// an unknown name.
void archive_writer_window(struct archive_writer *writer, const char *name, uint32_t comm);
uint32_t archive_writer_find_window(const struct archive_writer *writer, const char *name);

/// File NAME, a handle of MPI-IO of a communicator or OTF2_UNDEFINED_COMM;
/// archive_writer_find_file() gives OTF2_UNDEFINED_IO_HANDLE for an unknown name.
void archive_writer_file(struct archive_writer *writer, const char *name, uint32_t comm);
uint32_t archive_writer_find_file(const struct archive_writer *writer, const char *name);

/// Local definitions of a location: a clock offset, a mapping of local to global identifiers.
void archive_writer_clock_offset(struct archive_writer *writer, uint64_t location, uint64_t ticks,
                                 int64_t offset_ticks);
void archive_writer_map(struct archive_writer *writer, uint64_t location, OTF2_MappingType type,
                        const uint32_t *global_ids, uint32_t n);

/// Writes what the functions above do not define. Strings from ARCHIVE_FIRST_STRING on are free.
enum { ARCHIVE_FIRST_STRING = 1000000 };
typedef void archive_define(OTF2_GlobalDefWriter *definitions, void *data);

/// Writes all definitions, those of DEFINE (may be NULL) last, closes the archive and frees WRITER.
/// Returns 0, or -1 and ERR when anything went wrong since archive_writer_new().
int archive_writer_close(struct archive_writer *writer, archive_define *define, void *data,
                         struct error *err);

/// Closes and frees without writing definitions: what is left is not a valid archive.
void archive_writer_abandon(struct archive_writer *writer);

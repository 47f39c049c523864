// SPDX-License-Identifier: BSD-3-Clause
// Archives that are copied with other times: what replays and commands call, and what the copy
// consists of.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "analyzer/base/error.h"
#include "analyzer/rewrite/clock_fit.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/rewrite/time_map.h"
#include "analyzer/trace/definitions/local_definitions.h"
#include "analyzer/trace/reader.h"

// --- rewrite.c
// Writes an archive anew: the same definitions and records, at the times of a simulated run, ranks
// on the nodes they ran on there.

/// Damaged archives are replayed up to the damage, but a copy of them would look whole: 0 if TRACE,
/// replayed to its end, could be read wholly, or -1 and ERR.
int rewrite_check_source(const struct trace *trace, struct error *err);

/// Writes TRACE, replayed to its end, at the times of TIMES, finished. Wholly or not at all: what
/// is written stands in a folder beside DIRECTORY until it is complete. 0, or -1 and ERR.
int rewrite_archive(const char *directory, const struct trace *trace, struct time_map *times,
                    const struct rewrite_run *run, struct error *err);

// --- shift_clocks.c
// A copy of an archive in which the clocks of locations are set right: the same records, byte by
// byte, with other clock offsets in the locations' own definitions, which every reader applies.

/// Copies TRACE, replayed to its end, to DIRECTORY (see new_archive.h), with the clock offsets that
/// TRACE has (trace_correct_clocks()). Wholly or not at all. 0, or -1 and ERR.
int shift_clocks(const char *directory, const struct trace *trace, struct error *err);

/// The same into FOLDER, a part of a rewrite_writer's work. TRACE is of no use afterwards: its
/// files are moved if they can be.
int shift_clocks_moved(const char *folder, const struct trace *trace, struct error *err);

/// The archive of TRACE, whose files are to be copied as they are, and the sizes of their chunks.
/// NULL and ERR: that cannot be. The caller closes it.
OTF2_Reader *shift_clocks_open(const struct trace *trace, uint64_t *event_bytes,
                               uint64_t *definition_bytes, struct error *err);

/// Writes the file of the own definitions of the location ID of ARCHIVE.
OTF2_ErrorCode shift_clocks_write(OTF2_Archive *archive, uint64_t id,
                                  const struct local_definitions *own);

// --- copy_definitions.c
// Copies the global definitions of an archive.

/// What is new of a location, by its index in struct definitions.
struct copy_location {
    uint64_t n_records;
    uint64_t end_ns; // of its last event
};

enum { LATE_ATTRIBUTES = 3 };

/// Definitions that calls need which are waited for later (copy_events.c): the region MPI_Waitall,
/// and the attributes by which a posted receive says what it is for. Those of the trace where it
/// has them, else new ones.
struct late_definitions {
    OTF2_RegionRef waitall;
    OTF2_AttributeRef attributes[LATE_ATTRIBUTES]; // by enum attribute_role
    bool has_new_region, has_new_attribute[LATE_ATTRIBUTES];
};

/// Chooses the identifiers.
void late_definitions_find(struct late_definitions *late, const struct trace_source *source);

/// Copies the definitions READER has to ARCHIVE, whose events are written, and adds LATE unless
/// NULL. 0, or -1 and ERR.
int copy_definitions(const struct trace_source *source, OTF2_Reader *reader, OTF2_Archive *archive,
                     const struct rewrite_run *run, const struct copy_location *locations,
                     const struct late_definitions *late, struct error *err);

// --- copy_events.c
// Copies the records of one location with other times.

struct progress;

struct copy_events {
    struct trace_source source;
    OTF2_Reader *reader; // its event files are open
    OTF2_Archive *archive;
    OTF2_EvtReaderCallbacks *callbacks;  // of copy_events_callbacks()
    const struct late_definitions *late; // NULL: no call is waited for later
    struct progress *progress;
    uint64_t n_done; // records of all locations so far
};

/// NULL when memory is out; the caller deletes them.
OTF2_EvtReaderCallbacks *copy_events_callbacks(void);

/// Copies the first N_RECORDS records of the location with this OTF2 ID, and the clock offsets
/// LOCAL, at the times of TIMES; *N_WRITTEN records were written. 0, or -1 and ERR.
int copy_events(struct copy_events *copy, OTF2_LocationRef id,
                const struct local_definitions *local, uint64_t n_records,
                struct time_map_reader *times, uint64_t *n_written, struct error *err);

// --- unchanged_definitions.c
// Writes the global definitions of an archive to another one, each as it is.

/// The user data of the callbacks; the first member of a larger struct for those that replace some.
struct definition_copy {
    OTF2_GlobalDefWriter *writer;
    OTF2_ErrorCode code; // of the first failure to write, else OTF2_SUCCESS
};

/// Notes the CODE of a write, for callbacks: whether to go on.
OTF2_CallbackCode definition_copy_written(struct definition_copy *copy, OTF2_ErrorCode code);
/// The same of a definition of KIND with these fields that COPY, a struct definition_copy, writes.
#define WRITE_DEFINITION(copy, kind, ...)                                                          \
    definition_copy_written((copy), OTF2_GlobalDefWriter_Write##kind((copy)->writer, __VA_ARGS__))

/// One for each kind of definition, which writes it again; some may be set to others. NULL when
/// memory is out. The caller deletes them, or gives them to definition_copy_run().
OTF2_GlobalDefReaderCallbacks *definition_copy_callbacks(void);

/// Begins the definitions of ARCHIVE. 0, or -1 and ERR.
int definition_copy_begin(struct definition_copy *copy, OTF2_Archive *archive, struct error *err);
/// Ends them where STATUS is 0. Returns STATUS, or -1 and ERR if they could not all be written.
int definition_copy_end(struct definition_copy *copy, OTF2_Archive *archive, int status,
                        struct error *err);

#define DEFINITION_COPY_ALL UINT64_MAX

/// Gives the first N_RECORDS definitions of READER to CALLBACKS, which are deleted. 0, or -1 and
/// ERR.
int definition_copy_run(struct definition_copy *copy, OTF2_Reader *reader,
                        OTF2_GlobalDefReaderCallbacks *callbacks, uint64_t n_records,
                        struct error *err);

// SPDX-License-Identifier: BSD-3-Clause
// The OTF2 archive that is being written: opening, definitions, closing. Only this file,
// definitions.c, events.c and *_events.c know OTF2. The form is Score-P's, so that tools made for
// its archives read ours: MPI regions with source file "MPI", paradigm and role; the group of
// communicator locations first, communicator groups as ranks in it; one location group a rank below
// its node.
#pragma once

#include "tracer/dispatch/dispatch.h"
#include "tracer/finish/cost.h"
#include "tracer/finish/unify.h"

#include <otf2/otf2.h>
#include <setjmp.h>

enum attribute {
    ATTRIBUTE_COMMUNICATOR, // pagoda::communicator, on MpiIrecvRequest and
                            // NonBlockingCollectiveRequest
    ATTRIBUTE_SOURCE,       // pagoda::source
    ATTRIBUTE_TAG,          // pagoda::tag
    ATTRIBUTE_POLL_COUNT,   // pagoda::poll_count, on the enter of folded polls
    ATTRIBUTE_POLL_NS,      // pagoda::poll_ns
    ATTRIBUTE_CALL_SITE,    // pagoda::call_site, on the enter of MPI calls
    ATTRIBUTE_IN_PLACE,     // pagoda::in_place, on the end of collective operations
    ATTRIBUTE_BARRIER,      // pagoda::barrier, on the enter of pthread_barrier_wait
    ATTRIBUTE_CONDITION,    // pagoda::condition, on those of waits for one and of its signals
    ATTRIBUTE_COLLECTIVE,   // pagoda::collective, on the change of a file's handle
    N_ATTRIBUTES
};

/// What the only busy thread of a process got of its cores from MPI_Init to MPI_Finalize: CPU time,
/// and time in which it was ready without a core. of_ns 0: nothing is known.
struct core_use {
    uint64_t of_ns, used_ns, wait_ns;
};

struct archive_location {
    uint32_t rank;
    uint32_t thread;
    uint64_t n_events;
    bool has_teams;       // of OpenMP,
    uint64_t team_thread; // its number in the first one
    bool has_threads;     // made or joined some, or is one that was made: of POSIX
    uint32_t n_offsets;
    struct spool_clock_offset offsets[2];
    // Time of the last record on the reference clock, where MPI_Finalize did not return or the
    // recording stopped before it; 0 elsewhere. The reason of a stop, NULL: it did not stop.
    uint64_t recorded_until_ns;
    const char *stopped;
    uint64_t n_short; // regions dropped because of the setting min_duration
    struct recording_cost cost;
    struct core_use core_use;
    // Path of the program and its command line, of first threads with records; borrowed.
    const char *executable, *command;
};

struct archive {
    OTF2_Archive *otf2;
    const char *error;   // text of the first error OTF2 reported, NULL: none
    jmp_buf *on_failure; // where to go on from such an error, NULL: on
    // Their keys are what is defined: texts; the structures below; names of marker parameters,
    // which are attributes after the fixed ones; sets of counters, as in struct spool_header.
    struct table strings, regions, lines, contexts, parameters, files, counter_sets;
    struct archive_location *locations;
    size_t n_locations;
    char **hosts;           // by rank; NULL: the rank left nothing
    const uint64_t **cores; // by rank: the cores it may use, in its spool's header
    uint32_t n_ranks;
    unsigned n_connections; // ends of connections, each with a property
    bool has_outsiders;     // location n_ranks stands for all processes that were not traced
    uint64_t first_ns;      // earliest and latest event, on the reference clock
    uint64_t last_ns;
    uint64_t realtime_ns; // time of day at first_ns
    bool has_cpu_metric;
};

/// Classes and members of metrics before this are those of CPU time.
#define FIRST_COUNTER 2

/// Keys, so without padding.
struct archive_region {
    uint32_t name;
    uint32_t file;
    uint32_t line;
    uint32_t role;
    uint32_t paradigm;
};

struct archive_line { // a source code location
    uint32_t file;
    uint32_t line;
};

struct archive_file { // an I/O handle: a file and how it is opened
    uint32_t name;
    uint32_t comm;     // OTF2_UNDEFINED_COMM: unknown, or none
    uint32_t paradigm; // enum file_paradigm
};

struct archive_context { // a calling context
    uint32_t region;
    uint32_t line;   // OTF2_UNDEFINED_SOURCE_CODE_LOCATION: unknown
    uint32_t parent; // OTF2_UNDEFINED_CALLING_CONTEXT: unknown
};

/// Creates DIR/traces.otf2 for a run of n_ranks, in place of one that was never finished. Returns
/// false if OTF2 cannot; archive->error says why, and archive_discard() must follow.
bool archive_open(struct archive *archive, const char *dir, uint32_t n_ranks);

/// Reference of a text; the same text has the same one.
uint32_t archive_string(struct archive *archive, const char *text);

/// References of regions: an MPI function by name; a compiled function; an annotation or marker.
uint32_t archive_mpi_region(struct archive *archive, const char *name);
uint32_t archive_function_region(struct archive *archive, const char *name, const char *file,
                                 int line);
uint32_t archive_user_region(struct archive *archive, const char *name, bool is_marker);

/// The region of a construct of OpenMP that is called at this line (file NULL: unknown) of
/// `function` (NULL: unknown).
uint32_t archive_openmp_region(struct archive *archive, enum openmp_construct construct,
                               const char *function, const char *file, int line);
OTF2_RegionRole archive_openmp_role(enum openmp_construct construct);

/// Reference of the calling context: this line (file NULL: unknown) of this region, called from
/// `parent` (OTF2_UNDEFINED_CALLING_CONTEXT: unknown).
OTF2_CallingContextRef archive_calling_context(struct archive *archive, uint32_t region,
                                               const char *file, int line,
                                               OTF2_CallingContextRef parent);

/// Reference of the I/O handle of the file NAME that COMM (or OTF2_UNDEFINED_COMM) opens.
OTF2_IoHandleRef archive_file(struct archive *archive, const char *name, OTF2_CommRef comm,
                              enum file_paradigm paradigm);

/// The region of a function of the C library for files; of one for threads that is called there,
/// as constructs of OpenMP are.
uint32_t archive_file_region(struct archive *archive, enum file_call call);
uint32_t archive_thread_region(struct archive *archive, enum thread_call call, const char *function,
                               const char *file, int line);

/// Attribute reference of a marker's parameter.
uint32_t archive_parameter(struct archive *archive, const char *name);

/// The metric class of a set of counters.
OTF2_MetricRef archive_counters(struct archive *archive, uint64_t set);

/// OTF2's number of a thread: Score-P's scheme, so that ranks come first.
OTF2_LocationRef archive_location_ref(uint32_t rank, uint32_t thread);

/// A fact about the run ("PAGODA::COMMAND", ...). Empty values are left out.
void archive_property(struct archive *archive, const char *name, const char *value);

/// A variable of the environment, "NAME=VALUE": property PAGODA::ENV::NAME. Names that OTF2 does
/// not take, such as those of functions that a shell exports, are left out.
void archive_variable(struct archive *archive, const char *variable);

/// The event writer of a thread; archive_end_events() must follow with what was found out.
OTF2_EvtWriter *archive_begin_events(struct archive *archive, uint32_t rank, uint32_t thread);
bool archive_end_events(struct archive *archive, OTF2_EvtWriter *writer,
                        const struct archive_location *location);

/// Writes all definitions and closes. Returns false if anything could not be written.
bool archive_close(struct archive *archive, const struct unify *unify);

/// Gives up and removes the files that exist so far.
void archive_discard(struct archive *archive, const char *dir);

/// For archive.c: keeps the first error; whether there was none so far.
bool archive_ok(struct archive *archive, OTF2_ErrorCode code);

/// Writes all definitions, when everything that occurs is known; false after an error.
bool archive_write_definitions(struct archive *archive, const struct unify *unify);

// SPDX-License-Identifier: BSD-3-Clause
// What the archive's definitions say, in dense indices: regions, locations, ranks, communicators,
// nodes. Built once by trace_open(), read-only afterwards.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/function_names.h"
#include "analyzer/trace/event.h"

struct map;

/// What an MPI function does to the engine, as far as its name must tell (the records inside the
/// call tell the rest). Names are compared without case, Fortran suffixes and the PMPI prefix.
enum mpi_function {
    MPI_FUNCTION_NONE, // not an MPI region
    MPI_FUNCTION_OTHER,
    MPI_FUNCTION_INIT, // MPI_Init, MPI_Init_thread, MPI_Session_init
    MPI_FUNCTION_FINALIZE,
    MPI_FUNCTION_SESSION_FINALIZE,
    MPI_FUNCTION_TEST,             // MPI_Test*, MPI_Parrived, MPI_Request_get_status,
                                   // MPI_Win_test
    MPI_FUNCTION_IPROBE,           // MPI_Iprobe, MPI_Improbe
    MPI_FUNCTION_STANDARD_SEND,    // MPI_Send, MPI_Isend, MPI_Sendrecv and the like
    MPI_FUNCTION_SYNCHRONOUS_SEND, // MPI_Ssend, MPI_Issend (and _init)
    MPI_FUNCTION_START,            // MPI_Start, MPI_Startall
    MPI_FUNCTION_PROBE,            // MPI_Probe, MPI_Mprobe
    MPI_FUNCTION_FILE,             // MPI_File_*
    MPI_FUNCTION_WIN_POST,
    MPI_FUNCTION_WIN_START,
    MPI_FUNCTION_WIN_COMPLETE,
    MPI_FUNCTION_WIN_WAIT,
};

/// What an MPI function is for, by its name.
enum mpi_class {
    MPI_CLASS_NONE, // not an MPI region
    MPI_CLASS_START_END,
    MPI_CLASS_POINT_TO_POINT, // with completions, which may be of other operations, too
    MPI_CLASS_COLLECTIVE,
    MPI_CLASS_RMA,                 // MPI_Put, MPI_Get, ...
    MPI_CLASS_RMA_SYNCHRONISATION, // MPI_Win_lock, MPI_Win_fence, MPI_Win_flush, ...
    MPI_CLASS_FILE,
    MPI_CLASS_MANAGEMENT, // of communicators, windows, datatypes, ...: all others
    MPI_CLASSES
};

/// What a construct of OpenMP or another thread runtime does to the thread in it.
enum construct {
    CONSTRUCT_NONE,     // no region of a thread runtime
    CONSTRUCT_WORK,     // the thread computes: loop, section, task, body of a critical section, ...
    CONSTRUCT_PARALLEL, // the same; the place of a parallel region
    CONSTRUCT_BARRIER,
    CONSTRUCT_IMPLICIT_BARRIER, // at the end of a construct
    CONSTRUCT_LOCK, // it waits for a lock, or to enter the body of a critical section or what is
                    // to be done in order, which is CONSTRUCT_WORK in it
    CONSTRUCT_CONDITION, // it waits for another thread to signal a condition
    CONSTRUCT_TASK,      // it waits for tasks or threads
    CONSTRUCT_RUNTIME,   // creates tasks or threads, flushes, ...
    CONSTRUCT_UNLOCK,    // the same: gives a lock back, or asks for it without waiting
};

static inline bool construct_is_barrier(enum construct construct)
{
    return construct == CONSTRUCT_BARRIER || construct == CONSTRUCT_IMPLICIT_BARRIER;
}

struct region {
    const char *name;
    const char *file;  // "" when unknown
    uint32_t line;     // 0 when unknown
    uint8_t mpi;       // enum mpi_function
    uint8_t mpi_class; // enum mpi_class
    uint8_t construct; // enum construct
    uint8_t is_marker; // a moment that the program marked: left as it is entered
    bool is_for_files; // not of MPI: a function that reads, writes or manages files
};

/// Whether calls of REGION may have a place, and end the computing before them.
static inline bool region_is_of_calls(const struct region *region)
{
    return region->mpi != MPI_FUNCTION_NONE || region->is_for_files;
}

/// Where in the source a call is, and from where the function around it was called.
struct calling_context {
    uint32_t region;  // the function around the call, EVENT_NO_INDEX when unknown
    uint32_t parent;  // the context of the call of that function, EVENT_NO_INDEX; never a circle
    uint32_t line;    // of the call, 0 when unknown
    const char *file; // likewise, "" when unknown
};

struct location {
    uint64_t id; // OTF2 location id
    const char *name;
    uint32_t rank;      // index into ranks, EVENT_NO_INDEX for a location of no process
    uint64_t n_events;  // as the definition declares
    bool is_cpu_thread; // false: GPU, metric
    bool is_gpu_stream; // its regions are kernels and copies of a GPU
    bool is_master;     // the location of its rank in the MPI location group
    bool is_defined;    // false: a stand-in, the location group names it but no definition does
    // What our tracer says of processes that did not end by MPI_Finalize:
    bool is_cut_short;
    uint64_t recorded_until_ticks; // of the last record
    uint64_t recorded_until_ns;
    const char *stop_reason; // why recording stopped while the process went on, NULL: it did not
    // Path of the program and its command line, of masters; NULL: those of the archive.
    const char *executable, *command;
    uint64_t n_short_regions; // that our tracer dropped because they were too short
    // What recording took of so much time, estimated; and what of it went to functions left out.
    uint64_t recording_ns, recording_of_ns, excluded_ns;
    uint64_t record_ps; // process time that a record took, in the mean; 0: not known
    // From MPI_Init to MPI_Finalize, of a rank with one busy thread: CPU time of so much time, and
    // time in which it was ready without a core. core_of_ns 0: not known.
    uint64_t core_of_ns, core_used_ns, core_wait_ns;
};

struct rank {
    const char *name;
    uint32_t master;      // location index
    uint32_t node;        // index into nodes
    uint32_t n_locations; // locations of this process, master included
    uint32_t core_set;    // index into core_sets: whose cores it may use
};

/// Cores of a node that the same ranks share: those they are all bound to, else all of the node.
struct core_set {
    uint32_t node, n_ranks;
    uint32_t n_cores;     // 0: unknown
    const char *bound_to; // such as "0,2-3"; NULL: its ranks are not bound, or that is unknown
};

/// Whether more ranks share its cores than there are.
static inline bool core_set_is_oversubscribed(const struct core_set *set)
{
    return set->n_cores > 0 && set->n_ranks > set->n_cores;
}

struct node {
    const char *name;
    const char *machine; // name of the root of its system tree, "" when it is its own root
    uint32_t n_cores;    // cores its ranks may use together, 0 when unknown
};

struct communicator {
    const char *name;
    bool is_neighborhood;    // its messages are those of neighbourhood collectives
    bool is_mpi;             // false: a team of threads, a SHMEM or GPU group, ...
    const uint32_t *members; // world ranks by rank in the communicator; EVENT_NO_INDEX: undefined
    uint32_t n_members;      // 0: a "self" communicator, every rank is its only member there
    // An intercommunicator has a second group; ranks of a message or root count in the other group.
    const uint32_t *remote_members;
    uint32_t n_remote_members;
    bool is_intercommunicator;
    const struct map *rank_by_member; // inverse of members, NULL while members[i] = members[0] + i
    const struct map *rank_by_remote_member;
};

/// World ranks that synchronise on an RMA window; EVENT_NO_INDEX: not known.
struct rank_group {
    const uint32_t *members;
    uint32_t n_members;
};

/// Name that our tracer gives to a communicator for the messages of neighbourhood collectives.
#define DEFINITIONS_NEIGHBORHOOD "pagoda neighbourhood collectives"

/// Names of definitions.gap_region, .no_cpu_region and .blocked_region.
#define DEFINITIONS_GAP     "(recording off)"
#define DEFINITIONS_NO_CPU  "(without CPU time)"
#define DEFINITIONS_BLOCKED "(blocked)"

struct property {
    const char *name;
    const char *value;
};

/// A counter whose values add up: what it grew by between two records belongs to what the location
/// did meanwhile.
struct counter {
    const char *name, *unit, *description; // "" when unknown
    double scale;                          // of recorded values
    bool is_growth;                        // they are what it grew by, not the sum so far
};

/// A file as one paradigm of I/O has it, such as POSIX or MPI-IO; what several handles stand for.
struct file {
    const char *name;     // of the file, else of the handle
    const char *paradigm; // "" when unknown
};

/// Counters of accesses to RMA windows, which no archive has: they are counted from its records.
enum access_counter {
    COUNTER_PUTS,
    COUNTER_BYTES_PUT,
    COUNTER_GETS,
    COUNTER_BYTES_GOT,
    COUNTER_ATOMICS,
    COUNTER_BYTES_ATOMIC,
    ACCESS_COUNTERS
};

struct definitions {
    struct region *regions;
    size_t n_regions;
    // After those of the archive: stretches without recording; without CPU time, for want of a core
    // or for reasons that are not known; without CPU time and not ready to run.
    uint32_t gap_region, no_cpu_region, blocked_region;
    struct calling_context *contexts;
    size_t n_contexts;
    size_t n_bad_contexts;      // that name a region, source location or parent that does not exist
    struct location *locations; // sorted by (rank, master first, id)
    size_t n_locations;
    struct rank *ranks; // by MPI world rank; an archive without MPI has one rank per process
    size_t n_ranks;
    size_t n_spawned_ranks; // the last ones: started by MPI_Comm_spawn, with worlds of their own
    bool is_merged;         // of several launches, each with a world of its own
    struct communicator *communicators;
    size_t n_communicators;
    size_t n_windows;          // of RMA: the last ones of the communicators,
    size_t n_of_files;         // before them those that stand for the files of one
    struct rank_group *groups; // of an archive with windows
    size_t n_groups;
    struct counter *counters;
    size_t n_counters;
    uint32_t access_counters; // place of the first one, of an archive with windows
    struct file *files;
    size_t n_files;
    struct node *nodes;
    size_t n_nodes;
    struct core_set *core_sets;
    size_t n_core_sets;
    struct property *properties; // archive properties
    size_t n_properties;
    const char *creator; // what wrote the archive
    bool renames_tasks;  // a leave may name another region than the innermost one, which it leaves
    const char *description;
    uint64_t length_ns;   // of the run as the archive declares: for progress only, 0 when unknown
    uint64_t realtime_ns; // wall-clock time of the run's start, 0 when unknown
};

/// Whether the communicator with this index is an RMA window.
static inline bool definitions_is_window(const struct definitions *definitions,
                                         uint32_t communicator)
{
    return communicator + definitions->n_windows >= definitions->n_communicators;
}

/// Whether it stands for all files that the ranks of a communicator opened together.
static inline bool definitions_is_of_files(const struct definitions *definitions,
                                           uint32_t communicator)
{
    return communicator + definitions->n_windows + definitions->n_of_files >=
               definitions->n_communicators &&
           !definitions_is_window(definitions, communicator);
}

/// Rank of WORLD_RANK in COMM's own group (either group of an intercommunicator), EVENT_NO_INDEX
/// when it is not a member. Constant time. In a self communicator everybody is rank 0.
uint32_t communicator_rank_of(const struct communicator *comm, uint32_t world_rank);

/// True when WORLD_RANK is in the first group of COMM (members), false for remote_members and
/// strangers.
bool communicator_in_first_group(const struct communicator *comm, uint32_t world_rank);

/// World rank of RANK_IN_COMM as a peer of LOCAL_RANK (a world rank) in COMM: the other group of an
/// intercommunicator, LOCAL_RANK itself in a self communicator; EVENT_NO_INDEX when there is none.
static inline uint32_t communicator_peer(const struct communicator *comm, uint32_t local_rank,
                                         uint32_t rank_in_comm)
{
    if (comm->n_members == 0)
        return rank_in_comm == 0 ? local_rank : EVENT_NO_INDEX;
    if (comm->is_intercommunicator && communicator_in_first_group(comm, local_rank))
        return rank_in_comm < comm->n_remote_members ? comm->remote_members[rank_in_comm]
                                                     : EVENT_NO_INDEX;
    return rank_in_comm < comm->n_members ? comm->members[rank_in_comm] : EVENT_NO_INDEX;
}

/// Classifies a region. With IS_MPI_PARADIGM every name is an MPI function and is compared without
/// case, PMPI prefix, and the suffixes of Fortran and of large counts (mpi_recv_, MPI_Recv_f08,
/// MPI_Recv_c); without it only C spellings (MPI_Recv, PMPI_Recv) are, so that a user's
/// own mpi_setup_ stays his.
enum mpi_function mpi_function_of_name(const char *name, bool is_mpi_paradigm);
/// The class of the MPI function NAME, spelt as above.
enum mpi_class mpi_class_of_name(const char *name);

/// The value of the archive's property NAME, in the capitals that OTF2 gives it; NULL: there is
/// none.
const char *definitions_property(const struct definitions *definitions, const char *name);
/// The file of the program, as our tracer or Score-P names it; NULL: the archive does not say.
const char *definitions_executable(const struct definitions *definitions);

// --- which regions of a run a name means, as reports show it, whole or short
// --- (base/function_names.h), or as a glob

/// How each region is shown. The caller frees by memory_free_each().
char **region_names_shown(const struct definitions *definitions);

/// Which regions TEXT means as a name; IS_MEANT gets an answer for each.
enum function_names_found region_names_find(const struct definitions *definitions, const char *text,
                                            bool *is_meant);

/// The same, or if TEXT is no name those whose whole name fits the glob TEXT. 0, though there may
/// be none, or -1 and ERR: "solve is ambiguous: solve(int), solve(double)".
int region_names_take(const struct definitions *definitions, const char *text, bool *is_meant,
                      struct error *err);

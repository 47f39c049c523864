// SPDX-License-Identifier: BSD-3-Clause
// The spool: what a traced thread leaves on disk until the archive is written.
//
// A spool file is a header of SPOOL_HEADER_BYTES and then chunks of `chunk_bytes` each, written
// through shared mappings, so that records outlive the process. Unused space is zero, and a zero
// head ends the records of the file (RECORD_PAD: go to the next chunk). Records are 8-byte words: a
// head, then the structure of its kind. Integers are the machine's: a spool is read where it was
// written.
//
// An MPI call is one CALL record, its head written on entry, `leave_ns` when it returns (zero: the
// process ended inside the call), followed by the details known after it.
#pragma once

#include <stdint.h>

#define SPOOL_MAGIC            "PGDSPOOL"
#define SPOOL_VERSION          21
#define SPOOL_HEADER_BYTES     65536 // the largest page size: chunks are mapped one by one
#define SPOOL_SUFFIX           ".spool"
#define SPOOL_STOPPED_AT_LIMIT (-1) // in stop_errno: the setting max_bytes
#define SPOOL_STOPPED_BY_LOSS  (-2) // in stop_errno: the file was cut, or its disk failed
#define SPOOL_CORES            8192 // the most that Linux can be built for

struct spool_clock_offset {
    uint64_t time_ns;  // on this process's clock
    int64_t offset_ns; // to be added to this clock to get the reference clock
    uint64_t error_ns; // half the shortest round trip
};

/// What the thread that called MPI_Init had got of its cores by some time.
struct spool_core_use {
    uint64_t time_ns;
    uint64_t process_ns; // CPU time of its process,
    uint64_t thread_ns;  // of itself
    uint64_t wait_ns;    // it was ready and had no core; RECORD_NO_CORE_WAIT: nothing is known
};

struct spool_header {
    char magic[8];
    uint32_t version;
    uint32_t chunk_bytes;
    uint64_t run_id; // the same in all processes of one MPI_COMM_WORLD
    uint32_t rank;
    uint32_t n_ranks;
    uint32_t thread; // 0: the thread that called MPI_Init
    uint32_t pid;
    uint64_t
        process_start;    // of `pid`, as in /proc/PID/stat: a later process of that number differs
    uint64_t clock_ns;    // the recording clock (CLOCK_MONOTONIC) and the time of day,
    uint64_t realtime_ns; // read together
    uint32_t n_clock_offsets;
    uint32_t finalized; // 1 once MPI_Finalize returned
    int32_t stop_errno; // why recording stopped early, 0: it did not; SPOOL_STOPPED_AT_LIMIT
    uint64_t stop_ns;
    uint64_t refused;            // 1: some process could not record, so none did; it has said why
    uint64_t n_dropped_short;    // regions below the setting min_duration
    uint64_t n_excluded;         // events of functions left out by the setting filter
    uint64_t n_nested_teams;     // parallel regions within others, whose threads left no records
    uint64_t n_unknown_tasks;    // tasks that look like waiting in the construct that ran them
    uint64_t n_left_out_threads; // there were too many at a time; of the first thread
    uint64_t counters;           // bit i: COUNTERS records have counter i of the setting
    struct spool_clock_offset clock_offsets[2];
    struct spool_core_use core_use[2]; // when MPI_Init ended and MPI_Finalize began; else 0
    uint64_t cores[SPOOL_CORES / 64];  // bit n % 64 of word n / 64: this process may run on core n
    char host[256];
    char clock_domain[128]; // processes with the same text here share a clock
    char mpi[64]; // "openmpi", "mpich", or "mpi_abi": another one with the interface of MPI 5
    char mpi_version[512]; // what MPI_Get_library_version says, first line and device
    char executable[1024];
    char command[2048];       // arguments, separated by spaces
    char counter_notes[2048]; // why some are left out: lines
};

/// What records there are, each with its structure.
#define RECORD_KINDS                                                                               \
    KIND(RECORD_END, record_head)                                                                  \
    KIND(RECORD_PAD, record_head)                                                                  \
    /* Definitions; id is what later records call the thing. */                                    \
    KIND(RECORD_FUNCTION, record_name) /* an MPI function */                                       \
    KIND(RECORD_NAME, record_name)     /* a user region, marker or parameter name */               \
    KIND(RECORD_COMM, record_comm)                                                                 \
    KIND(RECORD_COMM_NAME, record_name)  /* id: communicator */                                    \
    KIND(RECORD_CONNECTION, record_name) /* id: communicator; "accept PORT" and the like */        \
    KIND(RECORD_FILE, record_file)                                                                 \
    KIND(RECORD_MODULE, record_module) /* a loaded program or library */                           \
    KIND(RECORD_VARIABLE, record_name) /* of the environment, "NAME=VALUE" */                      \
    KIND(RECORD_STACK, record_stack)   /* callers of MPI calls */                                  \
    KIND(RECORD_LINE, record_line)     /* of a script that calls MPI */                            \
    /* Events by themselves. */                                                                    \
    KIND(RECORD_CALL, record_call) /* id: MPI function; or struct record_call_above */             \
    KIND(RECORD_ENTER, record_function_event)                                                      \
    KIND(RECORD_LEAVE, record_function_event)                                                      \
    KIND(RECORD_REGION_BEGIN, record_time) /* id: name */                                          \
    KIND(RECORD_REGION_END, record_time)   /* id: name */                                          \
    KIND(RECORD_MARKER, record_marker)     /* id: name */                                          \
    KIND(RECORD_CPU, record_cpu)                                                                   \
    KIND(RECORD_COUNTERS, record_counters) /* id: COUNTERS_OF_... */                               \
    KIND(RECORD_OFF, record_time)          /* recording was switched off */                        \
    KIND(RECORD_ON, record_time)           /* and on again */                                      \
    KIND(RECORD_THREAD_END, record_time)   /* what follows is another thread's */                  \
    /* OpenMP, see openmp.c. */                                                                    \
    KIND(RECORD_FORK, record_time)       /* id: threads asked for, 0: the default */               \
    KIND(RECORD_TEAM_BEGIN, record_team) /* id: team */                                            \
    KIND(RECORD_TEAM_END, record_time)   /* id: team */                                            \
    KIND(RECORD_JOIN, record_time)                                                                 \
    KIND(RECORD_CONSTRUCT_ENTER, record_function_event) /* id: enum openmp_construct */            \
    KIND(RECORD_CONSTRUCT_LEAVE, record_time)           /* leaves what is open inside, too */      \
    /* Calls of the C library for files. id: RECORD_FILE_ID(file, enum file_call) */               \
    KIND(RECORD_FILE_OPENED, record_file_opened) /* the whole call */                              \
    KIND(RECORD_FILE_CALL, record_file_call)                                                       \
    KIND(RECORD_FILE_CALL_LEAVE, record_file_call_leave)                                           \
    KIND(RECORD_FILE_SEEK, record_file_seek) /* the whole call */                                  \
    /* POSIX threads. id: enum thread_call */                                                      \
    KIND(RECORD_THREAD_BEGIN, record_time) /* id: its number */                                    \
    KIND(RECORD_THREAD_CALL, record_thread_call)                                                   \
    KIND(RECORD_THREAD_CALL_LEAVE, record_thread_call_leave)                                       \
    KIND(RECORD_THREAD_DONE, record_thread_done) /* the whole call */                              \
    /* Details of the CALL before them. id: communicator or window, where there is one. */         \
    KIND(RECORD_SEND, record_message)                                                              \
    KIND(RECORD_RECV, record_message)                                                              \
    KIND(RECORD_ISEND, record_message)                                                             \
    KIND(RECORD_ISEND_DONE, record_request)                                                        \
    KIND(RECORD_IRECV_POST, record_message) /* source and tag as asked for */                      \
    KIND(RECORD_IRECV, record_message)                                                             \
    KIND(RECORD_CANCELLED, record_request)                                                         \
    KIND(RECORD_COLLECTIVE, record_collective)                                                     \
    KIND(RECORD_ICOLL_POST, record_request)                                                        \
    KIND(RECORD_ICOLL, record_collective)                                                          \
    KIND(RECORD_LOCK, record_lock)                                                                 \
    KIND(RECORD_UNLOCK, record_lock)                                                               \
    KIND(RECORD_EPOCH, record_epoch)                                                               \
    KIND(RECORD_ACCESS, record_access)                                                             \
    KIND(RECORD_ACCESS_DONE, record_request)                                                       \
    KIND(RECORD_FLUSH, record_flush)                                                               \
    KIND(RECORD_POLL, record_poll) /* nothing was found, count times */                            \
    /* id: RECORD_FILE_ID(file, OTF2_IoOperationMode), with RECORD_FILE_COLLECTIVE */              \
    KIND(RECORD_FILE_OPEN, record_file_open)                                                       \
    KIND(RECORD_FILE_CLOSE, record_head)                                                           \
    KIND(RECORD_FILE_CHANGED, record_head)         /* by all that opened it */                     \
    KIND(RECORD_FILE_DONE, record_file_done)       /* a blocking operation */                      \
    KIND(RECORD_FILE_BEGIN, record_file_operation) /* one that goes on: asked for */               \
    KIND(RECORD_FILE_END, record_file_operation)   /* read or written */                           \
    KIND(RECORD_SKIPPED, record_skipped)           /* may stand anywhere */

enum record_kind {
#define KIND(name, structure) name,
    RECORD_KINDS
#undef KIND
        N_RECORD_KINDS
};

#define RECORD_ANY          (-1)      // source or tag: wildcard
#define RECORD_TAG_NEIGHBOR INT32_MIN // of neighbourhood collectives
#define RECORD_ALL_TARGETS  (-1)
#define RECORD_NO_ROOT      (-1) // collective without a root
#define RECORD_ROOT_SELF    (-2) // intercommunicator: MPI_ROOT
#define RECORD_ROOT_GROUP   (-3) // intercommunicator: MPI_PROC_NULL
#define RECORD_NO_COMM      UINT32_MAX

/// Numbers of collective operations are OTF2's (OTF2_CollectiveOp).
struct record_head {
    uint16_t kind;
    uint16_t n_words; // head included
    uint32_t id;
};

struct record_time {
    struct record_head head;
    uint64_t time_ns;
};

struct record_call {
    struct record_head head;
    uint64_t enter_ns;
    uint64_t leave_ns;
    uint64_t site; // where the call returns to in the program, 0: unknown; from RECORD_LINE_SITE
                   // on: the LINE record with that number more
};

/// A call whose callers are known, too. Which of the two it is tells the length.
struct record_call_above {
    struct record_call call;
    uint64_t stack; // number of the STACK record
};

/// Return addresses from the caller of the call site's function outwards; numbered from 1 within
/// the process.
struct record_stack {
    struct record_head head;
    uint64_t addresses[];
};

struct record_function_event {
    struct record_head head;
    uint64_t time_ns;
    uint64_t address;
};

/// This thread begins its part of a parallel region. The team's number is that of the thread that
/// forked it.
struct record_team {
    struct record_head head;
    uint64_t time_ns;
    uint64_t site;   // where the call of the runtime returns to in the program, 0: unknown
    uint64_t thread; // number in the team
};

struct record_cpu {
    struct record_head head;
    uint64_t time_ns;
    uint64_t cpu_ns;
    uint64_t core_wait_ns; // the thread was ready and had no core, so far; RECORD_NO_CORE_WAIT
};
#define RECORD_NO_CORE_WAIT UINT64_MAX // the system does not tell

/// What the thread's counters were at the event that follows, or at the leave of the call before.
enum { COUNTERS_OF_NEXT, COUNTERS_OF_LEAVE };
struct record_counters {
    struct record_head head;
    uint64_t values[]; // of the set in the header, in its order
};

struct record_message {
    struct record_head head;
    int32_t peer; // rank in the communicator (the remote group of an intercommunicator)
    int32_t tag;
    uint64_t n_bytes;
    uint64_t request; // 0: blocking
};

struct record_request {
    struct record_head head;
    uint64_t request;
};

struct record_collective {
    struct record_head head;
    int16_t operation;
    uint16_t is_in_place; // the bytes do not count what the rank keeps
    int32_t root;
    uint64_t sent_bytes;
    uint64_t received_bytes;
    uint64_t request; // 0: blocking
};

struct record_lock {
    struct record_head head;
    int32_t target;        // rank in the window, RECORD_ALL_TARGETS
    uint32_t is_exclusive; // of a LOCK
};

enum record_operation {
    RECORD_PUT,
    RECORD_GET,
    RECORD_ATOMIC // and more: plus OTF2_RmaAtomicType
};

struct record_access {
    struct record_head head;
    int32_t target;     // rank in the window
    uint32_t operation; // enum record_operation
    uint64_t sent_bytes;
    uint64_t received_bytes;
    uint64_t request; // 0: none
};

struct record_flush {
    struct record_head head;
    int32_t target;    // rank in the window, RECORD_ALL_TARGETS
    uint32_t is_local; // the origin may use its memory again, no more
};

/// An epoch of a window begins or ends, by MPI_Win_start and MPI_Win_complete (of an access) or
/// MPI_Win_post and MPI_Win_wait.
struct record_epoch {
    struct record_head head;
    uint16_t is_exposure;
    uint16_t is_end;
    uint32_t n;        // of the group; 0 at an end, which has that of the begin
    int32_t members[]; // as of a communicator
};

struct record_poll {
    struct record_head head;
    uint64_t count;
    uint64_t inside_ns; // time inside the folded calls
    uint64_t request;   // the one tested, 0: several or none
};

enum file_paradigm { RECORD_MPI_IO, RECORD_POSIX, RECORD_ISO_C, N_FILE_PARADIGMS };

struct record_file {
    struct record_head head;
    uint32_t comm;     // number of the communicator that opened it, RECORD_NO_COMM: none
    uint32_t paradigm; // enum file_paradigm
    char name[];       // ends with a zero
};

/// What is done to which file, in one number.
#define RECORD_FILES               (1U << 24) // later ones are not recorded
#define RECORD_FILE_ID(file, what) ((uint32_t)(what) << 24 | (file))
#define RECORD_FILE_OF(id)         ((id) & (RECORD_FILES - 1))
#define RECORD_FILE_WHAT(id)       ((id) >> 24)
#define RECORD_FILE_COLLECTIVE     128U

struct record_file_open {
    struct record_head head;
    uint32_t access;   // OTF2_IoAccessMode
    uint32_t creation; // OTF2_IoCreationFlag
};

struct record_file_done {
    struct record_head head;
    uint64_t asked_bytes;
    uint64_t n_bytes; // read or written
};

struct record_file_operation {
    struct record_head head;
    uint64_t n_bytes;
    uint64_t number;
};

struct record_file_opened {
    struct record_head head;
    uint64_t enter_ns;
    uint64_t leave_ns;
    uint64_t site;     // as in struct record_call
    uint32_t access;   // OTF2_IoAccessMode
    uint16_t creation; // OTF2_IoCreationFlag
    uint16_t status;   // OTF2_IoStatusFlag
};

struct record_file_seek {
    struct record_head head;
    uint64_t enter_ns;
    uint64_t leave_ns;
    uint64_t site;
    int64_t offset;
    uint64_t result;
    uint64_t whence; // OTF2_IoSeekOption
};

struct record_file_call {
    struct record_head head;
    uint64_t time_ns;
    uint64_t site;
    uint64_t asked_bytes; // UINT64_MAX: unknown
};

struct record_file_call_leave {
    struct record_head head;
    uint64_t time_ns;
    uint64_t n_bytes; // as file_recorder.leave() is told
};

/// For objects and orders see struct thread_action.
struct record_thread_call {
    struct record_head head;
    uint64_t time_ns;
    uint64_t site;
    uint64_t object;
    uint64_t order;
    uint64_t condition;
};

struct record_thread_call_leave {
    struct record_head head;
    uint64_t time_ns;
    uint64_t object;
    uint64_t order;
};

struct record_thread_done {
    struct record_head head;
    uint64_t enter_ns;
    uint64_t leave_ns;
    uint64_t site; // as in struct record_call
    uint64_t object;
    uint64_t order;
};

/// Messages or collectives that were not recorded, between the records before and after.
struct record_skipped {
    struct record_head head; // id: communicator
    int32_t peer;
    int32_t tag;
    uint32_t kind; // RECORD_SEND, RECORD_RECV, RECORD_COLLECTIVE, RECORD_ICOLL_POST, RECORD_EPOCH
    uint32_t unused;
    uint64_t n;
};

struct record_name {
    struct record_head head;
    char text[]; // ends with a zero
};

#define RECORD_COMM_INTER     1u  // members: local group, then remote group
#define RECORD_COMM_AS_PARENT 2u  // none listed: the parent's (or MPI_COMM_WORLD or MPI_COMM_SELF)
#define RECORD_COMM_FOREIGN   4u  // the remote group is of another MPI_COMM_WORLD: see `foreign`
#define RECORD_COMM_PARENTS   8u  // what MPI_Comm_get_parent returns
#define RECORD_COMM_REGULAR   16u // members: the first two, all others as far apart as these
#define RECORD_COMM_WINDOW    32u // an RMA window of the parent's members; AS_PARENT, too

// Processes of other worlds as members: the slot of the FOREIGN communicator in whose remote group
// they are, and their rank there.
#define RECORD_FOREIGN_SLOTS              256
#define RECORD_FOREIGN_RANKS              (1 << 22)
#define RECORD_FOREIGN_MEMBER(slot, rank) (-2 - ((slot)*RECORD_FOREIGN_RANKS + (rank)))
#define RECORD_FOREIGN_SLOT(member)       ((-2 - (member)) / RECORD_FOREIGN_RANKS)
#define RECORD_FOREIGN_RANK(member)       ((-2 - (member)) % RECORD_FOREIGN_RANKS)

struct record_comm {
    struct record_head head;
    uint32_t parent; // RECORD_NO_COMM: unknown
    uint32_t flags;
    uint32_t n_local;
    uint32_t n_remote;
    uint32_t foreign; // slot, with RECORD_COMM_FOREIGN
    uint32_t unused;
    int32_t members[]; // see flags; ranks in MPI_COMM_WORLD; -1: not in it; below: in another one
};

/// Modules with the same time are all that were loaded then.
struct record_module {
    struct record_head head;
    uint64_t time_ns;
    uint64_t base;  // load address
    uint64_t start; // of the mapped range
    uint64_t end;
    char path[];
};

struct record_line {
    struct record_head head;
    uint32_t line;       // 0: unknown
    uint32_t first_line; // of its function
    uint64_t caller; // number of the line that called the function, less than its own; 0: unknown
    char text[];     // "FUNCTION\nFILE"
};
#define RECORD_LINE_SITE (UINT64_C(1) << 63)

struct record_marker {
    struct record_head head;
    uint64_t time_ns;
    uint32_t n;
    uint32_t unused;
    struct {
        uint64_t name;
        double value;
    } parameters[];
};

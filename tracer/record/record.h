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
#define SPOOL_VERSION          16
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
        process_start; // of `pid`, as /proc/PID/stat has it: tells a later process of that number
    uint64_t clock_ns; // the recording clock (CLOCK_MONOTONIC) and the time of day,
    uint64_t realtime_ns; // read together
    uint32_t n_clock_offsets;
    uint32_t finalized; // 1 once MPI_Finalize returned
    int32_t stop_errno; // why recording stopped early, 0: it did not; SPOOL_STOPPED_AT_LIMIT
    uint32_t thread_level;
    uint64_t stop_ns;
    uint64_t refused;            // 1: some process could not record, so none did; it has said why
    uint64_t n_lost_before_init; // user events that found the buffer before MPI_Init full
    uint64_t n_dropped_short;    // regions below the setting min_duration
    uint64_t n_excluded;         // events of functions left out by the setting filter
    uint64_t n_nested_teams;     // parallel regions within others, whose threads left no records
    uint64_t n_unknown_tasks;    // tasks that look like waiting in the construct that ran them
    uint64_t n_left_out_threads; // there were too many at a time; of the first thread
    struct spool_clock_offset clock_offsets[2];
    struct spool_core_use core_use[2]; // when MPI_Init ended and MPI_Finalize began; else 0
    uint64_t cores[SPOOL_CORES / 64];  // bit n % 64 of word n / 64: this process may run on core n
    char host[256];
    char clock_domain[128]; // processes with the same text here share a clock
    char mpi[64];           // "openmpi" or "mpich"
    char mpi_version[512];  // what MPI_Get_library_version says, first line
    char executable[1024];
    char command[2048]; // arguments, separated by spaces
};

enum record_kind {
    RECORD_END = 0,
    RECORD_PAD,
    // Definitions; id is what later records call the thing.
    RECORD_FUNCTION,  // an MPI function: struct record_name
    RECORD_NAME,      // a user region, marker or parameter name: struct record_name
    RECORD_COMM,      // struct record_comm
    RECORD_COMM_NAME, // id: communicator; struct record_name
    RECORD_FILE,      // struct record_file
    RECORD_MODULE,    // a loaded program or library: struct record_module
    RECORD_VARIABLE,  // of the environment, "NAME=VALUE": struct record_name
    RECORD_STACK,     // callers of MPI calls: struct record_stack
    // Events by themselves.
    RECORD_CALL,         // id: MPI function; struct record_call or record_call_above
    RECORD_ENTER,        // struct record_function_event
    RECORD_LEAVE,        // struct record_function_event
    RECORD_REGION_BEGIN, // id: name; struct record_time
    RECORD_REGION_END,   // id: name; struct record_time
    RECORD_MARKER,       // id: name; struct record_marker
    RECORD_CPU,          // struct record_cpu
    RECORD_OFF,          // recording was switched off: struct record_time
    RECORD_ON,           // and on again: struct record_time
    RECORD_THREAD_END,   // what follows is another thread's: struct record_time
    // OpenMP, see openmp.c.
    RECORD_FORK,            // id: threads asked for, 0: the default; struct record_time
    RECORD_TEAM_BEGIN,      // id: team; struct record_team
    RECORD_TEAM_END,        // id: team; struct record_time
    RECORD_JOIN,            // struct record_time
    RECORD_CONSTRUCT_ENTER, // id: enum openmp_construct; struct record_function_event, address
                            // of the call
    RECORD_CONSTRUCT_LEAVE, // id: the same; struct record_time; leaves what is open inside, too
    // Calls of the C library for files. id: RECORD_FILE_ID(file, enum file_call)
    RECORD_FILE_OPENED,     // the whole call: struct record_file_opened
    RECORD_FILE_CALL,       // struct record_file_call
    RECORD_FILE_CALL_LEAVE, // struct record_file_call_leave
    RECORD_FILE_SEEK,       // the whole call: struct record_file_seek
    // POSIX threads. id: enum thread_call
    RECORD_THREAD_BEGIN,      // id: its number; struct record_time
    RECORD_THREAD_CALL,       // struct record_thread_call
    RECORD_THREAD_CALL_LEAVE, // struct record_thread_call_leave
    RECORD_THREAD_DONE,       // the whole call: struct record_thread_done
    // Details of the CALL before them. id: communicator, where there is one.
    RECORD_SEND,        // struct record_message
    RECORD_RECV,        // struct record_message
    RECORD_ISEND,       // struct record_message
    RECORD_ISEND_DONE,  // struct record_request
    RECORD_IRECV_POST,  // struct record_message; source and tag as asked for
    RECORD_IRECV,       // struct record_message
    RECORD_CANCELLED,   // struct record_request
    RECORD_COLLECTIVE,  // struct record_collective
    RECORD_ICOLL_POST,  // struct record_request; id: communicator
    RECORD_ICOLL,       // struct record_collective
    RECORD_LOCK,        // id: window; struct record_lock
    RECORD_UNLOCK,      // likewise
    RECORD_EPOCH,       // id: window; struct record_epoch
    RECORD_ACCESS,      // id: window; struct record_access
    RECORD_ACCESS_DONE, // struct record_request
    RECORD_FLUSH,       // id: window; struct record_flush
    RECORD_POLL,        // struct record_poll: nothing was found, count times
    // id: RECORD_FILE_ID(file, OTF2_IoOperationMode), with RECORD_FILE_COLLECTIVE
    RECORD_FILE_OPEN,  // struct record_file_open
    RECORD_FILE_CLOSE, // struct record_head
    RECORD_FILE_DONE,  // a blocking operation: struct record_file_done
    RECORD_FILE_BEGIN, // one that goes on: struct record_file_operation, asked for
    RECORD_FILE_END,   // struct record_file_operation, read or written
    RECORD_SKIPPED,    // struct record_skipped; may stand anywhere
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
    uint64_t site; // where the call returns to in the program, 0: unknown
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

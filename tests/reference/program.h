// SPDX-License-Identifier: BSD-3-Clause
// Random MPI programs: for each rank a list of operations that, run together, do not deadlock (or
// hardly ever: the simulator tells). Everything follows from one seed.
//
// A program is built in steps. What belongs together (a message, a collective) starts in one step
// or, where it may, in two: a nonblocking or buffered half early, the other half some steps later.
// A call that blocks depends on steps up to its own only, so the earliest unfinished step can
// always go on. Wildcard receives are kept to such (communicator, receiver) pairs where any message
// will do.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_MAX_RANKS = 8, PROGRAM_MAX_COMMS = 12, PROGRAM_MAX_SET = 12 };

/// A small generator of pseudo-random numbers (splitmix64).
struct random {
    uint64_t state;
};
uint64_t random_next(struct random *random);
uint32_t random_below(struct random *random, uint32_t bound); // 0 .. bound - 1
bool random_chance(struct random *random, uint32_t percent);

enum operation_kind {
    OPERATION_ENTER,
    OPERATION_LEAVE,
    OPERATION_COMPUTE,
    OPERATION_TEAM,     // a parallel region of two threads
    OPERATION_PLAIN,    // an MPI call without records
    OPERATION_SEND,     // blocking
    OPERATION_RECV,     // blocking
    OPERATION_SENDRECV, // sends to peer, receives from other_peer
    OPERATION_ISEND,
    OPERATION_IRECV,
    OPERATION_CANCEL, // an Irecv nobody answers, cancelled and waited for
    OPERATION_COLLECTIVE,
    OPERATION_ICOLLECTIVE,
    OPERATION_WAITALL, // one or more requests
    OPERATION_WAITANY,
    OPERATION_WAITSOME, // again and again until all are done
    OPERATION_TEST,     // likewise, with polls that fail; Waitall after many of them
    OPERATION_LOCK,     // of a window over comm, and its member peer or all
    OPERATION_ACCESS,   // while a lock is held
    OPERATION_UNLOCK,
    OPERATION_POST, // of an epoch of a window over comm, for its members in `group`
    OPERATION_START,
    OPERATION_COMPLETE,
    OPERATION_WAIT,
    OPERATION_PUT, // in an epoch, to peer
};

enum collective_kind {
    COLLECTIVE_KIND_ALL, // barriers, all-to-all, handles: the last one in releases all
    COLLECTIVE_KIND_FROM_ROOT,
    COLLECTIVE_KIND_TO_ROOT,
    COLLECTIVE_KIND_SCAN,
};

struct operation {
    enum operation_kind kind;
    const char *region; // of the call, or the region entered or left
    uint32_t duration;  // of computing
    uint32_t comm;
    uint32_t peer, other_peer; // world ranks
    uint32_t tag;
    uint32_t size_bytes, received_bytes;
    bool is_in_place;   // a collective
    bool is_rendezvous; // the send ends after its receive was posted
    bool any_source, any_tag;
    const char *collective; // name of its operation, NULL: no records
    enum collective_kind collective_kind;
    bool is_loose; // synchronises nobody
    bool is_file;  // the operation is on a file
    bool has_root;
    bool is_exclusive, is_of_all, takes_lock; // of locks: the last one waits until it is granted
    uint32_t group;                           // of epochs: a bit for each world rank
    bool awaits;                              // of these: it goes on when it has heard of all
    uint32_t handle;                          // of the request a nonblocking call makes
    uint32_t set[PROGRAM_MAX_SET];            // handles a completing call asks for
    uint32_t n_set;
};

struct sim_program_comm {
    char name[16];
    uint32_t members[PROGRAM_MAX_RANKS], remote[PROGRAM_MAX_RANKS];
    uint32_t n_members, n_remote; // n_remote 0: an ordinary communicator
    bool is_self;
};

struct sim_program_rank {
    struct operation *operations;
    size_t n_operations, capacity;
    uint32_t start;
    uint32_t n_handles;
    bool has_team;
};

struct sim_program {
    struct random random;
    uint32_t n_ranks;
    uint32_t quantum; // all durations are multiples of it
    uint32_t max_latency;
    struct sim_program_rank ranks[PROGRAM_MAX_RANKS];
    struct sim_program_comm comms[PROGRAM_MAX_COMMS];
    uint32_t n_comms;
    bool is_foreign, is_skewed, is_cut, is_unmatched, has_teams, has_wildcards;
    bool has_locks;            // windows are locked
    bool has_epochs;           // windows are posted
    bool has_probes;           // before receives
    bool has_files;            // communicators have files
    bool is_bare;              // some calls left no enter and leave, only their records
    bool has_inner_regions;    // some MPI calls call other regions
    uint32_t ticks_per_second; // 0: the default
};

/// What a program may contain. The seeds of the agreement test go through all of it.
struct sim_program_limits {
    uint32_t max_ranks, max_steps;
    bool allow_wildcards, allow_foreign, allow_skew, allow_cut, allow_unmatched, allow_teams;
    bool allow_nonblocking_collectives, allow_locks, allow_epochs;
    // Of what is measured only: predictions of them are not in the reference.
    bool allow_probes, allow_files;
};
#define PROGRAM_LIMITS_ALL                                                                         \
    ((struct sim_program_limits){.max_ranks = 8,                                                   \
                                 .max_steps = 500,                                                 \
                                 .allow_wildcards = true,                                          \
                                 .allow_foreign = true,                                            \
                                 .allow_skew = true,                                               \
                                 .allow_cut = true,                                                \
                                 .allow_unmatched = true,                                          \
                                 .allow_teams = true,                                              \
                                 .allow_nonblocking_collectives = true,                            \
                                 .allow_locks = true,                                              \
                                 .allow_epochs = true})

/// Runs PROGRAM in a discrete-event simulation of MPI and returns the trace as text, damaged the
/// way the program's is_... flags say; NULL when it deadlocks. The caller frees.
char *sim_program_simulate(struct sim_program *program);

/// The text trace of SEED: the first of the programs it stands for that does not deadlock.
char *sim_program_trace_text(uint64_t seed, const struct sim_program_limits *limits);

/// Members of COMM as RANK sees them, both groups of an intercommunicator; returns how many.
uint32_t sim_program_comm_members(const struct sim_program *program, uint32_t comm, uint32_t rank,
                                  uint32_t *members);

/// How RANK names world rank PEER in COMM.
uint32_t sim_program_rank_in(const struct sim_program *program, uint32_t comm, uint32_t rank,
                             uint32_t peer);

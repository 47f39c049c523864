// SPDX-License-Identifier: BSD-3-Clause
// Which communicators of different ranks are the same, found without communication.
//
// All members make the communicators with the same parent and members in the same order. So two
// local communicators are the same if they agree on parent, members, and how many of these the rank
// had made before. This also holds for threads that use different parents concurrently.
#pragma once

#include "tracer/finish/memory.h"
#include "tracer/finish/spool.h"
#include "tracer/record/record.h"

// --- worlds.c
// The MPI_COMM_WORLDs of a traced launch. A spawned world (MPI_Comm_spawn) belongs into its
// parent's archive, as further ranks.
//
// The parents are found without communication. Children know that they have parents, and how many;
// a parent knows when it was in MPI_Comm_spawn and how many children it got. A child enters
// MPI_Init while its parents are in that call, and calls of the same parents do not overlap. If
// several parents are possible, the world gets an archive of its own.

/// A remote group that a process has met: RECORD_FOREIGN_SLOT() leads here.
struct foreign_group {
    uint32_t n;     // 0: not known who they are
    int32_t *ranks; // in the archive
};

struct world {
    struct spool *spools; // a part of the set's
    size_t n;
    uint32_t n_ranks;
    uint32_t root;                // the world in whose archive it is: itself, or a world before
    uint32_t base;                // its first rank in the archive
    uint32_t n_archive_ranks;     // of a root: all worlds of its archive
    bool has_unknown_parents;     // started by a program, but it is not sure by which
    struct foreign_group *groups; // by rank and slot: see worlds_group()
};

struct worlds {
    struct world *items; // in the order of their start
    uint32_t n;
};

/// Groups the files of a set, and finds out who has started whom.
void worlds_find(struct worlds *worlds, const struct spool_set *set);
void worlds_release(struct worlds *worlds);

/// Are there too few files for its ranks? Then their number is damage, and not worth its memory.
bool world_is_damaged(const struct world *world);

/// The processes in `slot` of a world's rank; NULL: not known.
const struct foreign_group *worlds_group(const struct world *world, uint32_t rank, uint32_t slot);

// --- unify.c

// Readers may know such a communicator by this name.
#define NEIGHBORHOOD_NAME "pagoda neighbourhood collectives"

/// A list of ranks of the archive (-1: a process that is not in it) that one or more communicators
/// have as members.
struct unify_group {
    uint32_t n;
    const int32_t *members;
};

struct unify_comm {
    uint32_t parent; // index here; RECORD_NO_COMM: none known
    uint32_t group;  // index of the local (intercommunicator: smaller) group
    uint32_t remote; // index of the other group; RECORD_NO_COMM: no intercommunicator;
                     // UNIFY_TEAM: a team of threads of rank `group`
                     // UNIFY_THREADS: all threads of rank `group`
                     // UNIFY_WINDOW: an RMA window over `parent`
    uint32_t number; // in the archive, among communicators or windows
    char *name;      // NULL: none given
};

#define UNIFY_TEAM    (RECORD_NO_COMM - 1)
#define UNIFY_WINDOW  (RECORD_NO_COMM - 2)
#define UNIFY_THREADS (RECORD_NO_COMM - 3)

struct unify {
    struct unify_comm *comms; // [0] is MPI_COMM_WORLD, [1] MPI_COMM_SELF
    struct table comm_keys;   // theirs
    uint32_t n_windows;       // of them
    struct table groups;      // lists of members, see unify_group()
};

/// The communicators of one rank: local number to index in struct unify.
struct unify_rank {
    uint32_t *comms; // RECORD_NO_COMM: not defined
    uint32_t n_comms;
    const struct world *origin; // its MPI_COMM_WORLD
    uint32_t world;             // that one's index in struct unify
    uint32_t rank;              // its rank there
    struct table made;          // counts by parent and members
};

/// `n_ranks`: of the first MPI_COMM_WORLD.
void unify_init(struct unify *unify, uint32_t n_ranks);

/// Adds another MPI_COMM_WORLD, whose first rank is `base` in the archive. Returns its index.
uint32_t unify_add_world(struct unify *unify, uint32_t base, uint32_t n_ranks);
void unify_release(struct unify *unify);
void unify_rank_release(struct unify_rank *rank);

struct unify_group unify_group(const struct unify *unify, uint32_t group);

/// The number in the archive of group 0; others follow.
#define UNIFY_FIRST_GROUP 2

/// The group of the members of an epoch, as `rank` has recorded them.
uint32_t unify_epoch_group(struct unify *unify, const struct unify_rank *rank,
                           const struct record_epoch *record);

/// Is there a communicator with members that are not in the archive?
bool unify_has_outsiders(const struct unify *unify);

/// Takes the definition of a rank's communicator. Those of a rank come in the order of their
/// numbers.
void unify_add(struct unify *unify, struct unify_rank *rank, const struct record_comm *record);

/// Index of a communicator of the same members, for the messages of the neighbourhood collectives
/// of communicator `index`: between two ranks they are no messages of the program.
uint32_t unify_neighborhood(struct unify *unify, uint32_t index);

/// Index of the team that thread `forker` of rank `rank` of the archive forks.
uint32_t unify_team(struct unify *unify, uint32_t rank, uint32_t forker);

/// Index of the threads that rank `rank` of the archive makes.
uint32_t unify_threads(struct unify *unify, uint32_t rank);

/// Index of local communicator `id`, RECORD_NO_COMM if it was never defined.
uint32_t unify_find(const struct unify_rank *rank, uint32_t id);

// SPDX-License-Identifier: BSD-3-Clause
// The MPI_COMM_WORLDs of a traced launch. A spawned world (MPI_Comm_spawn) belongs into its
// parent's archive, as further ranks.
//
// The parents are found without communication. Children know that they have parents, and how many;
// a parent knows when it was in MPI_Comm_spawn and how many children it got. A child enters
// MPI_Init while its parents are in that call, and calls of the same parents do not overlap. If
// several parents are possible, the world gets an archive of its own.
#pragma once

#include "tracer/finish/spool.h"

#define NO_WORLD UINT32_MAX

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
    uint32_t parent;              // the world that started it, NO_WORLD: the launcher
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

/// The processes in `slot` of a world's rank; NULL: not known.
const struct foreign_group *worlds_group(const struct world *world, uint32_t rank, uint32_t slot);

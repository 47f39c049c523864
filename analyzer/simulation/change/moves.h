// SPDX-License-Identifier: BSD-3-Clause
// Code changes of call paths that concern messages: work that other ranks do, calls that need not
// wait where they are made.
#ifndef PAGODA_SIMULATION_CHANGE_MOVES_H
#define PAGODA_SIMULATION_CHANGE_MOVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/change/region_pattern.h"

/// What the work a rank FROM does in a region for a rank TO becomes: work of that rank.
struct move {
    uint32_t region; // number of its pattern
    bool *from, *to; // by rank
};

/// What is done with a call path, beside scaling its work.
struct pag_path_change {
    uint32_t moves; // moves of its work that name it, bits (migration.h)
    bool overlaps;  // its MPI calls are waited for later (overlap.h)
};

struct moves {
    const struct region_patterns *regions;
    struct move *moves;
    uint32_t n_moves;
    uint32_t *overlaps; // numbers of their patterns
    uint32_t n_overlaps;
};

/// Whether TEXT has the form REGION=FROM:TO of --move, with no rank on both sides, whatever the
/// run: 0, or -1 and ERR.
int moves_check_form(const char *text, struct error *err);

/// Reads "REGION=FROM:TO" and "REGION" for a run of N_RANKS ranks; the regions are added to
/// REGIONS, which must outlive MOVES. 0, or -1 and ERR: which of them does not fit the run. The
/// caller releases MOVES in either case.
int moves_init(struct moves *moves, struct region_patterns *regions, uint32_t n_ranks,
               const char *const *move_texts, size_t n_moves, const char *const *overlap_texts,
               size_t n_overlaps, struct error *err);
void moves_release(struct moves *moves);

/// What is done with a path of RANK with this MARK (region_pattern.h); the first of the moves BITS
/// by which work of rank FROM goes along with a message to rank TO, PAG_MAX_MOVES: none.
struct pag_path_change moves_change(const struct moves *moves, uint64_t mark, uint32_t rank);
uint32_t moves_move_of(const struct moves *moves, uint32_t bits, uint32_t from, uint32_t to);

#endif

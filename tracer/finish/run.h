// SPDX-License-Identifier: BSD-3-Clause
// The archive of one run, put together of the files that its threads left.
#pragma once

#include "tracer/finish/process.h"

struct run {
    struct spool *spools; // of all its worlds, the first one's first
    size_t n;
    struct thread_cost *costs; // theirs
    const struct record_costs *record_costs;
    const struct spool_header **clocks; // theirs: a header with the offsets of this clock, or NULL
    const struct worlds *worlds;
    uint32_t root;
    uint32_t n_ranks;
    struct process *processes; // by rank
    struct archive archive;
    struct unify unify;
    struct gaps *gaps;
    struct symbols *symbols;
    uint64_t n_events; // in the archive
    size_t n_locations;
    uint32_t n_open;
    uint64_t recording_ns; // of the rank that recording took the largest share of,
    uint64_t counted_ns;   // and of how much (cost.h)
};

/// The run that begins with world ROOT of WORLDS, whose headers are changed.
void run_init(struct run *run, const struct worlds *worlds, uint32_t root);
void run_release(struct run *run);

/// Writes its archive into the folder DIR. COSTS are those of records; FACTS_PATH is a file with
/// texts NAME=VALUE, each ended by a zero byte, that become properties. False: archive.error says
/// why, and nothing of it is left.
bool run_write(struct run *run, const struct record_costs *costs, const char *dir,
               const char *facts_path);

/// Ends the writing of an archive, and does not return then; for signal handlers.
void run_fail(const char *why);

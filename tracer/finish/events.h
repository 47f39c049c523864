// SPDX-License-Identifier: BSD-3-Clause
// Turns the records of one thread into the events of one OTF2 location.
#ifndef PAGODA_FINISH_EVENTS_H
#define PAGODA_FINISH_EVENTS_H

#include "tracer/finish/archive.h"
#include "tracer/finish/code.h"
#include "tracer/finish/cost.h"
#include "tracer/finish/spool.h"
#include "tracer/finish/symbols/symbols.h"

#define N_FUNCTIONS_MAX 1024

/// What the records of a process (all its threads) refer to, as numbers of the archive.
struct process {
    uint32_t functions[N_FUNCTIONS_MAX]; // MPI functions: region
    char **names;                        // user names by number; [0] is "unnamed"
    uint32_t *name_regions;              // UNDEFINED: not used as a region yet
    uint32_t *marker_regions;
    uint32_t n_names;
    struct unify_rank comms;
    uint32_t *files; // open files: handle; UNDEFINED
    uint32_t n_files;
    struct code code;
    bool has_skipped;        // messages or collectives, while recording was off
    const struct gaps *gaps; // what is left out because of that; NULL: nothing
    bool is_finalized;       // MPI_Finalize returned, in whichever thread
};

/// First pass: takes the definitions of a thread's records, the time of its first and last event
/// (*last_ns is left alone if there is none), and what recording them cost.
void events_define(struct process *process, struct archive *archive, struct unify *unify,
                   const struct spool *spool, uint64_t *first_ns, uint64_t *last_ns,
                   struct thread_cost *cost);
void process_release(struct process *process);

/// Second pass: writes the events. Regions still open at the end are closed at `close_ns`.
/// `cost` is what recording cost the thread. Returns the region of the MPI call that was open then,
/// or UNDEFINED.
uint32_t events_write(struct process *process, struct archive *archive, struct unify *unify,
                      struct symbols *symbols, const struct spool *spool, uint64_t close_ns,
                      struct recording_cost cost);

// ---- gaps.c: messages and collectives around the times in which recording was off.
//
// Ranks switch at different moments: a message may be recorded by its sender only. In the archive
// it would match the next receive, and shift all later messages of the channel. RECORD_SKIPPED says
// how many were left out, so each message has its number in its channel (communicator, sender,
// receiver, tag), each collective its number in its communicator. Those without counterpart are
// dropped.

struct gaps;

/// Looks through the records of a run, all of whose definitions have been taken. NULL: nothing is
/// to be dropped. Also NULL if some rank recorded with several threads: then their order is not
/// known.
struct gaps *gaps_find(const struct spool *spools, size_t n, const struct process *processes,
                       const struct unify *unify);
void gaps_free(struct gaps *gaps);

/// Is this record of a spool to be left out?
bool gaps_drop(const struct gaps *gaps, const struct spool *spool, const struct record_head *head);

#endif

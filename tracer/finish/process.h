// SPDX-License-Identifier: BSD-3-Clause
// What the records of a process refer to, as numbers of the archive.
#pragma once

#include "tracer/finish/archive.h"
#include "tracer/finish/code.h"
#include "tracer/finish/cost.h"
#include "tracer/finish/spool.h"
#include "tracer/finish/unify.h"

#define N_FUNCTIONS_MAX 1024

/// Accesses to windows of one-sided communication that are not over at their target; those with one
/// number count once (window_events.c).
struct accesses {
    struct open_access {
        OTF2_RmaWinRef window;
        int32_t target;
        uint64_t number;
        bool is_request;  // it has one
        bool is_combined; // over at the target where it is over here: something was got
        bool is_done;     // here
    } * items;
    size_t n, capacity;
    uint64_t n_numbers;
};

/// Of all threads of the process.
struct process {
    struct archive *archive; // for all processes
    struct unify *unify;
    uint32_t functions[N_FUNCTIONS_MAX]; // MPI functions: region
    char **names;                        // user names by number; [0] is "unnamed"
    uint32_t *name_regions;              // UNDEFINED: not used as a region yet
    uint32_t *marker_regions;
    uint32_t n_names;
    struct unify_rank comms;
    uint32_t *epochs;  // by the window's place among communicators, of access and of exposure:
                       // the group of the open one, UNDEFINED
    uint32_t n_epochs; // twice as many as places
    struct accesses accesses;
    uint32_t *files; // open files: handle; UNDEFINED
    uint32_t n_files;
    struct table objects; // addresses of locks and barriers of POSIX threads, which number them
    struct code code;
    bool has_skipped;        // messages or collectives, while recording was off
    const struct gaps *gaps; // what is left out because of that; NULL: nothing
    bool is_finalized;       // MPI_Finalize returned, in whichever thread
};

/// First pass: takes the definitions of a thread's records, the time of its first and last event
/// (*last_ns is left alone if there is none), and what recording them cost. `offset_ns`: from the
/// thread's clock to that of the archive.
void process_define(struct process *process, const struct spool *spool, uint64_t offset_ns,
                    uint64_t *first_ns, uint64_t *last_ns, struct thread_cost *cost);
void process_release(struct process *process);

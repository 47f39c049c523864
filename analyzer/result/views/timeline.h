// SPDX-License-Identifier: BSD-3-Clause
// A run as a picture shows it. Each rank's time is divided into columns, of which the shares of
// what the rank does are kept; columns become twice as wide when the run is longer than they are,
// so that memory does not grow with it. A short run has all its calls and messages besides.
#ifndef PAGODA_RESULT_TIMELINE_H
#define PAGODA_RESULT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

struct call_tree;
struct definitions;

enum timeline_kind {
    TIMELINE_COMPUTING,
    TIMELINE_WAITING, // in MPI calls, for other ranks
    TIMELINE_POINT_TO_POINT,
    TIMELINE_COLLECTIVE,
    TIMELINE_OTHER_MPI,
    TIMELINE_KINDS
};

enum { TIMELINE_WHOLE = 65535 }; // a whole column

/// An MPI call: it waits from its enter to its release.
struct timeline_call {
    uint64_t enter_ns, release_ns, leave_ns;
    uint32_t rank, releaser; // RESULT_NONE: no wait, or not known
    uint32_t call_path;      // of the rank's master location
    uint32_t kind;           // after its wait
    uint32_t path, site;     // in the result, once concluded; RESULT_NONE: unknown
    uint32_t
        computed_path; // where the rank was longest before: likewise, of the location till then
};

struct timeline_message {
    uint64_t send_ns,
        receive_ns; // enter of the call that sent it, leave of the one that received it
    uint64_t wait_ns, size_bytes; // how long its receiver waited for it
    uint32_t sender, receiver;
};

struct timeline {
    const struct definitions *definitions;
    size_t n_ranks, n_columns; // n_columns: a power of two
    uint64_t column_ns;        // a power of two
    uint64_t end_ns;           // of the last column in use
    uint16_t *shares;          // [rank][column][kind] of TIMELINE_WHOLE; the rest: not in the run
    // Sorted by rank, then time; none when there were too many.
    struct timeline_call *calls;
    size_t n_calls, calls_capacity;
    bool has_all_calls;
    // Sorted by wait (longest first), then time: those with the longest waits.
    struct timeline_message *messages;
    size_t n_messages, messages_capacity;
    uint64_t n_all_messages;
    struct timeline_rank *ranks; // while the run is read
};

/// The caller frees. DEFINITIONS must outlive the replay.
struct timeline *timeline_new(const struct definitions *definitions);
void timeline_free(struct timeline *timeline);

/// As struct pag_listener has them; calls of one rank come in the order of time.
void timeline_called(struct timeline *timeline, const struct pag_called *call);
void timeline_message(struct timeline *timeline, const struct pag_message *message);

/// After the replay of TREE: ranks compute to their ends, calls get their places in the result.
void timeline_conclude(struct timeline *timeline, const struct call_tree *tree);

/// When RANK's part of the run ends, once concluded.
uint64_t timeline_rank_end_ns(const struct timeline *timeline, size_t rank);

/// Once concluded: what ranks FIRST to LAST - 1 do in N_CELLS equal parts of the time from BEGIN_NS
/// to END_NS. SHARES: [cell][kind], of 1; the rest of a cell is not in the run. Exact where all
/// calls are there, else as fine as columns are.
void timeline_cells(const struct timeline *timeline, size_t first, size_t last, uint64_t begin_ns,
                    uint64_t end_ns, size_t n_cells, double *shares);

#endif

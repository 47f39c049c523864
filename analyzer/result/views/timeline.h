// SPDX-License-Identifier: BSD-3-Clause
// A run as a picture shows it. Each rank is a row, whose time is divided into columns, of which the
// shares of what the rank does are kept; columns become twice as wide when the run is longer than
// they are, so that memory does not grow with it. A short run has all its calls and messages
// besides. Where processes have several threads, these may be rows, too.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

struct call_tree;
struct result;

enum timeline_kind {
    TIMELINE_COMPUTING,
    TIMELINE_WAITING, // in MPI calls, for other ranks
    TIMELINE_POINT_TO_POINT,
    TIMELINE_COLLECTIVE,
    TIMELINE_OTHER_MPI,
    TIMELINE_NO_CPU, // outside MPI without CPU time; spread over the time between two calls
    TIMELINE_KINDS
};

/// What a thread does, in the place of the kinds above.
enum timeline_thread_kind {
    TIMELINE_THREAD_COMPUTING,
    TIMELINE_THREAD_WAITING, // for other threads: at barriers, for locks and tasks
    TIMELINE_THREAD_RUNTIME,
    TIMELINE_THREAD_MPI,
    TIMELINE_THREAD_IDLE, // outside of teams
    TIMELINE_THREAD_KINDS
};

enum { TIMELINE_WHOLE = 65535 }; // a whole column

/// An MPI call: it waits from its enter to its release.
struct timeline_call {
    uint64_t enter_ns, release_ns, leave_ns;
    uint64_t lost_ns;        // of the time before it, since the last call: without CPU time
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

/// A thread of a process with several, its master included.
struct timeline_thread {
    uint32_t location, rank;
};

struct timeline_span {
    uint64_t begin_ns, end_ns;
    uint32_t thread; // of the threads
    uint32_t kind;   // enum timeline_thread_kind
    uint32_t path;   // of its location, once concluded of the result; RESULT_NONE: unknown
};

struct timeline {
    const struct definitions *definitions;
    size_t n_ranks, n_columns;       // n_columns: a power of two
    struct timeline_thread *threads; // by location
    size_t n_threads;
    size_t n_rows;      // ranks, then threads
    uint64_t column_ns; // a power of two
    uint64_t end_ns;    // of the last column in use
    uint16_t *shares;   // [row][column][kind] of TIMELINE_WHOLE; the rest: not in the run
    // Sorted by rank, then time; none when there were too many.
    struct timeline_call *calls;
    size_t n_calls, calls_capacity;
    bool has_all_calls;
    bool has_no_cpu;             // some rank was without CPU time
    struct timeline_span *spans; // of threads, likewise
    size_t n_spans, spans_capacity;
    bool has_all_spans;
    // Sorted by wait (longest first), then time: those with the longest waits.
    struct timeline_message *messages;
    size_t n_messages, messages_capacity;
    uint64_t n_all_messages;
    // Functions between which the program goes from one to the other, those with most time first.
    uint32_t *phases; // regions of the result
    size_t n_phases;
    uint8_t *phase_of; // by region of the definitions
    // Once the strips are read, of all ranks: [phase][column], [counter of the
    // definitions][column], [column].
    double *phase_ns;
    double *counted; // what the counter grew by
    double *cpu_s;   // CPU time that the processes used; all 0 without CPU samples
    size_t n_counters;
    struct timeline_row *rows; // while the run is read
    uint32_t *thread_of;       // by location: RESULT_NONE, or of the threads
    bool leaves_out_threads;   // there would be too many rows
    bool has_shares_only;
};

/// With rows of threads if SHOWS_THREADS. The caller frees. DEFINITIONS must outlive the replay.
struct timeline *timeline_new(const struct definitions *definitions, bool shows_threads);
/// Without calls, messages and threads, of at most 2048 columns: memory does not grow with short
/// runs either.
struct timeline *timeline_new_shares(const struct definitions *definitions);
void timeline_free(struct timeline *timeline);

/// Forgets the run so far: the same run follows from its begin on.
void timeline_begin_anew(struct timeline *timeline);

/// As struct pag_listener has them; calls of one rank come in the order of time.
void timeline_called(struct timeline *timeline, const struct pag_called *call);
void timeline_message(struct timeline *timeline, const struct pag_message *message);
void timeline_thread_span(void *context, const struct pag_thread_span *span);

/// After the replay of TREE: ranks compute and threads are idle to the end of the rank, calls and
/// spans get their places in the result.
void timeline_conclude(struct timeline *timeline, const struct call_tree *tree);

/// Once concluded: finds the phases, which are what the trunk of the call tree calls, the way down
/// that takes nearly all of the time. None, where functions were not recorded.
void timeline_find_phases(struct timeline *timeline, const struct result *result);

/// Then reads the times of phases, what counters grew by, and CPU time from TRACE, opened again for
/// that.
void timeline_read_strips(struct timeline *timeline, struct trace *trace);

/// Once concluded: what all ranks do, as how many of them do it, into SHARES of [column][kind]; and
/// which phase most ranks are in, with strips read, or -1, into PHASES of [column].
void timeline_all_ranks(const struct timeline *timeline, double *shares, int *phases);

/// When RANK's part of the run begins and ends, once concluded.
uint64_t timeline_rank_begin_ns(const struct timeline *timeline, size_t rank);
uint64_t timeline_rank_end_ns(const struct timeline *timeline, size_t rank);

/// Once concluded: what ranks FIRST to LAST - 1 do in N_CELLS equal parts of the time from BEGIN_NS
/// to END_NS. SHARES: [cell][kind], of 1; the rest of a cell is not in the run. Exact where all
/// calls are there, else as fine as columns are.
void timeline_cells(const struct timeline *timeline, size_t first, size_t last, uint64_t begin_ns,
                    uint64_t end_ns, size_t n_cells, double *shares);

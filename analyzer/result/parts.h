// SPDX-License-Identifier: BSD-3-Clause
// The parts of a result that collect.c puts together; each is filled by the file that its section
// names. RESULT is filled up to there, TREE is its call tree.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/reader.h"

struct collect_input;

// --- shares.c
// What the run time and the waits consist of: the critical path, and the activities that made the
// releasing ranks late, by region, rank and place in the source.

/// Fills the critical path of RESULT, whose call tree is TREE. Regions that are none (before the
/// start, clock repair) are added to RESULT.
void critical_path_collect(const struct call_tree *tree, struct result *result);

/// Likewise `origins` of the patterns in RESULT whose waits the engine explains.
void origins_collect(const struct call_tree *tree, struct result *result);

/// The ids of the patterns of these waits.
extern const char *const result_pattern_of_wait[PAG_WAIT_KINDS];

/// "rank 1", "ranks 0, 2-4", "12 ranks": those that share REGION's part of ORIGINS, up to nine
/// tenths of it, the ones with most first. The caller frees.
char *origin_ranks(const struct result_origins *origins, uint32_t region);

// --- threads.c
// The threads of a result.

/// Fills RESULT's threads, whose ranks and call paths are there. Nothing where no process has
/// several threads.
void threads_collect(const struct call_tree *tree, struct result *result);

/// Which kind of loss threads have most of; RESULT_NONE without any.
uint32_t threads_largest_loss(const struct result *result);

/// The region where most of KIND is lost, over all ranks; RESULT_NONE: unknown.
uint32_t threads_place_of(const struct result *result, uint32_t kind);

// --- waits.c
// What the matcher found, by location and local call path, becomes the patterns of a result: by
// rank, by merged call path, by the rank that was waited for, with hints.

/// Does the trace hold the records that its MPI calls should have left? A trace of enters and
/// leaves only shows no wait states, which is not the same as a program without any.
struct coverage {
    uint64_t n_message_calls;    // visits of sends and receives, when none of them left a record
    uint64_t n_collective_calls; // likewise
    uint64_t n_file_calls;       // collective ones for files
    uint64_t n_window_calls;     // of fences, locks, epochs, and calls that create or free windows
    bool lacks_visits;           // in a prediction, which has no times between two calls
};

/// Compares the visits of MPI regions in RESULT with the records REPLAY counted. A run of one rank
/// counts as covered: it has no partner to exchange messages with; and so does one of pagoda trace,
/// which leaves no record of a call that failed or whose partner is MPI_PROC_NULL.
struct coverage coverage_of(const struct result *result, const struct pag_result *replay,
                            const struct definitions *definitions);

struct waits_input {
    const struct catalogue *catalogue;
    const struct matcher *matcher;
    const struct call_tree *tree;    // of the same result
    const struct coverage *coverage; // likewise
};

/// Fills patterns and hints of RESULT and adds to wait_ns of its ranks; ranks, paths and times are
/// there already. Patterns of the catalogue without a wait of their own are left out.
void waits_collect(const struct waits_input *input, struct result *result);

// --- sync_objects.c

/// Fills communicators and tags of RESULT, and by_object of its patterns, which are there already.
void sync_objects_collect(const struct collect_input *input, struct result *result);

// --- warnings.c
// What a reader of a report must know about the trace behind it, as sentences with stable codes.

/// Fills warnings and has_unreadable_records of RESULT from what INPUT says that the replay and the
/// reader counted:
/// ambiguous-receive, backward-time, bad-reference, clock-violation, incomplete-collective,
/// location-cut, location-skipped, lost-record, missing-definitions, missing-event,
/// missing-finalize, missing-init, missing-record, more-ranks-than-cores, outside-partner,
/// recording-cost, recording-off, recording-stopped, short-region, unbalanced-region,
/// unknown-record, unmatched-receive, unmatched-send, unused-counter, unused-parameter. Takes nodes
/// from RESULT.
void warnings_collect(const struct collect_input *input, const struct coverage *coverage,
                      struct result *result);

// --- counters.c
// What the counters of the archive grew by at each call path on each rank (result.counters).

/// Fills the counters of RESULT, whose call tree is TREE, with those that grew.
void counters_collect(const struct call_tree *tree, struct result *result);

// --- streams.c
// What ran on the streams of GPUs (result.streams).

/// Fills the streams of RESULT, whose call tree is TREE, and marks the regions that only they have.
void streams_collect(const struct call_tree *tree, struct result *result);

// --- sensors.c
// What the archive has of metrics that belong to no call path (result.sensors).

/// Fills the sensors of RESULT, whose time_ns is known. TRACE has been read to its end.
void sensors_collect(const struct trace *trace, struct result *result);

// --- files.c
// What the ranks did to files at each call path (result.files, result.file_uses).

/// Fills the files of RESULT, whose call tree is TREE, with those that were used.
void files_collect(const struct call_tree *tree, struct result *result);

// --- moment.c
// What a rank does at a moment, and the chain of causes if it waits then (result.moment).

/// Fills moment of RESULT, whose call tree is TREE, with its sites, from the replay's recent calls.
void moment_collect(const struct call_tree *tree, struct result *result);

// --- iterations.c
// The iterations of a run and those that take longer than usual (result.iterations).

/// Fills iterations of RESULT, whose call tree is TREE, with its sites, from the replay's series.
void iterations_collect(const struct call_tree *tree, struct result *result);

/// What is different in ODD, as a sentence: "rank 2 computes longer in solve". The caller frees.
char *iterations_why(const struct result *result, const struct result_odd *odd);

/// Its part that fills what is usual and what is odd. BY_RANK: the series of each rank that
/// iterates, NULL for the others.
void odd_iterations_collect(const struct call_tree *tree, const struct pag_series *const *by_rank,
                            struct result *result);

/// What the rank of SERIES used in the items from FIRST up to END; `longest` is empty.
struct pag_mark iterations_used(const struct pag_series *series, size_t first, size_t end);

// SPDX-License-Identifier: BSD-3-Clause
// A part of a run, as commands take it:
//
//   FIRST:LAST     from one time of the run to another, each with its unit; FIRST may be missing
//                  for the begin, LAST for the end of the run
//   NAME           from the first begin to the last end of the region NAME, on each rank by itself;
//                  NAME may be a glob
//   NAME#N         the N-th visit of it; NAME#N-M from there to the end of the M-th
//   NAME#*         each visit, an interval of its own
//   FROM..TO       FROM is one of the above but the times: from its begin to the next leave of the
//                  region TO, or to the marker TO
//   pattern==...   each wait that this condition selects (result/views/single_waits.h), from its
//                  begin to its end on all ranks
//
// A visit of a marker lasts until it is set again, or the rank ends.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/pag/index.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/result/collect.h"
#include "analyzer/result/result.h"
#include "analyzer/trace/reader.h"

/// An end of an interval that means that of the run.
#define INTERVAL_RUN_END ((uint64_t)INT64_MAX)

struct interval {
    char *what;             // in the words above; of one of several visits with its number
    uint64_t visit;         // that number, 0: of one that was not asked for by its number
    bool is_phase;          // of regions or markers: each rank has its own begin and end
    struct pag_part *parts; // by location of the trace
};

struct interval_list {
    struct interval *items;
    size_t n, capacity;
};

/// Whether TEXT has the form of an interval, whatever the run. 0, or -1 and ERR.
int interval_check(const char *text, struct error *err);
/// Likewise all TEXTS.
int intervals_check(const struct option_list *texts, struct error *err);
/// Whether TEXT is of a form that may mean several intervals.
bool interval_may_be_several(const char *text);

void interval_list_release(struct interval_list *list);

/// After its replay: 0, or -1 and ERR when INTERVAL goes beyond the run, or contains none of it.
int interval_check_result(const struct interval *interval, const struct result *result,
                          struct error *err);

// --- replays, one of which serves as many intervals as fit into memory

/// What the intervals of one replay may take of memory, beside the replay itself.
#define INTERVAL_REPLAY_BYTES ((size_t)64 << 20)

struct interval_replay {
    struct trace *trace;
    const struct catalogue *catalogue;
    /// Called with the result of each interval, in their order; RESULT is valid during the call
    /// only. -1 and ERR: the intervals after it are left out.
    int (*each)(void *context, const struct interval *interval, struct result *result,
                struct error *err);
    void *context;
    size_t max_bytes; // INTERVAL_REPLAY_BYTES; one replay serves at least one interval
    const struct pag_index_settings *index; // of the archive, made and used; NULL: none
    bool corrects_clocks;                   // first of all, if they disagree
    bool knows_clocks;                      // that was done, or cannot be:
    struct collect_clocks clocks;           // what was wrong
    size_t n_passes;                        // counts the replays
    size_t n_indexed;                       // of them those that an index made shorter
};

/// Adds the intervals that TEXT means in the trace of REPLAY, which is open: one, or several by
/// NAME#* and by conditions. 0; 1: the clocks of the trace are corrected now, and all intervals are
/// to be found again; -1 and ERR: no such region, or fewer visits of it. The caller releases LIST
/// in each case.
int interval_find(struct interval_list *list, struct interval_replay *replay, const char *text,
                  struct error *err);

/// 0; 1 before the first call of `each`: the clocks of the trace are corrected now, and the
/// intervals are to be found and replayed again; -1 and ERR: the trace cannot be replayed, or
/// `each` failed.
int interval_replay(struct interval_replay *replay, const struct interval *intervals, size_t n,
                    struct error *err);

// --- index_file.c
// Where the index of an archive is kept (pag/index.h): beside its anchor, or, where that cannot be
// written, in the user's cache. It is one of this program and of these files, by their sizes and
// when they were last changed; any other one is not used, nor one that somebody else has written.

/// What tells the files of TRACE, and this program, from others.
uint64_t index_file_mark(const struct trace *trace);

/// The index of TRACE, of files with MARK, to be used by SETTINGS; NULL when there is none. Warns
/// of a damaged one. The caller frees it.
struct pag_index *index_file_read(const struct trace *trace, uint64_t mark,
                                  const struct pag_index_settings *settings);

/// Keeps INDEX, a complete one, if a file can be written, and the files still have MARK, which they
/// had before they were read.
void index_file_write(const struct trace *trace, uint64_t mark, struct pag_index *index);

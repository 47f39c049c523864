// SPDX-License-Identifier: BSD-3-Clause
// Traces that are in no database, for `pagoda diff` and `scaling`: they are replayed into one of
// their own, whole or in intervals.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/replay/interval.h"

/// Whether PATH is an archive rather than a database: a folder, or named *.otf2.
bool is_trace(const char *path);

struct store_names;

/// Replays TRACE once, in measured time, and stores the run in DATABASE under NAMES (db/store.h).
/// Warns of damage and sets *IS_UNREADABLE then. 0, or -1 and ERR.
int trace_store(const char *database, const char *trace, const struct catalogue *catalogue,
                const struct store_names *names, bool *is_unreadable, struct error *err);

/// A database for the time of the comparison, in a folder of its own below $TMPDIR or /tmp.
struct compared_traces {
    char *folder, *database;
    struct catalogue *catalogue;
    bool has_unreadable_records; // of any trace
};

/// Replays the N TRACES and stores each once as a trial called like it. 0, or -1 and ERR; TRACES is
/// to be removed in either case.
int compared_traces_replay(struct compared_traces *traces, char *const *paths, size_t n,
                           struct error *err);
void compared_traces_remove(struct compared_traces *traces);

struct compared_intervals {
    struct interval_list list;
    char **names; // of the trials they are stored as, as operands
};

/// Whether TEXT, as below, is two intervals at least, none of them empty, whatever the run. 0, or
/// -1 and ERR.
int compared_intervals_check(const char *text, struct error *err);

/// Replays TRACE for the intervals in TEXT, which commas separate (interval.h). Only what lies in
/// an interval is stored, as a trial of the origin "interval". 0, or -1 and ERR: fewer than two, or
/// one that is empty, not there, or goes beyond the run. TRACES is to be removed and INTERVALS to
/// be released in either case.
int compared_intervals_replay(struct compared_traces *traces, const char *trace, const char *text,
                              struct compared_intervals *intervals, struct error *err);
void compared_intervals_release(struct compared_intervals *intervals);

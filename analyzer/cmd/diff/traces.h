// SPDX-License-Identifier: BSD-3-Clause
// `pagoda diff` of traces that are in no database: they are replayed into one of their own.
#ifndef PAGODA_CMD_DIFF_TRACES_H
#define PAGODA_CMD_DIFF_TRACES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/replay/interval.h"

/// Whether PATH is an archive rather than a database: a folder, or named *.otf2.
bool diff_is_trace(const char *path);

/// A database for the time of the comparison, in a folder of its own below $TMPDIR or /tmp.
struct catalogue;

struct diff_traces {
    char *folder, *database;
    struct catalogue *catalogue;
    bool has_unreadable_records; // of any trace
};

/// Replays the N TRACES and stores each once as a trial called like it. 0, or -1 and ERR; TRACES is
/// to be removed in either case.
int diff_traces_replay(struct diff_traces *traces, char *const *paths, size_t n, struct error *err);

/// The same step by step: begin, then add what lies in the N INTERVALS of TRACE, each as a trial of
/// the origin "interval", named diff_traces_name().
int diff_traces_begin(struct diff_traces *traces, struct error *err);
int diff_traces_add(struct diff_traces *traces, const char *trace, const struct interval *intervals,
                    size_t n, struct error *err);
char *diff_traces_name(const char *trace, const struct interval *interval); // to be freed
void diff_traces_remove(struct diff_traces *traces);

#endif

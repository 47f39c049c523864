// SPDX-License-Identifier: BSD-3-Clause
// `pagoda diff TRACE --intervals A,B`: intervals of one run, each a run of its own.
#ifndef PAGODA_CMD_DIFF_INTERVALS_H
#define PAGODA_CMD_DIFF_INTERVALS_H

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/cmd/diff/traces.h"
#include "analyzer/replay/interval.h"

struct diff_intervals {
    struct interval_list list;
    char **names; // of the trials they are stored as, as operands
};

/// Whether TEXT, as below, is two intervals at least, none of them empty, whatever the run. 0, or
/// -1 and ERR.
int diff_intervals_check(const char *text, struct error *err);

/// Replays TRACE for the intervals in TEXT, which commas separate (interval.h). Only what lies in
/// an interval is stored, as a trial of the origin "interval". 0, or -1 and ERR: fewer than two, or
/// one that is empty, not there, or goes beyond the run. TRACES is to be removed and INTERVALS to
/// be released in either case.
int diff_intervals_replay(struct diff_traces *traces, const char *trace, const char *text,
                          struct diff_intervals *intervals, struct error *err);
void diff_intervals_release(struct diff_intervals *intervals);

#endif

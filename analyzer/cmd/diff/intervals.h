// SPDX-License-Identifier: BSD-3-Clause
// `pagoda diff TRACE --intervals A:B,C:D`: intervals of one run, each a run of its own.
#ifndef PAGODA_CMD_DIFF_INTERVALS_H
#define PAGODA_CMD_DIFF_INTERVALS_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/cmd/diff/traces.h"

struct diff_interval {
    uint64_t begin_ns, end_ns;
    char *name; // of the trial it is stored as
};

struct diff_intervals {
    struct diff_interval *items;
    char **names; // of the items, as operands
    size_t n, capacity;
};

/// Whether TEXT, as below, is two intervals at least, none of them empty, whatever the run. 0, or
/// -1 and ERR.
int diff_intervals_check(const char *text, struct error *err);

/// Replays TRACE once for each of the intervals in TEXT, "FIRST:LAST,FIRST:LAST,...", times from
/// the first event of the run with units; FIRST may be missing for 0, LAST for the end of the run.
/// Only what lies in the interval is stored, as a trial of the origin "interval". 0, or -1 and ERR:
/// fewer than two, or one that is empty or goes beyond the run. TRACES is to be removed and
/// INTERVALS to be released in either case.
int diff_intervals_replay(struct diff_traces *traces, const char *trace, const char *text,
                          struct diff_intervals *intervals, struct error *err);
void diff_intervals_release(struct diff_intervals *intervals);

#endif

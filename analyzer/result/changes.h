// SPDX-License-Identifier: BSD-3-Clause
// What is different between a measured run and a predicted one: times by name, largest change
// first. Names are those of the two results, which must outlive them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/result/result.h"

struct change {
    const char *name, *shown; // whole, and in texts
    int64_t measured_ns, predicted_ns;
};

struct changes {
    struct change *items;
    size_t n;
};
void changes_release(struct changes *changes);

/// The critical path by region; each run's sums to its run time.
struct changes changes_of_critical_path(const struct result *measured,
                                        const struct result *predicted);
/// Wait states that either run has, sums over the ranks.
struct changes changes_of_waits(const struct result *measured, const struct result *predicted);
/// Exclusive time by call path, sums over the ranks. No paths whose time is the same.
struct changes changes_of_call_paths(const struct result *measured, const struct result *predicted);

/// Where the time of all ranks went, each run's sums to run time x ranks: outside MPI, waits that
/// are in no other one, the rest of MPI, and before ranks begin and after they end.
enum change_kind { CHANGE_OUTSIDE, CHANGE_WAITING, CHANGE_OTHER_MPI, CHANGE_ABSENT, CHANGE_KINDS };
struct changes changes_of_time(const struct result *measured, const struct result *predicted);

/// Why the predicted run takes another time, as a sentence without a full stop: the largest changes
/// of its critical path, which sum to that of the run time, and of the ranks' time. The caller
/// frees.
char *changes_summary(const struct result *measured, const struct result *predicted);

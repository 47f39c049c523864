// SPDX-License-Identifier: BSD-3-Clause
// The functions of a run with their calls and times, from a trace or a stored trial.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/report/report.h"

/// A function on one rank.
struct reduce_part {
    uint32_t row, rank;
    double n_calls, exclusive_us, inclusive_us;
};

struct reduce_profile {
    struct reduction_row *rows; // by inclusive time, descending
    size_t n_rows, capacity;
    struct reduce_part *parts; // those of a row together, by rank
    size_t n_parts, parts_capacity;
    uint64_t time_ns;
    uint64_t n_ranks, n_events;
    uint64_t launch_ns; // how long the launch line of a trace took, 0: not known
    bool has_unreadable_records;
};

/// The functions recorded in the archive TRACE, without those of MPI. Functions of one name, which
/// a filter cannot tell apart, are one. 0, or -1 and ERR; PROFILE is to be released in either case.
int reduce_profile_of_trace(struct reduce_profile *profile, const char *trace, struct error *err);

/// The same of a trial in the database at PATH, chosen as in trials.h.
int reduce_profile_of_trial(struct reduce_profile *profile, const char *path, const char *trial,
                            struct error *err);

/// An inclusive time in percent of the run time.
double reduce_profile_percent(const struct reduce_profile *profile, double inclusive_us);

/// From now on the profile is that of RANK alone. 0, or -1 and ERR: there is no such rank.
int reduce_profile_choose_rank(struct reduce_profile *profile, uint64_t rank, struct error *err);

void reduce_profile_release(struct reduce_profile *profile);

/// The row of this name, or NULL.
const struct reduction_row *reduce_profile_find(const struct reduce_profile *profile,
                                                const char *name);

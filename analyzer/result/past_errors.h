// SPDX-License-Identifier: BSD-3-Clause
// How far earlier predictions of a kind were off, and what that says of a new one.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Past predictions of a kind that were measured. Zeroed: they were not looked up.
struct past_errors {
    char *kind;         // the what-if options, "--cores --latency"
    char *machine;      // they were recorded on; NULL: on any machine
    size_t n;           // different ones; repeated runs of the same count once
    double coverage;    // share of measured times from `least` to `most`; 0: they are too few
    double least, most; // measured over predicted time
};

void past_errors_release(struct past_errors *errors);

/// Between which times a run is expected, and whether past errors say so.
struct expected_time {
    uint64_t low_ns, high_ns;
    bool is_by_past_errors; // false: by the replay error alone
};

/// Of a run predicted as PREDICTED_NS, of which JUDGED_NS are judged: ERRORS are of that part, and
/// the rest is taken to be right. Without past errors it is off by REPLAY_ERROR, a share.
struct expected_time expected_time(const struct past_errors *errors, uint64_t predicted_ns,
                                   uint64_t judged_ns, double replay_error);

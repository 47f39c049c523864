// SPDX-License-Identifier: BSD-3-Clause
// Load balancing while a program runs, by the policies of MAGDA (Di Martino and Rana, mobile
// agents): a coordinator polls at which percentage of its assigned work each worker is.
//
//   1. a worker is idle: the one that is furthest back gives it work;
//   2. the furthest one is more than `threshold` per cent ahead of the one furthest back: that one
//      gives work to a free host, if one is left, else to the furthest one.
//
// Here the work is what each rank computes between two operations in which all meet
// (work_spans.h), the same assigned to it in the recording. At each poll giver and taker share what
// is left of both equally, as often as a rule holds (at most once a worker); what is given takes
// `transfer_ns` to come, and less than that, or less than a poll, is not given. What was given is
// given back at the next meeting. Ties: the lowest rank. A free host begins idle, and helps in one
// span only. Integers, so the same everywhere.
//
// Not in the model: whether the work can be divided like this, the data that goes along beyond
// transfer_ns, messages between ranks inside a span. So the result is an estimate.
#ifndef PAGODA_WHATIF_DYNAMIC_BALANCING_H
#define PAGODA_WHATIF_DYNAMIC_BALANCING_H

#include <stdint.h>

#include "analyzer/whatif/dynamic/work_spans.h"

struct balancing_policy {
    uint64_t threshold; // of the assigned work, millionths
    uint64_t poll_ns;   // more than 0
    uint64_t transfer_ns;
    uint32_t n_free_hosts;
};

struct balancing_result {
    uint64_t before_ns, after_ns; // the longest works of all spans, summed; the same balanced
    uint64_t n_migrations, moved_ns;
};

struct balancing_result balancing_run(const struct work_spans *spans,
                                      const struct balancing_policy *policy);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Load balancing while a program runs, by the rules of a policy (policy.h reads them from a file):
// a coordinator polls at which percentage of its assigned work each worker is, and tells one to
// give work to another one. The idea, and the bundled rules, are those of MAGDA (Di Martino and
// Rana: Grid Performance and Resource Management using Mobile Agents).
//
// Here the work is what each rank computes between two operations in which all meet
// (observe.h), the same assigned to it in the recording; workers are the ranks and the free
// hosts, which begin idle, without any. What was given is given back at the next meeting. A span:
//
//   left       work a worker has still to do, with what is on its way to it
//   progress   done / (done + left), in millionths rounded down; 1 of a worker with nothing left
//   polls      each `poll` of the policy; after each 10000 of them in a span it doubles
//   rules      are looked at in their order, at each poll; those of `at_idle` also when a rank has
//              nothing left, at the span's begin, too. The first one by which work is given counts,
//              then they are looked at again, at most once for each worker.
//   roles      slowest, fastest: least, most progress of those with work left, ties: the one with
//              more, less left; most-left, least-left; idle: a rank without work left; free-host: a
//              free host without any; further ties: the lowest rank. The giver and the
//              receiver of work differ; a worker with work on its way is neither until it arrives.
//   lead       the rule holds if the fastest is by more than this ahead of the slowest
//   given      without a share half of (left of giver - left of receiver - transfer), if that is
//              more than 0, else the share of the giver's. Less than `least` is not given.
//   transfer   is how long given work takes to arrive; the receiver goes on with what it has
//   return     is how long its results take back to the giver: it is ready that much later
//
// The span is over when all are ready. Integers, so the same everywhere.
//
// Not in the model: whether the work can be divided like this, the data that goes along beyond the
// transfer, messages between ranks inside a span, the cost of polls. So the result is an estimate.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/simulation/dealt/observe.h"

enum balancing_role {
    ROLE_SLOWEST,
    ROLE_FASTEST,
    ROLE_MOST_LEFT,
    ROLE_LEAST_LEFT,
    ROLE_IDLE, // these two can only take
    ROLE_FREE_HOST,
    N_BALANCING_ROLES,
};

enum { BALANCING_MAX_RULES = 32 };

struct balancing_rule {
    bool at_idle; // else at polls only
    enum balancing_role from, to;
    bool has_lead;
    uint64_t lead;        // millionths
    uint64_t share;       // of what the giver has left, millionths; 0: both have equally much then
    uint64_t transfer_ns; // PAG_NOT_KNOWN: that of the policy
    uint64_t return_ns;   // how long results take back, likewise
};

struct balancing_policy {
    struct balancing_rule rules[BALANCING_MAX_RULES];
    size_t n_rules;
    uint64_t poll_ns;     // more than 0
    uint64_t transfer_ns; // PAG_NOT_KNOWN: balancing_run() must not see that
    uint64_t return_ns;
    uint64_t least_ns; // PAG_NOT_KNOWN: the longer one of a poll and the rule's transfer
    uint32_t n_free_hosts;
};

struct balancing_result {
    uint64_t before_ns, after_ns; // the longest works of all spans, summed; the same balanced
    uint64_t n_migrations, moved_ns;
};

struct balancing_result balancing_run(const struct work_spans *spans,
                                      const struct balancing_policy *policy);

// SPDX-License-Identifier: BSD-3-Clause
// Files of policies, pagoda-policy(5): how work is dealt while a program runs. A policy either has
// rules for balancing, or says how a master hands out tasks (farm.h).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/dealt/farm.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/reader.h"

// --- observe.c
// A predicted run watched by a listener: what models of work that is dealt while a program runs
// (farm.h, balancing.c) are made from. The replay of the predictions, by the same simulation.

/// Simulates TRACE, which has been replayed, under SCENARIO in a further pass and tells LISTENER,
/// in the times of that run, which takes *TIME_NS. 0, or -1 and ERR.
int observe_run(struct trace *trace, const struct scenario *scenario,
                const struct recorded *recorded, const struct pag_listener *listener,
                uint64_t *time_ns, struct error *err);

// How much each rank computes between two operations in which all ranks meet (barriers, all-to-all
// kinds, the end of MPI), from MPI_Init on where there is one: what load balancing may spread.

enum { WORK_SPANS_MAX_KEPT = 1 << 22 }; // works of ranks

struct work_span_rank;

/// Filled by a listener: WORK_NS[span * n_ranks + rank].
struct work_spans {
    uint32_t n_ranks;
    uint64_t *work_ns;
    size_t n_spans, capacity;
    uint64_t n_not_kept; // spans
    struct work_span_rank *ranks;
    uint64_t *open_ns; // works of the operation that is being read
    uint32_t n_open;
};

void work_spans_init(struct work_spans *spans, uint32_t n_ranks);
void work_spans_release(struct work_spans *spans);
struct pag_listener work_spans_listener(struct work_spans *spans);

// --- balancing.c
// Load balancing while a program runs, by the rules of a policy:
// a coordinator polls at which percentage of its assigned work each worker is, and tells one to
// give work to another one. The idea, and the bundled rules, are those of MAGDA (Di Martino and
// Rana: Grid Performance and Resource Management using Mobile Agents).
//
// Here the work is what each rank computes between two operations in which all meet
// (policy.h), the same assigned to it in the recording; workers are the ranks and the free
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

// --- policy.c

/// What is bundled, for bundled_names().
extern const struct bundled bundled_policies;

struct policy {
    char *path;
    struct xml_document *document; // what was read; it holds all texts
    const char *name, *summary;
    const char *source, *missing; // where it is from, and what is not said there; "" for none
    bool deals_tasks;             // only `dealing` is filled, else only `balancing`
    struct balancing_policy balancing;
    struct dealing dealing;
};

/// Reads and checks a file, or the bundled one called NAME. 0, or -1 and ERR ("PATH:LINE: what is
/// wrong", with the nearest valid name). The caller releases POLICY in either case.
int policy_read(struct policy *policy, const char *name, struct error *err);
void policy_release(struct policy *policy);

/// Read values of a policy, in its file or given in place of it: 0, or -1 and ERR.
int policy_read_percent(const char *text, uint64_t *millionths, struct error *err);
int policy_read_poll(const char *text, uint64_t *poll_ns, struct error *err);
int policy_read_free_hosts(const char *text, uint64_t *n, struct error *err);

/// The word of a policy's file for a role ("free-host").
const char *balancing_role_name(enum balancing_role role);

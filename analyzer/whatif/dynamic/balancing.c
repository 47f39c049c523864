// SPDX-License-Identifier: BSD-3-Clause
// The policies, poll by poll (balancing.h).
#include "analyzer/whatif/dynamic/balancing.h"

#include <stdbool.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

static const uint64_t whole = 1000000; // millionths
enum { MAX_POLLS = 10000 };            // of a span; then the rest is done as it is assigned

struct worker {
    uint64_t assigned_ns, done_ns;
    uint64_t ready_ns; // work that was given has come by then
};

/// One span.
struct span {
    struct worker *workers; // ranks, then free hosts
    uint32_t n_ranks, n_workers;
    uint64_t now_ns;
    const struct balancing_policy *policy;
    struct balancing_result *result;
};

static uint64_t left(const struct worker *worker)
{
    return worker->assigned_ns - worker->done_ns;
}

static uint64_t progress(const struct worker *worker)
{
    if (worker->assigned_ns == 0)
        return whole;
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)((wide)worker->done_ns * whole / worker->assigned_ns);
}

/// Everybody works until NOW_NS.
static void advance(struct span *span, uint64_t now_ns)
{
    for (uint32_t i = 0; i < span->n_workers; i++) {
        struct worker *worker = &span->workers[i];
        uint64_t begin_ns = worker->ready_ns > span->now_ns ? worker->ready_ns : span->now_ns;
        uint64_t passed_ns = now_ns > begin_ns ? now_ns - begin_ns : 0;
        worker->done_ns += passed_ns < left(worker) ? passed_ns : left(worker);
    }
    span->now_ns = now_ns;
}

/// Half of the difference of what both have left; false when that is not worth it.
static bool give(struct span *span, struct worker *from, struct worker *to)
{
    uint64_t least_ns = span->policy->poll_ns > span->policy->transfer_ns
                            ? span->policy->poll_ns
                            : span->policy->transfer_ns;
    if (from == to || left(from) <= left(to) + span->policy->transfer_ns)
        return false;
    uint64_t given_ns = (left(from) - left(to) - span->policy->transfer_ns) / 2;
    if (given_ns < least_ns)
        return false;
    from->assigned_ns -= given_ns;
    to->assigned_ns += given_ns;
    to->ready_ns = span->now_ns + span->policy->transfer_ns;
    span->result->n_migrations++;
    span->result->moved_ns += given_ns;
    return true;
}

/// The rules, once. False: none holds, or nothing was worth giving.
static bool apply_rules(struct span *span)
{
    struct worker *slowest = NULL, *fastest = NULL, *idle = NULL, *is_free = NULL;
    for (uint32_t i = 0; i < span->n_workers; i++) {
        struct worker *worker = &span->workers[i];
        if (left(worker) == 0) {
            if (i < span->n_ranks && !idle)
                idle = worker;
            else if (i >= span->n_ranks && !is_free)
                is_free = worker;
            continue;
        }
        if (!slowest || progress(worker) < progress(slowest))
            slowest = worker;
        if (!fastest || progress(worker) > progress(fastest))
            fastest = worker;
    }
    if (!slowest)
        return false;
    if (idle)
        return give(span, slowest, idle);
    if (progress(fastest) - progress(slowest) <= span->policy->threshold)
        return false;
    return give(span, slowest, is_free ? is_free : fastest);
}

static uint64_t end_of(const struct span *span)
{
    uint64_t end_ns = span->now_ns;
    for (uint32_t i = 0; i < span->n_workers; i++) {
        const struct worker *worker = &span->workers[i];
        uint64_t begin_ns = worker->ready_ns > span->now_ns ? worker->ready_ns : span->now_ns;
        if (left(worker) > 0 && begin_ns + left(worker) > end_ns)
            end_ns = begin_ns + left(worker);
    }
    return end_ns;
}

/// The length of the span with these policies.
static uint64_t run_span(struct span *span)
{
    for (uint32_t n = 0; n < MAX_POLLS; n++) {
        uint64_t end_ns = end_of(span), next_ns = span->now_ns + span->policy->poll_ns;
        if (next_ns >= end_ns)
            break;
        advance(span, next_ns);
        for (uint32_t i = 0; i < span->n_workers && apply_rules(span); i++)
            continue;
    }
    return end_of(span);
}

struct balancing_result balancing_run(const struct work_spans *spans,
                                      const struct balancing_policy *policy)
{
    struct balancing_result result = {0};
    uint32_t n_workers = spans->n_ranks + policy->n_free_hosts;
    struct worker *workers = memory_zeroed(n_workers, sizeof *workers);
    for (size_t s = 0; s < spans->n_spans; s++) {
        uint64_t longest_ns = 0;
        for (uint32_t i = 0; i < n_workers; i++) {
            uint64_t work_ns = i < spans->n_ranks ? spans->work_ns[s * spans->n_ranks + i] : 0;
            workers[i] = (struct worker){.assigned_ns = work_ns};
            longest_ns = work_ns > longest_ns ? work_ns : longest_ns;
        }
        struct span span = {workers, spans->n_ranks, n_workers, 0, policy, &result};
        uint64_t length_ns = run_span(&span);
        result.before_ns += longest_ns;
        result.after_ns += length_ns < longest_ns ? length_ns : longest_ns;
    }
    free(workers);
    return result;
}

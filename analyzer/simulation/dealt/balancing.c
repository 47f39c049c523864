// SPDX-License-Identifier: BSD-3-Clause
// A policy's rules, event by event (policy.h). An event is a poll, a rank that has nothing left,
// or given work that comes.
#include "analyzer/simulation/dealt/policy.h"

#include "analyzer/base/memory.h"
#include "analyzer/pag/pag.h"

static const uint64_t whole = 1000000; // millionths
enum { POLLS_OF_A_LENGTH = 10000 };

struct worker {
    uint64_t here_ns, done_ns;
    uint64_t coming_ns, comes_at_ns; // work on its way
    uint64_t ended_ns;               // last computed
    uint64_t return_ns;              // its results need to get back
    bool has_told;                   // that it is idle
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
    return worker->here_ns + worker->coming_ns;
}

static uint64_t progress(const struct worker *worker)
{
    __extension__ typedef unsigned __int128 wide;
    if (left(worker) == 0)
        return whole;
    return (uint64_t)((wide)worker->done_ns * whole / (worker->done_ns + left(worker)));
}

static void work(struct worker *worker, uint64_t from_ns, uint64_t to_ns)
{
    uint64_t passed_ns = to_ns - from_ns;
    uint64_t done_ns = passed_ns < worker->here_ns ? passed_ns : worker->here_ns;
    worker->here_ns -= done_ns;
    worker->done_ns += done_ns;
    if (done_ns > 0)
        worker->ended_ns = from_ns + done_ns;
}

/// Everybody works until NOW_NS, on what has come by then, too.
static void advance(struct span *span, uint64_t now_ns)
{
    for (uint32_t i = 0; i < span->n_workers; i++) {
        struct worker *worker = &span->workers[i];
        uint64_t since_ns = span->now_ns;
        if (worker->coming_ns > 0 && worker->comes_at_ns <= now_ns) {
            work(worker, since_ns, worker->comes_at_ns);
            since_ns = worker->comes_at_ns;
            worker->here_ns += worker->coming_ns;
            worker->coming_ns = 0;
        }
        work(worker, since_ns, now_ns);
    }
    span->now_ns = now_ns;
}

/// Whether A rather than B has ROLE, both with work left.
static bool fits_better(enum balancing_role role, const struct worker *a, const struct worker *b)
{
    uint64_t progress_a = progress(a), progress_b = progress(b);
    switch (role) {
    case ROLE_SLOWEST:
        return progress_a != progress_b ? progress_a < progress_b : left(a) > left(b);
    case ROLE_FASTEST:
        return progress_a != progress_b ? progress_a > progress_b : left(a) < left(b);
    case ROLE_MOST_LEFT:
        return left(a) > left(b);
    default:
        return left(a) < left(b);
    }
}

/// The rank that has ROLE now; NULL: none.
static struct worker *find(const struct span *span, enum balancing_role role)
{
    bool is_out_of_work = role == ROLE_IDLE || role == ROLE_FREE_HOST;
    uint32_t first = role == ROLE_FREE_HOST ? span->n_ranks : 0;
    uint32_t n = role == ROLE_IDLE ? span->n_ranks : span->n_workers;
    struct worker *found = NULL;
    for (uint32_t i = first; i < n; i++) {
        struct worker *worker = &span->workers[i];
        if ((left(worker) == 0) != is_out_of_work || worker->coming_ns > 0)
            continue;
        if (is_out_of_work)
            return worker;
        if (!found || fits_better(role, worker, found))
            found = worker;
    }
    return found;
}

static bool holds(const struct span *span, const struct balancing_rule *rule)
{
    if (!rule->has_lead)
        return true;
    const struct worker *slowest = find(span, ROLE_SLOWEST), *fastest = find(span, ROLE_FASTEST);
    return slowest && progress(fastest) - progress(slowest) > rule->lead;
}

static uint64_t given_of(const struct worker *from, const struct worker *to, uint64_t share,
                         uint64_t transfer_ns)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t given_ns = 0;
    if (share > 0)
        given_ns = (uint64_t)((wide)left(from) * share / whole);
    else if (left(from) > left(to) + transfer_ns)
        given_ns = (left(from) - left(to) - transfer_ns) / 2;
    return given_ns;
}

/// Does what RULE says; false when it says nothing, or that is not worth it.
static bool follow(struct span *span, const struct balancing_rule *rule)
{
    const struct balancing_policy *policy = span->policy;
    if (!holds(span, rule))
        return false;
    struct worker *from = find(span, rule->from), *to = find(span, rule->to);
    if (!from || !to || from == to)
        return false;
    uint64_t transfer_ns =
        rule->transfer_ns == PAG_NOT_KNOWN ? policy->transfer_ns : rule->transfer_ns;
    uint64_t return_ns = rule->return_ns == PAG_NOT_KNOWN ? policy->return_ns : rule->return_ns;
    uint64_t least_ns = policy->least_ns;
    if (least_ns == PAG_NOT_KNOWN)
        least_ns = policy->poll_ns > transfer_ns ? policy->poll_ns : transfer_ns;
    uint64_t given_ns = given_of(from, to, rule->share, transfer_ns);
    if (given_ns == 0 || given_ns < least_ns)
        return false;
    from->here_ns -= given_ns;
    if (transfer_ns == 0) {
        to->here_ns += given_ns;
    } else {
        to->coming_ns = given_ns;
        to->comes_at_ns = span->now_ns + transfer_ns;
    }
    if (return_ns > to->return_ns)
        to->return_ns = return_ns;
    to->has_told = false;
    span->result->n_migrations++;
    span->result->moved_ns += given_ns;
    return true;
}

static void apply_rules(struct span *span, bool is_poll)
{
    for (uint32_t n = 0; n < span->n_workers; n++) {
        bool has_given = false;
        for (size_t i = 0; i < span->policy->n_rules && !has_given; i++) {
            const struct balancing_rule *rule = &span->policy->rules[i];
            has_given = (is_poll || rule->at_idle) && follow(span, rule);
        }
        if (!has_given)
            return;
    }
}

/// When WORKER has nothing left.
static uint64_t end_of_work(const struct span *span, const struct worker *worker)
{
    if (left(worker) == 0)
        return worker->ended_ns;
    uint64_t end_ns = span->now_ns + worker->here_ns;
    if (worker->coming_ns == 0)
        return end_ns;
    return (end_ns > worker->comes_at_ns ? end_ns : worker->comes_at_ns) + worker->coming_ns;
}

/// The next time from now on at which a rank has nothing left that has not reported so; UINT64_MAX:
/// none, or not asked for.
static uint64_t next_idle(const struct span *span)
{
    bool is_asked = false;
    for (size_t i = 0; i < span->policy->n_rules; i++)
        is_asked = is_asked || span->policy->rules[i].at_idle;
    uint64_t next_ns = UINT64_MAX;
    for (uint32_t i = 0; is_asked && i < span->n_ranks; i++) {
        uint64_t end_ns = end_of_work(span, &span->workers[i]);
        if (!span->workers[i].has_told && end_ns < next_ns)
            next_ns = end_ns;
    }
    return next_ns;
}

static void note_idle(struct span *span)
{
    for (uint32_t i = 0; i < span->n_ranks; i++)
        if (left(&span->workers[i]) == 0)
            span->workers[i].has_told = true;
}

/// When all are ready; *WORK_NS: when no rank has work left.
static uint64_t end_of(const struct span *span, uint64_t *work_ns)
{
    uint64_t ready_ns = 0;
    *work_ns = 0;
    for (uint32_t i = 0; i < span->n_workers; i++) {
        uint64_t end_ns = end_of_work(span, &span->workers[i]);
        *work_ns = end_ns > *work_ns ? end_ns : *work_ns;
        end_ns += span->workers[i].return_ns;
        ready_ns = end_ns > ready_ns ? end_ns : ready_ns;
    }
    return ready_ns;
}

/// The length of the span with these policies.
static uint64_t run_span(struct span *span)
{
    uint64_t poll_ns = span->policy->poll_ns, next_poll_ns = poll_ns, end_ns;
    for (uint64_t n = 0; end_of(span, &end_ns), true;) {
        uint64_t idle_ns = next_idle(span);
        bool is_poll = next_poll_ns <= idle_ns;
        uint64_t next_ns = is_poll ? next_poll_ns : idle_ns;
        if (next_ns >= end_ns)
            break;
        advance(span, next_ns);
        if (is_poll) {
            if (++n % POLLS_OF_A_LENGTH == 0)
                poll_ns *= 2;
            next_poll_ns += poll_ns;
        }
        note_idle(span);
        apply_rules(span, is_poll);
    }
    return end_of(span, &end_ns);
}

struct balancing_result balancing_run(const struct work_spans *spans,
                                      const struct balancing_policy *policy)
{
    struct balancing_result result = {0};
    uint32_t n_workers = spans->n_ranks + policy->n_free_hosts;
    SCOPED struct worker *workers = memory_zeroed(n_workers, sizeof *workers);
    for (size_t s = 0; s < spans->n_spans; s++) {
        uint64_t longest_ns = 0;
        for (uint32_t i = 0; i < n_workers; i++) {
            uint64_t work_ns = i < spans->n_ranks ? spans->work_ns[s * spans->n_ranks + i] : 0;
            workers[i] = (struct worker){.here_ns = work_ns};
            longest_ns = work_ns > longest_ns ? work_ns : longest_ns;
        }
        struct span span = {workers, spans->n_ranks, n_workers, 0, policy, &result};
        result.before_ns += longest_ns;
        result.after_ns += run_span(&span);
    }
    return result;
}

// SPDX-License-Identifier: BSD-3-Clause
// Replaying candidates: rounds of a few, each round on all cores, until bounds say that the rest
// cannot come to the top.
#include "analyzer/advise/replay.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/advise/nested.h"
#include "analyzer/base/memory.h"
#include "analyzer/whatif/run.h"
#include "analyzer/whatif/waiting.h"

enum {
    ROUND = 8, // candidates between two looks at the bounds
    MAX_THREADS = 64
};

// --- one prediction

static bool give_words(struct whatif_options *options, const struct advice_word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!whatif_options_give(options, words[i].option, words[i].value))
            return false;
    return true;
}

bool advise_give_words(const struct advise_setting *setting, struct whatif_options *options,
                       const struct advice_candidate *candidate)
{
    bool is_known =
        (candidate->has_target || give_words(options, setting->words, setting->n_words)) &&
        give_words(options, candidate->words, candidate->n_words);
    whatif_assume_waiting(options, setting->measured);
    return is_known;
}

static void run_job(const struct advise_setting *setting, struct advise_job *job)
{
    struct whatif_options options = {0};
    struct whatif_plan plan = {0};
    struct whatif_point point = {0};
    struct error err = {{0}};
    bool is_known = true, has_target = false;
    for (int i = 0; i < 2 && job->candidates[i]; i++)
        has_target = has_target || job->candidates[i]->has_target;
    if (!has_target)
        is_known = give_words(&options, setting->words, setting->n_words);
    for (int i = 0; i < 2 && is_known && job->candidates[i]; i++)
        is_known = give_words(&options, job->candidates[i]->words, job->candidates[i]->n_words);
    whatif_assume_waiting(&options, setting->measured);
    if (!is_known)
        error_set(&err, "this version has no such option");
    else if (whatif_plan_read(&plan, &options, &err) == 0 && plan.is_list)
        error_set(&err, "a value with commas would be several");
    else if (plan.n_sets == 1 &&
             whatif_run_quietly(&plan, setting->trace, setting->measured, setting->catalogue,
                                &point, &job->result, &err) == 0) {
        job->predicted_ns = point.predicted_ns;
        job->window_ns = point.window_end_ns - point.window_begin_ns;
    }
    if (err.text[0])
        job->failure = memory_copy_text(err.text);
    whatif_point_release(&point);
    whatif_plan_release(&plan);
    whatif_options_release(&options);
}

// --- many

struct advise_progress {
    struct progress bar;
    pthread_mutex_t lock;
    uint64_t n_done;
};

struct advise_progress *advise_progress_new(void)
{
    struct advise_progress *progress = memory_zeroed(1, sizeof *progress);
    pthread_mutex_init(&progress->lock, NULL);
    progress_begin(&progress->bar, "trying changes", 1);
    return progress;
}

void advise_progress_free(struct advise_progress *progress)
{
    if (!progress)
        return;
    progress_end(&progress->bar);
    pthread_mutex_destroy(&progress->lock);
    free(progress);
}

void advise_progress_expect(struct advise_progress *progress, size_t n)
{
    if (progress)
        progress->bar.total = progress->n_done + n;
}

static void count_done(struct advise_progress *progress)
{
    if (!progress)
        return;
    pthread_mutex_lock(&progress->lock);
    progress_update(&progress->bar, ++progress->n_done);
    pthread_mutex_unlock(&progress->lock);
}

struct pool {
    const struct advise_setting *setting;
    struct advise_job *jobs;
    size_t n_jobs;
    atomic_size_t next;
};

static void *work(void *context)
{
    struct pool *pool = context;
    for (size_t i; (i = atomic_fetch_add(&pool->next, 1)) < pool->n_jobs;) {
        run_job(pool->setting, &pool->jobs[i]);
        count_done(pool->setting->progress);
    }
    return NULL;
}

static unsigned count_threads(const struct advise_setting *setting, size_t n_jobs)
{
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = setting->n_threads > 0 ? setting->n_threads : n_cores > 0 ? (size_t)n_cores : 1;
    n = n < n_jobs ? n : n_jobs;
    return (unsigned)(n < MAX_THREADS ? n : MAX_THREADS);
}

void advise_run_jobs(const struct advise_setting *setting, struct advise_job *jobs, size_t n)
{
    struct pool pool = {.setting = setting, .jobs = jobs, .n_jobs = n};
    pthread_t threads[MAX_THREADS];
    unsigned n_wanted = count_threads(setting, n), n_started = 0;
    atomic_init(&pool.next, 0);
    while (n_started + 1 < n_wanted && pthread_create(&threads[n_started], NULL, work, &pool) == 0)
        n_started++;
    work(&pool); // with what was started, perhaps alone
    for (unsigned i = 0; i < n_started; i++)
        pthread_join(threads[i], NULL);
}

// --- candidates

/// Which promises most, first; in the order found among equals.
static int by_promise(const void *a, const void *b)
{
    const struct advice_candidate *x = *(struct advice_candidate *const *)a;
    const struct advice_candidate *y = *(struct advice_candidate *const *)b;
    if (x->promise_ns != y->promise_ns)
        return x->promise_ns < y->promise_ns ? 1 : -1;
    return x < y ? -1 : x > y;
}

static int by_gain(const void *a, const void *b)
{
    const struct advice_candidate *x = a, *y = b;
    if (x->is_replayed != y->is_replayed)
        return x->is_replayed ? -1 : 1;
    if (!x->same_as != !y->same_as)
        return !x->same_as ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->gain_ns != y->gain_ns)
        return x->gain_ns < y->gain_ns ? 1 : -1;
    int order = strcmp(x->words[0].option, y->words[0].option);
    if (order == 0 && x->words[0].value && y->words[0].value)
        order = strcmp(x->words[0].value, y->words[0].value);
    return order;
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/// The gain that a candidate needs to be among the first n_shown of its group.
static int64_t gain_of_last_shown(struct advice_candidate *const *order, size_t n, size_t n_shown,
                                  enum advice_group group)
{
    int64_t *gains = memory_zeroed(n, sizeof *gains), least_ns = 0;
    size_t n_gains = 0;
    for (size_t i = 0; i < n; i++)
        if (order[i]->is_replayed && !order[i]->same_as && order[i]->group == group)
            gains[n_gains++] = order[i]->gain_ns;
    qsort(gains, n_gains, sizeof *gains, descending);
    if (n_gains >= n_shown && n_shown > 0 && gains[n_shown - 1] > 0)
        least_ns = gains[n_shown - 1];
    free(gains);
    return least_ns;
}

/// Passes through the trace that the prediction of CANDIDATE takes.
static size_t passes_of(const struct advice_candidate *candidate)
{
    bool is_counted_first = strcmp(candidate->words[0].option, "balance") == 0;
    return is_counted_first ? 2 : 1;
}

void advise_take_prediction(const struct advice *advice, struct advice_candidate *candidate,
                            const struct advise_job *job)
{
    candidate->failure = job->failure;
    candidate->is_replayed = !job->failure;
    candidate->predicted_ns = job->predicted_ns;
    candidate->gain_ns = (int64_t)advice->target_ns - (int64_t)job->predicted_ns;
}

static void replay_round(const struct advise_setting *setting, struct advice *advice,
                         struct advice_candidate *const *candidates, size_t n)
{
    struct advise_job jobs[ROUND] = {0};
    for (size_t i = 0; i < n; i++)
        jobs[i].candidates[0] = candidates[i];
    advise_run_jobs(setting, jobs, n);
    for (size_t i = 0; i < n; i++) {
        advise_take_prediction(advice, candidates[i], &jobs[i]);
        advice->n_replays++;
    }
    advise_mark_same(advice);
}

/// Candidates in the order of trial, and how many passes each group may take yet.
struct trial {
    const struct advise_setting *setting;
    struct advice *advice;
    struct advice_candidate **order;
    bool *is_done; // by place in the order: predicted, or pruned
    size_t n;
    size_t passes_left[ADVICE_GROUPS];
};

/// Takes up to ROUND candidates that may be shown, and fit into what their groups have left; how
/// many. Those that cannot be shown are done with.
static size_t choose_round(struct trial *trial, struct advice_candidate **round)
{
    // What MPI's calls take depends a little on what is before them, which bounds do not know.
    const uint64_t slack_ns = trial->advice->target_ns / 100;
    int64_t needs_ns[ADVICE_GROUPS];
    for (int group = 0; group < ADVICE_GROUPS; group++)
        needs_ns[group] = gain_of_last_shown(trial->order, trial->n, trial->setting->n_shown,
                                             (enum advice_group)group);
    size_t n_round = 0;
    for (size_t i = 0; i < trial->n && n_round < ROUND; i++) {
        struct advice_candidate *candidate = trial->order[i];
        size_t *left = &trial->passes_left[candidate->group], n_passes = passes_of(candidate);
        if (trial->is_done[i])
            continue;
        // One that gains as much as the last one shown may come before it.
        bool may_show = candidate->most_ns == UINT64_MAX ||
                        (candidate->most_ns > 0 &&
                         (int64_t)(candidate->most_ns + slack_ns) >= needs_ns[candidate->group]);
        if (!trial->setting->replays_all && !may_show) {
            trial->is_done[i] = true;
            trial->advice->n_pruned++;
        } else if (trial->setting->replays_all || n_passes <= *left) {
            *left -= trial->setting->replays_all ? 0 : n_passes;
            trial->is_done[i] = true;
            round[n_round++] = candidate;
        }
    }
    return n_round;
}

static void replay_rounds(struct trial *trial)
{
    struct advice_candidate *round[ROUND];
    for (size_t n; (n = choose_round(trial, round)) > 0;)
        replay_round(trial->setting, trial->advice, round, n);
}

void advise_replay_candidates(const struct advise_setting *setting, struct advice *advice)
{
    static const unsigned shares[ADVICE_GROUPS] = ADVISE_SHARES; // per cent
    size_t n = advice->n_candidates, n_left = 0;
    struct trial trial = {
        .setting = setting,
        .advice = advice,
        .order = memory_zeroed(n, sizeof(struct advice_candidate *)),
        .is_done = memory_zeroed(n, sizeof(bool)),
        .n = n,
    };
    for (size_t i = 0; i < n; i++)
        trial.order[i] = &advice->candidates[i];
    qsort(trial.order, n, sizeof(struct advice_candidate *), by_promise);
    for (size_t i = 0; i < n; i++)
        trial.is_done[i] = trial.order[i]->is_replayed || trial.order[i]->failure;
    for (int group = 0; group < ADVICE_GROUPS; group++)
        trial.passes_left[group] = setting->max_passes * shares[group] / 100;
    replay_rounds(&trial);
    for (int group = 0; group < ADVICE_GROUPS; group++) { // what others have left, in turn
        n_left += trial.passes_left[group];
        trial.passes_left[group] = 0;
    }
    for (int group = 0; group < ADVICE_GROUPS; group++) {
        trial.passes_left[group] = n_left;
        replay_rounds(&trial);
        n_left = trial.passes_left[group];
        trial.passes_left[group] = 0;
    }
    for (size_t i = 0; i < n; i++)
        advice->n_untried += !trial.is_done[i];
    free(trial.order);
    free(trial.is_done);
    qsort(advice->candidates, n, sizeof *advice->candidates, by_gain);
}

// --- pairs

void advise_replay_pairs(const struct advise_setting *setting, struct advice *advice)
{
    size_t best[ADVISE_MAX_PAIRED], n_best = 0, n_jobs = 0;
    // Of those that are shown, which are the same whatever was left out.
    size_t n_shown =
        setting->n_shown < advice->n_candidates ? setting->n_shown : advice->n_candidates;
    for (size_t i = 0; i < n_shown && n_best < setting->n_paired; i++) {
        const struct advice_candidate *candidate = &advice->candidates[i];
        bool is_new = candidate->group == ADVICE_CHANGE && advice_pays(advice, candidate);
        for (size_t k = 0; k < n_best; k++)
            is_new = is_new && !advice_excludes(candidate, &advice->candidates[best[k]]);
        if (is_new)
            best[n_best++] = i;
    }
    struct advise_job jobs[ADVISE_MAX_PAIRED * ADVISE_MAX_PAIRED] = {0};
    size_t pairs[ADVISE_MAX_PAIRED * ADVISE_MAX_PAIRED][2];
    for (size_t a = 0; a < n_best; a++) {
        for (size_t b = a + 1; b < n_best; b++, n_jobs++) {
            pairs[n_jobs][0] = best[a];
            pairs[n_jobs][1] = best[b];
            for (int i = 0; i < 2; i++)
                jobs[n_jobs].candidates[i] = &advice->candidates[pairs[n_jobs][i]];
        }
    }
    advise_run_jobs(setting, jobs, n_jobs);
    advice->pairs = memory_zeroed(n_jobs, sizeof *advice->pairs);
    for (size_t i = 0; i < n_jobs; i++) {
        advice->n_replays++;
        struct advice_pair *pair = &advice->pairs[advice->n_pairs++];
        *pair = (struct advice_pair){pairs[i][0], pairs[i][1], jobs[i].failure, 0, 0};
        if (pair->failure)
            continue;
        pair->predicted_ns = jobs[i].predicted_ns;
        pair->gain_ns = (int64_t)advice->target_ns - (int64_t)jobs[i].predicted_ns;
    }
}

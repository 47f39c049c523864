// SPDX-License-Identifier: BSD-3-Clause
// Advice on a run, within the time of about 30 replays where these take long: rounds of a few
// candidates, each round on all cores, until bounds say that the rest cannot come to the top.
#include "analyzer/advise/advise.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/result/cores.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/dealt/farm.h"
#include "analyzer/whatif/whatif.h"

enum { ROUND = 8 }; // candidates between two looks at the bounds

/// The part of max_passes that each group may take, in per cent.
static const unsigned group_shares[ADVICE_GROUPS] = {
    [ADVICE_CHANGE] = 50, [ADVICE_MACHINE] = 15, [ADVICE_LIMIT] = 35};

// --- regions within one another

/// What is changed of a region; changes of different things are never about the same.
enum domain { DOMAIN_WORK, DOMAIN_SYNC, DOMAIN_OVERLAP, N_DOMAINS };

static enum domain domain_of(const struct advice_candidate *candidate)
{
    if (candidate->kind == ADVICE_SYNC)
        return DOMAIN_SYNC;
    return candidate->kind == ADVICE_MESSAGES ? DOMAIN_OVERLAP : DOMAIN_WORK;
}

/// The number of the region of CANDIDATE, new or that of an earlier one; false without.
static bool number_region(struct region_patterns *patterns, const struct advice *advice,
                          struct advice_candidate *candidate)
{
    enum domain domain = domain_of(candidate);
    for (const struct advice_candidate *other = advice->candidates; other < candidate; other++)
        if (other->region && domain_of(other) == domain &&
            strcmp(other->region, candidate->region) == 0) {
            candidate->region_number = other->region_number;
            return true;
        }
    struct error ignored;
    return region_patterns_count(patterns) < REGION_MAX_PATTERNS &&
           region_patterns_add(patterns, "", candidate->region,
                               domain == DOMAIN_WORK ? REGION_COMPUTING : REGION_CALLS,
                               &candidate->region_number, &ignored) == 0;
}

static void relate_regions(const struct replay_run *measured, struct advice *advice)
{
    uint64_t within[REGION_MAX_PATTERNS], sharing[REGION_MAX_PATTERNS], of_domain[N_DOMAINS] = {0};
    struct region_patterns *patterns = region_patterns_new(trace_definitions(measured->trace));
    for (size_t i = 0; i < advice->n_candidates; i++) {
        struct advice_candidate *candidate = &advice->candidates[i];
        if (!candidate->region)
            continue;
        if (number_region(patterns, advice, candidate)) {
            of_domain[domain_of(candidate)] |= UINT64_C(1) << candidate->region_number;
        } else {
            free(candidate->region);
            candidate->region = NULL;
        }
    }
    region_patterns_relate(patterns, &measured->replay, within, sharing);
    for (size_t i = 0; i < advice->n_candidates; i++) {
        struct advice_candidate *candidate = &advice->candidates[i];
        if (!candidate->region)
            continue;
        uint64_t others = of_domain[domain_of(candidate)];
        candidate->within = within[candidate->region_number] & others;
        candidate->sharing = sharing[candidate->region_number] & others;
    }
    region_patterns_free(patterns);
}

/// The part of CANDIDATE's option after the region: "=0.5".
static const char *change_of(const struct advice_candidate *candidate)
{
    return candidate->words[0].value + strlen(candidate->region);
}

static bool lies_within(const struct advice_candidate *part,
                        const struct advice_candidate *candidate)
{
    return part->within >> candidate->region_number & 1;
}

/// Whether PART changes what CANDIDATE changes, or a part of it, in the same way, and gains as
/// much. What a finding proposes stands for itself, for its parts, and for what it is a part of.
static bool is_same(const struct advice *advice, const struct advice_candidate *candidate,
                    const struct advice_candidate *part)
{
    if (candidate->kind == ADVICE_DYNAMIC && part->kind == ADVICE_DYNAMIC && part->is_replayed)
        return part < candidate && part->predicted_ns == candidate->predicted_ns;
    bool proposes = part->findings && !candidate->findings;
    if (!part->region || !candidate->region || !part->is_replayed || part == candidate ||
        candidate->findings ||
        !advise_includes(candidate->words[0].option, part->words[0].option) ||
        (!lies_within(part, candidate) && !(proposes && lies_within(candidate, part))))
        return false;
    // Of the same region only ranks may be others, as those of a remedy.
    bool is_of_same = part->region_number == candidate->region_number &&
                      strcmp(part->words[0].option, candidate->words[0].option) == 0;
    if (is_of_same ? !proposes || strcmp(part->words[0].option, "balance") != 0
                   : strcmp(change_of(part), change_of(candidate)) != 0)
        return false;
    // Of two regions that are the same calls the proposed one stays, or else that of fewer, or the
    // first.
    bool stays = candidate->is_all != part->is_all ? part->is_all : candidate < part;
    if (!proposes && lies_within(candidate, part) && stays)
        return false;
    int64_t difference_ns = llabs(candidate->gain_ns - part->gain_ns);
    return difference_ns <= (int64_t)(advice->target_ns / 1000) ||
           difference_ns <= candidate->gain_ns / 50;
}

static void mark_same(struct advice *advice)
{
    for (size_t i = 0; i < advice->n_candidates; i++) {
        struct advice_candidate *candidate = &advice->candidates[i];
        candidate->same_as = NULL;
        for (size_t k = 0;
             k < advice->n_candidates && candidate->is_replayed && !candidate->same_as; k++)
            if (is_same(advice, candidate, &advice->candidates[k]))
                candidate->same_as = advice->candidates[k].subject;
    }
}

// --- predicting candidates

static int by_gain(const void *a, const void *b)
{
    const struct advice_candidate *x = a, *y = b;
    const char *x_value = x->words[0].value, *y_value = y->words[0].value;
    return ORDER_BY(MORE_FIRST(x->is_replayed, y->is_replayed), !!x->same_as - !!y->same_as,
                    LESS_FIRST(x->group, y->group), MORE_FIRST(x->order_ns, y->order_ns),
                    strcmp(x->words[0].option, y->words[0].option),
                    x_value && y_value ? strcmp(x_value, y_value) : 0);
}

static int descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return MORE_FIRST(x, y);
}

/// What CANDIDATE counts in the list: its gain, or half of it where it changes computing of which
/// no finding says that it is the cause of a loss.
static int64_t order_ns(const struct advice *advice, const struct advice_candidate *candidate)
{
    int64_t gain_ns = candidate->gain_ns, least_ns = (int64_t)(advice->target_ns / 1000);
    bool is_of_computing = candidate->kind == ADVICE_REGION || candidate->kind == ADVICE_MOVE ||
                           candidate->kind == ADVICE_DYNAMIC;
    if (!is_of_computing || candidate->findings || gain_ns < least_ns)
        return gain_ns;
    return gain_ns / 2 > least_ns ? gain_ns / 2 : least_ns; // what pays comes before the rest
}

/// The order_ns that a candidate needs to be among the first n_shown of its group.
static int64_t gain_of_last_shown(const struct advice *advice,
                                  struct advice_candidate *const *order, size_t n, size_t n_shown,
                                  enum advice_group group)
{
    int64_t *gains = memory_zeroed(n, sizeof *gains), least_ns = 0;
    size_t n_gains = 0;
    for (size_t i = 0; i < n; i++)
        if (order[i]->is_replayed && !order[i]->same_as && order[i]->group == group)
            gains[n_gains++] = order_ns(advice, order[i]);
    qsort(gains, n_gains, sizeof *gains, descending);
    if (n_gains >= n_shown && n_shown > 0 && gains[n_shown - 1] > 0)
        least_ns = gains[n_shown - 1];
    free(gains);
    return least_ns;
}

/// Passes through the trace that the prediction of CANDIDATE takes.
static size_t passes_of(const struct advice_candidate *candidate)
{
    const char *option = candidate->words[0].option;
    return strcmp(option, "balance") == 0 || strcmp(option, "rebalance") == 0 ? 2 : 1;
}

static void replay_round(const struct advise_setting *setting, struct advice *advice,
                         struct advice_candidate *const *candidates, size_t n)
{
    struct whatif_job jobs[ROUND] = {0};
    for (size_t i = 0; i < n; i++)
        jobs[i].candidates[0] = candidates[i];
    whatif_run_jobs(&setting->batch, jobs, n);
    for (size_t i = 0; i < n; i++)
        advise_take_prediction(advice, candidates[i], &jobs[i]);
    advice->n_replays += n;
    mark_same(advice);
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
        needs_ns[group] = gain_of_last_shown(trial->advice, trial->order, trial->n,
                                             trial->setting->n_shown, (enum advice_group)group);
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

static void replay_candidates(const struct advise_setting *setting, struct advice *advice)
{
    size_t n = advice->n_candidates, n_left = 0;
    struct trial trial = {
        .setting = setting,
        .advice = advice,
        .order = memory_zeroed(n, sizeof(struct advice_candidate *)),
        .is_done = memory_zeroed(n, sizeof(bool)),
        .n = n,
    };
    mark_same(advice); // of remedies, which are predicted
    for (size_t i = 0; i < n; i++)
        trial.order[i] = &advice->candidates[i];
    SORT_POINTERS_BY(trial.order, n, MOST(promise_ns)); // in the order found among equals
    for (size_t i = 0; i < n; i++)
        trial.is_done[i] = trial.order[i]->is_replayed || trial.order[i]->failure;
    for (int group = 0; group < ADVICE_GROUPS; group++)
        trial.passes_left[group] = setting->max_passes * group_shares[group] / 100;
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
    FREE_ALL(trial.order, trial.is_done);
    for (size_t i = 0; i < n; i++)
        advice->candidates[i].order_ns = order_ns(advice, &advice->candidates[i]);
    if (n > 0)
        qsort(advice->candidates, n, sizeof *advice->candidates, by_gain);
}

/// Until where those pay that are shown.
static void find_bends(const struct advise_setting *setting, const struct pag_result *unchanged,
                       struct advice *advice)
{
    SCOPED struct advice_candidate **shown =
        memory_zeroed(advice->n_candidates, sizeof(struct advice_candidate *));
    size_t n = 0, n_of_group[ADVICE_GROUPS] = {0};
    for (size_t i = 0; i < advice->n_candidates; i++) {
        struct advice_candidate *candidate = &advice->candidates[i];
        if (advice_pays(advice, candidate) && n_of_group[candidate->group]++ < setting->n_shown)
            shown[n++] = candidate;
    }
    advice->n_replays += advise_find_bends(&setting->batch, unchanged, shown, n);
}

// --- pairs

static void replay_pairs(const struct advise_setting *setting, struct advice *advice)
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
    struct whatif_job jobs[ADVISE_MAX_PAIRED * ADVISE_MAX_PAIRED] = {0};
    size_t pairs[ADVISE_MAX_PAIRED * ADVISE_MAX_PAIRED][2];
    for (size_t a = 0; a < n_best; a++) {
        for (size_t b = a + 1; b < n_best; b++, n_jobs++) {
            pairs[n_jobs][0] = best[a];
            pairs[n_jobs][1] = best[b];
            for (int i = 0; i < 2; i++)
                jobs[n_jobs].candidates[i] = &advice->candidates[pairs[n_jobs][i]];
        }
    }
    whatif_run_jobs(&setting->batch, jobs, n_jobs);
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

// --- all of it

enum {
    LONG_PASSES = 20,   // through a long trace, all together
    PASSES_OF_PAIR = 3, // two changes at once, each of which may have to count visits first
};

/// Computing between MPI_Init and MPI_Finalize without RECORDING_NS, spread equally over the ranks.
static uint64_t spread_computing(const struct result *result, uint64_t recording_ns)
{
    return result->n_ranks > 0 && result->useful_ns > recording_ns
               ? (result->useful_ns - recording_ns) / result->n_ranks
               : 0;
}

/// What the conclusion of a replay says of ranks without CPU time; NULL: nothing.
static char *lost_text(const struct result *result)
{
    char *text = NULL;
    size_t size;
    enum lost_kind kind = lost_kind(result);
    const char *disturbed = result_warning_text(result, "disturbed-recording");
    if (kind == LOST_NONE && !disturbed && cores_threads_without(result) == 0)
        return NULL;
    FILE *out = memory_stream(&text, &size);
    if (cores_write_threads(result, out))
        fputs(". First give each thread a core. No prediction can do that, because it is not "
              "known what threads computed. ",
              out);
    if (disturbed)
        fprintf(out, "%s. ", disturbed);
    if (kind != LOST_NONE) {
        lost_write(result, out);
        fputs(". ", out);
        lost_write_cause(result, out);
        if (kind == LOST_UNKNOWN)
            fputs("Predictions leave this time out. ", out);
        fputs(lost_change(result), out);
    }
    fclose(out);
    return text;
}

/// The run of MEASURED with nothing changed, in UNCHANGED with its critical path, and on the
/// target; without one the remedies of the findings. 0, or -1 and ERR; the caller releases
/// UNCHANGED in either case.
static int predict_baselines(struct replay_run *measured, const struct advise_setting *setting,
                             struct advice *advice, struct replay_run *unchanged, struct error *err)
{
    SCOPED_BY(whatif_point_release) struct whatif_point same = {0};
    struct whatif_job target = {.run = unchanged};
    const struct result *result = &measured->result;
    int status = 0;
    if (setting->batch.n_words == 0) {
        target.points = &same;
        target.n_cases = 1;
        status = findings_search(measured, &setting->batch, advice, &target, err);
        advice->findings = memory_zeroed(result->n_findings, sizeof *advice->findings);
        for (size_t i = 0; i < result->n_findings; i++)
            advice->findings[advice->n_findings++] =
                (struct advice_finding){memory_copy_text(result->findings[i].kind),
                                        memory_copy_text(result->findings[i].name)};
    } else if (whatif_run_unchanged(setting->target, measured, unchanged, &same,
                                    &advice->replayed_ns, err) == 0) {
        target.run = NULL;
        whatif_run_jobs(&setting->batch, &target, 1);
        if (target.failure)
            status = error_set(err, "%s", target.failure);
        advice->untraced_ns = setting->target->has_untraced_base ? same.predicted_ns : 0;
        advice->target_ns = target.predicted_ns;
        advice->n_replays = 2 + setting->target->has_untraced_base;
    } else {
        status = -1;
    }
    free(target.failure);
    advice->assumption = whatif_sharing_note(setting->target);
    advice->lost = lost_text(result);
    advice->is_explained =
        lost_kind(result) == LOST_UNKNOWN && advice->replayed_ns < advice->measured_ns;
    uint64_t computing_ns = spread_computing(result, same.recording_ns);
    advice->loss_ns = target.window_ns > computing_ns ? target.window_ns - computing_ns : 0;
    advice->n_workers = farm_kept_workers(&measured->replay, &advice->master);
    return status;
}

/// Keeps the candidates of KINDS, bits.
static void keep_kinds(unsigned kinds, struct advice *advice)
{
    size_t n = 0;
    for (size_t i = 0; i < advice->n_candidates; i++) {
        if (kinds >> advice->candidates[i].kind & 1)
            advice->candidates[n++] = advice->candidates[i];
        else
            advice_candidate_release(&advice->candidates[i]);
    }
    advice->n_candidates = n;
}

/// SETTING with what the number of events of a prediction allows: of long traces what takes 30
/// plain replays' time on one core, where none of the passes takes more than 1.3 (`make bench
/// ROWS=advise`).
static struct advise_setting within_limits(const struct advise_setting *setting)
{
    struct advise_setting limited = *setting;
    bool is_long =
        setting->batch.measured->result.n_events > ADVISE_MANY_EVENTS && !setting->replays_all;
    limited.max_passes = is_long ? LONG_PASSES : SIZE_MAX / 100;
    limited.max_placements = is_long ? 4 : 200;
    limited.n_paired = is_long ? 2 : 3;
    limited.finds_bends = !is_long;
    return limited;
}

/// Takes what has been predicted already, and the pairs that come last, off the passes.
static void spend(struct advise_setting *limited, const struct advice *advice)
{
    size_t spent =
        advice->n_replays + PASSES_OF_PAIR * (limited->n_paired * (limited->n_paired - 1) / 2);
    limited->max_passes = limited->max_passes > spent ? limited->max_passes - spent : 0;
}

/// Adds the candidates to ADVICE, and predicts them and pairs of them.
static void try_candidates(struct advise_setting *limited, const struct pag_result *unchanged,
                           struct advice *advice)
{
    struct whatif_progress *progress = limited->batch.progress;
    advise_enumerate(limited, unchanged, advice);
    advise_add_cores(limited, unchanged, advice);
    advise_add_rebalancing(limited, advice);
    if (limited->kinds >> ADVICE_PLACEMENT & 1) // these take predictions
        advise_add_placement(limited, advice);
    if (limited->kinds >> ADVICE_WORKERS & 1)
        advise_add_workers(limited, advice);
    keep_kinds(limited->kinds, advice);
    relate_regions(limited->batch.measured, advice);
    spend(limited, advice);
    size_t n_candidates = advice->n_candidates;
    if (n_candidates > limited->max_passes)
        n_candidates = limited->max_passes;
    size_t n_pairs = limited->n_paired * (limited->n_paired - 1) / 2;
    whatif_progress_expect(progress, n_candidates + n_pairs);
    replay_candidates(limited, advice);
    if (limited->finds_bends && !*advice->target && !limited->target->unchanged.is_shared)
        find_bends(limited, unchanged, advice);
    whatif_progress_expect(progress, n_pairs);
    replay_pairs(limited, advice);
}

int advise_run(struct replay_run *measured, const struct advise_setting *setting,
               struct advice *advice, struct error *err)
{
    struct advise_setting limited = within_limits(setting);
    SCOPED_BY(whatif_plan_release) struct whatif_plan target;
    SCOPED_BY(replay_run_release) struct replay_run unchanged = {0};
    advice->measured_ns = measured->replay.time_ns;
    whatif_progress_expect(setting->batch.progress,
                           limited.max_passes < LONG_PASSES ? limited.max_passes : LONG_PASSES);
    if (whatif_job_plan(&setting->batch, &(struct whatif_job){0}, &target, err) != 0)
        return -1;
    limited.target = &target;
    if (predict_baselines(measured, &limited, advice, &unchanged, err) != 0)
        return -1;
    try_candidates(&limited, &unchanged.replay, advice);
    return 0;
}

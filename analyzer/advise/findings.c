// SPDX-License-Identifier: BSD-3-Clause
// Remedies are candidates as those of `pagoda advise`, and predicted as these are (advise.h).
#include "analyzer/advise/advise.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/advise/candidates.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/owned.h"
#include "analyzer/result/findings/findings.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/whatif/options.h"

static const uint64_t least_part = 1000; // of the run: less is not worth a line
static const int64_t much_more = 20;     // part of a gain by which another one is larger
// Predicting all remedies takes about ten replays. In larger runs it may take as long as for this
// many events, so fewer are predicted; at least the run without a change, and one remedy.
static const uint64_t many_events = 2000000;
enum { ALL_PREDICTIONS = 10, LEAST_PREDICTIONS = 2 };

static int check_remedy(const struct finding_remedy *remedy, struct error *err)
{
    const struct whatif_option *option = whatif_option_find(remedy->option, err);
    if (!option)
        return -1;
    bool takes_value = option->kind != WHATIF_FLAG;
    if (takes_value == (remedy->value != NULL))
        return 0;
    return takes_value ? error_set(err, "--%s needs value=\"...\"", option->name)
                       : error_set(err, "--%s takes no value", option->name);
}

int findings_check_remedies(const struct finding_kinds *kinds, struct error *err)
{
    for (size_t i = 0; i < kinds->n; i++) {
        const struct finding_kind *kind = &kinds->kinds[i];
        for (size_t k = 0; k < kind->n_remedies; k++)
            if (check_remedy(&kind->remedies[k], err) != 0)
                return error_wrap(err, "%s:%u: <remedy>", kind->file, kind->remedies[k].line);
    }
    return 0;
}

/// How many predictions of the run take no longer than findings may; SIZE_MAX: all that there are.
static size_t affordable(const struct definitions *definitions)
{
    uint64_t n_events = 0;
    for (size_t i = 0; i < definitions->n_locations; i++)
        n_events += definitions->locations[i].n_events;
    return n_events <= many_events ? SIZE_MAX : ALL_PREDICTIONS * many_events / n_events;
}

const char *findings_too_large(const struct definitions *definitions)
{
    if (affordable(definitions) >= LEAST_PREDICTIONS)
        return NULL;
    return "Not predicted in runs of more than ten million events, where that takes several times "
           "as long as this replay: pagoda advise predicts them.";
}

static enum advice_kind kind_of(const char *option)
{
    static const struct {
        const char *option;
        enum advice_kind kind;
    } kinds[] = {{"drop-sync", ADVICE_SYNC},     {"cut-messages", ADVICE_MESSAGES},
                 {"aggregate", ADVICE_MESSAGES}, {"overlap", ADVICE_MESSAGES},
                 {"latency", ADVICE_NETWORK},    {"bandwidth", ADVICE_NETWORK},
                 {"cores", ADVICE_PROCESSORS},   {"cpu-speed", ADVICE_PROCESSORS},
                 {"place", ADVICE_PLACEMENT},    {"map", ADVICE_PLACEMENT},
                 {"move", ADVICE_MOVE},          {"workers", ADVICE_WORKERS},
                 {"dealing", ADVICE_WORKERS},    {"rebalance", ADVICE_DYNAMIC}};
    size_t i = FIND_BY(kinds, sizeof kinds / sizeof kinds[0], option, option);
    return i < sizeof kinds / sizeof kinds[0] ? kinds[i].kind : ADVICE_REGION;
}

static void add_candidate(const struct result_remedy *remedy, struct advice *advice)
{
    struct advice_candidate *candidate = advise_find(advice, remedy->option, remedy->value);
    if (candidate) {
        candidate->is_remedy |= !remedy->is_fallback;
        // What may not be possible elsewhere fits this finding.
        if (candidate->group == ADVICE_LIMIT && !remedy->is_fallback && !remedy->is_limit)
            candidate->group = ADVICE_CHANGE;
        return;
    }
    const char *subject = remedy->value ? remedy->value : remedy->option;
    char *region = memory_format("%.*s", (int)strcspn(subject, "="), subject);
    candidate = advise_add(advice, kind_of(remedy->option), UINT64_MAX, region, remedy->sentence);
    advise_add_word(candidate, remedy->option, remedy->value);
    candidate->is_remedy = !remedy->is_fallback;
    if (remedy->is_limit)
        candidate->group = ADVICE_LIMIT;
    if (candidate->kind == ADVICE_REGION || candidate->kind == ADVICE_SYNC)
        candidate->region = region;
    else
        free(region);
}

/// The remedies of FINDING, and of what it is if it cannot be proven.
static void add_candidates(const struct result_finding *finding, unsigned kinds,
                           struct advice *advice)
{
    for (size_t i = 0; i < finding->n_remedies; i++)
        if (kinds >> kind_of(finding->remedies[i].option) & 1)
            add_candidate(&finding->remedies[i], advice);
    for (size_t i = 0; i < finding->n_otherwise; i++)
        add_candidates(&finding->otherwise[i], kinds, advice);
}

/// Adds to each candidate that halves some computing the one that leaves it out, a limit. (Those of
/// regions have theirs.)
static void add_limits(struct advice *advice)
{
    static const char half[] = "=0.5";
    size_t n = advice->n_candidates;
    for (size_t i = 0; i < n; i++) {
        const struct advice_word *word = advice->candidates[i].words;
        const char *subject = advice->candidates[i].subject;
        size_t length = word->value ? strlen(word->value) : 0, end = sizeof half - 1;
        if (advice->candidates[i].n_words != 1 || strcmp(word->option, "scale") != 0 ||
            length <= end || strcmp(word->value + length - end, half) != 0)
            continue;
        SCOPED char *gone = memory_format("%.*s=0", (int)(length - end), word->value);
        if (!advise_find(advice, "scale", gone)) {
            bool is_stretch = region_meaning_of(subject) != REGION_MEANS_PATHS;
            bool is_of_files = scaled_text_read(subject).time == SCALED_FILES;
            SCOPED char *sentence = memory_format("Remove %s %s",
                                                  is_stretch    ? "the computing"
                                                  : is_of_files ? "the calls for"
                                                                : "the work in",
                                                  subject);
            char *region = memory_copy_text(subject);
            struct advice_candidate *limit =
                advise_add(advice, ADVICE_REGION, UINT64_MAX, region, sentence);
            advise_add_word(limit, "scale", gone);
            limit->group = ADVICE_LIMIT;
            limit->region = region;
        }
    }
}

void findings_add_candidates(const struct result *result, unsigned kinds, struct advice *advice)
{
    for (size_t i = 0; i < result->n_findings; i++)
        add_candidates(&result->findings[i], kinds, advice);
    add_limits(advice);
}

/// How many remedies FINDING has, with those of what it may be otherwise.
static size_t count_remedies(const struct result_finding *finding)
{
    size_t n = finding->n_remedies;
    for (size_t i = 0; i < finding->n_otherwise; i++)
        n += count_remedies(&finding->otherwise[i]);
    return n;
}

/// How many of the first findings have remedies that MOST predictions suffice for.
static size_t count_affordable(const struct result *result, size_t most)
{
    size_t i = 0;
    for (size_t n = 1; i < result->n_findings; i++) {
        n += count_remedies(&result->findings[i]);
        if (n > most)
            break;
    }
    return i;
}

static int by_gain(const void *a, const void *b)
{
    const struct result_remedy *x = a, *y = b;
    return ORDER_BY(MORE_FIRST(x->gain_ns, y->gain_ns), strcmp(x->option, y->option));
}

/// What FINDING may save of the run: what its remedies are predicted to save, but no more than it
/// costs, of what may not be possible half; where none is known, half of what it costs each of
/// N_RANKS ranks; where none saves anything, a quarter of that.
static uint64_t potential_ns(const struct result_finding *finding, size_t n_ranks)
{
    uint64_t loss_ns = finding->loss_ns, each_ns = loss_ns / n_ranks;
    if (finding->n_remedies == 0)
        return each_ns / (finding->has_no_remedy ? 2 : 4);
    uint64_t gain_ns = (uint64_t)finding->remedies[0].gain_ns; // one that saves nothing has gone
    if (finding->remedies[0].is_limit)
        gain_ns /= 2;
    if (!finding->remedies[0].is_fallback)
        return gain_ns < loss_ns ? gain_ns : loss_ns;
    return 2 * gain_ns < each_ns ? 2 * gain_ns : each_ns;
}

static void remedy_release(struct result_remedy *remedy)
{
    FREE_ALL(remedy->option, remedy->value, remedy->sentence, remedy->bend.then);
}

/// What REMEDY is predicted to save; 0: nothing, or it could not be predicted.
static int64_t gain_ns(const struct advice *advice, const struct result_remedy *remedy)
{
    const struct advice_candidate *candidate = advise_find(advice, remedy->option, remedy->value);
    return candidate->is_replayed && candidate->gain_ns > 0 ? candidate->gain_ns : 0;
}

/// Whether REMEDY saves something of FINDING. What saves more of the run than the finding costs all
/// ranks together, and a quarter, changes something else above all.
static bool saves(const struct advice *advice, const struct result_finding *finding,
                  const struct result_remedy *remedy)
{
    int64_t saved_ns = gain_ns(advice, remedy);
    return saved_ns > 0 && saved_ns >= (int64_t)(advice->target_ns / least_part) &&
           4 * (uint64_t)saved_ns <= 5 * finding->loss_ns;
}

/// Whether REMEDY saves a quarter of what FINDING costs each of N_RANKS ranks.
static bool helps(const struct advice *advice, const struct result_finding *finding,
                  const struct result_remedy *remedy, size_t n_ranks)
{
    return saves(advice, finding, remedy) &&
           4 * n_ranks * (uint64_t)gain_ns(advice, remedy) >= finding->loss_ns;
}

/// Whether ADVICE shows that FINDING is of its kind: one of the proofs that this needs helps.
static bool is_proven(const struct advice *advice, const struct result_finding *finding,
                      size_t n_ranks)
{
    bool needs_one = false;
    for (size_t i = 0; i < finding->n_remedies; i++) {
        const struct result_remedy *remedy = &finding->remedies[i];
        if (remedy->is_proof && helps(advice, finding, remedy, n_ranks))
            return true;
        needs_one |= remedy->is_proof;
    }
    return !needs_one;
}

/// FINDING is not what it seemed to be, but what it is otherwise.
static void take_otherwise(struct result_finding *finding)
{
    struct owned walk = {.purpose = OWNED_FREE};
    SCOPED struct result_finding *otherwise = finding->otherwise;
    finding->n_otherwise = 0;
    finding->otherwise = NULL;
    result_finding_owned(&walk, finding);
    owned_end(&walk);
    *finding = *otherwise;
}

/// Whether one of N REMEDIES, which are predicted, saves about as much as REMEDY with the same
/// option: a change of less, as kinds name that first.
static bool is_repeated(const struct advice *advice, const struct result_remedy *remedies, size_t n,
                        const struct result_remedy *remedy)
{
    for (size_t i = 0; i < n; i++) {
        int64_t more_ns = (int64_t)(advice->target_ns / least_part);
        if (more_ns < remedies[i].gain_ns / much_more)
            more_ns = remedies[i].gain_ns / much_more;
        if (strcmp(remedies[i].option, remedy->option) == 0 &&
            remedy->gain_ns < remedies[i].gain_ns + more_ns)
            return true;
    }
    return false;
}

/// Of remedies in the same words, which differ in the scope of their options, the best one stays.
static void drop_same_sentences(struct result_finding *finding)
{
    size_t n_left = 0;
    for (size_t i = 0; i < finding->n_remedies; i++) {
        bool is_said = false;
        for (size_t k = 0; k < n_left && !is_said; k++)
            is_said = strcmp(finding->remedies[k].sentence, finding->remedies[i].sentence) == 0;
        if (is_said)
            remedy_release(&finding->remedies[i]);
        else
            finding->remedies[n_left++] = finding->remedies[i];
    }
    finding->n_remedies = n_left;
}

/// What ADVICE predicts of the remedies of FINDING, of N_RANKS ranks; those that save nothing go,
/// and fallbacks where others help.
static void take(const struct advice *advice, struct result_finding *finding, size_t n_ranks)
{
    size_t n_left = 0;
    bool has_others = false;
    while (finding->n_otherwise > 0 && !is_proven(advice, finding, n_ranks))
        take_otherwise(finding);
    for (size_t i = 0; i < finding->n_remedies; i++)
        has_others |= !finding->remedies[i].is_fallback &&
                      helps(advice, finding, &finding->remedies[i], n_ranks);
    for (size_t i = 0; i < finding->n_remedies; i++) {
        struct result_remedy *remedy = &finding->remedies[i];
        if (!saves(advice, finding, remedy) || (remedy->is_fallback && has_others)) {
            remedy_release(remedy);
            continue;
        }
        const struct advice_candidate *candidate =
            advise_find(advice, remedy->option, remedy->value);
        remedy->is_predicted = true;
        remedy->predicted_ns = candidate->predicted_ns;
        remedy->gain_ns = candidate->gain_ns;
        if (is_repeated(advice, finding->remedies, n_left, remedy))
            remedy_release(remedy);
        else
            finding->remedies[n_left++] = *remedy;
    }
    finding->n_remedies = n_left;
    qsort(finding->remedies, n_left, sizeof *finding->remedies, by_gain);
    drop_same_sentences(finding);
}

/// Predicts the run with nothing changed, in UNCHANGED with its critical path (NULL: its time
/// only), beside all candidates. 0, or -1 and ERR: it cannot be.
static int predict_candidates(const struct whatif_batch *batch, struct advice *advice,
                              struct replay_run *unchanged, struct error *err)
{
    size_t n = advice->n_candidates;
    SCOPED struct whatif_job *jobs = memory_zeroed(1 + n, sizeof *jobs);
    jobs[0].run = unchanged;
    for (size_t i = 0; i < n; i++)
        jobs[1 + i].candidates[0] = &advice->candidates[i];
    whatif_run_jobs(batch, jobs, 1 + n);
    advice->target_ns = jobs[0].predicted_ns;
    for (size_t i = 0; i < n; i++)
        advise_take_prediction(advice, &advice->candidates[i], &jobs[1 + i]);
    SCOPED char *failure = jobs[0].failure;
    return failure ? error_set(err, "%s", failure) : 0;
}

/// Until where the remedies that are left pay. 0, or -1 and ERR.
static int find_bends(const struct whatif_batch *batch, const struct pag_result *unchanged,
                      const struct advice *advice, struct result *result, struct error *err)
{
    SCOPED struct advice_candidate **candidates =
        memory_zeroed(advice->n_candidates, sizeof(struct advice_candidate *));
    size_t n = 0;
    for (size_t i = 0; i < result->n_findings; i++)
        for (size_t k = 0; k < result->findings[i].n_remedies; k++) {
            const struct result_remedy *remedy = &result->findings[i].remedies[k];
            struct advice_candidate *candidate = advise_find(advice, remedy->option, remedy->value);
            bool is_new = true;
            for (size_t c = 0; c < n; c++)
                is_new = is_new && candidates[c] != candidate;
            if (is_new)
                candidates[n++] = candidate;
        }
    advise_find_bends(batch, unchanged, candidates, n);
    int status = slack_take(batch, unchanged, advice, result, err);
    for (size_t i = 0; i < result->n_findings; i++)
        for (size_t k = 0; k < result->findings[i].n_remedies; k++) {
            struct result_remedy *remedy = &result->findings[i].remedies[k];
            remedy->bend = advise_find(advice, remedy->option, remedy->value)->bend;
            if (remedy->bend.then)
                remedy->bend.then = memory_copy_text(remedy->bend.then);
        }
    return status;
}

/// The findings from number FIRST on are not predicted, because of WHY.
static void leave_unproven(struct result *result, size_t first, const char *why)
{
    bool has_remedies = false;
    for (size_t i = first; i < result->n_findings; i++) {
        while (result->findings[i].n_otherwise > 0)
            take_otherwise(&result->findings[i]);
        has_remedies |= result->findings[i].n_remedies > 0;
    }
    if (has_remedies && why)
        result->unpredicted = memory_copy_text(why);
}

void findings_leave_unproven(struct result *result, const char *why)
{
    leave_unproven(result, 0, why);
    findings_order(result);
}

static int predict(struct replay_run *measured, struct error *err)
{
    struct result *result = &measured->result;
    const struct whatif_batch batch = {.measured = measured, .is_of_one_process = true};
    SCOPED_BY(advice_release) struct advice advice = {0};
    struct whatif_plan plan;
    SCOPED_BY(replay_run_release) struct replay_run unchanged = {0};
    size_t most = affordable(trace_definitions(measured->trace));
    size_t n_predicted = count_affordable(result, most);
    for (size_t i = 0; i < n_predicted; i++)
        add_candidates(&result->findings[i], ~0u, &advice);
    leave_unproven(result, n_predicted,
                   "Predicted of the largest findings only, because the run has more than two "
                   "million events: pagoda advise predicts the others.");
    int status = whatif_job_plan(&batch, &(struct whatif_job){0}, &plan, err);
    bool finds_bends = status == 0 && most == SIZE_MAX && !plan.unchanged.is_shared;
    if (finds_bends)
        slack_add_candidates(result, &advice);
    if (status == 0 && advice.n_candidates > 0)
        status = predict_candidates(&batch, &advice, finds_bends ? &unchanged : NULL, err);
    result->replayed_ns = advice.target_ns;
    if (status == 0) {
        for (size_t i = 0; i < result->n_findings; i++) {
            struct result_finding *finding = &result->findings[i];
            if (i < n_predicted)
                take(&advice, finding, result->n_ranks);
            finding->potential_ns = i < n_predicted ? potential_ns(finding, result->n_ranks)
                                                    : finding->loss_ns / result->n_ranks / 2;
        }
        if (finds_bends && advice.n_candidates > 0)
            status = find_bends(&batch, &unchanged.replay, &advice, result, err);
        findings_order(result);
    }
    whatif_plan_release(&plan);
    return status;
}

int findings_predict(struct replay_run *measured, struct error *err)
{
    if (predict(measured, err) == 0)
        return 0;
    SCOPED char *why = memory_format("Not predicted: %s.", err->text);
    findings_leave_unproven(&measured->result, why);
    return error_wrap(err, "what changes would save is not predicted");
}

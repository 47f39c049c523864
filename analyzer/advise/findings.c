// SPDX-License-Identifier: BSD-3-Clause
// The search for what remedies of findings save, for `pagoda replay` and `pagoda advise`
// (advise.h).
#include "analyzer/advise/advise.h"

#include <string.h>

#include "analyzer/advise/candidates.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/owned.h"
#include "analyzer/base/text.h"
#include "analyzer/result/findings/findings.h"
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

int findings_check_remedies(const struct catalogue *catalogue, struct error *err)
{
    const struct finding_kinds *kinds = &catalogue->findings;
    const struct tunings *tunings = &catalogue->tunings;
    for (size_t i = 0; i < kinds->n; i++) {
        const struct finding_kind *kind = &kinds->kinds[i];
        for (size_t k = 0; k < kind->n_remedies; k++)
            if (check_remedy(&kind->remedies[k], err) != 0)
                return error_wrap(err, "%s:%u: <remedy>", kind->file, kind->remedies[k].line);
    }
    for (size_t i = 0; i < tunings->n; i++)
        if (check_remedy(&tunings->items[i].remedy, err) != 0)
            return error_wrap(err, "%s:%u: <remedy>", tunings->items[i].file,
                              tunings->items[i].remedy.line);
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

/// Adds the remedies of FINDING as candidates to ADVICE. BIT: that of the finding; 0 while it is
/// not known whether they help, with those of what it is if it cannot be proven.
static void add_candidates(const struct result_finding *finding, uint32_t bit,
                           struct advice *advice)
{
    for (size_t i = 0; i < finding->n_remedies; i++) {
        const struct result_remedy *remedy = &finding->remedies[i];
        struct advice_candidate *candidate = advise_try(advice, remedy->option, remedy->value);
        advise_describe(candidate, remedy->sentence, remedy->is_limit);
        candidate->findings |= bit;
        // What may not be possible elsewhere fits this finding.
        if (candidate->group == ADVICE_LIMIT && !remedy->is_fallback && !remedy->is_limit)
            candidate->group = ADVICE_CHANGE;
    }
    for (size_t i = 0; bit == 0 && i < finding->n_otherwise; i++)
        add_candidates(&finding->otherwise[i], 0, advice);
}

/// How many remedies FINDING has, with those of what it may be otherwise.
static size_t count_remedies(const struct result_finding *finding)
{
    size_t n = finding->n_remedies;
    for (size_t i = 0; i < finding->n_otherwise; i++)
        n += count_remedies(&finding->otherwise[i]);
    return n;
}

/// How many of the first findings have remedies that MOST predictions suffice for, N of which are
/// for something else.
static size_t count_affordable(const struct result *result, size_t n, size_t most)
{
    size_t i = 0;
    for (; i < result->n_findings; i++) {
        n += count_remedies(&result->findings[i]);
        if (n > most)
            break;
    }
    return i;
}

/// What FINDING may save of the run: what its remedies are predicted to save, but no more than it
/// costs, of what may not be possible half; where none is known, half of what it costs each of
/// N_RANKS ranks; where none saves anything, a quarter of that.
static uint64_t potential_ns(const struct result_finding *finding, size_t n_ranks)
{
    const struct result_remedy *first = finding->remedies; // one that saves nothing has gone
    uint64_t loss_ns = finding->loss_ns, each_ns = loss_ns / n_ranks;
    if (finding->n_remedies == 0 || !first->is_predicted)
        return each_ns / (finding->has_no_remedy || finding->n_remedies > 0 ? 2 : 4);
    uint64_t gain_ns = (uint64_t)first->gain_ns;
    if (first->is_limit)
        gain_ns /= 2;
    if (!first->is_fallback)
        return gain_ns < loss_ns ? gain_ns : loss_ns;
    return 2 * gain_ns < each_ns ? 2 * gain_ns : each_ns;
}

static void remedy_release(struct result_remedy *remedy)
{
    FREE_ALL(remedy->option, remedy->value, remedy->sentence, remedy->setting, remedy->limits);
    FREE_ALL(remedy->failure, remedy->bend.then);
}

/// What ADVICE predicts of the remedies of FINDING, and of what it may be otherwise.
static void take_predictions(const struct advice *advice, struct result_finding *finding)
{
    for (size_t i = 0; i < finding->n_remedies; i++) {
        struct result_remedy *remedy = &finding->remedies[i];
        const struct advice_candidate *candidate =
            advise_find(advice, remedy->option, remedy->value);
        remedy->is_predicted = candidate->is_replayed;
        remedy->failure = candidate->failure ? memory_copy_text(candidate->failure) : NULL;
        remedy->predicted_ns = candidate->predicted_ns;
        remedy->gain_ns = candidate->is_replayed ? candidate->gain_ns : 0;
    }
    for (size_t i = 0; i < finding->n_otherwise; i++)
        take_predictions(advice, &finding->otherwise[i]);
}

/// Whether REMEDY saves something of FINDING, in a run of TIME_NS. What saves more of the run than
/// the finding, or what has the same cause, costs all ranks together, and a quarter, changes
/// something else above all.
static bool saves(uint64_t time_ns, const struct result_finding *finding,
                  const struct result_remedy *remedy)
{
    return remedy->gain_ns > 0 && remedy->gain_ns >= (int64_t)(time_ns / least_part) &&
           4 * (uint64_t)remedy->gain_ns <= 5 * finding->remediable_ns;
}

/// Whether REMEDY saves a quarter of what FINDING costs each of N_RANKS ranks.
static bool helps(uint64_t time_ns, const struct result_finding *finding,
                  const struct result_remedy *remedy, size_t n_ranks)
{
    return saves(time_ns, finding, remedy) &&
           4 * n_ranks * (uint64_t)remedy->gain_ns >= finding->loss_ns;
}

/// Whether predictions show that FINDING is of its kind: one of the proofs that this needs helps.
static bool is_proven(uint64_t time_ns, const struct result_finding *finding, size_t n_ranks)
{
    bool needs_one = false;
    for (size_t i = 0; i < finding->n_remedies; i++) {
        const struct result_remedy *remedy = &finding->remedies[i];
        if (remedy->is_proof && helps(time_ns, finding, remedy, n_ranks))
            return true;
        needs_one |= remedy->is_proof;
    }
    return !needs_one;
}

/// Finding INDEX is not what it seemed to be, but what it is otherwise: one finding, or several,
/// which take its place.
static void take_otherwise(struct result *result, size_t index)
{
    struct owned walk = {.purpose = OWNED_FREE};
    struct result_finding *finding = &result->findings[index];
    SCOPED struct result_finding *otherwise = finding->otherwise;
    size_t n = finding->n_otherwise;
    finding->n_otherwise = 0;
    finding->otherwise = NULL;
    result_finding_owned(&walk, finding);
    owned_end(&walk);
    for (size_t i = 1; i < n; i++)
        (void)ARRAY_EXTEND(result->findings, result->n_findings);
    finding = &result->findings[index];
    memmove(finding + n, finding + 1, (result->n_findings - index - n) * sizeof *finding);
    memcpy(finding, otherwise, n * sizeof *finding);
}

/// Whether one of N REMEDIES, which are predicted, saves about as much as REMEDY with the same
/// option: a change of less, as kinds name that first.
static bool is_repeated(uint64_t time_ns, const struct result_remedy *remedies, size_t n,
                        const struct result_remedy *remedy)
{
    for (size_t i = 0; i < n; i++) {
        int64_t more_ns = (int64_t)(time_ns / least_part);
        if (more_ns < remedies[i].gain_ns / much_more)
            more_ns = remedies[i].gain_ns / much_more;
        if (remedies[i].is_predicted && remedies[i].apart == remedy->apart &&
            advise_includes(remedy->option, remedies[i].option) &&
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

/// What predictions say of the remedies of FINDING, of N_RANKS ranks that take TIME_NS: those that
/// save nothing go, and fallbacks where others help.
static void judge(uint64_t time_ns, struct result_finding *finding, size_t n_ranks)
{
    size_t n_left = 0;
    bool has_others = false;
    SCOPED char *tried = memory_copy_text("");
    for (size_t i = 0; i < finding->n_remedies; i++)
        has_others |= !finding->remedies[i].is_fallback &&
                      helps(time_ns, finding, &finding->remedies[i], n_ranks);
    for (size_t i = 0; i < finding->n_remedies; i++) {
        struct result_remedy *remedy = &finding->remedies[i];
        bool helps_nothing =
            remedy->is_predicted && (!saves(time_ns, finding, remedy) ||
                                     is_repeated(time_ns, finding->remedies, n_left, remedy));
        if (!helps_nothing && !(remedy->is_fallback && has_others)) {
            finding->remedies[n_left++] = *remedy;
            continue;
        }
        const struct advice_word word = {remedy->option, remedy->value};
        SCOPED char *words = advice_words_text(&word, 1);
        text_append(&tried, "%s%s", *tried ? ", " : "", words);
        remedy_release(remedy);
    }
    if (n_left == 0 && *tried)
        finding->tried = memory_copy_text(tried);
    finding->n_remedies = n_left;
    SORT_BY(finding->remedies, n_left, MOST(gain_ns), LEAST(option));
    drop_same_sentences(finding);
}

int advise_predict_unchanged(const struct whatif_batch *batch, struct advice *advice,
                             struct whatif_job *unchanged, bool is_untraced, struct error *err)
{
    // Critical paths do not cross processes.
    struct whatif_batch own = *batch;
    own.is_of_one_process = true;
    struct advice_word word = {(char *)"traced", NULL};
    const struct advice_candidate traced = {.words = &word, .n_words = 1};
    size_t n = advice->n_candidates, n_own = batch->is_of_one_process ? 1 + n : 1;
    SCOPED struct whatif_job *jobs = memory_zeroed(1 + n, sizeof *jobs);
    struct whatif_job replayed = {.candidates = {&traced}};
    jobs[0] = *unchanged;
    for (size_t i = 0; i < n; i++)
        jobs[1 + i].candidates[0] = &advice->candidates[i];
    whatif_run_jobs(&own, jobs, n_own);
    whatif_run_jobs(batch, jobs + n_own, 1 + n - n_own);
    if (is_untraced)
        whatif_run_jobs(&own, &replayed, 1);
    *unchanged = jobs[0];
    advice->n_replays += 1 + n + is_untraced;
    advice->replayed_ns = advice->target_ns = unchanged->predicted_ns;
    if (is_untraced) {
        advice->replayed_ns = replayed.predicted_ns;
        advice->untraced_ns = advice->target_ns;
    }
    for (size_t i = 0; i < n; i++)
        advise_take_prediction(advice, &advice->candidates[i], &jobs[1 + i]);
    SCOPED char *failure = unchanged->failure ? unchanged->failure : replayed.failure;
    unchanged->failure = NULL;
    return failure ? error_set(err, "%s", failure) : 0;
}

/// The findings from number FIRST on are not predicted, because of WHY.
static void leave_unproven(struct result *result, size_t first, const char *why)
{
    bool has_remedies = false;
    for (size_t i = first; i < result->n_findings; i++) {
        while (result->findings[i].n_otherwise > 0)
            take_otherwise(result, i);
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

/// What ADVICE predicts for the first N_PREDICTED findings, and what the others may save.
static void judge_all(const struct advice *advice, size_t n_predicted, struct result *result)
{
    for (size_t i = 0; i < n_predicted; i++)
        take_predictions(advice, &result->findings[i]);
    for (size_t i = 0; i < result->n_findings; i++) {
        size_t n_others = result->n_findings - n_predicted;
        while (i < n_predicted && result->findings[i].n_otherwise > 0 &&
               !is_proven(advice->target_ns, &result->findings[i], result->n_ranks)) {
            take_otherwise(result, i);
            n_predicted = result->n_findings - n_others;
        }
        struct result_finding *finding = &result->findings[i];
        finding->potential_ns = finding->loss_ns / result->n_ranks / 2;
        if (i >= n_predicted)
            continue;
        judge(advice->target_ns, finding, result->n_ranks);
        finding->potential_ns = potential_ns(finding, result->n_ranks);
    }
}

int findings_search(struct replay_run *measured, const struct whatif_batch *batch,
                    struct advice *advice, struct whatif_job *unchanged, struct error *err)
{
    struct result *result = &measured->result;
    SCOPED_BY(whatif_plan_release) struct whatif_plan plan;
    bool is_untraced =
        whatif_job_plan(batch, &(struct whatif_job){0}, &plan, err) == 0 && plan.has_untraced_base;
    size_t n_predicted =
        count_affordable(result, 1 + is_untraced, affordable(trace_definitions(measured->trace)));
    for (size_t i = 0; i < n_predicted; i++)
        add_candidates(&result->findings[i], 0, advice);
    leave_unproven(result, n_predicted,
                   "Predicted of the largest findings only, because the run has more than two "
                   "million events: pagoda advise predicts the others.");
    if (advise_predict_unchanged(batch, advice, unchanged, is_untraced, err) != 0) {
        SCOPED char *why = memory_format("Not predicted: %s.", err->text);
        findings_leave_unproven(result, why);
        return -1;
    }
    result->replayed_ns = advice->replayed_ns;
    result->untraced_ns = advice->untraced_ns;
    judge_all(advice, n_predicted, result);
    findings_order(result);
    for (uint32_t i = 0; i < result->n_findings; i++)
        add_candidates(&result->findings[i], UINT32_C(1) << i, advice);
    return 0;
}

/// Until where the remedies of RESULT pay, and computing on the critical path. 0, or -1 and ERR.
static int find_bends(const struct whatif_batch *batch, const struct pag_result *unchanged,
                      struct advice *advice, struct result *result, struct error *err)
{
    SCOPED struct advice_candidate **candidates =
        memory_zeroed(advice->n_candidates, sizeof(struct advice_candidate *));
    size_t n = 0;
    for (size_t i = 0; i < advice->n_candidates; i++)
        if (advice->candidates[i].findings)
            candidates[n++] = &advice->candidates[i];
    advise_find_bends(batch, unchanged, candidates, n);
    for (size_t i = 0; i < result->n_findings; i++)
        for (size_t k = 0; k < result->findings[i].n_remedies; k++) {
            struct result_remedy *remedy = &result->findings[i].remedies[k];
            remedy->bend = advise_find(advice, remedy->option, remedy->value)->bend;
            if (remedy->bend.then)
                remedy->bend.then = memory_copy_text(remedy->bend.then);
        }
    return slack_take(batch, unchanged, advice, result, err);
}

/// How many predictions the findings of RESULT take, about: remedies, and the run with nothing
/// changed, traced and untraced.
static size_t n_wanted(const struct result *result)
{
    size_t n = 2;
    for (size_t i = 0; i < result->n_findings; i++) {
        const struct result_finding *finding = &result->findings[i];
        n += finding->n_remedies;
        for (size_t k = 0; k < finding->n_otherwise; k++)
            n += finding->otherwise[k].n_remedies;
    }
    return n;
}

static int predict(const struct whatif_batch *batch, struct replay_run *measured, struct error *err)
{
    SCOPED_BY(advice_release) struct advice advice = {0};
    SCOPED_BY(whatif_plan_release) struct whatif_plan plan;
    SCOPED_BY(replay_run_release) struct replay_run run = {0};
    int status = whatif_job_plan(batch, &(struct whatif_job){0}, &plan, err);
    bool finds_bends = status == 0 && !plan.unchanged.is_shared &&
                       affordable(trace_definitions(measured->trace)) == SIZE_MAX;
    struct whatif_job unchanged = {.run = finds_bends ? &run : NULL};
    if (finds_bends)
        slack_add_candidates(&measured->result, &advice);
    if (findings_search(measured, batch, &advice, &unchanged, err) != 0)
        return error_wrap(err, "what changes would save is not predicted");
    if (finds_bends && find_bends(batch, &run.replay, &advice, &measured->result, err) != 0)
        return error_wrap(err, "how much less computing shortens the run is not predicted");
    return 0;
}

int findings_predict(struct replay_run *measured, struct error *err)
{
    const struct whatif_batch batch = {.measured = measured,
                                       .progress = whatif_progress_new("predicting remedies"),
                                       .is_of_one_process = true};
    whatif_progress_expect(batch.progress, n_wanted(&measured->result));
    int status = predict(&batch, measured, err);
    whatif_progress_free(batch.progress);
    return status;
}

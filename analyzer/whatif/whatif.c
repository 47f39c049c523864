// SPDX-License-Identifier: BSD-3-Clause
// One simulated run with nothing changed, for the replay error, beside those asked for: each is a
// pass of its own in a thread of its own.
#include "analyzer/whatif/whatif.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/simulation/cost/tolerance.h"
#include "analyzer/spread/spread.h"
#include "analyzer/whatif/jobs.h"
#include "analyzer/whatif/kinds.h"

// --- tolerances: predictions with more and more added to the network

static const uint64_t most_latency_ns = UINT64_C(3600) * 1000000000; // an hour
static const uint64_t most_byte_fs = UINT64_C(1000000000000);        // 1 kB a second
static const uint64_t first_byte_fs = 10000;                         // 100 GB a second

/// What all runs of a search have in common, and where it adds something.
struct tolerance_runs {
    struct whatif_input input;
    struct scenario_settings settings; // of the scenario
    struct scenario scenario;
    uint64_t *added, before; // in settings
    size_t n;
};

/// From the last leave of MPI_Init to the last enter of MPI_Finalize: all of what the ranks do,
/// also where the first of them has done its share early.
static uint64_t work_ns(const struct whatif_point *point)
{
    return point->work_end_ns > point->window_begin_ns ? point->work_end_ns - point->window_begin_ns
                                                       : 0;
}

static int run_with(void *context, uint64_t added, uint64_t *time_ns, struct error *err)
{
    struct tolerance_runs *runs = context;
    SCOPED_BY(whatif_point_release) struct whatif_point point = {0};
    SCOPED_BY(replay_run_release) struct replay_run run = {0};
    *runs->added = runs->before + added;
    runs->n++;
    int status = whatif_predict(&runs->input, &runs->scenario, &run, &point, 1, err);
    *time_ns = work_ns(&point);
    return status;
}

/// One search for all levels; ADDED is a member of RUNS->settings.
static int search_tolerance(struct tolerance_runs *runs, uint64_t *added, uint64_t start,
                            uint64_t most, uint64_t base_ns, struct whatif_report *report,
                            bool is_latency, struct error *err)
{
    SCOPED_BY(tolerance_search_release) struct tolerance_search search;
    int status = 0;
    runs->added = added;
    runs->before = *added;
    tolerance_search_init(&search, run_with, runs, most, base_ns);
    for (size_t i = 0; i < report->n_tolerances && status == 0; i++) {
        struct whatif_tolerance *tolerance = &report->tolerances[i];
        uint64_t more_ns = (uint64_t)((double)base_ns * tolerance->percent / 100);
        uint64_t first = start > 0 ? start : more_ns + 1;
        struct tolerance found = {0};
        status = tolerance_find(&search, base_ns + more_ns, first, &found, err);
        bool is_bounded = found.exceeded != UINT64_MAX;
        if (is_latency) {
            tolerance->latency_ns = found.tolerated;
            tolerance->has_latency = is_bounded;
        } else {
            tolerance->byte_fs = found.tolerated;
            tolerance->has_byte = is_bounded;
        }
    }
    *added = runs->before;
    return status;
}

/// Finds the tolerances that ASKED wants by further predictions like that of POINT, into REPORT. 0,
/// or -1 and ERR.
static int find_tolerances(const struct whatif_input *input, const struct whatif_case *asked,
                           const struct whatif_point *point, struct whatif_report *report,
                           struct error *err)
{
    if (asked->n_tolerances == 0)
        return 0;
    // The same scenario with other settings, which is not released.
    struct tolerance_runs runs = {.input = {.measured = input->measured},
                                  .settings = asked->settings,
                                  .scenario = asked->scenario};
    runs.scenario.settings = &runs.settings;
    uint64_t base_ns = work_ns(point);
    report->tolerances = memory_zeroed(asked->n_tolerances, sizeof *report->tolerances);
    report->n_tolerances = asked->n_tolerances;
    for (size_t i = 0; i < asked->n_tolerances; i++)
        report->tolerances[i].percent = asked->tolerances[i];
    report->tolerates_everywhere = true;
    for (size_t i = 1; i < point->n_ranks; i++)
        if (point->ranks[i].node_index != point->ranks[0].node_index)
            report->tolerates_everywhere = false;
    int status = search_tolerance(&runs, &runs.settings.added_latency_ns, 0, most_latency_ns,
                                  base_ns, report, true, err);
    if (status == 0)
        status = search_tolerance(&runs, &runs.settings.added_byte_fs, first_byte_fs, most_byte_fs,
                                  base_ns, report, false, err);
    report->n_tolerance_runs = runs.n;
    return status;
}

// --- the parts of a network

/// The run of ASKED, without PART of its machine's network and those before it.
static int predict_without(const struct whatif_input *input, const struct whatif_case *asked,
                           enum machine_part part, uint64_t *time_ns, struct error *err)
{
    SCOPED_BY(whatif_point_release) struct whatif_point point = {0};
    SCOPED_BY(replay_run_release) struct replay_run run = {0};
    SCOPED_BY(machine_release) struct machine machine = {0};
    SCOPED_BY(scenario_release) struct scenario scenario = {0};
    const struct whatif_input only_time = {.measured = input->measured};
    struct scenario_settings settings = asked->settings;
    machine_view(&machine, &asked->machine);
    machine_leave_out(&machine, part);
    settings.machine = &machine;
    int status =
        scenario_init(&scenario, trace_definitions(input->measured->trace), &settings, err);
    if (status == 0)
        status = whatif_predict(&only_time, &scenario, &run, &point, 1, err);
    *time_ns = point.predicted_ns;
    return status;
}

/// Fills what of POINT is the network, where ASKED wants it. 0, or -1 and ERR.
static int find_network_parts(const struct whatif_input *input, const struct whatif_case *asked,
                              const struct whatif_point *point, struct whatif_parts *parts,
                              struct error *err)
{
    uint64_t without_ns[MACHINE_LATENCY + 1];
    if (!asked->wants_parts)
        return 0;
    for (enum machine_part part = MACHINE_CONTENTION; part <= MACHINE_LATENCY; part++)
        if (predict_without(input, asked, part, &without_ns[part], err) != 0)
            return -1;
    *parts = (struct whatif_parts){
        .is_known = true,
        .no_network_ns = without_ns[MACHINE_LATENCY],
        .latency_ns = (int64_t)(without_ns[MACHINE_BANDWIDTH] - without_ns[MACHINE_LATENCY]),
        .bandwidth_ns = (int64_t)(without_ns[MACHINE_CONTENTION] - without_ns[MACHINE_BANDWIDTH]),
        .contention_ns = (int64_t)(point->predicted_ns - without_ns[MACHINE_CONTENTION]),
    };
    return 0;
}

// --- a report

static void describe(struct whatif_report *report, const struct whatif_plan *plan,
                     const struct replay_run *measured)
{
    report->change = utf8_clean(plan->change);
    whatif_describe_cores(report, plan, measured);
    whatif_note_network(report, plan, (uint32_t)measured->replay.n_ranks);
    whatif_note_dealing(report, plan, &measured->replay);
    whatif_note_hand_overs(report, &plan->cases[0].scenario, measured);
    const char *sharing = whatif_sharing_note(plan);
    if (sharing)
        whatif_report_note(report, memory_copy_text(sharing));
}

/// The values that differ between points.
static void put_set(struct whatif_point *point, const struct whatif_case *asked)
{
    point->set = memory_zeroed(asked->n_values, sizeof *point->set);
    for (size_t i = 0; i < asked->n_values; i++)
        if (asked->values[i].is_chosen)
            point->set[point->n_set++] = (struct whatif_setting){
                memory_copy_text(asked->values[i].name), utf8_clean(asked->values[i].value)};
}

/// What the predictions of one report are made from.
struct whatif_asked {
    const struct whatif_plan *plan;
    const struct catalogue *catalogue;
    const struct replay_run *measured;
    const struct whatif_outputs *outputs;
    const struct visits *visits;
    struct whatif_report *report;
};

/// The run under SCENARIO, in which nothing is changed that was asked for: *TIME_NS, how long its
/// ranks were descheduled, and with a catalogue the result to compare with.
static int predict_base(const struct whatif_asked *asked, const struct scenario *scenario,
                        const struct catalogue *catalogue, uint64_t *time_ns, uint64_t *lost_ns,
                        struct error *err)
{
    const struct whatif_input input = {
        .measured = asked->measured, .catalogue = catalogue, .is_quiet = true};
    SCOPED_BY(whatif_point_release) struct whatif_point same = {0};
    SCOPED_BY(replay_run_release) struct replay_run run = {0};
    int status = whatif_predict(&input, scenario, &run, &same, 1, err);
    asked->report->unchanged = run.result;
    run.result = (struct result){0};
    *time_ns = same.predicted_ns;
    *lost_ns = 0;
    for (size_t i = 0; status == 0 && i < run.replay.n_ranks; i++)
        *lost_ns += run.replay.simulated->ranks[i].lost_ns;
    return status;
}

static int predict_same(const struct whatif_asked *asked, const struct catalogue *catalogue,
                        struct error *err)
{
    struct whatif_report *report = asked->report;
    return predict_base(asked, &asked->plan->unchanged, catalogue, &report->replayed_ns,
                        &report->lost_ns, err);
}

/// Mostly just its time is wanted, for the replay error. A single prediction is compared with all
/// that this run is like where the error is large, which it hardly is but on shared cores; and
/// always without what recording cost, if that is left out.
static int predict_unchanged(const struct whatif_asked *asked, struct error *err)
{
    const struct whatif_plan *plan = asked->plan;
    struct whatif_report *report = asked->report;
    bool is_compared = !report->is_list && report->was_shared && !plan->has_untraced_base;
    uint64_t ignored_ns;
    int status = predict_same(asked, is_compared ? asked->catalogue : NULL, err);
    if (status == 0 && plan->has_untraced_base)
        return predict_base(asked, &plan->untraced, report->is_list ? NULL : asked->catalogue,
                            &report->untraced_ns, &ignored_ns, err);
    if (status != 0 || is_compared || report->is_list || !whatif_has_large_error(report))
        return status;
    return predict_same(asked, asked->catalogue, err);
}

/// The only case, with all that can be said of it.
static int predict_one(const struct whatif_asked *asked, struct error *err)
{
    const struct whatif_case *only = &asked->plan->cases[0];
    const struct whatif_input input = {
        .measured = asked->measured,
        .catalogue = asked->catalogue,
        .out = asked->outputs->out,
        .change = asked->plan->change,
        .timeline = asked->outputs->timeline,
        .compares_slowdown = !whatif_case_is_estimate(only),
    };
    struct whatif_report *report = asked->report;
    struct whatif_point *point = &report->points[0];
    SCOPED_BY(replay_run_release) struct replay_run run = {0};
    int status = whatif_predict(&input, &only->scenario, &run, point, 1, err);
    if (status == 0)
        status = find_tolerances(&input, only, point, report, err);
    if (status == 0)
        status = find_network_parts(&input, only, point, &report->network_parts, err);
    if (status == 0)
        status = whatif_estimate(only, 1, input.measured, point, err);
    if (status == 0 && whatif_case_is_estimate(only)) {
        report->predicted = whatif_estimate_result(&input.measured->result, point);
    } else if (status == 0) {
        report->predicted = run.result;
        run.result = (struct result){0};
        report->has_predicted = true;
    }
    return status;
}

// --- several predictions at once

/// What is predicted at once: the run with nothing changed, and the only case or the jobs of a
/// list.
struct parts {
    const struct whatif_asked *asked;
    struct error unchanged_err, err; // empty: there is none
    struct whatif_batch batch;       // of the jobs
    struct whatif_job *jobs;
    size_t n_jobs;
    atomic_size_t n_wanted; // those after one that failed are not
};

/// Part 0 of either; only the first process asks for what is found.
static void predict_unchanged_part(struct parts *parts)
{
    if (predict_unchanged(parts->asked, &parts->unchanged_err) != 0)
        atomic_store(&parts->n_wanted, 0);
}

static void predict_one_part(void *context, size_t number)
{
    struct parts *parts = context;
    if (number == 0)
        predict_unchanged_part(parts);
    else
        (void)predict_one(parts->asked, &parts->err);
}

static void run_list_part(void *context, size_t number)
{
    struct parts *parts = context;
    if (number == 0) {
        predict_unchanged_part(parts);
        return;
    }
    struct whatif_job *job = &parts->jobs[number - 1];
    size_t n_wanted = atomic_load(&parts->n_wanted);
    if (number > n_wanted)
        return;
    whatif_run_job(&parts->batch, job);
    while (job->failure && number < n_wanted &&
           !atomic_compare_exchange_weak(&parts->n_wanted, &n_wanted, number)) {
    }
}

static void move_list_part(void *context, size_t number, struct owned *walk)
{
    struct parts *parts = context;
    if (number > 0)
        whatif_move_job(&parts->batch, &parts->jobs[number - 1], walk);
}

/// 0, or -1 and ERR, what went wrong first in the order of the parts.
static int parts_status(const struct parts *parts, struct error *err)
{
    if (parts->unchanged_err.text[0])
        return error_set(err, "%s", parts->unchanged_err.text);
    for (size_t i = 0; i < parts->n_jobs; i++)
        if (parts->jobs[i].failure)
            return error_set(err, "%s", parts->jobs[i].failure);
    return parts->err.text[0] ? error_set(err, "%s", parts->err.text) : 0;
}

/// Cases that are estimates from one predicted run are one job.
static size_t count_alike(const struct whatif_plan *plan, size_t first)
{
    size_t n = 1;
    while (first + n < plan->n_cases &&
           whatif_watch_alike(&plan->cases[first], &plan->cases[first + n]))
        n++;
    return n;
}

/// The words of the case FIRST, or of it and those alike; the caller frees them.
static struct advice_candidate words_of(const struct whatif_plan *plan, size_t first)
{
    const struct whatif_case *asked = &plan->cases[first];
    struct advice_candidate candidate = {
        .words = memory_zeroed(plan->n_words, sizeof *candidate.words),
        .n_words = plan->n_words,
        .has_target = true,
    };
    for (size_t i = 0; i < plan->n_words; i++)
        candidate.words[i] =
            asked->values[i].option->is_estimate ? plan->words[i] : asked->given[i];
    return candidate;
}

static int predict_list(const struct whatif_asked *asked, struct error *err)
{
    const struct whatif_plan *plan = asked->plan;
    struct whatif_report *report = asked->report;
    SCOPED struct advice_candidate *candidates = memory_zeroed(plan->n_cases, sizeof *candidates);
    struct parts parts = {
        .asked = asked,
        .batch = {.measured = asked->measured,
                  .progress = whatif_progress_new("predicting"),
                  .catalogue = report->results ? asked->catalogue : NULL,
                  .is_completed = true,
                  .visits = asked->visits},
        .jobs = memory_zeroed(plan->n_cases, sizeof *parts.jobs),
    };
    for (size_t first = 0; first < plan->n_cases;) {
        struct whatif_job *job = &parts.jobs[parts.n_jobs];
        candidates[parts.n_jobs] = words_of(plan, first);
        job->candidates[0] = &candidates[parts.n_jobs++];
        job->n_cases = count_alike(plan, first);
        job->points = &report->points[first];
        job->results = report->results ? &report->results[first] : NULL;
        first += job->n_cases;
    }
    atomic_init(&parts.n_wanted, parts.n_jobs);
    whatif_progress_expect(parts.batch.progress, parts.n_jobs);
    spread_each(&(struct spread_jobs){.n = 1 + parts.n_jobs,
                                      .input = whatif_input(parts.batch.measured),
                                      .context = &parts,
                                      .run = run_list_part,
                                      .move = move_list_part});
    int status = parts_status(&parts, err);
    for (size_t i = 0; i < parts.n_jobs; i++) {
        FREE_ALL(parts.jobs[i].failure, candidates[i].words);
    }
    whatif_progress_free(parts.batch.progress);
    free(parts.jobs);
    return status;
}

/// The run times of the N JOBS of one case into POINT, in order. 0, or -1 and ERR.
static int put_draws(struct whatif_point *point, const struct whatif_job *jobs, size_t n,
                     uint32_t seed, struct error *err)
{
    for (size_t i = 0; i < n; i++)
        if (jobs[i].failure)
            return error_set(err, "%s", jobs[i].failure);
    point->draws = (struct whatif_draws){memory_new(n * sizeof(uint64_t)), n, seed};
    for (size_t i = 0; i < n; i++)
        point->draws.times_ns[i] = jobs[i].predicted_ns;
    qsort(point->draws.times_ns, n, sizeof(uint64_t), uint64_compare);
    return 0;
}

/// Each case once more for each draw of its machine's noise.
static int predict_draws(const struct whatif_asked *asked, struct error *err)
{
    const struct whatif_plan *plan = asked->plan;
    uint32_t n_draws = plan->cases[0].n_draws, seed = plan->cases[0].seed;
    size_t n_jobs = plan->n_cases * n_draws;
    if (n_jobs == 0)
        return 0;
    SCOPED struct advice_candidate *candidates = memory_zeroed(plan->n_cases, sizeof *candidates);
    SCOPED struct whatif_job *jobs = memory_zeroed(n_jobs, sizeof *jobs);
    const struct whatif_batch batch = {.measured = asked->measured,
                                       .progress = whatif_progress_new("drawing"),
                                       .is_of_one_process = !plan->is_list,
                                       .is_completed = true,
                                       .visits = asked->visits};
    for (size_t i = 0; i < plan->n_cases; i++)
        candidates[i] = words_of(plan, i);
    for (size_t i = 0; i < n_jobs; i++)
        jobs[i] = (struct whatif_job){.candidates = {&candidates[i / n_draws]},
                                      .draw = noise_draw(seed, (uint32_t)(i % n_draws) + 1)};
    whatif_progress_expect(batch.progress, n_jobs);
    whatif_run_jobs(&batch, jobs, n_jobs);
    whatif_progress_free(batch.progress);
    int status = 0;
    for (size_t i = 0; i < plan->n_cases && status == 0; i++)
        status = put_draws(&asked->report->points[i], &jobs[i * n_draws], n_draws, seed, err);
    FREE_MEMBERS(jobs, n_jobs, failure);
    FREE_MEMBERS(candidates, plan->n_cases, words);
    return status;
}

/// By this process alone.
static int predict_only(const struct whatif_asked *asked, struct error *err)
{
    struct parts parts = {.asked = asked};
    threads_each(2, predict_one_part, &parts);
    return parts_status(&parts, err);
}

int whatif_run(struct whatif_plan *plan, const struct catalogue *catalogue,
               const struct replay_run *measured, const struct whatif_outputs *outputs,
               struct whatif_report *report, struct error *err)
{
    *report = (struct whatif_report){
        .baseline_ns = measured->replay.time_ns,
        .points = memory_zeroed(plan->n_cases, sizeof *report->points),
        .n_points = plan->n_cases,
        .is_list = plan->is_list,
    };
    struct visits *visits;
    struct whatif_asked asked = {plan, catalogue, measured, outputs, NULL, report};
    int status = whatif_count_work(plan, measured, report, &visits, err);
    if (status == 0) {
        asked.visits = visits;
        describe(report, plan, measured);
        for (size_t i = 0; i < plan->n_cases; i++)
            put_set(&report->points[i], &plan->cases[i]);
        if (plan->is_list && outputs->keeps_results)
            report->results = memory_zeroed(plan->n_cases, sizeof *report->results);
        status = plan->is_list ? predict_list(&asked, err) : predict_only(&asked, err);
        if (status == 0)
            status = predict_draws(&asked, err);
    }
    visits_free(visits);
    return status;
}

int whatif_run_unchanged(const struct whatif_plan *plan, const struct replay_run *measured,
                         struct replay_run *run, struct whatif_point *point, uint64_t *replayed_ns,
                         struct error *err)
{
    const struct whatif_input input = {.measured = measured, .is_quiet = true, .finds_path = true};
    const struct whatif_input traced_input = {.measured = measured, .is_quiet = true};
    const struct scenario *scenario = plan->has_untraced_base ? &plan->untraced : &plan->unchanged;
    SCOPED_BY(replay_run_release) struct replay_run traced = {0};
    SCOPED_BY(whatif_point_release) struct whatif_point same = {0};
    *point = (struct whatif_point){0};
    int status = whatif_predict(&input, scenario, run, point, 1, err);
    *replayed_ns = point->predicted_ns;
    if (status == 0 && plan->has_untraced_base) {
        status = whatif_predict(&traced_input, &plan->unchanged, &traced, &same, 1, err);
        *replayed_ns = same.predicted_ns;
    }
    return status;
}

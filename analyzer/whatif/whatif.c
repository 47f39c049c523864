// SPDX-License-Identifier: BSD-3-Clause
// One simulated run with nothing changed, for the replay error, then one for each point asked for.
#include "analyzer/whatif/whatif.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/simulation/cost/tolerance.h"
#include "analyzer/whatif/kinds.h"
#include "analyzer/whatif/predict.h"

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
    struct whatif_point point = {0};
    struct replay_run run = {0};
    *runs->added = runs->before + added;
    runs->n++;
    int status = whatif_predict(&runs->input, &runs->scenario, &run, &point, err);
    *time_ns = work_ns(&point);
    whatif_point_release(&point);
    replay_run_release(&run);
    return status;
}

/// One search for all levels; ADDED is a member of RUNS->settings.
static int search_tolerance(struct tolerance_runs *runs, uint64_t *added, uint64_t start,
                            uint64_t most, uint64_t base_ns, struct whatif_report *report,
                            bool is_latency, struct error *err)
{
    struct tolerance_search search;
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
    tolerance_search_release(&search);
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

// --- a report

static void describe(struct whatif_report *report, const struct whatif_plan *plan,
                     const struct replay_run *measured)
{
    report->change = utf8_clean(plan->change);
    whatif_describe_cores(report, plan, trace_definitions(measured->trace));
    whatif_note_network(report, plan, (uint32_t)measured->replay.n_ranks);
    whatif_note_dealing(report, plan, &measured->replay);
    if (plan->assumes_waiting)
        whatif_report_note(report, memory_copy_text(whatif_waiting_note));
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

/// The run with nothing changed, with a catalogue as a result to compare with.
static int predict_same(const struct whatif_plan *plan, const struct catalogue *catalogue,
                        const struct replay_run *measured, struct whatif_report *report,
                        struct error *err)
{
    const struct whatif_input input = {.measured = measured, .catalogue = catalogue};
    struct whatif_point same = {0};
    struct replay_run run = {0};
    int status = whatif_predict(&input, &plan->unchanged, &run, &same, err);
    report->unchanged = run.result;
    run.result = (struct result){0};
    report->replayed_ns = same.predicted_ns;
    report->lost_ns = 0;
    for (size_t i = 0; status == 0 && i < run.replay.n_ranks; i++)
        report->lost_ns += run.replay.simulated->ranks[i].lost_ns;
    whatif_point_release(&same);
    replay_run_release(&run);
    return status;
}

/// Mostly just its time is wanted, for the replay error; where that is large, which it hardly is
/// but on shared cores, a single prediction is compared with all that this run is like.
static int predict_unchanged(const struct whatif_plan *plan, const struct catalogue *catalogue,
                             const struct replay_run *measured, struct whatif_report *report,
                             struct error *err)
{
    bool is_compared = !plan->is_list && report->was_shared;
    int status = predict_same(plan, is_compared ? catalogue : NULL, measured, report, err);
    if (status != 0 || is_compared || plan->is_list || !whatif_has_large_error(report))
        return status;
    return predict_same(plan, catalogue, measured, report, err);
}

/// Predicts one case into POINT. RESULT, where it is not NULL, is what a database keeps of it; the
/// caller releases both. 0, or -1 and ERR.
static int predict_case(const struct whatif_input *input, const struct whatif_case *asked,
                        struct whatif_estimates *estimates, struct whatif_report *report,
                        struct whatif_point *point, struct result *result, struct error *err)
{
    struct replay_run run = {0};
    int status = whatif_predict(input, &asked->scenario, &run, point, err);
    if (status == 0)
        status = find_tolerances(input, asked, point, report, err);
    if (status == 0)
        status = whatif_estimate(estimates, asked, input->measured, point, err);
    if (status == 0 && result && whatif_case_is_estimate(asked)) {
        *result = whatif_estimate_result(&input->measured->result, point);
    } else if (status == 0 && result) {
        *result = run.result;
        run.result = (struct result){0};
    }
    replay_run_release(&run);
    return status;
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
    const struct whatif_input input = {
        .measured = measured,
        .catalogue = plan->is_list && !outputs->keeps_results ? NULL : catalogue,
        .out = outputs->out,
        .change = plan->change,
    };
    struct visits *visits;
    struct whatif_estimates *estimates = whatif_estimates_new();
    int status = whatif_count_work(plan, measured, report, &visits, err);
    if (status == 0 && plan->is_list && outputs->keeps_results)
        report->results = memory_zeroed(plan->n_cases, sizeof *report->results);
    if (status == 0) {
        describe(report, plan, measured);
        status = predict_unchanged(plan, catalogue, measured, report, err);
    }
    for (size_t i = 0; i < plan->n_cases && status == 0; i++) {
        struct result *result = !plan->is_list    ? &report->predicted
                                : report->results ? &report->results[i]
                                                  : NULL;
        put_set(&report->points[i], &plan->cases[i]);
        status = predict_case(&input, &plan->cases[i], estimates, report, &report->points[i],
                              result, err);
    }
    report->has_predicted =
        status == 0 && !plan->is_list && !whatif_case_is_estimate(&plan->cases[0]);
    whatif_estimates_free(estimates);
    visits_free(visits);
    return status;
}

int whatif_run_quietly(struct whatif_plan *plan, const struct replay_run *measured,
                       const struct catalogue *catalogue, struct whatif_point *point,
                       struct result *result, struct error *err)
{
    struct whatif_report report = {0}; // for what is noted
    struct visits *visits;
    const struct whatif_input input = {
        .measured = measured, .catalogue = catalogue, .is_quiet = true};
    struct whatif_estimates *estimates = whatif_estimates_new();
    *point = (struct whatif_point){0};
    int status = whatif_count_work(plan, measured, &report, &visits, err);
    if (status == 0)
        status = predict_case(&input, &plan->cases[0], estimates, &report, point,
                              catalogue ? result : NULL, err);
    whatif_estimates_free(estimates);
    visits_free(visits);
    whatif_report_release(&report);
    return status;
}

int whatif_run_unchanged(const struct whatif_plan *plan, const struct replay_run *measured,
                         struct replay_run *run, struct whatif_point *point, struct error *err)
{
    const struct whatif_input input = {.measured = measured, .is_quiet = true, .finds_path = true};
    *point = (struct whatif_point){0};
    return whatif_predict(&input, &plan->unchanged, run, point, err);
}

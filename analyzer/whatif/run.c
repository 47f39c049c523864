// SPDX-License-Identifier: BSD-3-Clause
// One simulated run with nothing changed, for the replay error, then one for each point asked for.
#include "analyzer/whatif/run.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/whatif/describe.h"
#include "analyzer/whatif/estimate.h"
#include "analyzer/whatif/policies.h"
#include "analyzer/whatif/predict.h"
#include "analyzer/whatif/regions.h"
#include "analyzer/whatif/tolerance.h"

int whatif_check_files(const struct whatif_plan *plan, struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < plan->n_sets && status == 0; i++) {
        struct scenario_settings settings;
        struct machine machine;
        status = whatif_prepare(plan, &plan->sets[i], &settings, &machine, err);
        if (status == 0)
            status = whatif_policies_check(&plan->sets[i], err);
        machine_release(&machine);
    }
    return status;
}

int whatif_check(const struct whatif_plan *plan, const struct replay_run *measured,
                 struct error *err)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    for (size_t i = 0; i < plan->n_sets; i++) {
        struct scenario scenario = {0};
        struct scenario_settings settings;
        struct machine machine;
        int status = whatif_prepare(plan, &plan->sets[i], &settings, &machine, err);
        if (status == 0)
            status = scenario_init(&scenario, definitions, &settings, err);
        if (status == 0)
            status = whatif_policies_check(&plan->sets[i], err);
        scenario_release(&scenario);
        machine_release(&machine);
        if (status != 0)
            return -1;
    }
    return 0;
}

/// Checks the regions PLAN names, and counts the visits whose work it sets; 0, or -1 and ERR.
static int prepare_regions(const struct whatif_plan *plan, const struct replay_run *measured,
                           struct whatif_report *report, struct visits **visits, struct error *err)
{
    struct scenario_settings settings;
    struct machine machine;
    *visits = NULL;
    int status = whatif_prepare(plan, &plan->sets[0], &settings, &machine, err);
    if (status == 0)
        status = whatif_regions(&settings, measured->trace, &measured->replay, measured->recorded,
                                report, visits, err);
    machine_release(&machine);
    return status;
}

static void put_set(struct whatif_point *point, const struct whatif_set *set)
{
    point->set = memory_zeroed(set->n_chosen, sizeof *point->set);
    for (size_t i = 0; i < set->n_chosen; i++)
        point->set[point->n_set++] = (struct whatif_setting){memory_copy_text(set->chosen[i].name),
                                                             utf8_clean(set->chosen[i].value)};
}

/// The run with nothing changed, with a catalogue as a result to compare with.
static int predict_same(const struct whatif_plan *plan, const struct catalogue *catalogue,
                        const struct replay_run *measured, struct whatif_report *report,
                        struct error *err)
{
    const struct scenario_settings unchanged = whatif_nothing_changed(plan);
    const struct whatif_input input = {
        .trace = measured->trace, .recorded = measured->recorded, .catalogue = catalogue};
    struct whatif_point same = {0};
    struct replay_run run = {0};
    int status = whatif_predict(&input, &unchanged, &run, &same, err);
    report->unchanged = run.result;
    run.result = (struct result){0};
    report->replayed_ns = same.predicted_ns;
    report->lost_ns = 0;
    for (size_t i = 0; status == 0 && i < run.replay.n_ranks; i++)
        report->lost_ns += run.replay.simulated[i].lost_ns;
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

int whatif_run(const struct whatif_plan *plan, const struct catalogue *catalogue,
               const struct replay_run *measured, const struct whatif_wishes *wishes,
               struct whatif_report *report, struct error *err)
{
    *report = (struct whatif_report){
        .baseline_ns = measured->replay.time_ns,
        .points = memory_zeroed(plan->n_sets, sizeof *report->points),
        .n_points = plan->n_sets,
        .is_list = plan->is_list,
    };
    struct visits *visits;
    if (prepare_regions(plan, measured, report, &visits, err) != 0)
        return -1;
    if (plan->is_list && wishes->keeps_results)
        report->results = memory_zeroed(plan->n_sets, sizeof *report->results);
    whatif_describe(report, plan, measured);
    int status = predict_unchanged(plan, catalogue, measured, report, err);
    struct replay_run run = {0};
    const struct whatif_input input = {
        .trace = measured->trace,
        .recorded = measured->recorded,
        .catalogue = plan->is_list && !wishes->keeps_results ? NULL : catalogue,
        .out = wishes->out,
        .change = plan->change,
        .visits = visits,
    };
    struct whatif_estimates *estimates = whatif_estimates_new();
    for (size_t i = 0; i < plan->n_sets && status == 0; i++) {
        struct scenario_settings settings;
        struct machine machine;
        put_set(&report->points[i], &plan->sets[i]);
        status = whatif_prepare(plan, &plan->sets[i], &settings, &machine, err);
        if (status == 0)
            status = whatif_predict(&input, &settings, &run, &report->points[i], err);
        if (status == 0 && plan->sets[i].n_tolerances > 0)
            status = whatif_tolerance(&input, &plan->sets[i], &settings, &report->points[i], report,
                                      err);
        if (status == 0)
            status = whatif_estimate(estimates, &plan->sets[i], &settings, visits, measured,
                                     &report->points[i], err);
        machine_release(&machine);
        if (status == 0 && whatif_set_is_estimate(&plan->sets[i])) {
            result_release(&run.result);
            run.result = whatif_estimate_result(&measured->result, &report->points[i]);
        }
        if (status == 0 && !plan->is_list) {
            report->has_predicted = !whatif_set_is_estimate(&plan->sets[i]);
            report->predicted = run.result;
            run.result = (struct result){0};
        } else if (status == 0 && wishes->keeps_results) {
            report->results[i] = run.result;
            run.result = (struct result){0};
        }
        replay_run_release(&run);
    }
    whatif_estimates_free(estimates);
    visits_free(visits);
    return status;
}

int whatif_run_quietly(const struct whatif_plan *plan, const struct replay_run *measured,
                       const struct catalogue *catalogue, struct whatif_point *point,
                       struct result *result, struct error *err)
{
    struct whatif_report report = {0}; // for what is noted
    struct scenario_settings settings;
    struct machine machine = {0};
    struct visits *visits = NULL;
    struct replay_run run = {0};
    struct whatif_input input = {.trace = measured->trace,
                                 .recorded = measured->recorded,
                                 .catalogue = catalogue,
                                 .is_quiet = true};
    struct whatif_estimates *estimates = whatif_estimates_new();
    *point = (struct whatif_point){0};
    int status = prepare_regions(plan, measured, &report, &visits, err);
    if (status == 0)
        status = whatif_prepare(plan, &plan->sets[0], &settings, &machine, err);
    input.visits = visits;
    if (status == 0)
        status = whatif_predict(&input, &settings, &run, point, err);
    if (status == 0)
        status =
            whatif_estimate(estimates, &plan->sets[0], &settings, visits, measured, point, err);
    if (status == 0 && catalogue && whatif_set_is_estimate(&plan->sets[0])) {
        *result = whatif_estimate_result(&measured->result, point);
    } else if (status == 0 && catalogue) {
        *result = run.result;
        run.result = (struct result){0};
    }
    whatif_estimates_free(estimates);
    replay_run_release(&run);
    machine_release(&machine);
    visits_free(visits);
    whatif_report_release(&report);
    return status;
}

int whatif_run_unchanged(const struct whatif_plan *plan, const struct replay_run *measured,
                         struct replay_run *run, struct whatif_point *point, struct error *err)
{
    const struct scenario_settings unchanged = whatif_nothing_changed(plan);
    const struct whatif_input input = {.trace = measured->trace,
                                       .recorded = measured->recorded,
                                       .is_quiet = true,
                                       .finds_path = true};
    *point = (struct whatif_point){0};
    return whatif_predict(&input, &unchanged, run, point, err);
}

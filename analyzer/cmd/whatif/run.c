// SPDX-License-Identifier: BSD-3-Clause
// One simulated run with nothing changed, for the replay error, then one for each point asked for.
#include "analyzer/cmd/whatif/run.h"
#include "analyzer/cmd/whatif/out.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/cmd/whatif/estimate.h"
#include "analyzer/cmd/whatif/machines.h"
#include "analyzer/cmd/whatif/policies.h"
#include "analyzer/cmd/whatif/regions.h"
#include "analyzer/cmd/whatif/tolerance.h"
#include "analyzer/whatif/prediction.h"

int whatif_prepare(const struct whatif_plan *plan, const struct whatif_set *set,
                   struct scenario_settings *settings, struct machine *machine, struct error *err)
{
    *settings = set->settings;
    *machine = (struct machine){0};
    if (!set->machine)
        return 0;
    settings->machine = machine;
    const struct machine *whole = whatif_machines_get(plan->machines, set->machine, err);
    if (!whole)
        return -1;
    machine_view(machine, whole);
    if (set->latency_ns == PAG_NOT_KNOWN && set->bandwidth == 0 &&
        set->eager_bytes == PAG_NOT_KNOWN)
        return 0;
    return machine_change_network(machine, set->latency_ns, (double)set->bandwidth,
                                  set->eager_bytes, err);
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
static int prepare_regions(const struct whatif_plan *plan, const char *trace,
                           const struct replay_run *measured, struct whatif_report *report,
                           struct visits **visits, struct error *err)
{
    struct scenario_settings settings;
    struct machine machine;
    *visits = NULL;
    int status = whatif_prepare(plan, &plan->sets[0], &settings, &machine, err);
    if (status == 0)
        status = whatif_regions(&settings, trace, trace_definitions(measured->trace),
                                &measured->replay, measured->recorded, report, visits, err);
    machine_release(&machine);
    return status;
}

static void put_ranks(struct whatif_point *point, const struct scenario *scenario,
                      const struct definitions *definitions, const struct pag_result *replay)
{
    const struct placement *placement = &scenario->placement;
    point->ranks = memory_zeroed(placement->n_ranks, sizeof *point->ranks);
    point->n_ranks = placement->n_ranks;
    for (uint32_t i = 0; i < placement->n_ranks; i++) {
        const struct pag_simulated_rank *rank = &replay->simulated[i];
        uint64_t speed = scenario->groups[scenario->group_of_rank[i]].speed;
        uint64_t busy_ns = (uint64_t)((double)rank->work_ns * SCHEDULER_FULL_SPEED / (double)speed);
        if (busy_ns > rank->outside_ns || speed == SCHEDULER_FULL_SPEED)
            busy_ns = rank->work_ns < rank->outside_ns ? rank->work_ns : rank->outside_ns;
        point->ranks[i] = (struct whatif_rank){
            .node = memory_copy_text(placement->node_names[placement->node_of_rank[i]]),
            .node_index = placement->node_of_rank[i],
            .finish_ns = replay->locations[definitions->ranks[i].master].last_ns,
            .busy_ns = busy_ns,
            .shared_ns = rank->outside_ns - busy_ns,
            .wait_ns = rank->wait_ns,
            .overhead_ns = rank->overhead_ns,
        };
    }
}

/// The nodes of the predicted run in RESULT, which has those of the recording.
static void put_nodes(struct result *result, const struct scenario *scenario)
{
    const struct placement *placement = &scenario->placement;
    struct result_node *nodes = memory_zeroed(placement->n_nodes, sizeof *nodes);
    for (uint32_t i = 0; i < placement->n_nodes; i++)
        nodes[i] = (struct result_node){
            .name = memory_copy_text(placement->node_names[i]),
            .machine = memory_copy_text(result->n_nodes > 0 ? result->nodes[0].machine : ""),
            .n_cores = scenario->least_cores == scenario->most_cores ? scenario->most_cores : 0,
        };
    for (size_t i = 0; i < result->n_ranks; i++) {
        result->ranks[i].node = placement->node_of_rank[i];
        nodes[placement->node_of_rank[i]].n_ranks++;
    }
    for (size_t i = 0; i < result->n_nodes; i++) {
        free(result->nodes[i].name);
        free(result->nodes[i].machine);
    }
    free(result->nodes);
    result->nodes = nodes;
    result->n_nodes = placement->n_nodes;
}

static void put_moves(struct whatif_point *point, const struct scenario_settings *settings,
                      const struct pag_result *replay)
{
    point->aggregates = settings->aggregate_bytes > 0;
    point->overlaps = settings->n_overlaps > 0;
    point->n_aggregated = replay->n_aggregated;
    point->n_overlapped = replay->n_overlapped;
    const struct pag_migration *migration = replay->migration;
    if (!migration)
        return;
    point->n_moves = settings->n_moves;
    point->moves = memory_zeroed(point->n_moves, sizeof *point->moves);
    for (size_t i = 0; i < point->n_moves; i++)
        point->moves[i] = (struct whatif_move){
            .text = memory_copy_text(settings->moves[i]),
            .moved_ns = migration->moves[i].moved_ns,
            .stayed_ns = migration->moves[i].stayed_ns,
            .n_messages = migration->moves[i].n_messages,
        };
    point->client_server_ns = migration->client_server_ns;
    point->in_turn_ns = migration->in_turn_ns;
    point->unchanged_ns = migration->unchanged_ns;
}

/// 0, or -1 and ERR when some cost was none.
static int put_timeless(struct whatif_point *point, const struct timeless *timeless,
                        const struct machine *machine, struct error *err)
{
    struct timeless_use use = timeless_use(timeless);
    point->is_timeless = true;
    point->n_visits = use.n_visits;
    point->n_without_rule = use.n_without_rule;
    point->n_without_work = use.n_without_work;
    point->unused_rules = timeless_unused(timeless);
    point->rules = memory_zeroed(machine->n_computes, sizeof *point->rules);
    for (; point->n_rules < machine->n_computes; point->n_rules++) {
        const struct timeless_rule_use *rule = &timeless_rules(timeless)[point->n_rules];
        point->rules[point->n_rules] = (struct whatif_rule){
            .region = memory_copy_text(machine->computes[point->n_rules].pattern),
            .n_visits = rule->n_visits,
            .work_units = rule->work_units,
            .time_ns = (uint64_t)(rule->time_ps / 1000),
        };
    }
    return timeless_check(timeless, err);
}

int whatif_predict(const struct whatif_input *input, const struct scenario_settings *settings,
                   struct replay_run *run, struct whatif_point *point, struct error *err)
{
    struct scenario scenario = {0};
    struct prediction prediction = {0};
    int status = -1;
    if (replay_run_open_again(run, input->trace, err) != 0 ||
        (input->out && whatif_out_prepare(input->out, run, err) != 0))
        return -1;
    run->finds_path = input->finds_path;
    const struct definitions *definitions = trace_definitions(run->trace);
    if (scenario_init(&scenario, definitions, settings, err) != 0)
        goto out;
    prediction_init(&prediction, definitions, &scenario, input->recorded, settings->machine);
    status = replay_run(run, input->catalogue, &prediction.clock, false,
                        input->is_quiet ? NULL : "predicting", err);
    if (status == 0)
        status = prediction_check(&prediction, err);
    if (status == 0 && settings->machine)
        status = machine_check_formulas(settings->machine, err);
    if (status != 0)
        goto out;
    point->predicted_ns = run->replay.time_ns;
    point->window_begin_ns = run->replay.window_begin_ns;
    point->window_end_ns = run->replay.window_end_ns;
    point->work_end_ns = prediction.n_finalized == definitions->n_ranks
                             ? prediction.last_finalize_ns
                             : run->replay.time_ns;
    point->n_flights = prediction.use.n_flights;
    point->n_interpolated = prediction.use.n_interpolated;
    point->n_forced = run->replay.n_forced;
    point->leaves_out = settings->n_drops + settings->n_cuts > 0;
    point->n_left_out_messages = run->replay.n_left_out_messages;
    point->n_resized_messages = run->replay.n_resized_messages;
    point->n_left_out_collectives = run->replay.n_left_out_collectives;
    point->n_partly_left_out = run->replay.n_partly_left_out;
    struct contention_use transfers = contention_use(prediction.contention);
    point->n_transfers = transfers.n_messages;
    point->n_delayed_transfers = transfers.n_delayed;
    point->transfer_wait_ns = transfers.delayed_ns;
    point->hand_over_ns = scheduler_hand_over_ns(prediction.scheduler);
    struct collective_use collectives = collective_runs_use(prediction.collectives);
    point->n_carried_out = collectives.n_carried_out;
    point->n_multicasts = collectives.n_multicasts;
    point->n_by_tree = collectives.n_by_tree;
    point->switch_wait_ns = collectives.switch_wait_ns;
    put_ranks(point, &scenario, definitions, &run->replay);
    if (input->catalogue)
        put_nodes(&run->result, &scenario);
    if (prediction.timeless)
        status = put_timeless(point, prediction.timeless, settings->machine, err);
    put_moves(point, settings, &run->replay);
    if (status == 0 && input->out)
        status = whatif_out_write(input->out, run, &scenario, input->change, err);
out:
    prediction_release(&prediction);
    scenario_release(&scenario);
    return status;
}

static char *describe_sharing(const struct scenario *scenario)
{
    if (!scenario->knows_cores && !scenario->is_shared)
        return memory_copy_text("every rank on a core of its own: the trace does not tell cores");
    char *cores = scenario->least_cores == scenario->most_cores
                      ? memory_format("%" PRIu32 " a node", scenario->most_cores)
                      : memory_format("%" PRIu32 " to %" PRIu32 " a node", scenario->least_cores,
                                      scenario->most_cores);
    char *text;
    if (!scenario->is_shared)
        text = memory_format("%s, one for every rank", cores);
    else
        text = memory_format("%s, %s; a rank that waits %s", cores,
                             scenario->is_sticky  ? "each rank stays on one (sticky)"
                             : scenario->is_bound ? "shared by the ranks bound to them"
                                                  : "shared by all ranks of the node (fluid)",
                             scenario->slice_ns == 0
                                 ? (scenario->spins ? "keeps its core busy" : "leaves its core")
                                 : (scenario->spins ? "keeps its core busy, for slices of "
                                                    : "leaves its core; slices of "));
    if (scenario->is_shared && scenario->slice_ns > 0) {
        char *start = text;
        text = memory_format("%s%g ms", start, (double)scenario->slice_ns / 1e6);
        free(start);
    }
    free(cores);
    return text;
}

/// Nothing changed; but the way ranks wait is that of the recording, whatever options say it.
static struct scenario_settings nothing_changed(const struct whatif_plan *plan)
{
    struct scenario_settings settings = SCENARIO_UNCHANGED;
    settings.spins = plan->sets[0].settings.spins;
    settings.slice_ns = plan->sets[0].settings.slice_ns;
    return settings;
}

static bool crosses_network(const struct scenario *scenario, const struct machine *machine)
{
    uint32_t n_ranks = scenario->placement.n_ranks;
    for (uint32_t a = 0; a < n_ranks; a++)
        for (uint32_t b = a + 1; b < n_ranks; b++)
            if (scopes_between(&scenario->scopes, a, b) == &machine->messages[MACHINE_NETWORK])
                return true;
    return false;
}

/// Options about a network that no message can cross, wherever PLAN puts ranks; SCENARIO is that of
/// its first prediction.
static void note_unused_network(struct whatif_report *report, const struct whatif_plan *plan,
                                const struct scenario *scenario, const struct machine *machine)
{
    const struct whatif_set *first = &plan->sets[0];
    bool is_changed = first->latency_ns != PAG_NOT_KNOWN || first->bandwidth > 0 ||
                      first->eager_bytes != PAG_NOT_KNOWN;
    for (size_t i = 1; i < plan->n_sets; i++)
        is_changed = is_changed && plan->sets[i].settings.n_nodes == first->settings.n_nodes;
    if (is_changed && !crosses_network(scenario, machine))
        whatif_report_note(report, memory_copy_text("no two ranks exchange messages by the "
                                                    "machine's network: --latency, --bandwidth "
                                                    "and --eager change nothing"));
}

static void describe(struct whatif_report *report, const struct whatif_plan *plan,
                     const struct definitions *definitions)
{
    struct scenario scenario = {0};
    struct scenario_settings settings;
    struct machine machine;
    struct error err;
    if (whatif_prepare(plan, &plan->sets[0], &settings, &machine, &err) == 0 &&
        scenario_init(&scenario, definitions, &settings, &err) == 0) {
        report->sharing = plan->is_list && scenario.is_shared
                              ? memory_format("%s (the first prediction)",
                                              scenario.is_sticky ? "sticky" : "fluid")
                              : describe_sharing(&scenario);
        note_unused_network(report, plan, &scenario, &machine);
    }
    report->lacks_slices = scenario.is_shared && scenario.spins && scenario.slice_ns == 0;
    scenario_release(&scenario);
    machine_release(&machine);
    report->change = memory_copy_text(plan->change);
    const struct scenario_settings unchanged = nothing_changed(plan);
    if (scenario_init(&scenario, definitions, &unchanged, &err) == 0)
        report->was_shared = scenario.is_shared;
    scenario_release(&scenario);
    for (size_t i = 0; i < definitions->n_ranks; i++)
        report->has_threads = report->has_threads || definitions->ranks[i].n_locations > 1;
}

static void put_set(struct whatif_point *point, const struct whatif_set *set)
{
    point->set = memory_zeroed(set->n_chosen, sizeof *point->set);
    for (size_t i = 0; i < set->n_chosen; i++)
        point->set[point->n_set++] = (struct whatif_setting){
            memory_copy_text(set->chosen[i].name), memory_copy_text(set->chosen[i].value)};
}

/// What is assumed where the network gets slower, or recorded times do not count.
static void note_assumptions(struct whatif_report *report, const struct whatif_plan *plan)
{
    bool is_slower = false, is_timeless = false;
    for (size_t i = 0; i < plan->n_sets; i++) {
        const struct whatif_set *set = &plan->sets[i];
        is_slower = is_slower || set->settings.added_latency_ns > 0 || set->n_tolerances > 0;
        is_timeless = is_timeless || set->settings.is_timeless;
    }
    if (is_slower)
        whatif_report_note(report, memory_copy_text("a collective of p ranks meets added latency "
                                                    "log2(p) times, as in a tree"));
    if (is_timeless)
        whatif_report_note(
            report, memory_copy_text("in MPI only messages and collectives take time; what handles "
                                     "no data waits for all members, but for MPI_Finalize and "
                                     "operations that destroy handles"));
}

/// The run with nothing changed, with a catalogue as a result to compare with.
static int predict_same(const struct whatif_plan *plan, const struct catalogue *catalogue,
                        const struct replay_run *measured, struct whatif_report *report,
                        struct error *err)
{
    const struct scenario_settings unchanged = nothing_changed(plan);
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

/// Collectives of more members than any that was measured rest on the form of the formulas alone.
static void note_members(struct whatif_report *report, const struct whatif_plan *plan,
                         size_t n_ranks)
{
    struct error err;
    for (size_t i = 0; i < plan->n_sets; i++) {
        const char *name = plan->sets[i].machine;
        const struct machine *machine =
            name ? whatif_machines_get(plan->machines, name, &err) : NULL;
        if (!machine || machine->n_calibrated_members == 0 ||
            machine->n_calibrated_members >= n_ranks)
            continue;
        whatif_report_note(report, memory_format("collectives of up to %" PRIu32
                                                 " ranks were calibrated for %s; "
                                                 "those of more follow the formulas",
                                                 machine->n_calibrated_members, name));
        return; // all sets have the same one
    }
}

int whatif_run(const struct whatif_plan *plan, const char *trace, const struct catalogue *catalogue,
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
    if (prepare_regions(plan, trace, measured, report, &visits, err) != 0)
        return -1;
    if (plan->is_list && wishes->keeps_results)
        report->results = memory_zeroed(plan->n_sets, sizeof *report->results);
    describe(report, plan, trace_definitions(measured->trace));
    note_assumptions(report, plan);
    whatif_note_dealing(report, plan->sets, plan->n_sets, &measured->replay);
    note_members(report, plan, measured->replay.n_ranks);
    int status = predict_unchanged(plan, catalogue, measured, report, err);
    struct replay_run run = {0};
    const struct whatif_input input = {
        .trace = measured->trace,
        .recorded = measured->recorded,
        .catalogue = plan->is_list && !wishes->keeps_results ? NULL : catalogue,
        .out = wishes->out,
        .change = plan->change,
    };
    struct whatif_estimates *estimates = whatif_estimates_new();
    for (size_t i = 0; i < plan->n_sets && status == 0; i++) {
        struct scenario_settings settings;
        struct machine machine;
        put_set(&report->points[i], &plan->sets[i]);
        status = whatif_prepare(plan, &plan->sets[i], &settings, &machine, err);
        settings.visits = visits;
        if (status == 0)
            status = whatif_predict(&input, &settings, &run, &report->points[i], err);
        if (status == 0 && plan->sets[i].n_tolerances > 0)
            status = whatif_tolerance(measured->trace, &plan->sets[i], &settings,
                                      measured->recorded, &report->points[i], report, err);
        if (status == 0)
            status = whatif_estimate(estimates, trace, &plan->sets[i], &settings, measured,
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

int whatif_run_quietly(const struct whatif_plan *plan, const char *trace,
                       const struct replay_run *measured, const struct catalogue *catalogue,
                       struct whatif_point *point, struct result *result, struct error *err)
{
    struct whatif_report report = {0}; // for what is noted
    struct scenario_settings settings;
    struct machine machine = {0};
    struct visits *visits = NULL;
    struct replay_run run = {0};
    const struct whatif_input input = {.trace = measured->trace,
                                       .recorded = measured->recorded,
                                       .catalogue = catalogue,
                                       .is_quiet = true};
    struct whatif_estimates *estimates = whatif_estimates_new();
    *point = (struct whatif_point){0};
    int status = prepare_regions(plan, trace, measured, &report, &visits, err);
    if (status == 0)
        status = whatif_prepare(plan, &plan->sets[0], &settings, &machine, err);
    settings.visits = visits;
    if (status == 0)
        status = whatif_predict(&input, &settings, &run, point, err);
    if (status == 0)
        status = whatif_estimate(estimates, trace, &plan->sets[0], &settings, measured, point, err);
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

int whatif_run_unchanged(const struct replay_run *measured, struct replay_run *run,
                         struct whatif_point *point, struct error *err)
{
    const struct scenario_settings unchanged = SCENARIO_UNCHANGED;
    const struct whatif_input input = {.trace = measured->trace,
                                       .recorded = measured->recorded,
                                       .is_quiet = true,
                                       .finds_path = true};
    *point = (struct whatif_point){0};
    return whatif_predict(&input, &unchanged, run, point, err);
}

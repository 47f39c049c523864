// SPDX-License-Identifier: BSD-3-Clause
// The settings of a prediction, its simulated run, and what a point of the report says about it.
#include "analyzer/whatif/predict.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/whatif/machines.h"
#include "analyzer/whatif/out.h"

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

struct scenario_settings whatif_nothing_changed(const struct whatif_plan *plan)
{
    struct scenario_settings settings = SCENARIO_UNCHANGED;
    settings.spins = plan->sets[0].settings.spins;
    struct scenario_settings first;
    struct machine machine;
    struct error err; // would have been found when the plan was checked
    if (whatif_prepare(plan, &plan->sets[0], &first, &machine, &err) == 0)
        settings.slice_ns = scenario_slice_ns(&first);
    machine_release(&machine);
    return settings;
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
            .node = utf8_clean(placement->node_names[placement->node_of_rank[i]]),
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
            .name = utf8_clean(placement->node_names[i]),
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
    scenario.visits = input->visits;
    prediction_init(&prediction, definitions, &scenario, input->recorded);
    status = replay_run(run, input->catalogue, &prediction, false,
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

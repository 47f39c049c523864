// SPDX-License-Identifier: BSD-3-Clause
// One simulated run: what a point of the report says about it, and the run as an archive.
#include "analyzer/whatif/jobs.h"

#include <inttypes.h>

#include "analyzer/base/memory.h"
#include "analyzer/rewrite/rewrite.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/whatif/kinds.h"

// --- as an archive

int whatif_out_prepare(const char *directory, struct replay_run *run, struct error *err)
{
    if (rewrite_check(directory, err) != 0)
        return -1;
    SCOPED char *parent = rewrite_parent(directory);
    return replay_run_keep_times(run, parent, err);
}

/// Cores of NODE that its ranks use: those of its groups.
static uint32_t cores_of(const struct scenario *scenario, uint32_t node)
{
    const struct placement *placement = &scenario->placement;
    SCOPED bool *is_counted = memory_zeroed(scenario->n_groups, sizeof *is_counted);
    uint32_t n_cores = 0;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        uint32_t group = scenario->group_of_rank[rank];
        if (placement->node_of_rank[rank] != node || is_counted[group])
            continue;
        is_counted[group] = true;
        n_cores += scenario->groups[group].n_cores;
    }
    // Beyond the number of ranks they are not in the groups.
    return scenario->least_cores == scenario->most_cores ? scenario->most_cores : n_cores;
}

int whatif_out_write(const char *directory, const struct replay_run *run,
                     const struct scenario *scenario, const char *change, struct error *err)
{
    const struct placement *placement = &scenario->placement;
    SCOPED struct rewrite_node *nodes = memory_zeroed(placement->n_nodes, sizeof *nodes);
    SCOPED struct rewrite_rank *ranks = memory_zeroed(placement->n_ranks, sizeof *ranks);
    for (uint32_t i = 0; i < placement->n_nodes; i++)
        nodes[i] = (struct rewrite_node){
            .name = placement->node_names[i],
            .n_cores = scenario->knows_cores ? cores_of(scenario, i) : 0,
        };
    for (uint32_t i = 0; i < placement->n_ranks; i++)
        ranks[i] = (struct rewrite_rank){
            .node = placement->node_of_rank[i],
            .processor_speed = scenario->groups[scenario->group_of_rank[i]].speed,
        };
    const struct rewrite_run predicted = {
        .change = change,
        .time_ns = run->replay.time_ns,
        .is_untraced = scenario->settings->is_untraced,
        .nodes = nodes,
        .n_nodes = placement->n_nodes,
        .ranks = ranks,
    };
    int status = time_map_finish(run->times, err);
    if (status == 0)
        status = rewrite_archive(directory, run->trace, run->times, &predicted, err);
    return status;
}

// --- in a report

/// 0, or -1 and ERR when some cost was none.
static int put_point(struct whatif_point *point, const struct prediction *prediction,
                     const struct definitions *definitions, const struct pag_result *replay,
                     struct error *err)
{
    const struct scenario *scenario = prediction->scenario;
    point->predicted_ns = replay->time_ns;
    point->window_begin_ns = replay->window_begin_ns;
    point->window_end_ns = replay->window_end_ns;
    point->work_end_ns = prediction->n_finalized == definitions->n_ranks
                             ? prediction->last_finalize_ns
                             : replay->time_ns;
    point->n_forced = replay->simulated->n_forced;
    point->hand_over_ns = scheduler_hand_over_ns(prediction->scheduler);
    whatif_put_ranks(point, scenario, definitions, replay);
    whatif_put_slowdown(point, scenario, replay);
    whatif_put_messages(point, scenario->settings, replay->simulated);
    return whatif_put_network(point, prediction, err);
}

/// What the slowdown file of SCENARIO makes of POINT: the same run without it. 0, or -1 and ERR.
static int compare_slowdown(const struct whatif_input *input, const struct scenario *scenario,
                            struct whatif_point *point, struct error *err)
{
    const struct whatif_input bare_input = {.measured = input->measured, .is_quiet = true};
    SCOPED_BY(whatif_point_release) struct whatif_point without = {0};
    SCOPED_BY(replay_run_release) struct replay_run run = {0};
    struct scenario bare = *scenario; // what it points to stays
    bare.slowdown = (struct slowdown_use){0};
    if (whatif_predict(&bare_input, &bare, &run, &without, 1, err) != 0)
        return -1;
    point->slowdown.without_ns = without.predicted_ns;
    point->slowdown.without_work_ns = without.slowdown.work_ns;
    point->slowdown.is_compared = true;
    return 0;
}

int whatif_predict(const struct whatif_input *input, const struct scenario *scenario,
                   struct replay_run *run, struct whatif_point *points, size_t n, struct error *err)
{
    if (replay_run_open_again(run, input->measured->trace, err) != 0 ||
        (input->out && whatif_out_prepare(input->out, run, err) != 0))
        return -1;
    run->finds_path = input->finds_path;
    run->timeline = input->timeline;
    const struct definitions *definitions = trace_definitions(run->trace);
    const struct machine *machine = scenario->settings->machine;
    SCOPED_BY(prediction_release) struct prediction prediction = {0};
    prediction_init(&prediction, definitions, scenario, input->measured->recorded);
    int status = replay_run(run, input->catalogue, &prediction, false,
                            input->is_quiet ? NULL : "predicting", err);
    uint64_t n_events = input->measured->replay.n_events;
    if (status == 0 && run->replay.n_events < n_events)
        status = error_set(err, "%" PRIu64 " of %" PRIu64 " events could not be read again",
                           n_events - run->replay.n_events, n_events);
    if (status == 0)
        status = prediction_check(&prediction, err);
    if (status == 0 && machine)
        status = machine_check_formulas(machine, err);
    for (size_t i = 0; i < n && status == 0; i++)
        status = put_point(&points[i], &prediction, definitions, &run->replay, err);
    if (status == 0 && input->compares_slowdown && scenario->settings->slowdown)
        status = compare_slowdown(input, scenario, &points[0], err);
    if (status == 0 && input->catalogue)
        whatif_put_nodes(&run->result, scenario);
    if (status == 0 && input->out)
        status = whatif_out_write(input->out, run, scenario, input->change, err);
    replay_run_close(run);
    return status;
}

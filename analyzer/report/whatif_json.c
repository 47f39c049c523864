// SPDX-License-Identifier: BSD-3-Clause
// Predictions as JSON: one object, or with a list option an array of points.

#include <stdlib.h>

#include "analyzer/report/json.h"
#include "analyzer/report/json_values.h"
#include "analyzer/result/changes.h"
#include "analyzer/result/whatif.h"

static void set_count(json_t *object, const char *key, uint64_t value)
{
    json_object_set_new(object, key, json_integer(value > INT64_MAX ? INT64_MAX : (int64_t)value));
}

static json_t *rank_array(const struct whatif_point *point)
{
    json_t *ranks = json_array();
    for (size_t i = 0; i < point->n_ranks; i++) {
        const struct whatif_rank *rank = &point->ranks[i];
        json_t *object = json_object();
        set_count(object, "rank", i);
        json_object_set_new(object, "node", json_string(rank->node));
        set_count(object, "finish_ns", rank->finish_ns);
        set_count(object, "busy_ns", rank->busy_ns);
        set_count(object, "shared_ns", rank->shared_ns);
        set_count(object, "wait_ns", rank->wait_ns);
        set_count(object, "overhead_ns", rank->overhead_ns);
        json_array_append_new(ranks, object);
    }
    return ranks;
}

static void put_answer(json_t *object, const struct whatif_report *report,
                       const struct whatif_point *point)
{
    set_count(object, "predicted_ns", point->predicted_ns);
    json_object_set_new(object, "reliability",
                        json_string(whatif_reliability_names[whatif_reliability(report, point)]));
}

static void put_quality(json_t *object, const struct whatif_point *point)
{
    json_t *window = json_object();
    set_count(window, "begin_ns", point->window_begin_ns);
    set_count(window, "end_ns", point->window_end_ns);
    json_object_set_new(object, "window", window);
    set_count(object, "message_times", point->n_flights);
    set_count(object, "interpolated", point->n_interpolated);
    set_count(object, "forced_calls", point->n_forced);
    if (point->leaves_out) {
        json_t *left_out = json_object();
        set_count(left_out, "messages", point->n_left_out_messages);
        set_count(left_out, "resized_messages", point->n_resized_messages);
        set_count(left_out, "collectives", point->n_left_out_collectives);
        set_count(left_out, "partly", point->n_partly_left_out);
        json_object_set_new(object, "left_out", left_out);
    }
    set_count(object, "hand_over_ns", point->hand_over_ns);
    set_count(object, "transfers", point->n_transfers);
    set_count(object, "delayed_transfers", point->n_delayed_transfers);
    set_count(object, "transfer_wait_ns", point->transfer_wait_ns);
    if (point->n_carried_out == 0)
        return;
    json_t *collectives = json_object();
    set_count(collectives, "by_algorithm", point->n_carried_out);
    set_count(collectives, "multicasts", point->n_multicasts);
    set_count(collectives, "without_multicast", point->n_by_tree);
    set_count(collectives, "switch_wait_ns", point->switch_wait_ns);
    json_object_set_new(object, "collectives", collectives);
}

/// Of a point with moves of work: what was moved, and the other algorithm's result.
static void put_moves(json_t *object, const struct whatif_report *report,
                      const struct whatif_point *point)
{
    for (size_t i = 0; i < point->n_bounds; i++)
        set_count(object, point->bounds[i].key, point->bounds[i].value);
    if (point->n_bounds > 0)
        json_object_set_new(object, "is_upper_bound", json_true());
    if (point->n_moves == 0)
        return;
    json_t *moves = json_array(), *client_server = json_object();
    for (size_t i = 0; i < point->n_moves; i++) {
        const struct whatif_move *move = &point->moves[i];
        json_t *entry = json_object();
        json_object_set_new(entry, "move", json_string(move->text));
        set_count(entry, "moved_ns", move->moved_ns);
        set_count(entry, "messages", move->n_messages);
        set_count(entry, "stayed_ns", move->stayed_ns);
        json_array_append_new(moves, entry);
    }
    json_object_set_new(object, "moves", moves);
    json_object_set_new(object, "algorithm", json_string("general"));
    set_count(client_server, "path_ns", point->client_server_ns);
    set_count(client_server, "in_turn_path_ns", point->in_turn_ns);
    set_count(client_server, "unchanged_path_ns", point->unchanged_ns);
    set_count(client_server, "predicted_ns", whatif_client_server_ns(report, point));
    json_object_set_new(object, "client_server", client_server);
}

/// Of an estimate: what its model knows.
static void put_dynamic(json_t *object, const struct whatif_point *point)
{
    const struct whatif_farm *farm = &point->farm;
    if (farm->n_workers > 0) {
        json_t *workers = json_object();
        json_object_set_new(workers, "policy",
                            farm->policy ? json_string(farm->policy) : json_null());
        set_count(workers, "workers", farm->n_workers);
        set_count(workers, "recorded_workers", farm->n_recorded);
        set_count(workers, "master", farm->master);
        set_count(workers, "cores", farm->n_cores);
        set_count(workers, "tasks", farm->n_tasks);
        set_count(workers, "phases", farm->n_phases);
        set_count(workers, "recorded_ns", farm->replayed_ns);
        set_count(workers, "measured_ns", farm->recorded_ns);
        set_count(workers, "modelled_ns", farm->modelled_ns);
        set_count(workers, "predicted_ns", farm->predicted_ns);
        json_object_set_new(workers, "model_error",
                            json_real(whatif_change(farm->recorded_ns, farm->modelled_ns)));
        json_object_set_new(object, "farm", workers);
    }
    const struct whatif_rebalancing *balancing = &point->rebalancing;
    if (balancing->policy) {
        json_t *rebalancing = json_object();
        json_object_set_new(rebalancing, "policy", json_string(balancing->policy));
        set_count(rebalancing, "spans", balancing->n_spans);
        set_count(rebalancing, "before_ns", balancing->before_ns);
        set_count(rebalancing, "after_ns", balancing->after_ns);
        set_count(rebalancing, "migrations", balancing->n_migrations);
        set_count(rebalancing, "moved_ns", balancing->moved_ns);
        set_count(rebalancing, "transfer_ns", balancing->transfer_ns);
        json_object_set_new(object, "rebalancing", rebalancing);
    }
}

static json_t *timeless_object(const struct whatif_point *point)
{
    json_t *object = json_object(), *rules = json_array();
    for (size_t i = 0; i < point->n_rules; i++) {
        const struct whatif_rule *of = &point->rules[i];
        json_t *rule = json_object();
        json_object_set_new(rule, "region", json_string(of->region));
        set_count(rule, "visits", of->n_visits);
        set_count(rule, "work", of->work_units);
        set_count(rule, "time_ns", of->time_ns);
        json_array_append_new(rules, rule);
    }
    json_object_set_new(object, "rules", rules);
    set_count(object, "visits", point->n_visits);
    set_count(object, "without_cost", point->n_without_rule);
    set_count(object, "without_work", point->n_without_work);
    json_object_set_new(object, "unused_rules",
                        point->unused_rules ? json_string(point->unused_rules) : json_null());
    return object;
}

static json_t *point_array(const struct whatif_report *report)
{
    json_t *points = json_array();
    for (size_t i = 0; i < report->n_points; i++) {
        const struct whatif_point *point = &report->points[i];
        json_t *object = json_object(), *set = json_object();
        for (size_t s = 0; s < point->n_set; s++)
            json_object_set_new(set, point->set[s].name, json_string(point->set[s].value));
        json_object_set_new(object, "set", set);
        put_answer(object, report, point);
        put_quality(object, point);
        put_moves(object, report, point);
        put_dynamic(object, point);
        if (point->is_timeless)
            json_object_set_new(object, "timeless", timeless_object(point));
        json_array_append_new(points, object);
    }
    return points;
}

static json_t *pattern_array(const struct result *result)
{
    json_t *patterns = json_array();
    for (size_t i = 0; i < result->n_patterns; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "id", json_string(result->patterns[i].id));
        set_count(object, "count", result->patterns[i].count);
        set_count(object, "total_ns", result->patterns[i].total_ns);
        json_array_append_new(patterns, object);
    }
    return patterns;
}

static json_t *critical_path_object(const struct result *result)
{
    json_t *object = json_object(), *regions = json_array();
    json_object_set_new(object, "length_ns", json_integer(result->critical_path.length_ns));
    for (size_t i = 0; i < result->critical_path.n_by_region; i++) {
        const struct result_path_share *share = &result->critical_path.by_region[i];
        json_t *region = json_object();
        json_object_set_new(region, "region", json_string(result->regions[share->region].name));
        json_object_set_new(region, "time_ns", json_integer(share->time_ns));
        json_object_set_new(region, "share", json_real(share->share));
        json_array_append_new(regions, region);
    }
    json_object_set_new(object, "regions", regions);
    return object;
}

static json_t *tolerance_object(const struct whatif_report *report)
{
    json_t *object = json_object(), *levels = json_array();
    json_object_set_new(object, "scope",
                        json_string(report->tolerates_everywhere ? "all" : "network"));
    set_count(object, "predictions", report->n_tolerance_runs);
    for (size_t i = 0; i < report->n_tolerances; i++) {
        const struct whatif_tolerance *tolerance = &report->tolerances[i];
        json_t *level = json_object();
        json_object_set_new(level, "percent", json_real(tolerance->percent));
        json_object_set_new(level, "latency_ns", json_null());
        json_object_set_new(level, "byte_ns", json_null());
        if (tolerance->has_latency)
            set_count(level, "latency_ns", tolerance->latency_ns);
        if (tolerance->has_byte)
            json_object_set_new(level, "byte_ns", json_real((double)tolerance->byte_fs / 1e6));
        json_array_append_new(levels, level);
    }
    json_object_set_new(object, "levels", levels);
    return object;
}

/// Frees CHANGES.
static json_t *rows(struct changes changes, const char *key)
{
    json_t *array = json_array();
    for (size_t i = 0; i < changes.n; i++) {
        const struct change *change = &changes.items[i];
        json_t *object = json_object();
        json_object_set_new(object, key, json_string(change->name));
        json_object_set_new(object, "before_ns", json_integer(change->measured_ns));
        json_object_set_new(object, "predicted_ns", json_integer(change->predicted_ns));
        json_array_append_new(array, object);
    }
    changes_release(&changes);
    return array;
}

/// What is different in a single prediction, and why (changes.c).
static json_t *json_changes(const struct whatif_report *report, const struct result *measured)
{
    bool is_measured;
    const struct result *base = whatif_base(report, measured, &is_measured);
    const struct result *predicted = &report->predicted;
    json_t *object = json_object();
    char *why = changes_summary(base, predicted);
    json_object_set_new(object, "against", json_string(is_measured ? "measured" : "unchanged"));
    json_object_set_new(object, "why", json_string(why));
    json_object_set_new(object, "critical_path",
                        rows(changes_of_critical_path(base, predicted), "region"));
    json_object_set_new(object, "time", rows(changes_of_time(base, predicted), "where"));
    json_object_set_new(object, "wait_states",
                        rows(changes_of_waits(base, predicted), "wait_state"));
    json_object_set_new(object, "call_paths", rows(changes_of_call_paths(base, predicted), "path"));
    free(why);
    return object;
}

json_t *json_whatif(const struct whatif_report *report, const struct result *measured)
{
    json_t *object = json_object();
    set_count(object, "baseline_ns", report->baseline_ns);
    set_count(object, "replayed_ns", report->replayed_ns);
    json_object_set_new(object, "replay_error",
                        json_real(whatif_change(report->baseline_ns, report->replayed_ns)));
    set_count(object, "lost_ns", report->lost_ns);
    json_object_set_new(object, "change", json_string(report->change));
    json_object_set_new(object, "cores", json_string(report->sharing));
    json_t *notes = json_array();
    for (size_t i = 0; i < report->n_notes; i++)
        json_array_append_new(notes, json_string(report->notes[i]));
    json_object_set_new(object, "assumptions", notes);
    if (report->is_list) {
        json_object_set_new(object, "points", point_array(report));
        return object;
    }
    const struct whatif_point *point = &report->points[0];
    put_answer(object, report, point);
    put_quality(object, point);
    put_moves(object, report, point);
    put_dynamic(object, point);
    json_object_set_new(object, "ranks", rank_array(point));
    if (point->is_timeless)
        json_object_set_new(object, "timeless", timeless_object(point));
    if (report->n_tolerances > 0)
        json_object_set_new(object, "tolerance", tolerance_object(report));
    if (report->has_predicted) {
        json_object_set_new(object, "critical_path", critical_path_object(&report->predicted));
        json_object_set_new(object, "patterns", pattern_array(&report->predicted));
        json_object_set_new(object, "changes", json_changes(report, measured));
    }
    return object;
}

// SPDX-License-Identifier: BSD-3-Clause
// Predictions as JSON: one object, or with a list option an array of points.

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/changes.h"
#include "analyzer/result/whatif.h"

static json_t *rank_object(const struct whatif_point *of, size_t i)
{
    const struct whatif_rank *rank = &of->ranks[i];
    return JSON_OBJECT({"rank", json_count(i)}, JSON_STRING(rank, node),
                       JSON_COUNT(rank, finish_ns), JSON_COUNT(rank, busy_ns),
                       JSON_COUNT(rank, shared_ns), JSON_COUNT(rank, wait_ns),
                       JSON_COUNT(rank, overhead_ns));
}

static json_t *left_out_object(const struct simulated_left_out *left_out)
{
    return JSON_OBJECT({"messages", json_count(left_out->n_messages)},
                       {"resized_messages", json_count(left_out->n_resized)},
                       {"collectives", json_count(left_out->n_collectives)},
                       {"partly", json_count(left_out->n_partly)});
}

static json_t *collectives_object(const struct collective_use *use)
{
    return JSON_OBJECT({"by_algorithm", json_count(use->n_carried_out)},
                       {"multicasts", json_count(use->n_multicasts)},
                       {"without_multicast", json_count(use->n_by_tree)},
                       JSON_COUNT(use, switch_wait_ns));
}

/// The answer, and what it rests on.
static void put_answer(json_t *object, const struct whatif_report *report,
                       const struct whatif_point *point)
{
    struct expected_time expected = whatif_expected(report, point);
    JSON_PUT(
        object, JSON_COUNT(point, predicted_ns),
        {"expected", point->is_timeless && !expected.is_by_past_errors ? json_null()
                                                                       : json_expected(&expected)},
        {"reliability", json_string(whatif_reliability_names[whatif_reliability(report, point)])},
        {"window", JSON_OBJECT({"begin_ns", json_count(point->window_begin_ns)},
                               {"end_ns", json_count(point->window_end_ns)})},
        {"message_times", json_count(point->message_times.n_flights)},
        {"interpolated", json_count(point->message_times.n_interpolated)},
        {"forced_calls", json_count(point->n_forced)},
        {"left_out", point->leaves_out ? left_out_object(&point->left_out) : NULL},
        JSON_COUNT(point, hand_over_ns),
        {"relocations", point->has_phases ? json_count(point->n_relocated) : NULL},
        {"relocation_ns", point->has_phases ? json_count(point->relocated_ns) : NULL},
        {"transfers", json_count(point->transfers.n_messages)},
        {"delayed_transfers", json_count(point->transfers.n_delayed)},
        {"transfer_wait_ns", json_count(point->transfers.delayed_ns)},
        {"collectives",
         point->collectives.n_carried_out > 0 ? collectives_object(&point->collectives) : NULL});
}

static json_t *move_object(const struct whatif_move *move)
{
    return JSON_OBJECT({"move", json_string(move->text)}, JSON_COUNT(move, moved_ns),
                       {"messages", json_count(move->n_messages)}, JSON_COUNT(move, stayed_ns));
}

/// Of a point with moves of work: what was moved, and the other algorithm's result.
static void put_moves(json_t *object, const struct whatif_report *report,
                      const struct whatif_point *point)
{
    for (size_t i = 0; i < point->n_bounds; i++)
        JSON_PUT(object, {point->bounds[i].key, json_count(point->bounds[i].value)});
    if (point->n_bounds > 0)
        JSON_PUT(object, {"is_upper_bound", json_boolean(point->n_held == 0)},
                 {"held_calls", json_count(point->n_held)});
    if (point->n_moves == 0)
        return;
    JSON_PUT(object, {"moves", JSON_EACH(k, point->n_moves, move_object(&point->moves[k]))},
             {"algorithm", json_string("general")},
             {"client_server",
              JSON_OBJECT({"path_ns", json_count(point->client_server_ns)},
                          {"in_turn_path_ns", json_count(point->in_turn_ns)},
                          {"unchanged_path_ns", json_count(point->unchanged_ns)},
                          {"predicted_ns", json_count(whatif_client_server_ns(report, point))})});
}

static json_t *farm_object(const struct whatif_farm *farm)
{
    return JSON_OBJECT(
        JSON_TEXT_OR_NULL(farm, policy), {"workers", json_count(farm->n_workers)},
        {"recorded_workers", json_count(farm->n_recorded)}, JSON_COUNT(farm, master),
        {"cores", json_count(farm->n_cores)}, {"tasks", json_count(farm->n_tasks)},
        {"phases", json_count(farm->n_phases)}, {"recorded_ns", json_count(farm->replayed_ns)},
        {"measured_ns", json_count(farm->recorded_ns)}, JSON_COUNT(farm, modelled_ns),
        JSON_COUNT(farm, predicted_ns),
        {"model_error", json_real(whatif_change(farm->recorded_ns, farm->modelled_ns))});
}

static json_t *rebalancing_object(const struct whatif_rebalancing *balancing)
{
    return JSON_OBJECT(JSON_STRING(balancing, policy), {"spans", json_count(balancing->n_spans)},
                       JSON_COUNT(balancing, before_ns), JSON_COUNT(balancing, after_ns),
                       {"migrations", json_count(balancing->n_migrations)},
                       JSON_COUNT(balancing, moved_ns), JSON_COUNT(balancing, transfer_ns));
}

static json_t *rule_object(const struct whatif_rule *rule)
{
    return JSON_OBJECT(JSON_STRING(rule, region), {"visits", json_count(rule->n_visits)},
                       {"work", json_count(rule->work_units)}, JSON_COUNT(rule, time_ns));
}

static json_t *timeless_object(const struct whatif_point *point)
{
    return JSON_OBJECT({"rules", JSON_EACH(i, point->n_rules, rule_object(&point->rules[i]))},
                       {"visits", json_count(point->n_visits)},
                       {"without_cost", json_count(point->n_without_rule)},
                       {"without_work", json_count(point->n_without_work)},
                       JSON_TEXT_OR_NULL(point, unused_rules));
}

static json_t *draws_object(const struct whatif_draws *draws)
{
    return JSON_OBJECT({"count", json_count(draws->n)}, JSON_COUNT(draws, seed),
                       {"least_ns", json_count(draws->times_ns[0])},
                       {"median_ns", json_count(whatif_draws_below(draws, 50))},
                       {"below_95_ns", json_count(whatif_draws_below(draws, 95))},
                       {"most_ns", json_count(draws->times_ns[draws->n - 1])});
}

static json_t *slowdown_object(const struct whatif_slowdown *slowdown)
{
    bool is_compared = slowdown->is_compared;
    return JSON_OBJECT(
        JSON_STRING(slowdown, file), {"regions", json_count(slowdown->n_regions)},
        {"regions_in_run", json_count(slowdown->n_here)},
        {"beyond_points", json_boolean(slowdown->goes_beyond)},
        {"predicted_without_ns", is_compared ? json_count(slowdown->without_ns) : json_null()},
        JSON_COUNT(slowdown, work_ns),
        {"work_without_ns", is_compared ? json_count(slowdown->without_work_ns) : json_null()});
}

/// All of a point; its ranks only where it is the only one.
static json_t *put_point(json_t *object, const struct whatif_report *report,
                         const struct whatif_point *point)
{
    put_answer(object, report, point);
    put_moves(object, report, point);
    bool has_farm = point->farm.n_workers > 0, is_rebalanced = point->rebalancing.policy;
    return JSON_PUT(
        object, {"recording_ns", point->is_untraced ? json_count(point->recording_ns) : NULL},
        {"draws", point->draws.n > 0 ? draws_object(&point->draws) : NULL},
        {"slowdown", point->slowdown.file ? slowdown_object(&point->slowdown) : NULL},
        {"farm", has_farm ? farm_object(&point->farm) : NULL},
        {"rebalancing", is_rebalanced ? rebalancing_object(&point->rebalancing) : NULL},
        {"ranks", report->is_list ? NULL : JSON_EACH(i, point->n_ranks, rank_object(point, i))},
        {"timeless", point->is_timeless ? timeless_object(point) : NULL});
}

static json_t *point_object(const struct whatif_report *report, const struct whatif_point *point)
{
    json_t *set = json_object();
    for (size_t s = 0; s < point->n_set; s++)
        JSON_PUT(set, {point->set[s].name, json_string(point->set[s].value)});
    return put_point(JSON_OBJECT({"set", set}), report, point);
}

static json_t *pattern_object(const struct result_pattern *pattern)
{
    if (!pattern->is_evaluated)
        return JSON_OBJECT(JSON_STRING(pattern, id), {"count", json_null()},
                           {"total_ns", json_null()});
    return JSON_OBJECT(JSON_STRING(pattern, id), JSON_COUNT(pattern, count),
                       JSON_COUNT(pattern, total_ns));
}

static json_t *region_object(const struct result *result, const struct result_path_share *share)
{
    return JSON_OBJECT({"region", json_string(result->regions[share->region].name)},
                       JSON_INTEGER(share, time_ns), JSON_REAL(share, share));
}

static json_t *tolerance_object(const struct whatif_tolerance *tolerance)
{
    return JSON_OBJECT(
        JSON_REAL(tolerance, percent),
        {"latency_ns", tolerance->has_latency ? json_count(tolerance->latency_ns) : json_null()},
        {"byte_ns",
         tolerance->has_byte ? json_real((double)tolerance->byte_fs / 1e6) : json_null()});
}

/// Frees CHANGES.
static json_t *rows(struct changes changes, const char *key)
{
    json_t *array = json_array();
    for (size_t i = 0; i < changes.n; i++) {
        const struct change *change = &changes.items[i];
        json_array_append_new(array, JSON_OBJECT({key, json_string(change->name)},
                                                 {"before_ns", json_integer(change->measured_ns)},
                                                 JSON_INTEGER(change, predicted_ns)));
    }
    changes_release(&changes);
    return array;
}

/// What is different in a single prediction, and why (changes.c).
static json_t *changes_object(const struct whatif_report *report, const struct result *measured)
{
    const struct result *base = whatif_base_result(report, measured);
    const struct result *predicted = &report->predicted;
    SCOPED char *why = changes_summary(base, predicted);
    return JSON_OBJECT({"against", json_string(whatif_base_names[whatif_base(report)])},
                       {"why", json_string(why)},
                       {"critical_path", rows(changes_of_critical_path(base, predicted), "region")},
                       {"time", rows(changes_of_time(base, predicted), "where")},
                       {"wait_states", rows(changes_of_waits(base, predicted), "wait_state")},
                       {"call_paths", rows(changes_of_call_paths(base, predicted), "path")});
}

json_t *json_whatif(const struct whatif_report *report, const struct result *measured)
{
    const struct result *predicted = &report->predicted;
    json_t *object = JSON_OBJECT(
        JSON_COUNT(report, baseline_ns), JSON_COUNT(report, replayed_ns),
        {"untraced_ns", report->untraced_ns > 0 ? json_count(report->untraced_ns) : NULL},
        {"replay_error", json_real(whatif_change(report->baseline_ns, report->replayed_ns))},
        {"past_errors", json_past_errors(&report->errors)}, JSON_COUNT(report, lost_ns),
        JSON_STRING(report, change), {"cores", json_string(report->sharing)},
        {"assumptions", JSON_EACH(i, report->n_notes, json_string(report->notes[i]))});
    if (report->is_list)
        return JSON_PUT(object, {"points", JSON_EACH(i, report->n_points,
                                                     point_object(report, &report->points[i]))});
    put_point(object, report, &report->points[0]);
    if (report->n_tolerances > 0)
        JSON_PUT(
            object,
            {"tolerance",
             JSON_OBJECT({"scope", json_string(report->tolerates_everywhere ? "all" : "network")},
                         {"predictions", json_count(report->n_tolerance_runs)},
                         {"levels", JSON_EACH(k, report->n_tolerances,
                                              tolerance_object(&report->tolerances[k]))})});
    const struct whatif_parts *parts = &report->network_parts;
    if (parts->is_known)
        JSON_PUT(object, {"network_parts", JSON_OBJECT(JSON_COUNT(parts, no_network_ns),
                                                       JSON_INTEGER(parts, latency_ns),
                                                       JSON_INTEGER(parts, bandwidth_ns),
                                                       JSON_INTEGER(parts, contention_ns))});
    if (report->has_predicted)
        JSON_PUT(object,
                 {"critical_path",
                  JSON_OBJECT(JSON_INTEGER(&predicted->critical_path, length_ns),
                              {"regions",
                               JSON_EACH(k, predicted->critical_path.n_by_region,
                                         region_object(predicted,
                                                       &predicted->critical_path.by_region[k]))})},
                 {"patterns",
                  JSON_EACH(k, predicted->n_patterns, pattern_object(&predicted->patterns[k]))},
                 {"changes", changes_object(report, measured)});
    return object;
}

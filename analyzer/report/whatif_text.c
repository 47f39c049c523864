// SPDX-License-Identifier: BSD-3-Clause
// The report on predictions: run time, ranks, wait states and critical path of both runs.
#include "analyzer/report/report.h"

#include <inttypes.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/views/views.h"
#include "analyzer/result/changes.h"

enum { LEAST_ROWS = 4 }; // of a table, before those where nothing changes are left out
static const double least_factor = 1.1;  // that is named
static const double worth_naming = 0.01; // of the run time, or of all ranks' together

/// "+12.3 %", as a share of the measured time.
static struct quantity change_of(uint64_t measured_ns, uint64_t predicted_ns)
{
    if (measured_ns == predicted_ns)
        return (struct quantity){"0.0 %"};
    if (measured_ns == 0)
        return (struct quantity){"new"};
    return quantity_format("%+.1f %%", 100 * whatif_change(measured_ns, predicted_ns));
}

/// What is said of one prediction only says so in a list of them.
static const char *of_first(const struct whatif_report *report)
{
    return report->is_list ? " (the first prediction)" : "";
}

// ---- what was asked for: moves of work, estimates of task farms and of load balancing

static void print_move(const struct page *page, const char *label, const struct whatif_move *move)
{
    page_labelled(page, label, "%s: %s of process time, with %s%s%s%s", move->text,
                  quantity_time(move->moved_ns).text,
                  quantity_count(move->n_messages, "message").text,
                  move->stayed_ns == 0 ? "" : "; ",
                  move->stayed_ns == 0 ? "" : quantity_time(move->stayed_ns).text,
                  move->stayed_ns == 0 ? "" : " of FROM in the region does not serve TO and stays");
}

/// What the algorithms differ by: EARLY_NS for one reason, REST_NS for all others.
static void print_difference(const struct page *page, int64_t early_ns, int64_t rest_ns)
{
    if (early_ns != 0)
        page_labelled(page, "",
                      "the prediction differs by %s because moved work begins after its message "
                      "has arrived, not while its rank waits for it",
                      quantity_signed_time(early_ns).text);
    if (rest_ns != 0)
        page_labelled(page, "",
                      "it differs by %s because it includes messages, collectives, cores, and "
                      "work across several messages",
                      quantity_signed_time(rest_ns).text);
}

static void print_moves(const struct page *page, const struct whatif_report *report,
                        const struct whatif_point *point)
{
    for (size_t i = 0; i < point->n_bounds; i++)
        page_labelled(page,
                      i > 0               ? ""
                      : point->n_held > 0 ? "Overlap"
                                          : "Upper bound",
                      "%s%s", point->bounds[i].sentence,
                      report->is_list ? " (the first prediction)" : "");
    for (size_t i = 0; i < point->n_moves; i++)
        print_move(page, i == 0 ? "Moved" : "", &point->moves[i]);
    if (point->n_moves == 0)
        return;
    if (report->is_list) {
        page_labelled(page, "Client/server",
                      "what the published algorithm for client/server programs says; what is "
                      "predicted is by the general algorithm");
        return;
    }
    uint64_t other_ns = whatif_client_server_ns(report, point);
    page_labelled(page, "Client/server",
                  "%s by the published algorithm for client/server programs: its path "
                  "of process time is %s with the move, %s without; what is predicted "
                  "here is by the general algorithm",
                  quantity_time(other_ns).text, quantity_time(point->client_server_ns).text,
                  quantity_time(point->unchanged_ns).text);
    int64_t early_ns = (int64_t)point->in_turn_ns - (int64_t)point->client_server_ns;
    print_difference(page, early_ns, (int64_t)point->predicted_ns - (int64_t)other_ns - early_ns);
}

/// A policy's name, and what it says of itself.
static void print_policy(const struct page *page, const char *name, const char *summary)
{
    page_labelled(page, "", "policy %s%s%s", name, summary[0] ? ": " : "", summary);
}

static void print_farm(const struct page *page, const struct whatif_farm *farm, bool is_list)
{
    struct quantity cores = quantity_count(farm->n_cores, "core");
    const char *on = farm->n_cores == 0 ? "each rank on a core of its own" : "on ";
    page_labelled(page, "Task farm", "rank %" PRIu32 " hands out %s to %s, %s", farm->master,
                  quantity_count(farm->n_tasks, "task").text,
                  quantity_count(farm->n_recorded, "worker").text,
                  quantity_time(farm->recorded_ns).text);
    const char *dealt = farm->policy ? "" : "each task to the next free worker, ";
    if (is_list)
        page_labelled(page, "", "%s%s%s", dealt, on, farm->n_cores == 0 ? "" : cores.text);
    else
        page_labelled(page, "", "with %s %s, %s%s%s",
                      quantity_count(farm->n_workers, "worker").text,
                      quantity_time(farm->predicted_ns).text, dealt, on,
                      farm->n_cores == 0 ? "" : cores.text);
    if (farm->policy && !is_list)
        print_policy(page, farm->policy, farm->summary);
    page_labelled(page, "Model error", "%+.2f %% (with the recorded %s the model gives %s)",
                  100 * whatif_change(farm->recorded_ns, farm->modelled_ns),
                  quantity_count(farm->n_recorded, "worker").text,
                  quantity_time(farm->modelled_ns).text);
}

static void print_rebalancing(const struct page *page, const struct whatif_rebalancing *balancing,
                              bool is_list)
{
    page_labelled(page, "Rebalancing",
                  "%s of work handed over in %s, each %s on its way, in %s between two "
                  "meetings of all ranks",
                  quantity_time(balancing->moved_ns).text,
                  quantity_count(balancing->n_migrations, "migration").text,
                  quantity_time(balancing->transfer_ns).text,
                  quantity_count(balancing->n_spans, "span").text);
    page_labelled(page, "", "the longest work of each span: %s in sum, %s after balancing",
                  quantity_time(balancing->before_ns).text,
                  quantity_time(balancing->after_ns).text);
    if (!is_list)
        print_policy(page, balancing->policy, balancing->summary);
    page_labelled(page, "Estimate",
                  "computing is assumed to be divisible and movable; messages between "
                  "ranks stay as they were");
}

static void print_estimate(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_point *point = &report->points[0];
    if (point->farm.n_workers > 0)
        print_farm(page, &point->farm, report->is_list);
    if (point->rebalancing.policy)
        print_rebalancing(page, &point->rebalancing, report->is_list);
}

/// VALUE in the first of three units, each a thousand times the one before, that suits it.
static void add_cell(struct table *table, double value, const char *const units[3])
{
    int unit = 0;
    for (; unit < 2 && value >= 999.5; unit++)
        value /= 1000;
    table_add_cell(table, "%.3g %s", value, units[unit]);
}

/// The time of a byte, and the bandwidth of a link that takes it.
static void add_byte_cells(struct table *table, const struct whatif_tolerance *tolerance)
{
    static const char *const times[] = {"ps", "ns", "us"};
    static const char *const bandwidths[] = {"MB/s", "GB/s", "TB/s"};
    if (!tolerance->has_byte || tolerance->byte_fs == 0) {
        table_add_cell(table, "%s", tolerance->has_byte ? "none" : "any");
        table_add_cell(table, "%s", tolerance->has_byte ? "-" : "any");
        return;
    }
    add_cell(table, (double)tolerance->byte_fs / 1e3, times);
    add_cell(table, 1e9 / (double)tolerance->byte_fs, bandwidths);
}

static void print_tolerance(const struct page *page, const struct whatif_report *report)
{
    struct table table = {0};
    if (report->n_tolerances == 0)
        return;
    table_add_columns(&table, "until", "more latency", "or more a byte", "(a link of)");
    for (size_t i = 0; i < report->n_tolerances; i++) {
        const struct whatif_tolerance *tolerance = &report->tolerances[i];
        table_add_cells(&table, quantity_format("%+g %%", tolerance->percent).text,
                        tolerance->has_latency ? quantity_time(tolerance->latency_ns).text : "any");
        add_byte_cells(&table, tolerance);
    }
    SCOPED char *text =
        memory_format("of %s, within 1 %%; collectives: log2(p) times that; found by %zu "
                      "predictions",
                      report->tolerates_everywhere ? "every message, all being on one node"
                                                   : "each message between nodes",
                      report->n_tolerance_runs);
    page_heading(page, "Tolerance of the predicted run", text);
    page_table(page, &table);
}

static void add_part(struct table *table, const struct page *page, uint64_t whole_ns,
                     const char *name, int64_t ns)
{
    table_add_cell(table, "%s", quantity_in(ns, page->unit).text);
    table_add_cell(table, "%s", quantity_part((double)ns, (double)whole_ns).text);
    table_add_cell(table, "%s", name);
}

static void print_network_parts(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_parts *parts = &report->network_parts;
    uint64_t whole_ns = report->points[0].predicted_ns;
    struct table table = {0};
    if (!parts->is_known)
        return;
    table_add_columns(&table, "time", "share", "<part");
    add_part(&table, page, whole_ns, "computing and waiting, if messages took no time",
             (int64_t)parts->no_network_ns);
    add_part(&table, page, whole_ns, "latency, and what a message costs its ranks",
             parts->latency_ns);
    add_part(&table, page, whole_ns, "bandwidth", parts->bandwidth_ns);
    add_part(&table, page, whole_ns, "contention: messages that hinder each other",
             parts->contention_ns);
    page_heading_of_times(page, "Parts of the predicted run", "what each adds to those above it");
    page_table(page, &table);
}

// ---- what the prediction rests on

static void print_collectives(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_point *point = &report->points[0];
    if (point->collectives.n_carried_out == 0)
        return;
    page_labelled(page, "Collectives", "%s carried out by an algorithm, as messages%s",
                  quantity_count(point->collectives.n_carried_out, "operation").text,
                  of_first(report));
    if (point->collectives.n_multicasts > 0)
        page_labelled(page, "", "%s by the hardware, which waited %s for the root switch",
                      quantity_count(point->collectives.n_multicasts, "multicast").text,
                      quantity_time(point->collectives.switch_wait_ns).text);
    if (point->collectives.n_by_tree > 0)
        page_labelled(page, "", "%s by messages, because their nodes are not in a row",
                      quantity_count(point->collectives.n_by_tree, "operation").text);
}

static void print_left_out(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_point *point = &report->points[0];
    uint64_t n = point->left_out.n_messages + point->left_out.n_resized +
                 point->left_out.n_collectives + point->left_out.n_partly;
    if (n == 0)
        page_labelled(page, "Left out", "nothing: the run has no such messages or operations");
    else
        page_labelled(page, "Left out", "%s not sent, %" PRIu64 " with another size; %s%s",
                      quantity_count(point->left_out.n_messages, "message").text,
                      point->left_out.n_resized,
                      quantity_count(point->left_out.n_collectives, "collective operation").text,
                      of_first(report));
    if (point->left_out.n_partly == 0)
        return;
    page_labelled(page, "",
                  "and %" PRIu64 " more by some of their members only: the others still "
                  "wait for all",
                  point->left_out.n_partly);
}

/// What the prediction leaves out of what recording cost.
static void print_untraced(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_point *point = &report->points[0];
    uint64_t busy_ns = 0;
    for (size_t i = 0; i < point->n_ranks; i++)
        busy_ns += point->ranks[i].busy_ns;
    page_labelled(
        page, "Recording",
        "took %s of the ranks' computing, %s, by the tracer's estimate; the "
        "prediction leaves it out%s%s",
        quantity_time(point->recording_ns).text,
        quantity_part((double)point->recording_ns, (double)(busy_ns + point->recording_ns)).text,
        report->untraced_ns > 0 ? ", --traced keeps it" : "", of_first(report));
}

/// The recorded run without what recording cost, which predictions without it are compared with.
static void print_untraced_run(const struct page *page, const struct whatif_report *report)
{
    if (report->untraced_ns > 0)
        page_labelled(page, "Untraced",
                      "%s (%s), predicted without the recording's cost. Changes are relative to "
                      "it.",
                      quantity_time(report->untraced_ns).text,
                      change_of(report->baseline_ns, report->untraced_ns).text);
}

/// What of the prediction is learned from other runs.
static void print_slowdown(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_slowdown *slowdown = &report->points[0].slowdown;
    if (slowdown->is_compared)
        page_labelled(
            page, "Slowdown",
            "without %s %s would be predicted (%s): ranks compute for %s instead of %s, because "
            "other numbers of ranks share caches and memory%s",
            slowdown->file, quantity_time(slowdown->without_ns).text,
            change_of(whatif_base_ns(report), slowdown->without_ns).text,
            quantity_time(slowdown->work_ns).text, quantity_time(slowdown->without_work_ns).text,
            of_first(report));
    page_labelled(page, slowdown->is_compared ? "" : "Slowdown",
                  "of the %s in %s this run has %" PRIu32 "; other computing keeps its time",
                  quantity_count(slowdown->n_regions, "region").text, slowdown->file,
                  slowdown->n_here);
    if (slowdown->goes_beyond)
        page_labelled(page, "",
                      "ranks share cores with fewer or more others than it was learned with: there "
                      "the nearest factor counts");
}

static void print_replay_error(const struct page *page, const struct whatif_report *report)
{
    page_labelled(page, "Replay error", "%+.2f %% (with nothing changed %s would be predicted)",
                  100 * whatif_change(report->baseline_ns, report->replayed_ns),
                  quantity_time(report->replayed_ns).text);
    if (whatif_base(report) == WHATIF_UNCHANGED)
        page_labelled(
            page, "",
            "above 1 %%: the tables below compare with the unchanged prediction, not with "
            "the measured run");
    const char *disturbed = result_warning_text(page->result, "disturbed-recording");
    if (disturbed)
        page_labelled(page, "Disturbed", "%s", disturbed);
    double rank_time_ns = (double)report->baseline_ns * (double)page->result->n_ranks;
    if (!disturbed && !report->was_shared && (double)report->lost_ns > worth_naming * rank_time_ns)
        page_labelled(
            page, "",
            "in the recording ranks had no CPU time for %s of their time, although each had a "
            "core: "
            "other "
            "programs used it, or ranks slept or waited for files; the prediction is a run without "
            "that",
            quantity_part((double)report->lost_ns, rank_time_ns).text);
}

/// Why no past errors tell how right the prediction is.
static void print_without_past(const struct page *page, const struct whatif_report *report)
{
    const struct past_errors *errors = &report->errors;
    const char *known = report->points[0].is_timeless
                            ? "nothing tells how far off the prediction is"
                            : "only the replay error tells how far off the prediction is";
    if (errors->coverage > 0)
        return;
    if (!errors->kind)
        page_labelled(page, "Past errors", "not looked up (--errors FILE): %s", known);
    else
        page_labelled(page, "Past errors", "too few, of %s with %s: %s",
                      quantity_count(errors->n, "past prediction").text, errors->kind, known);
}

/// What a prediction by order only rests on.
static void print_timeless(const struct page *page, const struct whatif_point *point)
{
    page_labelled(page, "Timeless",
                  "only the trace's order of events counts, none of its times; %s of %s cost "
                  "nothing, because "
                  "no <compute> fits",
                  quantity_part((double)point->n_without_rule, (double)point->n_visits).text,
                  quantity_count(point->n_visits, "region visit").text);
    for (size_t i = 0; i < point->n_rules; i++) {
        const struct whatif_rule *rule = &point->rules[i];
        if (rule->n_visits == 0)
            continue;
        page_labelled(page, "", "%s: %s of work, %s in %s", rule->region,
                      quantity_count(rule->work_units, "unit").text,
                      quantity_time(rule->time_ns).text,
                      quantity_count(rule->n_visits, "visit").text);
    }
    if (point->n_without_work > 0)
        page_labelled(page, "", "%s without the work count that the formula uses, taken as 0",
                      quantity_count(point->n_without_work, "visit").text);
    if (point->unused_rules)
        page_labelled(page, "", "no region of the run fits the <compute> of %s",
                      point->unused_rules);
}

static struct quantity interpolated_of(const struct whatif_point *point)
{
    return quantity_part((double)point->message_times.n_interpolated,
                         (double)point->message_times.n_flights);
}

/// Whether the predictions of a list interpolate different numbers of message times.
static bool have_own_shares(const struct whatif_report *report)
{
    const struct whatif_point *points = report->points;
    size_t i = 1;
    while (i < report->n_points &&
           points[i].message_times.n_flights == points[0].message_times.n_flights &&
           points[i].message_times.n_interpolated == points[0].message_times.n_interpolated)
        i++;
    return i < report->n_points;
}

static void print_quality(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_point *first = &report->points[0];
    if (first->is_timeless)
        print_timeless(page, first);
    else
        print_replay_error(page, report);
    print_without_past(page, report);
    if (first->message_times.n_flights > 0 && !have_own_shares(report))
        page_labelled(page, "Interpolated", "%s of %s", interpolated_of(first).text,
                      quantity_count(first->message_times.n_flights, "message time").text);
    print_collectives(page, report);
    page_labelled(page, "Cores", "%s", report->sharing);
    if (first->hand_over_ns > 0)
        page_labelled(page, "", "%s of context switches, summed over the ranks%s",
                      quantity_time(first->hand_over_ns).text, of_first(report));
    if (first->has_phases)
        page_labelled(page, "", "%s of a rank to another node, %s altogether%s",
                      quantity_count(first->n_relocated, "move").text,
                      quantity_time(first->relocated_ns).text, of_first(report));
    for (size_t i = 0; i < report->n_notes; i++)
        page_labelled(page, i == 0 ? "Assumed" : "", "%s", report->notes[i]);
    if (first->transfers.n_messages > 0)
        page_labelled(
            page, "Contention", "%" PRIu64 " of %s waited for links or buses, %s altogether%s",
            first->transfers.n_delayed, quantity_count(first->transfers.n_messages, "message").text,
            quantity_time(first->transfers.delayed_ns).text, of_first(report));
    if (first->slowdown.file)
        print_slowdown(page, report);
    page_labelled(page, "Not modelled", "memory contention inside a node%s",
                  first->slowdown.file ? ", except as learned" : "");
    if (report->threads)
        page_labelled(page, "", "%s", report->threads);
    if (first->leaves_out)
        print_left_out(page, report);
    if (first->is_untraced)
        print_untraced(page, report);
    uint64_t n_forced = 0;
    for (size_t i = 0; i < report->n_points; i++)
        n_forced += report->points[i].n_forced;
    if (n_forced > 0)
        page_labelled(page, "Deadlock",
                      "%s would have waited for ever; the prediction goes on without the partner",
                      quantity_count(n_forced, "call").text);
}

static void add_expected(struct table *table, const struct page *page,
                         struct expected_time expected)
{
    table_add_cells(table, page_time(page, expected.low_ns).text,
                    page_time(page, expected.high_ns).text);
}

/// Between which times the run is expected, by past errors; of a list its table says it.
static void print_expected(const struct page *page, const struct whatif_report *report)
{
    struct expected_time expected = whatif_expected(report, &report->points[0]);
    if (!expected.is_by_past_errors ||
        whatif_reliability(report, &report->points[0]) == WHATIF_NONE)
        return;
    SCOPED char *text = past_errors_text(&report->errors);
    if (report->is_list)
        page_labelled(page, "Expected", "from .. to of each prediction %s", text);
    else
        page_labelled(page, "Expected", "%s to %s %s", quantity_time(expected.low_ns).text,
                      quantity_time(expected.high_ns).text, text);
}

/// Run times with the noise of the machine.
static void print_draws(const struct page *page, const struct whatif_draws *draws)
{
    if (draws->n == 0)
        return;
    page_labelled(page, "With noise",
                  "95 %% of %zu runs take at most %s, half of them at most %s; from %s to %s",
                  draws->n, quantity_time(whatif_draws_below(draws, 95)).text,
                  quantity_time(whatif_draws_below(draws, 50)).text,
                  quantity_time(draws->times_ns[0]).text,
                  quantity_time(draws->times_ns[draws->n - 1]).text);
}

/// The cells of a row of predictions about that.
static void add_draws(struct table *table, const struct page *page,
                      const struct whatif_draws *draws)
{
    table_add_cells(table, page_time(page, whatif_draws_below(draws, 50)).text,
                    page_time(page, whatif_draws_below(draws, 95)).text);
}

/// A prediction a row; beside it what is of it alone: how much of the change is the options' where
/// the rest is a large replay error, what the other algorithm says of moves, and how many message
/// times are interpolated where that differs.
static void print_points(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_point *first = &report->points[0];
    bool has_past = report->errors.coverage > 0;
    bool has_error =
        whatif_has_large_error(report) && !first->is_timeless && report->untraced_ns == 0;
    bool have_shares = have_own_shares(report);
    size_t n_marked = 0;
    struct table table = {0};
    for (size_t i = 0; i < first->n_set; i++)
        table_add_column(&table, first->set[i].name, false);
    table_add_columns(&table, "predicted", "change");
    if (has_past)
        table_add_columns(&table, "from", "to");
    if (first->draws.n > 0)
        table_add_columns(&table, "50 % below", "95 % below");
    if (has_error)
        table_add_column(&table, "by what is changed", false);
    if (first->slowdown.is_compared)
        table_add_column(&table, "without slowdown", false);
    if (first->n_moves > 0)
        table_add_column(&table, "client/server", false);
    if (have_shares)
        table_add_column(&table, "interpolated", false);
    for (size_t i = 0; i < report->n_points; i++) {
        const struct whatif_point *point = &report->points[i];
        for (size_t s = 0; s < point->n_set; s++)
            table_add_cell(&table, "%s", point->set[s].value);
        table_add_cell(&table, "%s", page_time(page, point->predicted_ns).text);
        enum whatif_reliability reliability = whatif_reliability(report, point);
        n_marked += reliability != WHATIF_GOOD;
        table_add_cell(&table, "%s%s", change_of(whatif_base_ns(report), point->predicted_ns).text,
                       reliability == WHATIF_GOOD ? "" : "?");
        if (has_past)
            add_expected(&table, page, whatif_expected(report, point));
        if (first->draws.n > 0)
            add_draws(&table, page, &point->draws);
        if (has_error)
            table_add_cell(&table, "%s%s", change_of(report->replayed_ns, point->predicted_ns).text,
                           reliability == WHATIF_GOOD ? "" : "?");
        if (first->slowdown.is_compared)
            table_add_cell(&table, "%s", page_time(page, point->slowdown.without_ns).text);
        if (first->n_moves > 0)
            table_add_cell(&table, "%s",
                           page_time(page, whatif_client_server_ns(report, point)).text);
        if (have_shares)
            table_add_cell(&table, "%s", interpolated_of(point).text);
    }
    page_heading_of_times(page, "Predictions",
                          n_marked == 0 ? ""
                          : whatif_reliability(report, first) == WHATIF_NONE
                              ? "?: they say nothing, the replay error is too large"
                              : "?: no more than the replay error, uncertain");
    page_table(page, &table);
}

static void print_ranks(const struct page *page, const struct whatif_point *point)
{
    struct table table = {0};
    table_add_columns(&table, "rank", "<node", "finish", "computing", "no CPU time", "waiting",
                      "other MPI", "measured finish");
    size_t n_shown = page_n_shown(page, point->n_ranks);
    for (size_t i = 0; i < n_shown; i++) {
        const struct whatif_rank *rank = &point->ranks[i];
        const uint64_t times[] = {rank->finish_ns,   rank->busy_ns,
                                  rank->shared_ns,   rank->wait_ns,
                                  rank->overhead_ns, page->result->ranks[i].last_ns};
        table_add_cells(&table, quantity_number(i).text, rank->node);
        for (size_t t = 0; t < sizeof times / sizeof times[0]; t++)
            table_add_cell(&table, "%s", page_time(page, times[t]).text);
    }
    page_heading_of_times(page, "Predicted ranks", "");
    page_table_of(page, &table, point->n_ranks, "rank");
}

static void add_change(struct table *table, const struct page *page, const struct change *change)
{
    table_add_cells(table, page_time(page, change->measured_ns).text,
                    page_time(page, change->predicted_ns).text,
                    page_time(page, change->predicted_ns - change->measured_ns).text,
                    change->shown);
}

/// Rows of CHANGES, and after them TOTAL with what they sum to unless it is NULL; frees CHANGES.
static void print_changes(const struct page *page, struct changes changes, const char *base,
                          const char *heading, const char *explanation, const char *noun,
                          const char *total)
{
    SCOPED_BY(table_release) struct table table = {0};
    table_add_column(&table, base, false);
    table_add_columns(&table, "predicted", "change");
    table_add_column(&table, noun, true);
    size_t n_shown = page_n_shown(page, changes.n);
    while (n_shown > LEAST_ROWS &&
           changes.items[n_shown - 1].measured_ns == changes.items[n_shown - 1].predicted_ns)
        n_shown--;
    struct change sum = {.shown = total}, rest = {.shown = "the rest"};
    for (size_t i = 0; i < changes.n; i++) {
        const struct change *change = &changes.items[i];
        sum.measured_ns += change->measured_ns;
        sum.predicted_ns += change->predicted_ns;
        if (i < n_shown)
            add_change(&table, page, change);
        rest.measured_ns += i < n_shown ? 0 : change->measured_ns;
        rest.predicted_ns += i < n_shown ? 0 : change->predicted_ns;
    }
    if (total && changes.n > n_shown)
        add_change(&table, page, &rest);
    if (total && changes.n > 0)
        add_change(&table, page, &sum);
    page_heading_of_times(page, heading, explanation);
    if (changes.n == 0)
        fprintf(page->stream, "  none in either run\n");
    else
        page_table(page, &table);
    page_left_out(page, changes.n - n_shown, noun, "--top");
    changes_release(&changes);
}

static void print_all_changes(const struct page *page, const struct whatif_report *report)
{
    const struct result *predicted = &report->predicted;
    const struct result *base = whatif_base_result(report, page->result);
    const char *name = whatif_base_names[whatif_base(report)];
    print_changes(page, changes_of_critical_path(base, predicted), name, "Critical path",
                  "what changed most comes first; the changes add up to that of the run time",
                  "region", "run time");
    print_changes(page, changes_of_time(base, predicted), name, "Time of the ranks",
                  "sums over the ranks", "where", "run time x ranks");
    print_changes(page, changes_of_waits(base, predicted), name, "Wait states",
                  "sums over the ranks", "wait state", NULL);
    print_changes(page, changes_of_call_paths(base, predicted), name, "Call paths",
                  "exclusive time, sums over the ranks; those that changed", "call path",
                  "all that changed");
}

/// "1.27 times as fast" where that is worth saying, else nothing; after ", ".
static struct quantity factor_of(uint64_t before_ns, uint64_t predicted_ns)
{
    double factor = predicted_ns > 0 ? (double)before_ns / (double)predicted_ns : 0;
    if (factor < least_factor)
        return (struct quantity){""};
    return quantity_format(", %.2f times as fast", factor);
}

/// ", judged 361.0 ms": of the predicted run, where the head says what that is of the measured one.
static struct quantity judged_text(const struct page *page, const struct whatif_point *point)
{
    if (!page_judges_part(page->result))
        return (struct quantity){""};
    return quantity_format(", judged: %s",
                           quantity_time(point->window_end_ns - point->window_begin_ns).text);
}

/// The predicted time, how it compares, and why.
static void print_answer(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_point *point = &report->points[0];
    struct quantity time = quantity_time(point->predicted_ns);
    struct quantity change = change_of(whatif_base_ns(report), point->predicted_ns);
    enum whatif_reliability reliability = whatif_reliability(report, point);
    if (reliability == WHATIF_NONE) {
        page_labelled(page, "Predicted",
                      "not known: with nothing changed %s would be predicted, %s off the measured "
                      "run, so the %s predicted with the change say nothing",
                      quantity_time(report->replayed_ns).text,
                      change_of(report->baseline_ns, report->replayed_ns).text, time.text);
        return;
    }
    bool is_uncertain = reliability == WHATIF_UNCERTAIN;
    enum whatif_base base = whatif_base(report);
    if (base != WHATIF_UNCHANGED)
        page_labelled(page, "Predicted", "%s (%s)%s%s%s", time.text, change.text,
                      factor_of(whatif_base_ns(report), point->predicted_ns).text,
                      is_uncertain && base == WHATIF_UNTRACED
                          ? ", no more than the replay error: uncertain"
                          : "",
                      judged_text(page, point).text);
    else
        page_labelled(page, "Predicted", "%s (%s)%s; %s by what is changed%s, %s", time.text,
                      change.text, judged_text(page, point).text,
                      change_of(report->replayed_ns, point->predicted_ns).text,
                      factor_of(report->replayed_ns, point->predicted_ns).text,
                      is_uncertain ? "no more than the replay error: uncertain"
                                   : "the rest is the replay error");
    if (!report->has_predicted)
        return;
    SCOPED char *text =
        changes_summary(whatif_base_result(report, page->result), &report->predicted);
    page_labelled(page, "Why", "%s", text);
}

void text_print_whatif(const struct result *measured, const struct whatif_report *report,
                       const struct text_options *options, FILE *stream)
{
    const struct page page = {
        .result = measured,
        .options = options,
        .stream = stream,
        .unit = time_unit_for(measured->time_ns),
        .rank_time_ns = (double)measured->n_ranks * (double)measured->time_ns,
    };
    page_run(&page);
    fputc('\n', stream);
    page_ideal(&page);
    page_labelled(&page, "What if", "%s", report->change);
    page_labelled(&page, "Measured", "%s", quantity_time(report->baseline_ns).text);
    print_untraced_run(&page, report);
    if (!report->is_list)
        print_answer(&page, report);
    if (!report->is_list)
        print_draws(&page, &report->points[0].draws);
    print_expected(&page, report);
    if (measured->has_unreadable_records)
        page_labelled(&page, "Warnings",
                      "parts of the trace were unreadable: this predicts what is left of the run");
    print_moves(&page, report, &report->points[0]);
    print_estimate(&page, report);
    print_quality(&page, report);
    page_warnings(&page, true);
    if (report->is_list) {
        print_points(&page, report);
        return;
    }
    print_tolerance(&page, report);
    print_network_parts(&page, report);
    if (report->points[0].n_ranks > 0)
        print_ranks(&page, &report->points[0]);
    if (report->has_predicted)
        print_all_changes(&page, report);
}

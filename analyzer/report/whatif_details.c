// SPDX-License-Identifier: BSD-3-Clause
// Parts of the report on a prediction: moves of work, estimates of task farms and of load
// balancing, how much slower the network may be.

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/page.h"
#include "analyzer/report/text.h"

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
                      "the prediction differs by %s%s because moved work begins after its message "
                      "has arrived, not while its rank waits for it",
                      early_ns < 0 ? "-" : "", quantity_time((uint64_t)llabs(early_ns)).text);
    if (rest_ns != 0)
        page_labelled(page, "",
                      "it differs by %s%s because it includes messages, collectives, cores, and "
                      "work across several messages",
                      rest_ns < 0 ? "-" : "", quantity_time((uint64_t)llabs(rest_ns)).text);
}

void page_moves(const struct page *page, const struct whatif_report *report,
                const struct whatif_point *point)
{
    for (size_t i = 0; i < point->n_bounds; i++)
        page_labelled(page, i == 0 ? "Upper bound" : "", "%s%s", point->bounds[i].sentence,
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

void page_estimate(const struct page *page, const struct whatif_report *report)
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

void page_tolerance(const struct page *page, const struct whatif_report *report)
{
    struct table table = {0};
    if (report->n_tolerances == 0)
        return;
    table_add_columns(&table, "until", "more latency", "or more a byte", "(a link of)");
    for (size_t i = 0; i < report->n_tolerances; i++) {
        const struct whatif_tolerance *tolerance = &report->tolerances[i];
        table_add_cell(&table, "%+g %%", tolerance->percent);
        table_add_cell(&table, "%s",
                       tolerance->has_latency ? quantity_time(tolerance->latency_ns).text : "any");
        add_byte_cells(&table, tolerance);
    }
    char *text = memory_format("of %s, within 1 %%; collectives: log2(p) times that; found by %zu "
                               "predictions",
                               report->tolerates_everywhere ? "every message, all being on one node"
                                                            : "each message between nodes",
                               report->n_tolerance_runs);
    page_heading(page, "Tolerance of the predicted run", text);
    page_table(page, &table);
    free(text);
}

// SPDX-License-Identifier: BSD-3-Clause
// Parts of the report on a prediction: moves of work, estimates of task farms and of load
// balancing, how much slower the network may be.

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/report/page.h"
#include "analyzer/report/text.h"

static void print_text(const struct page *page, const char *label, char *text)
{
    page_labelled(page, label, text);
    free(text);
}

static void print_move(const struct page *page, const char *label, const struct whatif_move *move)
{
    char *stayed = move->stayed_ns == 0
                       ? memory_copy_text("")
                       : memory_format("; %s of FROM in the region does not serve TO and stays",
                                       quantity_time(move->stayed_ns).text);
    print_text(page, label,
               memory_format("%s: %s of process time, with %s%s", move->text,
                             quantity_time(move->moved_ns).text,
                             quantity_count(move->n_messages, "message").text, stayed));
    free(stayed);
}

/// "-1.2 s"
static char *difference(int64_t ns)
{
    return memory_format("%s%s", ns < 0 ? "-" : "", quantity_time((uint64_t)llabs(ns)).text);
}

/// What the algorithms differ by: EARLY_NS for one reason, REST_NS for all others.
static void print_difference(const struct page *page, int64_t early_ns, int64_t rest_ns)
{
    char *early = difference(early_ns), *rest = difference(rest_ns);
    if (early_ns != 0)
        print_text(page, "",
                   memory_format("the prediction differs by %s because moved work begins after its "
                                 "message has arrived, not while its rank waits for it",
                                 early));
    if (rest_ns != 0)
        print_text(page, "",
                   memory_format("it differs by %s because it includes messages, collectives, "
                                 "cores, and work across several messages",
                                 rest));
    free(early);
    free(rest);
}

void page_moves(const struct page *page, const struct whatif_report *report,
                const struct whatif_point *point)
{
    for (size_t i = 0; i < point->n_bounds; i++)
        print_text(page, i == 0 ? "Upper bound" : "",
                   memory_format("%s%s", point->bounds[i].sentence,
                                 report->is_list ? " (the first prediction)" : ""));
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
    print_text(page, "Client/server",
               memory_format("%s by the published algorithm for client/server programs: its path "
                             "of process time is %s with the move, %s without; what is predicted "
                             "here is by the general algorithm",
                             quantity_time(other_ns).text,
                             quantity_time(point->client_server_ns).text,
                             quantity_time(point->unchanged_ns).text));
    int64_t early_ns = (int64_t)point->in_turn_ns - (int64_t)point->client_server_ns;
    print_difference(page, early_ns, (int64_t)point->predicted_ns - (int64_t)other_ns - early_ns);
}

/// The policy's name, and what it says of itself; the caller frees.
static char *policy_text(const char *name, const char *summary)
{
    return memory_format("policy %s%s%s", name, summary[0] ? ": " : "", summary);
}

static void print_farm(const struct page *page, const struct whatif_farm *farm, bool is_list)
{
    char *cores = farm->n_cores == 0
                      ? memory_copy_text("each rank on a core of its own")
                      : memory_format("on %s", quantity_count(farm->n_cores, "core").text);
    print_text(page, "Task farm",
               memory_format("rank %" PRIu32 " hands out %s to %s, %s", farm->master,
                             quantity_count(farm->n_tasks, "task").text,
                             quantity_count(farm->n_recorded, "worker").text,
                             quantity_time(farm->recorded_ns).text));
    const char *dealt = farm->policy ? "" : "each task to the next free worker, ";
    if (is_list)
        print_text(page, "", memory_format("%s%s", dealt, cores));
    else
        print_text(page, "",
                   memory_format("with %s %s, %s%s", quantity_count(farm->n_workers, "worker").text,
                                 quantity_time(farm->predicted_ns).text, dealt, cores));
    if (farm->policy && !is_list)
        print_text(page, "", policy_text(farm->policy, farm->summary));
    free(cores);
    print_text(page, "Model error",
               memory_format("%+.2f %% (with the recorded %s the model gives %s)",
                             100 * whatif_change(farm->recorded_ns, farm->modelled_ns),
                             quantity_count(farm->n_recorded, "worker").text,
                             quantity_time(farm->modelled_ns).text));
}

static void print_rebalancing(const struct page *page, const struct whatif_rebalancing *balancing,
                              bool is_list)
{
    print_text(page, "Rebalancing",
               memory_format("%s of work handed over in %s, each %s on its way, in %s between two "
                             "meetings of all ranks",
                             quantity_time(balancing->moved_ns).text,
                             quantity_count(balancing->n_migrations, "migration").text,
                             quantity_time(balancing->transfer_ns).text,
                             quantity_count(balancing->n_spans, "span").text));
    print_text(page, "",
               memory_format("the longest work of each span: %s in sum, %s after balancing",
                             quantity_time(balancing->before_ns).text,
                             quantity_time(balancing->after_ns).text));
    if (!is_list)
        print_text(page, "", policy_text(balancing->policy, balancing->summary));
    print_text(
        page, "Estimate",
        memory_copy_text("computing is assumed to be divisible and movable; messages between "
                         "ranks stay as they were"));
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
    table_add_column(&table, "until", false);
    table_add_column(&table, "more latency", false);
    table_add_column(&table, "or more a byte", false);
    table_add_column(&table, "(a link of)", false);
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

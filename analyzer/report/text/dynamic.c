// SPDX-License-Identifier: BSD-3-Clause
// Lines about estimates (dynamic.h).
#include "analyzer/report/text/dynamic.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

static void print_text(const struct page *page, const char *label, char *text)
{
    page_labelled(page, label, text);
    free(text);
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
    const char *dealt = farm->policy ? "" : "each task for whoever is free, ";
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
               memory_format("%+.2f %% (with today's %s the model has %s for it)",
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
               memory_format("their longest works sum to %s, and to %s now",
                             quantity_time(balancing->before_ns).text,
                             quantity_time(balancing->after_ns).text));
    if (!is_list)
        print_text(page, "", policy_text(balancing->policy, balancing->summary));
    print_text(page, "Estimate",
               memory_copy_text("that computing can be divided and done elsewhere is assumed; "
                                "messages between ranks are as they were"));
}

void text_print_dynamic(const struct page *page, const struct whatif_report *report)
{
    const struct whatif_point *point = &report->points[0];
    if (point->farm.n_workers > 0)
        print_farm(page, &point->farm, report->is_list);
    if (point->rebalancing.policy)
        print_rebalancing(page, &point->rebalancing, report->is_list);
}

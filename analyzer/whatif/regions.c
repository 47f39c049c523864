// SPDX-License-Identifier: BSD-3-Clause
// Regions of a plan (see regions.h).
#include "analyzer/whatif/regions.h"

#include <inttypes.h>

#include "analyzer/base/memory.h"

/// One sentence about what is set for a region, given the first time of several.
static void note_work(struct whatif_report *report, const struct scenario *scenario,
                      const struct visits *visits, size_t index)
{
    const struct region_works_item *item = &scenario->works.items[index];
    const char *option = region_patterns_text(scenario->regions, item->pattern);
    struct visits_summary summary = visits_summary(visits, (int32_t)index + 1);
    // A rank that is slow before one call and fast before the next one stays so.
    const char *coarse =
        summary.has_calls ? ". A visit contains MPI calls, and changes by one factor: ranks that "
                            "are slow in turns stay so. A finer region is balanced piece by piece, "
                            "such as \"before CALLS\", the computing that ends with these MPI calls"
                          : "";
    char *text;
    if (!item->is_balanced)
        text = memory_format("%s: the process time of each of %" PRIu64
                             " visits is set; what a visit has between MPI calls keeps its share",
                             option, summary.n_visits);
    else if (summary.is_by_visit)
        text = memory_format("%s: visit by visit, the n-th of each of %" PRIu64
                             " ranks has their mean%s",
                             option, summary.n_locations, coarse);
    else
        text = memory_format("%s: by the totals of %" PRIu64 " ranks, because they %s; every visit "
                             "of a rank changes by the same factor%s",
                             option, summary.n_locations,
                             summary.n_visits > VISITS_MAX_KEPT ? "have too many visits to be kept"
                                                                : "visit it unequally often",
                             coarse);
    whatif_report_note(report, text);
}

/// Whether pattern INDEX is one of --drop-sync or --overlap: calls are meant.
static bool names_calls(const struct scenario *scenario, uint32_t index)
{
    for (size_t i = 0; i < scenario->n_drops; i++)
        if (scenario->drops[i] == index)
            return true;
    for (size_t i = 0; i < scenario->moves.n_overlaps; i++)
        if (scenario->moves.overlaps[i] == index)
            return true;
    return false;
}

/// Functions that were not recorded have the computing before their MPI calls.
static void note_unrecorded(struct whatif_report *report, const struct scenario *scenario,
                            const struct pag_result *replay)
{
    for (uint32_t i = 0; i < region_patterns_count(scenario->regions); i++)
        if (!names_calls(scenario, i) &&
            region_patterns_is_unrecorded(scenario->regions, replay, i))
            whatif_report_note(
                report, memory_format("%s: not recorded as a region; computing before the MPI "
                                      "calls made from it counts as its",
                                      region_patterns_text(scenario->regions, i)));
}

/// What is left out by name may have carried data.
static void note_data(struct whatif_report *report, const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->n_drops; i++)
        if (region_patterns_names_data(scenario->regions, scenario->drops[i]))
            whatif_report_note(
                report, memory_format("%s: operations that carry data are left out too, because "
                                      "they are named themselves",
                                      region_patterns_text(scenario->regions, scenario->drops[i])));
}

int whatif_regions(const struct scenario_settings *settings, struct trace *trace,
                   const struct pag_result *replay, const struct recorded *recorded,
                   struct whatif_report *report, struct visits **visits, struct error *err)
{
    struct scenario scenario = {0};
    *visits = NULL;
    int status = scenario_init(&scenario, trace_definitions(trace), settings, err);
    if (status == 0)
        status = region_patterns_check(scenario.regions, replay, err);
    if (status == 0)
        status = region_works_check(&scenario.works, scenario.regions, err);
    if (status == 0) {
        note_unrecorded(report, &scenario, replay);
        note_data(report, &scenario);
    }
    if (status == 0 && scenario.works.n > 0) {
        *visits = visits_gather(trace, &scenario, recorded, err);
        status = *visits ? 0 : -1;
    }
    for (size_t i = 0; status == 0 && i < scenario.works.n; i++)
        note_work(report, &scenario, *visits, i);
    scenario_release(&scenario);
    return status;
}

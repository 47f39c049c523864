// SPDX-License-Identifier: BSD-3-Clause
// How ranks share cores in predictions, and what is assumed, in words (describe.h).
#include "analyzer/whatif/describe.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/whatif/estimate.h"
#include "analyzer/whatif/machines.h"
#include "analyzer/whatif/predict.h"

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
        text = memory_format(
            "%s, %s; a rank that waits %s", cores,
            scenario->settings->is_sticky ? "each rank stays on one (sticky)"
            : scenario->is_bound          ? "shared by the ranks bound to them"
                                          : "shared by all ranks of the node (fluid)",
            scenario->slice_ns == 0
                ? (scenario->settings->spins ? "keeps its core busy" : "leaves its core")
                : (scenario->settings->spins ? "keeps its core busy, for slices of "
                                             : "leaves its core; slices of "));
    if (scenario->is_shared && scenario->slice_ns > 0) {
        char *start = text;
        text = memory_format("%s%g ms", start, (double)scenario->slice_ns / 1e6);
        free(start);
    }
    free(cores);
    return text;
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

static void describe_cores(struct whatif_report *report, const struct whatif_plan *plan,
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
                                              scenario.settings->is_sticky ? "sticky" : "fluid")
                              : describe_sharing(&scenario);
        note_unused_network(report, plan, &scenario, &machine);
    }
    bool lacks_slices = scenario.is_shared && scenario.settings->spins && scenario.slice_ns == 0;
    scenario_release(&scenario);
    machine_release(&machine);
    report->change = utf8_clean(plan->change);
    const struct scenario_settings unchanged = whatif_nothing_changed(plan);
    if (scenario_init(&scenario, definitions, &unchanged, &err) == 0)
        report->was_shared = scenario.is_shared;
    // The run with nothing changed may need them, too.
    if (lacks_slices || (scenario.is_shared && scenario.settings->spins && scenario.slice_ns == 0))
        whatif_report_note(
            report,
            memory_copy_text("cores are shared in no time at all; but a rank that keeps its "
                             "core busy has it for a slice of time, in which no other rank "
                             "there notices its messages: --slice 4ms is what many Linux "
                             "systems do"));
    scenario_release(&scenario);
    for (size_t i = 0; i < definitions->n_ranks; i++)
        report->has_threads = report->has_threads || definitions->ranks[i].n_locations > 1;
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

void whatif_describe(struct whatif_report *report, const struct whatif_plan *plan,
                     const struct replay_run *measured)
{
    describe_cores(report, plan, trace_definitions(measured->trace));
    note_assumptions(report, plan);
    whatif_note_dealing(report, plan->sets, plan->n_sets, &measured->replay);
    note_members(report, plan, measured->replay.n_ranks);
}

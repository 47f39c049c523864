// SPDX-License-Identifier: BSD-3-Clause
// Facts of the run, ranks, efficiencies, critical path and traffic of a result; call tree, waits,
// warnings and conclusion are built by the files of these names.
#include "analyzer/result/collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/utf8.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/conclusion.h"
#include "analyzer/result/origins.h"
#include "analyzer/result/program_name.h"
#include "analyzer/result/shares.h"
#include "analyzer/result/sites.h"
#include "analyzer/result/sync_objects.h"
#include "analyzer/result/waits.h"
#include "analyzer/result/warnings.h"

static const char *property_value(const struct definitions *definitions, const char *name)
{
    for (size_t i = 0; i < definitions->n_properties; i++)
        if (!strcmp(definitions->properties[i].name, name))
            return definitions->properties[i].value;
    return NULL;
}

/// The traced program as far as the archive tells: our tracer writes the executable's path and the
/// command line, Score-P the executable.
static void put_program(const struct definitions *definitions, struct result *result)
{
    const char *command = property_value(definitions, "PAGODA::PROGRAM");
    const char *executable = property_value(definitions, "PAGODA::EXECUTABLE");
    if (!executable)
        executable = property_value(definitions, "Score-P::EXECUTABLE");
    struct program_name name = program_name_of(executable, command);
    result->program = name.program;
    result->arguments = name.arguments;
}

static void put_facts(const struct collect_input *input, struct result *result)
{
    const struct definitions *definitions = trace_definitions(input->trace);
    const struct pag_result *replay = input->replay;
    result->trace_path = utf8_clean(trace_path(input->trace));
    put_program(definitions, result);
    result->creator = utf8_clean(definitions->creator);
    result->n_locations = definitions->n_locations;
    result->n_events = replay->n_events;
    result->n_messages = replay->n_messages;
    result->n_collectives = replay->n_collectives;
    result->n_clock_violations = replay->n_clock_violations;
    result->time_ns = replay->time_ns;
    result->window_begin_ns = replay->window_begin_ns;
    result->window_end_ns = replay->window_end_ns;
    if (input->interval) {
        result->interval.what = utf8_clean(input->interval);
        result->interval.is_phase = input->is_phase;
        result->interval.begin_ns = replay->part_begin_ns;
        result->interval.end_ns = replay->part_begin_ns + replay->time_ns;
    }
    result->realtime_ns = definitions->realtime_ns;
    result->has_cpu_time = replay->has_cpu_time;
    result->properties = memory_zeroed(definitions->n_properties, sizeof *result->properties);
    for (size_t i = 0; i < definitions->n_properties; i++)
        result->properties[result->n_properties++] =
            (struct result_named){utf8_clean(definitions->properties[i].name),
                                  utf8_clean(definitions->properties[i].value)};
    result->nodes = memory_zeroed(definitions->n_nodes, sizeof *result->nodes);
    for (size_t i = 0; i < definitions->n_nodes; i++)
        result->nodes[result->n_nodes++] =
            (struct result_node){.name = utf8_clean(definitions->nodes[i].name),
                                 .machine = utf8_clean(definitions->nodes[i].machine),
                                 .n_cores = definitions->nodes[i].n_cores};
}

/// Whether more ranks may use RANK's cores than there are.
static bool shares_cores(const struct definitions *definitions, const struct rank *rank)
{
    const struct core_set *cores = &definitions->core_sets[rank->core_set];
    return cores->n_cores > 0 && cores->n_ranks > cores->n_cores;
}

static void put_ranks(const struct collect_input *input, struct result *result)
{
    const struct definitions *definitions = trace_definitions(input->trace);
    const struct pag_result *replay = input->replay;
    result->ranks = memory_zeroed(definitions->n_ranks, sizeof *result->ranks);
    result->n_ranks = definitions->n_ranks;
    for (size_t i = 0; i < result->n_ranks; i++) {
        const struct rank *rank = &definitions->ranks[i];
        result->nodes[rank->node].n_ranks++;
        result->ranks[i] = (struct result_rank){
            .name = utf8_clean(rank->name),
            .node = rank->node,
            .first_ns = replay->locations[rank->master].first_ns,
            .last_ns = replay->locations[rank->master].last_ns,
            .useful_ns = replay->rank_times[i].useful_ns,
            .no_cpu_ns = replay->rank_times[i].no_cpu_ns,
            .mpi_ns = replay->rank_times[i].mpi_ns,
            .no_cpu_mpi_ns = replay->rank_times[i].no_cpu_mpi_ns,
            .shares_cores = shares_cores(definitions, rank),
            .is_skipped = trace_location_report(input->trace, rank->master)->is_skipped,
            .is_cut_short = definitions->locations[rank->master].is_cut_short,
            .recorded_until_ns = definitions->locations[rank->master].recorded_until_ns,
        };
    }
}

static uint64_t outside_ns(const struct result_rank *rank)
{
    return rank->useful_ns + rank->no_cpu_ns;
}

/// Sums over the ranks that were read, and what follows from them. Where recording was switched
/// off, or ranks are in a phase at another time (HAS_GAPS), efficiencies are those of the time that
/// was recorded, or in the phase.
static void put_efficiency(struct result *result, bool has_gaps)
{
    uint64_t window_ns = result->window_end_ns > result->window_begin_ns
                             ? result->window_end_ns - result->window_begin_ns
                             : 0;
    uint64_t max_ns = 0, max_useful_ns = 0, n_read = 0;
    for (size_t i = 0; i < result->n_ranks; i++) {
        struct result_rank *rank = &result->ranks[i];
        if (rank->is_skipped)
            continue;
        n_read++;
        // A call that completes several operations may have waited for each at the same time.
        if (rank->wait_ns > rank->mpi_ns)
            rank->wait_ns = rank->mpi_ns;
        // Of a completion that lasts for want of a core both tell.
        if (rank->wait_ns > rank->mpi_ns - rank->no_cpu_mpi_ns)
            rank->wait_ns = rank->mpi_ns - rank->no_cpu_mpi_ns;
        max_ns = outside_ns(rank) > max_ns ? outside_ns(rank) : max_ns;
        max_useful_ns = rank->useful_ns > max_useful_ns ? rank->useful_ns : max_useful_ns;
        result->useful_ns += rank->useful_ns;
        result->no_cpu_ns += rank->no_cpu_ns + rank->no_cpu_mpi_ns;
        result->wait_ns += rank->wait_ns;
        result->other_mpi_ns += rank->mpi_ns - rank->wait_ns - rank->no_cpu_mpi_ns;
    }
    result->total_ns = n_read * window_ns;
    uint64_t seen_ns =
        result->useful_ns + result->no_cpu_ns + result->wait_ns + result->other_mpi_ns;
    result->unrecorded_ns = result->total_ns > seen_ns ? result->total_ns - seen_ns : 0;
    struct result_efficiency *efficiency = &result->efficiency;
    *efficiency = (struct result_efficiency){NAN, NAN, NAN, NAN, NAN, NAN};
    if (max_useful_ns == 0 || window_ns == 0)
        return;
    double mean_ns = (double)result->useful_ns / (double)n_read;
    double judged_ns = (double)window_ns;
    if (has_gaps)
        judged_ns -= (double)result->unrecorded_ns / (double)n_read;
    if (judged_ns < (double)max_ns) // the busiest rank was recorded longer than the mean
        judged_ns = (double)max_ns;
    efficiency->load_balance = mean_ns / (double)max_useful_ns;
    efficiency->cpu = (double)max_useful_ns / (double)max_ns;
    efficiency->communication = (double)max_ns / judged_ns;
    efficiency->parallel = mean_ns / judged_ns;
}

void collect_ideal(struct result *result, uint64_t ideal_ns)
{
    struct result_efficiency *efficiency = &result->efficiency;
    double max_ns = 0;
    for (size_t i = 0; i < result->n_ranks; i++)
        if (!result->ranks[i].is_skipped && (double)outside_ns(&result->ranks[i]) > max_ns)
            max_ns = (double)outside_ns(&result->ranks[i]);
    result->has_ideal = true;
    result->ideal_ns = ideal_ns;
    if (isnan(efficiency->communication) || efficiency->communication == 0)
        return;
    // Less than the window where recording was switched off.
    double judged_ns = max_ns / efficiency->communication;
    double left_out_ns = (double)(result->window_end_ns - result->window_begin_ns) - judged_ns;
    double ideal_judged_ns = (double)ideal_ns - left_out_ns;
    if (ideal_judged_ns > judged_ns)
        ideal_judged_ns = judged_ns;
    if (ideal_judged_ns < max_ns)
        ideal_judged_ns = max_ns;
    efficiency->serialization = max_ns / ideal_judged_ns;
    efficiency->transfer = ideal_judged_ns / judged_ns;
}

static void put_critical_path(const struct collect_input *input, const struct call_tree *tree,
                              const struct site_table *sites, struct result *result)
{
    const struct pag_result *replay = input->replay;
    size_t n = replay->n_critical_path;
    struct result_path_share *shares = shares_resolve(trace_definitions(input->trace), tree, sites,
                                                      replay->critical_path, n, result);
    for (size_t i = 0; i < n; i++)
        result->critical_path.length_ns += shares[i].time_ns;
    result->critical_path.by_region =
        shares_sum(shares, n, true, false, result->time_ns, &result->critical_path.n_by_region);
    result->critical_path.by_rank =
        shares_sum(shares, n, false, true, result->time_ns, &result->critical_path.n_by_rank);
    result->critical_path.by_region_rank =
        shares_sum(shares, n, true, true, result->time_ns, &result->critical_path.n_by_region_rank);
    result->critical_path.by_site =
        shares_sum_by_site(shares, n, result->time_ns, &result->critical_path.n_by_site);
    free(shares);
}

static void put_traffic(const struct pag_result *replay, struct result *result)
{
    result->traffic = memory_zeroed(replay->n_traffic, sizeof *result->traffic);
    result->n_traffic = replay->n_traffic;
    for (size_t i = 0; i < replay->n_traffic; i++)
        result->traffic[i] =
            (struct result_traffic){replay->traffic[i].sender, replay->traffic[i].receiver,
                                    replay->traffic[i].n_messages, replay->traffic[i].size_bytes};
}

void collect_result(const struct collect_input *input, struct result *result)
{
    const struct definitions *definitions = trace_definitions(input->trace);
    struct call_tree tree = {0};
    struct site_table sites = {0};
    put_facts(input, result);
    put_ranks(input, result);
    call_tree_build(&tree, definitions, input->replay, result);
    sites_collect(definitions, &tree, input->replay, result, &sites);
    struct coverage coverage = coverage_of(result, input->replay);
    waits_collect(&(struct waits_input){.catalogue = input->catalogue,
                                        .matcher = input->matcher,
                                        .definitions = definitions,
                                        .tree = &tree,
                                        .sites = &sites,
                                        .coverage = &coverage},
                  result);
    origins_collect(definitions, &tree, &sites, input->replay, result);
    put_efficiency(result, input->replay->n_off > 0 || input->is_phase);
    put_critical_path(input, &tree, &sites, result);
    put_traffic(input->replay, result);
    sync_objects_collect(definitions, input->replay, result);
    warnings_collect(input->trace, input->replay, &coverage, result);
    conclusion_write(result);
    call_tree_release(&tree);
    site_table_release(&sites);
}

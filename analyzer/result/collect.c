// SPDX-License-Identifier: BSD-3-Clause
// Facts of the run, ranks, efficiencies and traffic of a result; call tree, waits, communicators,
// critical path, warnings and findings are built by the files of these names.
#include "analyzer/result/collect.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/rank_lists.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/findings/findings.h"
#include "analyzer/result/parts.h"
#include "analyzer/result/properties/metrics.h"
#include "analyzer/result/sites.h"
#include "analyzer/result/views/servers.h"
#include "analyzer/result/views/timeline.h"

/// "python", "python3", "python3.11".
static bool is_python(const char *program)
{
    return !strncmp(program, "python", 6) && !program[6 + strspn(program + 6, "0123456789.")];
}

static bool is_interpreter(const char *program)
{
    static const char *const others[] = {"julia", "lua", "octave", "perl", "Rscript", "ruby"};
    return HAS_TEXT(others, sizeof others / sizeof others[0], program) || is_python(program);
}

/// The next word of *REST into WORD (cut to SIZE bytes), which is moved after it; false at the
/// end.
static bool next_word(const char **rest, char *word, size_t size)
{
    *rest += strspn(*rest, " ");
    size_t length = strcspn(*rest, " ");
    if (length == 0)
        return false;
    size_t kept = length < size ? length : size - 1;
    memcpy(word, *rest, kept);
    word[kept] = '\0';
    *rest += length;
    return true;
}

/// Finds the script among the ARGUMENTS of an interpreter: its name into SCRIPT, and what follows
/// it. NULL when there is none.
static const char *find_script(const char *program, const char *arguments, char *script,
                               size_t size)
{
    const char *rest = arguments;
    while (next_word(&rest, script, size)) {
        if (script[0] != '-')
            return rest;
        bool takes_value = is_python(program) && (!strcmp(script, "-W") || !strcmp(script, "-X"));
        if (!strcmp(script, "-c") || !strcmp(script, "-e"))
            return NULL;
        if (is_python(program) && !strcmp(script, "-m")) {
            if (!next_word(&rest, script, size))
                return NULL;
            if (strcmp(script, "mpi4py") != 0) // that one runs the script after it
                return rest;
        } else if (takes_value && !next_word(&rest, script, size)) {
            return NULL;
        }
    }
    return NULL;
}

// Options of an interpreter in front of its script are stepped over; code on the command line is no
// script, so the interpreter keeps its name there.
struct program_name program_name_of(const char *executable, const char *command)
{
    char script[256];
    const char *program = executable ? path_base_name(executable) : "";
    const char *arguments = command ? strchr(command, ' ') : NULL;
    const char *rest = arguments && is_interpreter(program)
                           ? find_script(program, arguments, script, sizeof script)
                           : NULL;
    if (rest) {
        program = path_base_name(script);
        arguments = rest;
    }
    if (arguments)
        arguments += strspn(arguments, " ");
    return (struct program_name){utf8_clean(program), utf8_clean(arguments)};
}

/// The traced program as far as the archive tells: our tracer writes the executable's path and the
/// command line, Score-P the executable.
static void put_program(const struct definitions *definitions, struct result *result)
{
    const char *command = definitions_property(definitions, "PAGODA::PROGRAM");
    struct program_name name = program_name_of(definitions_executable(definitions), command);
    result->program = name.program;
    result->arguments = name.arguments;
}

static void collect_clocks(const struct collect_input *input, struct result *result)
{
    const struct collect_clocks *clocks = input->clocks;
    bool is_corrected = clocks && clocks->moved_ns > 0;
    result->n_clock_violations =
        is_corrected ? clocks->n_violations : input->replay->n_clock_violations;
    result->max_clock_violation_ns =
        is_corrected ? clocks->max_violation_ns : input->replay->max_clock_violation_ns;
    result->clock_moved_ns = is_corrected ? clocks->moved_ns : 0;
    result->n_clock_violations_left = input->replay->n_clock_violations;
}

static void put_facts(const struct collect_input *input, struct result *result)
{
    const struct definitions *definitions = trace_definitions(input->trace);
    const struct pag_result *replay = input->replay;
    result->trace_path = utf8_clean(trace_path(input->trace));
    put_program(definitions, result);
    result->creator = utf8_clean(definitions->creator);
    result->is_of_tasks = definitions->renames_tasks;
    result->n_locations = definitions->n_locations;
    result->n_events = replay->n_events;
    result->n_messages = replay->n_messages;
    result->n_collectives = replay->n_collectives;
    collect_clocks(input, result);
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

static void put_recording_of_visit(const struct definitions *definitions, struct result *result)
{
    uint64_t recording_ns = 0, n_visits = 0;
    for (size_t i = 0; i < definitions->n_locations; i++)
        recording_ns += definitions->locations[i].recording_ns;
    for (size_t i = 0; i < result->n_regions; i++)
        n_visits += result->regions[i].visits;
    result->recording_of_visit_ns = n_visits > 0 ? recording_ns / n_visits : 0;
}

/// Whether more ranks may use RANK's cores than there are.
static bool shares_cores(const struct definitions *definitions, const struct rank *rank)
{
    return core_set_is_oversubscribed(&definitions->core_sets[rank->core_set]);
}

/// How many cores RANK may use: of those that several ranks are bound to its part, of a node that
/// they are free to use all. 0: unknown.
static double cores_of_rank(const struct definitions *definitions, const struct rank *rank)
{
    const struct core_set *set = &definitions->core_sets[rank->core_set];
    return (double)set->n_cores / (set->bound_to && set->n_ranks > 0 ? (double)set->n_ranks : 1);
}

/// The program of the process with this MASTER.
static char *program_of(const struct location *master, const struct result *result)
{
    if (!master->executable)
        return memory_copy_text(result->program);
    struct program_name name = program_name_of(master->executable, master->command);
    free(name.arguments);
    return name.program;
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
            .program = program_of(&definitions->locations[rank->master], result),
            .node = rank->node,
            .first_ns = replay->locations[rank->master].first_ns,
            .last_ns = replay->locations[rank->master].last_ns,
            .useful_ns = replay->rank_times[i].useful_ns,
            .no_cpu_ns = replay->rank_times[i].no_cpu_ns,
            .blocked_ns = replay->rank_times[i].blocked_ns,
            .mpi_ns = replay->rank_times[i].mpi_ns,
            .no_cpu_mpi_ns = replay->rank_times[i].no_cpu_mpi_ns,
            .ended_ns = replay->rank_times[i].ended_ns,
            .shares_cores = shares_cores(definitions, rank),
            .n_cores = cores_of_rank(definitions, rank),
            .is_skipped = trace_location_report(input->trace, rank->master)->is_skipped,
            .is_cut_short = definitions->locations[rank->master].is_cut_short,
            .recorded_until_ns = definitions->locations[rank->master].recorded_until_ns,
        };
    }
}

/// Time in MPI calls by what they are for; calls within calls are part of these.
static void put_mpi_classes(struct result *result)
{
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *at = &result->path_ranks[i];
        const struct result_path *path = &result->paths[at->path];
        uint8_t class_ = result->regions[path->region].mpi_class;
        bool is_inside = path->parent != RESULT_NONE &&
                         result->regions[result->paths[path->parent].region].is_mpi;
        if (class_ != MPI_CLASS_NONE && !is_inside && at->rank < result->n_ranks)
            result->ranks[at->rank].mpi_class_ns[class_] += at->inclusive_ns;
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
        result->blocked_ns += rank->blocked_ns;
        result->wait_ns += rank->wait_ns;
        result->other_mpi_ns += rank->mpi_ns - rank->wait_ns - rank->no_cpu_mpi_ns;
        result->ended_ns += rank->ended_ns;
    }
    result->total_ns = n_read * window_ns;
    uint64_t seen_ns = result->useful_ns + result->no_cpu_ns + result->wait_ns +
                       result->other_mpi_ns + result->ended_ns;
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

static void put_traffic(const struct pag_result *replay, struct result *result)
{
    result->traffic = memory_zeroed(replay->n_traffic, sizeof *result->traffic);
    result->n_traffic = replay->n_traffic;
    for (size_t i = 0; i < replay->n_traffic; i++)
        result->traffic[i] =
            (struct result_traffic){replay->traffic[i].sender, replay->traffic[i].receiver,
                                    replay->traffic[i].n_messages, replay->traffic[i].size_bytes};
    for (size_t i = 0; i < RESULT_SIZE_CLASSES; i++)
        result->message_sizes[i] = (struct result_size_class){replay->message_sizes[i].n_messages,
                                                              replay->message_sizes[i].size_bytes};
}

/// Says which rank runs which program, if there are several.
static void put_programs(struct result *result)
{
    enum { MAX_NAMED = 6 };
    uint32_t n_ranks = (uint32_t)result->n_ranks;
    SCOPED uint32_t *first = memory_zeroed(n_ranks + 1, sizeof *first); // rank with its program
    char *text = NULL;
    uint32_t n_programs = 0;
    for (uint32_t i = 0; i < n_ranks; i++)
        first[i] = RESULT_NONE;
    for (uint32_t i = 0; i < n_ranks; i++) {
        if (first[i] != RESULT_NONE)
            continue;
        for (uint32_t k = i; k < n_ranks; k++)
            if (strcmp(result->ranks[k].program, result->ranks[i].program) == 0)
                first[k] = i;
        if (++n_programs > MAX_NAMED)
            continue;
        SCOPED char *ranks = rank_list_text(first, n_ranks, i);
        text_append(&text, "%s%s (rank%s %s)", text ? ", " : "", result->ranks[i].program,
                    ranks[strspn(ranks, "0123456789")] ? "s" : "", ranks);
    }
    if (n_programs > MAX_NAMED)
        text_append(&text, ", and %" PRIu32 " more", n_programs - MAX_NAMED);
    if (n_programs > 1)
        result->programs = text;
    else
        free(text);
}

void collect_result(const struct collect_input *input, struct result *result)
{
    const struct definitions *definitions = trace_definitions(input->trace);
    SCOPED_BY(call_tree_release) struct call_tree tree;
    put_facts(input, result);
    put_ranks(input, result);
    put_programs(result);
    call_tree_build(&tree, definitions, input->replay, result);
    put_mpi_classes(result);
    put_recording_of_visit(definitions, result);
    counters_collect(&tree, result);
    streams_collect(&tree, result);
    sensors_collect(input->trace, result);
    files_collect(&tree, result);
    sites_collect(&tree, result);
    if (input->timeline)
        timeline_conclude(input->timeline, &tree);
    struct coverage coverage = coverage_of(result, input->replay, definitions);
    waits_collect(&(struct waits_input){.catalogue = input->catalogue,
                                        .matcher = input->matcher,
                                        .tree = &tree,
                                        .coverage = &coverage},
                  result);
    origins_collect(&tree, result);
    threads_collect(&tree, result);
    put_efficiency(result, input->replay->n_off > 0 || input->is_phase);
    critical_path_collect(&tree, result);
    put_traffic(input->replay, result);
    if (input->servers)
        servers_collect(input->servers, result);
    sync_objects_collect(input, result);
    warnings_collect(input, &coverage, result);
    iterations_collect(&tree, result);
    if (input->replay->recent)
        moment_collect(&tree, result);
    metrics_collect(&input->catalogue->properties, result);
    stragglers_collect(result);
    findings_write(&input->catalogue->findings, &input->catalogue->tunings, result);
}

// SPDX-License-Identifier: BSD-3-Clause
// A random program's archive, replayed once in measured time, then simulated again and again.
#include "tests/reference/engine_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/simulation/cost/ideal.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/trace/reader.h"
#include "tests/reference/asked.h"
#include "tests/reference/change_choice.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"

struct engine_run {
    char *scratch, *archive;
    struct trace *trace;
    struct recorded *recorded;
    struct pag_result measured;
};

static void take_finish(const struct definitions *definitions, const struct pag_result *result,
                        uint64_t *finish_ns)
{
    for (size_t r = 0; r < definitions->n_ranks && r < PROGRAM_MAX_RANKS; r++)
        finish_ns[r] = result->locations[definitions->ranks[r].master].last_ns;
}

struct recorded *measure(struct trace *trace, struct pag_result *result, struct error *err)
{
    struct recorded *recorded = recorded_new(trace_definitions(trace));
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    const struct pag_listener listener = {.trigger = {recorded_trigger, recorded},
                                          .tested = {recorded_tested, recorded},
                                          .message = {recorded_message, recorded},
                                          .sent = {recorded_sent, recorded},
                                          .computing = {recorded_computing, recorded},
                                          .called = {recorded_called, recorded},
                                          .cpu_time = {recorded_cpu_time, recorded}};
    int status = pag_run(trace, &options, &listener, result, err);
    recorded_conclude(recorded, result);
    if (status == 0)
        return recorded;
    recorded_free(recorded);
    return NULL;
}

struct engine_run *engine_run_new(const char *text, struct error *err)
{
    struct engine_run *run = memory_zeroed(1, sizeof *run);
    run->scratch = scratch_directory();
    run->archive = memory_format("%s/archive", run->scratch);
    if (text_trace_write(text, run->archive, err) != 0 ||
        !(run->trace = trace_open(run->archive, err)) ||
        !(run->recorded = measure(run->trace, &run->measured, err))) {
        engine_run_free(run);
        return NULL;
    }
    return run;
}

void engine_run_free(struct engine_run *run)
{
    if (!run)
        return;
    recorded_free(run->recorded);
    pag_result_release(&run->measured);
    if (run->trace)
        trace_close(run->trace);
    free(run->archive);
    scratch_remove(run->scratch);
    free(run);
}

const char *engine_run_scratch(const struct engine_run *run)
{
    return run->scratch;
}

const struct definitions *engine_run_definitions(const struct engine_run *run)
{
    return trace_definitions(run->trace);
}

/// A simulated replay under SETTINGS. 0, or -1 and ERR; the caller releases RESULT in either case.
static int engine_run_simulate(const struct engine_run *run, const struct scenario_settings *asked,
                               struct pag_result *result, struct error *err)
{
    const struct definitions *definitions = trace_definitions(run->trace);
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    struct scenario scenario;
    struct prediction prediction = {0};
    struct visits *visits = NULL;
    *result = (struct pag_result){0};
    int status = scenario_init(&scenario, definitions, asked, err);
    if (status == 0 && asked->n_works > 0) {
        visits = visits_gather(run->trace, &scenario, run->recorded, err);
        status = visits ? 0 : -1;
    }
    scenario.visits = visits;
    if (status == 0) {
        prediction_init(&prediction, definitions, &scenario, run->recorded);
        status = prediction_run_again(&prediction, run->trace, &options, NULL, result, err);
    }
    prediction_release(&prediction);
    scenario_release(&scenario);
    visits_free(visits);
    return status;
}

int engine_run_ideal(const struct engine_run *run, struct engine_ideal *found, struct error *err)
{
    const struct definitions *definitions = trace_definitions(run->trace);
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    struct pag_result result = {0};
    struct ideal ideal;
    *found = (struct engine_ideal){.window_ns =
                                       run->measured.window_end_ns - run->measured.window_begin_ns};
    for (size_t rank = 0; rank < run->measured.n_ranks; rank++)
        if (run->measured.rank_times[rank].useful_ns > found->max_useful_ns)
            found->max_useful_ns = run->measured.rank_times[rank].useful_ns;
    ideal_init(&ideal, definitions, &run->measured, run->recorded);
    int status = prediction_run_again(&ideal.prediction, run->trace, &options, NULL, &result, err);
    if (status == 0)
        take_finish(definitions, &result, found->finish_ns);
    found->ideal_ns = ideal_time_ns(&ideal);
    ideal_release(&ideal);
    pag_result_release(&result);
    return status;
}

// --- Asks the analyzer for predictions of scenarios, given the way a user gives them.

static void write_number(FILE *stream, const char *attribute, uint64_t number)
{
    if (number > 0)
        fprintf(stream, " %s=\"%" PRIu64 "\"", attribute, number);
}

static void write_factor(FILE *stream, const char *attribute, uint64_t millionths)
{
    if (millionths > 0)
        fprintf(stream, " %s=\"%.6f\"", attribute, (double)millionths / 1e6);
}

/// HEAD: scope, and where it holds.
static void write_messages(FILE *stream, const char *head, const struct scenario_messages *messages)
{
    if (!messages->is_given)
        return;
    fprintf(stream, "<message %s", head);
    if (messages->has_eager)
        fprintf(stream, " eager=\"%" PRIu64 "\"", messages->eager_bytes);
    write_number(stream, "buses", messages->n_buses);
    fprintf(stream, " send-overhead=\"%" PRIu64 "ns\" recv-overhead=\"%" PRIu64 "ns\">\n",
            messages->send_overhead_ns, messages->receive_overhead_ns);
    for (uint32_t i = 0; i < messages->n_points; i++)
        fprintf(stream, "<point bytes=\"%" PRIu64 "\" time=\"%" PRIu64 "ns\"/>\n",
                messages->bytes[i], messages->time_ns[i]);
    fputs("</message>\n", stream);
}

/// Groups of one node are named by the node, others have an element of their own.
static void write_scope(FILE *stream, uint32_t index, const struct scenario_scope *scope)
{
    SCOPED char *head = NULL;
    size_t size_bytes;
    FILE *line = open_memstream(&head, &size_bytes);
    fprintf(line, "scope=\"own%" PRIu32 "\" %s=\"", index, scope->is_within ? "within" : "between");
    for (uint32_t g = 0; g < scope->n_groups; g++) {
        uint32_t nodes = scope->groups[g];
        if ((nodes & (nodes - 1)) == 0) {
            fprintf(line, " n%d", __builtin_ctz(nodes));
            continue;
        }
        fprintf(line, " g%" PRIu32 "-%" PRIu32, index, g);
        fprintf(stream, "<group name=\"g%" PRIu32 "-%" PRIu32 "\"", index, g);
        write_number(stream, "out-links", scope->out_links[g]);
        write_number(stream, "in-links", scope->in_links[g]);
        fputs(" nodes=\"", stream);
        for (uint32_t node = 0; nodes >> node; node++)
            if (nodes >> node & 1)
                fprintf(stream, "n%" PRIu32 " ", node);
        fputs("\"/>\n", stream);
    }
    fputs("\"", line);
    fclose(line);
    write_messages(stream, head, &scope->messages);
}

static void write_nodes(FILE *stream, const struct predicted_scenario *scenario)
{
    for (uint32_t i = 0; i < PROGRAM_MAX_RANKS; i++) {
        const struct scenario_node *node = &scenario->machine.nodes[i];
        if (node->n_cores + node->out_links + node->in_links == 0 && node->speed == 0)
            continue;
        fprintf(stream, "<node name=\"n%" PRIu32 "\"", i);
        if (scenario->n_cores > 0) // else every rank has a core of its own
            write_number(stream, "cores", node->n_cores);
        write_number(stream, "out-links", node->out_links);
        write_number(stream, "in-links", node->in_links);
        write_factor(stream, "cpu-speed", node->speed);
        fputs("/>\n", stream);
    }
    fputs("<node name=\"n*\"/>\n", stream); // so that some of the nodes have ranks
}

void engine_machine_write(const struct predicted_scenario *scenario, FILE *stream)
{
    const struct scenario_machine *machine = &scenario->machine;
    fputs("<machine name=\"random\"", stream);
    write_number(stream, "out-links", machine->out_links);
    write_number(stream, "in-links", machine->in_links);
    write_number(stream, "cores", scenario->n_cores);
    write_factor(stream, "cpu-speed", scenario->speed);
    fputs(">\n", stream);
    write_messages(stream, "scope=\"core\"", &machine->core);
    write_messages(stream, "scope=\"node\"", &machine->node);
    for (uint32_t i = 0; i < machine->n_scopes; i++)
        write_scope(stream, i, &machine->scopes[i]);
    write_messages(stream, "scope=\"network\"", &machine->network);
    write_nodes(stream, scenario);
    for (uint32_t r = 0; r < machine->n_regions; r++) {
        fprintf(stream, "<region name=\"%s\"", machine->regions[r].name);
        write_factor(stream, "speed", machine->regions[r].factor);
        fputs("/>\n", stream);
    }
    for (uint32_t f = 0; f < machine->n_formulas; f++) {
        const struct scenario_formula *formula = &machine->formulas[f];
        if (formula->algorithm) {
            fprintf(stream, "<collective op=\"%s\" algorithm=\"%s\"/>\n", formula->operation,
                    formula->algorithm);
            continue;
        }
        fprintf(stream,
                "<collective op=\"%s\" time=\"(%" PRIu64 " + %" PRIu64 " * p + %" PRIu64
                " * b) * 1e-9\"/>\n",
                formula->operation, formula->base_ns, formula->per_member_ns, formula->per_byte_ns);
    }
    for (uint32_t c = 0; c < machine->n_computes; c++) {
        const struct scenario_compute *compute = &machine->computes[c];
        fprintf(stream,
                "<compute region=\"%s\" time=\"1e-12 * (%" PRIu64 " + %" PRIu64 "*w + %" PRIu64
                "*e + %" PRIu64 "*p + %" PRIu64 "*rank + %" PRIu64 "*visit)\"/>\n",
                compute->region, compute->base_ps, compute->per_work_ps, compute->per_element_ps,
                compute->per_member_ps, compute->per_rank_ps, compute->per_visit_ps);
    }
    fputs("</machine>\n", stream);
}

/// Reads the machine of SCENARIO the way a user gives it, from a file in SCRATCH.
static int read_machine(struct machine *read, const char *scratch,
                        const struct predicted_scenario *scenario, struct error *err)
{
    SCOPED char *text = NULL, *path = memory_format("%s/machine.xml", scratch);
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    engine_machine_write(scenario, stream);
    fclose(stream);
    scratch_write(path, text, size_bytes);
    return machine_read(read, path, err);
}

/// The changes of SCENARIO as a user asks for them. 0, or -1 and ERR.
static int ask_changes(struct asked *asked, const struct predicted_scenario *scenario,
                       uint32_t n_ranks, struct error *err)
{
    SCOPED char *options = NULL;
    size_t size_bytes;
    FILE *stream = open_memstream(&options, &size_bytes);
    changes_print(&scenario->changes, n_ranks, stream);
    fclose(stream);
    return asked_read(asked, options, NULL, err);
}

/// "solve", or "solve on ranks 0,2-3". The caller frees.
static char *scaled_text(const struct scenario_region *region, uint32_t n_ranks)
{
    uint32_t is_scaled[PROGRAM_MAX_RANKS];
    for (uint32_t r = 0; r < n_ranks; r++)
        is_scaled[r] = region->ranks >> r & 1;
    SCOPED char *ranks = rank_list_text(is_scaled, n_ranks, 1);
    return memory_format("%s%s%s", region->name, region->ranks ? " on ranks " : "", ranks);
}

/// The other settings of SCENARIO; PLACES has room for two texts a rank. The caller frees these and
/// the patterns of SCALES.
static void put_settings(const struct predicted_scenario *scenario, uint32_t n_ranks,
                         struct scenario_settings *settings, char **places,
                         struct region_scale *scales, struct node_speed *speeds)
{
    // A machine's file says the number of cores and their speed itself.
    settings->n_cores = scenario->has_machine ? 0 : scenario->n_cores;
    settings->speed = scenario->has_machine ? 0 : scenario->speed;
    settings->node_speeds = speeds;
    settings->spins = scenario->spins;
    settings->is_sticky = scenario->is_sticky;
    settings->hand_over_ns = 0;
    settings->slice_ns = scenario->slice_ns;
    if (scenario->holds_senders)
        settings->buffered_bytes = scenario->buffered_bytes;
    settings->added_latency_ns = scenario->added_latency_ns;
    settings->added_byte_fs = scenario->added_byte_fs;
    settings->is_timeless = scenario->is_timeless;
    settings->scales = scales;
    settings->n_scales = scenario->n_regions;
    bool is_moved = scenario->begins_elsewhere;
    for (uint32_t r = 0; r < n_ranks; r++)
        is_moved = is_moved || scenario->node[r] != scenario->recorded_node[r];
    const char *phase = scenario->begins_elsewhere ? "main:" : "";
    for (uint32_t r = 0; r < n_ranks && is_moved; r++)
        places[settings->n_places++] =
            memory_format("%sn%" PRIu32 "=%" PRIu32, phase, scenario->node[r], r);
    for (uint32_t r = 0; r < n_ranks && scenario->begins_elsewhere; r++)
        places[settings->n_places++] = memory_format("elsewhere%" PRIu32 "=%" PRIu32, r, r);
    settings->places = (const char *const *)places;
    settings->state_bytes = scenario->has_machine ? scenario->state_bytes : 0;
    for (uint32_t i = 0; i < scenario->n_regions; i++)
        scales[i] = (struct region_scale){.pattern = scaled_text(&scenario->regions[i], n_ranks),
                                          .factor = scenario->regions[i].factor};
    static const char *const nodes[] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
    for (uint32_t i = 0; i < PROGRAM_MAX_RANKS; i++)
        if (scenario->node_speed[i] > 0)
            speeds[settings->n_node_speeds++] =
                (struct node_speed){nodes[i], scenario->node_speed[i]};
}

/// The critical path sums to the run time, the times of a rank to its life. 0, or -1 and ERR.
static int check_sums(const struct definitions *definitions, const struct pag_result *result,
                      struct error *err)
{
    uint64_t path_ns = 0;
    for (size_t i = 0; i < result->n_critical_path; i++)
        path_ns += (uint64_t)result->critical_path[i].time_ns;
    if (path_ns != result->time_ns)
        return error_set(err, "the critical path has %" PRIu64 " ns of %" PRIu64, path_ns,
                         result->time_ns);
    for (size_t rank = 0; rank < definitions->n_ranks; rank++) {
        uint32_t master = definitions->ranks[rank].master;
        uint64_t life_ns = result->locations[master].last_ns - result->locations[master].first_ns;
        const struct simulated_rank *times = &result->simulated->ranks[rank];
        if (times->outside_ns + times->wait_ns + times->overhead_ns != life_ns)
            return error_set(err, "the times of rank %zu are not its life", rank);
    }
    return 0;
}

/// The slowdowns of SCENARIO as a file's, in REGIONS and POINTS, two for each.
static struct slowdown slowdown_of(const struct predicted_scenario *scenario,
                                   struct slowdown_region *regions, struct slowdown_point *points)
{
    const struct scenario_changes *changes = &scenario->changes;
    for (uint32_t i = 0; i < changes->n_slowdowns; i++) {
        const struct scenario_slowdown *of = &changes->slowdowns[i];
        points[2 * i] = (struct slowdown_point){PAG_WORK_PER_NS, of->alone};
        points[2 * i + 1] = (struct slowdown_point){SCENARIO_CROWD, of->crowded};
        regions[i] = (struct slowdown_region){of->region, i + 1, &points[2 * i], 2};
    }
    return (struct slowdown){
        .path = "slowdown.xml", .regions = regions, .n_regions = changes->n_slowdowns};
}

int engine_run_predict(const struct engine_run *run, const struct predicted_scenario *scenario,
                       uint64_t *finish_ns, struct error *err)
{
    const struct definitions *definitions = engine_run_definitions(run);
    char *places[2 * PROGRAM_MAX_RANKS] = {NULL};
    struct region_scale scales[SCENARIO_MAX_REGIONS];
    struct node_speed speeds[PROGRAM_MAX_RANKS];
    struct scenario_settings settings = SCENARIO_UNCHANGED;
    struct pag_result result = {0};
    struct machine machine = {0};
    struct slowdown_region regions[SCENARIO_MAX_CHANGES];
    struct slowdown_point points[2 * SCENARIO_MAX_CHANGES];
    const struct slowdown slowdown = slowdown_of(scenario, regions, points);
    struct asked asked;
    int status = ask_changes(&asked, scenario, (uint32_t)definitions->n_ranks, err);
    if (status == 0)
        settings = *asked.settings;
    put_settings(scenario, (uint32_t)definitions->n_ranks, &settings, places, scales, speeds);
    if (status == 0 && scenario->has_machine)
        status = read_machine(&machine, engine_run_scratch(run), scenario, err);
    if (scenario->has_machine)
        settings.machine = &machine;
    if (slowdown.n_regions > 0)
        settings.slowdown = &slowdown;
    if (status == 0)
        status = engine_run_simulate(run, &settings, &result, err);
    if (status == 0)
        status = check_sums(definitions, &result, err);
    if (status == 0)
        take_finish(definitions, &result, finish_ns);
    pag_result_release(&result);
    machine_release(&machine);
    asked_release(&asked);
    for (uint32_t i = 0; i < 2 * PROGRAM_MAX_RANKS; i++)
        free(places[i]);
    for (uint32_t i = 0; i < scenario->n_regions; i++)
        free((char *)scales[i].pattern);
    return status;
}

// --- One measured replay, then a simulated one for each setting.

void predicted_times_release(struct predicted_times *times)
{
    FREE_ALL(times->ranks, times->measured_finish_ns);
    *times = (struct predicted_times){0};
}

static void fill(struct predicted_times *times, const struct definitions *definitions,
                 const struct pag_result *measured, const struct pag_result *predicted)
{
    times->time_ns = predicted->time_ns;
    times->measured_ns = measured->time_ns;
    times->n_forced = predicted->simulated->n_forced;
    times->n_ranks = definitions->n_ranks;
    times->ranks = memory_zeroed(times->n_ranks, sizeof *times->ranks);
    times->measured_finish_ns = memory_zeroed(times->n_ranks, sizeof(uint64_t));
    for (size_t i = 0; i < predicted->n_critical_path; i++)
        times->critical_path_ns += (uint64_t)predicted->critical_path[i].time_ns;
    for (size_t rank = 0; rank < times->n_ranks; rank++) {
        uint32_t master = definitions->ranks[rank].master;
        times->measured_finish_ns[rank] = measured->locations[master].last_ns;
        times->ranks[rank] = (struct predicted_rank){
            .first_ns = predicted->locations[master].first_ns,
            .finish_ns = predicted->locations[master].last_ns,
            .outside_ns = predicted->simulated->ranks[rank].outside_ns,
            .wait_ns = predicted->simulated->ranks[rank].wait_ns,
            .overhead_ns = predicted->simulated->ranks[rank].overhead_ns,
        };
    }
}

int predicted_times_of(const struct engine_run *run, const struct scenario_settings *settings,
                       struct predicted_times *times, struct error *err)
{
    struct pag_result result;
    *times = (struct predicted_times){0};
    int status = engine_run_simulate(run, settings, &result, err);
    if (status == 0)
        fill(times, engine_run_definitions(run), &run->measured, &result);
    pag_result_release(&result);
    return status;
}

int predicted_times(const char *text, const struct scenario_settings *settings, size_t n,
                    struct predicted_times *times, struct error *err)
{
    for (size_t i = 0; i < n; i++)
        times[i] = (struct predicted_times){0};
    struct engine_run *run = engine_run_new(text, err);
    int status = run ? 0 : -1;
    for (size_t i = 0; i < n && status == 0; i++)
        status = predicted_times_of(run, &settings[i], &times[i], err);
    engine_run_free(run);
    return status;
}

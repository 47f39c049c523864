// SPDX-License-Identifier: BSD-3-Clause
// Asks the analyzer for predictions of scenarios, given the way a user gives them.
#include "tests/reference/engine_prediction.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "tests/reference/change_choice.h"
#include "tests/tools/lib/scratch.h"

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
    char *head = NULL;
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
    free(head);
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

static void write_machine(FILE *stream, const struct predicted_scenario *scenario)
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
    char *text = NULL, *path = memory_format("%s/machine.xml", scratch);
    size_t size_bytes;
    FILE *stream = open_memstream(&text, &size_bytes);
    write_machine(stream, scenario);
    fclose(stream);
    scratch_write(path, text, size_bytes);
    int status = machine_read(read, path, err);
    free(text);
    free(path);
    return status;
}

/// The settings of SCENARIO as a user gives them; PLACES has room for a text a rank.
static void put_settings(const struct predicted_scenario *scenario, uint32_t n_ranks,
                         struct scenario_settings *settings, char **places,
                         struct region_scale *scales, struct node_speed *speeds)
{
    // A machine's file says the number of cores and their speed itself.
    *settings = (struct scenario_settings){.n_cores = scenario->has_machine ? 0 : scenario->n_cores,
                                           .speed = scenario->has_machine ? 0 : scenario->speed,
                                           .node_speeds = speeds,
                                           .spins = scenario->spins,
                                           .is_sticky = scenario->is_sticky,
                                           .slice_ns = scenario->slice_ns,
                                           .added_latency_ns = scenario->added_latency_ns,
                                           .added_byte_fs = scenario->added_byte_fs,
                                           .is_timeless = scenario->is_timeless,
                                           .scales = scales,
                                           .n_scales = scenario->n_regions};
    bool is_moved = false;
    for (uint32_t r = 0; r < n_ranks; r++)
        is_moved = is_moved || scenario->node[r] != scenario->recorded_node[r];
    for (uint32_t r = 0; r < n_ranks && is_moved; r++)
        places[r] = memory_format("n%" PRIu32 "=%" PRIu32, scenario->node[r], r);
    settings->places = (const char *const *)places;
    settings->n_places = is_moved ? n_ranks : 0;
    for (uint32_t i = 0; i < scenario->n_regions; i++)
        scales[i] = (struct region_scale){.pattern = scenario->regions[i].name,
                                          .factor = scenario->regions[i].factor};
    static const char *const nodes[] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
    for (uint32_t i = 0; i < PROGRAM_MAX_RANKS; i++)
        if (scenario->node_speed[i] > 0)
            speeds[settings->n_node_speeds++] =
                (struct node_speed){nodes[i], scenario->node_speed[i]};
}

int engine_run_predict(const struct engine_run *run, const struct predicted_scenario *scenario,
                       uint64_t *finish_ns, struct error *err)
{
    const struct definitions *definitions = engine_run_definitions(run);
    char *places[PROGRAM_MAX_RANKS] = {NULL};
    struct region_scale scales[SCENARIO_MAX_REGIONS];
    struct node_speed speeds[PROGRAM_MAX_RANKS];
    struct scenario_settings settings;
    struct pag_result result = {0};
    struct machine machine = {0};
    struct change_texts texts;
    put_settings(scenario, (uint32_t)definitions->n_ranks, &settings, places, scales, speeds);
    change_texts_init(&texts, &scenario->changes, (uint32_t)definitions->n_ranks);
    change_texts_put(&texts, &scenario->changes, &settings);
    int status = 0;
    if (scenario->has_machine)
        status = read_machine(&machine, engine_run_scratch(run), scenario, err);
    if (scenario->has_machine)
        settings.machine = &machine;
    if (status == 0)
        status = engine_run_simulate(run, &settings, &result, err);
    for (size_t r = 0; r < definitions->n_ranks && status == 0; r++)
        finish_ns[r] = result.locations[definitions->ranks[r].master].last_ns;
    pag_result_release(&result);
    machine_release(&machine);
    change_texts_release(&texts);
    for (uint32_t r = 0; r < PROGRAM_MAX_RANKS; r++)
        free(places[r]);
    return status;
}

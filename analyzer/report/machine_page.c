// SPDX-License-Identifier: BSD-3-Clause
// Pages about machines (machine_page.h).
#include "analyzer/report/machine_page.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"
#include "analyzer/base/utf8.h"
#include "analyzer/pag/pag.h"
#include "analyzer/report/table.h"

enum { LABEL_COLUMNS = 16, LONG_BYTES = 1 << 24 };

/// Prints LABEL and TEXT, which is cleaned and freed.
static void print_and_free(const char *label, char *text, size_t width, FILE *stream)
{
    char *clean = utf8_clean(text);
    print_labelled(label, LABEL_COLUMNS, clean, width, stream);
    free(clean);
    free(text);
}

/// The scopes that have messages ("node, network, wan"); "-" without. The caller frees.
static char *scopes_text(const struct machine *machine)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *between = "";
    for (int scope = 0; scope < MACHINE_SCOPES; scope++) {
        if (machine->messages[scope].n_points == 0)
            continue;
        fprintf(out, "%s%s", between, machine_scope_names[scope]);
        between = ", ";
    }
    for (size_t i = 0; i < machine->n_custom_scopes; i++)
        fprintf(out, ", %s", machine->custom_scopes[i].name); // behind a network
    fclose(out);
    if (text[0])
        return text;
    free(text);
    return memory_copy_text("-");
}

/// Collective operations with an element.
static size_t count_operations(const struct machine *machine)
{
    bool has[COLLECTIVE_OPERATIONS] = {false};
    size_t n = 0;
    for (size_t i = 0; i < machine->n_collectives; i++) {
        n += !has[machine->collectives[i].operation];
        has[machine->collectives[i].operation] = true;
    }
    return n;
}

void machine_page_list(const struct machine *machines, size_t n, size_t width, FILE *stream)
{
    size_t columns = 0;
    for (size_t i = 0; i < n; i++)
        columns = list_column(columns, machines[i].name);
    for (size_t i = 0; i < n; i++) {
        const struct machine *machine = &machines[i];
        char *scopes = scopes_text(machine);
        char *text = memory_format("%s; %s a node; messages: %s; %s", machine->summary,
                                   quantity_count(machine->n_cores, "core").text, scopes,
                                   quantity_count(count_operations(machine), "collective").text);
        print_labelled(machine->name, columns, text, width, stream);
        free(text);
        free(scopes);
    }
}

/// The messages of a scope as a sentence without its stop; the caller frees.
static char *messages_text(const struct machine_messages *messages)
{
    const struct machine_point *last = &messages->points[messages->n_points - 1];
    uint64_t long_ns = machine_message_ns(messages, 2 * (uint64_t)LONG_BYTES) -
                       machine_message_ns(messages, LONG_BYTES);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "%s for %s", quantity_time(messages->points[0].time_ns).text,
            quantity_size(messages->points[0].size_bytes).text);
    if (messages->n_points > 1)
        fprintf(out, ", %s for %s (%zu points)", quantity_time(last->time_ns).text,
                quantity_size(last->size_bytes).text, messages->n_points);
    if (long_ns > 0 && long_ns < UINT64_MAX / 2)
        fprintf(out, ", %s/s beyond",
                quantity_size((uint64_t)(LONG_BYTES * 1e9 / (double)long_ns)).text);
    if (messages->send_overhead_ns > 0 || messages->receive_overhead_ns > 0)
        fprintf(out, "; send %s, receive %s", quantity_time(messages->send_overhead_ns).text,
                quantity_time(messages->receive_overhead_ns).text);
    if (messages->eager_bytes != UINT64_MAX)
        fprintf(out, "; eager up to %s", quantity_size(messages->eager_bytes).text);
    if (messages->n_buses > 0)
        fprintf(out, "; at most %" PRIu32 " at once", messages->n_buses);
    fclose(out);
    return text;
}

static void print_messages(const struct machine *machine, size_t width, FILE *stream)
{
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        if (machine->messages[scope].n_points > 0) {
            char *label = memory_format("In the %s", machine_scope_names[scope]);
            print_and_free(label, messages_text(&machine->messages[scope]), width, stream);
            free(label);
        }
    for (size_t i = 0; i < machine->n_custom_scopes; i++) {
        const struct machine_custom_scope *scope = &machine->custom_scopes[i];
        char *text = messages_text(&scope->messages);
        print_and_free("Messages", memory_format("%s: %s", scope->name, text), width, stream);
        free(text);
    }
}

static void print_collectives(const struct machine *machine, size_t width, FILE *stream)
{
    for (size_t i = 0; i < machine->n_collectives; i++) {
        const struct machine_collective *collective = &machine->collectives[i];
        char *from = collective->from_bytes == 0
                         ? memory_copy_text("")
                         : memory_format(" from %s", quantity_size(collective->from_bytes).text);
        char *below = collective->below_bytes == UINT64_MAX
                          ? memory_copy_text("")
                          : memory_format(" below %s", quantity_size(collective->below_bytes).text);
        bool has_both = collective->algorithm != ALGORITHM_FORMULA && collective->time_text;
        print_and_free(
            i == 0 ? "Collectives" : "",
            memory_format("%s%s%s: %s%s%s", collective_operation_names[collective->operation], from,
                          below, collective_algorithm_names[collective->algorithm],
                          has_both ? ", " : "", collective->time_text ? collective->time_text : ""),
            width, stream);
        free(from);
        free(below);
    }
}

static void print_cores(const struct machine *machine, size_t width, FILE *stream)
{
    if (machine->n_cores > 0)
        print_and_free("Cores of a node", memory_format("%" PRIu32, machine->n_cores), width,
                       stream);
    if (machine->speed != PAG_WORK_PER_NS)
        print_and_free("Speed", memory_format("%g", (double)machine->speed / PAG_WORK_PER_NS),
                       width, stream);
    if (machine->hand_over_ns > 0)
        print_and_free("Hand-over",
                       memory_format("%s to give a core to another process",
                                     quantity_time(machine->hand_over_ns).text),
                       width, stream);
    if (machine->slice_ns > 0)
        print_and_free("Slice",
                       memory_format("%s that a waiting rank keeps its core",
                                     quantity_time(machine->slice_ns).text),
                       width, stream);
    if (machine->out_links > 0 || machine->in_links > 0)
        print_and_free("Links",
                       memory_format("%" PRIu32 " out of a node, %" PRIu32 " into it (0: any)",
                                     machine->out_links, machine->in_links),
                       width, stream);
}

/// What else the file has, counted.
static void print_others(const struct machine *machine, size_t width, FILE *stream)
{
    const struct {
        size_t n;
        const char *noun;
    } others[] = {{machine->n_nodes, "node"},
                  {machine->n_groups, "group"},
                  {machine->n_regions, "region"},
                  {machine->n_computes, "cost of computing"}};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].n > 0)
            fprintf(out, "%s%zu x %s", ftell(out) > 0 ? ", " : "", others[i].n, others[i].noun);
    fclose(out);
    if (text[0])
        print_and_free("Of their own", text, width, stream);
    else
        free(text);
}

static void print_origins(const struct machine *machine, size_t width, FILE *stream)
{
    static const char *const labels[MACHINE_ORIGINS] = {
        "Source", "Missing there", "Measured", "Host",        "Processor",
        "MPI",    "Error: node",   "network",  "collectives", "Unsteady"};
    for (int i = 0; i < MACHINE_ORIGINS; i++)
        if (machine->origins[i] && machine->origins[i][0])
            print_and_free(labels[i], memory_copy_text(machine->origins[i]), width, stream);
    if (machine->n_calibrated_members > 0)
        print_and_free("Collectives of",
                       memory_format("up to %" PRIu32 " ranks", machine->n_calibrated_members),
                       width, stream);
}

void machine_page_one(const struct machine *machine, size_t width, FILE *stream)
{
    char *title = machine->summary[0] ? memory_format("%s: %s", machine->name, machine->summary)
                                      : memory_copy_text(machine->name);
    char *clean = utf8_clean(title);
    print_paragraph(clean, 0, 0, width, stream);
    fputc('\n', stream);
    print_cores(machine, width, stream);
    print_messages(machine, width, stream);
    print_collectives(machine, width, stream);
    print_others(machine, width, stream);
    print_origins(machine, width, stream);
    print_and_free("Read from", memory_copy_text(machine->path), width, stream);
    free(clean);
    free(title);
}

// SPDX-License-Identifier: BSD-3-Clause
// What a machine's messages and collectives cost (see machine.h); machine_file.c reads it.
#include "analyzer/simulation/cost/machine.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"

__extension__ typedef __int128 wide;

static const double most_formula_s = 3600;

/// The messages of all scopes, those with names of their own last.
static size_t n_messages(const struct machine *machine)
{
    return MACHINE_SCOPES + machine->n_custom_scopes;
}

static struct machine_messages *messages_at(struct machine *machine, size_t scope)
{
    return scope < MACHINE_SCOPES ? &machine->messages[scope]
                                  : &machine->custom_scopes[scope - MACHINE_SCOPES].messages;
}

static void *copy_of(const void *items, size_t n, size_t size_bytes)
{
    void *copy = memory_zeroed(n, size_bytes);
    if (n > 0)
        memcpy(copy, items, n * size_bytes);
    return copy;
}

void machine_view(struct machine *machine, const struct machine *whole)
{
    *machine = *whole;
    machine->is_view = true;
    machine->custom_scopes =
        copy_of(whole->custom_scopes, whole->n_custom_scopes, sizeof *whole->custom_scopes);
    machine->groups = copy_of(whole->groups, whole->n_groups, sizeof *whole->groups);
    machine->nodes = copy_of(whole->nodes, whole->n_nodes, sizeof *whole->nodes);
    for (size_t i = 0; i < n_messages(machine); i++) {
        struct machine_messages *messages = messages_at(machine, i);
        messages->points = copy_of(messages->points, messages->n_points, sizeof *messages->points);
    }
}

static void release_view(struct machine *machine)
{
    for (size_t i = 0; i < n_messages(machine); i++)
        free(messages_at(machine, i)->points);
    FREE_ALL(machine->custom_scopes, machine->groups, machine->nodes);
    *machine = (struct machine){0};
}

static void messages_release(struct machine_messages *messages)
{
    FREE_ALL(messages->points, messages->noise.quantiles);
}

void machine_release(struct machine *machine)
{
    if (machine->is_view) {
        release_view(machine);
        return;
    }
    for (size_t i = 0; i < machine->n_collectives; i++) {
        formula_free(machine->collectives[i].time);
        formula_free(machine->collectives[i].scattered_time);
        FREE_ALL(machine->collectives[i].noise.quantiles, machine->collectives[i].no_time,
                 machine->collectives[i].missing_nodes);
    }
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        messages_release(&machine->messages[scope]);
    for (size_t i = 0; i < machine->n_custom_scopes; i++) {
        free(machine->custom_scopes[i].groups);
        messages_release(&machine->custom_scopes[i].messages);
    }
    FREE_MEMBERS(machine->noises, machine->n_noises, nodes);
    FREE_MEMBERS(machine->noises, machine->n_noises, noise.quantiles);
    free(machine->noises);
    formula_free(machine->contention);
    FREE_MEMBERS(machine->groups, machine->n_groups, nodes);
    for (size_t i = 0; i < machine->n_computes; i++)
        formula_free(machine->computes[i].time);
    FREE_ALL(machine->computes, machine->custom_scopes, machine->groups, machine->nodes,
             machine->regions, machine->collectives, machine->path);
    xml_free(machine->document);
    *machine = (struct machine){0};
}

const struct machine_node *machine_node(const struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->n_nodes; i++)
        if (fnmatch(machine->nodes[i].name, name, 0) == 0)
            return &machine->nodes[i];
    return NULL;
}

static bool is_one_of(const char *const *names, size_t n, const char *node)
{
    for (size_t i = 0; i < n; i++)
        if (fnmatch(names[i], node, 0) == 0)
            return true;
    return false;
}

bool machine_group_has(const struct machine_group *group, const char *node)
{
    return is_one_of(group->nodes, group->n_nodes, node);
}

bool machine_noise_is_at(const struct machine_noise *noise, const char *node)
{
    return !noise->nodes || is_one_of(noise->nodes, noise->n_nodes, node);
}

bool machine_has_messages(const struct machine *machine)
{
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        if (machine->messages[scope].n_points > 0)
            return true;
    return false; // custom scopes need a network
}

static void leave_out_contention(struct machine *machine)
{
    machine->out_links = machine->in_links = 0;
    machine->contention = NULL;
    for (size_t i = 0; i < machine->n_groups; i++)
        machine->groups[i].out_links = machine->groups[i].in_links = 0;
    for (size_t i = 0; i < machine->n_nodes; i++)
        machine->nodes[i].out_links = machine->nodes[i].in_links = 0;
    for (size_t i = 0; i < n_messages(machine); i++)
        messages_at(machine, i)->n_buses = 0;
}

static void leave_out_bandwidth(struct machine *machine)
{
    machine->ignores_sizes = true;
    for (size_t i = 0; i < n_messages(machine); i++) {
        struct machine_messages *messages = messages_at(machine, i);
        messages->n_points = messages->n_points > 0;
        messages->bandwidth = 0;
    }
}

static void leave_out_latency(struct machine *machine)
{
    machine->is_free = true;
    for (size_t i = 0; i < n_messages(machine); i++) {
        struct machine_messages *messages = messages_at(machine, i);
        messages->send_overhead_ns = messages->receive_overhead_ns = 0;
        messages->noise = (struct noise){0}; // it belongs to the whole machine
        if (messages->n_points > 0)
            messages->points[0].time_ns = 0;
    }
}

void machine_leave_out(struct machine *machine, enum machine_part part)
{
    leave_out_contention(machine);
    if (part >= MACHINE_BANDWIDTH)
        leave_out_bandwidth(machine);
    if (part >= MACHINE_LATENCY)
        leave_out_latency(machine);
}

int machine_change_network(struct machine *machine, uint64_t latency_ns, double bandwidth,
                           uint64_t eager_bytes, struct error *err)
{
    struct machine_messages *network = &machine->messages[MACHINE_NETWORK];
    if (network->n_points == 0)
        return error_set(
            err,
            "%s has no <message scope=\"network\"> that --latency, --bandwidth or --eager "
            "could change: add one (pagoda calibrate over two nodes measures it), or "
            "delay messages with --add-latency",
            machine->path);
    if (latency_ns != PAG_NOT_KNOWN) {
        uint64_t first_ns = network->points[0].time_ns;
        for (size_t i = 0; i < network->n_points; i++) {
            uint64_t time_ns = network->points[i].time_ns + latency_ns;
            network->points[i].time_ns = time_ns > first_ns ? time_ns - first_ns : 0;
        }
    }
    if (bandwidth > 0)
        network->bandwidth = bandwidth;
    if (eager_bytes != PAG_NOT_KNOWN)
        network->eager_bytes = eager_bytes;
    return 0;
}

uint64_t machine_message_ns(const struct machine_messages *messages, uint64_t size_bytes)
{
    const struct machine_point *points = messages->points;
    if (messages->n_points == 0)
        return 0;
    if (size_bytes <= points[0].size_bytes)
        return points[0].time_ns;
    if (messages->bandwidth > 0)
        return points[0].time_ns +
               (uint64_t)((double)(size_bytes - points[0].size_bytes) * 1e9 / messages->bandwidth);
    if (messages->n_points == 1)
        return points[0].time_ns;
    size_t next = 1;
    while (next + 1 < messages->n_points && points[next].size_bytes < size_bytes)
        next++;
    const struct machine_point *from = &points[next - 1], *to = &points[next];
    wide rise = (wide)to->time_ns - (wide)from->time_ns;
    wide time_ns = (wide)from->time_ns + rise * (wide)(size_bytes - from->size_bytes) /
                                             (wide)(to->size_bytes - from->size_bytes);
    return time_ns > 0 ? (uint64_t)time_ns : 0;
}

bool machine_is_rendezvous(const struct machine_messages *messages, uint64_t size_bytes)
{
    return size_bytes > messages->eager_bytes;
}

const struct machine_collective *machine_collective(const struct machine *machine,
                                                    uint8_t operation, uint64_t size_bytes)
{
    if (machine->ignores_sizes)
        size_bytes = 0;
    for (size_t i = 0; i < machine->n_collectives; i++) {
        const struct machine_collective *collective = &machine->collectives[i];
        if (collective->operation == operation && size_bytes >= collective->from_bytes &&
            (size_bytes < collective->below_bytes || collective->below_bytes == UINT64_MAX))
            return collective;
    }
    return NULL;
}

bool machine_has_algorithms(const struct machine *machine)
{
    for (size_t i = 0; i < machine->n_collectives; i++)
        if (machine->collectives[i].algorithm != ALGORITHM_FORMULA ||
            machine->collectives[i].scattered_time)
            return true;
    return false;
}

bool machine_has_noise(const struct machine *machine)
{
    bool has_any = machine->n_noises > 0;
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        has_any = has_any || machine->messages[scope].noise.n > 0;
    for (size_t i = 0; i < machine->n_custom_scopes; i++)
        has_any = has_any || machine->custom_scopes[i].messages.noise.n > 0;
    for (size_t i = 0; i < machine->n_collectives; i++)
        has_any = has_any || machine->collectives[i].noise.n > 0;
    return has_any;
}

const char *const machine_collective_variables[MACHINE_COLLECTIVE_VARIABLES] = {"p", "b", "c"};

/// By what operations of groups hinder each other: at least 1, which it is for one of all ranks.
static double contention_of(const struct machine *machine,
                            const struct machine_operation *operation)
{
    const double values[] = {operation->n_ranks, (double)operation->size_bytes};
    if (!machine || !machine->contention || operation->n_members >= operation->n_ranks)
        return 1;
    double factor = formula_value(machine->contention, values);
    return factor < 1 ? 1 : factor;
}

uint64_t machine_operation_ns(const struct machine *machine,
                              const struct machine_collective *collective,
                              const struct machine_operation *operation)
{
    if (!collective || !collective->time || (machine && machine->is_free))
        return 0;
    bool ignores_size = machine && machine->ignores_sizes;
    const double values[] = {operation->n_members, ignores_size ? 0 : (double)operation->size_bytes,
                             contention_of(machine, operation)};
    bool has_other = operation->are_scattered && collective->scattered_time;
    double time_s =
        formula_value(has_other ? collective->scattered_time : collective->time, values);
    if (isfinite(time_s) && time_s <= most_formula_s) {
        uint64_t time_ns = time_s > 0 ? (uint64_t)llround(1e9 * time_s) : 0;
        return noise_ns(&collective->noise, time_ns, operation->luck);
    }
    if (!collective->no_time->is_any)
        *collective->no_time =
            (struct machine_no_time){true, time_s, operation->n_members, operation->size_bytes};
    return 0;
}

uint64_t machine_formula_ns(const struct machine_collective *collective, uint32_t n_members,
                            uint64_t size_bytes)
{
    const struct machine_operation operation = {
        .n_members = n_members, .size_bytes = size_bytes, .luck = NOISE_WHOLE};
    return machine_operation_ns(NULL, collective, &operation);
}

int machine_check_formulas(const struct machine *machine, struct error *err)
{
    for (size_t i = 0; i < machine->n_collectives; i++) {
        const struct machine_collective *collective = &machine->collectives[i];
        const struct machine_no_time *none = collective->no_time;
        if (none->is_any)
            return error_set(err,
                             "%s:%" PRIu32 ": <collective op=\"%s\">: the time is %g s for p = "
                             "%" PRIu32 ", b = %" PRIu64 ", it should be at most %g s",
                             machine->path, collective->line,
                             collective_operation_names[collective->operation], none->time_s,
                             none->n_members, none->size_bytes, most_formula_s);
    }
    return 0;
}

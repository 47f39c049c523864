// SPDX-License-Identifier: BSD-3-Clause
// A calendar for each node's links and each set of buses (see contention.h). What is over is
// forgotten, so that memory is bounded by the transfers under way and reserved.
#include "analyzer/whatif/contention.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/whatif/calendar.h"

enum { MAX_NEEDED = 3 };

struct contention {
    const struct scopes *scopes;
    struct calendar *calendars; // links out by node, links in by node, then buses
    size_t n_calendars;
    size_t *first_bus; // by scope, built-in and custom
    uint64_t latest_ns;
    struct contention_use use;
};

static size_t count_scopes(const struct machine *machine)
{
    return MACHINE_SCOPES + machine->n_custom_scopes;
}

/// How many sets of buses a scope has.
static size_t count_places(const struct scopes *scopes, size_t scope)
{
    if (scope == MACHINE_NODE)
        return scopes->n_nodes;
    if (scope < MACHINE_SCOPES)
        return 1;
    const struct machine_custom_scope *custom =
        &scopes->machine->custom_scopes[scope - MACHINE_SCOPES];
    return custom->is_within ? custom->n_groups : 1;
}

static uint32_t number_of(uint32_t of_node, uint32_t of_machine)
{
    return of_node > 0 ? of_node : of_machine;
}

static void put_links(struct contention *contention, const char *const *node_names)
{
    const struct machine *machine = contention->scopes->machine;
    uint32_t n_nodes = contention->scopes->n_nodes;
    for (uint32_t i = 0; i < n_nodes; i++) {
        const struct machine_node *node = machine_node(machine, node_names[i]);
        contention->calendars[i].n_all = number_of(node ? node->out_links : 0, machine->out_links);
        contention->calendars[n_nodes + i].n_all =
            number_of(node ? node->in_links : 0, machine->in_links);
    }
}

struct contention *contention_new(const struct scopes *scopes, const char *const *node_names)
{
    struct contention *contention = memory_zeroed(1, sizeof *contention);
    size_t n_scopes = count_scopes(scopes->machine), n = 2 * (size_t)scopes->n_nodes;
    bool is_limited = false;
    contention->scopes = scopes;
    contention->first_bus = memory_zeroed(n_scopes, sizeof *contention->first_bus);
    for (size_t scope = 0; scope < n_scopes; scope++) {
        contention->first_bus[scope] = n;
        n += count_places(scopes, scope);
    }
    contention->calendars = memory_zeroed(n, sizeof *contention->calendars);
    contention->n_calendars = n;
    put_links(contention, node_names);
    for (uint32_t scope = 0; scope < n_scopes; scope++)
        for (size_t i = count_places(scopes, scope); i-- > 0;)
            contention->calendars[contention->first_bus[scope] + i].n_all =
                scopes_messages(scopes, scope)->n_buses;
    for (size_t i = 0; i < n; i++)
        is_limited = is_limited || contention->calendars[i].n_all > 0;
    if (is_limited)
        return contention;
    contention_free(contention);
    return NULL;
}

void contention_free(struct contention *contention)
{
    if (!contention)
        return;
    for (size_t i = 0; i < contention->n_calendars; i++)
        calendar_release(&contention->calendars[i]);
    free(contention->calendars);
    free(contention->first_bus);
    free(contention);
}

/// What a message needs, of what there is a limited number.
static size_t find_needed(struct contention *contention, uint32_t sender, uint32_t receiver,
                          struct scope scope, struct calendar **needed)
{
    const struct scopes *scopes = contention->scopes;
    bool is_remote = scopes_is_remote(scopes, sender, receiver);
    bool is_for_remote = scope.index != MACHINE_NODE && scope.index != MACHINE_CORE;
    struct calendar *wanted[MAX_NEEDED];
    size_t n_wanted = 0, n = 0;
    if (is_remote) {
        wanted[n_wanted++] = &contention->calendars[scopes->node_of_rank[sender]];
        wanted[n_wanted++] =
            &contention->calendars[scopes->n_nodes + scopes->node_of_rank[receiver]];
    }
    if (is_remote == is_for_remote)
        wanted[n_wanted++] =
            &contention->calendars[contention->first_bus[scope.index] + scope.place];
    for (size_t i = 0; i < n_wanted; i++)
        if (wanted[i]->n_all > 0)
            needed[n++] = wanted[i];
    return n;
}

/// The earliest begin, not before READY_NS, at which all is free for LENGTH_NS.
static uint64_t find_begin(struct calendar *const *needed, size_t n_needed, uint64_t ready_ns,
                           uint64_t length_ns)
{
    uint64_t begin_ns = ready_ns;
    for (size_t n_free = 0, i = 0; n_free < n_needed; i = (i + 1) % n_needed) {
        uint64_t free_ns = calendar_conflict_end(needed[i], begin_ns, begin_ns + length_ns);
        n_free = free_ns == begin_ns ? n_free + 1 : 0;
        begin_ns = free_ns;
    }
    return begin_ns;
}

uint64_t contention_transfer(struct contention *contention, uint32_t sender, uint32_t receiver,
                             uint64_t size_bytes, uint64_t ready_ns)
{
    struct scope scope = scopes_find(contention->scopes, sender, receiver);
    const struct machine_messages *messages = scopes_messages(contention->scopes, scope.index);
    uint64_t time_ns = machine_message_ns(messages, size_bytes);
    uint64_t latency_ns = messages->n_points > 0 ? messages->points[0].time_ns : 0;
    struct calendar *needed[MAX_NEEDED];
    size_t n_needed = find_needed(contention, sender, receiver, scope, needed);
    contention->use.n_messages++;
    if (n_needed == 0 || time_ns <= latency_ns)
        return ready_ns + time_ns;
    if (ready_ns > contention->latest_ns)
        contention->latest_ns = ready_ns;
    for (size_t i = 0; i < n_needed; i++)
        calendar_forget(needed[i], contention->latest_ns);
    uint64_t length_ns = time_ns - latency_ns;
    uint64_t begin_ns = find_begin(needed, n_needed, ready_ns, length_ns);
    for (size_t i = 0; i < n_needed; i++)
        calendar_reserve(needed[i], begin_ns, begin_ns + length_ns);
    contention->use.n_delayed += begin_ns > ready_ns;
    contention->use.delayed_ns += begin_ns - ready_ns;
    return begin_ns + time_ns;
}

struct contention_use contention_use(const struct contention *contention)
{
    return contention ? contention->use : (struct contention_use){0};
}

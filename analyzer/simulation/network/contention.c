// SPDX-License-Identifier: BSD-3-Clause
// A calendar for each node's links and each set of buses (see contention.h). What is over is
// forgotten, so that memory is bounded by the transfers under way and reserved.
#include "analyzer/simulation/network/contention.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

// --- calendars

/// The first step after TIME_NS.
static size_t step_after(const struct calendar *calendar, uint64_t time_ns)
{
    size_t after;
    SEARCH(after, calendar->first, calendar->n_steps, i, calendar->steps[i].time_ns <= time_ns);
    return after;
}

static uint32_t used_before(const struct calendar *calendar, size_t step)
{
    return step > calendar->first ? calendar->steps[step - 1].n_used : 0;
}

uint64_t calendar_conflict_end(const struct calendar *calendar, uint64_t begin_ns, uint64_t end_ns)
{
    if (begin_ns >= end_ns)
        return begin_ns;
    size_t next = step_after(calendar, begin_ns);
    // Steps [next - 1, next) hold at begin_ns.
    while (used_before(calendar, next) < calendar->n_all) {
        if (next == calendar->n_steps || calendar->steps[next].time_ns >= end_ns)
            return begin_ns;
        next++;
    }
    while (calendar->steps[next].n_used >= calendar->n_all)
        next++; // the last step uses none
    return calendar->steps[next].time_ns;
}

/// The step at TIME_NS, made if there is none.
static size_t split(struct calendar *calendar, uint64_t time_ns)
{
    size_t next = step_after(calendar, time_ns);
    if (next > calendar->first && calendar->steps[next - 1].time_ns == time_ns)
        return next - 1;
    struct calendar_step step = {time_ns, used_before(calendar, next)};
    calendar->steps = array_reserve(calendar->steps, &calendar->capacity, calendar->n_steps + 1,
                                    sizeof *calendar->steps);
    memmove(&calendar->steps[next + 1], &calendar->steps[next],
            (calendar->n_steps - next) * sizeof *calendar->steps);
    calendar->steps[next] = step;
    calendar->n_steps++;
    return next;
}

/// Takes out the step AT if it changes nothing.
static void join(struct calendar *calendar, size_t at)
{
    if (calendar->steps[at].n_used != used_before(calendar, at))
        return;
    calendar->n_steps--;
    memmove(&calendar->steps[at], &calendar->steps[at + 1],
            (calendar->n_steps - at) * sizeof *calendar->steps);
}

void calendar_reserve(struct calendar *calendar, uint64_t begin_ns, uint64_t end_ns)
{
    size_t begin = split(calendar, begin_ns), end = split(calendar, end_ns);
    for (size_t i = begin; i < end; i++)
        calendar->steps[i].n_used++;
    join(calendar, end);
    join(calendar, begin);
}

void calendar_forget(struct calendar *calendar, uint64_t time_ns)
{
    size_t next = step_after(calendar, time_ns);
    if (next > calendar->first + 1)
        calendar->first = next - 1; // holds at TIME_NS
    if (calendar->first <= calendar->n_steps / 2)
        return;
    calendar->n_steps -= calendar->first;
    memmove(calendar->steps, &calendar->steps[calendar->first],
            calendar->n_steps * sizeof *calendar->steps);
    calendar->first = 0;
}

void calendar_release(struct calendar *calendar)
{
    free(calendar->steps);
    *calendar = (struct calendar){0};
}

// --- messages

struct contention {
    const struct scopes *scopes;
    struct calendar *calendars; // links out and in by node, the same by group, then buses
    size_t n_calendars, first_group;
    size_t *first_bus;        // by scope, built-in and custom
    bool *is_in_group;        // by group and node
    struct calendar **needed; // of the message at hand
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
        if (!contention->scopes->has_ranks[i])
            continue;
        const struct machine_node *node = machine_node(machine, node_names[i]);
        contention->calendars[i].n_all = number_of(node ? node->out_links : 0, machine->out_links);
        contention->calendars[n_nodes + i].n_all =
            number_of(node ? node->in_links : 0, machine->in_links);
    }
    struct calendar *links = &contention->calendars[contention->first_group];
    for (size_t g = 0; g < machine->n_groups; g++) {
        links[2 * g].n_all = machine->groups[g].out_links;
        links[2 * g + 1].n_all = machine->groups[g].in_links;
        for (uint32_t i = 0; i < n_nodes; i++)
            contention->is_in_group[g * n_nodes + i] =
                machine_group_has(&machine->groups[g], node_names[i]);
    }
}

struct contention *contention_new(const struct scopes *scopes, const char *const *node_names)
{
    struct contention *contention = memory_zeroed(1, sizeof *contention);
    size_t n_scopes = count_scopes(scopes->machine), n_groups = scopes->machine->n_groups;
    size_t n = 2 * scopes->n_nodes + 2 * n_groups;
    bool is_limited = false;
    contention->scopes = scopes;
    contention->first_group = 2 * (size_t)scopes->n_nodes;
    contention->is_in_group = memory_zeroed(n_groups * scopes->n_nodes + 1, sizeof(bool));
    contention->needed = memory_zeroed(3 + 2 * n_groups, sizeof *contention->needed);
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
    FREE_ALL(contention->calendars, contention->first_bus, contention->is_in_group,
             contention->needed, contention);
}

/// Adds one more need, of which there is a limited number.
static void need(struct contention *contention, size_t calendar, size_t *n)
{
    if (contention->calendars[calendar].n_all > 0)
        contention->needed[(*n)++] = &contention->calendars[calendar];
}

/// What a message needs, of what there is a limited number, into contention->needed.
static size_t find_needed(struct contention *contention, uint32_t sender, uint32_t receiver,
                          struct scope scope)
{
    const struct scopes *scopes = contention->scopes;
    uint32_t from = scopes->node_of_rank[sender], to = scopes->node_of_rank[receiver];
    bool is_for_remote = scope.index != MACHINE_NODE && scope.index != MACHINE_CORE;
    size_t n = 0;
    if ((from != to) == is_for_remote)
        need(contention, contention->first_bus[scope.index] + scope.place, &n);
    if (from == to)
        return n;
    need(contention, from, &n);
    need(contention, scopes->n_nodes + to, &n);
    for (size_t g = 0; g < scopes->machine->n_groups; g++) {
        const bool *is_in_group = &contention->is_in_group[g * scopes->n_nodes];
        if (is_in_group[from] != is_in_group[to])
            need(contention, contention->first_group + 2 * g + is_in_group[to], &n);
    }
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
                             uint64_t size_bytes, uint64_t ready_ns, uint32_t luck)
{
    struct scope scope = scopes_find(contention->scopes, sender, receiver);
    const struct machine_messages *messages = scopes_messages(contention->scopes, scope.index);
    uint64_t latency_ns = messages->n_points > 0 ? messages->points[0].time_ns : 0;
    uint64_t time_ns = noise_ns(&messages->noise, machine_message_ns(messages, size_bytes), luck);
    latency_ns = noise_ns(&messages->noise, latency_ns, luck);
    size_t n_needed = find_needed(contention, sender, receiver, scope);
    struct calendar **needed = contention->needed;
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

// SPDX-License-Identifier: BSD-3-Clause
// What lies between two ranks of a predicted run on a machine: the scope of their messages, and the
// links and buses they have to share. From pagoda-machine(5), all of it by search.
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "tests/reference/predicted_costs.h"
#include "tests/reference/predicted_state.h"

enum scope_kind { SCOPE_CORE, SCOPE_NODE, SCOPE_OWN, SCOPE_NETWORK };

/// The scope two ranks use.
struct choice {
    enum scope_kind kind;
    uint32_t own;   // which one of those with a name of their own
    uint32_t place; // the node, or the group of those the scope is within
    const struct scenario_messages *messages;
};

/// A message on its way, or with the right to go later.
struct passage {
    uint64_t begin_ns, end_ns;
    uint32_t from, to; // nodes
    struct choice choice;
};

struct traffic {
    const struct predicted_scenario *scenario;
    struct passage *passages;
    size_t n, capacity;
};

uint32_t machine_cores_of(const struct predicted_scenario *scenario, uint32_t node)
{
    uint32_t of_node = scenario->has_machine ? scenario->machine.nodes[node].n_cores : 0;
    return scenario->n_cores && of_node ? of_node : scenario->n_cores;
}

uint64_t machine_speed_of(const struct predicted_scenario *scenario, uint32_t node)
{
    if (scenario->node_speed[node])
        return scenario->node_speed[node];
    if (scenario->has_machine && scenario->machine.nodes[node].speed)
        return scenario->machine.nodes[node].speed;
    return scenario->speed;
}

/// Which core of its node a rank stays on, when it stays on one.
static uint32_t core_of(const struct predicted_scenario *scenario, uint32_t rank)
{
    uint32_t n_before = 0;
    for (uint32_t other = 0; other < rank; other++)
        n_before += scenario->node[other] == scenario->node[rank];
    return n_before % machine_cores_of(scenario, scenario->node[rank]);
}

static bool share_core(const struct predicted_scenario *scenario, uint32_t rank, uint32_t other)
{
    if (rank == other)
        return true;
    if (scenario->n_cores == 0 || scenario->node[rank] != scenario->node[other])
        return false;
    if (machine_cores_of(scenario, scenario->node[rank]) == 1)
        return true;
    return scenario->is_sticky && core_of(scenario, rank) == core_of(scenario, other);
}

/// The first group of SCOPE that NODE is in, n_groups without one.
static uint32_t group_of(const struct scenario_scope *scope, uint32_t node)
{
    uint32_t g = 0;
    while (g < scope->n_groups && !(scope->groups[g] >> node & 1))
        g++;
    return g;
}

static bool holds(const struct scenario_scope *scope, uint32_t node, uint32_t other)
{
    uint32_t a = group_of(scope, node), b = group_of(scope, other);
    return a < scope->n_groups && b < scope->n_groups && (a == b) == scope->is_within;
}

static struct choice choose(const struct predicted_scenario *scenario, uint32_t rank,
                            uint32_t other)
{
    const struct scenario_machine *machine = &scenario->machine;
    uint32_t node = scenario->node[rank], other_node = scenario->node[other];
    if (machine->core.is_given && share_core(scenario, rank, other))
        return (struct choice){SCOPE_CORE, 0, 0, &machine->core};
    if (machine->node.is_given && node == other_node)
        return (struct choice){SCOPE_NODE, 0, node, &machine->node};
    for (uint32_t i = 0; i < machine->n_scopes; i++) {
        const struct scenario_scope *scope = &machine->scopes[i];
        if (holds(scope, node, other_node))
            return (struct choice){SCOPE_OWN, i, scope->is_within ? group_of(scope, node) : 0,
                                   &scope->messages};
    }
    if (machine->network.is_given)
        return (struct choice){SCOPE_NETWORK, 0, 0, &machine->network};
    if (machine->node.is_given)
        return (struct choice){SCOPE_NODE, 0, node, &machine->node};
    return (struct choice){SCOPE_CORE, 0, 0, &machine->core};
}

const struct scenario_messages *machine_messages_between(const struct predicted_scenario *scenario,
                                                         uint32_t rank, uint32_t other)
{
    return choose(scenario, rank, other).messages;
}

/// Linear between the points, the last slope beyond them.
uint64_t machine_transfer_ns(const struct scenario_messages *messages, uint64_t bytes)
{
    uint32_t n = messages->n_points, upper = 1;
    if (n == 1 || bytes <= messages->bytes[0])
        return messages->time_ns[0];
    while (upper + 1 < n && messages->bytes[upper] < bytes)
        upper++;
    __int128 x0 = messages->bytes[upper - 1], x1 = messages->bytes[upper];
    __int128 y0 = messages->time_ns[upper - 1], y1 = messages->time_ns[upper];
    __int128 time_ns = y0 + (y1 - y0) * ((__int128)bytes - x0) / (x1 - x0);
    return time_ns > 0 ? (uint64_t)time_ns : 0;
}

static bool scope_has_links(const struct scenario_scope *scope)
{
    for (uint32_t g = 0; g < scope->n_groups; g++)
        if (scope->out_links[g] || scope->in_links[g])
            return true;
    return false;
}

bool scenario_has_contention(const struct predicted_scenario *scenario, uint32_t n_ranks)
{
    const struct scenario_machine *machine = &scenario->machine;
    if (!scenario->has_machine)
        return false;
    bool has = machine->out_links || machine->in_links || machine->node.n_buses ||
               machine->network.n_buses;
    for (uint32_t i = 0; i < machine->n_scopes; i++)
        has = has || machine->scopes[i].messages.n_buses || scope_has_links(&machine->scopes[i]);
    for (uint32_t r = 0; r < n_ranks; r++) {
        const struct scenario_node *node = &machine->nodes[scenario->node[r]];
        has = has || node->out_links || node->in_links;
    }
    return has;
}

// --- links and buses

struct traffic *traffic_new(const struct predicted_scenario *scenario)
{
    struct traffic *traffic = memory_zeroed(1, sizeof *traffic);
    traffic->scenario = scenario;
    return traffic;
}

void traffic_free(struct traffic *traffic)
{
    if (!traffic)
        return;
    FREE_ALL(traffic->passages, traffic);
}

/// Do these messages go by buses, and the same ones? Nobody does whose scope is not meant for him.
static bool share_buses(const struct passage *a, const struct passage *b)
{
    bool is_remote = a->from != a->to, is_for_remote = a->choice.kind >= SCOPE_OWN;
    if (is_remote != is_for_remote || (b->from != b->to) != is_remote)
        return false;
    return a->choice.kind == b->choice.kind && a->choice.own == b->choice.own &&
           a->choice.place == b->choice.place;
}

static uint32_t links_of(uint32_t of_node, uint32_t of_machine)
{
    uint32_t n = of_node ? of_node : of_machine;
    return n ? n : UINT32_MAX;
}

/// Does the message leave these nodes?
static bool leaves(const struct passage *passage, uint32_t nodes)
{
    return (nodes >> passage->from & 1) && !(nodes >> passage->to & 1);
}

/// Can OWN leave, or enter, these nodes at TIME_NS through one of so many links?
static bool has_link(const struct traffic *traffic, const struct passage *own, uint64_t time_ns,
                     uint32_t nodes, uint32_t n_links)
{
    uint32_t n = 0;
    if (n_links == 0 || !leaves(own, nodes))
        return true;
    for (size_t i = 0; i < traffic->n; i++) {
        const struct passage *other = &traffic->passages[i];
        n += time_ns >= other->begin_ns && time_ns < other->end_ns && leaves(other, nodes);
    }
    return n < n_links;
}

static bool has_group_links(const struct traffic *traffic, const struct passage *own,
                            uint64_t time_ns)
{
    const struct scenario_machine *machine = &traffic->scenario->machine;
    for (uint32_t i = 0; i < machine->n_scopes; i++) {
        const struct scenario_scope *scope = &machine->scopes[i];
        for (uint32_t g = 0; g < scope->n_groups; g++) // who enters the others leaves these
            if (!has_link(traffic, own, time_ns, scope->groups[g], scope->out_links[g]) ||
                !has_link(traffic, own, time_ns, ~scope->groups[g], scope->in_links[g]))
                return false;
    }
    return true;
}

/// Could OWN be under way at TIME_NS besides all that is?
static bool has_room_at(const struct traffic *traffic, const struct passage *own, uint64_t time_ns)
{
    const struct scenario_machine *machine = &traffic->scenario->machine;
    uint32_t n_out = 0, n_in = 0, n_bus = 0;
    bool is_remote = own->from != own->to;
    for (size_t i = 0; i < traffic->n; i++) {
        const struct passage *other = &traffic->passages[i];
        if (time_ns < other->begin_ns || time_ns >= other->end_ns)
            continue;
        bool is_other_remote = other->from != other->to;
        n_out += is_remote && is_other_remote && own->from == other->from;
        n_in += is_remote && is_other_remote && own->to == other->to;
        n_bus += share_buses(own, other);
    }
    uint32_t n_buses = own->choice.messages->n_buses;
    return n_out < links_of(machine->nodes[own->from].out_links, machine->out_links) &&
           n_in < links_of(machine->nodes[own->to].in_links, machine->in_links) &&
           (n_buses == 0 || n_bus < n_buses) && has_group_links(traffic, own, time_ns);
}

/// Is there room for OWN all the time from its begin to its end? What is in the way can only begin
/// or have begun when something begins.
static bool has_room(const struct traffic *traffic, const struct passage *own)
{
    if (!has_room_at(traffic, own, own->begin_ns))
        return false;
    for (size_t i = 0; i < traffic->n; i++) {
        uint64_t begin_ns = traffic->passages[i].begin_ns;
        if (begin_ns > own->begin_ns && begin_ns < own->end_ns &&
            !has_room_at(traffic, own, begin_ns))
            return false;
    }
    return true;
}

/// When a message that is ready at READY_NS arrives, which comes later than all asked for so far.
static uint64_t traffic_arrival(struct traffic *traffic, const struct model_send *send,
                                uint64_t ready_ns)
{
    const struct predicted_scenario *scenario = traffic->scenario;
    struct passage own = {.from = scenario->node[send->sender],
                          .to = scenario->node[send->receiver],
                          .choice = choose(scenario, send->sender, send->receiver)};
    uint64_t time_ns = machine_transfer_ns(own.choice.messages, send->now_bytes);
    uint64_t empty_ns = own.choice.messages->time_ns[0];
    if (time_ns <= empty_ns)
        return ready_ns + time_ns;
    // It begins when it is ready or when another one ends, whatever comes first.
    uint64_t begin_ns = ready_ns;
    for (;;) {
        own.begin_ns = begin_ns;
        own.end_ns = begin_ns + time_ns - empty_ns;
        if (has_room(traffic, &own))
            break;
        uint64_t next_ns = UINT64_MAX;
        for (size_t i = 0; i < traffic->n; i++) {
            uint64_t end_ns = traffic->passages[i].end_ns;
            if (end_ns > begin_ns && end_ns < next_ns)
                next_ns = end_ns;
        }
        begin_ns = next_ns;
    }
    *ARRAY_NEXT(traffic->passages, traffic->n, traffic->capacity) = own;
    return begin_ns + time_ns;
}

// --- In which order messages go that hinder each other on links and buses.

/// When a message can go, UNKNOWN: not known yet.
static uint64_t ready_ns(const struct prediction_state *state, const struct model_send *send)
{
    const struct model *model = state->model;
    uint64_t departed_ns = state->times.departed_ns[send->call];
    if (send->is_unsent)
        return UNKNOWN;
    if (departed_ns == UNKNOWN || !is_waiting_send(model, send))
        return departed_ns;
    if (send->receive == REFERENCE_NONE)
        return UNKNOWN;
    uint64_t posted_ns = state->times.enter_ns[model->receives[send->receive].post_call];
    return posted_ns > departed_ns ? posted_ns : departed_ns;
}

/// A message that can go: of the program, or of a collective operation.
struct departure {
    uint64_t ready_ns;
    uint32_t sender;
    bool is_part;
    size_t record; // sent, or operation entered
    uint32_t order;
    size_t index;
};

static int in_order(const void *left, const void *right)
{
    const struct departure *a = left, *b = right;
    if (a->ready_ns != b->ready_ns)
        return a->ready_ns < b->ready_ns ? -1 : 1;
    if (a->sender != b->sender)
        return a->sender < b->sender ? -1 : 1;
    if (a->is_part != b->is_part)
        return a->is_part ? 1 : -1;
    if (a->record != b->record)
        return a->record < b->record ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/// All messages that can go by what is known, in their order; the caller frees.
static struct departure *find_departures(struct prediction_state *state, size_t *n)
{
    const struct model *model = state->model;
    struct part_messages *parts = state->times.parts;
    find_part_messages(model);
    struct departure *departures = memory_zeroed(model->n_sends + parts->n + 1, sizeof *departures);
    *n = 0;
    for (size_t i = 0; i < model->n_sends; i++) {
        const struct model_send *send = &model->sends[i];
        uint64_t own_ns = state->times.arrived_ns[i] == UNKNOWN ? ready_ns(state, send) : UNKNOWN;
        if (own_ns != UNKNOWN)
            departures[(*n)++] =
                (struct departure){own_ns, send->sender, false, send->record, 0, i};
    }
    for (size_t i = 0; i < parts->n; i++) {
        const struct part_message *message = &parts->items[i];
        if (message->arrived_ns == UNKNOWN)
            departures[(*n)++] = (struct departure){message->ready_ns,    message->sender, true,
                                                    message->post_record, message->order,  i};
    }
    qsort(departures, *n, sizeof *departures, in_order);
    return departures;
}

bool begin_transfers(struct prediction_state *state, uint64_t limit_ns)
{
    size_t n;
    SCOPED struct departure *departures = find_departures(state, &n);
    uint64_t until_ns = n > 0 ? departures[0].ready_ns : UNKNOWN;
    if (until_ns < state->now_ns)
        until_ns = state->now_ns;
    bool has_any = n > 0 && until_ns < limit_ns;
    for (size_t i = 0; i < n && has_any && departures[i].ready_ns <= until_ns; i++) {
        const struct departure *departure = &departures[i];
        if (!departure->is_part) {
            state->times.arrived_ns[departure->index] = traffic_arrival(
                state->traffic, &state->model->sends[departure->index], departure->ready_ns);
            continue;
        }
        struct part_message *message = &state->times.parts->items[departure->index];
        const struct model_send send = {
            .sender = message->sender, .receiver = message->receiver, .now_bytes = message->bytes};
        message->arrived_ns = traffic_arrival(state->traffic, &send, departure->ready_ns);
    }
    return has_any;
}

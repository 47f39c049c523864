// SPDX-License-Identifier: BSD-3-Clause
// The scope of two ranks (see scopes.h).
#include "analyzer/simulation/cost/scopes.h"

#include <fnmatch.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

#define NO_ZONE UINT32_MAX

// --- names of nodes in the file

/// A name or glob somewhere in the file.
struct mention {
    const char *name;
    uint32_t line;
};

/// The group of this name, NULL: there is none.
static const struct machine_group *find_group(const struct machine *machine, const char *name)
{
    return ITEM_BY(machine->groups, machine->n_groups, name, name);
}

/// All mentions of nodes; the caller frees.
static struct mention *find_mentions(const struct machine *machine, size_t *n)
{
    struct mention *mentions = NULL;
    size_t capacity = 0;
    *n = 0;
    for (size_t i = 0; i < machine->n_nodes; i++) {
        mentions = array_reserve(mentions, &capacity, *n + 1, sizeof *mentions);
        mentions[(*n)++] = (struct mention){machine->nodes[i].name, machine->nodes[i].line};
    }
    for (size_t i = 0; i < machine->n_groups; i++) {
        const struct machine_group *group = &machine->groups[i];
        mentions = array_reserve(mentions, &capacity, *n + group->n_nodes, sizeof *mentions);
        for (size_t k = 0; k < group->n_nodes; k++)
            mentions[(*n)++] = (struct mention){group->nodes[k], group->line};
    }
    for (size_t i = 0; i < machine->n_noises; i++) {
        const struct machine_noise *noise = &machine->noises[i];
        mentions = array_reserve(mentions, &capacity, *n + noise->n_nodes, sizeof *mentions);
        for (size_t k = 0; k < noise->n_nodes; k++)
            mentions[(*n)++] = (struct mention){noise->nodes[k], noise->line};
    }
    for (size_t i = 0; i < machine->n_custom_scopes; i++) {
        const struct machine_custom_scope *scope = &machine->custom_scopes[i];
        mentions = array_reserve(mentions, &capacity, *n + scope->n_groups, sizeof *mentions);
        for (size_t k = 0; k < scope->n_groups; k++)
            if (!find_group(machine, scope->groups[k]))
                mentions[(*n)++] = (struct mention){scope->groups[k], scope->line};
    }
    return mentions;
}

/// Host17 and host18 are two hosts, not one and a slip.
static bool differ_in_digits_only(const char *name, const char *other)
{
    static const char digits[] = "0123456789";
    for (;;) {
        name += strspn(name, digits);
        other += strspn(other, digits);
        if (*name != *other)
            return false;
        if (!*name)
            return true;
        name++;
        other++;
    }
}

/// The node of NAMES that MENTION without ranks is a slip for: near, and not mentioned itself.
static const char *meant_by(const struct mention *mention, const struct mention *mentions,
                            size_t n_mentions, const char *const *names, size_t n_names)
{
    SCOPED const char **candidates = memory_zeroed(n_names, sizeof *candidates);
    size_t n = 0;
    for (size_t i = 0; i < n_names; i++) {
        bool is_candidate = !differ_in_digits_only(mention->name, names[i]);
        for (size_t k = 0; k < n_mentions && is_candidate; k++)
            is_candidate = fnmatch(mentions[k].name, names[i], 0) != 0;
        if (is_candidate)
            candidates[n++] = names[i];
    }
    return spelling_nearest(mention->name, candidates, n);
}

static bool has_ranks(const struct mention *mention, const char *const *names, size_t n_names)
{
    for (size_t i = 0; i < n_names; i++)
        if (fnmatch(mention->name, names[i], 0) == 0)
            return true;
    return false;
}

/// Checks the names of nodes in the file against NAMES, those that ranks run on. Nodes without
/// ranks are no error, except one that looks like a slip for a node of NAMES that the file does not
/// name, and all of them. 0, or -1 and ERR with the place.
static int check_nodes(const struct machine *machine, const char *const *names, size_t n_names,
                       struct error *err)
{
    size_t n, n_with_ranks = 0;
    int status = 0;
    SCOPED struct mention *mentions = find_mentions(machine, &n);
    for (size_t i = 0; i < n && status == 0; i++) {
        if (has_ranks(&mentions[i], names, n_names)) {
            n_with_ranks++;
            continue;
        }
        const char *nearest = meant_by(&mentions[i], mentions, n, names, n_names);
        if (nearest)
            status = error_set(err, "%s:%u: no rank runs on a node %s; is it %s?", machine->path,
                               mentions[i].line, mentions[i].name, nearest);
    }
    if (status == 0 && n > 0 && n_with_ranks == 0 && n_names > 0)
        status = error_set(err,
                           "%s:%u: no rank runs on a node %s, or on any other of this file; "
                           "they run on %s%s",
                           machine->path, mentions[0].line, mentions[0].name, names[0],
                           n_names > 1 ? " and others" : "");
    return status;
}

// --- the scopes of a run

static bool is_node_in(const struct machine *machine, const char *name, const char *node)
{
    const struct machine_group *group = find_group(machine, name);
    return group ? machine_group_has(group, node) : fnmatch(name, node, 0) == 0;
}

/// The first of the scope's groups that NODE is in.
static uint32_t zone_of(const struct machine *machine, const struct machine_custom_scope *scope,
                        const char *node)
{
    for (uint32_t i = 0; i < scope->n_groups; i++)
        if (is_node_in(machine, scope->groups[i], node))
            return i;
    return NO_ZONE;
}

int scopes_init(struct scopes *scopes, const struct machine *machine,
                const struct placement *placement, const uint32_t *group_of_rank,
                const struct core_group *groups, struct error *err)
{
    *scopes = (struct scopes){.machine = machine,
                              .node_of_rank = placement->node_of_rank,
                              .group_of_rank = group_of_rank,
                              .groups = groups,
                              .n_nodes = placement->n_nodes};
    if (!machine)
        return 0;
    scopes->has_ranks = memory_zeroed(placement->n_nodes, sizeof *scopes->has_ranks);
    SCOPED const char **names = memory_zeroed(placement->n_nodes, sizeof *names);
    size_t n_names = 0;
    for (uint32_t site = 0; site < placement_n_sites(placement); site++)
        scopes->has_ranks[placement->node_of_rank[site]] = true;
    for (uint32_t node = 0; node < placement->n_nodes; node++)
        if (scopes->has_ranks[node])
            names[n_names++] = placement->node_names[node];
    int status = check_nodes(machine, names, n_names, err);
    if (status != 0)
        return -1;
    scopes->zone_of_node = memory_zeroed(machine->n_custom_scopes * placement->n_nodes + 1,
                                         sizeof *scopes->zone_of_node);
    for (size_t i = 0; i < machine->n_custom_scopes; i++)
        for (uint32_t node = 0; node < placement->n_nodes; node++)
            scopes->zone_of_node[i * placement->n_nodes + node] =
                zone_of(machine, &machine->custom_scopes[i], placement->node_names[node]);
    return 0;
}

void scopes_release(struct scopes *scopes)
{
    FREE_ALL(scopes->has_ranks, scopes->zone_of_node);
    *scopes = (struct scopes){0};
}

bool scopes_is_remote(const struct scopes *scopes, uint32_t rank, uint32_t other)
{
    return scopes->node_of_rank[rank] != scopes->node_of_rank[other];
}

static bool share_core(const struct scopes *scopes, uint32_t rank, uint32_t other)
{
    uint32_t group = scopes->group_of_rank[rank];
    return rank == other ||
           (group == scopes->group_of_rank[other] && scopes->groups[group].n_cores == 1);
}

static bool is_given(const struct scopes *scopes, uint32_t index)
{
    return scopes->machine->messages[index].n_points > 0;
}

/// The first custom scope that holds between two nodes; false when none does.
static bool find_custom(const struct scopes *scopes, uint32_t node, uint32_t other,
                        struct scope *found)
{
    const struct machine *machine = scopes->machine;
    for (uint32_t i = 0; i < machine->n_custom_scopes; i++) {
        const uint32_t *zones = &scopes->zone_of_node[(size_t)i * scopes->n_nodes];
        bool is_within = machine->custom_scopes[i].is_within;
        if (zones[node] == NO_ZONE || zones[other] == NO_ZONE ||
            (zones[node] == zones[other]) != is_within)
            continue;
        *found = (struct scope){MACHINE_SCOPES + i, is_within ? zones[node] : 0};
        return true;
    }
    return false;
}

struct scope scopes_find(const struct scopes *scopes, uint32_t sender, uint32_t receiver)
{
    uint32_t node = scopes->node_of_rank[sender];
    struct scope found;
    if (is_given(scopes, MACHINE_CORE) && share_core(scopes, sender, receiver))
        return (struct scope){MACHINE_CORE, 0};
    if (is_given(scopes, MACHINE_NODE) && !scopes_is_remote(scopes, sender, receiver))
        return (struct scope){MACHINE_NODE, node};
    if (find_custom(scopes, node, scopes->node_of_rank[receiver], &found))
        return found;
    if (is_given(scopes, MACHINE_NETWORK))
        return (struct scope){MACHINE_NETWORK, 0};
    return (struct scope){is_given(scopes, MACHINE_NODE) ? MACHINE_NODE : MACHINE_CORE, node};
}

const struct machine_messages *scopes_messages(const struct scopes *scopes, uint32_t index)
{
    return index < MACHINE_SCOPES
               ? &scopes->machine->messages[index]
               : &scopes->machine->custom_scopes[index - MACHINE_SCOPES].messages;
}

const struct machine_messages *scopes_between(const struct scopes *scopes, uint32_t sender,
                                              uint32_t receiver)
{
    return scopes_messages(scopes, scopes_find(scopes, sender, receiver).index);
}

/// Number of a node among those of the machine, of which some are missing.
static uint32_t node_place(const struct machine_collective *entry, uint32_t node)
{
    for (size_t i = 0; i < entry->n_missing_nodes && entry->missing_nodes[i] <= node; i++)
        node++;
    return node;
}

bool scopes_in_row(const struct scopes *scopes, const bool *are_used,
                   const struct machine_collective *entry, uint32_t *n)
{
    uint32_t first = 0, last = scopes->n_nodes - 1;
    while (!are_used[first])
        first++;
    while (!are_used[last])
        last--;
    bool are = node_place(entry, last) - last == node_place(entry, first) - first;
    for (uint32_t node = first; are && node < last; node++)
        are = are_used[node];
    *n = last - first + 1;
    return are;
}

// SPDX-License-Identifier: BSD-3-Clause
// The scope of two ranks (see scopes.h).
#include "analyzer/simulation/cost/scopes.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

#define NO_ZONE UINT32_MAX

static bool is_node_in(const struct machine *machine, const char *group, const char *node)
{
    for (size_t g = 0; g < machine->n_groups; g++)
        if (strcmp(machine->groups[g].name, group) == 0)
            return machine_group_has(&machine->groups[g], node);
    return fnmatch(group, node, 0) == 0;
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
    const char **names = memory_zeroed(placement->n_nodes, sizeof *names);
    size_t n_names = 0;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        scopes->has_ranks[placement->node_of_rank[rank]] = true;
    for (uint32_t node = 0; node < placement->n_nodes; node++)
        if (scopes->has_ranks[node])
            names[n_names++] = placement->node_names[node];
    int status = machine_check_nodes(machine, names, n_names, err);
    free(names);
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
    free(scopes->has_ranks);
    free(scopes->zone_of_node);
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

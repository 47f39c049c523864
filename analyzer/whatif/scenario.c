// SPDX-License-Identifier: BSD-3-Clause
// Scenarios (see scenario.h).
#include "analyzer/whatif/scenario.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/spelling.h"

void scenario_alone(struct scenario *scenario, const struct definitions *definitions)
{
    uint32_t n = (uint32_t)definitions->n_ranks;
    *scenario = (struct scenario){
        .group_of_rank = memory_zeroed(n, sizeof *scenario->group_of_rank),
        .groups = memory_zeroed(n, sizeof *scenario->groups),
        .n_groups = n,
    };
    placement_recorded(&scenario->placement, definitions);
    for (uint32_t rank = 0; rank < n; rank++) {
        scenario->group_of_rank[rank] = rank;
        scenario->groups[rank] = (struct core_group){1, SCHEDULER_FULL_SPEED, 0};
    }
}

void scenario_release(struct scenario *scenario)
{
    placement_release(&scenario->placement);
    free(scenario->group_of_rank);
    free(scenario->groups);
    free(scenario->scales_of_region);
    *scenario = (struct scenario){0};
}

static int place(struct scenario *scenario, const struct definitions *definitions,
                 const struct scenario_settings *settings, struct error *err)
{
    uint32_t n_ranks = (uint32_t)definitions->n_ranks;
    if (settings->n_places > 0)
        return placement_read(&scenario->placement, n_ranks, settings->places, settings->n_places,
                              err);
    if (settings->n_nodes > 0)
        placement_map(&scenario->placement, n_ranks, settings->n_nodes, settings->is_cyclic);
    else
        placement_recorded(&scenario->placement, definitions);
    return 0;
}

/// Cores of every node as asked for, 0: not asked for.
static uint32_t given_cores(const struct scenario_settings *settings)
{
    if (settings->n_cores == 0 && settings->machine)
        return settings->machine->n_cores;
    return settings->n_cores;
}

/// Cores of NODE, on which N_RANKS ranks run.
static uint32_t cores_of(const struct definitions *definitions,
                         const struct scenario_settings *settings, uint32_t node, uint32_t n_ranks)
{
    if (given_cores(settings) > 0)
        return given_cores(settings);
    if (settings->n_places > 0 || settings->n_nodes > 0)
        return 1;
    uint32_t n_cores = definitions->nodes[node].n_cores;
    return n_cores > 0 ? n_cores : n_ranks;
}

static bool are_cores_known(const struct definitions *definitions,
                            const struct scenario_settings *settings)
{
    if (given_cores(settings) > 0 || settings->n_places > 0 || settings->n_nodes > 0)
        return true;
    for (size_t i = 0; i < definitions->n_ranks; i++)
        if (definitions->nodes[definitions->ranks[i].node].n_cores == 0)
            return false;
    return true;
}

/// Fluid: a group a node. Sticky: a group a core, the ranks of a node dealt round robin.
static void make_groups(struct scenario *scenario, const struct definitions *definitions,
                        const struct scenario_settings *settings)
{
    const struct placement *placement = &scenario->placement;
    uint64_t speed = settings->speed;
    if (speed == 0)
        speed = settings->machine ? settings->machine->speed : SCHEDULER_FULL_SPEED;
    uint64_t hand_over_ns = settings->hand_over_ns;
    if (hand_over_ns == PAG_NOT_KNOWN)
        hand_over_ns = settings->machine ? settings->machine->hand_over_ns : 0;
    uint32_t *n_ranks = memory_zeroed(placement->n_nodes, sizeof *n_ranks);
    uint32_t *first_group = memory_zeroed(placement->n_nodes, sizeof *first_group);
    uint32_t *n_placed = memory_zeroed(placement->n_nodes, sizeof *n_placed);
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        n_ranks[placement->node_of_rank[rank]]++;
    scenario->groups =
        memory_zeroed((size_t)placement->n_ranks + placement->n_nodes, sizeof *scenario->groups);
    for (uint32_t node = 0; node < placement->n_nodes; node++) {
        uint32_t n_cores = cores_of(definitions, settings, node, n_ranks[node]);
        // Cores beyond the number of ranks stay idle.
        uint32_t n_used = n_cores < n_ranks[node] ? n_cores : n_ranks[node];
        uint32_t n_groups = settings->is_sticky ? n_used : n_ranks[node] > 0;
        first_group[node] = (uint32_t)scenario->n_groups;
        for (uint32_t i = 0; i < n_groups; i++)
            scenario->groups[scenario->n_groups++] =
                (struct core_group){settings->is_sticky ? 1 : n_used, speed, hand_over_ns};
        if (n_ranks[node] == 0)
            continue;
        scenario->is_shared = scenario->is_shared || n_ranks[node] > n_cores;
        if (scenario->least_cores == 0 || n_cores < scenario->least_cores)
            scenario->least_cores = n_cores;
        if (n_cores > scenario->most_cores)
            scenario->most_cores = n_cores;
    }
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
        uint32_t node = placement->node_of_rank[rank];
        uint32_t n_cores = cores_of(definitions, settings, node, n_ranks[node]);
        uint32_t core = settings->is_sticky ? n_placed[node]++ % n_cores : 0;
        scenario->group_of_rank[rank] = first_group[node] + core;
    }
    free(n_ranks);
    free(first_group);
    free(n_placed);
}

static int unknown_region(const struct definitions *definitions, const char *pattern,
                          struct error *err)
{
    const char **names = memory_zeroed(definitions->n_regions, sizeof *names);
    for (size_t i = 0; i < definitions->n_regions; i++)
        names[i] = definitions->regions[i].name;
    const char *nearest = spelling_nearest(pattern, names, definitions->n_regions);
    int status =
        nearest ? error_set(err, "--scale %s: there is no such region; is it %s?", pattern, nearest)
                : error_set(err, "--scale %s: there is no such region", pattern);
    free(names);
    return status;
}

static int scale_regions(struct scenario *scenario, const struct definitions *definitions,
                         const struct scenario_settings *settings, struct error *err)
{
    if (settings->n_scales > SCENARIO_MAX_SCALES)
        return error_set(err, "--scale: more than %d of them", SCENARIO_MAX_SCALES);
    scenario->n_scales = settings->n_scales;
    scenario->scales_of_region = memory_zeroed(definitions->n_regions, sizeof(uint64_t));
    for (size_t i = 0; i < settings->n_scales; i++) {
        const char *pattern = settings->scales[i].pattern;
        bool is_found = false;
        scenario->factors[i] = settings->scales[i].factor;
        for (size_t region = 0; region < definitions->n_regions; region++) {
            if (definitions->regions[region].mpi != MPI_FUNCTION_NONE ||
                fnmatch(pattern, definitions->regions[region].name, 0) != 0)
                continue;
            is_found = true;
            scenario->scales_of_region[region] |= UINT64_C(1) << i;
        }
        if (!is_found)
            return unknown_region(definitions, pattern, err);
    }
    return 0;
}

uint64_t scenario_scale(const struct scenario *scenario, uint64_t *mark, uint32_t region)
{
    if (region != EVENT_NO_INDEX)
        *mark |= scenario->scales_of_region[region];
    uint64_t scale = PAG_WORK_PER_NS;
    for (size_t i = 0; i < scenario->n_scales; i++)
        if (*mark >> i & 1)
            scale = scale * scenario->factors[i] / PAG_WORK_PER_NS;
    return scale;
}

int scenario_init(struct scenario *scenario, const struct definitions *definitions,
                  const struct scenario_settings *settings, struct error *err)
{
    *scenario = (struct scenario){
        .group_of_rank = memory_zeroed(definitions->n_ranks, sizeof *scenario->group_of_rank),
        .knows_cores = are_cores_known(definitions, settings),
        .spins = settings->spins,
        .is_sticky = settings->is_sticky,
    };
    if (place(scenario, definitions, settings, err) != 0 ||
        scale_regions(scenario, definitions, settings, err) != 0)
        return -1;
    make_groups(scenario, definitions, settings);
    return 0;
}

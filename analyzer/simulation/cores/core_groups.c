// SPDX-License-Identifier: BSD-3-Clause
// From nodes, and what is asked for, to groups of cores (see placement.h).
#include "analyzer/simulation/cores/placement.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/scenario.h"

uint32_t core_groups_given(const struct scenario_settings *settings, const char *node)
{
    if (settings->n_cores > 0 || !settings->machine)
        return settings->n_cores;
    const struct machine_node *given = machine_node(settings->machine, node);
    return given && given->n_cores > 0 ? given->n_cores : settings->machine->n_cores;
}

/// Whether it is said, or recorded, how many cores NODE has.
static bool is_known(const struct scenario *scenario, const struct definitions *definitions,
                     uint32_t node)
{
    const struct scenario_settings *settings = scenario->settings;
    return settings->n_places > 0 || settings->n_nodes > 0 ||
           definitions->nodes[node].n_cores > 0 ||
           core_groups_given(settings, scenario->placement.node_names[node]) > 0;
}

/// Cores of NODE, on which N_RANKS ranks run.
static uint32_t cores_of(const struct scenario *scenario, const struct definitions *definitions,
                         uint32_t node, uint32_t n_ranks)
{
    const struct scenario_settings *settings = scenario->settings;
    uint32_t n_given = core_groups_given(settings, scenario->placement.node_names[node]);
    if (n_given > 0)
        return n_given;
    if (settings->n_places > 0 || settings->n_nodes > 0)
        return 1;
    uint32_t n_cores = definitions->nodes[node].n_cores;
    return n_cores > 0 ? n_cores : n_ranks;
}

static bool are_cores_known(const struct scenario *scenario, const struct definitions *definitions)
{
    const struct placement *placement = &scenario->placement;
    for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
        if (!is_known(scenario, definitions, placement->node_of_rank[rank]))
            return false;
    return true;
}

/// How fast the processors of NODE are, in millionths.
static uint64_t speed_of(const struct scenario_settings *settings, const char *node)
{
    for (size_t i = 0; i < settings->n_node_speeds; i++)
        if (strcmp(settings->node_speeds[i].node, node) == 0)
            return settings->node_speeds[i].speed;
    if (settings->speed > 0 || !settings->machine)
        return settings->speed > 0 ? settings->speed : SCHEDULER_FULL_SPEED;
    const struct machine_node *given = machine_node(settings->machine, node);
    return given && given->speed > 0 ? given->speed : settings->machine->speed;
}

uint64_t core_groups_hand_over(const struct scenario_settings *settings)
{
    if (settings->hand_over_ns != PAG_NOT_KNOWN)
        return settings->hand_over_ns;
    return settings->machine ? settings->machine->hand_over_ns : 0;
}

/// Ranks on a node: as many as are there in one phase, as many as are ever there.
struct node_use {
    uint32_t n_at_once, n_ever;
};

/// Whether the rank of SITE has had the same VALUE, by site, in an earlier phase.
static bool had_before(const struct placement *placement, const uint32_t *values, uint32_t site)
{
    uint32_t n_ranks = placement->n_ranks;
    for (uint32_t earlier = site % n_ranks; earlier < site; earlier += n_ranks)
        if (values[earlier] == values[site])
            return true;
    return false;
}

/// By node; the caller frees.
static struct node_use *count_ranks(const struct placement *placement)
{
    struct node_use *uses = memory_zeroed(placement->n_nodes, sizeof *uses);
    SCOPED uint32_t *n_now = memory_zeroed(placement->n_nodes, sizeof *n_now);
    for (uint32_t site = 0; site < placement_n_sites(placement); site++) {
        uint32_t node = placement->node_of_rank[site];
        if (site % placement->n_ranks == 0)
            memset(n_now, 0, placement->n_nodes * sizeof *n_now);
        n_now[node]++;
        uses[node].n_ever += !had_before(placement, placement->node_of_rank, site);
        if (n_now[node] > uses[node].n_at_once)
            uses[node].n_at_once = n_now[node];
    }
    return uses;
}

/// Fluid: a group a node. Sticky: a group a core, the ranks of a node dealt round robin.
static void make_groups(struct scenario *scenario, const struct definitions *definitions)
{
    const struct scenario_settings *settings = scenario->settings;
    const struct placement *placement = &scenario->placement;
    uint64_t hand_over_ns = core_groups_hand_over(settings);
    SCOPED struct node_use *uses = count_ranks(placement);
    SCOPED uint32_t *first_group = memory_zeroed(placement->n_nodes, sizeof *first_group);
    SCOPED uint32_t *n_placed = memory_zeroed(placement->n_nodes, sizeof *n_placed);
    scenario->groups = memory_zeroed((size_t)placement_n_sites(placement) + placement->n_nodes,
                                     sizeof *scenario->groups);
    for (uint32_t node = 0; node < placement->n_nodes; node++) {
        const struct node_use *use = &uses[node];
        uint32_t n_cores = cores_of(scenario, definitions, node, use->n_at_once);
        // Cores beyond the number of ranks stay idle.
        uint32_t n_used = n_cores < use->n_ever ? n_cores : use->n_ever;
        uint32_t n_groups = settings->is_sticky ? n_used : use->n_ever > 0;
        uint64_t speed = speed_of(settings, placement->node_names[node]);
        bool is_shared = use->n_at_once > n_cores;
        uint32_t n_spare = is_known(scenario, definitions, node) ? n_cores - n_used : UINT32_MAX;
        first_group[node] = (uint32_t)scenario->n_groups;
        for (uint32_t i = 0; i < n_groups; i++)
            scenario->groups[scenario->n_groups++] =
                (struct core_group){.n_cores = settings->is_sticky ? 1 : n_used,
                                    .speed = speed,
                                    .hand_over_ns = hand_over_ns,
                                    .n_spare = settings->is_sticky ? 0 : n_spare,
                                    .slice_ns = is_shared ? scenario->slice_ns : 0};
        if (use->n_ever == 0)
            continue;
        scenario->is_shared = scenario->is_shared || is_shared;
        if (scenario->least_cores == 0 || n_cores < scenario->least_cores)
            scenario->least_cores = n_cores;
        if (n_cores > scenario->most_cores)
            scenario->most_cores = n_cores;
    }
    for (uint32_t site = 0; site < placement_n_sites(placement); site++) {
        uint32_t node = placement->node_of_rank[site];
        uint32_t n_cores = cores_of(scenario, definitions, node, uses[node].n_at_once);
        if (site % placement->n_ranks == 0)
            memset(n_placed, 0, placement->n_nodes * sizeof *n_placed);
        uint32_t core = settings->is_sticky ? n_placed[node]++ % n_cores : 0;
        uint32_t group = scenario->group_of_rank[site] = first_group[node] + core;
        scenario->groups[group].n_processes +=
            !had_before(placement, scenario->group_of_rank, site);
    }
}

/// Nothing said about cores: ranks that were bound to some share them as in the recording.
static void keep_core_sets(struct scenario *scenario, const struct definitions *definitions)
{
    const struct scenario_settings *settings = scenario->settings;
    if (settings->n_places > 0 || settings->n_nodes > 0 || settings->is_sticky)
        return;
    SCOPED uint32_t *group_of_set = memory_zeroed(definitions->n_core_sets, sizeof *group_of_set);
    scenario->groups = memory_resize(
        scenario->groups, scenario->n_groups + definitions->n_core_sets, sizeof *scenario->groups);
    for (uint32_t rank = 0; rank < definitions->n_ranks; rank++) {
        const struct core_set *set = &definitions->core_sets[definitions->ranks[rank].core_set];
        uint32_t *group = &group_of_set[definitions->ranks[rank].core_set];
        if (!set->bound_to ||
            core_groups_given(settings, scenario->placement.node_names[set->node]) > 0)
            continue;
        if (*group == 0) { // the first one is a node's
            *group = (uint32_t)scenario->n_groups++;
            scenario->groups[*group] = scenario->groups[scenario->group_of_rank[rank]];
            scenario->groups[*group].n_cores =
                set->n_cores < set->n_ranks ? set->n_cores : set->n_ranks;
            scenario->groups[*group].n_spare = set->n_cores - scenario->groups[*group].n_cores;
            scenario->is_shared = scenario->is_shared || set->n_ranks > set->n_cores;
        }
        scenario->group_of_rank[rank] = *group;
        scenario->is_bound = true;
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/// Which part of what its hand-overs of a core cost in the recording a rank is saved in GROUP. With
/// k ranks a core, each of the k - 1 others may have to let go of it first.
static uint32_t saved_part(const struct core_set *set, uint64_t n_ranks, uint64_t n_cores)
{
    n_cores = n_cores < n_ranks ? n_cores : n_ranks;
    if (!core_set_is_oversubscribed(set) || n_ranks * set->n_cores >= set->n_ranks * n_cores)
        return 0;
    uint64_t saved = set->n_ranks * n_cores - n_ranks * set->n_cores;
    return (uint32_t)(saved * SCENARIO_WHOLE / (n_cores * (set->n_ranks - set->n_cores)));
}

/// Whether RANK has the same cores in all phases.
static bool stays(const struct scenario *scenario, uint32_t rank)
{
    const struct placement *placement = &scenario->placement;
    for (uint32_t site = rank; site < placement_n_sites(placement); site += placement->n_ranks)
        if (scenario->group_of_rank[site] != scenario->group_of_rank[rank])
            return false;
    return true;
}

/// Who shares the same cores with the same ranks as in the recording.
static void compare_cores(struct scenario *scenario, const struct definitions *definitions)
{
    size_t n_ranks = definitions->n_ranks;
    SCOPED uint32_t *group_of_set =
        memory_zeroed(definitions->n_core_sets + 1, sizeof *group_of_set);
    SCOPED uint32_t *n_in_group = memory_zeroed(scenario->n_groups + 1, sizeof *n_in_group);
    SCOPED bool *is_split = memory_zeroed(definitions->n_core_sets + 1, sizeof *is_split);
    scenario->keeps_cores = memory_zeroed(n_ranks + 1, sizeof *scenario->keeps_cores);
    scenario->saved_hand_overs = memory_zeroed(n_ranks + 1, sizeof *scenario->saved_hand_overs);
    for (size_t rank = 0; rank < n_ranks; rank++) {
        uint32_t set = definitions->ranks[rank].core_set, group = scenario->group_of_rank[rank];
        is_split[set] = is_split[set] || (group_of_set[set] > 0 && group_of_set[set] != group + 1);
        group_of_set[set] = group + 1;
        n_in_group[group]++;
    }
    for (size_t rank = 0; rank < n_ranks; rank++) {
        const struct core_set *set = &definitions->core_sets[definitions->ranks[rank].core_set];
        uint32_t group = scenario->group_of_rank[rank];
        scenario->keeps_cores[rank] =
            !is_split[definitions->ranks[rank].core_set] && n_in_group[group] == set->n_ranks &&
            stays(scenario, (uint32_t)rank) &&
            scenario->groups[group].n_cores == least(set->n_cores, set->n_ranks);
        scenario->saved_hand_overs[rank] =
            saved_part(set, n_in_group[group], scenario->groups[group].n_cores);
    }
}

void core_groups_init(struct scenario *scenario, const struct definitions *definitions)
{
    scenario->group_of_rank =
        memory_zeroed(placement_n_sites(&scenario->placement), sizeof *scenario->group_of_rank);
    scenario->knows_cores = are_cores_known(scenario, definitions);
    make_groups(scenario, definitions);
    keep_core_sets(scenario, definitions);
    compare_cores(scenario, definitions);
}

static bool is_oversubscribed(const struct definitions *definitions, uint32_t rank)
{
    return core_set_is_oversubscribed(&definitions->core_sets[definitions->ranks[rank].core_set]);
}

/// By rank: how many of its threads work at once, as far as that is known: all of a team, and those
/// that were seen to; where nothing is known of them the first one counts. The caller frees.
static uint32_t *count_at_work(const struct definitions *definitions,
                               const struct pag_rank_threads *threads)
{
    uint32_t *n_at_work = memory_zeroed(definitions->n_ranks, sizeof *n_at_work);
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        if (location->rank != EVENT_NO_INDEX && location->is_cpu_thread &&
            (location->is_master || pag_knows_threads(threads[location->rank].threading)))
            n_at_work[location->rank]++;
    }
    for (size_t rank = 0; rank < definitions->n_ranks; rank++)
        if (threads[rank].threading == PAG_CREATED && threads[rank].n_at_work > 0)
            n_at_work[rank] = threads[rank].n_at_work;
    return n_at_work;
}

uint32_t *core_groups_threads(const struct definitions *definitions,
                              const struct pag_rank_threads *threads)
{
    uint32_t *n_at_work = count_at_work(definitions, threads);
    SCOPED uint32_t *n_of_set = memory_zeroed(definitions->n_core_sets + 1, sizeof *n_of_set);
    for (size_t rank = 0; rank < definitions->n_ranks; rank++)
        n_of_set[definitions->ranks[rank].core_set] += n_at_work[rank];
    for (size_t rank = 0; rank < definitions->n_ranks; rank++) {
        uint32_t index = definitions->ranks[rank].core_set;
        const struct core_set *set = &definitions->core_sets[index];
        if (!pag_knows_threads(threads[rank].threading) ||
            (set->n_cores > 0 && n_of_set[index] > set->n_cores))
            n_at_work[rank] = 0;
    }
    return n_at_work;
}

/// Whether RANK's threads have as many cores as in the recording. Then each that works has one:
/// there may be more of them for a moment, but how they shared the cores is in their times already.
static bool has_recorded_cores(const struct scenario *scenario,
                               const struct definitions *definitions, uint32_t rank)
{
    const struct core_group *group = &scenario->groups[scenario->group_of_rank[rank]];
    uint32_t n_recorded = definitions->core_sets[definitions->ranks[rank].core_set].n_cores;
    return scenario->keeps_cores[rank] && group->n_cores + group->n_spare == n_recorded;
}

struct scheduler *core_groups_share(const struct scenario *scenario,
                                    const struct definitions *definitions,
                                    const struct pag_rank_threads *threads, bool as_recorded)
{
    size_t n_groups = scenario->n_groups;
    SCOPED struct core_group *groups =
        memory_new((n_groups + definitions->n_locations) * sizeof *groups);
    SCOPED uint32_t *group_of = memory_new(definitions->n_locations * sizeof *group_of);
    SCOPED uint32_t *share = threads ? core_groups_threads(definitions, threads) : NULL;
    for (uint32_t rank = 0; share && rank < definitions->n_ranks; rank++)
        if (threads[rank].threading == PAG_CREATED &&
            has_recorded_cores(scenario, definitions, rank))
            share[rank] = 0;
    for (size_t i = 0; i < n_groups; i++)
        groups[i] = scenario->groups[i];
    for (size_t i = 0; i < definitions->n_locations; i++) {
        const struct location *location = &definitions->locations[i];
        bool is_of_rank = location->rank != EVENT_NO_INDEX;
        struct core_group *group =
            is_of_rank ? &groups[scenario->group_of_rank[location->rank]] : NULL;
        if (is_of_rank && location->is_master) {
            group_of[i] = scenario->group_of_rank[location->rank];
            if (as_recorded && is_oversubscribed(definitions, location->rank))
                group->hand_over_ns = 0;
        } else if (is_of_rank && share && share[location->rank] > 0) {
            group_of[i] = scenario->group_of_rank[location->rank];
            group->n_cores += group->n_spare > 0;
            group->n_spare -= group->n_spare > 0;
        } else {
            bool is_of_team =
                is_of_rank && threads && pag_knows_threads(threads[location->rank].threading);
            group_of[i] = (uint32_t)n_groups;
            groups[n_groups++] = (struct core_group){
                .n_cores = 1, .speed = is_of_team ? group->speed : SCHEDULER_FULL_SPEED};
        }
    }
    return scheduler_new(groups, n_groups, group_of, definitions->n_locations,
                         scenario->settings->spins);
}

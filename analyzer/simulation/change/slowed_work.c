// SPDX-License-Identifier: BSD-3-Clause
// What a slowdown file makes of the work of a scenario's ranks (slowdown.h).
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/change/slowdown.h"
#include "analyzer/simulation/scenario.h"

int slowdown_use_init(struct scenario *scenario, struct error *err)
{
    const struct slowdown *slowdown = scenario->settings->slowdown;
    struct slowdown_use *use = &scenario->slowdown;
    for (size_t i = 0; slowdown && i < slowdown->n_regions; i++) {
        const struct slowdown_region *region = &slowdown->regions[i];
        SCOPED char *where = memory_format("%s:%u: <region>", slowdown->path, region->line);
        uint32_t pattern;
        int found =
            region_patterns_add_if_there(scenario->regions, where, region->pattern, &pattern, err);
        if (found < 0)
            return -1;
        if (found == 0)
            continue;
        use->patterns[use->n] = pattern;
        use->regions[use->n++] = (uint32_t)i;
        use->set |= UINT64_C(1) << pattern;
    }
    if (slowdown && slowdown->n_regions > 0 && use->n == 0)
        return error_set(err, "--slowdown %s: none of its regions, such as %s, is in this run",
                         slowdown->path, slowdown->regions[0].pattern);
    return 0;
}

/// By how many ranks the cores of each site are shared at once.
static void count_by_site(struct scenario *scenario)
{
    const struct placement *placement = &scenario->placement;
    SCOPED uint32_t *n_in_group = memory_zeroed(scenario->n_groups + 1, sizeof *n_in_group);
    for (uint32_t first = 0; first < placement_n_sites(placement); first += placement->n_ranks) {
        memset(n_in_group, 0, scenario->n_groups * sizeof *n_in_group);
        for (uint32_t rank = 0; rank < placement->n_ranks; rank++)
            n_in_group[scenario->group_of_rank[first + rank]]++;
        for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
            uint32_t group = scenario->group_of_rank[first + rank];
            scenario->slowdown.per_core[first + rank] = (uint32_t)slowdown_ranks_per_core(
                n_in_group[group], scenario->groups[group].n_cores);
        }
    }
}

/// Whether RANKS_PER_CORE is beyond what some region in use was measured with.
static bool is_beyond(const struct scenario *scenario, uint64_t ranks_per_core)
{
    const struct slowdown_use *use = &scenario->slowdown;
    for (size_t i = 0; i < use->n; i++) {
        const struct slowdown_region *region =
            &scenario->settings->slowdown->regions[use->regions[i]];
        if (ranks_per_core < region->points[0].ranks_per_core ||
            ranks_per_core > region->points[region->n_points - 1].ranks_per_core)
            return true;
    }
    return false;
}

void slowdown_use_place(struct scenario *scenario, const struct definitions *definitions)
{
    struct slowdown_use *use = &scenario->slowdown;
    uint32_t n_sites = placement_n_sites(&scenario->placement);
    if (use->n == 0)
        return;
    use->recorded_per_core = memory_zeroed(definitions->n_ranks + 1, sizeof(uint32_t));
    use->per_core = memory_zeroed(n_sites + 1, sizeof *use->per_core);
    count_by_site(scenario);
    for (size_t rank = 0; rank < definitions->n_ranks; rank++) {
        const struct core_set *set = &definitions->core_sets[definitions->ranks[rank].core_set];
        use->recorded_per_core[rank] =
            (uint32_t)slowdown_ranks_per_core(set->n_ranks, set->n_cores);
    }
    for (uint32_t site = 0; site < n_sites && !use->goes_beyond; site++) {
        uint32_t recorded = use->recorded_per_core[site % scenario->placement.n_ranks];
        use->goes_beyond =
            use->per_core[site] != recorded &&
            (is_beyond(scenario, use->per_core[site]) || is_beyond(scenario, recorded));
    }
}

void slowdown_use_release(struct slowdown_use *use)
{
    FREE_ALL(use->recorded_per_core, use->per_core);
    *use = (struct slowdown_use){0};
}

uint64_t slowdown_factor(const struct scenario *scenario, uint32_t rank, uint32_t site,
                         uint64_t mark)
{
    const struct slowdown_use *use = &scenario->slowdown;
    const uint64_t one = PAG_WORK_PER_NS;
    if (use->n == 0 || use->per_core[site] == use->recorded_per_core[rank])
        return one;
    uint64_t named = region_patterns_innermost(scenario->regions, mark, use->set);
    for (size_t i = 0; i < use->n; i++) {
        if (!(named >> use->patterns[i] & 1))
            continue;
        const struct slowdown_region *region =
            &scenario->settings->slowdown->regions[use->regions[i]];
        uint64_t recorded = slowdown_at(region, use->recorded_per_core[rank]);
        return (slowdown_at(region, use->per_core[site]) * one + recorded / 2) / recorded;
    }
    return one;
}

// SPDX-License-Identifier: BSD-3-Clause
// Reads slowdown files, and says what they make of a rank's work (slowdown.h).
#include "analyzer/simulation/change/slowdown.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/cost/element.h"
#include "analyzer/simulation/scenario.h"

// --- a file

enum { MOST_RANKS_PER_CORE = 65536 };

static int read_ranks_per_core(const char *text, uint64_t *ranks, struct error *err)
{
    return element_read_scaled(text, 1, MOST_RANKS_PER_CORE, PAG_WORK_PER_NS, ranks, err);
}

static int read_factor(const char *text, uint64_t *factor, struct error *err)
{
    return element_read_scaled(text, 0.01, 100, PAG_WORK_PER_NS, factor, err);
}

static int read_points(const struct element_reader *reader, const struct xml_element *element,
                       struct slowdown_region *region)
{
    region->points = memory_zeroed(element->n_children, sizeof *region->points);
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        struct slowdown_point *point = &region->points[i];
        const char *for_people;
        const struct element_field fields[] = {
            {"ranks-per-core", FIELD_NEEDED, &point->ranks_per_core, .read = read_ranks_per_core},
            {"factor", FIELD_NEEDED, &point->factor, .read = read_factor},
            {"from", FIELD_TEXT, .value = &for_people},
            {"to", FIELD_TEXT, .value = &for_people},
        };
        if (strcmp(child->name, "point") != 0)
            return XML_ERROR(reader, child,
                             "<%s> in <region>: only <point ranks-per-core=... "
                             "factor=...>",
                             child->name);
        if (ELEMENT_READ(reader, child, fields) != 0)
            return -1;
        if (i > 0 && point->ranks_per_core <= point[-1].ranks_per_core)
            return XML_ERROR(reader, child,
                             "ranks-per-core=\"%s\": it must grow from point to "
                             "point",
                             xml_attribute(child, "ranks-per-core"));
        region->n_points++;
    }
    return region->n_points >= 2
               ? 0
               : XML_ERROR(reader, element, "<region name=\"%s\">: two points at least",
                           region->pattern);
}

static int read_region(const struct element_reader *reader, const struct xml_element *element)
{
    struct slowdown *slowdown = reader->into;
    struct slowdown_region read = {.line = element->line};
    const char *for_people;
    const struct element_field fields[] = {{"name", FIELD_NAME, .value = &read.pattern},
                                           {"cpu-time", FIELD_TEXT, .value = &for_people}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    if (HAS_BY(slowdown->regions, slowdown->n_regions, pattern, read.pattern))
        return XML_ERROR(reader, element, "a second <region name=\"%s\">", read.pattern);
    if (slowdown->n_regions == SLOWDOWN_MAX_REGIONS)
        return XML_ERROR(reader, element, "more than %d regions", SLOWDOWN_MAX_REGIONS);
    struct slowdown_region *region = ARRAY_EXTEND(slowdown->regions, slowdown->n_regions);
    *region = read;
    return read_points(reader, element, region);
}

static int read_slowdown(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {{"region", read_region}};
    struct slowdown *slowdown = reader->into;
    const struct element_field fields[] = {{"program", FIELD_TEXT, .value = &slowdown->program},
                                           {"source", FIELD_TEXT, .value = &slowdown->source}};
    if (ELEMENT_READ(reader, element, fields) != 0 ||
        element_read_children(reader, element, kinds, 1) != 0)
        return -1;
    return element_check_contents(reader, element, (const char *const[]){"region", NULL});
}

int slowdown_read(struct slowdown *slowdown, const char *path, struct error *err)
{
    *slowdown = (struct slowdown){.path = path, .program = "", .source = ""};
    const struct element_reader reader = {path, slowdown, err};
    return element_read_file(&reader, "slowdown", "slowdown file", read_slowdown,
                             &slowdown->document);
}

void slowdown_release(struct slowdown *slowdown)
{
    FREE_MEMBERS(slowdown->regions, slowdown->n_regions, points);
    free(slowdown->regions);
    xml_free(slowdown->document);
    *slowdown = (struct slowdown){0};
}

uint64_t slowdown_at(const struct slowdown_region *region, uint64_t ranks_per_core)
{
    const struct slowdown_point *points = region->points;
    size_t i = 0;
    while (i < region->n_points && points[i].ranks_per_core < ranks_per_core)
        i++;
    if (i == 0 || i == region->n_points)
        return points[i == 0 ? 0 : i - 1].factor;
    int64_t from = (int64_t)points[i - 1].factor, to = (int64_t)points[i].factor;
    pag_work passed = ranks_per_core - points[i - 1].ranks_per_core;
    pag_work whole = points[i].ranks_per_core - points[i - 1].ranks_per_core;
    uint64_t change = (uint64_t)(passed * (pag_work)(to > from ? to - from : from - to) / whole);
    return to > from ? (uint64_t)from + change : (uint64_t)from - change;
}

uint64_t slowdown_ranks_per_core(uint64_t n_ranks, uint64_t n_cores)
{
    const uint64_t one = PAG_WORK_PER_NS;
    return n_cores == 0 || n_ranks <= n_cores ? one : n_ranks * one / n_cores;
}

// --- in a scenario

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

// SPDX-License-Identifier: BSD-3-Clause
// Reads slowdown files (slowdown.h).
#include "analyzer/simulation/change/slowdown.h"

#include <string.h>

#include "analyzer/base/format/elements.h"
#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"

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
        ELEMENT_READ_KINDS(reader, element, kinds) != 0)
        return -1;
    return element_check_contents(reader, element, (const char *const[]){"region", NULL}, NULL);
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

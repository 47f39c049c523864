// SPDX-License-Identifier: BSD-3-Clause
// The three dimensions of a Cube file, in XML:
//
//   <metrics> <metric id="0" type="EXCLUSIVE"> <uniq_name/> <dtype/> <uom/> <metric/> ...
//   <program> <region id="0" mod="main.c"> <name/> <paradigm/> ... <cnode id="0" calleeId="0"> ...
//   <system>  <systemtreenode> <locationgroup> <rank/> <type/> <location Id="0"> <type/> ...
//
// In Cube 3 metrics have no type, they are exclusive, and the system consists of <machine>, <node>,
// <process> and <thread>.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/elements.h"
#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "db/profiles/cube.h"

enum { MAX_CELLS = 1 << 26 }; // call paths by locations

struct definition {
    struct cube *cube;
    const char *path; // with err: for XML_ERROR()
    struct error *err;
    struct map regions, ranks; // by their number, where they are
    struct map locations;      // by their number, the rank + 1, or 0
    size_t metrics_capacity, regions_capacity, nodes_capacity, ranks_capacity;
};

static bool is_called(const struct xml_element *element, const char *name, const char *old_name)
{
    return !strcmp(element->name, name) || !strcmp(element->name, old_name);
}

/// The text of the child called NAME, "" without.
static const char *text_of(const struct xml_element *element, const char *name)
{
    const struct xml_element *child = ITEM_BY(element->children, element->n_children, name, name);
    return child ? child->text : "";
}

static int read_number(struct definition *d, const struct xml_element *element, const char *what,
                       const char *text, uint64_t *number)
{
    if (!text || option_read_count(text, number, NULL) || *number > INT32_MAX)
        return XML_ERROR(d, element, "<%s> has no %s, a number", element->name, what);
    return 0;
}

static int read_id(struct definition *d, const struct xml_element *element, const char *attribute,
                   uint64_t *number)
{
    return read_number(d, element, attribute, xml_attribute(element, attribute), number);
}

static enum cube_kind kind_of(const struct xml_element *metric)
{
    static const char *const kinds[CUBE_DERIVED] = {
        [CUBE_EXCLUSIVE] = "EXCLUSIVE", [CUBE_INCLUSIVE] = "INCLUSIVE"};
    const char *type = xml_attribute(metric, "type"), *shown = xml_attribute(metric, "viztype");
    if (shown && !strcmp(shown, "GHOST"))
        return CUBE_DERIVED;
    return type ? (enum cube_kind)FIND_TEXT(kinds, CUBE_DERIVED, type) : CUBE_EXCLUSIVE;
}

/// Adds the metrics among the children of ELEMENT, and those below them.
static int add_metrics(struct definition *d, const struct xml_element *element)
{
    int status = 0;
    for (size_t i = 0; i < element->n_children && status == 0; i++) {
        const struct xml_element *child = &element->children[i];
        struct cube_metric metric = {.name = text_of(child, "uniq_name"),
                                     .type = text_of(child, "dtype"),
                                     .unit = text_of(child, "uom"),
                                     .kind = kind_of(child)};
        if (strcmp(child->name, "metric"))
            continue;
        status = read_id(d, child, "id", &metric.id);
        if (status == 0 && !metric.name[0])
            status = XML_ERROR(d, child, "<metric> has no <uniq_name>");
        *ARRAY_NEXT(d->cube->metrics, d->cube->n_metrics, d->metrics_capacity) = metric;
        status = status ? -1 : add_metrics(d, child);
    }
    return status;
}

static int add_region(struct definition *d, const struct xml_element *element)
{
    struct cube *cube = d->cube;
    const char *name = text_of(element, "name"), *file = xml_attribute(element, "mod");
    const char *base = path_base_name(file ? file : "");
    bool is_mpi = !strcmp(text_of(element, "paradigm"), "mpi") || !strncmp(name, "MPI_", 4);
    const char *module = base[0] ? base : is_mpi ? "MPI" : "unknown";
    uint64_t id;
    if (read_id(d, element, "id", &id))
        return -1;
    if (map_get(&d->regions, id, NULL))
        return XML_ERROR(d, element, "there are two regions %d", (int)id);
    map_put(&d->regions, id, (uint32_t)cube->n_regions);
    *ARRAY_NEXT(cube->regions, cube->n_regions, d->regions_capacity) =
        (struct cube_region){utf8_clean(name), utf8_clean(module)};
    return 0;
}

static int add_node(struct definition *d, const struct xml_element *element, int32_t parent)
{
    struct cube *cube = d->cube;
    struct cube_node node = {.parent = parent};
    uint64_t region;
    if (read_id(d, element, "id", &node.id) || read_id(d, element, "calleeId", &region))
        return -1;
    if (!map_get(&d->regions, region, &node.region))
        return XML_ERROR(d, element, "there is no region %d", (int)region);
    int32_t place = (int32_t)cube->n_nodes;
    *ARRAY_NEXT(cube->nodes, cube->n_nodes, d->nodes_capacity) = node;
    int status = 0;
    for (size_t i = 0; i < element->n_children && status == 0; i++)
        if (!strcmp(element->children[i].name, "cnode"))
            status = add_node(d, &element->children[i], place);
    return status;
}

static int add_program(struct definition *d, const struct xml_element *program)
{
    int status = 0;
    for (size_t i = 0; i < program->n_children && status == 0; i++)
        if (!strcmp(program->children[i].name, "region"))
            status = add_region(d, &program->children[i]);
    for (size_t i = 0; i < program->n_children && status == 0; i++)
        if (!strcmp(program->children[i].name, "cnode"))
            status = add_node(d, &program->children[i], CUBE_NONE);
    return status;
}

/// The place of the rank that ELEMENT is, a new one or not, + 1; 0 where it is no process.
static int add_rank(struct definition *d, const struct xml_element *element, const char *node,
                    uint32_t *place)
{
    struct cube *cube = d->cube;
    const char *type = text_of(element, "type");
    uint64_t number;
    *place = 0;
    if (type[0] && strcmp(type, "process"))
        return 0;
    if (read_number(d, element, "<rank>", text_of(element, "rank"), &number))
        return -1;
    if (!map_get(&d->ranks, number, place)) {
        *ARRAY_NEXT(cube->ranks, cube->n_ranks, d->ranks_capacity) =
            (struct cube_rank){number, node};
        *place = (uint32_t)cube->n_ranks;
        map_put(&d->ranks, number, *place);
    }
    return 0;
}

/// Adds the locations below ELEMENT, which are those of NODE and of the rank at PLACE - 1.
static int add_system(struct definition *d, const struct xml_element *element, const char *node,
                      uint32_t place)
{
    int status = 0;
    for (size_t i = 0; i < element->n_children && status == 0; i++) {
        const struct xml_element *child = &element->children[i];
        const char *type = text_of(child, "type");
        bool is_node = !strcmp(child->name, "node") || !strcmp(text_of(child, "class"), "node");
        uint32_t rank = place;
        uint64_t id;
        if (is_called(child, "location", "thread")) {
            if (read_id(d, child, "Id", &id))
                return -1;
            if (map_get(&d->locations, id, NULL))
                return XML_ERROR(d, child, "there are two locations %d", (int)id);
            map_put(&d->locations, id, !type[0] || !strcmp(type, "thread") ? place : 0);
        } else if (is_called(child, "locationgroup", "process")) {
            status = add_rank(d, child, node, &rank);
        }
        if (status == 0)
            status = add_system(d, child, is_node ? text_of(child, "name") : node, rank);
    }
    return status;
}

/// The columns of the values are the locations in the order of their numbers.
static int place_locations(struct definition *d)
{
    struct cube *cube = d->cube;
    cube->n_locations = d->locations.n_used;
    if (cube->n_locations == 0 || cube->n_nodes == 0)
        return error_set(d->err, "%s has no %s", d->path,
                         cube->n_nodes ? "locations" : "call paths");
    if (cube->n_nodes > MAX_CELLS / cube->n_locations)
        return error_set(d->err, "%s has %zu call paths of %zu locations, which is too many",
                         d->path, cube->n_nodes, cube->n_locations);
    cube->rank_of = memory_zeroed(cube->n_locations, sizeof *cube->rank_of);
    for (size_t i = 0; i < cube->n_locations; i++) {
        uint32_t place;
        if (!map_get(&d->locations, i, &place))
            return error_set(d->err, "%s has %zu locations, but none with Id %zu", d->path,
                             cube->n_locations, i);
        cube->rank_of[i] = (int32_t)place - 1;
        cube->n_threads += place > 0;
    }
    return cube->n_ranks ? 0 : error_set(d->err, "%s has no processes", d->path);
}

int cube_define(struct cube *cube, const struct xml_element *top, struct error *err)
{
    struct definition d = {.cube = cube, .path = cube->path, .err = err};
    int status = 0;
    map_init(&d.regions);
    map_init(&d.ranks);
    map_init(&d.locations);
    for (size_t i = 0; i < top->n_children && status == 0; i++) {
        const struct xml_element *part = &top->children[i];
        const char *key = xml_attribute(part, "key");
        if (!strcmp(part->name, "attr") && key && !strcmp(key, "Creator"))
            cube->creator = xml_attribute(part, "value");
        else if (!strcmp(part->name, "metrics"))
            status = add_metrics(&d, part);
        else if (!strcmp(part->name, "program"))
            status = add_program(&d, part);
        else if (!strcmp(part->name, "system"))
            status = add_system(&d, part, NULL, 0);
        else if (!strcmp(part->name, "severity"))
            cube->rows = part;
    }
    if (status == 0)
        status = place_locations(&d);
    map_release(&d.regions);
    map_release(&d.ranks);
    map_release(&d.locations);
    return status;
}

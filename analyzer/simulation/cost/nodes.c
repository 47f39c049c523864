// SPDX-License-Identifier: BSD-3-Clause
// The elements <node>, <group> and <region> of machine files: what is particular about some nodes,
// which of them belong together, and regions that some processors are good at.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cost/reader.h"

char **machine_read_names(const char *text, size_t *n)
{
    static const char blanks[] = " \t\r\n";
    char **names = NULL;
    *n = 0;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        names = memory_resize(names, *n + 1, sizeof *names);
        names[(*n)++] = memory_format("%.*s", (int)length, text);
        text += length;
    }
    return names;
}

/// The attribute NAME, which must be there and not empty; NULL and an error.
static const char *read_name(const struct machine_reader *reader, const struct xml_element *element,
                             const char *name)
{
    const char *text = xml_attribute(element, name);
    if (text && *text)
        return text;
    MACHINE_ERROR(reader, element, "<%s> needs %s=\"...\"", element->name, name);
    return NULL;
}

int machine_read_node(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"name", "cores", "cpu-speed", "out-links", "in-links"};
    struct machine *machine = reader->machine;
    const char *name = read_name(reader, element, "name");
    struct machine_node node = {.line = element->line};
    if (machine_check_attributes(reader, element, known, sizeof known / sizeof known[0]) != 0 ||
        !name ||
        machine_read_number_of(reader, element, "cores", MACHINE_MAX_CORES, &node.n_cores) != 0 ||
        machine_read_factor(reader, element, "cpu-speed", &node.speed) != 0 ||
        machine_read_links(reader, element, &node.out_links, &node.in_links) != 0)
        return -1;
    for (size_t i = 0; i < machine->n_nodes; i++)
        if (strcmp(machine->nodes[i].name, name) == 0)
            return MACHINE_ERROR(reader, element, "a second <node name=\"%s\">", name);
    node.name = memory_copy_text(name);
    machine->nodes = memory_resize(machine->nodes, machine->n_nodes + 1, sizeof *machine->nodes);
    machine->nodes[machine->n_nodes++] = node;
    return 0;
}

int machine_read_group(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"name", "nodes", "out-links", "in-links"};
    struct machine *machine = reader->machine;
    if (machine_check_attributes(reader, element, known, sizeof known / sizeof known[0]) != 0)
        return -1;
    const char *name = read_name(reader, element, "name");
    const char *nodes = name ? read_name(reader, element, "nodes") : NULL;
    if (!nodes)
        return -1;
    for (size_t i = 0; i < machine->n_groups; i++)
        if (strcmp(machine->groups[i].name, name) == 0)
            return MACHINE_ERROR(reader, element, "a second <group name=\"%s\">", name);
    machine->groups =
        memory_resize(machine->groups, machine->n_groups + 1, sizeof *machine->groups);
    struct machine_group *group = &machine->groups[machine->n_groups++];
    *group = (struct machine_group){.name = memory_copy_text(name), .line = element->line};
    group->nodes = machine_read_names(nodes, &group->n_nodes);
    return machine_read_links(reader, element, &group->out_links, &group->in_links);
}

int machine_read_region(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"name", "speed"};
    struct machine *machine = reader->machine;
    struct machine_region region = {.line = element->line};
    if (machine_check_attributes(reader, element, known, 2) != 0)
        return -1;
    const char *name = read_name(reader, element, "name");
    if (!name || !read_name(reader, element, "speed") ||
        machine_read_factor(reader, element, "speed", &region.speed) != 0)
        return -1;
    region.pattern = memory_copy_text(name);
    machine->regions =
        memory_resize(machine->regions, machine->n_regions + 1, sizeof *machine->regions);
    machine->regions[machine->n_regions++] = region;
    return 0;
}

/// Whether the file names a node NAME, other than in scopes.
static bool is_node(const struct machine *machine, const char *name)
{
    if (machine_node(machine, name))
        return true;
    for (size_t i = 0; i < machine->n_groups; i++)
        if (machine_group_has(&machine->groups[i], name))
            return true;
    return false;
}

/// SCOPE names groups, or nodes, which only a run can tell; a slip for a group can be told here.
static int check_groups(const struct machine_reader *reader,
                        const struct machine_custom_scope *scope)
{
    const struct machine *machine = reader->machine;
    const struct xml_element where = {.line = scope->line};
    const char **names = memory_zeroed(machine->n_groups, sizeof *names);
    int status = 0;
    for (size_t i = 0; i < machine->n_groups; i++)
        names[i] = machine->groups[i].name;
    for (size_t i = 0; i < scope->n_groups && status == 0; i++) {
        const char *nearest = spelling_nearest(scope->groups[i], names, machine->n_groups);
        if (nearest && strcmp(nearest, scope->groups[i]) != 0 &&
            !is_node(machine, scope->groups[i]))
            status = MACHINE_ERROR(reader, &where, "unknown group %s; is it %s?", scope->groups[i],
                                   nearest);
    }
    free(names);
    return status;
}

int machine_check_scopes(const struct machine_reader *reader)
{
    const struct machine *machine = reader->machine;
    for (size_t i = 0; i < machine->n_custom_scopes; i++) {
        const struct machine_custom_scope *scope = &machine->custom_scopes[i];
        const struct xml_element where = {.line = scope->line};
        if (machine->messages[MACHINE_NETWORK].n_points == 0)
            return MACHINE_ERROR(reader, &where,
                                 "<message scope=\"%s\"> needs one with scope=\"network\" as well, "
                                 "for all other nodes",
                                 scope->name);
        if (check_groups(reader, scope) != 0)
            return -1;
    }
    return 0;
}

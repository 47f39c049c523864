// SPDX-License-Identifier: BSD-3-Clause
// Reading machine files, pagoda-machine(5), from the outermost element on.
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/xml.h"
#include "analyzer/simulation/cost/cost_time.h"
#include "analyzer/simulation/cost/reader.h"

static int read_part(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const names[] = {"message", "collective",  "node",   "group",
                                        "region",  "calibration", "compute"};
    static int (*const read[])(const struct machine_reader *, const struct xml_element *) = {
        machine_read_messages, machine_read_collective,  machine_read_node,   machine_read_group,
        machine_read_region,   machine_read_calibration, machine_read_compute};
    const size_t n_names = sizeof names / sizeof names[0];
    for (size_t i = 0; i < n_names; i++)
        if (strcmp(element->name, names[i]) == 0)
            return read[i](reader, element);
    return machine_unknown(reader, element, "element", element->name, names, n_names);
}

static bool has_links(const struct machine *machine)
{
    bool has_any = machine->out_links > 0 || machine->in_links > 0;
    for (size_t i = 0; i < machine->n_nodes; i++)
        has_any = has_any || machine->nodes[i].out_links > 0 || machine->nodes[i].in_links > 0;
    for (size_t i = 0; i < machine->n_groups; i++)
        has_any = has_any || machine->groups[i].out_links > 0 || machine->groups[i].in_links > 0;
    return has_any;
}

/// Elements hold no text, and others only where these have a meaning.
static int check_contents(const struct machine_reader *reader, const struct xml_element *element)
{
    const char *word = element->text + strspn(element->text, " \t\r\n");
    bool may_hold = strcmp(element->name, "machine") == 0 || strcmp(element->name, "message") == 0;
    if (*word)
        return MACHINE_ERROR(reader, element, "<%s> holds the text `%.*s`: values are attributes",
                             element->name, (int)strcspn(word, " \t\r\n"), word);
    if (!may_hold && element->n_children > 0)
        return MACHINE_ERROR(reader, &element->children[0], "<%s> in <%s>, which holds nothing",
                             element->children[0].name, element->name);
    for (size_t i = 0; i < element->n_children; i++)
        if (check_contents(reader, &element->children[i]) != 0)
            return -1;
    return 0;
}

static int read_machine(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"name",      "cores", "cpu-speed", "summary",
                                        "hand-over", "slice", "out-links", "in-links"};
    struct machine *machine = reader->machine;
    const char *name = xml_attribute(element, "name"), *summary = xml_attribute(element, "summary");
    machine->name = memory_copy_text(name ? name : "");
    machine->summary = memory_copy_text(summary ? summary : "");
    machine->speed = PAG_WORK_PER_NS;
    if (machine_check_attributes(reader, element, known, sizeof known / sizeof known[0]) != 0 ||
        machine_read_number_of(reader, element, "cores", MACHINE_MAX_CORES, &machine->n_cores) !=
            0 ||
        machine_read_attribute(reader, element, "hand-over", true, cost_time_read,
                               &machine->hand_over_ns) != 0 ||
        machine_read_attribute(reader, element, "slice", true, cost_time_read_slice,
                               &machine->slice_ns) != 0 ||
        machine_read_factor(reader, element, "cpu-speed", &machine->speed) != 0 ||
        machine_read_links(reader, element, &machine->out_links, &machine->in_links) != 0)
        return -1;
    for (size_t i = 0; i < element->n_children; i++)
        if (read_part(reader, &element->children[i]) != 0)
            return -1;
    if (check_contents(reader, element) != 0)
        return -1;
    if (machine->n_collectives > 0 && !machine_has_messages(machine))
        return MACHINE_ERROR(reader, element, "<collective> without any <message>");
    if (has_links(machine) && !machine_has_messages(machine))
        return MACHINE_ERROR(reader, element, "links without any <message>");
    if (machine_check_scopes(reader) != 0)
        return -1;
    return machine_check_collectives(reader, element);
}

const struct bundled bundled_machines = {"machines", "machine"};

int machine_read(struct machine *machine, const char *name, struct error *err)
{
    *machine = (struct machine){.path = bundled_path(&bundled_machines, name, err)};
    const char *path = machine->path;
    if (!path)
        return -1;
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        machine->messages[scope].eager_bytes = UINT64_MAX;
    struct xml_document *document = xml_read(path, err);
    if (!document)
        return -1;
    const struct machine_reader reader = {path, machine, err};
    const struct xml_element *top = &document->top.children[0];
    int status = -1;
    if (document->top.n_children != 1 || strcmp(top->name, "machine") != 0)
        error_set(err, "%s: no machine file: its outermost element is not <machine>", path);
    else
        status = read_machine(&reader, top);
    xml_free(document);
    return status;
}

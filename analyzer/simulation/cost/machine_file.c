// SPDX-License-Identifier: BSD-3-Clause
// Reads a machine file (pagoda-machine(5)), each element by a function of its name;
// machine_collectives.c reads <collective>.
#include "analyzer/simulation/cost/machine_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/xml.h"

// --- names and attributes

int machine_unknown(const struct machine_reader *reader, const struct xml_element *element,
                    const char *kind, const char *name, const char *const *known, size_t n_known)
{
    const char *nearest = spelling_nearest(name, known, n_known);
    if (nearest)
        return MACHINE_ERROR(reader, element, "unknown %s %s; is it %s?", kind, name, nearest);
    char *all = spelling_list(known, n_known);
    MACHINE_ERROR(reader, element, "unknown %s %s; there are %s", kind, name, all);
    free(all);
    return -1;
}

int machine_check_attributes(const struct machine_reader *reader, const struct xml_element *element,
                             const char *const *known, size_t n_known)
{
    const char *name = xml_unknown_attribute(element, known, n_known);
    return name ? machine_unknown(reader, element, "attribute", name, known, n_known) : 0;
}

int machine_read_attribute(const struct machine_reader *reader, const struct xml_element *element,
                           const char *name, bool is_optional, xml_read_value *read,
                           uint64_t *value)
{
    if (!is_optional && !xml_attribute(element, name))
        return MACHINE_ERROR(reader, element, "<%s> needs %s=\"...\"", element->name, name);
    return xml_read_attribute(reader->path, element, name, read, value, reader->err);
}

int machine_read_number_of(const struct machine_reader *reader, const struct xml_element *element,
                           const char *name, uint32_t most, uint32_t *count)
{
    const char *text = xml_attribute(element, name);
    uint64_t number = 0;
    if (!text)
        return 0;
    if (machine_read_attribute(reader, element, name, true, option_read_count, &number) != 0)
        return -1;
    if (number == 0 || number > most)
        return MACHINE_ERROR(reader, element, "%s=\"%s\": from 1 to %u", name, text, most);
    *count = (uint32_t)number;
    return 0;
}

static int machine_read_factor(const struct machine_reader *reader,
                               const struct xml_element *element, const char *name,
                               uint64_t *factor)
{
    const char *text = xml_attribute(element, name);
    double number;
    if (!text)
        return 0;
    if (option_read_number(text, &number, reader->err) != 0 || number < 0.001 || number > 1000)
        return MACHINE_ERROR(reader, element, "%s=\"%s\": a number from 0.001 to 1000", name, text);
    *factor = (uint64_t)llround(number * PAG_WORK_PER_NS);
    return 0;
}

static int machine_read_links(const struct machine_reader *reader,
                              const struct xml_element *element, uint32_t *out_links,
                              uint32_t *in_links)
{
    if (machine_read_number_of(reader, element, "out-links", MACHINE_MAX_LINKS, out_links) != 0)
        return -1;
    return machine_read_number_of(reader, element, "in-links", MACHINE_MAX_LINKS, in_links);
}

// --- times as costs

static const uint64_t most_ns = UINT64_C(3600000000000);

int cost_time_read(const char *text, uint64_t *time_ns, struct error *err)
{
    if (option_read_duration(text, time_ns, err) != 0)
        return -1;
    return *time_ns <= most_ns ? 0 : error_set(err, "more than an hour");
}

int cost_time_read_slice(const char *text, uint64_t *slice_ns, struct error *err)
{
    if (cost_time_read(text, slice_ns, err) != 0)
        return -1;
    if (*slice_ns > 0 && *slice_ns < COST_TIME_LEAST_SLICE_NS)
        return error_set(err, "less than 1us");
    return 0;
}

// --- <calibration>: where its numbers come from. Only the time of the reference computing, and how
// many
// --- members the largest measured collective had, are numbers that something asks for

const char *const machine_origin_names[MACHINE_ORIGINS] = {
    "source",        "missing",          "date",    "host", "processor", "mpi", "node-error",
    "network-error", "collective-error", "unsteady"};

static int machine_read_calibration(const struct machine_reader *reader,
                                    const struct xml_element *element)
{
    const char *known[MACHINE_ORIGINS + 2] = {"compute", "collective-members"};
    struct machine *machine = reader->machine;
    for (int i = 0; i < MACHINE_ORIGINS; i++)
        known[i + 2] = machine_origin_names[i];
    if (machine->is_calibrated)
        return MACHINE_ERROR(reader, element, "a second <calibration>");
    machine->is_calibrated = true;
    if (machine_check_attributes(reader, element, known, MACHINE_ORIGINS + 2) != 0 ||
        machine_read_number_of(reader, element, "collective-members", UINT32_MAX,
                               &machine->n_calibrated_members) != 0)
        return -1;
    for (int i = 0; i < MACHINE_ORIGINS; i++) {
        const char *text = xml_attribute(element, machine_origin_names[i]);
        machine->origins[i] = text ? memory_copy_text(text) : NULL;
    }
    return machine_read_attribute(reader, element, "compute", true, option_read_duration,
                                  &machine->compute_ns);
}

// --- <compute>: what visits of regions cost (timeless.h)

static const char *const variables[MACHINE_COMPUTE_VARIABLES] = {"w", "e", "p", "rank", "visit"};

static int machine_read_compute(const struct machine_reader *reader,
                                const struct xml_element *element)
{
    static const char *const known[] = {"region", "time"};
    struct machine *machine = reader->machine;
    const char *region = xml_attribute(element, "region"), *time = xml_attribute(element, "time");
    if (machine_check_attributes(reader, element, known, 2) != 0)
        return -1;
    if (!region || !*region || !time)
        return MACHINE_ERROR(reader, element, "<compute> needs region=\"...\" and time=\"...\"");
    for (size_t i = 0; i < machine->n_computes; i++)
        if (strcmp(machine->computes[i].pattern, region) == 0)
            return MACHINE_ERROR(reader, element, "a second <compute region=\"%s\">", region);
    struct formula *formula = formula_new(time, variables, MACHINE_COMPUTE_VARIABLES, reader->err);
    if (!formula)
        return error_wrap(reader->err, "%s:%u", reader->path, element->line);
    machine->computes =
        memory_resize(machine->computes, machine->n_computes + 1, sizeof *machine->computes);
    machine->computes[machine->n_computes++] =
        (struct machine_compute){.pattern = memory_copy_text(region),
                                 .line = element->line,
                                 .time = formula,
                                 .uses_work = formula_uses(time, variables[0]),
                                 .uses_elements = formula_uses(time, variables[1])};
    return 0;
}

// --- <node>, <group>, <region>: what is particular about some nodes, which of them belong
// together,
// --- regions that some processors are good at

static char **machine_read_names(const char *text, size_t *n)
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

static int machine_read_node(const struct machine_reader *reader, const struct xml_element *element)
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

static int machine_read_group(const struct machine_reader *reader,
                              const struct xml_element *element)
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

static int machine_read_region(const struct machine_reader *reader,
                               const struct xml_element *element)
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

static int machine_check_scopes(const struct machine_reader *reader)
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

// --- <message>

static int read_points(const struct machine_reader *reader, const struct xml_element *element,
                       struct machine_messages *messages)
{
    static const char *const known[] = {"bytes", "time"};
    messages->points = memory_zeroed(element->n_children, sizeof *messages->points);
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        struct machine_point *point = &messages->points[i];
        if (strcmp(child->name, "point") != 0)
            return MACHINE_ERROR(reader, child,
                                 "<%s> in <message>: only <point bytes=... time=...>", child->name);
        if (machine_check_attributes(reader, child, known, 2) != 0 ||
            machine_read_attribute(reader, child, "bytes", false, option_read_size,
                                   &point->size_bytes) ||
            machine_read_attribute(reader, child, "time", false, cost_time_read, &point->time_ns))
            return -1;
        if (i > 0 && point->size_bytes <= point[-1].size_bytes)
            return MACHINE_ERROR(
                reader, child,
                "<point bytes=\"%s\"> after <point bytes=\"%s\">: the sizes of the "
                "points must grow",
                xml_attribute(child, "bytes"), xml_attribute(&element->children[i - 1], "bytes"));
        messages->n_points++;
    }
    if (messages->n_points == 0)
        return MACHINE_ERROR(reader, element, "<message> without a <point>");
    return 0;
}

const char *const machine_scope_names[MACHINE_SCOPES] = {"node", "network", "core"};

/// Where the messages of the scope NAME go; NULL and an error.
static struct machine_messages *new_scope(const struct machine_reader *reader,
                                          const struct xml_element *element, const char *name)
{
    struct machine *machine = reader->machine;
    const char *within = xml_attribute(element, "within");
    const char *between = xml_attribute(element, "between");
    bool is_custom = within || between;
    for (size_t i = 0; i < MACHINE_SCOPES; i++) {
        if (strcmp(machine_scope_names[i], name) != 0)
            continue;
        if (is_custom)
            return MACHINE_ERROR(reader, element,
                                 "%s=\"...\" is for scopes with other names than %s",
                                 within ? "within" : "between", name),
                   NULL;
        if (machine->messages[i].n_points > 0)
            return MACHINE_ERROR(reader, element, "a second <message scope=\"%s\">", name), NULL;
        return &machine->messages[i];
    }
    if (!is_custom && spelling_nearest(name, machine_scope_names, MACHINE_SCOPES))
        return machine_unknown(reader, element, "scope", name, machine_scope_names, MACHINE_SCOPES),
               NULL;
    if (!is_custom)
        return MACHINE_ERROR(reader, element,
                             "<message scope=\"%s\"> needs within=\"GROUPS\" or between=\"GROUPS\"",
                             name),
               NULL;
    if (within && between)
        return MACHINE_ERROR(reader, element, "within and between exclude each other"), NULL;
    for (size_t i = 0; i < machine->n_custom_scopes; i++)
        if (strcmp(machine->custom_scopes[i].name, name) == 0)
            return MACHINE_ERROR(reader, element, "a second <message scope=\"%s\">", name), NULL;
    machine->custom_scopes = memory_resize(machine->custom_scopes, machine->n_custom_scopes + 1,
                                           sizeof *machine->custom_scopes);
    struct machine_custom_scope *scope = &machine->custom_scopes[machine->n_custom_scopes++];
    *scope = (struct machine_custom_scope){.name = memory_copy_text(name),
                                           .is_within = within != NULL,
                                           .line = element->line,
                                           .messages = {.eager_bytes = UINT64_MAX}};
    scope->groups = machine_read_names(within ? within : between, &scope->n_groups);
    if (scope->n_groups < (within ? 1 : 2))
        return MACHINE_ERROR(reader, element, "%s=\"%s\": %s", within ? "within" : "between",
                             within ? within : between,
                             within ? "a group of nodes at least" : "two groups or nodes at least"),
               NULL;
    return &scope->messages;
}

static int machine_read_messages(const struct machine_reader *reader,
                                 const struct xml_element *element)
{
    static const char *const known[] = {"scope", "eager",  "send-overhead", "recv-overhead",
                                        "buses", "within", "between"};
    const char *scope = xml_attribute(element, "scope");
    if (machine_check_attributes(reader, element, known, sizeof known / sizeof known[0]) != 0)
        return -1;
    if (!scope)
        return MACHINE_ERROR(reader, element,
                             "<message> needs scope=\"core\", \"node\", "
                             "\"network\" or a name of its own");
    struct machine_messages *messages = new_scope(reader, element, scope);
    if (!messages)
        return -1;
    if (machine_read_attribute(reader, element, "eager", true, option_read_size,
                               &messages->eager_bytes) ||
        machine_read_attribute(reader, element, "send-overhead", true, cost_time_read,
                               &messages->send_overhead_ns) ||
        machine_read_attribute(reader, element, "recv-overhead", true, cost_time_read,
                               &messages->receive_overhead_ns) ||
        machine_read_number_of(reader, element, "buses", MACHINE_MAX_LINKS, &messages->n_buses))
        return -1;
    if (messages->n_buses > 0 && messages == &reader->machine->messages[MACHINE_CORE])
        return MACHINE_ERROR(reader, element, "buses: ranks that share a core share no bus");
    return read_points(reader, element, messages);
}

// --- the whole file

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

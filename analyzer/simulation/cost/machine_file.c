// SPDX-License-Identifier: BSD-3-Clause
// Reads a machine file (pagoda-machine(5)), each element by a function of its name;
// machine_collectives.c reads <collective>.
#include "analyzer/simulation/cost/machine.h"

#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"

enum { MACHINE_MAX_CORES = 65536, MACHINE_MAX_LINKS = 1 << 20 };

// --- values

static int read_factor(const char *text, uint64_t *factor, struct error *err)
{
    return element_read_scaled(text, 0.001, 1000, PAG_WORK_PER_NS, factor, err);
}

/// Spans of work that are so short would take a simulation for ever.
static int read_every(const char *text, uint64_t *every_ns, struct error *err)
{
    const uint64_t least_ns = 1000000;
    if (cost_time_read(text, every_ns, err) != 0)
        return -1;
    return *every_ns >= least_ns ? 0 : error_set(err, "less than 1ms");
}

// --- <calibration>: where its numbers come from. Only the time of the reference computing, and how
// many members the largest measured collective had, are numbers that something asks for.

static int read_calibration(const struct element_reader *reader, const struct xml_element *element)
{
    static const char *const origins[MACHINE_ORIGINS] = {
        "source",        "missing",          "date",    "host", "processor", "mpi", "node-error",
        "network-error", "collective-error", "unsteady"};
    struct machine *machine = reader->into;
    struct element_field fields[MACHINE_ORIGINS + 2] = {
        {"compute", FIELD_VALUE, &machine->compute_ns, .read = option_read_duration},
        {"collective-members", FIELD_COUNT, &machine->n_calibrated_members, .most = UINT32_MAX},
    };
    for (int i = 0; i < MACHINE_ORIGINS; i++)
        fields[i + 2] =
            (struct element_field){origins[i], FIELD_TEXT, .value = &machine->origins[i]};
    if (machine->is_calibrated)
        return XML_ERROR(reader, element, "a second <calibration>");
    machine->is_calibrated = true;
    return ELEMENT_READ(reader, element, fields);
}

// --- <compute>: what visits of regions cost (timeless.h)

static const char *const variables[MACHINE_COMPUTE_VARIABLES] = {"w", "e", "p", "rank", "visit"};

static int read_compute(const struct element_reader *reader, const struct xml_element *element)
{
    struct machine *machine = reader->into;
    const char *region = NULL, *time = NULL;
    const struct element_field fields[] = {{"region", FIELD_TEXT, .value = &region},
                                           {"time", FIELD_TEXT, .value = &time}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    if (!region || !*region || !time)
        return XML_ERROR(reader, element, "<compute> needs region=\"...\" and time=\"...\"");
    if (HAS_BY(machine->computes, machine->n_computes, pattern, region))
        return XML_ERROR(reader, element, "a second <compute region=\"%s\">", region);
    struct formula *formula = formula_new(time, variables, MACHINE_COMPUTE_VARIABLES, reader->err);
    if (!formula)
        return error_wrap(reader->err, "%s:%u", reader->path, element->line);
    *ARRAY_EXTEND(machine->computes, machine->n_computes) =
        (struct machine_compute){.pattern = region,
                                 .line = element->line,
                                 .time = formula,
                                 .uses_work = formula_uses(time, variables[0]),
                                 .uses_elements = formula_uses(time, variables[1])};
    return 0;
}

// --- <node>, <group>, <region>: what is particular about some nodes, which of them belong
// together, regions that some processors are good at

/// The words of TEXT, in one block.
static const char **read_names(const char *text, size_t *n)
{
    size_t most = strlen(text) / 2 + 1;
    const char **names = memory_new(most * sizeof *names + strlen(text) + 1);
    char *rest = strcpy((char *)(names + most), text);
    *n = 0;
    for (char *name; (name = strsep(&rest, " \t\r\n"));)
        if (*name)
            names[(*n)++] = name;
    return names;
}

static int read_node(const struct element_reader *reader, const struct xml_element *element)
{
    struct machine *machine = reader->into;
    struct machine_node node = {.line = element->line};
    const struct element_field fields[] = {
        {"name", FIELD_NAME, .value = &node.name},
        {"cores", FIELD_COUNT, &node.n_cores, .most = MACHINE_MAX_CORES},
        {"cpu-speed", FIELD_VALUE, &node.speed, .read = read_factor},
        {"out-links", FIELD_COUNT, &node.out_links, .most = MACHINE_MAX_LINKS},
        {"in-links", FIELD_COUNT, &node.in_links, .most = MACHINE_MAX_LINKS},
    };
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    if (HAS_BY(machine->nodes, machine->n_nodes, name, node.name))
        return XML_ERROR(reader, element, "a second <node name=\"%s\">", node.name);
    *ARRAY_EXTEND(machine->nodes, machine->n_nodes) = node;
    return 0;
}

static int read_group(const struct element_reader *reader, const struct xml_element *element)
{
    struct machine *machine = reader->into;
    struct machine_group group = {.line = element->line};
    const char *nodes = "";
    const struct element_field fields[] = {
        {"name", FIELD_NAME, .value = &group.name},
        {"nodes", FIELD_NAME, .value = &nodes},
        {"out-links", FIELD_COUNT, &group.out_links, .most = MACHINE_MAX_LINKS},
        {"in-links", FIELD_COUNT, &group.in_links, .most = MACHINE_MAX_LINKS},
    };
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    if (HAS_BY(machine->groups, machine->n_groups, name, group.name))
        return XML_ERROR(reader, element, "a second <group name=\"%s\">", group.name);
    group.nodes = read_names(nodes, &group.n_nodes);
    *ARRAY_EXTEND(machine->groups, machine->n_groups) = group;
    return 0;
}

/// Computing that takes longer, or shorter, by chance.
static int read_noise(const struct element_reader *reader, const struct xml_element *element)
{
    struct machine *machine = reader->into;
    struct machine_noise *noise = ARRAY_EXTEND(machine->noises, machine->n_noises);
    *noise = (struct machine_noise){.line = element->line};
    const char *nodes = NULL;
    const struct element_field fields[] = {
        {"every", FIELD_VALUE, &noise->every_ns, .read = read_every},
        {"nodes", FIELD_TEXT, .value = &nodes},
    };
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    if (nodes)
        noise->nodes = read_names(nodes, &noise->n_nodes);
    if (nodes && noise->n_nodes == 0)
        return XML_ERROR(reader, element, "nodes=\"\": without it all nodes are meant");
    if (element->n_children == 0)
        return XML_ERROR(reader, element, "<noise> without a <quantile>");
    if (noise_read_all(reader, element, &noise->noise) != 0)
        return -1;
    if (noise->noise.quantiles[noise->noise.n - 1].more_ns > 0)
        return XML_ERROR(reader, element,
                         "more=\"...\" in <noise>: it is for messages and collectives");
    return 0;
}

static int read_region(const struct element_reader *reader, const struct xml_element *element)
{
    struct machine *machine = reader->into;
    struct machine_region region = {.line = element->line};
    const struct element_field fields[] = {
        {"name", FIELD_NAME, .value = &region.pattern},
        {"speed", FIELD_NEEDED, &region.speed, .read = read_factor}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    *ARRAY_EXTEND(machine->regions, machine->n_regions) = region;
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

/// SCOPE names groups, or nodes, which only a run knows; a misspelt group can be found here.
static int check_groups(const struct element_reader *reader,
                        const struct machine_custom_scope *scope)
{
    const struct machine *machine = reader->into;
    const struct xml_element where = {.line = scope->line};
    SCOPED const char **names = NAMED_NAMES(machine->groups, machine->n_groups);
    int status = 0;
    for (size_t i = 0; i < scope->n_groups && status == 0; i++) {
        const char *nearest = spelling_nearest(scope->groups[i], names, machine->n_groups);
        if (nearest && strcmp(nearest, scope->groups[i]) != 0 &&
            !is_node(machine, scope->groups[i]))
            status =
                XML_ERROR(reader, &where, "unknown group %s; is it %s?", scope->groups[i], nearest);
    }
    return status;
}

static int machine_check_scopes(const struct element_reader *reader)
{
    const struct machine *machine = reader->into;
    for (size_t i = 0; i < machine->n_custom_scopes; i++) {
        const struct machine_custom_scope *scope = &machine->custom_scopes[i];
        const struct xml_element where = {.line = scope->line};
        if (machine->messages[MACHINE_NETWORK].n_points == 0)
            return XML_ERROR(reader, &where,
                             "<message scope=\"%s\"> needs one with scope=\"network\" as well, "
                             "for all other nodes",
                             scope->name);
        if (check_groups(reader, scope) != 0)
            return -1;
    }
    return 0;
}

// --- <message>

static int read_points(const struct element_reader *reader, const struct xml_element *element,
                       struct machine_messages *messages)
{
    const struct xml_element *before = NULL; // the point before
    messages->points = memory_zeroed(element->n_children, sizeof *messages->points);
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        struct machine_point *point = &messages->points[messages->n_points];
        const struct element_field fields[] = {
            {"bytes", FIELD_NEEDED, &point->size_bytes, .read = option_read_size},
            {"time", FIELD_NEEDED, &point->time_ns, .read = cost_time_read},
        };
        if (strcmp(child->name, "quantile") == 0) {
            if (noise_read(reader, child, &messages->noise) != 0)
                return -1;
            continue;
        }
        if (strcmp(child->name, "point") != 0)
            return XML_ERROR(reader, child,
                             "<%s> in <message>: only <point bytes=... time=...> and "
                             "<quantile percent=... factor=...>",
                             child->name);
        if (ELEMENT_READ(reader, child, fields) != 0)
            return -1;
        if (before && point->size_bytes <= point[-1].size_bytes)
            return XML_ERROR(reader, child,
                             "<point bytes=\"%s\"> after <point bytes=\"%s\">: the sizes of "
                             "the points must grow",
                             xml_attribute(child, "bytes"), xml_attribute(before, "bytes"));
        before = child;
        messages->n_points++;
    }
    if (messages->n_points == 0)
        return XML_ERROR(reader, element, "<message> without a <point>");
    return 0;
}

const char *const machine_scope_names[MACHINE_SCOPES] = {"node", "network", "core"};

/// Where the messages of the scope NAME go; NULL and an error.
static struct machine_messages *new_scope(const struct element_reader *reader,
                                          const struct xml_element *element, const char *name,
                                          const char *within, const char *between)
{
    struct machine *machine = reader->into;
    const char *groups = within ? within : between;
    for (size_t i = 0; i < MACHINE_SCOPES; i++) {
        if (strcmp(machine_scope_names[i], name) != 0)
            continue;
        if (groups)
            XML_ERROR(reader, element, "%s=\"...\" is for scopes with other names than %s",
                      within ? "within" : "between", name);
        else if (machine->messages[i].n_points > 0)
            XML_ERROR(reader, element, "a second <message scope=\"%s\">", name);
        else
            return &machine->messages[i];
        return NULL;
    }
    bool is_second = HAS_BY(machine->custom_scopes, machine->n_custom_scopes, name, name);
    if (!groups && spelling_nearest(name, machine_scope_names, MACHINE_SCOPES))
        element_unknown(reader, element, "scope", name, machine_scope_names, MACHINE_SCOPES);
    else if (!groups)
        XML_ERROR(reader, element,
                  "<message scope=\"%s\"> needs within=\"GROUPS\" or between=\"GROUPS\"", name);
    else if (within && between)
        XML_ERROR(reader, element, "within and between exclude each other");
    else if (is_second)
        XML_ERROR(reader, element, "a second <message scope=\"%s\">", name);
    if (!groups || (within && between) || is_second)
        return NULL;
    struct machine_custom_scope *scope =
        ARRAY_EXTEND(machine->custom_scopes, machine->n_custom_scopes);
    *scope = (struct machine_custom_scope){.name = name,
                                           .is_within = within != NULL,
                                           .line = element->line,
                                           .messages = {.eager_bytes = UINT64_MAX}};
    scope->groups = read_names(groups, &scope->n_groups);
    if (scope->n_groups >= (within ? 1 : 2))
        return &scope->messages;
    XML_ERROR(reader, element, "%s=\"%s\": %s", within ? "within" : "between", groups,
              within ? "a group of nodes at least" : "two groups or nodes at least");
    return NULL;
}

static int read_messages(const struct element_reader *reader, const struct xml_element *element)
{
    struct machine *machine = reader->into;
    struct machine_messages read = {.eager_bytes = UINT64_MAX};
    const char *scope = NULL, *within = NULL, *between = NULL;
    const struct element_field fields[] = {
        {"scope", FIELD_TEXT, .value = &scope},
        {"within", FIELD_TEXT, .value = &within},
        {"between", FIELD_TEXT, .value = &between},
        {"eager", FIELD_VALUE, &read.eager_bytes, .read = option_read_size},
        {"send-overhead", FIELD_VALUE, &read.send_overhead_ns, .read = cost_time_read},
        {"recv-overhead", FIELD_VALUE, &read.receive_overhead_ns, .read = cost_time_read},
        {"buses", FIELD_COUNT, &read.n_buses, .most = MACHINE_MAX_LINKS},
    };
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    if (!scope)
        return XML_ERROR(reader, element,
                         "<message> needs scope=\"core\", \"node\", "
                         "\"network\" or a name of its own");
    struct machine_messages *messages = new_scope(reader, element, scope, within, between);
    if (!messages)
        return -1;
    *messages = read;
    if (messages->n_buses > 0 && messages == &machine->messages[MACHINE_CORE])
        return XML_ERROR(reader, element, "buses: ranks that share a core share no bus");
    return read_points(reader, element, messages);
}

// --- the whole file

static bool has_links(const struct machine *machine)
{
    bool has_any = machine->out_links > 0 || machine->in_links > 0;
    for (size_t i = 0; i < machine->n_nodes; i++)
        has_any = has_any || machine->nodes[i].out_links > 0 || machine->nodes[i].in_links > 0;
    for (size_t i = 0; i < machine->n_groups; i++)
        has_any = has_any || machine->groups[i].out_links > 0 || machine->groups[i].in_links > 0;
    return has_any;
}

static int read_contention(const struct element_reader *reader, const struct xml_element *element)
{
    static const char *const names[] = {"p", "b"};
    struct machine *machine = reader->into;
    if (machine->contention_text &&
        !(machine->contention = formula_new(machine->contention_text, names, 2, reader->err)))
        return error_wrap(reader->err, "%s:%u: contention", reader->path, element->line);
    return 0;
}

static int read_machine(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {
        {"message", read_messages}, {"collective", machine_read_collective},
        {"node", read_node},        {"group", read_group},
        {"region", read_region},    {"calibration", read_calibration},
        {"compute", read_compute},  {"noise", read_noise}};
    static const char *const holders[] = {"message", "collective", "noise", NULL};
    struct machine *machine = reader->into;
    const struct element_field fields[] = {
        {"name", FIELD_TEXT, .value = &machine->name},
        {"summary", FIELD_TEXT, .value = &machine->summary},
        {"cores", FIELD_COUNT, &machine->n_cores, .most = MACHINE_MAX_CORES},
        {"hand-over", FIELD_VALUE, &machine->hand_over_ns, .read = cost_time_read},
        {"slice", FIELD_VALUE, &machine->slice_ns, .read = cost_time_read_slice},
        {"buffered", FIELD_VALUE, &machine->buffered_bytes, .read = option_read_size},
        {"cpu-speed", FIELD_VALUE, &machine->speed, .read = read_factor},
        {"out-links", FIELD_COUNT, &machine->out_links, .most = MACHINE_MAX_LINKS},
        {"in-links", FIELD_COUNT, &machine->in_links, .most = MACHINE_MAX_LINKS},
        {"contention", FIELD_TEXT, .value = &machine->contention_text},
    };
    machine->speed = PAG_WORK_PER_NS;
    if (ELEMENT_READ(reader, element, fields) != 0 || read_contention(reader, element) != 0 ||
        ELEMENT_READ_KINDS(reader, element, kinds) != 0 ||
        element_check_contents(reader, element, holders, NULL) != 0)
        return -1;
    if (machine->n_collectives > 0 && !machine_has_messages(machine))
        return XML_ERROR(reader, element, "<collective> without any <message>");
    if (has_links(machine) && !machine_has_messages(machine))
        return XML_ERROR(reader, element, "links without any <message>");
    if (machine_check_scopes(reader) != 0)
        return -1;
    return machine_check_collectives(reader, element);
}

const struct bundled bundled_machines = {"machines", "machine"};

int machine_read(struct machine *machine, const char *name, struct error *err)
{
    *machine = (struct machine){.path = bundled_path(&bundled_machines, name, err),
                                .name = "",
                                .summary = "",
                                .buffered_bytes = PAG_NOT_KNOWN};
    const struct element_reader reader = {machine->path, machine, err};
    for (int scope = 0; scope < MACHINE_SCOPES; scope++)
        machine->messages[scope].eager_bytes = UINT64_MAX;
    return machine->path ? element_read_file(&reader, "machine", "machine file", read_machine,
                                             &machine->document)
                         : -1;
}

// SPDX-License-Identifier: BSD-3-Clause
// The element <message> of machine files: what messages of one scope cost.
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cost/cost_time.h"
#include "analyzer/simulation/cost/reader.h"

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

int machine_read_messages(const struct machine_reader *reader, const struct xml_element *element)
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

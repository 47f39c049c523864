// SPDX-License-Identifier: BSD-3-Clause
// The element <message> of machine files: what messages of one scope cost.
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/whatif/machine_reader.h"

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
            machine_read_attribute(reader, child, "time", false, option_read_duration,
                                   &point->time_ns))
            return -1;
        if (i > 0 && point->size_bytes <= point[-1].size_bytes)
            return MACHINE_ERROR(reader, child, "the sizes of the points must grow");
        messages->n_points++;
    }
    if (messages->n_points == 0)
        return MACHINE_ERROR(reader, element, "<message> without a <point>");
    return 0;
}

int machine_read_messages(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"scope", "eager", "send-overhead", "recv-overhead"};
    static const char *const scopes[] = {"node", "network"};
    const char *scope = xml_attribute(element, "scope");
    if (machine_check_attributes(reader, element, known, 4) != 0)
        return -1;
    if (!scope)
        return MACHINE_ERROR(reader, element, "<message> needs scope=\"node\" or \"network\"");
    size_t which = 0;
    while (which < MACHINE_SCOPES && strcmp(scopes[which], scope) != 0)
        which++;
    if (which == MACHINE_SCOPES)
        return machine_unknown(reader, element, "scope", scope, scopes, MACHINE_SCOPES);
    struct machine_messages *messages = &reader->machine->messages[which];
    if (messages->n_points > 0)
        return MACHINE_ERROR(reader, element, "a second <message scope=\"%s\">", scope);
    if (machine_read_attribute(reader, element, "eager", true, option_read_size,
                               &messages->eager_bytes) ||
        machine_read_attribute(reader, element, "send-overhead", true, option_read_duration,
                               &messages->send_overhead_ns) ||
        machine_read_attribute(reader, element, "recv-overhead", true, option_read_duration,
                               &messages->receive_overhead_ns))
        return -1;
    return read_points(reader, element, messages);
}

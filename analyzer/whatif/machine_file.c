// SPDX-License-Identifier: BSD-3-Clause
// Reading machine files: the elements and attributes of pagoda-machine(5), each checked.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/spelling.h"
#include "analyzer/base/xml.h"
#include "analyzer/whatif/machine.h"

enum { MAX_CORES = 65536 };

// In the order of OTF2_CollectiveOp.
static const char *const operations[] = {"barrier",
                                         "bcast",
                                         "gather",
                                         "gatherv",
                                         "scatter",
                                         "scatterv",
                                         "allgather",
                                         "allgatherv",
                                         "alltoall",
                                         "alltoallv",
                                         "alltoallw",
                                         "allreduce",
                                         "reduce",
                                         "reduce_scatter",
                                         "scan",
                                         "exscan",
                                         "reduce_scatter_block"};
enum { N_OPERATIONS = sizeof operations / sizeof operations[0] };

/// A file being read.
struct machine_reader {
    const char *path;
    struct machine *machine;
    struct error *err;
};

#define AT(reader, element, ...)                                                                   \
    (error_set((reader)->err, __VA_ARGS__),                                                        \
     error_wrap((reader)->err, "%s:%u", (reader)->path, (element)->line))

static int unknown(const struct machine_reader *reader, const struct xml_element *element,
                   const char *kind, const char *name, const char *const *known, size_t n_known)
{
    const char *nearest = spelling_nearest(name, known, n_known);
    if (nearest)
        return AT(reader, element, "unknown %s %s; is it %s?", kind, name, nearest);
    return AT(reader, element, "unknown %s %s", kind, name);
}

static int check_attributes(const struct machine_reader *reader, const struct xml_element *element,
                            const char *const *known, size_t n_known)
{
    for (size_t i = 0; i < element->n_attributes; i++) {
        bool is_known = false;
        for (size_t k = 0; k < n_known; k++)
            is_known = is_known || strcmp(element->attributes[i].name, known[k]) == 0;
        if (!is_known)
            return unknown(reader, element, "attribute", element->attributes[i].name, known,
                           n_known);
    }
    return 0;
}

typedef int read_value(const char *text, uint64_t *value, struct error *err);

/// The attribute NAME into *VALUE, which stays as it is when there is none and it IS_OPTIONAL.
static int read_attribute(const struct machine_reader *reader, const struct xml_element *element,
                          const char *name, bool is_optional, read_value *read, uint64_t *value)
{
    const char *text = xml_attribute(element, name);
    if (!text && is_optional)
        return 0;
    if (!text)
        return AT(reader, element, "<%s> needs %s=\"...\"", element->name, name);
    if (read(text, value, reader->err) == 0)
        return 0;
    error_wrap(reader->err, "%s=\"%s\"", name, text);
    return error_wrap(reader->err, "%s:%u", reader->path, element->line);
}

static int read_points(const struct machine_reader *reader, const struct xml_element *element,
                       struct machine_messages *messages)
{
    static const char *const known[] = {"bytes", "time"};
    messages->points = memory_zeroed(element->n_children, sizeof *messages->points);
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        struct machine_point *point = &messages->points[i];
        if (strcmp(child->name, "point") != 0)
            return AT(reader, child, "<%s> in <message>: only <point bytes=... time=...>",
                      child->name);
        if (check_attributes(reader, child, known, 2) != 0 ||
            read_attribute(reader, child, "bytes", false, option_read_size, &point->size_bytes) ||
            read_attribute(reader, child, "time", false, option_read_duration, &point->time_ns))
            return -1;
        if (i > 0 && point->size_bytes <= point[-1].size_bytes)
            return AT(reader, child, "the sizes of the points must grow");
        messages->n_points++;
    }
    if (messages->n_points == 0)
        return AT(reader, element, "<message> without a <point>");
    return 0;
}

static int read_messages(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"scope", "eager", "send-overhead", "recv-overhead"};
    static const char *const scopes[] = {"node", "network"};
    const char *scope = xml_attribute(element, "scope");
    if (check_attributes(reader, element, known, 4) != 0)
        return -1;
    if (!scope)
        return AT(reader, element, "<message> needs scope=\"node\" or \"network\"");
    size_t which = 0;
    while (which < MACHINE_SCOPES && strcmp(scopes[which], scope) != 0)
        which++;
    if (which == MACHINE_SCOPES)
        return unknown(reader, element, "scope", scope, scopes, MACHINE_SCOPES);
    struct machine_messages *messages = &reader->machine->messages[which];
    if (messages->n_points > 0)
        return AT(reader, element, "a second <message scope=\"%s\">", scope);
    if (read_attribute(reader, element, "eager", true, option_read_size, &messages->eager_bytes) ||
        read_attribute(reader, element, "send-overhead", true, option_read_duration,
                       &messages->send_overhead_ns) ||
        read_attribute(reader, element, "recv-overhead", true, option_read_duration,
                       &messages->receive_overhead_ns))
        return -1;
    return read_points(reader, element, messages);
}

static int read_collective(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"op", "time"};
    static const char *const variables[] = {"p", "b"};
    struct machine *machine = reader->machine;
    const char *operation = xml_attribute(element, "op"), *time = xml_attribute(element, "time");
    if (check_attributes(reader, element, known, 2) != 0)
        return -1;
    if (!operation || !time)
        return AT(reader, element, "<collective> needs op=\"...\" and time=\"...\"");
    uint8_t which = 0;
    while (which < N_OPERATIONS && strcmp(operations[which], operation) != 0)
        which++;
    if (which == N_OPERATIONS)
        return unknown(reader, element, "operation", operation, operations, N_OPERATIONS);
    for (size_t i = 0; i < machine->n_collectives; i++)
        if (machine->collectives[i].operation == which)
            return AT(reader, element, "a second <collective op=\"%s\">", operation);
    struct formula *formula = formula_new(time, variables, 2, reader->err);
    if (!formula)
        return error_wrap(reader->err, "%s:%u", reader->path, element->line);
    machine->collectives = memory_resize(machine->collectives, machine->n_collectives + 1,
                                         sizeof *machine->collectives);
    machine->collectives[machine->n_collectives++] = (struct machine_collective){which, formula};
    return 0;
}

static int read_machine(const struct machine_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"name", "cores", "cpu-speed", "hand-over"};
    struct machine *machine = reader->machine;
    const char *name = xml_attribute(element, "name"), *speed = xml_attribute(element, "cpu-speed");
    uint64_t n_cores = 0;
    if (check_attributes(reader, element, known, 4) != 0 ||
        read_attribute(reader, element, "cores", true, option_read_count, &n_cores) != 0 ||
        read_attribute(reader, element, "hand-over", true, option_read_duration,
                       &machine->hand_over_ns) != 0)
        return -1;
    if (xml_attribute(element, "cores") && (n_cores == 0 || n_cores > MAX_CORES))
        return AT(reader, element, "cores=\"%s\": from 1 to %d", xml_attribute(element, "cores"),
                  MAX_CORES);
    machine->n_cores = (uint32_t)n_cores;
    machine->name = memory_copy_text(name ? name : "");
    double factor = 1;
    if (speed &&
        (option_read_number(speed, &factor, reader->err) != 0 || factor < 0.001 || factor > 1000))
        return AT(reader, element, "cpu-speed=\"%s\": a number from 0.001 to 1000", speed);
    machine->speed = (uint64_t)llround(factor * PAG_WORK_PER_NS);
    for (size_t i = 0; i < element->n_children; i++) {
        static const char *const elements[] = {"message", "collective"};
        const struct xml_element *child = &element->children[i];
        int status = strcmp(child->name, elements[0]) == 0 ? read_messages(reader, child)
                     : strcmp(child->name, elements[1]) == 0
                         ? read_collective(reader, child)
                         : unknown(reader, child, "element", child->name, elements, 2);
        if (status != 0)
            return -1;
    }
    if (machine->n_collectives > 0 && !machine_has_messages(machine))
        return AT(reader, element, "<collective> without any <message>");
    return 0;
}

int machine_read(struct machine *machine, const char *path, struct error *err)
{
    *machine = (struct machine){0};
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

// SPDX-License-Identifier: BSD-3-Clause
// The element <collective> of machine files: what an operation costs, or how it is carried out.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cores/placement.h"
#include "analyzer/simulation/cost/machine.h"

enum { MAX_NODE = 1 << 20 };

static int read_operation(const struct element_reader *reader, const struct xml_element *element,
                          uint8_t *operation)
{
    const char *name = xml_attribute(element, "op");
    if (!name)
        return XML_ERROR(reader, element,
                         "<collective> needs op=\"...\" and time=\"...\" or algorithm=\"...\"");
    *operation = (uint8_t)FIND_TEXT(collective_operation_names, COLLECTIVE_OPERATIONS, name);
    if (*operation == COLLECTIVE_OPERATIONS)
        return element_unknown(reader, element, "operation", name, collective_operation_names,
                               COLLECTIVE_OPERATIONS);
    return 0;
}

/// Whether an algorithm may stand in the attribute.
typedef bool is_valid(uint8_t operation, enum collective_algorithm algorithm);

static bool is_tree(uint8_t operation, enum collective_algorithm algorithm)
{
    return (algorithm == ALGORITHM_FLAT || algorithm == ALGORITHM_BINOMIAL ||
            algorithm == ALGORITHM_QUATERNARY) &&
           collective_plan_exists(operation, algorithm);
}

/// The attribute NAME, an algorithm that IS_VALID_HERE for OPERATION; *ALGORITHM stays without it.
static int read_algorithm(const struct element_reader *reader, const struct xml_element *element,
                          const char *name, uint8_t operation, is_valid *is_valid_here,
                          enum collective_algorithm *algorithm)
{
    const char *value = xml_attribute(element, name);
    if (!value)
        return 0;
    enum collective_algorithm which = ALGORITHM_FLAT;
    while (which < N_ALGORITHMS && strcmp(collective_algorithm_names[which], value) != 0)
        which++;
    if (which == N_ALGORITHMS &&
        spelling_nearest(value, collective_algorithm_names + 1, N_ALGORITHMS - 1))
        return element_unknown(reader, element, "algorithm", value, collective_algorithm_names + 1,
                               N_ALGORITHMS - 1);
    if (which < N_ALGORITHMS && is_valid_here(operation, which)) {
        *algorithm = which;
        return 0;
    }
    char valid[128] = "";
    for (int i = ALGORITHM_FLAT; i < N_ALGORITHMS; i++) {
        if (!is_valid_here(operation, i))
            continue;
        strcat(strcat(valid, valid[0] ? ", " : ""), collective_algorithm_names[i]);
    }
    return XML_ERROR(reader, element, "%s=\"%s\" is none for %s; there are %s", name, value,
                     collective_operation_names[operation], valid);
}

/// Node numbers such as 3,8-11.
static int read_missing_nodes(const struct element_reader *reader,
                              const struct xml_element *element,
                              struct machine_collective *collective)
{
    const char *text = xml_attribute(element, "missing-nodes"), *at = text;
    size_t capacity = 0, n = 0;
    while (at) {
        struct rank_range range;
        const char *end = strchr(at, '\0');
        if (rank_list_next(&at, end, MAX_NODE + 1, &range, reader->err) != 0)
            return XML_ERROR(reader, element,
                             "missing-nodes=\"%s\": node numbers such as 3,8-11, from 0 on", text);
        size_t n_more = range.last - range.first + 1;
        if (n + n_more > MAX_NODE)
            return XML_ERROR(reader, element, "missing-nodes=\"%s\": too many", text);
        collective->missing_nodes = array_reserve(collective->missing_nodes, &capacity, n + n_more,
                                                  sizeof *collective->missing_nodes);
        while (range.first <= range.last)
            collective->missing_nodes[n++] = range.first++;
        at = at < end ? at : NULL;
    }
    if (n > 1)
        qsort(collective->missing_nodes, n, sizeof *collective->missing_nodes, uint32_compare);
    collective->n_missing_nodes = n;
    return 0;
}

/// What is for the hardware of a network only.
static int read_multicast(const struct element_reader *reader, const struct xml_element *element,
                          struct machine_collective *collective)
{
    bool is_multicast = collective->algorithm == ALGORITHM_HARDWARE_MULTICAST;
    if (!is_multicast && xml_attribute(element, "tree"))
        return XML_ERROR(reader, element, "tree=\"...\" is for algorithm=\"hardware-multicast\"");
    if (!is_multicast && !xml_attribute(element, "scattered-time") &&
        xml_attribute(element, "missing-nodes"))
        return XML_ERROR(reader, element,
                         "missing-nodes=\"...\" is for algorithm=\"hardware-multicast\" or "
                         "scattered-time=\"...\"");
    collective->tree = ALGORITHM_QUATERNARY;
    if (read_algorithm(reader, element, "tree", collective->operation, is_tree,
                       &collective->tree) != 0)
        return -1;
    return read_missing_nodes(reader, element, collective);
}

static struct formula *new_formula(const char *text, struct error *err)
{
    return formula_new(text, machine_collective_variables, MACHINE_COLLECTIVE_VARIABLES, err);
}

static int read_time(const struct element_reader *reader, const struct xml_element *element,
                     struct machine_collective *collective)
{
    const char *time = xml_attribute(element, "time");
    const char *scattered = xml_attribute(element, "scattered-time");
    bool is_formula = collective->algorithm == ALGORITHM_FORMULA;
    if (!time && is_formula)
        return XML_ERROR(reader, element,
                         "<collective> needs op=\"...\" and time=\"...\" or algorithm=\"...\"");
    if (time && !is_formula && collective->algorithm != ALGORITHM_HARDWARE_MULTICAST)
        return XML_ERROR(reader, element,
                         "time=\"...\" and algorithm=\"%s\": what takes the time of its "
                         "messages has no other",
                         collective_algorithm_names[collective->algorithm]);
    if (scattered && !is_formula)
        return XML_ERROR(reader, element, "scattered-time=\"...\" is for time=\"...\"");
    if ((time && !(collective->time = new_formula(time, reader->err))) ||
        (scattered && !(collective->scattered_time = new_formula(scattered, reader->err))))
        return error_wrap(reader->err, "%s:%u", reader->path, element->line);
    collective->time_text = time;
    collective->scattered_text = scattered;
    return 0;
}

/// The quantiles of its time.
static int read_noise(const struct element_reader *reader, const struct xml_element *element,
                      struct machine_collective *collective)
{
    if (element->n_children > 0 && !collective->time &&
        collective->algorithm != ALGORITHM_HARDWARE_MULTICAST)
        return XML_ERROR(reader, element,
                         "<%s> in <collective algorithm=\"%s\">: what takes the time of its "
                         "messages has their <quantile>s",
                         element->children[0].name,
                         collective_algorithm_names[collective->algorithm]);
    return noise_read_all(reader, element, &collective->noise);
}

/// The sizes it is for, and that no element before it is.
static int check_bounds(const struct element_reader *reader, const struct xml_element *element,
                        struct machine_collective *collective)
{
    const struct machine *machine = reader->into;
    const char *name = collective_operation_names[collective->operation];
    if (collective->from_bytes >= collective->below_bytes)
        return XML_ERROR(reader, element, "from=\"%s\" is not less than below=\"%s\"",
                         xml_attribute(element, "from") ? xml_attribute(element, "from") : "0",
                         xml_attribute(element, "below"));
    for (size_t i = 0; i + 1 < machine->n_collectives; i++) {
        const struct machine_collective *other = &machine->collectives[i];
        uint64_t common =
            other->from_bytes > collective->from_bytes ? other->from_bytes : collective->from_bytes;
        if (other->operation == collective->operation && common < other->below_bytes &&
            common < collective->below_bytes)
            return XML_ERROR(reader, element,
                             "a second <collective op=\"%s\"> for sizes from %" PRIu64
                             " bytes on; from=\"...\" and below=\"...\" keep them apart",
                             name, common);
    }
    return 0;
}

int machine_read_collective(const struct element_reader *reader, const struct xml_element *element)
{
    struct machine *machine = reader->into;
    struct machine_collective read = {.line = element->line, .below_bytes = UINT64_MAX};
    const char *ignored = NULL; // read below
    const struct element_field fields[] = {
        {"op", FIELD_TEXT, .value = &ignored},
        {"time", FIELD_TEXT, .value = &ignored},
        {"scattered-time", FIELD_TEXT, .value = &ignored},
        {"algorithm", FIELD_TEXT, .value = &ignored},
        {"from", FIELD_VALUE, &read.from_bytes, .read = option_read_size},
        {"below", FIELD_VALUE, &read.below_bytes, .read = option_read_size},
        {"tree", FIELD_TEXT, .value = &ignored},
        {"missing-nodes", FIELD_TEXT, .value = &ignored},
    };
    if (ELEMENT_READ(reader, element, fields) != 0 ||
        read_operation(reader, element, &read.operation) != 0)
        return -1;
    struct machine_collective *collective =
        ARRAY_EXTEND(machine->collectives, machine->n_collectives);
    *collective = read;
    collective->no_time = memory_zeroed(1, sizeof *collective->no_time);
    if (read_algorithm(reader, element, "algorithm", read.operation, collective_plan_exists,
                       &collective->algorithm) != 0 ||
        read_multicast(reader, element, collective) != 0 ||
        read_time(reader, element, collective) != 0 || read_noise(reader, element, collective) != 0)
        return -1;
    return check_bounds(reader, element, collective);
}

/// Whether there is an element for the operation of COLLECTIVE from its upper bound on.
static bool has_next(const struct machine *machine, const struct machine_collective *collective)
{
    return collective->below_bytes == UINT64_MAX ||
           machine_collective(machine, collective->operation, collective->below_bytes);
}

int machine_check_collectives(const struct element_reader *reader,
                              const struct xml_element *element)
{
    const struct machine *machine = reader->into;
    const struct machine_collective *collective = machine->collectives;
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        if (strcmp(child->name, "collective") != 0)
            continue;
        bool is_open = !machine_collective(machine, collective->operation, 0);
        if (is_open || !has_next(machine, collective))
            return XML_ERROR(reader, child,
                             "no <collective op=\"%s\"> for sizes from %" PRIu64
                             " bytes on; if they take no time, say time=\"0\"",
                             collective_operation_names[collective->operation],
                             is_open ? 0 : collective->below_bytes);
        collective++;
    }
    return 0;
}

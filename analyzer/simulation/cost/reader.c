// SPDX-License-Identifier: BSD-3-Clause
// Names and attributes in machine files (see reader.h).
#include "analyzer/simulation/cost/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/options.h"
#include "analyzer/base/text.h"

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

int machine_read_factor(const struct machine_reader *reader, const struct xml_element *element,
                        const char *name, uint64_t *factor)
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

int machine_read_links(const struct machine_reader *reader, const struct xml_element *element,
                       uint32_t *out_links, uint32_t *in_links)
{
    if (machine_read_number_of(reader, element, "out-links", MACHINE_MAX_LINKS, out_links) != 0)
        return -1;
    return machine_read_number_of(reader, element, "in-links", MACHINE_MAX_LINKS, in_links);
}

// SPDX-License-Identifier: BSD-3-Clause
// Names and attributes in machine files (see reader.h).
#include "analyzer/whatif/machine/reader.h"

#include <math.h>
#include <string.h>

#include "analyzer/base/options.h"
#include "analyzer/base/spelling.h"

int machine_unknown(const struct machine_reader *reader, const struct xml_element *element,
                    const char *kind, const char *name, const char *const *known, size_t n_known)
{
    const char *nearest = spelling_nearest(name, known, n_known);
    if (nearest)
        return MACHINE_ERROR(reader, element, "unknown %s %s; is it %s?", kind, name, nearest);
    return MACHINE_ERROR(reader, element, "unknown %s %s", kind, name);
}

int machine_check_attributes(const struct machine_reader *reader, const struct xml_element *element,
                             const char *const *known, size_t n_known)
{
    for (size_t i = 0; i < element->n_attributes; i++) {
        bool is_known = false;
        for (size_t k = 0; k < n_known; k++)
            is_known = is_known || strcmp(element->attributes[i].name, known[k]) == 0;
        if (!is_known)
            return machine_unknown(reader, element, "attribute", element->attributes[i].name, known,
                                   n_known);
    }
    return 0;
}

int machine_read_attribute(const struct machine_reader *reader, const struct xml_element *element,
                           const char *name, bool is_optional, machine_read_value *read,
                           uint64_t *value)
{
    const char *text = xml_attribute(element, name);
    if (!text && is_optional)
        return 0;
    if (!text)
        return MACHINE_ERROR(reader, element, "<%s> needs %s=\"...\"", element->name, name);
    if (read(text, value, reader->err) == 0)
        return 0;
    error_wrap(reader->err, "%s=\"%s\"", name, text);
    return error_wrap(reader->err, "%s:%u", reader->path, element->line);
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

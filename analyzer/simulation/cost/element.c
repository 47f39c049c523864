// SPDX-License-Identifier: BSD-3-Clause
// Attributes of elements, and the times among them (see element.h).
#include "analyzer/simulation/cost/element.h"

#include <math.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"

static const char blanks[] = " \t\r\n";

int element_unknown(const struct element_reader *reader, const struct xml_element *element,
                    const char *kind, const char *name, const char *const *known, size_t n_known)
{
    const char *nearest = spelling_nearest(name, known, n_known);
    if (nearest)
        return XML_ERROR(reader, element, "unknown %s %s; is it %s?", kind, name, nearest);
    SCOPED char *all = spelling_list(known, n_known);
    return XML_ERROR(reader, element, "unknown %s %s; there are %s", kind, name, all);
}

static int read_count(const struct element_reader *reader, const struct xml_element *element,
                      const struct element_field *field, const char *text)
{
    uint64_t number = 0;
    if (xml_read_attribute(reader->path, element, field->name, option_read_count, &number,
                           reader->err) != 0)
        return -1;
    if (number == 0 || number > field->most)
        return XML_ERROR(reader, element, "%s=\"%s\": from 1 to %u", field->name, text,
                         field->most);
    *(uint32_t *)field->value = (uint32_t)number;
    return 0;
}

static int read_choice(const struct element_reader *reader, const struct xml_element *element,
                       const struct element_field *field, const char *text)
{
    size_t i = FIND_TEXT(field->choices, field->most, text);
    if (i == field->most)
        return element_unknown(reader, element, field->name, text, field->choices, field->most);
    *(unsigned *)field->value = (unsigned)i;
    return 0;
}

static int read_field(const struct element_reader *reader, const struct xml_element *element,
                      const struct element_field *field)
{
    const char *text = xml_attribute(element, field->name);
    if ((field->kind == FIELD_NAME && (!text || !*text)) || (field->kind == FIELD_NEEDED && !text))
        return XML_ERROR(reader, element, "<%s> needs %s=\"...\"", element->name, field->name);
    if (!text)
        return 0;
    switch (field->kind) {
    case FIELD_COUNT:
        return read_count(reader, element, field, text);
    case FIELD_CHOICE:
        return read_choice(reader, element, field, text);
    case FIELD_VALUE:
    case FIELD_NEEDED:
        return xml_read_attribute(reader->path, element, field->name, field->read, field->value,
                                  reader->err);
    default:
        *(const char **)field->value = text;
        return 0;
    }
}

int element_read(const struct element_reader *reader, const struct xml_element *element,
                 const struct element_field *fields, size_t n_fields)
{
    SCOPED const char **known = memory_zeroed(n_fields, sizeof *known);
    for (size_t i = 0; i < n_fields; i++)
        known[i] = fields[i].name;
    const char *name = xml_unknown_attribute(element, known, n_fields);
    int status = name ? element_unknown(reader, element, "attribute", name, known, n_fields) : 0;
    for (size_t i = 0; i < n_fields && status == 0; i++)
        status = read_field(reader, element, &fields[i]);
    return status;
}

int element_read_children(const struct element_reader *reader, const struct xml_element *element,
                          const struct element_kind *kinds, size_t n_kinds)
{
    int status = 0;
    for (size_t i = 0; i < element->n_children && status == 0; i++) {
        const struct xml_element *child = &element->children[i];
        SCOPED const char **names = memory_zeroed(n_kinds, sizeof *names);
        size_t kind = FIND_BY(kinds, n_kinds, name, child->name);
        for (size_t k = 0; k < n_kinds; k++)
            names[k] = kinds[k].name;
        status = kind < n_kinds
                     ? kinds[kind].read(reader, child)
                     : element_unknown(reader, child, "element", child->name, names, n_kinds);
    }
    return status;
}

int element_check_contents(const struct element_reader *reader, const struct xml_element *top,
                           const char *const *holders)
{
    static const char *const none[] = {NULL};
    const char *word = top->text + strspn(top->text, blanks);
    if (*word)
        return XML_ERROR(reader, top, "<%s> holds the text `%.*s`: values are attributes",
                         top->name, (int)strcspn(word, blanks), word);
    for (size_t i = 0; i < top->n_children; i++) {
        const struct xml_element *child = &top->children[i];
        bool may_hold = false;
        for (const char *const *holder = holders; *holder; holder++)
            may_hold = may_hold || strcmp(child->name, *holder) == 0;
        if (!may_hold && child->n_children > 0)
            return XML_ERROR(reader, &child->children[0], "<%s> in <%s>, which holds nothing",
                             child->children[0].name, child->name);
        if (element_check_contents(reader, child, none) != 0)
            return -1;
    }
    return 0;
}

int element_read_file(const struct element_reader *reader, const char *name, const char *what,
                      int (*read)(const struct element_reader *reader,
                                  const struct xml_element *top),
                      struct xml_document **document)
{
    *document = xml_read(reader->path, reader->err);
    if (!*document)
        return -1;
    const struct xml_element *top = &(*document)->top.children[0];
    if ((*document)->top.n_children == 1 && strcmp(top->name, name) == 0)
        return read(reader, top);
    return error_set(reader->err, "%s: no %s: its outermost element is not <%s>", reader->path,
                     what, name);
}

// --- values

int element_read_scaled(const char *text, double least, double most, uint32_t scale,
                        uint64_t *value, struct error *err)
{
    double number;
    if (option_read_number(text, &number, err) != 0 || number < least || number > most)
        return error_set(err, "a number from %g to %g", least, most);
    *value = (uint64_t)llround(number * scale);
    return 0;
}

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

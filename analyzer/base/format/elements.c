// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/base/format/elements.h"

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

int element_refuse(const struct element_reader *reader, const struct xml_element *element,
                   const char *owner, const char *what, const char *name, const char *const *known,
                   size_t n_known)
{
    SCOPED char *others = spelling_some("", known, n_known);
    return XML_ERROR(reader, element, "<%s> has no %s '%s'%s", owner, what, name,
                     spelling_hint(name, known, n_known, ", did you mean '%s'?", others).text);
}

// --- attributes

/// Puts what FIELD's value is, and the place of ELEMENT, before the error that there is; -1.
static int wrong(const struct element_reader *reader, const struct xml_element *element,
                 const struct element_field *field, const char *text)
{
    error_wrap(reader->err, "%s=\"%s\"", field->name, text);
    return XML_PLACE(reader, element);
}

static int read_count(const struct element_reader *reader, const struct xml_element *element,
                      const struct element_field *field, const char *text)
{
    uint64_t number = 0;
    if (option_read_count(text, &number, reader->err) != 0)
        return wrong(reader, element, field, text);
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
    if (field->kind == FIELD_ID && (!text || !text_is_id(text)))
        return XML_ERROR(reader, element,
                         "<%s> needs %s=\"...\", lower-case words joined by hyphens", element->name,
                         field->name);
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
        return field->read(text, field->value, reader->err) == 0
                   ? 0
                   : wrong(reader, element, field, text);
    case FIELD_YES:
        *(bool *)field->value = true;
        return strcmp(text, "yes") == 0
                   ? 0
                   : XML_ERROR(reader, element, "%s=\"%s\" can only be \"yes\"", field->name, text);
    case FIELD_COPY:
    case FIELD_ID:
        *(char **)field->value = *text ? memory_copy_text(text) : NULL;
        return 0;
    default:
        *(const char **)field->value = text;
        return 0;
    }
}

int element_read(const struct element_reader *reader, const struct xml_element *element,
                 const struct element_field *fields, size_t n_fields)
{
    SCOPED const char **known = NAMED_NAMES(fields, n_fields);
    int status = 0;
    for (size_t i = 0; i < element->n_attributes && status == 0; i++)
        if (!HAS_TEXT(known, n_fields, element->attributes[i].name))
            status = element_refuse(reader, element, element->name, "attribute",
                                    element->attributes[i].name, known, n_fields);
    for (size_t i = 0; i < n_fields && status == 0; i++)
        status = read_field(reader, element, &fields[i]);
    return status;
}

// --- texts and elements

static int read_text(const struct element_reader *reader, const struct xml_element *element,
                     const struct element_text *text)
{
    if (*text->text)
        return XML_ERROR(reader, element, "<%s> is there twice", element->name);
    if (element->n_children || element->n_attributes)
        return XML_ERROR(reader, element, "<%s> holds text only, no %s '%s'", element->name,
                         element->n_children ? "element" : "attribute",
                         element->n_children ? element->children[0].name
                                             : element->attributes[0].name);
    *text->text = text_single_spaced(element->text, text->keeps_paragraphs);
    if (text->line)
        *text->line = element->line;
    return **text->text ? 0 : XML_ERROR(reader, element, "<%s> is empty", element->name);
}

int element_read_parts(const struct element_reader *reader, const struct xml_element *element,
                       const struct element_text *texts, size_t n_texts,
                       const struct element_kind *kinds, size_t n_kinds)
{
    SCOPED const char **names = memory_zeroed(n_texts + n_kinds + 1, sizeof *names);
    int status = 0;
    for (size_t i = 0; i < n_texts; i++)
        names[i] = texts[i].name;
    for (size_t i = 0; i < n_kinds; i++)
        names[n_texts + i] = kinds[i].name;
    for (size_t i = 0; i < element->n_children && status == 0; i++) {
        const struct xml_element *child = &element->children[i];
        size_t part = FIND_TEXT(names, n_texts + n_kinds, child->name);
        if (part < n_texts)
            status = read_text(reader, child, &texts[part]);
        else if (part < n_texts + n_kinds)
            status = kinds[part - n_texts].read(reader, child);
        else
            status = element_refuse(reader, child, element->name, "element", child->name, names,
                                    n_texts + n_kinds);
    }
    return status;
}

static bool is_among(const char *name, const char *const *names)
{
    while (names && *names && strcmp(*names, name) != 0)
        names++;
    return names && *names;
}

int element_check_contents(const struct element_reader *reader, const struct xml_element *top,
                           const char *const *holders, const char *const *texts)
{
    const char *word = top->text + strspn(top->text, blanks);
    if (*word && !is_among(top->name, texts))
        return XML_ERROR(reader, top, "<%s> holds the text `%.*s`: values are attributes",
                         top->name, (int)strcspn(word, blanks), word);
    for (size_t i = 0; i < top->n_children; i++) {
        const struct xml_element *child = &top->children[i];
        if (!is_among(child->name, holders) && child->n_children > 0)
            return XML_ERROR(reader, &child->children[0], "<%s> in <%s>, which holds nothing",
                             child->children[0].name, child->name);
        if (element_check_contents(reader, child, NULL, texts) != 0)
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

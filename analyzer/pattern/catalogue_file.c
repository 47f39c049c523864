// SPDX-License-Identifier: BSD-3-Clause
// One file of patterns: which elements and attributes there may be, once each, and the texts in
// them. patterns/patterns.rng says the same to editors; the messages here are for people.
#include "analyzer/pattern/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum need { ALWAYS, WAIT, MAYBE };

/// The elements of a pattern, and where their texts and lines are in struct pattern.
static const struct {
    const char *name;
    enum need need;
    size_t offset, line_offset;
} elements[] = {
#define ELEMENT(element, need)                                                                     \
    {#element, need, offsetof(struct pattern, element), offsetof(struct pattern, lines.element)},
    PATTERN_ELEMENTS(ELEMENT)
#undef ELEMENT
};
enum { N_ELEMENTS = sizeof(elements) / sizeof(elements[0]) };

static char **element_text(struct pattern *pattern, size_t element)
{
    return (char **)(void *)((char *)pattern + elements[element].offset);
}

void pattern_release(struct pattern *pattern)
{
    for (size_t i = 0; i < N_ELEMENTS; i++)
        free(*element_text(pattern, i));
    FREE_ALL(pattern->id, pattern->parent, pattern->file);
    expression_release(&pattern->compiled.condition);
    expression_release(&pattern->compiled.wait);
    expression_release(&pattern->compiled.begin);
    expression_release(&pattern->compiled.cause);
    expression_release(&pattern->compiled.confidence);
    expression_release(&pattern->compiled.severity);
    *pattern = (struct pattern){0};
}

static int read_attributes(const char *path, const struct xml_element *from,
                           struct pattern *pattern, struct error *err)
{
    static const char *const known[] = {"id", "parent"};
    if (xml_check_attributes(path, from, known, 2, err) != 0)
        return -1;
    const char *id = xml_attribute(from, "id"), *parent = xml_attribute(from, "parent");
    if (!id)
        return error_set(err, "%s:%u: <pattern> needs an attribute id", path, from->line);
    if (!text_is_id(id))
        return error_set(err,
                         "%s:%u: the id '%.70s' must be lower-case words joined by hyphens, like "
                         "late-sender",
                         path, from->line, id);
    pattern->id = memory_copy_text(id);
    pattern->parent = memory_copy_text(parent ? parent : "");
    return 0;
}

static int read_element(const char *path, const struct xml_element *from,
                        const struct xml_element *child, struct pattern *pattern, struct error *err)
{
    const char *known[N_ELEMENTS];
    size_t found = N_ELEMENTS;
    for (size_t i = 0; i < N_ELEMENTS; i++) {
        known[i] = elements[i].name;
        if (strcmp(child->name, known[i]) == 0)
            found = i;
    }
    if (found == N_ELEMENTS)
        return xml_refuse(path, child->line, from->name, "element", child->name, known, N_ELEMENTS,
                          err);
    if (*element_text(pattern, found))
        return error_set(err, "%s:%u: pattern '%s' has <%s> twice", path, child->line, pattern->id,
                         child->name);
    if (child->n_children || child->n_attributes)
        return error_set(err, "%s:%u: <%s> holds text only, no %s '%s'", path, child->line,
                         child->name, child->n_children ? "element" : "attribute",
                         child->n_children ? child->children[0].name : child->attributes[0].name);
    bool keep_paragraphs = !strcmp(child->name, "description") || !strcmp(child->name, "diagnosis");
    char *text = text_single_spaced(child->text, keep_paragraphs);
    *element_text(pattern, found) = text;
    *(uint32_t *)(void *)((char *)pattern + elements[found].line_offset) = child->line;
    if (!*text)
        return error_set(err, "%s:%u: <%s> is empty", path, child->line, child->name);
    return 0;
}

/// A pattern with a wait needs a trigger event and some texts; one without is a node of the
/// hierarchy.
static int check_needs(const char *path, struct pattern *pattern, struct error *err)
{
    pattern->is_abstract = !pattern->wait && !pattern->trigger;
    for (size_t i = 0; i < N_ELEMENTS; i++) {
        if (*element_text(pattern, i)) {
            if (pattern->is_abstract && elements[i].need != ALWAYS)
                return error_set(err,
                                 "%s:%u: pattern '%s' has neither <trigger> nor <wait>, so <%s> "
                                 "has no use",
                                 path, pattern->line, pattern->id, elements[i].name);
            continue;
        }
        if (elements[i].need == ALWAYS || (elements[i].need == WAIT && !pattern->is_abstract))
            return error_set(err, "%s:%u: pattern '%s' needs an element <%s>", path, pattern->line,
                             pattern->id, elements[i].name);
    }
    if (!pattern->is_abstract && !pattern->wait)
        return error_set(err, "%s:%u: pattern '%s' has a <trigger> but no <wait>", path,
                         pattern->line, pattern->id);
    if (!pattern->is_abstract && !pattern->trigger)
        return error_set(err, "%s:%u: pattern '%s' has a <wait> but no <trigger>", path,
                         pattern->line, pattern->id);
    return 0;
}

static int read_native(const char *path, const struct xml_element *from, struct pattern *pattern,
                       struct error *err)
{
    if (read_attributes(path, from, pattern, err))
        return -1;
    for (size_t i = 0; i < from->n_children; i++)
        if (read_element(path, from, &from->children[i], pattern, err))
            return -1;
    return check_needs(path, pattern, err);
}

static int read_pattern(const char *path, const struct xml_element *from, size_t first,
                        struct pattern_list *list, struct error *err)
{
    struct pattern *pattern = ARRAY_NEXT(list->patterns, list->n_patterns, list->capacity);
    *pattern = (struct pattern){.file = memory_copy_text(path), .line = from->line};
    int failure = strcmp(from->name, "pattern") == 0 ? read_native(path, from, pattern, err)
                                                     : kappa_pi_read(path, from, pattern, err);
    if (failure)
        return -1;
    for (size_t i = 0; i < N_ELEMENTS; i++)
        if (!*element_text(pattern, i))
            *element_text(pattern, i) = memory_copy_text("");
    for (size_t i = first; i + 1 < list->n_patterns; i++)
        if (strcmp(list->patterns[i].id, pattern->id) == 0)
            return error_set(err, "%s:%u: pattern '%s' is there twice, first in line %u", path,
                             from->line, pattern->id, list->patterns[i].line);
    return 0;
}

int catalogue_file_read(const char *path, struct pattern_list *list, struct error *err)
{
    struct xml_document *document = xml_read(path, err);
    if (!document)
        return -1;
    const struct xml_element *around = &document->top;
    if (around->n_children == 1 && (strcasecmp(around->children[0].name, "patterns") == 0 ||
                                    strcasecmp(around->children[0].name, "catalogue") == 0))
        around = &around->children[0];
    size_t first = list->n_patterns;
    int failure = 0;
    for (size_t i = 0; i < around->n_children && !failure; i++) {
        const struct xml_element *child = &around->children[i];
        if (strcasecmp(child->name, "pattern") == 0)
            failure = read_pattern(path, child, first, list, err);
        else
            failure =
                error_set(err,
                          "%s:%u: <%s> is not a <pattern>; a catalogue holds one <pattern>, or "
                          "several within <patterns>",
                          path, child->line, child->name);
    }
    if (!failure && first == list->n_patterns)
        failure = error_set(err, "%s:%u: there is no <pattern> in it", path, around->line);
    xml_free(document);
    return failure;
}

// SPDX-License-Identifier: BSD-3-Clause
// One file of patterns: which elements and attributes there may be, once each, and the texts in
// them. patterns/patterns.rng says the same to editors; the messages here are for people.
#include "analyzer/pattern/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

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

/// A pattern with a wait needs a trigger event and some texts; one without is a node of the
/// hierarchy.
static int check_needs(const struct element_reader *reader, const struct xml_element *from)
{
    struct pattern *pattern = reader->into;
    pattern->is_abstract = !pattern->wait && !pattern->trigger;
    for (size_t i = 0; i < N_ELEMENTS; i++) {
        bool is_there = *element_text(pattern, i) != NULL;
        if (is_there && pattern->is_abstract && elements[i].need != ALWAYS)
            return XML_ERROR(reader, from,
                             "pattern '%s' has neither <trigger> nor <wait>, so <%s> has no use",
                             pattern->id, elements[i].name);
        if (!is_there &&
            (elements[i].need == ALWAYS || (elements[i].need == WAIT && !pattern->is_abstract)))
            return XML_ERROR(reader, from, "pattern '%s' needs an element <%s>", pattern->id,
                             elements[i].name);
    }
    if (!pattern->is_abstract && (!pattern->wait || !pattern->trigger))
        return XML_ERROR(reader, from, "pattern '%s' has a <%s> but no <%s>", pattern->id,
                         pattern->wait ? "wait" : "trigger", pattern->wait ? "trigger" : "wait");
    return 0;
}

static int read_native(const struct element_reader *reader, const struct xml_element *from)
{
    struct pattern *pattern = reader->into;
    const struct element_field fields[] = {{"id", FIELD_ID, .value = &pattern->id},
                                           {"parent", FIELD_COPY, .value = &pattern->parent}};
    struct element_text texts[N_ELEMENTS];
    for (size_t i = 0; i < N_ELEMENTS; i++)
        texts[i] = (struct element_text){
            .name = elements[i].name,
            .text = element_text(pattern, i),
            .keeps_paragraphs =
                !strcmp(elements[i].name, "description") || !strcmp(elements[i].name, "diagnosis"),
            .line = (uint32_t *)(void *)((char *)pattern + elements[i].line_offset)};
    if (ELEMENT_READ(reader, from, fields) != 0 ||
        element_read_parts(reader, from, texts, N_ELEMENTS, NULL, 0) != 0)
        return -1;
    if (!pattern->parent)
        pattern->parent = memory_copy_text("");
    return check_needs(reader, from);
}

static int read_pattern(const char *path, const struct xml_element *from, size_t first,
                        struct pattern_list *list, struct error *err)
{
    struct pattern *pattern = ARRAY_NEXT(list->patterns, list->n_patterns, list->capacity);
    *pattern = (struct pattern){.file = memory_copy_text(path), .line = from->line};
    const struct element_reader reader = {path, pattern, err};
    if ((strcmp(from->name, "pattern") == 0 ? read_native : kappa_pi_read)(&reader, from) != 0)
        return -1;
    for (size_t i = 0; i < N_ELEMENTS; i++)
        if (!*element_text(pattern, i))
            *element_text(pattern, i) = memory_copy_text("");
    for (size_t i = first; i + 1 < list->n_patterns; i++)
        if (strcmp(list->patterns[i].id, pattern->id) == 0)
            return XML_ERROR(&reader, from, "pattern '%s' is there twice, first in line %u",
                             pattern->id, list->patterns[i].line);
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

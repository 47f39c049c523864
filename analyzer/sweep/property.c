// SPDX-License-Identifier: BSD-3-Clause
// Reading properties (see property.h); each is prepared once when it is read, so that what is wrong
// with it is said with its place in the file.
#include "analyzer/sweep/property.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/format/elements.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"

static void property_release(struct experiment_property *property)
{
    FREE_ALL(property->name, property->summary, property->diagnosis, property->condition,
             property->severity, property->id, property->file);
    *property = (struct experiment_property){0};
}

void property_catalogue_release(struct property_catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->n; i++)
        property_release(&catalogue->items[i]);
    free(catalogue->items);
    *catalogue = (struct property_catalogue){0};
}

static int read_property(const struct element_reader *reader, const struct xml_element *from)
{
    struct experiment_property *property = reader->into;
    SCOPED char *threshold = NULL;
    uint32_t line = from->line;
    const struct element_field fields[] = {{"id", FIELD_ID, .value = &property->id}};
    const struct element_text texts[] = {{"name", .text = &property->name},
                                         {"summary", .text = &property->summary},
                                         {"diagnosis", .text = &property->diagnosis},
                                         {"condition", .text = &property->condition},
                                         {"severity", .text = &property->severity},
                                         {"threshold", .text = &threshold, .line = &line}};
    enum { N_TEXTS = sizeof texts / sizeof texts[0], N_NEEDED = N_TEXTS - 1 };
    *property =
        (struct experiment_property){.file = memory_copy_text(reader->path), .threshold = 0.05};
    if (ELEMENT_READ(reader, from, fields) != 0 ||
        element_read_parts(reader, from, texts, N_TEXTS, NULL, 0) != 0)
        return -1;
    const struct xml_element at = {.line = line};
    if (threshold &&
        (option_read_number(threshold, &property->threshold, NULL) || property->threshold > 1))
        return XML_ERROR(reader, &at, "the threshold must be a number from 0 to 1, not '%s'",
                         threshold);
    for (size_t i = 0; i < N_NEEDED; i++)
        if (!*texts[i].text)
            return XML_ERROR(reader, from, "property '%s' needs an element <%s>", property->id,
                             texts[i].name);
    struct property_question question;
    property->is_each = strstr(property->condition, "(*") || strstr(property->severity, "(*");
    if (property_ask(property, "late-sender", &question, reader->err)) {
        error_wrap(reader->err, "property '%s'", property->id);
        return XML_PLACE(reader, from);
    }
    property_question_release(&question);
    return 0;
}

int property_file_read(struct property_catalogue *catalogue, const char *path, struct error *err)
{
    struct xml_document *document = xml_read(path, err);
    if (!document)
        return -1;
    const struct xml_element *around = &document->top;
    if (around->n_children == 1 && strcmp(around->children[0].name, "properties") == 0)
        around = &around->children[0];
    int status = around->n_children
                     ? 0
                     : error_set(err, "%s:%u: there is no <property> in it", path, around->line);
    for (size_t i = 0; i < around->n_children && status == 0; i++) {
        const struct xml_element *child = &around->children[i];
        struct experiment_property property = {0};
        const struct element_reader reader = {path, &property, err};
        status = strcmp(child->name, "property") == 0
                     ? read_property(&reader, child)
                     : XML_ERROR(&reader, child, "<%s> is not a <property>", child->name);
        if (status == 0)
            NAMED_PUT(catalogue->items, catalogue->n, property, property_release);
        else
            property_release(&property);
    }
    xml_free(document);
    return status;
}

int property_folder_read(struct property_catalogue *catalogue, const char *directory,
                         struct error *err)
{
    char **files = folder_files(directory, ".xml", err);
    if (!files)
        return -1;
    int status = 0;
    for (char **file = files; *file && status == 0; file++)
        status = property_file_read(catalogue, *file, err);
    words_free(files);
    return status;
}

/// TEXT with SUBJECT in place of the `*` of max(*); the caller frees.
static char *put_subject(const char *text, const char *subject)
{
    char *result = NULL;
    size_t size;
    FILE *to = open_memstream(&result, &size);
    for (; *text; text++) {
        fputc(*text, to);
        if (*text == '(' && text[1] == '*') {
            fputs(subject, to);
            text++;
        }
    }
    fclose(to);
    return result;
}

int property_ask(const struct experiment_property *property, const char *subject,
                 struct property_question *question, struct error *err)
{
    *question = (struct property_question){0};
    SCOPED char *condition = put_subject(property->condition, subject);
    SCOPED char *severity = put_subject(property->severity, subject);
    int status = sweep_checkpoints_add(&question->checkpoints, condition, err);
    if (status == 0)
        status =
            sweep_checkpoints_add_value(&question->checkpoints, severity, &question->severity, err);
    if (status)
        property_question_release(question);
    return status;
}

void property_question_release(struct property_question *question)
{
    sweep_checkpoints_release(&question->checkpoints);
}

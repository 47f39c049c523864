// SPDX-License-Identifier: BSD-3-Clause
// Reading properties (see property.h); each is prepared once when it is read, so that what is wrong
// with it is said with its place in the file.
#include "analyzer/sweep/property.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/format/xml.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"

static const char *const element_names[] = {"name",      "summary",  "diagnosis",
                                            "condition", "severity", "threshold"};
enum { N_TEXTS = 5, N_ELEMENTS = sizeof element_names / sizeof element_names[0] };

static char **text_of(struct experiment_property *property, size_t element)
{
    char **const texts[N_TEXTS] = {&property->name, &property->summary, &property->diagnosis,
                                   &property->condition, &property->severity};
    return texts[element];
}

static void property_release(struct experiment_property *property)
{
    for (size_t i = 0; i < N_TEXTS; i++)
        free(*text_of(property, i));
    FREE_ALL(property->id, property->file);
    *property = (struct experiment_property){0};
}

void property_catalogue_release(struct property_catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->n; i++)
        property_release(&catalogue->items[i]);
    free(catalogue->items);
    *catalogue = (struct property_catalogue){0};
}

static int read_element(const char *path, const struct xml_element *from,
                        struct experiment_property *property, struct error *err)
{
    size_t element = FIND_TEXT(element_names, N_ELEMENTS, from->name);
    if (element == N_ELEMENTS)
        return xml_refuse(path, from->line, "property", "element", from->name, element_names,
                          N_ELEMENTS, err);
    char *text = text_single_spaced(from->text, false);
    int status = 0;
    if (!*text || from->n_children) {
        status =
            error_set(err, "%s:%u: <%s> holds text, and no elements", path, from->line, from->name);
    } else if (element == N_TEXTS) {
        if (option_read_number(text, &property->threshold, err) || property->threshold > 1)
            status = error_set(err, "%s:%u: the threshold must be a number from 0 to 1, not '%s'",
                               path, from->line, text);
    } else if (*text_of(property, element)) {
        status = error_set(err, "%s:%u: <%s> is there twice", path, from->line, from->name);
    } else {
        *text_of(property, element) = text;
        return 0;
    }
    free(text);
    return status;
}

/// All that there must be, in words that can be understood.
static int check_property(const struct xml_element *from, struct experiment_property *property,
                          struct error *err)
{
    for (size_t i = 0; i < N_TEXTS; i++)
        if (!*text_of(property, i))
            return error_set(err, "%s:%u: property '%s' needs an element <%s>", property->file,
                             from->line, property->id, element_names[i]);
    struct property_question question;
    property->is_each = strstr(property->condition, "(*") || strstr(property->severity, "(*");
    if (property_ask(property, "late-sender", &question, err))
        return error_wrap(err, "%s:%u: property '%s'", property->file, from->line, property->id);
    property_question_release(&question);
    return 0;
}

static int read_property(const char *path, const struct xml_element *from,
                         struct experiment_property *property, struct error *err)
{
    const char *id = xml_attribute(from, "id");
    *property = (struct experiment_property){
        .file = memory_copy_text(path), .line = from->line, .threshold = 0.05};
    if (!id || !text_is_id(id) || from->n_attributes != 1)
        return error_set(err,
                         "%s:%u: <property> needs an attribute id, lower-case words joined by "
                         "hyphens, and no other",
                         path, from->line);
    property->id = memory_copy_text(id);
    for (size_t i = 0; i < from->n_children; i++)
        if (read_element(path, &from->children[i], property, err))
            return -1;
    return check_property(from, property, err);
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
        if (strcmp(child->name, "property") != 0)
            status =
                error_set(err, "%s:%u: <%s> is not a <property>", path, child->line, child->name);
        else
            status = read_property(path, child, &property, err);
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

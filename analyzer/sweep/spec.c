// SPDX-License-Identifier: BSD-3-Clause
// Reading sweep files (see plan.h). Parameters first: conditions name them.
#include "analyzer/sweep/plan.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/elements.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"

// ---- command lines ----

/// Copies the word at *TEXT to WORD, which has room, and passes it. False: a quote has no end.
static bool copy_word(const char **text, char *word)
{
    const char *from = *text;
    char quote = '\0';
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        bool escapes = *from == '\\' && from[1] &&
                       (quote == '\0' || (quote == '"' && strchr("\"\\", from[1])));
        if (escapes)
            *word++ = *++from;
        else if (quote == '\0' && (*from == '\'' || *from == '"'))
            quote = *from;
        else if (quote && *from == quote)
            quote = '\0';
        else
            *word++ = *from;
    }
    *word = '\0';
    *text = from;
    return quote == '\0';
}

char **sweep_words(const char *text, struct error *err)
{
    char **words = NULL, *word = memory_new(strlen(text) + 1);
    bool is_sound = true;
    while (is_sound && *(text += strspn(text, " \t\r\n\v\f"))) {
        is_sound = copy_word(&text, word);
        words_add(&words, word);
    }
    free(word);
    if (is_sound && words)
        return words;
    error_set(err, is_sound ? "there is no word in it" : "a quotation mark has no second one");
    words_free(words);
    return NULL;
}

// ---- elements ----

void sweep_spec_init(struct sweep_spec *spec)
{
    *spec = (struct sweep_spec){0};
    sweep_plan_init(&spec->plan);
}

void sweep_spec_release(struct sweep_spec *spec)
{
    sweep_plan_release(&spec->plan);
    sweep_skips_release(&spec->skips);
    sweep_checkpoints_release(&spec->checkpoints);
    FREE_ALL(spec->name, spec->application, spec->database);
    *spec = (struct sweep_spec){0};
}

static int read_defined(const struct element_reader *reader, const struct xml_element *element)
{
    struct sweep_parameter *parameter = reader->into;
    if (!*element->text)
        return XML_ERROR(reader, element, "the value is empty; <undefined/> changes nothing");
    sweep_values_add(&parameter->values, element->text);
    return element_read(reader, element, NULL, 0);
}

static int read_undefined(const struct element_reader *reader, const struct xml_element *element)
{
    struct sweep_parameter *parameter = reader->into;
    sweep_values_add(&parameter->values, NULL);
    return element_read(reader, element, NULL, 0);
}

/// Its values are in an attribute, or in elements: <value>text</value>, as it is, and <undefined/>.
static int read_parameter(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {{"value", read_defined},
                                                {"undefined", read_undefined}};
    struct sweep_spec *spec = reader->into;
    const char *name = "", *values = NULL, *replaces = NULL, *role = NULL;
    const struct element_field fields[] = {{"name", FIELD_NAME, .value = &name},
                                           {"values", FIELD_TEXT, .value = &values},
                                           {"replaces", FIELD_TEXT, .value = &replaces},
                                           {"role", FIELD_TEXT, .value = &role}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    struct sweep_parameter *parameter = sweep_plan_add(&spec->plan, name, replaces, reader->err);
    if (!parameter || (role && sweep_parameter_set_role(parameter, role, reader->err) != 0))
        return XML_PLACE(reader, element);
    if (values && sweep_values_read(values, &parameter->values, reader->err) != 0) {
        error_wrap(reader->err, "values=\"%s\"", values);
        return XML_PLACE(reader, element);
    }
    const struct element_reader of_values = {reader->path, parameter, reader->err};
    return ELEMENT_READ_KINDS(&of_values, element, kinds);
}

static int read_run(const struct element_reader *reader, const struct xml_element *element)
{
    struct sweep_spec *spec = reader->into;
    if (element_read(reader, element, NULL, 0) != 0)
        return -1;
    if (spec->plan.line)
        return XML_ERROR(reader, element, "there are two <run>");
    spec->plan.line = sweep_words(element->text, reader->err);
    spec->run_line = element->line;
    return spec->plan.line ? 0 : XML_PLACE(reader, element);
}

static int read_build(const struct element_reader *reader, const struct xml_element *element)
{
    struct sweep_plan *plan = &((struct sweep_spec *)reader->into)->plan;
    if (element_read(reader, element, NULL, 0) != 0)
        return -1;
    if (plan->build || element->text[strspn(element->text, " \t\r\n")] == '\0')
        return XML_ERROR(reader, element,
                         plan->build ? "there are two <build>" : "<build> is empty");
    plan->build = memory_copy_text(element->text);
    return 0;
}

static int read_file(const struct element_reader *reader, const struct xml_element *element)
{
    struct sweep_spec *spec = reader->into;
    const char *path = "";
    const struct element_field fields[] = {{"path", FIELD_NAME, .value = &path}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    return sweep_template_add(&spec->plan, path, reader->err) ? XML_PLACE(reader, element) : 0;
}

static int read_checkpoint(const struct element_reader *reader, const struct xml_element *element)
{
    struct sweep_spec *spec = reader->into;
    const char *when = "";
    const struct element_field fields[] = {{"when", FIELD_NAME, .value = &when}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    return sweep_checkpoints_add(&spec->checkpoints, when, reader->err) ? XML_PLACE(reader, element)
                                                                        : 0;
}

/// Names parameters, so it is read after all of these.
static int read_skip(const struct element_reader *reader, const struct xml_element *element)
{
    struct sweep_spec *spec = reader->into;
    const char *when = "", *reason = NULL;
    const struct element_field fields[] = {{"when", FIELD_NAME, .value = &when},
                                           {"reason", FIELD_TEXT, .value = &reason}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    return sweep_skips_add(&spec->skips, &spec->plan, when, reason, reader->err)
               ? XML_PLACE(reader, element)
               : 0;
}

static int pass_by(const struct element_reader *reader, const struct xml_element *element)
{
    (void)reader, (void)element;
    return 0;
}

static int read_settings(const struct element_reader *reader, const struct xml_element *element)
{
    static const char *const policies[] = {"all", "line-by-line"};
    struct sweep_spec *spec = reader->into;
    unsigned policy = 0;
    const struct element_field fields[] = {
        {"name", FIELD_COPY, .value = &spec->name},
        {"application", FIELD_COPY, .value = &spec->application},
        {"database", FIELD_COPY, .value = &spec->database},
        {"policy", FIELD_CHOICE, &policy, .choices = policies, .most = 2},
        {"repeat", FIELD_VALUE, &spec->plan.n_repetitions, .read = option_read_count},
        {"point-limit", FIELD_VALUE, &spec->point_limit_ns, .read = option_read_duration},
        {"limit", FIELD_VALUE, &spec->limit_ns, .read = option_read_duration},
        {"sbatch", FIELD_COPY, .value = &spec->plan.batch}};
    if (ELEMENT_READ(reader, element, fields) != 0)
        return -1;
    spec->plan.is_line_by_line = policy == 1;
    if ((spec->name && strchr(spec->name, '/')) ||
        (spec->application && strchr(spec->application, '/')))
        return XML_ERROR(reader, element, "the name of a sweep or an application has no slash");
    return 0;
}

static int read_sweep(const struct element_reader *reader, const struct xml_element *element)
{
    static const struct element_kind kinds[] = {
        {"parameter", read_parameter},   {"run", read_run},
        {"build", read_build},           {"file", read_file},
        {"checkpoint", read_checkpoint}, {"skip", pass_by}};
    struct sweep_plan *plan = &((struct sweep_spec *)reader->into)->plan;
    if (element_check_contents(reader, element, (const char *const[]){"parameter", NULL},
                               (const char *const[]){"run", "build", "value", NULL}) != 0 ||
        read_settings(reader, element) != 0 || ELEMENT_READ_KINDS(reader, element, kinds) != 0)
        return -1;
    for (size_t i = 0; i < element->n_children; i++)
        if (strcmp(element->children[i].name, "skip") == 0 &&
            read_skip(reader, &element->children[i]) != 0)
            return -1;
    if (!plan->line)
        return XML_ERROR(reader, element, "there is no <run>: the launch line");
    if (sweep_plan_check(plan, reader->err) != 0 || sweep_check_uses(plan, reader->err) != 0)
        return XML_PLACE(reader, element);
    return 0;
}

int sweep_spec_read(struct sweep_spec *spec, const char *path, struct error *err)
{
    struct xml_document *document;
    const struct element_reader reader = {path, spec, err};
    int status = element_read_file(&reader, "sweep", "sweep file", read_sweep, &document);
    xml_free(document);
    return status;
}

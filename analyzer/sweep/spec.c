// SPDX-License-Identifier: BSD-3-Clause
// Reading sweep files (see plan.h). Parameters first: conditions name them.
#include "analyzer/sweep/plan.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/xml.h"
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

struct spec_reader {
    struct sweep_spec *spec;
    const char *path;
    struct error *err;
};

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

/// Elements hold text, or others, only where these have a meaning.
static int check_contents(const struct spec_reader *reader, const struct xml_element *element)
{
    static const char *const with_text[] = {"run", "build", "value"};
    const char *word = element->text + strspn(element->text, " \t\r\n");
    bool may_hold = strcmp(element->name, "sweep") == 0 || strcmp(element->name, "parameter") == 0;
    if (*word && !HAS_TEXT(with_text, sizeof with_text / sizeof with_text[0], element->name))
        return XML_ERROR(reader, element, "<%s> holds the text `%.*s`, which has no meaning there",
                         element->name, (int)strcspn(word, " \t\r\n"), word);
    if (element->n_children > 0 && !may_hold)
        return XML_ERROR(reader, &element->children[0], "<%s> in <%s>, which holds no elements",
                         element->children[0].name, element->name);
    return 0;
}

static int read_duration(const struct spec_reader *reader, const struct xml_element *element,
                         const char *name, uint64_t *duration_ns)
{
    return xml_read_attribute(reader->path, element, name, option_read_duration, duration_ns,
                              reader->err);
}

/// Values in elements: <value>text</value>, as it is, and <undefined/>.
static int read_values(const struct spec_reader *reader, const struct xml_element *element,
                       struct sweep_parameter *parameter)
{
    static const char *const known[] = {"value", "undefined"};
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        bool is_value = strcmp(child->name, "value") == 0;
        if (!is_value && strcmp(child->name, "undefined") != 0)
            return xml_refuse(reader->path, child->line, element->name, "element", child->name,
                              known, 2, reader->err);
        if (is_value && !*child->text)
            return XML_ERROR(reader, child, "the value is empty; <undefined/> changes nothing");
        if (xml_check_attributes(reader->path, child, NULL, 0, reader->err) != 0 ||
            check_contents(reader, child) != 0)
            return -1;
        sweep_values_add(&parameter->values, is_value ? child->text : NULL);
    }
    return 0;
}

static int read_parameter(const struct spec_reader *reader, const struct xml_element *element)
{
    struct sweep_parameter *parameter =
        sweep_plan_add(&reader->spec->plan, xml_attribute(element, "name"),
                       xml_attribute(element, "replaces"), reader->err);
    if (!parameter)
        return XML_PLACE(reader, element);
    const char *role = xml_attribute(element, "role");
    if (role && sweep_parameter_set_role(parameter, role, reader->err) != 0)
        return XML_PLACE(reader, element);
    const char *values = xml_attribute(element, "values");
    if (values && sweep_values_read(values, &parameter->values, reader->err) != 0) {
        error_wrap(reader->err, "values=\"%s\"", values);
        return XML_PLACE(reader, element);
    }
    return read_values(reader, element, parameter);
}

static int read_run(const struct spec_reader *reader, const struct xml_element *element)
{
    struct sweep_plan *plan = &reader->spec->plan;
    char **words = plan->line ? NULL : sweep_words(element->text, reader->err);
    if (plan->line)
        error_set(reader->err, "there are two <run>");
    if (!words)
        return XML_PLACE(reader, element);
    plan->line = words;
    reader->spec->run_line = element->line;
    return 0;
}

static int read_build(const struct spec_reader *reader, const struct xml_element *element)
{
    struct sweep_plan *plan = &reader->spec->plan;
    if (plan->build || element->text[strspn(element->text, " \t\r\n")] == '\0')
        return XML_ERROR(reader, element,
                         plan->build ? "there are two <build>" : "<build> is empty");
    plan->build = memory_copy_text(element->text);
    return 0;
}

static int read_file(const struct spec_reader *reader, const struct xml_element *element)
{
    const char *path = xml_attribute(element, "path");
    return sweep_template_add(&reader->spec->plan, path, reader->err) ? XML_PLACE(reader, element)
                                                                      : 0;
}

static int read_skip(const struct spec_reader *reader, const struct xml_element *element)
{
    struct sweep_spec *spec = reader->spec;
    return sweep_skips_add(&spec->skips, &spec->plan, xml_attribute(element, "when"),
                           xml_attribute(element, "reason"), reader->err)
               ? XML_PLACE(reader, element)
               : 0;
}

static int read_checkpoint(const struct spec_reader *reader, const struct xml_element *element)
{
    const char *when = xml_attribute(element, "when");
    return sweep_checkpoints_add(&reader->spec->checkpoints, when, reader->err)
               ? XML_PLACE(reader, element)
               : 0;
}

static int read_policy(const struct spec_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"all", "line-by-line"};
    const char *policy = xml_attribute(element, "policy");
    if (!policy || strcmp(policy, known[0]) == 0)
        return 0;
    if (strcmp(policy, known[1]) != 0)
        return xml_refuse(reader->path, element->line, element->name, "policy", policy, known, 2,
                          reader->err);
    reader->spec->plan.is_line_by_line = true;
    return 0;
}

static int read_settings(const struct spec_reader *reader, const struct xml_element *element)
{
    static const char *const known[] = {"name",   "application", "database", "policy",
                                        "repeat", "point-limit", "limit",    "sbatch"};
    struct sweep_spec *spec = reader->spec;
    if (xml_check_attributes(reader->path, element, known, sizeof known / sizeof known[0],
                             reader->err) != 0 ||
        read_policy(reader, element) != 0 ||
        read_duration(reader, element, "point-limit", &spec->point_limit_ns) != 0 ||
        read_duration(reader, element, "limit", &spec->limit_ns) != 0)
        return -1;
    const char *repeat = xml_attribute(element, "repeat");
    if (repeat && option_read_count(repeat, &spec->plan.n_repetitions, reader->err) != 0) {
        error_wrap(reader->err, "repeat=\"%s\"", repeat);
        return XML_PLACE(reader, element);
    }
    const char *name = xml_attribute(element, "name");
    const char *application = xml_attribute(element, "application");
    const char *database = xml_attribute(element, "database");
    const char *batch = xml_attribute(element, "sbatch");
    if ((name && strchr(name, '/')) || (application && strchr(application, '/')))
        return XML_ERROR(reader, element, "the name of a sweep or an application has no slash");
    spec->plan.batch = batch ? memory_copy_text(batch) : NULL;
    spec->name = name && *name ? memory_copy_text(name) : NULL;
    spec->application = application && *application ? memory_copy_text(application) : NULL;
    spec->database = database && *database ? memory_copy_text(database) : NULL;
    return 0;
}

/// The elements of a sweep. Of its attributes an element must have the first, if any.
static const struct {
    const char *name;
    int (*read)(const struct spec_reader *, const struct xml_element *);
    const char *attributes[4];
    bool comes_late;
} parts[] = {
    {"parameter", read_parameter, {"name", "values", "replaces", "role"}, false},
    {"run", read_run, {0}, false},
    {"build", read_build, {0}, false},
    {"file", read_file, {"path"}, false},
    {"checkpoint", read_checkpoint, {"when"}, false},
    {"skip", read_skip, {"when", "reason"}, true},
};
enum { N_PARTS = sizeof parts / sizeof parts[0] };

static int read_part(const struct spec_reader *reader, const struct xml_element *element,
                     size_t part)
{
    const char *const *known = parts[part].attributes;
    size_t n = 0;
    while (n < 4 && known[n])
        n++;
    if (check_contents(reader, element) != 0 ||
        xml_check_attributes(reader->path, element, known, n, reader->err) != 0)
        return -1;
    const char *first = n > 0 ? xml_attribute(element, known[0]) : "";
    if (n > 0 && (!first || !*first))
        return XML_ERROR(reader, element, "<%s> has no attribute %s", element->name, known[0]);
    return parts[part].read(reader, element);
}

static int read_parts(const struct spec_reader *reader, const struct xml_element *element,
                      bool late_ones)
{
    const char *names[N_PARTS];
    for (size_t k = 0; k < N_PARTS; k++)
        names[k] = parts[k].name;
    for (size_t i = 0; i < element->n_children; i++) {
        const struct xml_element *child = &element->children[i];
        size_t k = FIND_TEXT(names, N_PARTS, child->name);
        if (k == N_PARTS)
            return xml_refuse(reader->path, child->line, element->name, "element", child->name,
                              names, N_PARTS, reader->err);
        if (parts[k].comes_late == late_ones && read_part(reader, child, k) != 0)
            return -1;
    }
    return 0;
}

static int read_sweep(const struct spec_reader *reader, const struct xml_element *element)
{
    struct sweep_plan *plan = &reader->spec->plan;
    if (check_contents(reader, element) != 0 || read_settings(reader, element) != 0 ||
        read_parts(reader, element, false) != 0 || read_parts(reader, element, true) != 0)
        return -1;
    if (!plan->line)
        return XML_ERROR(reader, element, "there is no <run>: the launch line");
    if (sweep_plan_check(plan, reader->err) != 0 || sweep_check_uses(plan, reader->err) != 0)
        return XML_PLACE(reader, element);
    return 0;
}

int sweep_spec_read(struct sweep_spec *spec, const char *path, struct error *err)
{
    struct xml_document *document = xml_read(path, err);
    if (!document)
        return -1;
    const struct spec_reader reader = {spec, path, err};
    int status = -1;
    if (document->top.n_children != 1 || strcmp(document->top.children[0].name, "sweep") != 0)
        error_set(err, "%s: no sweep file: its outermost element is not <sweep>", path);
    else
        status = read_sweep(&reader, &document->top.children[0]);
    xml_free(document);
    return status;
}

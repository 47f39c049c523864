// SPDX-License-Identifier: BSD-3-Clause
// Reading a file of properties: constants, and the parts of each property or metric
// (asl_property.h). What stands in its expressions is read by asl_expression.c.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/pattern/properties/asl_property.h"

bool property_file_is_asl(const char *path)
{
    return text_ends_in(path, ".asl");
}

/// A file being read.
struct source {
    const char *path;
    char *written;       // with comments
    char *text;          // the same places, with blanks for comments
    const char *at;      // in text
    const char *counted; // up to here there were n_lines
    uint32_t n_lines;
    struct error *err;
};

static uint32_t line_at(struct source *source, const char *at)
{
    if (!source->counted || at < source->counted) {
        source->counted = source->text;
        source->n_lines = 0;
    }
    for (; source->counted < at; source->counted++)
        source->n_lines += *source->counted == '\n';
    return source->n_lines + 1;
}

#define REFUSE(source, ...)                                                                        \
    (error_set((source)->err, __VA_ARGS__),                                                        \
     error_wrap((source)->err, "%s:%u", (source)->path, line_at(source, (source)->at)))

// ---- text

/// The length of the comment at TEXT, 0 for none.
static size_t comment_length(const char *text)
{
    if (strncmp(text, "//", 2) == 0)
        return strcspn(text, "\n");
    if (strncmp(text, "/*", 2) != 0)
        return 0;
    const char *end = strstr(text + 2, "*/");
    return end ? (size_t)(end + 2 - text) : strlen(text);
}

/// Where a comment begins that has no end, or NULL.
static const char *blank_comments(char *text)
{
    while (*text) {
        size_t n = comment_length(text);
        if (n > 0 && text[1] == '*' && (n < 4 || strncmp(text + n - 2, "*/", 2) != 0))
            return text;
        text += n == 0;
        for (; n > 0; n--, text++)
            if (*text != '\n')
                *text = ' ';
    }
    return NULL;
}

static int source_open(struct source *source, const char *path, struct error *err)
{
    const char *why = NULL;
    *source = (struct source){.path = path, .err = err, .written = text_of_file(path, &why)};
    if (!source->written)
        return error_set(err, "%s: cannot be read: %s", path, why);
    source->text = memory_copy_text(source->written);
    source->at = source->text;
    const char *open = blank_comments(source->text);
    return open ? REFUSE(source, "the comment that begins in line %u has no end",
                         line_at(source, open))
                : 0;
}

static void source_close(struct source *source)
{
    FREE_ALL(source->written, source->text);
}

static void skip_blanks(struct source *source)
{
    source->at += strspn(source->at, " \t\r\n");
}

/// The length of the name that comes next, 0 for none.
static size_t name_length(struct source *source)
{
    skip_blanks(source);
    size_t n = 0;
    while (isalnum((unsigned char)source->at[n]) || source->at[n] == '_')
        n++;
    return isdigit((unsigned char)source->at[0]) ? 0 : n;
}

static bool take_word(struct source *source, const char *word)
{
    size_t n = name_length(source);
    if (n != strlen(word) || strncasecmp(source->at, word, n) != 0)
        return false;
    source->at += n;
    return true;
}

static bool take_sign(struct source *source, char sign)
{
    skip_blanks(source);
    bool is_there = *source->at == sign;
    source->at += is_there;
    return is_there;
}

/// What comes next, for sentences.
static struct quantity next_word(struct source *source)
{
    size_t n = name_length(source);
    return *source->at ? quantity_format("before '%.*s'", n > 0 ? (int)n : 1, source->at)
                       : quantity_format("at the end");
}

static int expect_sign(struct source *source, char sign)
{
    return take_sign(source, sign)
               ? 0
               : REFUSE(source, "'%c' is missing %s", sign, next_word(source).text);
}

/// A name for the caller to free; NULL and the error.
static char *take_name(struct source *source, const char *of)
{
    size_t n = name_length(source);
    if (n == 0 || source->at[0] == '_') {
        REFUSE(source, "the name of %s is missing %s", of, next_word(source).text);
        return NULL;
    }
    char *name = memory_format("%.*s", (int)n, source->at);
    source->at += n;
    return name;
}

static bool take_number_type(struct source *source)
{
    return take_word(source, "float") || take_word(source, "int");
}

/// `= 4096`
static int read_number(struct source *source, double *number)
{
    static const struct expression_scope no_names;
    struct expression value;
    if (expect_sign(source, '=') != 0)
        return -1;
    SCOPED char *text = memory_format("%.*s", (int)strcspn(source->at, ",);"), source->at);
    int status = expression_compile(text, &no_names, &value, source->err);
    if (status != 0)
        return error_wrap(source->err, "%s:%u", source->path, line_at(source, source->at));
    expression_value(&value, NULL, number);
    expression_release(&value);
    source->at += strcspn(source->at, ",);");
    return 0;
}

// ---- constants

static void release_constant(struct property_constant *constant)
{
    free(constant->name);
}

/// `const float NAME = NUMBER;`, of which const has been read.
static int read_constant(struct source *source, struct property_list *list)
{
    struct property_constant constant = {0};
    if (!take_number_type(source))
        return REFUSE(source, "float or int is missing %s", next_word(source).text);
    constant.name = take_name(source, "a constant");
    if (!constant.name)
        return -1;
    if (read_number(source, &constant.value) != 0 || expect_sign(source, ';') != 0) {
        release_constant(&constant);
        return -1;
    }
    NAMED_PUT(list->constants, list->n_constants, constant, release_constant);
    return 0;
}

// ---- a property

struct reading {
    struct source *source;
    const char *kind; // "property" or "metric"
    struct asl_property *property;
    struct asl_scope scope;
};

/// `float NAME = NUMBER`, of which the type has been read.
static int read_number_parameter(struct reading *reading)
{
    struct source *source = reading->source;
    struct property_slot slot = {.kind = SLOT_NUMBER, .set = SLOT_NONE, .is_parameter = true};
    slot.name = take_name(source, "a parameter");
    if (!slot.name)
        return -1;
    int status = read_number(source, &slot.number);
    if (status == 0 && asl_add_slot(reading->property, &slot, source->err))
        return 0;
    if (status == 0)
        error_wrap(source->err, "%s:%u", source->path, line_at(source, source->at));
    free(slot.name);
    return -1;
}

static int refuse_type(struct source *source, const char *const *types)
{
    SCOPED char *all = spelling_list(types, N_PROPERTY_FOCI);
    SCOPED char *word = memory_format("%.*s", (int)name_length(source), source->at);
    REFUSE(source, "a parameter cannot be a '%s'; its type is float, int or one of %s%s", word, all,
           spelling_hint(word, types, N_PROPERTY_FOCI, "; did you mean %s?", "").text);
    return -1;
}

static int read_parameter(struct reading *reading, bool *is_after)
{
    static const char *const types[N_PROPERTY_FOCI] = {
#define TYPE(name, type) type,
        PROPERTY_FOCI(TYPE)
#undef TYPE
    };
    struct source *source = reading->source;
    struct asl_scope *scope = &reading->scope;
    if (take_number_type(source))
        return read_number_parameter(reading);
    unsigned type = 0;
    while (type < N_PROPERTY_FOCI && !take_word(source, types[type]))
        type++;
    if (type == N_PROPERTY_FOCI)
        return refuse_type(source, types);
    char **name = type == FOCUS_program ? &scope->experiment
                  : *is_after           ? &scope->basis
                                        : &scope->focus;
    if (*name || (*is_after && type != FOCUS_region))
        return REFUSE(source,
                      "the parameters are what the property is asked of, the Experiment, then "
                      "the Region that is its basis, then numbers");
    *is_after = *is_after || type == FOCUS_program;
    if (name == &scope->focus)
        reading->property->focus = (enum property_focus_kind)type;
    char *taken = take_name(source, "a parameter");
    const char *const others[] = {scope->focus, scope->experiment};
    for (size_t i = 0; taken && i < 2; i++)
        if (others[i] && strcmp(taken, others[i]) == 0) {
            free(taken);
            return REFUSE(source, "there are two parameters '%s'", others[i]);
        }
    *name = taken;
    return taken ? 0 : -1;
}

static int read_parameters(struct reading *reading)
{
    struct source *source = reading->source;
    bool is_after = false;
    if (expect_sign(source, '(') != 0)
        return -1;
    do {
        if (read_parameter(reading, &is_after) != 0)
            return -1;
    } while (take_sign(source, ','));
    if (!reading->scope.experiment)
        return REFUSE(source, "%s '%s' needs a parameter Experiment", reading->kind,
                      reading->property->name);
    if (reading->property->unit && reading->scope.basis)
        return REFUSE(source, "metric '%s' cannot have a basis, which is of severities",
                      reading->property->name);
    return expect_sign(source, ')');
}

/// What stands up to the next `;`, of WHAT; NULL and the error. The caller frees.
static char *take_text(struct reading *reading, const char *what)
{
    struct source *source = reading->source;
    skip_blanks(source);
    size_t length = strcspn(source->at, ";{}");
    if (source->at[length] != ';') {
        REFUSE(source, "%s of %s '%s' does not end in ';'", what, reading->kind,
               reading->property->name);
        return NULL;
    }
    return memory_format("%.*s", (int)length, source->at);
}

static int read_expression(struct reading *reading, const char *what, struct expression *value)
{
    struct source *source = reading->source;
    SCOPED char *text = take_text(reading, what);
    if (!text)
        return -1;
    size_t length = strlen(text);
    int status = asl_compile(reading->property, &reading->scope, text, value, source->err);
    if (status != 0)
        return error_wrap(source->err, "%s:%u: %s '%s': %s", source->path,
                          line_at(source, source->at), reading->kind, reading->property->name,
                          what);
    source->at += length + 1;
    return 0;
}

static int read_let(struct reading *reading)
{
    struct property_slot slot = {.kind = SLOT_LET, .set = SLOT_NONE};
    struct source *source = reading->source;
    slot.name = take_name(source, "a value");
    if (!slot.name)
        return -1;
    int status = expect_sign(source, '=');
    if (status == 0)
        status = read_expression(reading, slot.name, &slot.value);
    if (status == 0 && !asl_add_slot(reading->property, &slot, source->err)) {
        expression_release(&slot.value);
        status = error_wrap(source->err, "%s:%u: %s '%s'", source->path,
                            line_at(source, source->at), reading->kind, reading->property->name);
    } else if (status == 0) {
        return 0;
    }
    free(slot.name);
    return status;
}

/// `WORD:`
static int expect_part(struct reading *reading, const char *word)
{
    struct source *source = reading->source;
    return take_word(source, word)
               ? expect_sign(source, ':')
               : REFUSE(source, "'%s' of %s '%s' is missing %s", word, reading->kind,
                        reading->property->name, next_word(source).text);
}

static int read_unit(struct reading *reading)
{
    struct source *source = reading->source;
    SCOPED char *text = expect_part(reading, "unit") == 0 ? take_text(reading, "unit") : NULL;
    if (!text)
        return -1;
    source->at += strlen(text) + 1;
    free(reading->property->unit);
    reading->property->unit = text_single_spaced(text, false);
    return reading->property->unit[0]
               ? 0
               : REFUSE(source, "the unit of metric '%s' is empty", reading->property->name);
}

static int read_body(struct reading *reading)
{
    struct source *source = reading->source;
    struct asl_property *property = reading->property;
    const struct {
        const char *word;
        struct expression *value;
    } parts[] = {{"condition", &property->condition},
                 {"confidence", &property->confidence},
                 {"severity", &property->severity},
                 {"value", &property->value}};
    if (expect_sign(source, '{') != 0)
        return -1;
    take_word(source, "let");
    while (take_number_type(source))
        if (read_let(reading) != 0)
            return -1;
    take_word(source, "in");
    if (property->unit && read_unit(reading) != 0)
        return -1;
    for (size_t i = property->unit ? 3 : 0; i < (property->unit ? 4 : 3); i++)
        if (expect_part(reading, parts[i].word) != 0 ||
            read_expression(reading, parts[i].word, parts[i].value) != 0)
            return -1;
    return expect_sign(source, '}');
}

/// The last paragraph of the comment between BEGIN and END of what was written; "" without.
static char *comment_in(const struct source *source, size_t begin, size_t end)
{
    char *text = memory_format("%.*s", (int)(end - begin), source->written + begin), *words = NULL;
    char *rest = text, *line;
    while ((line = strsep(&rest, "\n"))) {
        line = text_trim(line);
        line += strspn(line, "/*");
        size_t length = strlen(line);
        while (length > 0 && strchr("/* \t\r", line[length - 1]))
            length--;
        line[length] = '\0';
        if (length == 0 && rest) { // a paragraph ends
            free(words);
            words = NULL;
        } else if (!strstr(line, "SPDX-License-Identifier")) {
            text_append(&words, "%s ", line);
        }
    }
    char *comment = text_single_spaced(words ? words : "", false);
    FREE_ALL(words, text);
    return comment;
}

static void release_property(struct asl_property *property)
{
    for (size_t i = 0; i < property->n_slots; i++) {
        FREE_ALL(property->slots[i].name, property->slots[i].metric_name,
                 property->slots[i].region_name);
        expression_release(&property->slots[i].value);
    }
    expression_release(&property->condition);
    expression_release(&property->confidence);
    expression_release(&property->severity);
    expression_release(&property->value);
    FREE_ALL(property->unit, property->name, property->summary, property->text, property->file);
}

/// A property or a metric, of which the word KIND has been read; its comment begins at COMMENT.
static int read_property(struct source *source, struct property_list *list, size_t comment,
                         const char *kind, const struct asl_scope *scope)
{
    size_t begin = (size_t)(source->at - source->text) - strlen(kind);
    struct asl_property property = {.line = line_at(source, source->at)};
    struct reading reading = {source, kind, &property, *scope};
    if (strcmp(kind, "metric") == 0)
        property.unit = memory_copy_text("");
    property.file = memory_copy_text(source->path);
    property.summary = comment_in(source, comment, begin);
    property.name = take_name(source, property.unit ? "a metric" : "a property");
    int status = property.name && read_parameters(&reading) == 0 ? read_body(&reading) : -1;
    property.text = memory_format("%.*s", (int)((size_t)(source->at - source->text) - begin),
                                  source->written + begin);
    FREE_ALL(reading.scope.experiment, reading.scope.focus, reading.scope.basis);
    if (status == 0)
        NAMED_PUT(list->items, list->n, property, release_property);
    else
        release_property(&property);
    return status;
}

/// Passes a property by.
static void skip_property(struct source *source)
{
    source->at += strcspn(source->at, "}");
    take_sign(source, '}');
}

/// Reads the constants of the file, or with SCOPE its properties.
static int read_file(struct property_list *list, const char *path, const struct asl_scope *scope,
                     struct error *err)
{
    struct source source;
    int status = source_open(&source, path, err);
    SCOPED_BY(property_list_release) struct property_list passed = {0};
    while (status == 0) {
        size_t comment = (size_t)(source.at - source.text);
        skip_blanks(&source);
        if (!*source.at)
            break;
        if (take_word(&source, "const")) {
            status = read_constant(&source, scope ? &passed : list);
            continue;
        }
        const char *kind = take_word(&source, "metric")     ? "metric"
                           : take_word(&source, "property") ? "property"
                                                            : NULL;
        if (!kind)
            status = REFUSE(&source, "'property', 'metric' or 'const' is missing %s",
                            next_word(&source).text);
        else if (scope)
            status = read_property(&source, list, comment, kind, scope);
        else
            skip_property(&source);
        const char *end = source.at;                 // the comment of the next one follows
        if (status == 0 && !take_sign(&source, ';')) // published ASL has one
            source.at = end;
    }
    source_close(&source);
    return status;
}

int property_constants_read(struct property_list *list, const char *path, struct error *err)
{
    return read_file(list, path, NULL, err);
}

int property_asl_read(struct property_list *list, const char *path, const char *const *wait_states,
                      size_t n, struct error *err)
{
    const struct asl_scope scope = {.list = list, .wait_states = wait_states, .n_wait_states = n};
    return read_file(list, path, &scope, err);
}

const struct asl_property *property_find(const struct property_list *list, const char *name)
{
    size_t at = NAMED_FIND(list->items, list->n, name);
    return at < list->n ? &list->items[at] : NULL;
}

void property_list_release(struct property_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        release_property(&list->items[i]);
    for (size_t i = 0; i < list->n_constants; i++)
        release_constant(&list->constants[i]);
    FREE_ALL(list->items, list->constants);
    *list = (struct property_list){0};
}

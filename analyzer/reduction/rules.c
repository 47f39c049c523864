// SPDX-License-Identifier: BSD-3-Clause
// Reading rules and applying them (see reduction.h). The prefix of a condition ends at its last
// colon that is alone: names of C++ have double ones.
#include "analyzer/reduction/reduction.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/lines.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

static const char *const field_names[N_REDUCTION_FIELDS] = {"numcalls", "percent", "usec",
                                                            "cumusec", "usecs/call"};

/// Fields of TAU's that a trace has no values for.
static const char *const absent_fields[] = {"numsubrs", "count", "totalcount", "stdev",
                                            "counts/call"};

static int read_field(struct reduction_condition *condition, const char *name, struct error *err)
{
    condition->field = (enum reduction_field)FIND_TEXT(field_names, N_REDUCTION_FIELDS, name);
    if (condition->field < N_REDUCTION_FIELDS)
        return 0;
    if (HAS_TEXT(absent_fields, sizeof absent_fields / sizeof absent_fields[0], name))
        return error_set(err, "a trace has no values for TAU's field %s", name);
    return error_set(err, "`%s` is not a field%s", name,
                     spelling_hint(name, field_names, N_REDUCTION_FIELDS, "; did you mean %s?",
                                   " (numcalls, percent, usec, cumusec, usecs/call)")
                         .text);
}

static int read_prefix(struct reduction_condition *condition, char *text, struct error *err)
{
    size_t length;
    text = text_trim(text);
    length = strlen(text);
    if (length >= 2 && text[0] == '"' && text[length - 1] == '"') {
        text[length - 1] = '\0';
        text++;
    }
    if (!*text)
        return error_set(err, "there is no name before the colon");
    if (strcmp(text, "MPI") == 0 || strncmp(text, "MPI_", 4) == 0)
        return error_set(err, "MPI functions are not left out by rules, for messages need them; "
                              "`pagoda trace --mpi communication` leaves out the others");
    condition->prefix = memory_copy_text(text);
    return 0;
}

/// The colon that ends a prefix, or NULL.
static char *find_colon(char *text)
{
    char *colon = NULL;
    for (char *c = text; *c; c++) {
        if (c[0] == ':' && c[1] == ':')
            c++;
        else if (c[0] == ':')
            colon = c;
    }
    return colon;
}

/// "[PREFIX:] FIELD OPERATOR NUMBER"; TEXT is changed.
static int read_condition(struct reduction_rule *rule, char *text, struct error *err)
{
    if (rule->n_conditions == REDUCTION_MAX_CONDITIONS)
        return error_set(err, "more than %d conditions", REDUCTION_MAX_CONDITIONS);
    struct reduction_condition *condition = &rule->conditions[rule->n_conditions++];
    *condition = (struct reduction_condition){0};
    char *colon = find_colon(text);
    if (colon) {
        *colon = '\0';
        if (read_prefix(condition, text, err) != 0)
            return -1;
        text = colon + 1;
    }
    text = text_trim(text);
    size_t length = strcspn(text, "<>=");
    if (!*text)
        return error_set(err, "a condition is empty; one is FIELD OPERATOR NUMBER");
    if (!text[length])
        return error_set(err, "one of < > = is missing in `%s`", text);
    char *number = text + length + 1, *end;
    condition->relation = text[length];
    text[length] = '\0';
    if (read_field(condition, text_trim(text), err) != 0)
        return -1;
    if (*number == '=')
        return error_set(err, "`%c=` is not an operator; there are < > =", condition->relation);
    number = text_trim(number);
    condition->number = strtod(number, &end);
    if (end == number || *end || !isfinite(condition->number))
        return error_set(err, "`%s` is not a number", number);
    return 0;
}

int reduction_rules_add(struct reduction_rules *rules, const char *text, const char *place,
                        struct error *err)
{
    char *copy = memory_copy_text(text), *next = copy;
    char *written = text_trim(next);
    struct reduction_rule *rule = ARRAY_NEXT(rules->items, rules->n, rules->capacity);
    *rule = (struct reduction_rule){.text = memory_copy_text(written),
                                    .place = memory_copy_text(place)};
    int status = 0;
    while (status == 0 && next) {
        char *condition = strsep(&next, "&");
        status = read_condition(rule, condition, err);
    }
    free(copy);
    return status;
}

/// Cuts a line at the # that begins a comment: at its begin or after white space.
static void cut_comment(char *line)
{
    for (char *c = line; *c; c++)
        if (*c == '#' && (c == line || isspace((unsigned char)c[-1])))
            *c = '\0';
}

/// A file of rules being read.
struct rule_file {
    struct reduction_rules *rules;
    const char *path;
};

static int take_line(void *context, char *line, unsigned *number, struct error *err)
{
    const struct rule_file *file = context;
    SCOPED char *place = memory_format("%s:%u", file->path, *number);
    cut_comment(line);
    return reduction_rules_add(file->rules, text_trim(line), place, err);
}

int reduction_rules_read(struct reduction_rules *rules, const char *path, struct error *err)
{
    size_t n_before = rules->n;
    struct rule_file file = {rules, path};
    int status = lines_read(path, "the rules in", take_line, &file, err);
    return status == 0 && rules->n == n_before ? error_set(err, "%s has no rule", path) : status;
}

/// Does LINE, which is changed, look like a rule?
static bool looks_like_rule(char *line)
{
    line[strcspn(line, "&")] = '\0';
    char *colon = find_colon(line);
    char *text = colon ? colon + 1 : line;
    size_t length = strcspn(text, "<>=");
    char relation = text[length];
    text[length] = '\0';
    text = text_trim(text);
    bool is_field = HAS_TEXT(field_names, N_REDUCTION_FIELDS, text);
    for (size_t i = 0; i < sizeof absent_fields / sizeof absent_fields[0]; i++)
        is_field |= strcmp(text, absent_fields[i]) == 0;
    return relation == '<' || relation == '>' || (relation == '=' && is_field);
}

static int take_first(void *context, char *line, unsigned *number, struct error *err)
{
    (void)number, (void)err;
    cut_comment(line);
    *(bool *)context = looks_like_rule(line);
    return 1;
}

bool reduction_rules_is_file(const char *path)
{
    bool is_rule = false;
    struct error ignored;
    return lines_read(path, "", take_first, &is_rule, &ignored) == 0 && is_rule;
}

static bool fits(const char *prefix, const struct reduction_function *function)
{
    return strcmp(prefix, "TAU_USER") == 0 || fnmatch(prefix, function->name, 0) == 0 ||
           (*function->file && fnmatch(prefix, function->file, 0) == 0);
}

static double value_of(const struct reduction_function *function, enum reduction_field field)
{
    switch (field) {
    case REDUCTION_NUMCALLS:
        return function->n_calls;
    case REDUCTION_PERCENT:
        return function->percent;
    case REDUCTION_USEC:
        return function->exclusive_us;
    case REDUCTION_CUMUSEC:
        return function->inclusive_us;
    case REDUCTION_PER_CALL:
    case N_REDUCTION_FIELDS:
        break;
    }
    return function->n_calls > 0 ? function->inclusive_us / function->n_calls : 0;
}

static bool holds(struct reduction_condition *condition, const struct reduction_function *function)
{
    if (condition->prefix && !fits(condition->prefix, function))
        return false;
    condition->was_met = true;
    double value = value_of(function, condition->field);
    switch (condition->relation) {
    case '<':
        return value < condition->number;
    case '>':
        return value > condition->number;
    default:
        return value == condition->number;
    }
}

const struct reduction_rule *reduction_rules_find(struct reduction_rules *rules,
                                                  const struct reduction_function *function)
{
    const struct reduction_rule *found = NULL;
    for (size_t i = 0; i < rules->n; i++) {
        struct reduction_rule *rule = &rules->items[i];
        size_t n_held = 0;
        for (size_t j = 0; j < rule->n_conditions; j++) // all, to note which prefixes fit
            n_held += holds(&rule->conditions[j], function);
        if (!found && n_held == rule->n_conditions)
            found = rule;
    }
    return found;
}

void reduction_rules_release(struct reduction_rules *rules)
{
    for (size_t i = 0; i < rules->n; i++) {
        FREE_ALL(rules->items[i].text, rules->items[i].place);
        FREE_MEMBERS(rules->items[i].conditions, rules->items[i].n_conditions, prefix);
    }
    free(rules->items);
    *rules = (struct reduction_rules){0};
}

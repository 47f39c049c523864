// SPDX-License-Identifier: BSD-3-Clause
// Values, points and impossible points of a sweep (see plan.h).
#include "analyzer/sweep/plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

// ---- values ----

// Ranges are counted in whole units of their last decimal, so that 0.1:0.5:0.1 has five values and
// none is 0.30000000000000004.

enum { MAX_DECIMALS = 9, MAX_DIGITS = 15 }; // decimal digits that a double holds exactly

/// How many decimals the number has that TEXT is; -1: it is none, or has too many digits.
static int decimal_read(const char *text, size_t length, double *number)
{
    static const char digits[] = "0123456789";
    const char *at = text + (*text == '-');
    size_t n_whole = strspn(at, digits), n_decimals = 0;
    at += n_whole;
    if (*at == '.')
        n_decimals = strspn(++at, digits);
    if (at + n_decimals != text + length || n_whole + n_decimals == 0 ||
        n_whole + n_decimals > MAX_DIGITS || n_decimals > MAX_DECIMALS)
        return -1;
    *number = strtod(text, NULL);
    return (int)n_decimals;
}

/// Without zeros at the end of a fraction; the caller frees.
static char *decimal_text(double number, int n_decimals)
{
    char *text = memory_format("%.*f", n_decimals, number);
    for (char *end = text + strlen(text); n_decimals > 0 && strchr("0.", end[-1]); *--end = '\0')
        if (end[-1] == '.')
            n_decimals = 0;
    return text;
}

static void add_owned(struct sweep_values *values, char *text)
{
    *ARRAY_NEXT(values->texts, values->n, values->capacity) = text;
}

void sweep_values_add(struct sweep_values *values, const char *text)
{
    add_owned(values, text ? memory_copy_text(text) : NULL);
}

/// The numbers A, B and C of A:B or A:B:C, and the most decimals that one of them has. False: the
/// text is not a range but a value.
static bool range_read(const char *text, size_t length, double numbers[3], int *n_decimals)
{
    size_t begin = 0;
    int n = 0;
    numbers[2] = 1;
    *n_decimals = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] != ':')
            continue;
        int n_own = n == 3 ? -1 : decimal_read(text + begin, i - begin, &numbers[n++]);
        if (n_own < 0)
            return false;
        *n_decimals = n_own > *n_decimals ? n_own : *n_decimals;
        begin = i + 1;
    }
    return n >= 2;
}

static int add_range(struct sweep_values *values, const char *text, size_t length,
                     const double numbers[3], int n_decimals, struct error *err)
{
    double one = pow(10, n_decimals);
    int64_t units[3];
    for (int i = 0; i < 3; i++) {
        if (fabs(numbers[i]) * one >= 1e15)
            return error_set(err, "the range %.*s has too many digits", (int)length, text);
        units[i] = llround(numbers[i] * one);
    }
    int64_t way = units[1] - units[0], step = units[2];
    if (step == 0)
        return error_set(err, "the range %.*s has a step of 0", (int)length, text);
    if (way != 0 && (way < 0) != (step < 0))
        return error_set(err, "the range %.*s is empty: a range is FIRST:LAST:STEP", (int)length,
                         text);
    if (way / step >= SWEEP_MAX_VALUES)
        return error_set(err, "the range %.*s has more than %d values", (int)length, text,
                         SWEEP_MAX_VALUES);
    for (int64_t i = 0; i <= way / step; i++)
        add_owned(values, decimal_text((double)(units[0] + i * step) / one, n_decimals));
    return 0;
}

/// Cuts white space off both ends.
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && isspace((unsigned char)**text))
        ++*text, --*length;
    while (*length > 0 && isspace((unsigned char)(*text)[*length - 1]))
        --*length;
}

static int add_part(struct sweep_values *values, const char *part, size_t length, struct error *err)
{
    double numbers[3];
    int n_decimals;
    trim(&part, &length);
    if (length == 0)
        return error_set(err, "a value is empty");
    if (range_read(part, length, numbers, &n_decimals))
        return add_range(values, part, length, numbers, n_decimals, err);
    add_owned(values, memory_format("%.*s", (int)length, part));
    return 0;
}

int sweep_values_read(const char *text, struct sweep_values *values, struct error *err)
{
    size_t length = strlen(text);
    trim(&text, &length);
    if (length >= 2 && text[0] == '{' && text[length - 1] == '}')
        text++, length -= 2;
    size_t begin = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] != ',')
            continue;
        if (add_part(values, text + begin, i - begin, err) != 0)
            return -1;
        if (values->n > SWEEP_MAX_VALUES)
            return error_set(err, "more than %d values", SWEEP_MAX_VALUES);
        begin = i + 1;
    }
    return 0;
}

void sweep_values_release(struct sweep_values *values)
{
    memory_free_each(values->texts, values->n);
    *values = (struct sweep_values){0};
}

// ---- parameters and points ----

void sweep_plan_init(struct sweep_plan *plan)
{
    *plan = (struct sweep_plan){.n_repetitions = 1};
}

void sweep_plan_release(struct sweep_plan *plan)
{
    for (size_t i = 0; i < plan->n_parameters; i++) {
        FREE_ALL(plan->parameters[i].name, plan->parameters[i].search, plan->parameters[i].role);
        sweep_values_release(&plan->parameters[i].values);
    }
    FREE_MEMBERS(plan->templates, plan->n_templates, path, text);
    words_free(plan->line);
    FREE_ALL(plan->build, plan->batch);
    *plan = (struct sweep_plan){0};
}

static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '-')
            return false;
    return true;
}

struct sweep_parameter *sweep_plan_find(struct sweep_plan *plan, const char *name)
{
    return ITEM_BY(plan->parameters, plan->n_parameters, name, name);
}

struct sweep_parameter *sweep_plan_add(struct sweep_plan *plan, const char *name,
                                       const char *search, struct error *err)
{
    if (!is_name(name)) {
        error_set(err, "`%s` is not a name of a parameter: letters, digits, _ and -", name);
        return NULL;
    }
    if (search && !*search) {
        error_set(err, "parameter %s replaces an empty text", name);
        return NULL;
    }
    if (sweep_plan_find(plan, name)) {
        error_set(err, "there are two parameters %s", name);
        return NULL;
    }
    if (plan->n_parameters == SWEEP_MAX_PARAMETERS) {
        error_set(err, "more than %d parameters", SWEEP_MAX_PARAMETERS);
        return NULL;
    }
    struct sweep_parameter *parameter = &plan->parameters[plan->n_parameters++];
    *parameter = (struct sweep_parameter){
        .name = memory_copy_text(name),
        .search = search ? memory_copy_text(search) : memory_format("{%s}", name),
        .role = memory_copy_text("free"),
    };
    return parameter;
}

int sweep_parameter_set_role(struct sweep_parameter *parameter, const char *role, struct error *err)
{
    static const char *const roles[] = {"machine", "problem", "free"};
    if (!HAS_TEXT(roles, sizeof roles / sizeof roles[0], role))
        return error_set(err, "`%s` is not a role of a parameter: machine, problem or free", role);
    free(parameter->role);
    parameter->role = memory_copy_text(role);
    return 0;
}

/// Of one round.
static size_t n_combinations(const struct sweep_plan *plan)
{
    size_t n = 1;
    if (plan->is_line_by_line)
        return plan->parameters[0].values.n;
    for (size_t i = 0; i < plan->n_parameters; i++)
        n *= plan->parameters[i].values.n;
    return n;
}

size_t sweep_plan_n_points(const struct sweep_plan *plan)
{
    return n_combinations(plan) * plan->n_repetitions;
}

static char *point_name(const struct sweep_plan *plan, const struct sweep_point *point)
{
    char *name = memory_copy_text("");
    for (size_t i = 0; i < plan->n_parameters; i++) {
        if (point->values[i])
            text_append(&name, "%s%s=%s", *name ? "," : "", plan->parameters[i].name,
                        point->values[i]);
    }
    if (point->repetition > 1)
        text_append(&name, "#%" PRIu64, point->repetition);
    else if (!*name)
        text_append(&name, "as-is");
    return name;
}

void sweep_plan_point(const struct sweep_plan *plan, size_t number, struct sweep_point *point)
{
    size_t n_round = n_combinations(plan);
    size_t rest = number % n_round;
    *point = (struct sweep_point){.repetition = number / n_round + 1};
    for (size_t i = plan->n_parameters; i-- > 0;) {
        const struct sweep_values *values = &plan->parameters[i].values;
        point->values[i] = values->texts[plan->is_line_by_line ? rest : rest % values->n];
        if (!plan->is_line_by_line)
            rest /= values->n;
    }
    point->name = point_name(plan, point);
}

void sweep_point_release(struct sweep_point *point)
{
    free(point->name);
    *point = (struct sweep_point){0};
}

/// A point is known by its name: of two with one name, only one would be run.
static int check_point_names(const struct sweep_plan *plan, struct error *err)
{
    size_t n = n_combinations(plan);
    SCOPED char **names = memory_zeroed(n, sizeof *names);
    int status = 0;
    for (size_t i = 0; i < n; i++) {
        struct sweep_point point;
        sweep_plan_point(plan, i, &point);
        names[i] = point.name;
    }
    qsort(names, n, sizeof *names, text_compare);
    for (size_t i = 1; i < n && status == 0; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = error_set(err, "there are two points %s: values come twice", names[i]);
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    return status;
}

int sweep_plan_check(const struct sweep_plan *plan, struct error *err)
{
    size_t n = 1;
    if (plan->n_parameters == 0)
        return error_set(err, "there is no parameter to change");
    for (size_t i = 0; i < plan->n_parameters; i++) {
        const struct sweep_parameter *parameter = &plan->parameters[i];
        const struct sweep_parameter *first = &plan->parameters[0];
        if (parameter->values.n == 0)
            return error_set(err, "parameter %s has no value", parameter->name);
        if (!plan->is_line_by_line)
            n *= parameter->values.n;
        else if (parameter->values.n != first->values.n)
            return error_set(err,
                             "line by line all parameters have as many values: %s has %zu, %s %zu",
                             first->name, first->values.n, parameter->name, parameter->values.n);
        if (n > SWEEP_MAX_POINTS)
            break;
    }
    if (plan->is_line_by_line)
        n = plan->parameters[0].values.n;
    if (plan->n_repetitions == 0)
        return error_set(err, "a point is run at least once");
    if (n > SWEEP_MAX_POINTS || plan->n_repetitions > SWEEP_MAX_POINTS / n)
        return error_set(err, "there are more than %d points", SWEEP_MAX_POINTS);
    return check_point_names(plan, err);
}

// ---- impossible points ----

/// The formula's variables are the parameters it uses; without any, all that it could use, for the
/// message about a wrong name.
static int find_parameters(struct sweep_skip *skip, const struct sweep_plan *plan,
                           struct error *err)
{
    for (size_t i = 0; i < plan->n_parameters; i++) {
        const char *name = plan->parameters[i].name;
        if (strchr(name, '-') || !formula_uses(skip->when, name))
            continue;
        if (skip->n_parameters == FORMULA_MAX_VARIABLES)
            return error_set(err, "the condition %s has more than %d parameters", skip->when,
                             FORMULA_MAX_VARIABLES);
        skip->parameters[skip->n_parameters++] = i;
    }
    if (skip->n_parameters > 0)
        return 0;
    for (size_t i = 0; i < plan->n_parameters && skip->n_parameters < FORMULA_MAX_VARIABLES; i++)
        if (!strchr(plan->parameters[i].name, '-'))
            skip->parameters[skip->n_parameters++] = i;
    return 0;
}

int sweep_skips_add(struct sweep_skips *skips, const struct sweep_plan *plan, const char *when,
                    const char *reason, struct error *err)
{
    const char *names[FORMULA_MAX_VARIABLES];
    struct sweep_skip *skip = ARRAY_NEXT(skips->items, skips->n, skips->capacity);
    *skip = (struct sweep_skip){.when = memory_copy_text(when),
                                .reason = memory_copy_text(reason ? reason : "")};
    if (find_parameters(skip, plan, err) != 0)
        return -1;
    for (size_t i = 0; i < skip->n_parameters; i++)
        names[i] = plan->parameters[skip->parameters[i]].name;
    skip->formula = formula_new(when, names, skip->n_parameters, err);
    return skip->formula ? 0 : -1;
}

static bool holds(const struct sweep_skip *skip, const struct sweep_point *point)
{
    double values[FORMULA_MAX_VARIABLES];
    for (size_t i = 0; i < skip->n_parameters; i++) {
        const char *text = point->values[skip->parameters[i]];
        char *end = NULL;
        values[i] = text ? strtod(text, &end) : 0;
        if (!text || end == text || *end)
            return false;
    }
    double value = formula_value(skip->formula, values);
    return value != 0 && !isnan(value);
}

const struct sweep_skip *sweep_skips_find(const struct sweep_skips *skips,
                                          const struct sweep_point *point)
{
    for (size_t i = 0; i < skips->n; i++)
        if (holds(&skips->items[i], point))
            return &skips->items[i];
    return NULL;
}

void sweep_skips_release(struct sweep_skips *skips)
{
    for (size_t i = 0; i < skips->n; i++) {
        FREE_ALL(skips->items[i].when, skips->items[i].reason);
        formula_free(skips->items[i].formula);
    }
    free(skips->items);
    *skips = (struct sweep_skips){0};
}

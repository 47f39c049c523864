// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints (see checkpoint.h): a recursive descent over a line of text, mean and variance by
// Welford's method.
#include "analyzer/sweep/checkpoint.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

struct reading {
    const char *text; // whole
    const char *at;
    struct error *err;
};

static int complain(const struct reading *reading, const char *wanted)
{
    return error_set(reading->err, "checkpoint `%s`: %s wanted at `%.24s`", reading->text, wanted,
                     *reading->at ? reading->at : "its end");
}

static void skip_space(struct reading *reading)
{
    while (isspace((unsigned char)*reading->at))
        reading->at++;
}

/// Moves behind TOKEN if it is next.
static bool take(struct reading *reading, const char *token)
{
    size_t length = strlen(token);
    skip_space(reading);
    if (strncmp(reading->at, token, length) != 0 ||
        (isalnum((unsigned char)token[0]) && isalnum((unsigned char)reading->at[length])))
        return false;
    reading->at += length;
    return true;
}

/// Letters, digits and dashes; "" for none. To be freed.
static char *read_name(struct reading *reading)
{
    size_t length = 0;
    skip_space(reading);
    while (isalnum((unsigned char)reading->at[length]) || strchr("-_", reading->at[length])) {
        if (reading->at[length] == '\0')
            break;
        length++;
    }
    char *name = memory_format("%.*s", (int)length, reading->at);
    reading->at += length;
    return name;
}

static int read_operation(struct reading *reading, struct sweep_condition *condition)
{
    static const char *const names[N_SWEEP_OPERATIONS] = {"avg",   "min", "max", "stddev",
                                                          "trend", "any", "all"};
    char *name = read_name(reading);
    int status = -1;
    for (int i = 0; i < N_SWEEP_OPERATIONS && status != 0; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        condition->operation = (enum sweep_operation)i;
        status = 0;
    }
    if (status != 0) {
        const char *nearest = spelling_nearest(name, names, N_SWEEP_OPERATIONS);
        error_set(reading->err,
                  "checkpoint `%s`: avg, min, max, stddev, trend, any or all wanted, not "
                  "`%s`%s%s%s",
                  reading->text, *name ? name : reading->at, nearest ? "; did you mean " : "",
                  nearest ? nearest : "", nearest ? "?" : "");
    }
    free(name);
    return status;
}

static int read_relation(struct reading *reading, struct sweep_condition *condition)
{
    static const struct {
        const char *sign;
        enum sweep_relation relation;
    } signs[] = {
        {">=", SWEEP_AT_LEAST}, {"\xe2\x89\xa5", SWEEP_AT_LEAST}, {">", SWEEP_MORE},
        {"<=", SWEEP_AT_MOST},  {"\xe2\x89\xa4", SWEEP_AT_MOST},  {"<", SWEEP_LESS},
        {"=", SWEEP_EQUAL},
    };
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (!take(reading, signs[i].sign))
            continue;
        condition->relation = signs[i].relation;
        return 0;
    }
    return complain(reading, "one of > >= < <= =");
}

/// The series of PROPERTY in REGION (NULL: the program), which become its own.
static size_t series_of(struct sweep_checkpoints *checkpoints, char *property, char *region)
{
    for (size_t i = 0; i < checkpoints->n_series; i++) {
        const struct sweep_series *series = &checkpoints->series[i];
        bool is_same_region = region && series->region ? strcmp(series->region, region) == 0
                                                       : !region && !series->region;
        if (strcmp(series->property, property) != 0 || !is_same_region)
            continue;
        free(property);
        free(region);
        return i;
    }
    checkpoints->series = array_reserve(checkpoints->series, &checkpoints->series_capacity,
                                        checkpoints->n_series + 1, sizeof *checkpoints->series);
    checkpoints->series[checkpoints->n_series] =
        (struct sweep_series){.property = property, .region = region};
    return checkpoints->n_series++;
}

/// "last N" or "N".
static int read_last(struct reading *reading, struct sweep_condition *condition)
{
    char *end;
    take(reading, "last");
    skip_space(reading);
    unsigned long n = strtoul(reading->at, &end, 10);
    if (!isdigit((unsigned char)*reading->at) || n == 0 || n > 1000000)
        return complain(reading, "a number of points, at least 1,");
    reading->at = end;
    condition->last = n;
    return 0;
}

/// Is "last N" or "N" next?
static bool is_last(struct reading *reading)
{
    const char *at;
    skip_space(reading);
    at = reading->at;
    if (strncmp(at, "last", 4) == 0 && isspace((unsigned char)at[4]))
        at += 4 + strspn(at + 4, " \t\n");
    size_t n_digits = strspn(at, "0123456789");
    at += n_digits + strspn(at + n_digits, " \t\n");
    return n_digits > 0 && (*at == ')' || *at == '\0');
}

/// How long the region at the begin of TEXT is: up to the quotation mark; of a focus < ... > all of
/// it; else up to a comma or a parenthesis that was not opened.
static size_t region_length(const char *text, bool is_quoted)
{
    bool is_focus = !is_quoted && *text == '<';
    size_t length = 0;
    for (int depth = 0; text[length]; length++) {
        char c = text[length];
        if (is_quoted ? c == '"' : !is_focus && depth == 0 && (c == ',' || c == ')'))
            break;
        if (is_focus && c == '>')
            return length + 1;
        depth += (c == '(') - (c == ')');
    }
    return length;
}

/// *REGION is NULL for `program`, else to be freed.
static int read_region(struct reading *reading, char **region)
{
    *region = NULL;
    skip_space(reading);
    bool is_quoted = *reading->at == '"';
    reading->at += is_quoted;
    size_t length = region_length(reading->at, is_quoted);
    const char *begin = reading->at;
    reading->at += length;
    if (is_quoted && !take(reading, "\""))
        return complain(reading, "a second quotation mark");
    while (length > 0 && isspace((unsigned char)begin[length - 1]))
        length--;
    if (length == 0)
        return complain(reading, "a region or `last N`");
    if (is_quoted || length != strlen("program") || strncmp(begin, "program", length) != 0)
        *region = memory_format("%.*s", (int)length, begin);
    return 0;
}

/// What follows the property: "[, REGION][, last N]".
static int read_place(struct reading *reading, struct sweep_condition *condition, char **region)
{
    *region = NULL;
    if (!take(reading, ","))
        return 0;
    if (is_last(reading))
        return read_last(reading, condition);
    if (read_region(reading, region) != 0)
        return -1;
    return take(reading, ",") ? read_last(reading, condition) : 0;
}

/// "severity(PROPERTY[, REGION][, last N])"; without it the one of the condition before stays.
static int read_severity(struct sweep_checkpoints *checkpoints, struct reading *reading,
                         struct sweep_condition *condition, bool is_first)
{
    if (!take(reading, "severity"))
        return is_first ? complain(reading, "severity(PROPERTY, REGION, last N)") : 0;
    condition->last = 0;
    if (!take(reading, "("))
        return complain(reading, "(");
    char *property = read_name(reading);
    if (!*property) {
        free(property);
        return complain(reading, "a property");
    }
    char *region;
    int status = read_place(reading, condition, &region);
    condition->property = series_of(checkpoints, property, region);
    if (status != 0)
        return -1;
    return take(reading, ")") ? 0 : complain(reading, ")");
}

static int read_condition(struct sweep_checkpoints *checkpoints, struct reading *reading,
                          struct sweep_checkpoint *checkpoint)
{
    if (checkpoint->n_conditions == SWEEP_MAX_CONDITIONS)
        return complain(reading, "at most 8 conditions");
    bool is_first = checkpoint->n_conditions == 0;
    struct sweep_condition *condition = &checkpoint->conditions[checkpoint->n_conditions];
    if (!is_first)
        *condition = condition[-1];
    if (read_operation(reading, condition) != 0 ||
        read_severity(checkpoints, reading, condition, is_first) != 0 ||
        read_relation(reading, condition) != 0)
        return -1;
    char *end;
    skip_space(reading);
    condition->bound = strtod(reading->at, &end);
    if (end == reading->at || !isfinite(condition->bound))
        return complain(reading, "a number");
    reading->at = end;
    checkpoint->n_conditions++;
    return 0;
}

int sweep_checkpoints_add(struct sweep_checkpoints *checkpoints, const char *text,
                          struct error *err)
{
    checkpoints->items = array_reserve(checkpoints->items, &checkpoints->capacity,
                                       checkpoints->n + 1, sizeof *checkpoints->items);
    struct sweep_checkpoint *checkpoint = &checkpoints->items[checkpoints->n++];
    *checkpoint = (struct sweep_checkpoint){.text = memory_copy_text(text)};
    struct reading reading = {checkpoint->text, checkpoint->text, err};
    do {
        if (read_condition(checkpoints, &reading, checkpoint) != 0)
            return -1;
    } while (take(&reading, "and"));
    skip_space(&reading);
    return *reading.at ? complain(&reading, "`and`") : 0;
}

int sweep_checkpoints_add_value(struct sweep_checkpoints *checkpoints, const char *text,
                                struct sweep_condition *value, struct error *err)
{
    struct reading reading = {text, text, err};
    *value = (struct sweep_condition){.relation = SWEEP_MORE};
    if (read_operation(&reading, value) != 0 ||
        read_severity(checkpoints, &reading, value, true) != 0)
        return -1;
    if (value->operation == SWEEP_ANY || value->operation == SWEEP_ALL)
        return error_set(err, "`%s`: any and all are no numbers; avg, min, max, stddev, trend are",
                         text);
    skip_space(&reading);
    return *reading.at ? complain(&reading, "nothing more") : 0;
}

void sweep_checkpoints_note_at(struct sweep_checkpoints *checkpoints, size_t series, double x,
                               double severity)
{
    struct sweep_series *one = &checkpoints->series[series];
    one->severities =
        array_reserve(one->severities, &one->capacity, one->n + 1, sizeof *one->severities);
    one->severities[one->n++] = (struct sweep_severity){x, severity};
}

void sweep_checkpoints_note(struct sweep_checkpoints *checkpoints, size_t series, double severity)
{
    sweep_checkpoints_note_at(checkpoints, series, (double)checkpoints->series[series].n, severity);
}

/// Kendall's rank correlation (Biometrika 30, 1938) over the pairs of different x.
static double trend_of(const struct sweep_severity *values, size_t n)
{
    double n_pairs = 0, rise = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            if (!(values[i].x < values[j].x))
                continue;
            n_pairs++;
            rise += (values[i].value < values[j].value) - (values[i].value > values[j].value);
        }
    }
    return n_pairs > 0 ? rise / n_pairs : NAN;
}

static double value_of(enum sweep_operation operation, const struct sweep_severity *values,
                       size_t n)
{
    double mean = 0, squares = 0, least = values[0].value, most = values[0].value;
    for (size_t i = 0; i < n; i++) {
        double step = values[i].value - mean;
        if (isnan(values[i].value))
            return NAN;
        mean += step / (double)(i + 1);
        squares += step * (values[i].value - mean);
        least = fmin(least, values[i].value);
        most = fmax(most, values[i].value);
    }
    switch (operation) {
    case SWEEP_AVG:
        return mean;
    case SWEEP_MIN:
        return least;
    case SWEEP_MAX:
        return most;
    case SWEEP_STDDEV:
        return n > 1 ? sqrt(squares / (double)(n - 1)) : 0;
    case SWEEP_TREND:
        return trend_of(values, n);
    case SWEEP_ANY:
    case SWEEP_ALL:
    case N_SWEEP_OPERATIONS:
        break;
    }
    return NAN;
}

static bool relates(double value, const struct sweep_condition *condition)
{
    switch (condition->relation) { // nothing holds for NAN
    case SWEEP_MORE:
        return value > condition->bound;
    case SWEEP_AT_LEAST:
        return value >= condition->bound;
    case SWEEP_LESS:
        return value < condition->bound;
    case SWEEP_AT_MOST:
        return value <= condition->bound;
    case SWEEP_EQUAL:
        break;
    }
    return fabs(value - condition->bound) <= 1e-9;
}

/// The severities a condition is about; NULL when there are not enough.
static const struct sweep_severity *severities_of(const struct sweep_checkpoints *checkpoints,
                                                  const struct sweep_condition *condition,
                                                  size_t *n)
{
    const struct sweep_series *series = &checkpoints->series[condition->property];
    *n = condition->last > 0 ? condition->last : series->n;
    return *n == 0 || series->n < *n ? NULL : series->severities + series->n - *n;
}

double sweep_checkpoints_value(const struct sweep_checkpoints *checkpoints,
                               const struct sweep_condition *value)
{
    size_t n;
    const struct sweep_severity *values = severities_of(checkpoints, value, &n);
    return values ? value_of(value->operation, values, n) : NAN;
}

static bool holds(const struct sweep_checkpoints *checkpoints,
                  const struct sweep_condition *condition)
{
    size_t n, n_related = 0;
    const struct sweep_severity *values = severities_of(checkpoints, condition, &n);
    if (!values)
        return false;
    if (condition->operation != SWEEP_ANY && condition->operation != SWEEP_ALL)
        return relates(value_of(condition->operation, values, n), condition);
    for (size_t i = 0; i < n; i++)
        n_related += relates(values[i].value, condition);
    return n_related >= (condition->operation == SWEEP_ANY ? 1 : n);
}

const struct sweep_checkpoint *
sweep_checkpoints_reached(const struct sweep_checkpoints *checkpoints)
{
    for (size_t i = 0; i < checkpoints->n; i++) {
        const struct sweep_checkpoint *checkpoint = &checkpoints->items[i];
        size_t n_held = 0;
        while (n_held < checkpoint->n_conditions &&
               holds(checkpoints, &checkpoint->conditions[n_held]))
            n_held++;
        if (n_held == checkpoint->n_conditions && n_held > 0)
            return checkpoint;
    }
    return NULL;
}

void sweep_checkpoints_release(struct sweep_checkpoints *checkpoints)
{
    for (size_t i = 0; i < checkpoints->n; i++)
        free(checkpoints->items[i].text);
    for (size_t i = 0; i < checkpoints->n_series; i++) {
        free(checkpoints->series[i].property);
        free(checkpoints->series[i].region);
        free(checkpoints->series[i].severities);
    }
    free(checkpoints->items);
    free(checkpoints->series);
    *checkpoints = (struct sweep_checkpoints){0};
}

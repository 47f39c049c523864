// SPDX-License-Identifier: BSD-3-Clause
// Checkpoints (see checkpoint.h). Each value in a checkpoint's text is read here and becomes a
// variable of a formula, in as many characters, so that places in both are the same. Mean and
// variance by Welford's method.
#include "analyzer/sweep/checkpoint.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

/// Of a checkpoint's formula, a character each.
static const char *const variables[FORMULA_MAX_VARIABLES] = {"a", "b", "c", "d",
                                                             "e", "f", "g", "h"};

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

/// Passes TOKEN if it is next.
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

/// Letters, digits and the characters MORE; "" for none. To be freed.
static char *read_name(struct reading *reading, const char *more)
{
    size_t length = 0;
    skip_space(reading);
    while (reading->at[length] &&
           (isalnum((unsigned char)reading->at[length]) || strchr(more, reading->at[length])))
        length++;
    char *name = memory_format("%.*s", (int)length, reading->at);
    reading->at += length;
    return name;
}

static int read_operation(struct reading *reading, struct sweep_value *value)
{
    static const char *const names[N_SWEEP_OPERATIONS] = {"avg", "min", "max", "stddev", "trend"};
    SCOPED char *name = read_name(reading, "");
    size_t i = FIND_TEXT(names, N_SWEEP_OPERATIONS, name);
    value->operation = (enum sweep_operation)i;
    if (i < N_SWEEP_OPERATIONS)
        return 0;
    return error_set(reading->err,
                     "checkpoint `%s`: avg, min, max, stddev or trend wanted, not `%s`%s",
                     reading->text, *name ? name : reading->at,
                     spelling_hint(name, names, N_SWEEP_OPERATIONS, "; did you mean %s?", "").text);
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
        FREE_ALL(property, region);
        return i;
    }
    *ARRAY_NEXT(checkpoints->series, checkpoints->n_series, checkpoints->series_capacity) =
        (struct sweep_series){.property = property, .region = region};
    return checkpoints->n_series - 1;
}

/// "last N" or "N".
static int read_last(struct reading *reading, struct sweep_value *value)
{
    char *end;
    take(reading, "last");
    skip_space(reading);
    unsigned long n = strtoul(reading->at, &end, 10);
    if (!isdigit((unsigned char)*reading->at) || n == 0 || n > 1000000)
        return complain(reading, "a number of points, at least 1,");
    reading->at = end;
    value->last = n;
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
static int read_place(struct reading *reading, struct sweep_value *value, char **region)
{
    *region = NULL;
    if (!take(reading, ","))
        return 0;
    if (is_last(reading))
        return read_last(reading, value);
    if (read_region(reading, region) != 0)
        return -1;
    return take(reading, ",") ? read_last(reading, value) : 0;
}

/// "OPERATION(PROPERTY[, REGION][, last N])", or an operation alone: of what BEFORE is of, unless
/// that is NULL.
static int read_value(struct sweep_checkpoints *checkpoints, struct reading *reading,
                      const struct sweep_value *before, struct sweep_value *value)
{
    *value = before ? *before : (struct sweep_value){0};
    if (read_operation(reading, value) != 0)
        return -1;
    if (!take(reading, "("))
        return before ? 0 : complain(reading, "(PROPERTY, REGION, last N)");
    value->last = 0;
    char *property = read_name(reading, "-_");
    if (!*property) {
        free(property);
        return complain(reading, "a property");
    }
    char *region;
    int status = read_place(reading, value, &region);
    value->series = series_of(checkpoints, property, region);
    if (status != 0)
        return -1;
    return take(reading, ")") ? 0 : complain(reading, ")");
}

/// Reads the values of CHECKPOINT; FORMULA, a copy of its text, gets a variable in place of each.
static int read_values(struct sweep_checkpoints *checkpoints, struct reading *reading,
                       struct sweep_checkpoint *checkpoint, char *formula)
{
    while (*reading->at) {
        const char *begin = reading->at;
        bool is_in_number = begin > reading->text && isdigit((unsigned char)begin[-1]);
        if (!isalpha((unsigned char)*begin) || is_in_number) {
            reading->at++;
            continue;
        }
        size_t n = checkpoint->n_values;
        if (n == FORMULA_MAX_VARIABLES)
            return complain(reading, "at most 8 values");
        if (read_value(checkpoints, reading, n > 0 ? &checkpoint->values[n - 1] : NULL,
                       &checkpoint->values[n]) != 0)
            return -1;
        size_t at = (size_t)(begin - reading->text), end = (size_t)(reading->at - reading->text);
        memset(formula + at, ' ', end - at);
        formula[at] = *variables[n];
        checkpoint->n_values++;
    }
    return 0;
}

int sweep_checkpoints_add(struct sweep_checkpoints *checkpoints, const char *text,
                          struct error *err)
{
    struct sweep_checkpoint *checkpoint =
        ARRAY_NEXT(checkpoints->items, checkpoints->n, checkpoints->capacity);
    *checkpoint = (struct sweep_checkpoint){.text = memory_copy_text(text)};
    struct reading reading = {checkpoint->text, checkpoint->text, err};
    SCOPED char *formula = memory_copy_text(text);
    int status = read_values(checkpoints, &reading, checkpoint, formula);
    if (status == 0 && checkpoint->n_values == 0)
        status = complain(&reading, "a value such as avg(inefficiency)");
    if (status == 0) {
        checkpoint->formula =
            formula_new_shown(formula, text, variables, checkpoint->n_values, err);
        status = checkpoint->formula ? 0 : -1;
    }
    return status;
}

int sweep_checkpoints_add_value(struct sweep_checkpoints *checkpoints, const char *text,
                                struct sweep_value *value, struct error *err)
{
    struct reading reading = {text, text, err};
    if (read_value(checkpoints, &reading, NULL, value) != 0)
        return -1;
    skip_space(&reading);
    return *reading.at ? complain(&reading, "nothing more") : 0;
}

void sweep_checkpoints_note_at(struct sweep_checkpoints *checkpoints, size_t series, double x,
                               double severity)
{
    struct sweep_series *one = &checkpoints->series[series];
    *ARRAY_NEXT(one->severities, one->n, one->capacity) = (struct sweep_severity){x, severity};
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
    case N_SWEEP_OPERATIONS:
        break;
    }
    return NAN;
}

double sweep_checkpoints_value(const struct sweep_checkpoints *checkpoints,
                               const struct sweep_value *value)
{
    const struct sweep_series *series = &checkpoints->series[value->series];
    size_t n = value->last > 0 ? value->last : series->n;
    if (n == 0 || series->n < n)
        return NAN;
    return value_of(value->operation, series->severities + series->n - n, n);
}

/// Comparisons with NAN do not hold.
static bool holds(const struct sweep_checkpoints *checkpoints,
                  const struct sweep_checkpoint *checkpoint)
{
    double values[FORMULA_MAX_VARIABLES];
    for (size_t i = 0; i < checkpoint->n_values; i++)
        values[i] = sweep_checkpoints_value(checkpoints, &checkpoint->values[i]);
    double result = formula_value(checkpoint->formula, values);
    return result != 0 && !isnan(result);
}

const struct sweep_checkpoint *
sweep_checkpoints_reached(const struct sweep_checkpoints *checkpoints)
{
    for (size_t i = 0; i < checkpoints->n; i++)
        if (holds(checkpoints, &checkpoints->items[i]))
            return &checkpoints->items[i];
    return NULL;
}

void sweep_checkpoints_release(struct sweep_checkpoints *checkpoints)
{
    for (size_t i = 0; i < checkpoints->n; i++) {
        free(checkpoints->items[i].text);
        formula_free(checkpoints->items[i].formula);
    }
    FREE_MEMBERS(checkpoints->series, checkpoints->n_series, property, region, severities);
    FREE_ALL(checkpoints->items, checkpoints->series);
    *checkpoints = (struct sweep_checkpoints){0};
}

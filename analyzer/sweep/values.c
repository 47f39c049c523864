// SPDX-License-Identifier: BSD-3-Clause
// Value lists (see values.h). Ranges are counted in decimal fractions held as integers, so that
// 0.1:0.5:0.1 has five values and none is 0.30000000000000004.
#include "analyzer/sweep/values.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { MAX_DECIMALS = 9, MAX_DIGITS = 15 };

/// A decimal number: `units` times ten to the power of -`n_decimals`.
struct decimal {
    int64_t units;
    int n_decimals;
};

static bool decimal_read(const char *text, size_t length, struct decimal *decimal)
{
    bool is_negative = length > 0 && text[0] == '-';
    bool has_point = false;
    int n_digits = 0;
    *decimal = (struct decimal){0};
    for (size_t i = is_negative; i < length; i++) {
        if (text[i] == '.' && !has_point) {
            has_point = true;
            continue;
        }
        if (!isdigit((unsigned char)text[i]) || ++n_digits > MAX_DIGITS)
            return false;
        decimal->units = 10 * decimal->units + (text[i] - '0');
        decimal->n_decimals += has_point;
    }
    if (is_negative)
        decimal->units = -decimal->units;
    return n_digits > 0 && decimal->n_decimals <= MAX_DECIMALS;
}

/// Brings DECIMAL to N decimals. False: too large for that.
static bool decimal_extend(struct decimal *decimal, int n)
{
    for (; decimal->n_decimals < n; decimal->n_decimals++)
        if (__builtin_mul_overflow(decimal->units, 10, &decimal->units))
            return false;
    return decimal->units <= INT64_MAX / 4 && decimal->units >= INT64_MIN / 4;
}

static char *decimal_text(struct decimal decimal)
{
    int64_t one = 1;
    for (; decimal.n_decimals > 0 && decimal.units % 10 == 0; decimal.n_decimals--)
        decimal.units /= 10;
    for (int i = 0; i < decimal.n_decimals; i++)
        one *= 10;
    int64_t size = decimal.units < 0 ? -decimal.units : decimal.units;
    const char *sign = decimal.units < 0 ? "-" : "";
    if (decimal.n_decimals == 0)
        return memory_format("%s%" PRId64, sign, size);
    return memory_format("%s%" PRId64 ".%0*" PRId64, sign, size / one, decimal.n_decimals,
                         size % one);
}

static void add_owned(struct sweep_values *values, char *text)
{
    values->texts =
        array_reserve(values->texts, &values->capacity, values->n + 1, sizeof *values->texts);
    values->texts[values->n++] = text;
}

void sweep_values_add(struct sweep_values *values, const char *text)
{
    add_owned(values, text ? memory_copy_text(text) : NULL);
}

/// The numbers A, B and C of A:B or A:B:C. False: the text is no range but a value.
static bool range_read(const char *text, size_t length, struct decimal numbers[3])
{
    size_t begin = 0;
    int n = 0;
    numbers[2] = (struct decimal){.units = 1};
    for (size_t i = 0; i <= length; i++) {
        if (i < length && text[i] != ':')
            continue;
        if (n == 3 || !decimal_read(text + begin, i - begin, &numbers[n++]))
            return false;
        begin = i + 1;
    }
    return n >= 2;
}

static int add_range(struct sweep_values *values, const char *text, size_t length,
                     struct decimal numbers[3], struct error *err)
{
    int n_decimals = 0;
    for (int i = 0; i < 3; i++)
        n_decimals = numbers[i].n_decimals > n_decimals ? numbers[i].n_decimals : n_decimals;
    for (int i = 0; i < 3; i++)
        if (!decimal_extend(&numbers[i], n_decimals))
            return error_set(err, "the range %.*s has too many digits", (int)length, text);
    int64_t way = numbers[1].units - numbers[0].units;
    int64_t step = numbers[2].units;
    if (step == 0)
        return error_set(err, "the range %.*s has a step of 0", (int)length, text);
    if (way != 0 && (way < 0) != (step < 0))
        return error_set(err, "the range %.*s is empty: a range is FIRST:LAST:STEP", (int)length,
                         text);
    if (way / step >= SWEEP_MAX_VALUES)
        return error_set(err, "the range %.*s has more than %d values", (int)length, text,
                         SWEEP_MAX_VALUES);
    for (int64_t i = 0; i <= way / step; i++)
        add_owned(values, decimal_text((struct decimal){numbers[0].units + i * step, n_decimals}));
    return 0;
}

static int add_part(struct sweep_values *values, const char *part, size_t length, struct error *err)
{
    struct decimal numbers[3];
    while (length > 0 && isspace((unsigned char)*part))
        part++, length--;
    while (length > 0 && isspace((unsigned char)part[length - 1]))
        length--;
    if (length == 0)
        return error_set(err, "a value is empty");
    if (range_read(part, length, numbers))
        return add_range(values, part, length, numbers, err);
    add_owned(values, memory_format("%.*s", (int)length, part));
    return 0;
}

int sweep_values_read(const char *text, struct sweep_values *values, struct error *err)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)*text))
        text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
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
    for (size_t i = 0; i < values->n; i++)
        free(values->texts[i]);
    free(values->texts);
    *values = (struct sweep_values){0};
}

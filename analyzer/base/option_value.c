// SPDX-License-Identifier: BSD-3-Clause
// Values of options: decimal digits with an optional fraction, then a unit. Read by hand, because
// strtod follows the locale and takes hexadecimal, infinities and signs.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <strings.h>

#include "analyzer/base/options.h"
#include "analyzer/base/text.h"

struct unit {
    const char *name;
    double factor;
};

static const struct unit duration_units[] = {
    {"ns", 1},  {"us", 1e3},   {"µs", 1e3},   {"ms", 1e6},
    {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}, {"", 1e9},
};

static const struct unit size_units[] = {
    {"B", 1},
    {"kB", 1e3},
    {"KB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"KiB", 1024},
    {"MiB", 1024.0 * 1024},
    {"GiB", 1024.0 * 1024 * 1024},
    {"", 1},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/// Reads digits with an optional fraction and exponent; returns where they end, TEXT when there are
/// none. Exact as long as digits and power of ten are (15 digits, ten to 22), else within one ulp.
static const char *read_decimal(const char *text, double *value)
{
    const char *at = text;
    double digits = 0;
    int exponent = 0, n_digits = 0;
    for (; is_digit(*at); at++, n_digits++)
        digits = digits * 10 + (*at - '0');
    if (*at == '.') {
        for (at++; is_digit(*at); at++, n_digits++, exponent--)
            digits = digits * 10 + (*at - '0');
    }
    if (n_digits == 0)
        return text;
    if ((*at == 'e' || *at == 'E') && (is_digit(at[1]) || (at[1] == '-' && is_digit(at[2])))) {
        bool is_negative = at[1] == '-';
        int given = 0;
        for (at += is_negative ? 2 : 1; is_digit(*at); at++)
            given = given < 1000 ? given * 10 + (*at - '0') : given;
        exponent += is_negative ? -given : given;
    }
    *value = exponent < 0 ? digits / pow(10, -exponent) : digits * pow(10, exponent);
    return at;
}

/// What is added where TEXT is no value because of its sign.
static const char *below_0(const char *text)
{
    return text[0] == '-' && (is_digit(text[1]) || text[1] == '.') ? ", it is below 0" : "";
}

/// UNIT is none of UNITS: which is meant, and which there are.
static int refuse_unit(const char *unit, const struct unit *units, size_t n_units,
                       struct error *err)
{
    enum { MAX_UNITS = 16 };
    const char *names[MAX_UNITS], *nearest = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_units && n < MAX_UNITS; i++) {
        if (*units[i].name)
            names[n++] = units[i].name;
        if (!nearest && strcasecmp(units[i].name, unit) == 0)
            nearest = units[i].name;
    }
    nearest = nearest ? nearest : spelling_nearest(unit, names, n);
    if (nearest)
        return error_set(err, "unknown unit `%s`; is it %s?", unit, nearest);
    char *all = spelling_list(names, n);
    error_set(err, "unknown unit `%s`; there are %s", unit, all);
    free(all);
    return -1;
}

static int read_scaled(const char *text, const struct unit *units, size_t n_units,
                       const char *examples, uint64_t *value, struct error *err)
{
    double number;
    const char *unit = read_decimal(text, &number);
    if (unit == text)
        return error_set(err, "not a value such as %s%s", examples, below_0(text));
    for (size_t i = 0; i < n_units; i++) {
        if (strcmp(units[i].name, unit) != 0)
            continue;
        double scaled = round(number * units[i].factor);
        if (!(scaled < 9.2e18))
            return error_set(err, "too large");
        *value = (uint64_t)scaled;
        return 0;
    }
    return refuse_unit(unit, units, n_units, err);
}

int option_read_duration(const char *text, uint64_t *duration_ns, struct error *err)
{
    return read_scaled(text, duration_units, sizeof duration_units / sizeof duration_units[0],
                       "10us, 1.5ms or 2s", duration_ns, err);
}

int option_read_size(const char *text, uint64_t *size_bytes, struct error *err)
{
    return read_scaled(text, size_units, sizeof size_units / sizeof size_units[0],
                       "512, 64KiB or 1.5MB", size_bytes, err);
}

int option_read_number(const char *text, double *number, struct error *err)
{
    const char *end = read_decimal(text, number);
    if (end == text || *end || !isfinite(*number))
        return error_set(err, "not a number such as 3 or 0.25%s", below_0(text));
    return 0;
}

int option_read_count(const char *text, uint64_t *count, struct error *err)
{
    uint64_t value = 0;
    const char *at = text;
    for (; is_digit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return error_set(err, "too large");
        value = value * 10 + digit;
    }
    if (at == text || *at)
        return error_set(err, "not a whole number%s", below_0(text));
    *count = value;
    return 0;
}

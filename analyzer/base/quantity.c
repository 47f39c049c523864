// SPDX-License-Identifier: BSD-3-Clause
// Formatting of durations, shares, sizes and counts (see quantity.h).
#include "analyzer/base/quantity.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct time_unit time_unit_for(uint64_t run_ns)
{
    if (run_ns >= UINT64_C(10000000000))
        return (struct time_unit){"s", 1e9, 3};
    if (run_ns >= 1000000)
        return (struct time_unit){"ms", 1e6, 3};
    return (struct time_unit){"us", 1e3, 3};
}

struct quantity quantity_in(int64_t time_ns, struct time_unit unit)
{
    struct quantity q;
    snprintf(q.text, sizeof q.text, "%.*f", unit.decimals, (double)time_ns / unit.ns);
    if (q.text[0] == '-' && q.text[strspn(q.text, "-0.,")] == '\0') // nothing is left of it
        memmove(q.text, q.text + 1, strlen(q.text));
    return q;
}

struct quantity quantity_time(uint64_t time_ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}};
    struct quantity q;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        double value = (double)time_ns / units[i].ns;
        if (value < 0.99995)
            continue;
        int decimals = value < 9.9995 ? 3 : value < 99.995 ? 2 : value < 999.95 ? 1 : 0;
        snprintf(q.text, sizeof q.text, "%.*f %s", decimals, value, units[i].name);
        return q;
    }
    snprintf(q.text, sizeof q.text, "%" PRIu64 " ns", time_ns);
    return q;
}

struct quantity quantity_share(double share)
{
    struct quantity q = {"-"};
    if (isnan(share))
        return q;
    if (share > 0 && share < 0.0005)
        snprintf(q.text, sizeof q.text, "< 0.1 %%");
    else
        snprintf(q.text, sizeof q.text, "%.1f %%", 100 * share);
    return q;
}

struct quantity quantity_part(double part, double whole)
{
    return quantity_share(whole > 0 ? part / whole : NAN);
}

struct quantity quantity_size(uint64_t size_bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    struct quantity q;
    double value = (double)size_bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    snprintf(q.text, sizeof q.text, "%.*f %s", unit == 0 || value >= 100 ? 0 : 1, value,
             units[unit]);
    return q;
}

struct quantity quantity_count(uint64_t count, const char *noun)
{
    struct quantity q;
    snprintf(q.text, sizeof q.text, "%" PRIu64 " %s%s", count, noun, count == 1 ? "" : "s");
    return q;
}

struct exact_number exact_number(double value)
{
    struct exact_number number;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(number.text, sizeof number.text - 2, "%.*g", digits, value);
        if (strtod(number.text, NULL) == value)
            break;
    }
    if (!strpbrk(number.text, ".en"))
        strcat(number.text, ".0");
    return number;
}

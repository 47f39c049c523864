// SPDX-License-Identifier: BSD-3-Clause
// What the readers of all kinds share: memory that lives as long as a case, common values.
#include <math.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/whatif/options.h"

static const double max_factor = 1000;

bool whatif_case_is_estimate(const struct whatif_case *asked)
{
    for (size_t i = 0; i < asked->n_values; i++)
        if (asked->values[i].option->is_estimate)
            return true;
    return false;
}

static void *keep(struct whatif_case *asked, void *memory)
{
    asked->kept =
        array_reserve(asked->kept, &asked->kept_capacity, asked->n_kept + 1, sizeof *asked->kept);
    return asked->kept[asked->n_kept++] = memory;
}

char *whatif_case_keep(struct whatif_case *asked, char *text)
{
    return keep(asked, text);
}

void *whatif_case_grow(struct whatif_case *asked, const void *array, size_t n, size_t item_bytes)
{
    void *grown = keep(asked, memory_zeroed(n + 1, item_bytes));
    if (n > 0)
        memcpy(grown, array, n * item_bytes);
    return grown;
}

void whatif_case_append(struct whatif_case *asked, const char *const **texts, size_t *n_texts,
                        const char *text)
{
    const char **all = whatif_case_grow(asked, *texts, *n_texts, sizeof *all);
    all[(*n_texts)++] = text;
    *texts = all;
}

int whatif_choose(const char *option, const char *text, const char *first, const char *second,
                  bool *is_second, struct error *err)
{
    const char *const names[] = {first, second};
    *is_second = strcmp(text, second) == 0;
    if (*is_second || strcmp(text, first) == 0)
        return 0;
    const char *nearest = spelling_nearest(text, names, 2);
    return error_set(err, "--%s %s: it is %s or %s%s%s%s", option, text, first, second,
                     nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

int whatif_read_number(const char *option, const char *text, uint32_t most, uint32_t *number,
                       struct error *err)
{
    uint64_t count;
    if (option_read_count(text, &count, err) != 0)
        return error_wrap(err, "--%s %s", option, text);
    if (count == 0 || count > most)
        return error_set(err, "--%s %s: from 1 to %u", option, text, most);
    *number = (uint32_t)count;
    return 0;
}

int whatif_read_factor(const char *option, const char *text, uint64_t least, uint64_t *millionths,
                       struct error *err)
{
    double number;
    const char *equals = strrchr(text, '=');
    if (option_read_number(equals ? equals + 1 : text, &number, err) != 0)
        return error_wrap(err, "--%s %s", option, text);
    double scaled = round(number * PAG_WORK_PER_NS);
    if (scaled < (double)least || number > max_factor)
        return error_set(err, "--%s %s: from %g to %g", option, text,
                         (double)least / PAG_WORK_PER_NS, max_factor);
    *millionths = (uint64_t)scaled;
    return 0;
}

int whatif_read_time(const char *option, const char *text, uint64_t *time_ns, struct error *err)
{
    if (cost_time_read(text, time_ns, err) != 0)
        return error_wrap(err, "--%s %s", option, text);
    return 0;
}

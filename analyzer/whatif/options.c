// SPDX-License-Identifier: BSD-3-Clause
// What the readers of all kinds share: memory that lives as long as a case, values whose rows say
// all of them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/whatif/options.h"

static const double max_factor = 1000;

bool whatif_case_is_estimate(const struct whatif_case *asked)
{
    for (size_t i = 0; i < asked->n_values; i++)
        if (asked->values[i].option->is_estimate)
            return true;
    return false;
}

static void *field_of(size_t offset, struct whatif_case *asked)
{
    return (char *)asked + offset;
}

static void *keep(struct whatif_case *asked, void *memory)
{
    return *ARRAY_NEXT(asked->kept, asked->n_kept, asked->kept_capacity) = memory;
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

// --- values

int whatif_read_text(const struct whatif_option *option, const char *text,
                     struct whatif_case *asked, struct error *err)
{
    *(const char **)field_of(option->field, asked) = text;
    return option->check ? option->check(text, err) : 0;
}

int whatif_read_one_more(const struct whatif_option *option, const char *text,
                         struct whatif_case *asked, struct error *err)
{
    const char *const **texts = field_of(option->field, asked);
    size_t *n = field_of(option->n_field, asked);
    const char **all = whatif_case_grow(asked, *texts, *n, sizeof *all);
    all[(*n)++] = text;
    *texts = all;
    return option->check ? option->check(text, err) : 0;
}

int whatif_read_flag(const struct whatif_option *option, const char *text,
                     struct whatif_case *asked, struct error *err)
{
    (void)text, (void)err;
    *(bool *)field_of(option->field, asked) = true;
    return 0;
}

int whatif_read_choice(const struct whatif_option *option, const char *text,
                       struct whatif_case *asked, struct error *err)
{
    enum { MAX_CHOICES = 3 };
    const char *names[MAX_CHOICES];
    char *list = memory_copy_text(option->argument), *rest = list;
    size_t n = 0, found = MAX_CHOICES;
    for (char *name; n < MAX_CHOICES && (name = strsep(&rest, "|")); n++) {
        names[n] = name;
        found = strcmp(name, text) == 0 ? n : found;
    }
    if (found == MAX_CHOICES) {
        SCOPED char *all = spelling_list(names, n - 1);
        error_set(err, "--%s %s: it is %s or %s%s", option->name, text, all, names[n - 1],
                  spelling_hint(text, names, n, "; did you mean %s?", "").text);
    }
    *(bool *)field_of(option->field, asked) = found == 1;
    free(list);
    return found == MAX_CHOICES ? -1 : 0;
}

int whatif_read_count(const struct whatif_option *option, const char *text,
                      struct whatif_case *asked, struct error *err)
{
    uint64_t count;
    if (option_read_count(text, &count, err) != 0)
        return error_wrap(err, "--%s %s", option->name, text);
    if (count == 0 || count > option->most)
        return error_set(err, "--%s %s: from 1 to %u", option->name, text, option->most);
    *(uint32_t *)field_of(option->field, asked) = (uint32_t)count;
    return 0;
}

int whatif_read_value(const struct whatif_option *option, const char *text,
                      struct whatif_case *asked, struct error *err)
{
    if (option->parse(text, field_of(option->field, asked), err) != 0)
        return error_wrap(err, "--%s %s", option->name, text);
    return 0;
}

int whatif_read_factor(const struct whatif_option *option, const char *text, uint64_t least,
                       uint64_t *millionths, struct error *err)
{
    double number;
    const char *equals = strrchr(text, '=');
    if (option_read_number(equals ? equals + 1 : text, &number, err) != 0)
        return error_wrap(err, "--%s %s", option->name, text);
    double scaled = round(number * PAG_WORK_PER_NS);
    if (scaled < (double)least || number > max_factor)
        return error_set(err, "--%s %s: from %g to %g", option->name, text,
                         (double)least / PAG_WORK_PER_NS, max_factor);
    *millionths = (uint64_t)scaled;
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/named_values.h"

#include <string.h>

#include "analyzer/base/memory.h"

/// What NAME, of N bytes, is given as by the first N_BEFORE texts of LIST; NULL: by none.
static const char *value_before(const struct option_list *list, size_t n_before, const char *name,
                                size_t n)
{
    for (size_t i = 0; i < n_before; i++)
        if (strncmp(list->values[i], name, n) == 0 && list->values[i][n] == '=')
            return list->values[i] + n + 1;
    return NULL;
}

int named_values_check(const char *option, const struct option_list *list, struct error *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->values[i], *equals = strchr(text, '=');
        if (!equals || equals == text)
            return error_set(err, "--%s %s: not of the form NAME=VALUE", option, text);
        const char *before = value_before(list, i, text, (size_t)(equals - text));
        if (before)
            return error_set(err, "--%s %s: %.*s is given already, as %s", option, text,
                             (int)(equals - text), text, before);
    }
    return 0;
}

struct result_named *named_values_read(const struct option_list *list)
{
    struct result_named *named = memory_zeroed(list->count, sizeof *named);
    for (size_t i = 0; i < list->count; i++) {
        const char *text = list->values[i], *equals = strchr(text, '=');
        named[i].name = memory_format("%.*s", (int)(equals - text), text);
        named[i].value = memory_copy_text(equals + 1);
    }
    return named;
}

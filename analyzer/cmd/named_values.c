// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/cmd/named_values.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

const char *named_values_malformed(const struct option_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->values[i][0] == '=' || !strchr(list->values[i], '='))
            return list->values[i];
    return NULL;
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

void named_values_free(struct result_named *named, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(named[i].name);
        free(named[i].value);
    }
    free(named);
}

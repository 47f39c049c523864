// SPDX-License-Identifier: BSD-3-Clause
// Reading comparisons (see comparison.h): the first operator ends the name.
#include "analyzer/base/comparison.h"
#include "analyzer/base/text.h"

#include <stddef.h>
#include <string.h>

static const char *const signs[] = {
    [RELATION_NONE] = "",       [RELATION_EQUAL] = "==",   [RELATION_UNEQUAL] = "!=",
    [RELATION_LESS] = "<",      [RELATION_AT_MOST] = "<=", [RELATION_MORE] = ">",
    [RELATION_AT_LEAST] = ">=",
};
enum { N_SIGNS = sizeof signs / sizeof signs[0] };

const char *relation_sign(enum relation relation)
{
    return signs[relation];
}

/// The operator at the begin of TEXT, the longest that fits; RELATION_NONE for none.
static enum relation relation_at(const char *text)
{
    enum relation found = RELATION_NONE;
    for (size_t i = 1; i < N_SIGNS; i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0 &&
            strlen(signs[i]) > strlen(signs[found]))
            found = (enum relation)i;
    return found;
}

int comparison_read(char *text, struct comparison *comparison, struct error *err)
{
    char *at = text + strcspn(text, "!<=>");
    enum relation relation = relation_at(at);
    size_t length = strlen(signs[relation]);
    if (*at && (relation == RELATION_NONE || strchr("<=>", at[length] ? at[length] : ' ')))
        return error_set(err, "`%s`: `%.*s` is no operator; there are == != < <= > >=", text,
                         (int)strspn(at, "!<=>"), at);
    char *value = at + length;
    if (at == text || strspn(text, " \t") >= (size_t)(at - text))
        return error_set(err, "`%s`: a name is missing", text);
    if (relation != RELATION_NONE && value[strspn(value, " \t")] == '\0')
        return error_set(err, "`%s`: a value is missing behind %s", text, signs[relation]);
    *at = '\0';
    *comparison = (struct comparison){text_trim(text), text_trim(value), relation};
    return 0;
}

char *comparison_next(char **rest)
{
    char *part = *rest, *end = part ? strstr(part, "&&") : NULL;
    if (end)
        *end = '\0';
    *rest = end ? end + 2 : NULL;
    return part;
}

// SPDX-License-Identifier: BSD-3-Clause
// Filling in a template: one pass over it; the text since the last opening bracket is thrown away
// again when a fact in it turns out to be unknown.
#include "analyzer/base/format/template.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { MAX_NAME_BYTES = 32 };

/// Index of the fact that TEXT begins with ("rank}..."), N for none.
static size_t find_fact(const char *text, size_t length, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
            return i;
    return n;
}

int template_check(const char *text, const char *const *names, size_t n, struct error *err)
{
    bool is_open = false;
    for (const char *c = text; *c; c++) {
        if ((*c == '[' && is_open) || (*c == ']' && !is_open))
            return error_set(err, "the square brackets do not pair up");
        if (*c == '[' || *c == ']')
            is_open = !is_open;
        if (*c == '}')
            return error_set(err, "there is a '}' without its '{'");
        if (*c != '{')
            continue;
        size_t length = strcspn(c + 1, "{}");
        if (c[1 + length] != '}')
            return error_set(err, "there is a '{' without its '}'");
        if (find_fact(c + 1, length, names, n) == n) {
            char name[MAX_NAME_BYTES] = "";
            memcpy(name, c + 1, length < sizeof(name) ? length : sizeof(name) - 1);
            return error_set(err, "there is no {%s}%s", name,
                             spelling_hint(name, names, n, ", did you mean {%s}?", "").text);
        }
        c += length + 1;
    }
    if (is_open)
        return error_set(err, "the square brackets do not pair up");
    return 0;
}

bool template_is_known(const char *text, const char *const *names, const char *const *values,
                       size_t n)
{
    for (const char *c = strchr(text, '{'); c; c = strchr(c + 1, '{')) {
        size_t fact = find_fact(c + 1, strcspn(c + 1, "}"), names, n);
        if (fact < n && (!values[fact] || !values[fact][0]))
            return false;
    }
    return true;
}

char *template_text(const char *text, const char *const *names, const char *const *values, size_t n)
{
    char *filled = memory_copy_text("");
    size_t opened = 0;
    bool is_optional = false, is_unknown = false;
    for (const char *c = text; *c; c++) {
        size_t length = *c == '{' ? strcspn(c + 1, "}") : 0;
        size_t fact = *c == '{' ? find_fact(c + 1, length, names, n) : n;
        if (*c == '[') {
            opened = strlen(filled);
            is_optional = true;
            is_unknown = false;
        } else if (*c == ']') {
            if (is_unknown)
                filled[opened] = '\0';
            is_optional = false;
        } else if (fact < n) {
            const char *value = values[fact] && values[fact][0] ? values[fact] : NULL;
            is_unknown |= !value && is_optional;
            text_append(&filled, "%s", value ? value : "unknown");
            c += length + 1;
        } else {
            text_append(&filled, "%c", *c);
        }
    }
    return filled;
}

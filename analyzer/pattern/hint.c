// SPDX-License-Identifier: BSD-3-Clause
// Filling in a hint: one pass over the template; the text since the last opening bracket is thrown
// away again when a fact in it turns out to be unknown.
#include "analyzer/pattern/hint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

static const char *const names[] = {
#define NAME(name) #name,
    HINT_FACTS(NAME)
#undef NAME
};
enum { N_FACTS = sizeof(names) / sizeof(names[0]), MAX_NAME_BYTES = 32 };

/// Index of the fact that TEXT begins with ("rank}..."), N_FACTS for none.
static size_t find_fact(const char *text, size_t length)
{
    for (size_t i = 0; i < N_FACTS; i++)
        if (strlen(names[i]) == length && strncmp(names[i], text, length) == 0)
            return i;
    return N_FACTS;
}

int hint_check(const char *text_template, struct error *err)
{
    bool is_open = false;
    for (const char *c = text_template; *c; c++) {
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
        if (find_fact(c + 1, length) == N_FACTS) {
            char name[MAX_NAME_BYTES] = "";
            memcpy(name, c + 1, length < sizeof(name) ? length : sizeof(name) - 1);
            return error_set(err, "there is no {%s}%s", name,
                             spelling_hint(name, names, N_FACTS, ", did you mean {%s}?", "").text);
        }
        c += length + 1;
    }
    if (is_open)
        return error_set(err, "the square brackets do not pair up");
    return 0;
}

char *hint_text(const char *text_template, const struct hint_facts *facts)
{
    const char *const values[N_FACTS] = {
#define VALUE(name) facts->name,
        HINT_FACTS(VALUE)
#undef VALUE
    };
    char *text = memory_copy_text("");
    size_t opened = 0;
    bool is_optional = false, is_unknown = false;
    for (const char *c = text_template; *c; c++) {
        size_t length = *c == '{' ? strcspn(c + 1, "}") : 0;
        size_t fact = *c == '{' ? find_fact(c + 1, length) : N_FACTS;
        if (*c == '[') {
            opened = strlen(text);
            is_optional = true;
            is_unknown = false;
        } else if (*c == ']') {
            if (is_unknown)
                text[opened] = '\0';
            is_optional = false;
        } else if (fact < N_FACTS) {
            const char *value = values[fact] && values[fact][0] ? values[fact] : NULL;
            is_unknown |= !value && is_optional;
            text_append(&text, "%s", value ? value : "unknown");
            c += length + 1;
        } else {
            text_append(&text, "%c", *c);
        }
    }
    return text;
}

// SPDX-License-Identifier: BSD-3-Clause
// One pass over the name as a demangler writes it. Brackets belong to the name itself in operators
// and in "(anonymous namespace)".
#include "analyzer/report/short_name.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/utf8.h"

static const char anonymous[] = "(anonymous namespace)";

static bool is_cplusplus(const char *name)
{
    return strstr(name, "::") || (name[0] && strpbrk(name + 1, "<("));
}

/// Behind the bracket that closes the one at TEXT; the end of TEXT when none does.
static const char *skip_brackets(const char *text)
{
    size_t depth = 0;
    for (; *text; text++) {
        bool is_arrow = text[0] == '-' && text[1] == '>';
        if (strchr("<({[", *text))
            depth++;
        else if (strchr(">)}]", *text) && --depth == 0)
            return text + 1;
        text += is_arrow;
    }
    return text;
}

static bool ends_with(const char *text, size_t length, const char *ending)
{
    size_t n = strlen(ending);
    return length >= n && !strncmp(text + length - n, ending, n);
}

/// NAME without arguments and template arguments, into OUT, which has room for NAME.
static void drop_arguments(const char *name, char *out)
{
    size_t length = 0;
    while (*name) {
        if (ends_with(out, length, "operator")) { // its symbol, which may be a bracket
            size_t n = !strncmp(name, "()", 2) ? 2 : strspn(name, "<>=-+*/!&|^%~[]");
            memcpy(out + length, name, n);
            length += n;
            name += n;
            if (n > 0)
                continue;
        }
        if (!strncmp(name, anonymous, sizeof anonymous - 1)) {
            memcpy(out + length, "(anonymous)", 11);
            length += 11;
            name += sizeof anonymous - 1;
        } else if (!strncmp(name, " <", 2)) { // "operator< <int>"
            name++;
        } else if (*name == '<') {
            memcpy(out + length, "<>", 2);
            length += 2;
            name = skip_brackets(name);
        } else if (*name == '(') {
            name = skip_brackets(name);
            name += strncmp(name, " const", 6) == 0 ? 6 : 0;
        } else if (!strncmp(name, " [", 2)) { // "[clone .part.0]", "[with T = int]"
            name = skip_brackets(name + 1);
        } else {
            out[length++] = *name++;
        }
    }
    out[length] = '\0';
}

/// Behind the return type in front of a name without arguments.
static char *skip_return_type(char *name)
{
    char *operator_name = strstr(name, "operator ");
    char *last = name;
    for (char *space = strchr(name, ' '); space && (!operator_name || space < operator_name);
         space = strchr(space + 1, ' '))
        last = space + 1;
    return last;
}

char *short_name(const char *name, size_t width)
{
    if (utf8_width(name) <= width || !is_cplusplus(name))
        return memory_copy_text(name);
    char *plain = memory_zeroed(2 * strlen(name) + 1, 1); // "<" may become "<>"
    drop_arguments(name, plain);
    char *rest = skip_return_type(plain), *next;
    while (utf8_width(rest) > width && (next = strstr(rest, "::")) && next[2])
        rest = next + 2;
    char *copy = memory_copy_text(rest[0] ? rest : name);
    free(plain);
    return copy;
}

// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/pattern/pattern.h"

#include <string.h>

#include "analyzer/base/memory.h"

enum { MAX_ID_BYTES = 64 };

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

char *pattern_text(const char *text, bool keep_paragraphs)
{
    char *copy = memory_new(2 * strlen(text) + 1);
    char *end = copy;
    while (*text) {
        int n_lines = 0;
        bool has_space = false;
        for (; is_space(*text); text++) {
            has_space = true;
            n_lines += *text == '\n';
        }
        if (has_space && *text && end > copy) {
            if (keep_paragraphs && n_lines > 1)
                *end++ = '\n', *end++ = '\n';
            else
                *end++ = ' ';
        }
        while (*text && !is_space(*text))
            *end++ = *text++;
    }
    *end = '\0';
    return copy;
}

bool pattern_id_is_valid(const char *id)
{
    size_t length = strlen(id);
    if (!length || length > MAX_ID_BYTES || id[0] == '-' || id[length - 1] == '-')
        return false;
    for (const char *c = id; *c; c++) {
        bool is_word = (*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9');
        if (!is_word && (*c != '-' || c[1] == '-'))
            return false;
    }
    return true;
}

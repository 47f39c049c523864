// SPDX-License-Identifier: BSD-3-Clause
// See shell_word.h.
#include "analyzer/base/shell_word.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// Bytes beyond ASCII are letters of some language.
static bool is_plain(const char *text)
{
    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_./:@%+,=-", *c) && (unsigned char)*c < 0x80)
            return false;
    return *text != '\0';
}

char *shell_word(const char *text)
{
    if (is_plain(text))
        return memory_copy_text(text);
    char *word = memory_new(4 * strlen(text) + sizeof "''"), *to = word;
    *to++ = '\'';
    for (const char *c = text; *c; c++) {
        if (*c == '\'')
            to += strlen(strcpy(to, "'\\'"));
        *to++ = *c;
    }
    strcpy(to, "'");
    return word;
}

char *shell_path(const char *path)
{
    char *whole = memory_format("%s%s", *path == '-' ? "./" : "", path);
    char *word = shell_word(whole);
    free(whole);
    return word;
}

// SPDX-License-Identifier: BSD-3-Clause
// See shell_word.h.
#include "analyzer/cmd/shell_word.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// Bytes beyond ASCII are letters of some language.
static bool is_plain(const char *path)
{
    for (const char *c = path; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("_./:@%+,=-", *c) && (unsigned char)*c < 0x80)
            return false;
    return *path != '\0';
}

char *shell_word(const char *path)
{
    const char *here = *path == '-' ? "./" : "";
    char *word;
    char *to;

    if (is_plain(path))
        return memory_format("%s%s", here, path);
    word = memory_new(4 * strlen(path) + sizeof "./''");
    to = word + strlen(strcpy(word, here));
    *to++ = '\'';
    for (const char *c = path; *c; c++) {
        if (*c == '\'')
            to += strlen(strcpy(to, "'\\'"));
        *to++ = *c;
    }
    strcpy(to, "'");
    return word;
}

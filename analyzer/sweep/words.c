// SPDX-License-Identifier: BSD-3-Clause
// Quoting by the shell's rules (see words.h).
#include "analyzer/sweep/words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// Copies the word at *TEXT to WORD, which has room, and moves behind it. False: a quote has no
/// end.
static bool copy_word(const char **text, char *word)
{
    const char *from = *text;
    char quote = '\0';
    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        bool escapes = *from == '\\' && from[1] &&
                       (quote == '\0' || (quote == '"' && strchr("\"\\", from[1])));
        if (escapes)
            *word++ = *++from;
        else if (quote == '\0' && (*from == '\'' || *from == '"'))
            quote = *from;
        else if (quote && *from == quote)
            quote = '\0';
        else
            *word++ = *from;
    }
    *word = '\0';
    *text = from;
    return quote == '\0';
}

char **sweep_words(const char *text, struct error *err)
{
    char **words = NULL;
    size_t n = 0, capacity = 0;
    bool is_sound = true;
    while (is_sound) {
        while (isspace((unsigned char)*text))
            text++;
        words = array_reserve(words, &capacity, n + 1, sizeof *words);
        words[n] = NULL;
        if (!*text)
            break;
        words[n] = memory_new(strlen(text) + 1);
        is_sound = copy_word(&text, words[n++]);
    }
    if (is_sound && n > 0)
        return words;
    error_set(err, is_sound ? "there is no word in it" : "a quotation mark has no second one");
    for (size_t i = 0; i < n; i++)
        free(words[i]);
    free(words);
    return NULL;
}

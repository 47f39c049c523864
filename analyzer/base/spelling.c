// SPDX-License-Identifier: BSD-3-Clause
// Edit distance with insertion, deletion, substitution and the swap of neighbours (optimal string
// alignment, three rolling rows), in bytes.
#include "analyzer/base/spelling.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { MAX_WORD_BYTES = 63, MAX_SHOWN = 4, MOST_SLIPS = 3 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t distance(const char *a, const char *b)
{
    size_t rows[3][MAX_WORD_BYTES + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    size_t a_length = strlen(a), b_length = strlen(b);
    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        now[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t substituted = last[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = smaller(substituted, smaller(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = smaller(now[j], before[j - 2] + 1);
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[b_length];
}

static const char *completed(const char *word, const char *const *candidates, size_t count)
{
    const char *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(candidates[i], word, strlen(word)) != 0)
            continue;
        if (found)
            return NULL;
        found = candidates[i];
    }
    return found;
}

const char *spelling_nearest(const char *word, const char *const *candidates, size_t count)
{
    size_t length = strlen(word);
    if (length == 0 || length > MAX_WORD_BYTES)
        return NULL;
    const char *nearest = NULL;
    size_t least = length < 6 ? 1 : smaller(length / 3, MOST_SLIPS);
    for (size_t i = 0; i < count; i++) {
        if (strlen(candidates[i]) > MAX_WORD_BYTES)
            continue;
        size_t d = distance(word, candidates[i]);
        if (d < least || (d == least && !nearest)) {
            least = d;
            nearest = candidates[i];
        }
    }
    return nearest ? nearest : completed(word, candidates, count);
}

/// The words, each behind BEFORE.
static char *listed(const char *before, const char *const *words, size_t n)
{
    char *list = memory_copy_text("");
    for (size_t i = 0; i < n; i++) {
        char *longer = memory_format("%s%s%s%s", list, i ? ", " : "", before, words[i]);
        free(list);
        list = longer;
    }
    return list;
}

char *spelling_list(const char *const *words, size_t n)
{
    return listed("", words, n);
}

char *spelling_some(const char *before, const char *const *words, size_t n)
{
    char *list = listed(before, words, n < MAX_SHOWN ? n : MAX_SHOWN);
    char *some = memory_format("%s%s%s",
                               n == 0   ? ""
                               : n == 1 ? "; there is "
                                        : "; there are ",
                               list, n > MAX_SHOWN ? ", ..." : "");
    free(list);
    return some;
}

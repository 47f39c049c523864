// SPDX-License-Identifier: BSD-3-Clause
#include "tests/reference/asked.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// The next word of *REST without its quotes, NULL at the end.
static char *next_word(char **rest)
{
    char *word = *rest + strspn(*rest, " ");
    if (*word == '\0')
        return NULL;
    const char *end = *word == '"' ? "\"" : " ";
    word += *word == '"';
    *rest = word + strcspn(word, end);
    if (**rest != '\0')
        *(*rest)++ = '\0';
    return word;
}

int asked_read(struct asked *asked, const char *text, const char *machine, struct error *err)
{
    enum { MAX_WORDS = 32 };
    struct advice_word words[MAX_WORDS];
    size_t n = 0;
    *asked = (struct asked){.words = memory_copy_text(text)};
    if (machine)
        words[n++] = (struct advice_word){(char *)"machine", (char *)machine};
    for (char *rest = asked->words, *word; (word = next_word(&rest)) && n < MAX_WORDS;) {
        if (strncmp(word, "--", 2) == 0)
            words[n++] = (struct advice_word){word + 2, NULL};
        else if (n > 0)
            words[n - 1].value = word;
    }
    if (whatif_plan_read(&asked->plan, words, n, err) != 0 ||
        whatif_plan_read_files(&asked->plan, err) != 0)
        return -1;
    asked->settings = &asked->plan.cases[0].settings;
    return 0;
}

void asked_release(struct asked *asked)
{
    whatif_plan_release(&asked->plan);
    free(asked->words);
}

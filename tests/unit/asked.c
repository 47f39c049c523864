// SPDX-License-Identifier: BSD-3-Clause
#include "tests/unit/asked.h"

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

static int give(struct asked *asked, const char *option, const char *value, struct error *err)
{
    if (!option || whatif_options_give(&asked->options, option + 2, value))
        return 0;
    error_set(err, "there is no %s", option);
    return -1;
}

int asked_read(struct asked *asked, const char *text, const char *machine, struct error *err)
{
    *asked = (struct asked){.words = memory_copy_text(text)};
    char *rest = asked->words, *option = NULL, *word;
    int status = machine ? give(asked, "--machine", machine, err) : 0;
    while (status == 0 && (word = next_word(&rest))) {
        bool is_option = strncmp(word, "--", 2) == 0;
        status = give(asked, option, is_option ? NULL : word, err);
        option = is_option ? word : NULL;
    }
    if (status != 0 || give(asked, option, NULL, err) != 0 ||
        whatif_plan_read(&asked->plan, &asked->options, err) != 0 ||
        whatif_plan_read_files(&asked->plan, err) != 0)
        return -1;
    asked->settings = &asked->plan.cases[0].settings;
    return 0;
}

void asked_release(struct asked *asked)
{
    whatif_plan_release(&asked->plan);
    whatif_options_release(&asked->options);
    free(asked->words);
}

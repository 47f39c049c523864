// SPDX-License-Identifier: BSD-3-Clause
// See intervals.h.
#include "analyzer/cmd/diff/intervals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// Calls READ for each interval in TEXT; *N is how many words there were.
static int for_each_word(const char *text,
                         int (*read)(void *user, const char *word, struct error *), void *user,
                         size_t *n, struct error *err)
{
    char *copy = memory_copy_text(text), *rest = copy, *word;
    int status = 0;
    *n = 0;
    while (status == 0 && (word = strsep(&rest, ",")) != NULL) {
        status = read(user, word, err);
        ++*n;
    }
    free(copy);
    return status;
}

static int check_word(void *user, const char *word, struct error *err)
{
    *(bool *)user |= strstr(word, "#*") != NULL;
    return interval_check(word, err);
}

int diff_intervals_check(const char *text, struct error *err)
{
    bool has_several = false;
    size_t n;
    if (for_each_word(text, check_word, &has_several, &n, err))
        return -1;
    return n > 1 || has_several
               ? 0
               : error_set(err, "there must be two intervals at least, not only %s", text);
}

struct finding {
    struct diff_intervals *intervals;
    const char *trace;
};

static int find_word(void *user, const char *word, struct error *err)
{
    struct finding *finding = user;
    return interval_find(&finding->intervals->list, finding->trace, word, err);
}

static bool is_known(const struct interval_list *list, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(list->items[i].what, list->items[j].what) == 0)
            return true;
    return false;
}

int diff_intervals_replay(struct diff_traces *traces, const char *trace, const char *text,
                          struct diff_intervals *intervals, struct error *err)
{
    *traces = (struct diff_traces){0};
    *intervals = (struct diff_intervals){0};
    struct interval_list *list = &intervals->list;
    struct finding finding = {intervals, trace};
    size_t n;
    int status = for_each_word(text, find_word, &finding, &n, err);
    if (status == 0 && list->n < 2)
        status =
            error_set(err, "%s is one interval of %s, there must be two at least", text, trace);
    if (status == 0)
        status = diff_traces_begin(traces, err);
    intervals->names = memory_zeroed(list->n + 1, sizeof *intervals->names);
    struct interval *once = memory_new((list->n + 1) * sizeof *once); // without repetitions
    size_t n_once = 0;
    for (size_t i = 0; i < list->n; i++) {
        intervals->names[i] = diff_traces_name(trace, &list->items[i]);
        if (!is_known(list, i))
            once[n_once++] = list->items[i];
    }
    if (status == 0)
        status = diff_traces_add(traces, trace, once, n_once, err);
    free(once);
    return status;
}

void diff_intervals_release(struct diff_intervals *intervals)
{
    for (size_t i = 0; intervals->names && i < intervals->list.n; i++)
        free(intervals->names[i]);
    free(intervals->names);
    interval_list_release(&intervals->list);
}

// SPDX-License-Identifier: BSD-3-Clause
// See intervals.h.
#include "analyzer/cmd/diff/intervals.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"

static int read_time(const char *text, uint64_t missing_ns, uint64_t *time_ns, struct error *err)
{
    *time_ns = missing_ns;
    return *text ? option_read_duration(text, time_ns, err) : 0;
}

/// WORD is "FIRST:LAST", and is cut.
static int read_interval(char *word, struct diff_interval *interval, struct error *err)
{
    char *whole = memory_copy_text(word), *colon = strchr(word, ':');
    int status = 0;
    struct error why = {{0}};
    if (colon)
        *colon = '\0';
    if (!colon || read_time(word, 0, &interval->begin_ns, &why) ||
        read_time(colon + 1, DIFF_RUN_END, &interval->end_ns, &why))
        status = error_set(err, "`%s` is no interval: FIRST:LAST wanted, such as 1.5s:2s%s%s",
                           whole, *why.text ? "; " : "", why.text);
    else if (interval->end_ns > DIFF_RUN_END)
        status = error_set(err, "the interval %s goes beyond any run", whole);
    else if (interval->begin_ns >= interval->end_ns)
        status = error_set(err, "the interval %s is empty", whole);
    free(whole);
    return status;
}

static int read_intervals(const char *trace, const char *text, struct diff_intervals *intervals,
                          struct error *err)
{
    char *copy = memory_copy_text(text), *rest = copy, *word;
    int status = 0;
    while (status == 0 && (word = strsep(&rest, ",")) != NULL) {
        struct diff_interval interval = {.name = memory_format("%s %s", trace, word)};
        status = read_interval(word, &interval, err);
        intervals->items = array_reserve(intervals->items, &intervals->capacity, intervals->n + 1,
                                         sizeof *intervals->items);
        intervals->items[intervals->n++] = interval;
    }
    if (status == 0 && intervals->n < 2)
        status = error_set(err, "there must be two intervals at least, not only %s", text);
    free(copy);
    return status;
}

int diff_intervals_check(const char *text, struct error *err)
{
    struct diff_intervals intervals = {0};
    int status = read_intervals("", text, &intervals, err);
    diff_intervals_release(&intervals);
    return status;
}

static bool is_known(const struct diff_intervals *intervals, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(intervals->items[i].name, intervals->items[j].name) == 0)
            return true;
    return false;
}

int diff_intervals_replay(struct diff_traces *traces, const char *trace, const char *text,
                          struct diff_intervals *intervals, struct error *err)
{
    *traces = (struct diff_traces){0};
    *intervals = (struct diff_intervals){0};
    int status = read_intervals(trace, text, intervals, err);
    if (status == 0)
        status = diff_traces_begin(traces, err);
    intervals->names = memory_zeroed(intervals->n + 1, sizeof *intervals->names);
    for (size_t i = 0; i < intervals->n && status == 0; i++) {
        const struct diff_interval *interval = &intervals->items[i];
        intervals->names[i] = interval->name;
        if (!is_known(intervals, i))
            status = diff_traces_add(traces, trace, interval->name, interval->begin_ns,
                                     interval->end_ns, err);
    }
    return status;
}

void diff_intervals_release(struct diff_intervals *intervals)
{
    for (size_t i = 0; i < intervals->n; i++)
        free(intervals->items[i].name);
    free(intervals->items);
    free(intervals->names);
    *intervals = (struct diff_intervals){0};
}

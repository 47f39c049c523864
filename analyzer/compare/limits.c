// SPDX-License-Identifier: BSD-3-Clause
// Reading limits, and the values in their places (see limits.h).
#include "analyzer/compare/limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/format/lines.h"
#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "db/focus.h"
#include "db/names.h"
#include "db/query/figures.h"
#include "db/query/query.h"
#include "db/query/selection.h"
#include "db/trials.h"

struct reading {
    struct database *database;
    struct limit_page *page;
    const char *path;
    struct error *err;
};

/// The metric's unit, to be freed. A wait state that no trial has is one with the value 0.
static int find_unit(struct reading *reading, const char *metric, char **unit)
{
    static const char of_properties[] = "SELECT name || '.wait_ns' FROM property UNION "
                                        "SELECT name || '.count' FROM property UNION "
                                        "SELECT name FROM metric";
    size_t n;
    bool is_pattern = metric[strcspn(metric, "*?[")] != '\0';
    struct query_metric *stored =
        is_pattern ? NULL : query_metrics(reading->database, metric, &n, NULL);
    *unit = memory_copy_text(stored ? stored->unit : "");
    if (stored) {
        database_rows_free(stored, n, QUERY_METRIC_LETTERS);
        return 0;
    }
    if (names_check(reading->database, "metric", of_properties, metric, reading->err))
        return -1;
    free(*unit);
    *unit = memory_copy_text(strstr(metric, ".wait_ns") ? "ns" : "instances");
    return 0;
}

/// Whether TEXT is a number, to *VALUE, without anything after it.
static bool is_bare(const char *text, double *value)
{
    struct error why;
    return option_read_number(text, value, &why) == 0;
}

/// A time has a unit: a metric's name may promise nanoseconds where an option would mean seconds.
static int read_amount(const struct reading *reading, struct limit_row *row, char *text)
{
    size_t length = strlen(text);
    bool is_time = strcmp(row->unit, "ns") == 0, is_share = strcmp(row->unit, "share") == 0;
    bool is_percent = is_share && length > 1 && text[length - 1] == '%';
    uint64_t time_ns;
    struct error why;
    if (is_percent)
        text[length - 1] = '\0';
    bool is_number = is_bare(text, &row->limit);
    if (is_time && is_number && row->limit > 0)
        return error_set(reading->err, "%s has no unit: write %sns, or us, ms, s", text, text);
    if (is_time && !is_number && option_read_duration(text, &time_ns, &why) == 0) {
        row->limit = (double)time_ns;
        return 0;
    }
    if (is_share && is_number && !is_percent && row->limit > 1)
        return error_set(reading->err, "%s is not a share: write %s %%, or a number up to 1", text,
                         text);
    row->limit /= is_percent ? 100 : 1;
    if (is_number)
        return 0;
    return error_set(reading->err, "`%s` is not a limit of %s, which is in %s", text, row->metric,
                     *row->unit ? row->unit : "numbers");
}

/// The next word of *AT, ended; "" at the end of the line.
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    char *end = word + strcspn(word, " \t");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return word;
}

static int read_limit(struct reading *reading, char *line, struct limit_row *row)
{
    struct comparison limit;
    if (comparison_read(line, &limit, NULL) != 0 ||
        (limit.relation != RELATION_AT_MOST && limit.relation != RELATION_AT_LEAST)) {
        *row = (struct limit_row){0};
        return error_set(reading->err, "wanted is METRIC <= LIMIT [FOCUS], or >=");
    }
    char *metric = limit.name;
    line = limit.value;
    const char *word = next_word(&line);
    line += strspn(line, " \t");
    bool is_percent = *line == '%'; // "80 %"
    SCOPED char *amount = memory_format("%s%s", word, is_percent ? "%" : "");
    line += is_percent ? 1 + strspn(line + 1, " \t") : 0;
    *row = (struct limit_row){.metric = memory_copy_text(metric),
                              .focus = memory_copy_text(line),
                              .is_at_least = limit.relation == RELATION_AT_LEAST};
    struct focus focus;
    if (find_unit(reading, metric, &row->unit) || read_amount(reading, row, amount) ||
        (*line && focus_parse(line, &focus, reading->err)))
        return -1;
    if (*line)
        focus_release(&focus);
    return 0;
}

static int take_line(void *context, char *line, unsigned *number, struct error *err)
{
    struct reading *reading = context;
    struct limit_page *page = reading->page;
    (void)number, (void)err;
    return read_limit(reading, line, ARRAY_NEXT(page->rows, page->n_rows, page->capacity));
}

/// The values of a trial of the origin "threshold": shares are least values, all others greatest.
static int read_stored(struct reading *reading, int64_t trial)
{
    struct trial_time time;
    if (trial_time_read(reading->database, trial, &time, reading->err))
        return -1;
    bool is_set = strcmp(time.origin, "threshold") == 0;
    trial_time_release(&time);
    if (!is_set)
        return error_set(reading->err,
                         "the trial %s is no set of limits: its origin is not \"threshold\"",
                         reading->path);
    struct limit_page *page = reading->page;
    SCOPED struct trial_value *values =
        trial_values(reading->database, trial, &page->n_rows, reading->err);
    if (!values)
        return -1;
    page->rows = array_reserve(NULL, &page->capacity, page->n_rows, sizeof *page->rows);
    for (size_t i = 0; i < page->n_rows; i++) // which take the texts over
        page->rows[i] = (struct limit_row){.metric = values[i].metric,
                                           .unit = values[i].unit,
                                           .focus = values[i].focus,
                                           .is_at_least = strcmp(values[i].unit, "share") == 0,
                                           .limit = values[i].value};
    if (page->n_rows == 0)
        return error_set(reading->err, "the trial %s holds no limits", reading->path);
    return 0;
}

static int read_limits(struct reading *reading)
{
    int64_t trial;
    if (access(reading->path, F_OK) != 0) {
        int reason = errno;
        if (trials_find(reading->database, reading->path, &trial, NULL) == 0)
            return read_stored(reading, trial);
        return error_set(reading->err, "cannot read the limits %s: %s, and no trial is called so",
                         reading->path, strerror(reason));
    }
    if (lines_read(reading->path, "the limits", take_line, reading, reading->err) != 0)
        return -1;
    return reading->page->n_rows > 0 ? 0
                                     : error_set(reading->err, "%s holds no limits", reading->path);
}

struct sum {
    double value;
    size_t n;
};

static void add_value(const struct query_value *value, void *user)
{
    struct sum *sum = user;
    sum->value += value->value;
    sum->n++;
}

/// Fills ROW with the mean of the trials GROUP. What is not there took no time.
static int evaluate(struct reading *reading, const struct trial_group *group, struct limit_row *row)
{
    const struct query_question question = {.metric = row->metric,
                                            .focus = *row->focus ? row->focus : NULL,
                                            .trials = group->ids,
                                            .n_trials = group->n_ids};
    struct sum sum = {0, 0};
    size_t n_stored;
    struct query_metric *stored = query_metrics(reading->database, row->metric, &n_stored, NULL);
    database_rows_free(stored, n_stored, QUERY_METRIC_LETTERS);
    if (stored && query_metric(reading->database, &question, add_value, &sum, reading->err))
        return error_wrap(reading->err, "%s: %s", reading->path, row->metric);
    if (sum.n < group->n_ids && strcmp(row->unit, "share") == 0)
        return error_set(reading->err, "%s: not every trial of %s has a %s", reading->path,
                         row->runs, row->metric);
    row->n_runs = group->n_ids;
    row->value = group->n_ids ? sum.value / (double)group->n_ids : 0;
    row->is_kept = row->is_at_least ? row->value >= row->limit : row->value <= row->limit;
    return 0;
}

/// Repeats the limits for each group after the first, and evaluates all.
static int evaluate_all(struct reading *reading, char *const *selectors, size_t n)
{
    struct limit_page *page = reading->page;
    size_t n_limits = page->n_rows;
    int status = 0;
    page->rows = array_reserve(page->rows, &page->capacity, n * n_limits, sizeof *page->rows);
    for (size_t i = 0; i < n && status == 0; i++) {
        struct trial_group group;
        status = trial_group_to_compare(reading->database, &selectors[i], 1, &group, reading->err);
        for (size_t j = 0; j < n_limits && status == 0; j++) {
            struct limit_row *row = &page->rows[i * n_limits + j];
            if (i > 0) {
                *row = page->rows[j];
                row->metric = memory_copy_text(row->metric);
                row->unit = memory_copy_text(row->unit);
                row->focus = memory_copy_text(row->focus);
                page->n_rows++;
            }
            row->runs = selectors[i];
            status = evaluate(reading, &group, row);
        }
        trial_group_release(&group);
    }
    return status;
}

int limits_compare(struct database *database, const char *path, char *const *selectors, size_t n,
                   struct limit_page *page, struct error *err)
{
    struct reading reading = {.database = database, .page = page, .path = path, .err = err};
    *page = (struct limit_page){.database = database->path, .source = path};
    if (read_limits(&reading) == 0 && evaluate_all(&reading, selectors, n) == 0)
        return 0;
    limit_page_release(page);
    return -1;
}

void limit_page_release(struct limit_page *page)
{
    FREE_MEMBERS(page->rows, page->n_rows, metric, unit, focus);
    free(page->rows);
    *page = (struct limit_page){0};
}

size_t limit_page_count_violations(const struct limit_page *page)
{
    size_t n = 0;
    for (size_t i = 0; i < page->n_rows; i++)
        n += !page->rows[i].is_kept;
    return n;
}

// SPDX-License-Identifier: BSD-3-Clause
// `pagoda diff`: reads stored trials in groups, has their difference computed, prints it.
#include "analyzer/cmd/diff.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/exit_status.h"
#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/model/difference.h"
#include "analyzer/report/json_difference.h"
#include "analyzer/report/text_difference.h"
#include "db/database.h"
#include "db/trial_times.h"

struct settings {
    struct difference_thresholds thresholds;
    double relative_percent;
    uint64_t top;
    bool wants_json, is_gate;
};

static const char details[] =
    "DB is a file that `pagoda replay --store DB` made. A and each B are a trial as in `pagoda\n"
    "store show`, or several at once, repetitions of one run: a pattern (\"before*\") or an\n"
    "attribute (NAME=VALUE). Each B is compared with A.\n";

/// One comparison: the page and what it is made from.
struct comparison {
    struct difference *difference;
    struct difference_page page;
    struct trial_time *times;
    struct difference_run *runs;
    size_t time_capacity, run_capacity;
};

struct part_adder {
    struct difference *difference;
    size_t run;
};

static void add_part(void *user, const char *call_path, const char *process, const char *wait_state,
                     int64_t value_ns)
{
    const struct part_adder *adder = user;
    difference_add(adder->difference, adder->run, call_path, process, wait_state, value_ns);
}

static int add_group(struct comparison *comparison, struct database *database,
                     enum difference_group group, const char *selector, struct error *err)
{
    struct trial_group trials;
    if (trial_group_find(database, selector, &trials, err))
        return -1;
    int status = 0;
    for (size_t i = 0; i < trials.n_ids && status == 0; i++) {
        struct difference_page *page = &comparison->page;
        comparison->times = array_reserve(comparison->times, &comparison->time_capacity,
                                          page->n_runs + 1, sizeof *comparison->times);
        comparison->runs = array_reserve(comparison->runs, &comparison->run_capacity,
                                         page->n_runs + 1, sizeof *comparison->runs);
        struct trial_time *time = &comparison->times[page->n_runs];
        status = trial_time_read(database, trials.ids[i], time, err);
        if (status)
            break;
        comparison->runs[page->n_runs++] =
            (struct difference_run){time->name, time->origin, time->time_ns, time->n_ranks, group};
        struct part_adder adder = {
            comparison->difference,
            difference_add_run(comparison->difference, group, time->time_ns, time->n_ranks)};
        status = trial_time_parts(database, trials.ids[i], add_part, &adder, err);
    }
    trial_group_release(&trials);
    return status;
}

static int compare(struct comparison *comparison, struct database *database, const char *a,
                   const char *b, const struct settings *settings, struct error *err)
{
    comparison->difference = difference_new();
    comparison->page.database = database->path;
    comparison->page.thresholds = settings->thresholds;
    if (add_group(comparison, database, DIFFERENCE_A, a, err) ||
        add_group(comparison, database, DIFFERENCE_B, b, err))
        return -1;
    comparison->page.runs = comparison->runs;
    for (enum difference_by by = 0; by < N_DIFFERENCE_BY; by++)
        difference_tabulate(comparison->difference, by, &settings->thresholds,
                            &comparison->page.tables[by]);
    return 0;
}

static void comparison_release(struct comparison *comparison)
{
    for (enum difference_by by = 0; by < N_DIFFERENCE_BY; by++)
        difference_table_release(&comparison->page.tables[by]);
    for (size_t i = 0; i < comparison->page.n_runs; i++)
        trial_time_release(&comparison->times[i]);
    free(comparison->times);
    free(comparison->runs);
    difference_free(comparison->difference);
}

/// Compares and prints; 0, -1 and ERR, or 1: something got worse.
static int print_all(struct database *database, char **operands, size_t n_operands,
                     const struct settings *settings, struct error *err)
{
    size_t n_pages = n_operands - 1, n_violations = 0;
    struct comparison *comparisons = memory_zeroed(n_pages, sizeof *comparisons);
    struct difference_page *pages = memory_zeroed(n_pages, sizeof *pages);
    int status = 0;
    for (size_t i = 0; i < n_pages && status == 0; i++) {
        status = compare(&comparisons[i], database, operands[0], operands[i + 1], settings, err);
        pages[i] = comparisons[i].page;
    }
    if (status == 0 && settings->wants_json)
        status = json_print_differences(pages, n_pages, PAGODA_VERSION, stdout, err);
    FILE *none = settings->is_gate && settings->wants_json ? fopen("/dev/null", "w") : NULL;
    for (size_t i = 0; i < n_pages && status == 0; i++) {
        if (settings->is_gate)
            n_violations += text_print_violations(&pages[i], none ? none : stdout);
        else if (!settings->wants_json)
            text_print_difference(&pages[i], settings->top, stdout);
        if (!settings->is_gate && !settings->wants_json && i + 1 < n_pages)
            printf("\n");
    }
    if (none)
        fclose(none);
    for (size_t i = 0; i < n_pages; i++)
        comparison_release(&comparisons[i]);
    free(pages);
    free(comparisons);
    return status ? status : n_violations > 0;
}

int cmd_diff(int argc, char **argv)
{
    struct settings settings = {
        .thresholds = {DIFFERENCE_DEFAULT, 0, 0.05}, .relative_percent = 5, .top = 12};
    const struct option_row rows[] = {
        OPTION_DURATION_ROW("absolute", 0, "TIME", &settings.thresholds.absolute_ns,
                            "smaller differences (per rank) are no changes", "1 % of A's run time"),
        OPTION_NUMBER_ROW("relative", 0, "PERCENT", &settings.relative_percent,
                          "smaller differences, in percent of A's value, are no changes", "5"),
        OPTION_NUMBER_ROW("alpha", 0, "P", &settings.thresholds.alpha,
                          "level of the t test over repeated runs", "0.05"),
        OPTION_FLAG_ROW("check", 0, &settings.is_gate,
                        "print what got worse, a line each, and fail if there is any"),
        OPTION_COUNT_ROW("top", 0, "N", &settings.top, "rows per table", "12"),
        OPTION_FLAG_ROW("json", 0, &settings.wants_json, "print JSON instead of text"),
    };
    const struct option_usage usage = {
        .command = "diff",
        .operands = "DB A B...",
        .summary = "Tells what the change of run time between stored runs consists of",
        .details = details,
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .min_operands = 3,
        .max_operands = -1,
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (!(settings.thresholds.alpha > 0 && settings.thresholds.alpha < 1))
        return options_usage_error(&usage, "--alpha must be between 0 and 1");
    settings.thresholds.relative = settings.relative_percent / 100;
    struct error err;
    struct database *database;
    if (database_open(&database, argv[first], DATABASE_READ, &err)) {
        log_error("%s", err.text);
        return STATUS_FAILED;
    }
    // One transaction: all trials are read from the same state of the database.
    int result = database_run(database, "BEGIN", &err);
    if (result == 0)
        result = print_all(database, argv + first + 1, (size_t)(argc - first - 1), &settings, &err);
    database_close(database);
    if (result < 0)
        log_error("%s", err.text);
    return result ? STATUS_FAILED : STATUS_DONE;
}

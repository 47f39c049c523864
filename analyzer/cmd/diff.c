// SPDX-License-Identifier: BSD-3-Clause
// `pagoda diff`: reads stored trials in groups, has their difference computed, prints it.
#include "analyzer/cmd/commands.h"

#include <stdbool.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/threads.h"
#include "analyzer/cmd/compared_traces.h"
#include "analyzer/compare/difference.h"
#include "analyzer/compare/fractions.h"
#include "analyzer/compare/limits.h"
#include "analyzer/compare/structure.h"
#include "analyzer/report/report.h"
#include "db/database.h"
#include "db/query/resource_map.h"
#include "db/query/selection.h"
#include "db/trials.h"

struct settings {
    struct difference_thresholds thresholds;
    double relative_percent;
    uint64_t top;
    const char *map_path, *limits_path, *baseline, *intervals, *metric;
    struct resource_map *map; // NULL: resources keep their names
    bool wants_json, is_gate, wants_structure, shows_all, wants_fractions;
    bool is_of_traces; // the database is only a means
};

static const char details[] =
    "DB is an experiment database, as `pagoda replay --store DB` makes it. A and B\n"
    "name stored runs, and each B is compared with A. A run is named by its trial's\n"
    "name or number, which `pagoda store list DB` shows. A pattern (\"before*\") or an\n"
    "attribute (NAME=VALUE) names several trials, which count as repetitions of one\n"
    "run. Instead of stored runs, traces can be given: they are replayed first.\n";

/// Prints the pages as SETTINGS say, and adds how much got worse.
static void print_pages(const struct difference_page *pages, size_t n,
                        const struct settings *settings, size_t *n_worse)
{
    for (size_t i = 0; i < n; i++)
        *n_worse += settings->is_gate ? difference_count_worse(&pages[i]) : 0;
    if (settings->wants_json)
        json_print_differences(pages, n, stdout);
    for (size_t i = 0; i < n && !settings->wants_json; i++) {
        if (settings->is_gate) {
            text_print_violations(&pages[i], stdout);
            continue;
        }
        printf("%s", i ? "\n" : "");
        text_print_difference(&pages[i], settings->top, stdout);
    }
}

static struct difference_choice choice_of(const struct settings *settings, const char *a,
                                          const char *b)
{
    return (struct difference_choice){.a = a,
                                      .b = b,
                                      .wants_newest_a = settings->baseline != NULL,
                                      .map = settings->map,
                                      .thresholds = settings->thresholds};
}

/// Compares one metric of each of the N operands with that of A, and prints. 0, or -1 and ERR.
static int compare_metric(struct database *database, const char *a, char *const *operands, size_t n,
                          const struct settings *settings, struct error *err)
{
    SCOPED struct metric_difference *list = memory_zeroed(n + 1, sizeof *list);
    size_t n_read = 0;
    int status = 0;
    for (; n_read < n && status == 0; n_read++) {
        const struct difference_choice choice = choice_of(settings, a, operands[n_read]);
        status = metric_difference_read(database, &choice, settings->metric, &list[n_read], err);
        if (settings->is_of_traces)
            list[n_read].database = NULL;
    }
    if (status == 0 && settings->wants_json)
        json_print_metric_differences(list, n, stdout);
    for (size_t i = 0; i < n && status == 0 && !settings->wants_json; i++) {
        printf("%s", i ? "\n" : "");
        text_print_metric_difference(&list[i], stdout);
    }
    for (size_t i = 0; i < n_read; i++)
        metric_difference_release(&list[i]);
    return status;
}

/// Compares the fractions of the ranks' time of each of the N operands with those of A, and prints.
/// 0, or -1 and ERR.
static int compare_fractions(struct database *database, const char *a, char *const *operands,
                             size_t n, const struct settings *settings, struct error *err)
{
    SCOPED struct fractions_page *pages = memory_zeroed(n + 1, sizeof *pages);
    size_t n_read = 0;
    int status = 0;
    for (; n_read < n && status == 0; n_read++) {
        const struct difference_choice choice = choice_of(settings, a, operands[n_read]);
        status = fractions_page_read(database, &choice, &pages[n_read], err);
        if (settings->is_of_traces)
            pages[n_read].database = NULL;
    }
    if (status == 0 && settings->wants_json)
        json_print_fractions(pages, n, stdout);
    for (size_t i = 0; i < n && status == 0 && !settings->wants_json; i++) {
        printf("%s", i ? "\n" : "");
        text_print_fractions(&pages[i], settings->top, stdout);
    }
    for (size_t i = 0; i < n_read; i++)
        fractions_page_release(&pages[i]);
    return status;
}

/// Compares each of the N operands with A, and prints. 0 and how much got worse, or -1 and ERR.
static int compare_all(struct database *database, const char *a, char *const *operands, size_t n,
                       const struct settings *settings, size_t *n_worse, struct error *err)
{
    if (settings->metric)
        return compare_metric(database, a, operands, n, settings, err);
    if (settings->wants_fractions)
        return compare_fractions(database, a, operands, n, settings, err);
    SCOPED struct difference_page *pages = memory_zeroed(n + 1, sizeof *pages);
    size_t n_read = 0;
    int status = 0;
    for (; n_read < n && status == 0; n_read++) {
        const struct difference_choice choice = choice_of(settings, a, operands[n_read]);
        status = difference_page_read(database, &choice, &pages[n_read], err);
        if (settings->is_of_traces)
            pages[n_read].database = NULL;
    }
    if (status == 0)
        print_pages(pages, n, settings, n_worse);
    for (size_t i = 0; i < n_read; i++)
        difference_page_release(&pages[i]);
    return status;
}

/// Prints which resources the runs have. As compare_all().
static int compare_structure(struct database *database, char *const *operands, size_t n,
                             const struct settings *settings, struct error *err)
{
    SCOPED struct structure_page *page = memory_zeroed(1, sizeof *page);
    int status = structure_page_read(database, operands, n, settings->map, page, err);
    if (settings->is_of_traces)
        page->database = NULL;
    if (status == 0 && settings->wants_json)
        json_print_structure(page, stdout);
    else if (status == 0)
        text_print_structure(page, settings->shows_all, stdout);
    structure_page_release(page);
    return status;
}

/// Compares the operands with the limits, and prints. As compare_all().
static int compare_limits(struct database *database, char *const *operands, size_t n,
                          const struct settings *settings, size_t *n_worse, struct error *err)
{
    struct limit_page page;
    if (limits_compare(database, settings->limits_path, operands, n, &page, err))
        return -1;
    if (settings->is_of_traces)
        page.database = NULL;
    if (settings->is_gate)
        *n_worse += limit_page_count_violations(&page);
    if (settings->wants_json)
        json_print_limits(&page, stdout);
    else if (settings->is_gate)
        text_print_limit_violations(&page, stdout);
    else
        text_print_limits(&page, stdout);
    limit_page_release(&page);
    return 0;
}

/// Warns of the trials that OPERANDS mean if part of their traces was unreadable.
static int warn_of_damage(struct database *database, char *const *operands, size_t n,
                          struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        struct trial_group trials;
        struct error ignored; // said by who compares
        if (trial_group_to_compare(database, &operands[i], 1, &trials, &ignored))
            continue;
        for (size_t j = 0; j < trials.n_ids && status == 0; j++)
            status = damage_warn_of_trial(database, trials.ids[j], err);
        trial_group_release(&trials);
    }
    return status;
}

/// Opens the database at PATH and compares what OPERANDS select. As compare_all().
static int run_on_database(const char *path, char *const *operands, size_t n,
                           const struct settings *settings, size_t *n_worse, struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    if (database_open_snapshot(&database, path, err))
        return -1;
    int status = 0;
    if (!settings->is_of_traces)
        status = warn_of_damage(database, operands, n, err);
    if (status == 0 && settings->wants_structure)
        status = compare_structure(database, operands, n, settings, err);
    else if (status == 0 && settings->limits_path)
        status = compare_limits(database, operands, n, settings, n_worse, err);
    else if (status == 0 && settings->baseline)
        status = compare_all(database, settings->baseline, operands, n, settings, n_worse, err);
    else if (status == 0)
        status = compare_all(database, operands[0], operands + 1, n - 1, settings, n_worse, err);
    return status;
}

static int run_diff(char *const *operands, size_t n, struct settings *settings)
{
    struct error err;
    struct compared_traces traces = {0};
    SCOPED_BY(compared_intervals_release) struct compared_intervals intervals = {0};
    size_t n_worse = 0;
    int status = 0;
    if (settings->map_path)
        status = resource_map_read(&settings->map, settings->map_path, &err);
    if (status == 0 && settings->intervals) {
        status =
            compared_intervals_replay(&traces, operands[0], settings->intervals, &intervals, &err);
        if (status == 0)
            status = run_on_database(traces.database, intervals.names, intervals.list.n, settings,
                                     &n_worse, &err);
    } else if (status == 0 && settings->is_of_traces) {
        status = compared_traces_replay(&traces, operands, n, &err);
        if (status == 0)
            status = run_on_database(traces.database, operands, n, settings, &n_worse, &err);
    } else if (status == 0) {
        status = run_on_database(operands[0], operands + 1, n - 1, settings, &n_worse, &err);
    }
    status = log_outcome(status, traces.has_unreadable_records, &err);
    compared_traces_remove(&traces);
    resource_map_free(settings->map);
    return n_worse ? STATUS_FAILED : status;
}

/// Whether the N operands are enough, and the options fit together.
static int check_runs(const struct option_usage *usage, const struct settings *settings, int n)
{
    int n_runs = settings->is_of_traces ? n : n - 1;
    if ((settings->baseline != NULL) + (settings->limits_path != NULL) + settings->wants_structure >
        1)
        return options_usage_error(usage,
                                   "--baseline, --limits and --structure exclude each other");
    if (settings->metric &&
        (settings->limits_path || settings->wants_structure || settings->is_gate))
        return options_usage_error(usage,
                                   "--metric goes without --limits, --structure and --regressions");
    if (settings->wants_fractions && (settings->limits_path || settings->wants_structure ||
                                      settings->is_gate || settings->metric))
        return options_usage_error(usage, "--fractions goes without --limits, --structure, "
                                          "--regressions and --metric");
    if (settings->baseline && settings->is_of_traces)
        return options_usage_error(usage, "--baseline chooses trials of a database, not traces");
    if (settings->intervals && (!settings->is_of_traces || n_runs != 1 || settings->baseline))
        return options_usage_error(usage, "--intervals are of one trace, without --baseline");
    struct error err = {{0}};
    if (settings->intervals && compared_intervals_check(settings->intervals, &err) != 0)
        return options_usage_error(usage, "--intervals: %s", err.text);
    if (settings->intervals)
        return STATUS_DONE;
    if (settings->baseline || settings->limits_path) {
        if (n_runs < 1)
            return options_usage_error(usage, "there must be a run at least, B");
    } else if (n_runs < (settings->is_of_traces || !settings->wants_structure ? 2 : 1)) {
        return options_usage_error(usage, "give at least two runs, A and B");
    }
    return STATUS_DONE;
}

int cmd_diff(int argc, char **argv)
{
    struct settings settings = {
        .thresholds = {DIFFERENCE_DEFAULT, 0, 0.05}, .relative_percent = 5, .top = 12};
    const struct option_row rows[] = {
        OPTION_DURATION_ROW("absolute", 0, "TIME", &settings.thresholds.absolute_ns,
                            "ignore differences per rank below TIME", "1 % of A's run time"),
        OPTION_NUMBER_ROW("relative", 0, "PERCENT", &settings.relative_percent,
                          "ignore differences below this percentage of A's value", "5"),
        OPTION_NUMBER_ROW("alpha", 0, "P", &settings.thresholds.alpha,
                          "significance level of the t test over repeated runs", "0.05",
                          .manual = "P is between 0 and 1."),
        OPTION_FLAG_ROW(
            "regressions", 0, &settings.is_gate,
            "print only what got slower, a line each; exit status 1 if anything did",
            .manual =
                "A gate against regressions: one line for the run time, and one for each call path "
                "and wait state. With --limits, one line for each limit that is not kept."),
        OPTION_TEXT_ROW("baseline", 0, "A", &settings.baseline,
                        "compare with trials A; of several git revisions, with the latest", NULL,
                        .manual = "It takes the place of the operand A."),
        OPTION_TEXT_ROW("intervals", 0, "A,B...", &settings.intervals,
                        "compare intervals of one trace with the first of them", NULL),
        OPTION_TEXT_ROW("limits", 0, "SET", &settings.limits_path,
                        "compare with the limits in this file, or stored as this trial", NULL),
        OPTION_TEXT_ROW("metric", 0, "NAME", &settings.metric,
                        "compare this metric, from the whole down to the functions, ranks, nodes "
                        "and messages where it differs",
                        NULL,
                        .manual = "`pagoda query` lists the metrics; those that add up over "
                                  "processes only cannot be compared. Without --metric it is the "
                                  "run time."),
        OPTION_FLAG_ROW(
            "fractions", 0, &settings.wants_fractions,
            "compare which part of the time each rank computes, is in MPI and waits",
            .manual = "Section Fractions says how. It tells how right a prediction was where only "
                      "shares count, not the run time."),
        OPTION_FLAG_ROW("structure", 0, &settings.wants_structure,
                        "compare the resources of the runs instead of their times",
                        .manual = "For each hierarchy the tree shows the resources that not all "
                                  "runs have. Time without CPU time is left out: it depends on the "
                                  "load of the machine, not on the program."),
        OPTION_FLAG_ROW("common", 0, &settings.shows_all,
                        "with --structure: also print the resources that all runs have"),
        OPTION_TEXT_ROW("renamed", 0, "FILE", &settings.map_path,
                        "FILE says which resources have another name in another run", NULL),
        OPTION_COUNT_ROW("top", 0, "N", &settings.top, "show N rows per table", "12",
                         .manual =
                             "One row more sums the rest, so that each table sums to its total."),
        THREADS_ROW,
        OPTION_FLAG_ROW("json", 0, &settings.wants_json, "print JSON instead of text",
                        .manual = "It has all rows."),
    };
    const struct option_usage usage = {
        .command = "diff",
        .operands = "DB [A] B... | TRACE...",
        .summary = "Shows what a change of run time between runs consists of",
        .details = details,
        OPTIONS_OF(rows),
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (!(settings.thresholds.alpha > 0 && settings.thresholds.alpha < 1))
        return options_usage_error(&usage, "--alpha must be between 0 and 1");
    if (settings.wants_structure && settings.is_gate)
        return options_usage_error(&usage, "--structure and --regressions exclude each other");
    if (settings.shows_all && !settings.wants_structure)
        return options_usage_error(&usage, "--common goes with --structure only");
    settings.is_of_traces = is_trace(argv[first]);
    status = check_runs(&usage, &settings, argc - first);
    if (status != STATUS_DONE)
        return status;
    settings.thresholds.relative = settings.relative_percent / 100;
    return run_diff(argv + first, (size_t)(argc - first), &settings);
}

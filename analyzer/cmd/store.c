// SPDX-License-Identifier: BSD-3-Clause
// `pagoda store`: its actions, and those that look into a database or remove from it; the others
// are in store/. Nothing is computed here: db/trials.h reads, this prints.
#include "analyzer/cmd/commands.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"
#include "db/names.h"
#include "db/store.h"
#include "db/trials.h"

static const char trial_help[] =
    "DB is an experiment database, as `pagoda replay --store DB` makes it. TRIAL is\n"
    "a trial's name, EXPERIMENT/TRIAL, APPLICATION/EXPERIMENT/TRIAL, or its number\n"
    "in the list.\n";

/// Prints JSON that a reading function made.
static void print_json(char *json)
{
    puts(json);
    free(json);
}

/// "2026-11-21T05:52:28Z" as a person writes it, without the seconds.
static void add_time_cell(struct table *table, const char *time)
{
    if (strlen(time) < strlen("2026-11-21T05:52"))
        table_add_cell(table, "-");
    else
        table_add_cell(table, "%.10s %.5s", time, time + 11);
}

static void print_list(const struct trial_list *list)
{
    struct table table = {0};
    table_add_columns(&table, "number", "<application", "<experiment", "ranks", "time",
                      "efficiency", "<started (UTC)", "<origin", "<trial");
    for (size_t i = 0; i < list->n_trials; i++) {
        const struct trial_summary *trial = &list->trials[i];
        table_add_cell(&table, "%" PRId64, trial->id);
        table_add_cell(&table, "%s", trial->application);
        table_add_cell(&table, "%s", trial->experiment);
        table_add_cell(&table, "%" PRIu64, trial->n_ranks);
        table_add_cell(&table, "%s", quantity_time(trial->time_ns).text);
        table_add_cell(&table, "%s", quantity_share(trial->parallel_efficiency).text);
        add_time_cell(&table, trial->started_at);
        table_add_cell(&table, "%s", trial->origin);
        table_add_cell(&table, "%s", trial->name);
    }
    table_print(&table, 0, 0, stdout);
}

static void print_points(const struct point_list *list)
{
    struct table table = {0};
    table_add_columns(&table, "<application", "<experiment", "<state", "<point", "<reason");
    for (size_t i = 0; i < list->n_rows; i++) {
        const struct point_row *row = &list->rows[i];
        table_add_cell(&table, "%s", row->application);
        table_add_cell(&table, "%s", row->experiment);
        table_add_cell(&table, "%s", row->state);
        table_add_cell(&table, "%s", row->name);
        table_add_cell(&table, "%s", row->reason);
    }
    printf("\nPoints of sweeps without a trial\n");
    table_print(&table, 2, 0, stdout);
}

static int list(const char *path, const struct trial_filter *filter, struct error *err)
{
    SCOPED_BY(trial_list_release) struct trial_list list = {0};
    SCOPED_BY(point_list_release) struct point_list points = {0};
    int status = trials_read(path, filter, &list, err);
    if (status == 0)
        status = points_read(path, filter->application, filter->experiment, &points, err);
    if (status == 0 && list.n_trials)
        print_list(&list);
    else if (status == 0)
        printf("no trials%s\n", filter->application || filter->experiment ? " of that name" : "");
    if (points.n_rows)
        print_points(&points);
    return status;
}

static int run_list(int argc, char **argv)
{
    const char *as = NULL;
    bool wants_json = false;
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("as", 0, "EXPERIMENT", &as,
                        "only trials of this experiment; APPLICATION/ may precede it", NULL),
        OPTION_FLAG_ROW("json", 0, &wants_json, "print JSON instead of text"),
    };
    const struct option_usage usage = {
        .command = "store list",
        .operands = "DB",
        .summary = "Lists the runs in an experiment database",
        .details = "DB is an experiment database, as `pagoda replay --store DB` makes it.\n",
        OPTIONS_OF(rows),
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    struct error err;
    struct trial_path of;
    if (trial_path_read_experiment(&of, as, &err))
        return options_usage_error(&usage, "%s", err.text);
    const struct trial_filter filter = {of.application, of.experiment};
    char *json = NULL;
    status = wants_json ? trials_read_json(argv[first], &filter, &json, &err)
                        : list(argv[first], &filter, &err);
    if (json)
        print_json(json);
    trial_path_release(&of);
    return log_outcome(status, false, &err);
}

static void print_attributes(const struct trial_rows *rows)
{
    struct table table = {0};
    table_add_columns(&table, "<kind", "<name", "<value");
    for (size_t i = 0; i < rows->n_rows; i++) {
        table_add_cell(&table, "%s", rows->rows[i].group);
        table_add_cell(&table, "%s", rows->rows[i].name);
        table_add_cell(&table, "%s", rows->rows[i].text);
    }
    printf("\nWhat was run\n");
    table_print(&table, 2, 0, stdout);
}

static void print_metrics(const struct trial_rows *rows)
{
    struct table table = {0};
    table_add_columns(&table, "<metric", "value");
    for (size_t i = 0; i < rows->n_rows; i++) {
        const struct trial_row *row = &rows->rows[i];
        table_add_cell(&table, "%s", row->name);
        if (!strcmp(row->group, "share"))
            table_add_cell(&table, "%s", quantity_share(row->value).text);
        else if (!strcmp(row->group, "ns"))
            table_add_cell(&table, "%s", quantity_time((uint64_t)fmax(row->value, 0)).text);
        else
            table_add_cell(&table, "%g %s", row->value, row->group);
    }
    printf("\nThe whole program\n");
    table_print(&table, 2, 0, stdout);
}

static void print_wait_states(const struct trial_rows *rows)
{
    if (rows->n_rows == 0) {
        printf("\nNo wait states\n");
        return;
    }
    struct table table = {0};
    table_add_columns(&table, "count", "time", "severity", "confidence", "<wait state");
    for (size_t i = 0; i < rows->n_rows; i++) {
        const struct trial_row *row = &rows->rows[i];
        table_add_cell(&table, "%" PRIu64, row->count);
        table_add_cell(&table, "%s", quantity_time(row->time_ns).text);
        table_add_cell(&table, "%s", quantity_share(row->severity).text);
        table_add_cell(&table, "%.2f", row->confidence);
        table_add_cell(&table, "%s%s", row->name, row->value > 0 ? "" : " (part of another)");
    }
    printf("\nWait states\n");
    table_print(&table, 2, 0, stdout);
}

static void print_regions(const struct trial_rows *rows, uint64_t top)
{
    struct table table = {0};
    table_add_columns(&table, "visits", "inclusive", "exclusive", "<region", "<file");
    size_t n_shown = rows->n_rows < top ? rows->n_rows : (size_t)top;
    for (size_t i = 0; i < n_shown; i++) {
        const struct trial_row *row = &rows->rows[i];
        table_add_cell(&table, "%" PRIu64, row->count);
        table_add_cell(&table, "%s", quantity_time(row->time_ns).text);
        table_add_cell(&table, "%s", quantity_time(row->exclusive_ns).text);
        table_add_cell(&table, "%s", row->name);
        table_add_cell(&table, "%s", row->group);
    }
    printf("\nTime by region, all ranks together\n");
    table_print(&table, 2, 0, stdout);
    if (n_shown < rows->n_rows)
        printf("  ... and %s more (--top)\n",
               quantity_count(rows->n_rows - n_shown, "region").text);
}

static void print_prediction(const struct trial_details *details)
{
    if (!details->change[0])
        return;
    printf("predicted by pagoda replay %s\n", details->change);
    if (details->measured_ns == 0) {
        printf("from a measured trial that is not in this database\n");
        return;
    }
    double change = (double)details->summary.time_ns / (double)details->measured_ns - 1;
    printf("from %s, measured: %s (%+.1f %%); replay error %+.2f %%\n", details->measured_trial,
           quantity_time(details->measured_ns).text, 100 * change, 100 * details->replay_error);
}

static void print_interval(const struct trial_details *details)
{
    if (!details->interval[0])
        return;
    printf("interval %s: from %s", details->interval,
           quantity_time(details->interval_begin_ns).text);
    printf(" to %s of the run", quantity_time(details->interval_end_ns).text);
    if (details->interval_run_ns > 0)
        printf(
            " %s, %s of it", details->interval_run,
            quantity_part((double)details->summary.time_ns, (double)details->interval_run_ns).text);
    printf("\n");
}

static void print_details(const struct trial_details *details, uint64_t top)
{
    const struct trial_summary *summary = &details->summary;
    printf("trial %" PRId64 ": %s (%s)\n", summary->id, summary->name, summary->origin);
    printf("application %s, experiment %s\n", summary->application, summary->experiment);
    printf("%s%s%sstored %s\n", summary->started_at[0] ? "started " : "", summary->started_at,
           summary->started_at[0] ? ", " : "", summary->stored_at);
    printf("trace %s\n", details->trace_path);
    print_prediction(details);
    print_interval(details);
    printf("%s", quantity_count(summary->n_ranks, "rank").text);
    printf(" on %s", quantity_count(details->n_nodes, "node").text);
    printf(", %s", quantity_time(summary->time_ns).text);
    printf(", %s%s", details->interval[0] ? "trace of " : "",
           quantity_count(details->n_events, "event").text);
    printf(", %s", quantity_count(details->n_messages, "message").text);
    printf(", %s", quantity_count(details->n_collectives, "collective").text);
    printf("; %s stored\n", quantity_count(details->n_tuples, "value").text);
    for (size_t i = 0; i < details->warnings.n_rows; i++)
        printf("warning: %s [%s]\n", details->warnings.rows[i].text,
               details->warnings.rows[i].name);
    print_attributes(&details->attributes);
    print_metrics(&details->metrics);
    print_wait_states(&details->properties);
    print_regions(&details->regions, top);
    if (details->conclusion[0]) {
        struct text_options page = text_options_for(stdout);
        printf("\n");
        print_paragraph(details->conclusion, 0, 0, page.width, stdout);
    }
}

static int run_show(int argc, char **argv)
{
    bool wants_json = false;
    uint64_t top = 12;
    const struct option_row rows[] = {
        OPTION_FLAG_ROW("json", 0, &wants_json, "print JSON instead of text"),
        OPTION_COUNT_ROW("top", 0, "N", &top, "regions shown", "12"),
    };
    const struct option_usage usage = {
        .command = "store show",
        .operands = "DB TRIAL",
        .summary = "Shows one run of an experiment database",
        .details = trial_help,
        OPTIONS_OF(rows),
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    struct error err;
    SCOPED_BY(trial_details_release) struct trial_details details = {0};
    char *json = NULL;
    status = wants_json ? trial_read_json(argv[first], argv[first + 1], &json, &err)
                        : trial_read(argv[first], argv[first + 1], &details, &err);
    if (json)
        print_json(json);
    else if (status == 0)
        print_details(&details, top);
    return log_outcome(status, false, &err);
}

static void print_removed(const struct removal *removed)
{
    for (size_t i = 0; i < removed->trials.n_trials; i++) {
        const struct trial_summary *trial = &removed->trials.trials[i];
        printf("removed trial %" PRId64 ": %s/%s/%s\n", trial->id, trial->application,
               trial->experiment, trial->name);
    }
    for (size_t i = 0; i < removed->points.n_rows; i++) {
        const struct point_row *point = &removed->points.rows[i];
        printf("removed the note of the point %s/%s/%s: %s\n", point->application,
               point->experiment, point->name, point->state);
    }
}

static int run_remove(int argc, char **argv)
{
    const char *as = NULL;
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("as", 0, "EXPERIMENT", &as,
                        "all runs of this experiment; APPLICATION/ may precede it", NULL),
    };
    const struct option_usage usage = {
        .command = "store remove",
        .operands = "DB [TRIAL...]",
        .summary = "Removes the named runs. If one cannot be removed, none is",
        .details =
            "DB is an experiment database, as `pagoda replay --store DB` makes it. TRIAL is\n"
            "a trial's name, EXPERIMENT/TRIAL, APPLICATION/EXPERIMENT/TRIAL, or its number\n"
            "in the list; or the name of a point of a sweep that has no trial.\n",
        OPTIONS_OF(rows),
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    size_t n_named = (size_t)(argc - first - 1);
    struct error err;
    struct trial_path of;
    if (n_named == 0 && !as)
        return options_usage_error(&usage, "name what to remove: TRIAL, or --as EXPERIMENT");
    if (n_named > 0 && as)
        return options_usage_error(&usage, "--as removes all of an experiment; name no trial with "
                                           "it, or say APPLICATION/EXPERIMENT/TRIAL");
    if (trial_path_read_experiment(&of, as, &err))
        return options_usage_error(&usage, "%s", err.text);
    const struct trial_filter filter = {of.application, of.experiment};
    if (as && !of.application && !of.experiment)
        status = options_usage_error(&usage, "--as %s names no experiment", as);
    else {
        struct removal removed;
        status = removal_run(argv[first], as ? &filter : NULL,
                             (const char *const *)argv + first + 1, n_named, &removed, &err);
        print_removed(&removed);
        removal_release(&removed);
        status = log_outcome(status, false, &err);
    }
    trial_path_release(&of);
    return status;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} actions[] = {
    {"add", store_add, "replay traces and store the runs"},
    {"list", run_list, "list the runs in a database"},
    {"show", run_show, "show one run: facts, efficiencies, wait states, time by region"},
    {"remove", run_remove, "remove runs"},
    {"export", store_export, "copy runs to a new database file"},
    {"import", store_import, "add all runs of other databases, or values from CSV"},
    {"vacuum", store_vacuum, "check the file and make it as small as possible"},
};
enum { N_ACTIONS = sizeof actions / sizeof actions[0] };

static void print_help(FILE *stream)
{
    fprintf(stream, "usage: pagoda store ACTION DB ...\n\n"
                    "Keeps runs in experiment databases: adds, shows and removes them, and copies\n"
                    "them between databases. A stored run, measured or predicted, is a trial.\n"
                    "`pagoda replay TRACE --store DB` adds a run, too.\n\n"
                    "actions:\n");
    for (size_t i = 0; i < N_ACTIONS; i++)
        fprintf(stream, "  %-10s %s\n", actions[i].name, actions[i].summary);
    fprintf(stream, "\n`pagoda store ACTION --help` explains an action.\n");
}

int cmd_store(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_help(stderr);
        return STATUS_USAGE;
    }
    bool is_help = !strcmp(name, "--help") || !strcmp(name, "-h");
    bool is_completion = !strcmp(name, OPTIONS_COMPLETE);
    if (is_help && argc == 2) {
        print_help(stdout);
        return STATUS_DONE;
    }
    if (is_completion && argc == 3) {
        for (size_t i = 0; i < N_ACTIONS; i++)
            options_print_candidate(actions[i].name, argv[2], actions[i].summary, stdout);
        return STATUS_DONE;
    }
    if (is_help || (is_completion && argc > 3)) { // of the action, which comes after it
        argv[1] = argv[2];
        argv[2] = (char *)name;
        name = argv[1];
    }
    const char *names[N_ACTIONS];
    for (size_t i = 0; i < N_ACTIONS; i++) {
        if (!strcmp(actions[i].name, name))
            return actions[i].run(argc - 1, argv + 1);
        names[i] = actions[i].name;
    }
    log_error("pagoda store has no action `%s`%s (`pagoda store --help` lists them)", name,
              spelling_hint(name, names, N_ACTIONS, "; did you mean `%s`?", "").text);
    return STATUS_USAGE;
}

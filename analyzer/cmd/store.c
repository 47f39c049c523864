// SPDX-License-Identifier: BSD-3-Clause
// `pagoda store`: its actions, and those that look into a database or remove from it; the others
// are in store/. Nothing is computed here: db/trials.h reads, this prints.
#include "analyzer/cmd/commands.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
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

// --- what the database says of itself as JSON

static void release_json(json_t **object)
{
    json_decref(*object);
}

/// The member KEY of OBJECT: a text, "" where there is none.
static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static uint64_t count_of(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

/// The same of any number, NAN where there is none.
static double number_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/// printf without control characters; what ends the line comes by itself.
static void print_line(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void print_line(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    SCOPED char *line = memory_format_list(format, arguments);
    va_end(arguments);
    SCOPED char *clean = utf8_clean(line);
    puts(clean);
}

/// Prints JSON, which is freed and may be NULL, through PRINT, which gets USER; without one as it
/// is.
static void print_json(char *json, void (*print)(const json_t *read, const void *user),
                       const void *user)
{
    SCOPED char *whole = json;
    SCOPED char *clean = json && print ? utf8_clean(json) : NULL; // names of damaged files
    SCOPED_BY(release_json) json_t *read = clean ? json_loads(clean, JSON_ALLOW_NUL, NULL) : NULL;
    if (read)
        print(read, user);
    else if (json)
        puts(json);
}

// --- tables

/// A column: what it adds to a row is of the member KEY of an object, or of all of that.
struct column {
    const char *title, *key;
    void (*add)(struct table *table, const json_t *object, const char *key);
};

static void add_text(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%s", text_of(object, key));
}

static void add_count(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%" PRIu64, count_of(object, key));
}

static void add_time(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%s", quantity_time(count_of(object, key)).text);
}

static void add_share(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%s", quantity_share(number_of(object, key)).text);
}

static void add_number(struct table *table, const json_t *object, const char *key)
{
    table_add_cell(table, "%.2f", number_of(object, key));
}

/// "2026-11-21T05:52:28Z" as a person writes it, without the seconds.
static void add_date(struct table *table, const json_t *object, const char *key)
{
    const char *time = text_of(object, key);
    if (strlen(time) < strlen("2026-11-21T05:52"))
        table_add_cell(table, "-");
    else
        table_add_cell(table, "%.10s %.5s", time, time + 11);
}

static void add_role_and_kind(struct table *table, const json_t *attribute, const char *key)
{
    const char *role = text_of(attribute, "role");
    table_add_cell(table, "%s%s%s", role, *role ? " " : "", text_of(attribute, key));
}

static void add_in_unit(struct table *table, const json_t *metric, const char *key)
{
    const char *unit = text_of(metric, "unit");
    double value = number_of(metric, key);
    if (!strcmp(unit, "share"))
        table_add_cell(table, "%s", quantity_share(value).text);
    else if (!strcmp(unit, "ns"))
        table_add_cell(table, "%s", quantity_time((uint64_t)fmax(value, 0)).text);
    else
        table_add_cell(table, "%g %s", value, unit);
}

static void add_wait_state(struct table *table, const json_t *state, const char *key)
{
    bool is_top = json_is_true(json_object_get(state, "is_top"));
    table_add_cell(table, "%s%s", text_of(state, key), is_top ? "" : " (part of another)");
}

enum { MAX_COLUMNS = 9 };

/// The first TOP objects of ARRAY, a row each with COLUMNS, below TITLE if that is not NULL.
static void print_rows(const char *title, const json_t *array,
                       const struct column columns[MAX_COLUMNS], uint64_t top)
{
    struct table table = {0};
    for (size_t k = 0; k < MAX_COLUMNS && columns[k].title; k++)
        table_add_columns(&table, columns[k].title);
    for (size_t i = 0; i < json_array_size(array) && i < top; i++)
        for (size_t k = 0; k < table.n_columns; k++)
            columns[k].add(&table, json_array_get(array, i), columns[k].key);
    if (title)
        printf("\n%s\n", title);
    table_print(&table, title ? 2 : 0, 0, stdout);
}

static const struct column of_trials[MAX_COLUMNS] = {
    {"number", "id", add_count},
    {"<application", "application", add_text},
    {"<experiment", "experiment", add_text},
    {"ranks", "ranks", add_count},
    {"time", "time_ns", add_time},
    {"efficiency", "parallel_efficiency", add_share},
    {"<started (UTC)", "started_at", add_date},
    {"<origin", "origin", add_text},
    {"<trial", "trial", add_text},
};
static const struct column of_points[MAX_COLUMNS] = {
    {"<application", "application", add_text},
    {"<experiment", "experiment", add_text},
    {"<state", "state", add_text},
    {"<point", "point", add_text},
    {"<reason", "reason", add_text},
};
static const struct column of_attributes[MAX_COLUMNS] = {{"<kind", "kind", add_role_and_kind},
                                                         {"<name", "name", add_text},
                                                         {"<value", "value", add_text}};
static const struct column of_metrics[MAX_COLUMNS] = {{"<metric", "metric", add_text},
                                                      {"value", "value", add_in_unit}};
static const struct column of_wait_states[MAX_COLUMNS] = {
    {"count", "count", add_count},
    {"time", "wait_ns", add_time},
    {"severity", "severity", add_share},
    {"confidence", "confidence", add_number},
    {"<wait state", "property", add_wait_state},
};
static const struct column of_regions[MAX_COLUMNS] = {
    {"visits", "visits", add_count},
    {"inclusive", "inclusive_ns", add_time},
    {"exclusive", "exclusive_ns", add_time},
    {"<region", "region", add_text},
    {"<file", "file", add_text},
};

// --- list

static void print_list(const json_t *list, const void *user)
{
    const struct trial_filter *filter = user;
    const json_t *trials = json_object_get(list, "trials");
    const json_t *points = json_object_get(list, "points_not_run");
    if (json_array_size(trials) > 0)
        print_rows(NULL, trials, of_trials, UINT64_MAX);
    else
        printf("no trials%s\n", filter->application || filter->experiment ? " of that name" : "");
    if (json_array_size(points) > 0)
        print_rows("Points of sweeps without a trial", points, of_points, UINT64_MAX);
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
    status = trials_read_json(argv[first], &filter, &json, &err);
    print_json(json, wants_json ? NULL : print_list, &filter);
    trial_path_release(&of);
    return log_outcome(status, false, &err);
}

// --- show

static void print_prediction(const json_t *trial)
{
    const json_t *prediction = json_object_get(trial, "prediction");
    if (json_is_null(prediction))
        return;
    print_line("predicted by pagoda replay %s", text_of(prediction, "change"));
    uint64_t measured_ns = count_of(prediction, "measured_ns");
    if (measured_ns == 0) {
        printf("from a measured trial that is not in this database\n");
        return;
    }
    double change = (double)count_of(trial, "time_ns") / (double)measured_ns - 1;
    print_line("from %s, measured: %s (%+.1f %%); replay error %+.2f %%",
               text_of(prediction, "measured_trial"), quantity_time(measured_ns).text, 100 * change,
               100 * number_of(prediction, "replay_error"));
}

static void print_interval(const json_t *interval)
{
    if (json_is_null(interval))
        return;
    bool has_run = !isnan(number_of(interval, "share_of_run"));
    print_line("interval %s: from %s to %s of the run%s%s%s%s%s", text_of(interval, "name"),
               quantity_time(count_of(interval, "begin_ns")).text,
               quantity_time(count_of(interval, "end_ns")).text, has_run ? " " : "",
               has_run ? text_of(interval, "run") : "", has_run ? ", " : "",
               has_run ? quantity_share(number_of(interval, "share_of_run")).text : "",
               has_run ? " of it" : "");
}

static void print_trial(const json_t *trial, const void *user)
{
    const uint64_t *top = user;
    const char *started_at = text_of(trial, "started_at");
    bool is_interval = !json_is_null(json_object_get(trial, "interval"));
    print_line("trial %" PRIu64 ": %s (%s)", count_of(trial, "id"), text_of(trial, "trial"),
               text_of(trial, "origin"));
    print_line("application %s, experiment %s", text_of(trial, "application"),
               text_of(trial, "experiment"));
    print_line("%s%s%sstored %s", *started_at ? "started " : "", started_at,
               *started_at ? ", " : "", text_of(trial, "stored_at"));
    print_line("trace %s", text_of(trial, "trace"));
    print_prediction(trial);
    print_interval(json_object_get(trial, "interval"));
    printf("%s on %s, %s, %s%s, %s, %s; %s stored\n",
           quantity_count(count_of(trial, "ranks"), "rank").text,
           quantity_count(count_of(trial, "nodes"), "node").text,
           quantity_time(count_of(trial, "time_ns")).text, is_interval ? "trace of " : "",
           quantity_count(count_of(trial, "events"), "event").text,
           quantity_count(count_of(trial, "messages"), "message").text,
           quantity_count(count_of(trial, "collectives"), "collective").text,
           quantity_count(count_of(trial, "values"), "value").text);
    const json_t *warnings = json_object_get(trial, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++)
        print_line("warning: %s [%s]", text_of(json_array_get(warnings, i), "text"),
                   text_of(json_array_get(warnings, i), "code"));
    print_rows("What was run", json_object_get(trial, "attributes"), of_attributes, UINT64_MAX);
    print_rows("The whole program", json_object_get(trial, "metrics"), of_metrics, UINT64_MAX);
    const json_t *states = json_object_get(trial, "wait_states");
    if (json_array_size(states) > 0)
        print_rows("Wait states", states, of_wait_states, UINT64_MAX);
    else
        printf("\nNo wait states\n");
    const json_t *regions = json_object_get(trial, "regions");
    print_rows("Time by region, all ranks together", regions, of_regions, *top);
    if (json_array_size(regions) > *top)
        printf("  ... and %s more (--top)\n",
               quantity_count(json_array_size(regions) - *top, "region").text);
    SCOPED char *conclusion = utf8_clean(text_of(trial, "conclusion"));
    if (*conclusion) {
        printf("\n");
        print_paragraph(conclusion, 0, 0, text_options_for(stdout).width, stdout);
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
    char *json = NULL;
    status = trial_read_json(argv[first], argv[first + 1], &json, &err);
    print_json(json, wants_json ? NULL : print_trial, &top);
    return log_outcome(status, false, &err);
}

// --- remove, and which action it is

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

// SPDX-License-Identifier: BSD-3-Clause
// `pagoda store`: its actions, and those that look into a database or remove from it; the others
// are in store_transfer.c. Nothing is computed here: db/trials.h reads.
#include "analyzer/cmd/commands.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/report/report.h"
#include "db/names.h"
#include "db/store.h"
#include "db/trials.h"

static const char trial_help[] =
    "DB is an experiment database, as `pagoda replay --store DB` makes it. TRIAL is\n"
    "a trial's name, EXPERIMENT/TRIAL, APPLICATION/EXPERIMENT/TRIAL, or its number\n"
    "in the list.\n";

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
    SCOPED_BY(trial_path_release) struct trial_path of = {0};
    if (trial_path_read_experiment(&of, as, &err))
        return options_usage_error(&usage, "%s", err.text);
    const struct trial_filter filter = {of.application, of.experiment};
    SCOPED char *json = NULL;
    status = trials_read_json(argv[first], &filter, &json, &err);
    if (status == 0 && wants_json)
        puts(json);
    else if (status == 0)
        text_print_trials(json, of.application || of.experiment, stdout);
    return log_outcome(status, false, &err);
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
    SCOPED char *json = NULL;
    status = trial_read_json(argv[first], argv[first + 1], &json, &err);
    if (status == 0 && wants_json)
        puts(json);
    else if (status == 0)
        text_print_trial(json, top, stdout);
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
    SCOPED_BY(trial_path_release) struct trial_path of = {0};
    if (n_named == 0 && !as)
        return options_usage_error(&usage, "name what to remove: TRIAL, or --as EXPERIMENT");
    if (n_named > 0 && as)
        return options_usage_error(&usage, "--as removes all of an experiment; name no trial with "
                                           "it, or say APPLICATION/EXPERIMENT/TRIAL");
    if (trial_path_read_experiment(&of, as, &err))
        return options_usage_error(&usage, "%s", err.text);
    const struct trial_filter filter = {of.application, of.experiment};
    if (as && !of.application && !of.experiment)
        return options_usage_error(&usage, "--as %s names no experiment", as);
    SCOPED_BY(removal_release) struct removal removed;
    status = removal_run(argv[first], as ? &filter : NULL, (const char *const *)argv + first + 1,
                         n_named, &removed, &err);
    print_removed(&removed);
    return log_outcome(status, false, &err);
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
    size_t action = FIND_BY(actions, N_ACTIONS, name, name);
    if (action < N_ACTIONS)
        return actions[action].run(argc - 1, argv + 1);
    SCOPED const char **names = NAMED_NAMES(actions, N_ACTIONS);
    log_error("pagoda store has no action `%s`%s (`pagoda store --help` lists them)", name,
              spelling_hint(name, names, N_ACTIONS, "; did you mean `%s`?", "").text);
    return STATUS_USAGE;
}

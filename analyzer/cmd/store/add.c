// SPDX-License-Identifier: BSD-3-Clause
// See add.h. Each archive is replayed once, in measured time, and stored in a transaction of its
// own.
#include "analyzer/cmd/store/add.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/cmd/interval_trials.h"
#include "analyzer/replay/interval.h"
#include "analyzer/replay/named_values.h"
#include "analyzer/replay/replay_run.h"
#include "db/store.h"

struct add_request {
    const char *database;
    struct store_names names;
    struct option_list parameters, versions; // NAME=VALUE
    struct option_list pattern_files, intervals;
};

static int add_intervals(const struct add_request *request, const struct catalogue *catalogue,
                         const char *trace, bool *is_unreadable, struct error *err)
{
    const struct replay_intervals wishes = {.trace = trace,
                                            .texts = &request->intervals,
                                            .catalogue = catalogue,
                                            .database = request->database,
                                            .names = &request->names};
    int status = replay_intervals(&wishes, is_unreadable, err);
    if (status == 0)
        printf("added intervals of %s\n", trace);
    return status;
}

static int add_one(const struct add_request *request, const struct catalogue *catalogue,
                   const char *trace, bool *is_unreadable, struct error *err)
{
    struct replay_run run;
    if (request->intervals.count > 0)
        return add_intervals(request, catalogue, trace, is_unreadable, err);
    int status = replay_run_open(&run, trace, err);
    if (status == 0)
        status = replay_run(&run, catalogue, NULL, false, "replaying", err);
    if (status == 0)
        status = store_result(request->database, &run.result, &request->names, err);
    if (status == 0) {
        *is_unreadable |= damage_warn(&run.result);
        printf("added %s\n", trace);
    }
    replay_run_release(&run);
    return status;
}

static int add_all(const struct add_request *request, char *const *traces, size_t n_traces,
                   bool *is_unreadable, struct error *err)
{
    struct catalogue *catalogue =
        catalogue_load_shipped(request->pattern_files.values, request->pattern_files.count, err);
    int status = catalogue ? 0 : -1;
    for (size_t i = 0; i < n_traces && status == 0; i++)
        status = add_one(request, catalogue, traces[i], is_unreadable, err);
    catalogue_free(catalogue);
    return status;
}

static int run(struct add_request *request, char *const *traces, size_t n_traces)
{
    struct result_named *parameters = named_values_read(&request->parameters);
    struct result_named *versions = named_values_read(&request->versions);
    struct error err;
    bool is_unreadable = false;
    request->names.parameters = parameters;
    request->names.n_parameters = request->parameters.count;
    request->names.versions = versions;
    request->names.n_versions = request->versions.count;
    int status = add_all(request, traces, n_traces, &is_unreadable, &err);
    if (status)
        log_error("%s", err.text);
    named_values_free(parameters, request->parameters.count);
    named_values_free(versions, request->versions.count);
    return status ? STATUS_FAILED : is_unreadable ? STATUS_UNREADABLE : STATUS_DONE;
}

/// The first of INTERVALS that is none, and WHY; NULL without.
static const char *malformed_interval(const struct option_list *intervals, struct error *why)
{
    for (size_t i = 0; i < intervals->count; i++)
        if (interval_check(intervals->values[i], why))
            return intervals->values[i];
    return NULL;
}

int store_add(int argc, char **argv)
{
    struct add_request request = {0};
    struct trial_path path = {0};
    const char *as = NULL;
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("as", 0, "TRIAL", &as,
                        "name of the run; [APPLICATION/]EXPERIMENT/ may stand before it, or alone "
                        "for several traces",
                        "the trace's name and date"),
        OPTION_LIST_ROW("parameter", 0, "NAME=VALUE", &request.parameters,
                        "a parameter of the runs, such as size=1024 or size=1024:problem"),
        OPTION_LIST_ROW("version", 0, "NAME=VALUE", &request.versions,
                        "a version of what was run, such as solver=2.1"),
        OPTION_LIST_ROW(
            "interval", 0, "WHAT", &request.intervals,
            "instead of the run this part of it: 1s:2s, REGION, REGION#3, REGION#* ..."),
        OPTION_LIST_ROW("patterns", 0, "FILE", &request.pattern_files,
                        "look for the patterns in this file too"),
    };
    const struct option_usage usage = {
        .command = "store add",
        .operands = "DB TRACE...",
        .summary = "Replays traces and keeps the runs in an experiment database",
        .details = "As `pagoda replay TRACE --store DB`, without the report.\n",
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .min_operands = 2,
        .max_operands = -1,
    };
    struct error why = {{0}};
    int first, status;
    if (options_parse(&usage, argc, argv, &first, &status)) {
        const char *interval = malformed_interval(&request.intervals, &why);
        request.database = argv[first];
        trial_path_read(&path, as);
        request.names = store_names_of(&path);
        if (interval)
            status = options_usage_error(&usage, "--interval: %s", why.text);
        else if (named_values_check("parameter", &request.parameters, &why) != 0 ||
                 named_values_check("version", &request.versions, &why) != 0)
            status = options_usage_error(&usage, "%s", why.text);
        else if (request.names.trial && argc - first > 2)
            status = options_usage_error(
                &usage, "--as %s names one run: give one trace, or end it with /", as);
        else
            status = run(&request, argv + first + 1, (size_t)(argc - first - 1));
    }
    trial_path_release(&path);
    options_list_release(&request.parameters);
    options_list_release(&request.versions);
    options_list_release(&request.pattern_files);
    options_list_release(&request.intervals);
    return status;
}

// SPDX-License-Identifier: BSD-3-Clause
// `pagoda scaling`: reads stored trials in series, has their scalability computed, prints it.
#include "analyzer/cmd/commands.h"

#include <errno.h>
#include <langinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/cmd/compared_traces.h"
#include "analyzer/compare/scaling.h"
#include "analyzer/report/report.h"
#include "db/database.h"
#include "db/names.h"
#include "db/trials.h"

struct request {
    struct scaling_choice choice;
    struct option_list ignored, property_files;
    double threshold_percent;
    uint64_t top;
    const char *svg;
    bool is_strong, is_weak, wants_json, wants_csv, wants_properties;
};

static const char details[] =
    "DB is an experiment database, as `pagoda sweep` or `pagoda replay --store DB`\n"
    "makes it. TRIALS are trials as in `pagoda diff`: a name, a pattern (\"n=*\") or\n"
    "an attribute (NAME=VALUE); without any, all measured ones. Trials with the same\n"
    "value are repetitions. Traces that are not stored are replayed.\n";

static int print_svg(const struct scaling_page *page, const char *path, struct error *err)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return error_set(err, "cannot write %s: %s", path, strerror(errno));
    svg_print_scaling(page, file);
    bool is_bad = ferror(file);
    if (fclose(file) != 0 || is_bad)
        return error_set(err, "cannot write %s: %s", path, strerror(errno));
    return 0;
}

/// Says which trials were left out, and which are of damaged traces. 0, or -1 and ERR.
static int warn(struct database *database, const struct scaling_page *page, struct error *err)
{
    int status = 0;
    if (page->n_without_parameter)
        log_warning("%s without a parameter %s left out",
                    quantity_count(page->n_without_parameter, "trial").text, page->by);
    if (page->n_alone)
        log_warning("%s left out, with no other that differs in %s only",
                    quantity_count(page->n_alone, "trial").text, page->by);
    for (size_t i = 0; page->database && i < page->n_series; i++) { // of traces: said when read
        const struct scaling *scaling = page->series[i].scaling;
        for (size_t j = 0; j < scaling->n_trials && status == 0; j++)
            status = damage_warn_of_trial(database, scaling->trials[j].id, err);
    }
    return status;
}

static int print_page(const struct request *request, const struct scaling_page *page,
                      struct error *err)
{
    if (request->svg && print_svg(page, request->svg, err))
        return -1;
    const struct scaling_text_options options = {
        .top = request->top,
        .width = text_options_for(stdout).width,
        .has_sparklines = isatty(STDOUT_FILENO) && strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    };
    if (request->wants_json)
        json_print_scaling(page, stdout);
    else if (request->wants_csv)
        csv_print_scaling(page, stdout);
    else
        text_print_scaling(page, &options, stdout);
    return 0;
}

/// DATABASE is the one to read, NAME what the report calls it (NULL: nothing).
static int run_on_database(const char *path, const char *name, const struct request *request,
                           struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    SCOPED_BY(scaling_series_release)
    struct scaling_page page = {
        .database = name, .by = request->choice.by, .threshold = request->threshold_percent / 100};
    if (database_open_snapshot(&database, path, err))
        return -1;
    int status = scaling_series_read(database, &request->choice, &page, err);
    if (status == 0)
        status = warn(database, &page, err);
    if (status == 0 && (request->wants_properties || request->property_files.count))
        status = scaling_properties_find(database, &request->property_files, &page, err);
    if (status == 0)
        status = print_page(request, &page, err);
    return status;
}

static int run_scaling(char **operands, size_t n, struct request *request)
{
    struct error err;
    struct compared_traces traces = {0};
    int status;
    if (is_trace(operands[0])) {
        status = compared_traces_replay(&traces, operands, n, &err);
        request->choice.selectors = operands;
        request->choice.n_selectors = n;
        if (status == 0)
            status = run_on_database(traces.database, NULL, request, &err);
    } else {
        request->choice.selectors = operands + 1;
        request->choice.n_selectors = n - 1;
        status = run_on_database(operands[0], operands[0], request, &err);
    }
    status = log_outcome(status, traces.has_unreadable_records, &err);
    compared_traces_remove(&traces);
    return status;
}

static int check_request(const struct option_usage *usage, const struct request *request)
{
    if (request->is_strong && request->is_weak)
        return options_usage_error(usage, "--strong and --weak exclude each other");
    if (request->wants_json && request->wants_csv)
        return options_usage_error(usage, "--json and --csv exclude each other");
    if (!(request->threshold_percent > 0 && request->threshold_percent <= 100))
        return options_usage_error(usage, "--threshold must be above 0 and at most 100 (percent)");
    return STATUS_DONE;
}

int cmd_scaling(int argc, char **argv)
{
    const char *as = NULL;
    SCOPED_BY(trial_path_release) struct trial_path path = {0};
    struct error err;
    struct request request = {.choice = {.by = "ranks"}, .threshold_percent = 80, .top = 12};
    const struct option_row rows[] = {
        OPTION_TEXT_ROW(
            "by", 0, "ranks|nodes|NAME", &request.choice.by,
            "what grows: ranks, nodes, or a parameter of the trials", "ranks",
            .manual =
                "A parameter of the trials is given by --parameter of pagoda-replay(1) or by a "
                "sweep; what-if options are parameters of predictions. Its values must be numbers, "
                "perhaps with a unit of time or of size; they then count as seconds or bytes."),
        OPTION_FLAG_ROW("strong", 0, &request.is_strong,
                        "strong scaling: all ranks together have the same work"),
        OPTION_FLAG_ROW("weak", 0, &request.is_weak, "weak scaling: each rank has the same work"),
        OPTION_TEXT_ROW("as", 0, "EXPERIMENT", &as,
                        "only trials of this experiment; APPLICATION/ may precede it", NULL),
        OPTION_LIST_ROW("ignore", 0, "NAME", &request.ignored,
                        "runs that differ in this parameter are repetitions of one another"),
        OPTION_NUMBER_ROW("threshold", 0, "PERCENT", &request.threshold_percent,
                          "scaling is broken where the efficiency is below this percentage", "80"),
        OPTION_FLAG_ROW("properties", 0, &request.wants_properties,
                        "also evaluate the bundled properties of several runs",
                        .manual = "An example is a wait state that grows with the parameter. The "
                                  "most severe comes first, with severity and confidence from 0 to "
                                  "1. pagoda-patterns(5) says how properties are declared."),
        OPTION_LIST_ROW("property-file", 0, "FILE", &request.property_files,
                        "also evaluate the properties in FILE",
                        .manual = "A property with the id of another replaces it."),
        THREADS_ROW,
        OPTION_COUNT_ROW("top", 0, "N", &request.top, "show N rows of the growth table", "12"),
        OPTION_TEXT_ROW("svg", 0, "FILE", &request.svg,
                        "also draw a picture: speedup, efficiencies, largest parts", NULL),
        OPTION_FLAG_ROW(
            "csv", 0, &request.wants_csv, "print CSV instead of text",
            .manual =
                "There is a line for each number, with the columns series, parameter, x, ranks, "
                "kind (run, efficiency, region or wait-state), name, value, stddev, trials."),
        OPTION_FLAG_ROW("json", 0, &request.wants_json, "print JSON instead of text"),
    };
    static const struct option_group groups[] = {
        {"by", "series", NULL},
        {"threshold", "study", NULL},
        {"top", "output", NULL},
    };
    SCOPED_BY(options_release)
    const struct option_usage usage = {
        .command = "scaling",
        .operands = "DB [TRIALS...] | TRACE TRACE...",
        .summary = "Shows how runs scale, where scaling breaks, and what will dominate next",
        .details = details,
        OPTIONS_OF(rows),
        OPTION_GROUPS_OF(groups),
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (trial_path_read_experiment(&path, as, &err) != 0)
        return options_usage_error(&usage, "%s", err.text);
    status = check_request(&usage, &request);
    if (status != STATUS_DONE)
        return status;
    request.choice.application = path.application;
    request.choice.experiment = path.experiment;
    request.choice.ignored = &request.ignored;
    request.choice.asked = request.is_strong ? SCALING_ASKED_STRONG
                           : request.is_weak ? SCALING_ASKED_WEAK
                                             : SCALING_BY_PARAMETERS;
    return run_scaling(argv + first, (size_t)(argc - first), &request);
}

// SPDX-License-Identifier: BSD-3-Clause
// Each archive that is added is replayed once, in measured time, and stored in a transaction of its
// own. An export is an import into a new file.
#include "analyzer/cmd/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/advise/advise.h"
#include "analyzer/base/error.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options/options.h"
#include "analyzer/base/text.h"
#include "analyzer/base/threads.h"
#include "analyzer/cmd/compared_traces.h"
#include "analyzer/cmd/stored_trials.h"
#include "analyzer/replay/interval.h"
#include "analyzer/replay/named_values.h"
#include "db/database.h"
#include "db/import.h"
#include "db/names.h"
#include "db/profiles/profiles.h"
#include "db/query/selection.h"
#include "db/store.h"
#include "db/trials.h"

// --- add

struct add_request {
    const char *database;
    struct store_names names;
    struct option_list parameters, versions; // NAME=VALUE
    struct option_list pattern_files, intervals;
};

static int add_intervals(const struct add_request *request, const struct catalogue *catalogue,
                         const char *trace, bool *is_unreadable, struct error *err)
{
    const struct replay_intervals intervals = {.trace = trace,
                                               .texts = &request->intervals,
                                               .catalogue = catalogue,
                                               .database = request->database,
                                               .names = &request->names};
    int status = replay_intervals(&intervals, is_unreadable, err);
    if (status == 0)
        printf("added intervals of %s\n", trace);
    return status;
}

static int add_one(const struct add_request *request, const struct catalogue *catalogue,
                   const char *trace, bool *is_unreadable, struct error *err)
{
    if (request->intervals.count > 0)
        return add_intervals(request, catalogue, trace, is_unreadable, err);
    int status =
        trace_store(request->database, trace, catalogue, &request->names, is_unreadable, err);
    if (status == 0)
        printf("added %s\n", trace);
    return status;
}

static int add_all(const struct add_request *request, char *const *traces, size_t n_traces,
                   bool *is_unreadable, struct error *err)
{
    struct catalogue *catalogue =
        catalogue_load_shipped(request->pattern_files.values, request->pattern_files.count, err);
    int status = catalogue ? findings_check_remedies(catalogue, err) : -1;
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
    result_named_free(parameters, request->parameters.count);
    result_named_free(versions, request->versions.count);
    return log_outcome(status, is_unreadable, &err);
}

int store_add(int argc, char **argv)
{
    struct add_request request = {0};
    SCOPED_BY(trial_path_release) struct trial_path path = {0};
    const char *as = NULL;
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("as", 0, "TRIAL", &as,
                        "name of the run; [APPLICATION/]EXPERIMENT/ may precede it",
                        "the trace's name and date"),
        OPTION_LIST_ROW("parameter", 0, "NAME=VALUE", &request.parameters,
                        "a parameter of the runs, such as size=1024 or size=1024:problem"),
        OPTION_LIST_ROW("component", 0, "NAME=VERSION", &request.versions,
                        "the version of a component of the program, such as solver=2.1"),
        THREADS_ROW,
        OPTION_LIST_ROW("interval", 0, "WHAT", &request.intervals,
                        "store this part of the run instead: 1s:2s, REGION, REGION#3, REGION#*"),
        OPTION_LIST_ROW("patterns", 0, "FILE", &request.pattern_files,
                        "also look for the patterns in FILE"),
    };
    SCOPED_BY(options_release)
    const struct option_usage usage = {
        .command = "store add",
        .operands = "DB TRACE...",
        .summary = "Replays traces and stores the runs in an experiment database",
        .details =
            "Stores what `pagoda replay TRACE --store DB` stores, without a report. If there\n"
            "are several traces, --as EXPERIMENT/ names their experiment.\n",
        OPTIONS_OF(rows),
    };
    struct error why = {{0}};
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    request.database = argv[first];
    trial_path_read(&path, as);
    request.names = store_names_of(&path);
    if (intervals_check(&request.intervals, &why) != 0)
        return options_usage_error(&usage, "--interval: %s", why.text);
    if (named_values_check("parameter", &request.parameters, &why) != 0 ||
        named_values_check("component", &request.versions, &why) != 0)
        return options_usage_error(&usage, "%s", why.text);
    if (request.names.trial && argc - first > 2)
        return options_usage_error(&usage,
                                   "--as %s names one run: give one trace, or end it with /", as);
    return run(&request, argv + first + 1, (size_t)(argc - first - 1));
}

// --- export

/// Writes the trials that fulfil CONDITIONS to a new file, and where none is named the points
/// without one.
static int export_selected(const char *path, const char *output,
                           struct trial_conditions *conditions, struct error *err)
{
    struct import_source source = {.path = path,
                                   .has_points = conditions->selectors.count == 0,
                                   .application = conditions->application,
                                   .experiment = conditions->experiment};
    struct database *database;
    SCOPED_BY(trial_group_release) struct trial_group group = {0};
    SCOPED_BY(import_report_release) struct import_report report = {0};
    if (access(output, F_OK) == 0)
        return error_set(err, "%s exists already: `pagoda store import %s %s` adds to it", output,
                         output, path);
    conditions->may_be_none = source.has_points;
    if (database_open(&database, path, DATABASE_READ, err))
        return -1;
    int status = trial_selection_find(database, conditions, &group, err);
    database_close(database);
    source.trials = group.ids;
    source.n_trials = group.n_ids;
    if (status == 0)
        status = trials_import(output, &source, IMPORT_REFUSE, &report, err);
    return status;
}

int store_export(int argc, char **argv)
{
    struct trial_conditions conditions = {0};
    const char *output = NULL, *as = NULL;
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("output", 'o', "FILE", &output, "write to this new file", NULL),
        OPTION_TEXT_ROW(
            "as", 0, "EXPERIMENT", &as,
            "only trials of experiments that match this pattern; APPLICATION/ may precede it",
            NULL),
    };
    const struct option_usage usage = {
        .command = "store export",
        .operands = "DB [TRIAL...]",
        .summary = "Copies the named runs, or all, to a new database file",
        .details =
            "TRIAL is a name, a number, a pattern or PARAMETER=VALUE, as in `pagoda diff`.\n",
        OPTIONS_OF(rows),
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (!output)
        return options_usage_error(&usage, "name the file to write: -o FILE");
    conditions.selectors = (struct option_list){.values = (const char **)argv + first + 1,
                                                .count = (size_t)(argc - first - 1)};
    struct error err;
    SCOPED_BY(trial_path_release) struct trial_path of = {0};
    if (trial_path_read_experiment(&of, as, &err))
        return options_usage_error(&usage, "%s", err.text);
    conditions.application = of.application;
    conditions.experiment = of.experiment;
    status = export_selected(argv[first], output, &conditions, &err);
    return log_outcome(status, false, &err);
}

// --- import

static void print_report(const struct import_report *report)
{
    static const char *const texts[] = {
        [IMPORT_ADDED] = "added",
        [IMPORT_SAME] = "unchanged, is there already",
        [IMPORT_REPLACED] = "replaced the trial of that name",
        [IMPORT_RENAMED] = "added under a new name, the old one was taken",
    };
    for (size_t i = 0; i < report->n_trials; i++)
        printf("trial %" PRId64 ": %s %s\n", report->trials[i].id, report->trials[i].name,
               texts[report->trials[i].outcome]);
    if (report->n_points)
        printf("%s of sweeps without a trial added\n",
               quantity_count(report->n_points, "point").text);
}

enum file_kind { FILE_DATABASE, FILE_PROFILE, FILE_CSV, FILE_OTHER };

/// Tells by the begin of the file; a missing one is left to the database to complain about.
static enum file_kind kind_of(const char *path)
{
    char bytes[512];
    if (database_is_file(path))
        return FILE_DATABASE;
    if (profile_is_file(path))
        return FILE_PROFILE;
    SCOPED_FILE FILE *file = fopen(path, "re");
    size_t n_bytes = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    for (size_t i = 0; i < n_bytes; i++)
        if ((unsigned char)bytes[i] < '\t')
            return FILE_OTHER;
    return FILE_CSV;
}

static int read_csv(const char *path, const struct import_names *names, struct database **memory,
                    struct error *err)
{
    bool is_input = !strcmp(path, "-");
    const char *name = is_input ? "the standard input" : path;
    FILE *stream = is_input ? stdin : fopen(path, "re");
    int status = stream ? import_read_csv(stream, name, names, memory, err)
                        : error_set(err, "cannot open %s: %s", path, strerror(errno));
    if (stream && !is_input)
        fclose(stream);
    return status;
}

static int import_file(const char *database, const char *path, const struct import_names *names,
                       enum import_conflict conflict, struct error *err)
{
    struct import_source source = {.path = path, .has_all_trials = true, .has_points = true};
    SCOPED_BY(import_report_release) struct import_report report = {0};
    enum file_kind kind = strcmp(path, "-") ? kind_of(path) : FILE_CSV;
    int status = 0;
    if (kind == FILE_OTHER)
        status =
            error_set(err, "%s is neither a Pagoda database nor CSV, nor a known profile", path);
    if (kind == FILE_CSV || kind == FILE_PROFILE) {
        status = kind == FILE_CSV ? read_csv(path, names, &source.memory, err)
                                  : profile_import(path, names, &source.memory, err);
        source.path = NULL;
    }
    if (status == 0)
        status = trials_import(database, &source, conflict, &report, err);
    if (status == 0)
        print_report(&report);
    database_close(source.memory);
    return status ? error_wrap(err, "nothing was imported") : 0;
}

int store_import(int argc, char **argv)
{
    bool replaces = false, renames = false;
    const char *as = NULL, *origin = NULL;
    const struct option_row rows[] = {
        OPTION_FLAG_ROW("replace", 0, &replaces,
                        "replace a trial that has the same name but other contents"),
        OPTION_FLAG_ROW("rename", 0, &renames,
                        "if the name of a trial is taken, call it NAME-2, NAME-3 ..."),
        OPTION_TEXT_ROW(
            "as", 0, "TRIAL", &as,
            "name for CSV without these columns; [APPLICATION/]EXPERIMENT/ may precede it",
            "the file's name"),
        OPTION_TEXT_ROW("origin", 0, "WHAT", &origin,
                        "for CSV without this column: measured, predicted, threshold or interval",
                        "measured"),
    };
    const struct option_usage usage = {
        .command = "store import",
        .operands = "DB FILE...",
        .summary = "Adds all runs of other experiment databases, or values from CSV",
        .details =
            "FILE is a database, CSV (- is the standard input), or a profile: a Cube file of\n"
            "Score-P or Scalasca (.cubex, .cube), a text of gprof or mpiP, a file of TAU or\n"
            "a folder of its profile.*.*.*. Each is taken whole or not at all.\n",
        OPTIONS_OF(rows),
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (replaces && renames)
        return options_usage_error(&usage, "--replace and --rename exclude each other");
    enum import_conflict conflict = replaces  ? IMPORT_REPLACE
                                    : renames ? IMPORT_RENAME
                                              : IMPORT_REFUSE;
    struct error err;
    SCOPED_BY(trial_path_release) struct trial_path path = {0};
    trial_path_read(&path, as);
    const struct import_names names = {path.application, path.experiment, path.trial, origin};
    status = 0;
    for (int i = first + 1; i < argc && status == 0; i++)
        status = import_file(argv[first], argv[i], &names, conflict, &err);
    return log_outcome(status, false, &err);
}

int store_vacuum(int argc, char **argv)
{
    const struct option_usage usage = {
        .command = "store vacuum",
        .operands = "DB",
        .summary = "Checks an experiment database and makes its file as small as possible",
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    struct error err;
    uint64_t sizes[2];
    if (removal_vacuum(argv[first], sizes, &err))
        return log_outcome(-1, false, &err);
    printf("%s: %s before, ", argv[first], quantity_size(sizes[0]).text);
    printf("%s now\n", quantity_size(sizes[1]).text);
    return STATUS_DONE;
}

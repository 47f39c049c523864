// SPDX-License-Identifier: BSD-3-Clause
// See transfer.h. Databases are merged by exporting the one into a file that the other imports, so
// that there is one way in.
#include "analyzer/cmd/store/transfer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/log.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/options.h"
#include "analyzer/base/quantity.h"
#include "db/database.h"
#include "db/open.h"
#include "db/query/selection.h"
#include "db/removal.h"
#include "db/transfer/csv.h"
#include "db/transfer/export.h"
#include "db/transfer/points.h"
#include "db/trials.h"

// --- export

struct export_wishes {
    const char *database, *output, *format;
    const char *application, *experiment;
    const char *const *selectors;
    size_t n_selectors;
};

/// Writes the trials that fulfil CONDITIONS, and where none is named the points without one. 0, or
/// -1 and ERR.
static int write_selected(struct database *database, struct trial_conditions *conditions,
                          bool is_csv, FILE *stream, struct error *err)
{
    struct trial_group group = {0};
    char *points = NULL;
    size_t n_points = 0, size;
    int status = 0;
    FILE *points_stream = open_memstream(&points, &size);
    if (!is_csv && conditions->n_selectors == 0)
        status = points_export(database, conditions->application, conditions->experiment,
                               points_stream, &n_points, err);
    fclose(points_stream);
    conditions->may_be_none = n_points > 0;
    if (status == 0)
        status = trial_selection_find(database, conditions, &group, err);
    if (status == 0 && is_csv)
        status = trial_csv_export(database, &group, stream, err);
    if (status == 0 && !is_csv) {
        trial_export_begin(stream);
        fputs(points, stream);
    }
    for (size_t i = 0; i < group.n_ids && status == 0 && !is_csv; i++)
        status = trial_export(database, group.ids[i], stream, err);
    free(points);
    trial_group_release(&group);
    return status;
}

static int export_selected(const struct export_wishes *wishes, FILE *stream, struct error *err)
{
    struct trial_conditions conditions = {.selectors = wishes->selectors,
                                          .n_selectors = wishes->n_selectors,
                                          .application = wishes->application,
                                          .experiment = wishes->experiment};
    bool is_csv = wishes->format && !strcmp(wishes->format, "csv");
    struct database *database;
    if (database_open(&database, wishes->database, DATABASE_READ, err))
        return -1;
    // One transaction: all is of one state of the database.
    int status = database_run(database, "BEGIN", err);
    if (status == 0)
        status = write_selected(database, &conditions, is_csv, stream, err);
    database_close(database);
    return status;
}

/// Writes beside the file and renames, so that there is never half a file of that name.
static int export_to_file(const struct export_wishes *wishes, struct error *err)
{
    char *part = memory_format("%s.part", wishes->output);
    FILE *stream = fopen(part, "we");
    int status = stream ? export_selected(wishes, stream, err)
                        : error_set(err, "cannot write %s: %s", part, strerror(errno));
    if (stream) {
        bool is_written = !ferror(stream);
        is_written &= fclose(stream) == 0;
        if (status == 0 && (!is_written || rename(part, wishes->output)))
            status = error_set(err, "cannot write %s: %s", wishes->output, strerror(errno));
        if (status)
            unlink(part);
    }
    free(part);
    return status;
}

int store_export(int argc, char **argv)
{
    struct export_wishes wishes = {0};
    const struct option_row rows[] = {
        OPTION_TEXT_ROW("output", 'o', "FILE", &wishes.output, "write to this file", "-"),
        OPTION_TEXT_ROW("format", 0, "json|csv", &wishes.format,
                        "JSON lines, which are whole trials, or CSV, their values", "json"),
        OPTION_TEXT_ROW("application", 0, "NAME", &wishes.application, "only its trials", NULL),
        OPTION_TEXT_ROW("experiment", 0, "NAME", &wishes.experiment, "only its trials", NULL),
    };
    const struct option_usage usage = {
        .command = "store export",
        .operands = "DB [TRIAL...]",
        .summary = "Writes whole runs of an experiment database, all if none is named",
        .details = "TRIAL is chosen as in `pagoda diff`: a name, a number, a pattern or\n"
                   "PARAMETER=VALUE.\n",
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .min_operands = 1,
        .max_operands = -1,
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    if (wishes.format && strcmp(wishes.format, "json") && strcmp(wishes.format, "csv"))
        return options_usage_error(&usage, "--format %s: json or csv", wishes.format);
    wishes.database = argv[first];
    wishes.selectors = (const char *const *)argv + first + 1;
    wishes.n_selectors = (size_t)(argc - first - 1);
    struct error err;
    bool is_to_file = wishes.output && strcmp(wishes.output, "-");
    if (is_to_file ? export_to_file(&wishes, &err) : export_selected(&wishes, stdout, &err)) {
        log_error("%s", err.text);
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}

// --- import

static void print_report(const struct import_report *report)
{
    static const char *const texts[] = {
        [IMPORT_ADDED] = "added",
        [IMPORT_SAME] = "is there already, the same",
        [IMPORT_REPLACED] = "replaced the one of that name",
        [IMPORT_RENAMED] = "added, renamed: its name was taken",
    };
    for (size_t i = 0; i < report->n_trials; i++)
        printf("trial %" PRId64 ": %s %s\n", report->trials[i].id, report->trials[i].name,
               texts[report->trials[i].outcome]);
    if (report->n_points)
        printf("%s of sweeps without a trial added\n",
               quantity_count(report->n_points, "point").text);
}

int store_import_stream(const char *database, FILE *stream, const char *name,
                        enum import_conflict conflict, struct error *err)
{
    struct import_report report;
    int status = trials_import(database, stream, name, conflict, &report, err);
    if (status == 0)
        print_report(&report);
    import_report_release(&report);
    return status;
}

/// Appends the file at PATH, "-" for the standard input, to COPY. 0, or -1 and ERR.
static int append_file(const char *path, FILE *copy, struct error *err)
{
    bool is_input = !strcmp(path, "-");
    FILE *file = is_input ? stdin : fopen(path, "re");
    char bytes[65536];
    size_t n_bytes;
    if (!file)
        return error_set(err, "cannot open %s: %s", path, strerror(errno));
    while ((n_bytes = fread(bytes, 1, sizeof bytes, file)) > 0 &&
           fwrite(bytes, 1, n_bytes, copy) == n_bytes)
        continue;
    int status = 0;
    if (ferror(file))
        status = error_set(err, "cannot read %s: %s", path, strerror(errno));
    else if (ferror(copy))
        status = error_set(err, "cannot write a temporary file: %s", strerror(errno));
    if (!is_input)
        fclose(file);
    return status;
}

/// True when the file is CSV: its first byte begins no JSON object.
static bool is_csv(FILE *stream)
{
    int c = getc(stream);
    rewind(stream);
    return c != EOF && c != '{';
}

/// Imports one file. The standard input and CSV go through a temporary file: both passes want to
/// read from the start.
static int import_file(const char *database, const char *path, const struct trial_csv_names *names,
                       enum import_conflict conflict, struct error *err)
{
    bool is_input = !strcmp(path, "-");
    const char *name = is_input ? "the standard input" : path;
    FILE *stream = is_input ? tmpfile() : fopen(path, "re");
    if (!stream)
        return error_set(err, "cannot open %s: %s", name, strerror(errno));
    int status = is_input ? append_file(path, stream, err) : 0;
    rewind(stream);
    if (status == 0 && is_csv(stream)) {
        FILE *form = tmpfile();
        status = form ? trial_csv_convert(stream, name, names, form, err)
                      : error_set(err, "cannot make a temporary file: %s", strerror(errno));
        fclose(stream);
        stream = form;
        if (stream)
            rewind(stream);
        if (status)
            error_wrap(err, "nothing was imported");
    }
    if (status == 0)
        status = store_import_stream(database, stream, name, conflict, err);
    if (stream)
        fclose(stream);
    return status;
}

static bool read_conflict(const struct option_usage *usage, bool replaces, bool renames,
                          enum import_conflict *conflict, int *status)
{
    if (replaces && renames) {
        *status = options_usage_error(usage, "--replace and --rename exclude each other");
        return false;
    }
    *conflict = replaces ? IMPORT_REPLACE : renames ? IMPORT_RENAME : IMPORT_REFUSE;
    return true;
}

int store_import(int argc, char **argv)
{
    bool replaces = false, renames = false;
    struct trial_csv_names names = {0};
    const struct option_row rows[] = {
        OPTION_FLAG_ROW("replace", 0, &replaces, "a trial takes the place of another of its name"),
        OPTION_FLAG_ROW("rename", 0, &renames, "a trial whose name is taken gets another one"),
        OPTION_TEXT_ROW("application", 0, "NAME", &names.application,
                        "of CSV without such a column", "imported"),
        OPTION_TEXT_ROW("experiment", 0, "NAME", &names.experiment, "likewise", "default"),
        OPTION_TEXT_ROW("trial", 0, "NAME", &names.trial, "likewise", "the file's name"),
        OPTION_TEXT_ROW("origin", 0, "WHAT", &names.origin,
                        "likewise: measured, predicted, threshold or interval", "measured"),
    };
    const struct option_usage usage = {
        .command = "store import",
        .operands = "DB FILE...",
        .summary = "Reads whole runs that `pagoda store export` wrote, or values as CSV",
        .details = "FILE - is the standard input. Each file is taken whole or not at all.\n",
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .min_operands = 2,
        .max_operands = -1,
    };
    int first, status;
    enum import_conflict conflict;
    if (!options_parse(&usage, argc, argv, &first, &status) ||
        !read_conflict(&usage, replaces, renames, &conflict, &status))
        return status;
    struct error err;
    for (int i = first + 1; i < argc; i++)
        if (import_file(argv[first], argv[i], &names, conflict, &err)) {
            log_error("%s", err.text);
            return STATUS_FAILED;
        }
    return STATUS_DONE;
}

// --- merge, vacuum

/// Exports all trials of the databases to one temporary file and imports that.
static int merge(const char *database, char *const *sources, size_t n_sources,
                 enum import_conflict conflict, struct error *err)
{
    FILE *all = tmpfile();
    if (!all)
        return error_set(err, "cannot make a temporary file: %s", strerror(errno));
    int status = 0;
    for (size_t i = 0; i < n_sources && status == 0; i++)
        status = export_selected(&(struct export_wishes){.database = sources[i]}, all, err);
    if (status == 0 && (fflush(all) || ferror(all)))
        status = error_set(err, "cannot write a temporary file: %s", strerror(errno));
    rewind(all);
    if (status == 0)
        status = store_import_stream(database, all, n_sources == 1 ? sources[0] : "the databases",
                                     conflict, err);
    fclose(all);
    return status;
}

int store_merge(int argc, char **argv)
{
    bool replaces = false, renames = false;
    const struct option_row rows[] = {
        OPTION_FLAG_ROW("replace", 0, &replaces, "a trial takes the place of another of its name"),
        OPTION_FLAG_ROW("rename", 0, &renames, "a trial whose name is taken gets another one"),
    };
    const struct option_usage usage = {
        .command = "store merge",
        .operands = "DB FROM...",
        .summary = "Takes all runs of other experiment databases into DB, all or none",
        .rows = rows,
        .n_rows = sizeof rows / sizeof rows[0],
        .min_operands = 2,
        .max_operands = -1,
    };
    int first, status;
    enum import_conflict conflict;
    if (!options_parse(&usage, argc, argv, &first, &status) ||
        !read_conflict(&usage, replaces, renames, &conflict, &status))
        return status;
    struct error err;
    if (merge(argv[first], argv + first + 1, (size_t)(argc - first - 1), conflict, &err)) {
        log_error("%s", err.text);
        return STATUS_FAILED;
    }
    return STATUS_DONE;
}

int store_vacuum(int argc, char **argv)
{
    const struct option_usage usage = {
        .command = "store vacuum",
        .operands = "DB",
        .summary = "Checks an experiment database and makes its file as small as it can be",
        .min_operands = 1,
        .max_operands = 1,
    };
    int first, status;
    if (!options_parse(&usage, argc, argv, &first, &status))
        return status;
    struct error err;
    uint64_t sizes[2];
    if (removal_vacuum(argv[first], sizes, &err)) {
        log_error("%s", err.text);
        return STATUS_FAILED;
    }
    printf("%s: %s before, ", argv[first], quantity_size(sizes[0]).text);
    printf("%s now\n", quantity_size(sizes[1]).text);
    return STATUS_DONE;
}

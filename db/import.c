// SPDX-License-Identifier: BSD-3-Clause
// Attaches the other database and copies its trials (trial_copy.c). A trial whose name is taken is
// copied under another name, compared with the old one, and then kept or rolled back.
#include "db/import.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "db/writer.h"

struct import {
    struct trial_copy copy;
    const struct import_source *what;
    enum import_conflict conflict;
    struct import_report *report;
};

// --- trials

/// A trial of source and its copy.
struct copied {
    int64_t from, to;
    int64_t experiment; // in main
    char *application_name, *experiment_name, *name;
};

/// What the trial is called in source, and its experiment here.
static int read_names(struct import *import, struct copied *trial)
{
    static const char sql[] =
        "SELECT taken_text(a.name), taken_text(e.name), taken_text(t.name) FROM source.trial t "
        "JOIN source.experiment e ON e.id = t.experiment_id JOIN source.application a ON a.id = "
        "e.application_id WHERE t.id = ?1 AND a.name IS NOT NULL AND e.name IS NOT NULL AND t.name "
        "IS NOT NULL";
    struct error why;
    int row = database_ask(import->copy.database, &why, sql, "i>ttt", trial->from,
                           &trial->application_name, &trial->experiment_name, &trial->name);
    if (row == 0 && !import->what->has_all_trials)
        return error_set(import->copy.err, "%s has no trial %" PRId64 " any more",
                         import->copy.source.path, trial->from);
    if (row != 1)
        return trial_copy_damaged(&import->copy, "trial");
    return writer_experiment_id(import->copy.database, trial->application_name,
                                trial->experiment_name, &trial->experiment, import->copy.err);
}

/// *ID is the experiment's trial called NAME, 0 without one.
static int find_trial(struct import *import, int64_t experiment, const char *name, int64_t *id)
{
    *id = 0;
    int row = database_ask(import->copy.database, import->copy.err,
                           "SELECT id FROM main.trial WHERE experiment_id = ?1 AND name = ?2",
                           "is>i", experiment, name, id);
    return row < 0 ? -1 : 0;
}

/// Removes the OLD trial and gives its name to the new one. Predictions made from it are linked to
/// the trial of that name later.
static int replace_trial(struct import *import, const struct copied *trial, int64_t old)
{
    struct database *database = import->copy.database;
    struct error *err = import->copy.err;
    return database_do(database, err,
                       "UPDATE main.prediction SET measured_as = (SELECT " TRIAL_NAME " FROM "
                       "main.trials WHERE trial_id = ?1), measured_id = NULL "
                       "WHERE measured_id = ?1",
                       "i", old) ||
                   database_do(database, err, "DELETE FROM main.trial WHERE id = ?1", "i", old) ||
                   database_do(database, err, "UPDATE main.trial SET name = ?2 WHERE id = ?1", "is",
                               trial->to, trial->name)
               ? -1
               : 0;
}

/// Keeps, renames or drops a copied trial whose name the trial OLD has.
static int settle_conflict(struct import *import, const struct copied *trial, int64_t old,
                           enum import_outcome *outcome)
{
    bool is_same;
    if (trial_copy_compare(&import->copy, trial->to, old, &is_same))
        return -1;
    *outcome = is_same                              ? IMPORT_SAME
               : import->conflict == IMPORT_REPLACE ? IMPORT_REPLACED
                                                    : IMPORT_RENAMED;
    if (is_same)
        return database_run(import->copy.database, "ROLLBACK TO trial", import->copy.err);
    if (import->conflict == IMPORT_REFUSE)
        return error_set(
            import->copy.err,
            "%s has another trial \"%s\" in the experiment \"%s\": --replace replaces it, --rename "
            "keeps both",
            import->copy.database->path, trial->name, trial->experiment_name);
    return import->conflict == IMPORT_REPLACE ? replace_trial(import, trial, old) : 0;
}

/// Links predictions whose measured trial has been missing so far to this one.
static int settle_predictions(struct import *import, int64_t trial)
{
    return database_do(import->copy.database, import->copy.err,
                       "UPDATE main.prediction SET measured_id = ?1, measured_as = NULL WHERE "
                       "measured_id IS NULL AND measured_as = (SELECT " TRIAL_NAME " FROM "
                       "main.trials WHERE trial_id = ?1)",
                       "i", trial);
}

static void add_to_report(struct import *import, const struct copied *trial, const char *name,
                          int64_t id, enum import_outcome outcome)
{
    struct import_report *report = import->report;
    *ARRAY_NEXT(report->trials, report->n_trials, report->capacity) = (struct imported_trial){
        .id = id,
        .outcome = outcome,
        .name = memory_format("%s/%s/%s", trial->application_name, trial->experiment_name, name)};
}

static int take_trial(struct import *import, int64_t id)
{
    struct copied trial = {.from = id};
    enum import_outcome outcome = IMPORT_ADDED;
    int64_t old = 0;
    char *name = NULL; // of the copy where the name is taken
    int status = read_names(import, &trial) ||
                         find_trial(import, trial.experiment, trial.name, &old) ||
                         (old && !(name = writer_free_name(import->copy.database, trial.experiment,
                                                           trial.name, import->copy.err))) ||
                         database_run(import->copy.database, "SAVEPOINT trial", import->copy.err) ||
                         trial_copy(&import->copy, id, trial.experiment, name ? name : trial.name,
                                    &trial.to) ||
                         (old && settle_conflict(import, &trial, old, &outcome)) ||
                         database_run(import->copy.database, "RELEASE trial", import->copy.err) ||
                         settle_predictions(import, trial.to)
                     ? -1
                     : 0;
    if (status == 0)
        add_to_report(import, &trial, outcome == IMPORT_RENAMED ? name : trial.name,
                      outcome == IMPORT_SAME ? old : trial.to, outcome);
    FREE_ALL(name, trial.application_name, trial.experiment_name, trial.name);
    return status;
}

// --- points of sweeps

/// Keeps the later of two notes of a point, unless the point has a trial.
static int take_points(struct import *import)
{
#define POINTS                                                                                     \
    "source.point_not_run p JOIN source.experiment e ON e.id = p.experiment_id JOIN "              \
    "source.application a ON a.id = e.application_id"
#define PATTERNS "(?1 IS NULL OR a.name GLOB ?1) AND (?2 IS NULL OR e.name GLOB ?2)"
    static const char new_points[] =
        "CREATE TEMP TABLE new_point (experiment_id INTEGER, name TEXT NOT NULL, state TEXT NOT "
        "NULL, reason TEXT NOT NULL, noted_at TEXT NOT NULL, from_id INTEGER)";
    static const char *const steps[] = {
        new_points,
        "INSERT OR IGNORE INTO main.application (name) SELECT taken_text(a.name) FROM " POINTS
        " WHERE " PATTERNS,
        "INSERT OR IGNORE INTO main.experiment (application_id, name) SELECT m.id, "
        "taken_text(e.name) FROM " POINTS " JOIN main.application m ON m.name = a.name "
        "WHERE " PATTERNS,
        "INSERT INTO temp.new_point SELECT x.id, taken_text(p.name), taken_text(p.state), "
        "taken_text(p.reason), taken_text(p.noted_at), p.experiment_id FROM " POINTS
        " JOIN main.application m ON m.name = a.name JOIN main.experiment x ON x.application_id = "
        "m.id AND x.name = e.name WHERE " PATTERNS " AND NOT EXISTS (SELECT 1 FROM main.trial t "
        "WHERE t.experiment_id = x.id AND t.name = p.name) AND NOT EXISTS (SELECT 1 FROM "
        "main.point_not_run o WHERE o.experiment_id = x.id AND o.name = p.name AND o.noted_at >= "
        "p.noted_at) ORDER BY 1, 2",
        "DELETE FROM main.point_parameter WHERE (experiment_id, point) IN (SELECT experiment_id, "
        "name FROM temp.new_point)",
        "INSERT OR REPLACE INTO main.point_not_run SELECT experiment_id, name, state, reason, "
        "noted_at FROM temp.new_point",
        "INSERT INTO main.point_parameter SELECT n.experiment_id, n.name, taken_text(q.name), "
        "taken_text(q.value) FROM temp.new_point n JOIN source.point_parameter q ON "
        "q.experiment_id = n.from_id AND q.point = n.name",
        // In main points may have got a trial just now.
        "DELETE FROM main.point_not_run WHERE EXISTS (SELECT 1 FROM main.trial t WHERE "
        "t.experiment_id = point_not_run.experiment_id AND t.name = point_not_run.name)",
        "DELETE FROM main.point_parameter WHERE NOT EXISTS (SELECT 1 FROM main.point_not_run p "
        "WHERE p.experiment_id = point_parameter.experiment_id AND p.name = point)",
    };
    struct trial_copy *copy = &import->copy;
    int row = 0;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && row == 0; i++)
        row = database_do(copy->database, copy->err, steps[i], "ss", import->what->application,
                          import->what->experiment);
    if (row == 0)
        row = database_ask(copy->database, copy->err, "SELECT count(*) FROM temp.new_point", ">n",
                           &import->report->n_points);
    return trial_copy_blame(copy, "point_not_run", row) < 0 ? -1 : 0;
}

// --- the file

/// Lets SQLite check every page, which is cheap compared with reading all trials. SQLite takes a
/// truncated last page for one that ends in zeros, so the size is checked here.
static int check_pages(struct import *import)
{
    struct trial_copy *copy = &import->copy;
    int64_t page_bytes = 0;
    struct stat file;
    int row = database_ask(copy->database, copy->err, "PRAGMA source.page_size", ">i", &page_bytes);
    if (row == 1 && import->what->path && stat(import->what->path, &file) == 0 && page_bytes > 0 &&
        file.st_size % page_bytes != 0)
        return database_error(&copy->source, SQLITE_CORRUPT, copy->err);
    if (row == 1)
        row = database_is_sound(copy->database, copy->err, "PRAGMA source.quick_check(1)");
    if (row == 1)
        return 0;
    int code = row < 0 ? sqlite3_errcode(copy->database->handle) : SQLITE_CORRUPT;
    return database_error(&copy->source, code, copy->err);
}

static int take_chosen(struct import *import)
{
    const struct import_source *what = import->what;
    SCOPED int64_t *ids = NULL;
    size_t n_trials = what->n_trials;
    if (what->has_all_trials &&
        (check_pages(import) ||
         !(ids = database_rows(import->copy.database, import->copy.err, &n_trials,
                               "SELECT id FROM source.trial ORDER BY id", ">i"))))
        return -1;
    const int64_t *trials = ids ? ids : what->trials;
    int status = 0;
    for (size_t i = 0; i < n_trials && status == 0; i++)
        status = take_trial(import, trials[i]);
    if (status == 0 && what->has_points)
        status = take_points(import);
    if (status || n_trials > 0)
        return status;
    int row = database_ask(import->copy.database, import->copy.err,
                           "SELECT 1 FROM source.point_not_run", "");
    return row == 0  ? error_set(import->copy.err, "%s holds no trial", import->copy.source.path)
           : row < 0 ? -1
                     : 0;
}

/// With source attached.
static int take_all(struct import *import)
{
    struct database *database = import->copy.database;
    struct error *err = import->copy.err;
    // A removal needs the keys.
    if (import->conflict == IMPORT_REPLACE ? database_begin(database, err)
                                           : database_begin_adding(database, err))
        return -1;
    int status = trial_copy_prepare(&import->copy);
    if (status == 0)
        status = take_chosen(import);
    return database_end(database, status, err);
}

/// Imports into the database FILE, which may be missing or empty and is called PATH in messages.
static int import_into(const char *file, const char *path, struct import *import)
{
    const struct import_source *what = import->what;
    struct database *keeper = NULL;
    if (database_open_as(&import->copy.database, file, path, DATABASE_CREATE, import->copy.err))
        return -1;
    import->copy.source =
        (struct database){.handle = import->copy.database->handle,
                          .path = what->path ? (char *)what->path : what->memory->path};
    int status = 0;
    if (what->path)
        status = database_attach(import->copy.database, what->path, &keeper, import->copy.err);
    else
        status = database_attach_memory(import->copy.database, what->memory, import->copy.err);
    if (status == 0) {
        status = take_all(import);
        database_detach(import->copy.database, keeper);
    }
    // The write-ahead log would keep the name of a file that is not called PATH yet.
    if (status == 0 && file != path)
        status = database_run(import->copy.database, "PRAGMA wal_checkpoint(TRUNCATE)",
                              import->copy.err);
    database_close(import->copy.database);
    return status;
}

/// As import_into() for a PATH that is missing: the file gets its name when it is whole. 1 if
/// another process made one of that name meanwhile.
static int import_into_new(const char *path, struct import *import)
{
    SCOPED char *part = memory_format("%s.part-%ld", path, (long)getpid());
    database_scratch_begin(part);
    int status = import_into(part, path, import);
    // Some file systems have no links.
    if (status == 0 && link(part, path) != 0)
        status = errno == EEXIST ? 1
                 : rename(part, path) == 0
                     ? 0
                     : error_set(import->copy.err, "cannot write %s: %s", path, strerror(errno));
    database_scratch_end(part);
    return status;
}

static bool is_same_file(const char *path, const char *other)
{
    struct stat one, two;
    return other && stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_dev == two.st_dev &&
           one.st_ino == two.st_ino;
}

int trials_import(const char *path, const struct import_source *source,
                  enum import_conflict conflict, struct import_report *report, struct error *err)
{
    struct import import = {
        .what = source, .conflict = conflict, .report = report, .copy.err = err};
    int status = 1;
    *report = (struct import_report){0};
    if (is_same_file(path, source->path))
        status = error_set(err, "%s and %s are the same file", path, source->path);
    if (status == 1 && access(path, F_OK) != 0)
        status = import_into_new(path, &import);
    if (status == 1) {
        import_report_release(report);
        status = import_into(path, path, &import);
    }
    return status;
}

void import_report_release(struct import_report *report)
{
    FREE_MEMBERS(report->trials, report->n_trials, name);
    free(report->trials);
    *report = (struct import_report){0};
}

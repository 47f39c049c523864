// SPDX-License-Identifier: BSD-3-Clause
// Finds all that is chosen before it removes any, because a removal may change what a later name
// means. Foreign keys cascade to everything that refers to a trial.
#include "db/trials.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "db/database.h"
#include "db/names.h"

/// What will be removed.
struct choice {
    int64_t *trials;
    size_t n_trials, capacity;
    struct removal *removed; // has the points from the first
};

static void choose_trial(struct choice *choice, int64_t trial)
{
    for (size_t i = 0; i < choice->n_trials; i++)
        if (choice->trials[i] == trial)
            return; // named twice
    *ARRAY_NEXT(choice->trials, choice->n_trials, choice->capacity) = trial;
}

static int choose_named(struct database *database, struct choice *choice, const char *selector,
                        struct error *err)
{
    struct error why;
    struct point_list points;
    int64_t trial;
    if (trials_find(database, selector, &trial, err) == 0) {
        choose_trial(choice, trial);
        return 0;
    }
    if (points_find(database, selector, &points, &why)) {
        *err = why;
        return -1;
    }
    int status = points.n_rows == 1 ? 0 : -1; // none: with what trials_find() said
    if (points.n_rows > 1)
        error_set(err, "%s has more than one point \"%s\": give EXPERIMENT/POINT", database->path,
                  selector);
    if (status == 0)
        point_list_add(&choice->removed->points, &points.rows[0]);
    point_list_release(&points);
    return status;
}

static int choose_all(struct database *database, struct choice *choice,
                      const struct trial_filter *filter, struct error *err)
{
    if ((filter->application && names_check(database, "application", "SELECT name FROM application",
                                            filter->application, err)) ||
        (filter->experiment &&
         names_check(database, "experiment", "SELECT DISTINCT name FROM experiment",
                     filter->experiment, err)) ||
        points_select(database, filter->application, filter->experiment, &choice->removed->points,
                      err))
        return -1;
    size_t n;
    int64_t *trials = database_rows(database, err, &n,
                                    "SELECT trial_id FROM trials WHERE (?1 IS NULL OR "
                                    "application = ?1) AND (?2 IS NULL OR experiment = ?2) "
                                    "ORDER BY trial_id",
                                    "ss>i", filter->application, filter->experiment);
    for (size_t i = 0; i < n; i++)
        choose_trial(choice, trials[i]);
    free(trials);
    if (trials && choice->n_trials + choice->removed->points.n_rows == 0)
        return error_set(err, "%s has no trial and no point of that application and experiment",
                         database->path);
    return trials ? 0 : -1;
}

static int remove_trial(struct database *database, int64_t trial, struct trial_list *removed,
                        struct error *err)
{
    struct trial_summary summary;
    if (trial_summary_read(database, trial, &summary, err))
        return -1;
    trial_list_add(removed, summary);
    // The last trial takes its experiment along, and so the notes of its points.
    return database_do(database, err,
                       "DELETE FROM experiment WHERE id = (SELECT experiment_id FROM trial WHERE "
                       "id = ?1) AND (SELECT count(*) FROM trial WHERE experiment_id = "
                       "experiment.id) = 1",
                       "i", trial) ||
                   database_do(database, err, "DELETE FROM trial WHERE id = ?1", "i", trial)
               ? -1
               : 0;
}

static int remove_chosen(struct database *database, const struct choice *choice, struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < choice->removed->points.n_rows && status == 0; i++)
        status = points_remove(database, &choice->removed->points.rows[i], err);
    for (size_t i = 0; i < choice->n_trials && status == 0; i++)
        status = remove_trial(database, choice->trials[i], &choice->removed->trials, err);
    if (status)
        return -1;
    return database_run(
        database,
        "DELETE FROM experiment WHERE id NOT IN (SELECT experiment_id FROM trial) AND id NOT IN "
        "(SELECT experiment_id FROM point_not_run);"
        "DELETE FROM application WHERE id NOT IN (SELECT application_id FROM experiment)",
        err);
}

/// Removes resources that no trial has any more, and their foci. No value refers to them, so
/// foreign keys are off: they would search all values for each row.
static int forget_unused(struct database *database, struct error *err)
{
    if (database_begin_adding(database, err))
        return -1;
    int status = database_run(
        database,
        "CREATE TEMP TABLE unused AS SELECT id FROM resource WHERE parent_id IS NOT NULL AND "
        "parent_id <> 0 AND id NOT IN (SELECT resource_id FROM trial_resource);"
        "DELETE FROM focus WHERE call_path_id IN (SELECT id FROM unused) OR process_id IN (SELECT "
        "id FROM unused) OR code_id IN (SELECT id FROM unused) OR machine_id IN (SELECT id FROM "
        "unused) OR message_id IN (SELECT id FROM unused) OR other_id IN (SELECT id FROM unused);"
        "DELETE FROM resource WHERE id IN (SELECT id FROM unused)",
        err);
    return database_end(database, status, err);
}

int removal_run(const char *path, const struct trial_filter *filter, const char *const *selectors,
                size_t n_selectors, struct removal *removed, struct error *err)
{
    struct choice choice = {.removed = removed};
    struct database *database;
    *removed = (struct removal){0};
    if (database_open(&database, path, DATABASE_WRITE, err))
        return -1;
    int status = database_begin(database, err);
    for (size_t i = 0; i < n_selectors && status == 0; i++)
        status = choose_named(database, &choice, selectors[i], err);
    if (filter && status == 0)
        status = choose_all(database, &choice, filter, err);
    if (status == 0)
        status = remove_chosen(database, &choice, err);
    status = database_end(database, status, err);
    // If this fails, unused rows take space until a later removal.
    if (status == 0)
        forget_unused(database, NULL);
    else
        removal_release(removed);
    free(choice.trials);
    database_close(database);
    return status;
}

void removal_release(struct removal *removed)
{
    trial_list_release(&removed->trials);
    point_list_release(&removed->points);
}

/// Whether SQLite finds the whole file sound.
static int check_soundness(struct database *database, struct error *err)
{
    bool is_sound = false;
    const char *sql = "SELECT integrity_check = 'ok' FROM pragma_integrity_check(1)";
    int row = database_ask(database, err, sql, ">b", &is_sound);
    if (row < 0)
        return -1;
    return is_sound ? 0 : database_error(database, SQLITE_CORRUPT, err);
}

static uint64_t file_size(const char *path)
{
    struct stat status;
    return stat(path, &status) ? 0 : (uint64_t)status.st_size;
}

int removal_vacuum(const char *path, uint64_t sizes[2], struct error *err)
{
    struct database *database;
    if (database_open(&database, path, DATABASE_WRITE, err))
        return -1;
    // What the log holds belongs to the size before.
    int status = database_run(database, "PRAGMA wal_checkpoint(TRUNCATE)", err);
    sizes[0] = file_size(path);
    if (status || check_soundness(database, err) || forget_unused(database, err) ||
        database_run(database, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", err))
        status = -1;
    database_close(database);
    sizes[1] = file_size(path);
    return status;
}

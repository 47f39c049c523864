// SPDX-License-Identifier: BSD-3-Clause
// Reading the views of the schema into structs or, by SQLite's own functions, into JSON. Each
// reader sees one state of the database, whatever others write meanwhile.
#include "db/trials.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "db/names.h"

/// Columns of a summary, from the view `trials`, with their letters (database.h).
#define SUMMARY_COLUMNS                                                                            \
    "trial_id, application, experiment, trial, origin, started_at, stored_at, n_ranks, time_ns, "  \
    "parallel_efficiency"
#define SUMMARY_LETTERS "ittttttnnd"
#define SUMMARY_OF(s)                                                                              \
    &(s)->id, &(s)->application, &(s)->experiment, &(s)->name, &(s)->origin, &(s)->started_at,     \
        &(s)->stored_at, &(s)->n_ranks, &(s)->time_ns, &(s)->parallel_efficiency

void trial_summary_release(struct trial_summary *summary)
{
    FREE_ALL(summary->application, summary->experiment, summary->name, summary->origin,
             summary->started_at, summary->stored_at);
}

void trial_list_release(struct trial_list *list)
{
    database_rows_free(list->trials, list->n_trials, SUMMARY_LETTERS);
    *list = (struct trial_list){0};
}

int trial_summary_read(struct database *database, int64_t id, struct trial_summary *summary,
                       struct error *err)
{
    int row =
        database_ask(database, err, "SELECT " SUMMARY_COLUMNS " FROM trials WHERE trial_id = ?1",
                     "i>" SUMMARY_LETTERS, id, SUMMARY_OF(summary));
    if (row == 0)
        error_set(err, "%s has no trial %" PRId64, database->path, id);
    return row == 1 ? 0 : -1;
}

int trial_attribute_read(struct database *database, int64_t id, const char *name, char **value,
                         struct error *err)
{
    *value = NULL;
    int row = database_ask(database, err,
                           "SELECT value FROM trial_attribute WHERE trial_id = ?1 AND name = ?2 "
                           "ORDER BY kind = 'environment', kind = 'version' LIMIT 1",
                           "is>t", id, name, value);
    return row < 0 ? -1 : 0;
}

/// Takes SUMMARY over.
static void add_summary(struct trial_list *list, struct trial_summary summary)
{
    *ARRAY_NEXT(list->trials, list->n_trials, list->capacity) = summary;
}

#define FILTER_CONDITION                                                                           \
    "(?1 IS NULL OR application = ?1) AND (?2 IS NULL OR experiment = ?2) ORDER BY trial_id"

int trials_read(const char *path, const struct trial_filter *filter, struct trial_list *list,
                struct error *err)
{
    *list = (struct trial_list){0};
    SCOPED_BY(database_leave) struct database *database = NULL;
    if (database_open_snapshot(&database, path, err))
        return -1;
    list->trials = database_rows(database, err, &list->n_trials,
                                 "SELECT " SUMMARY_COLUMNS " FROM trials WHERE " FILTER_CONDITION,
                                 "ss>" SUMMARY_LETTERS, filter->application, filter->experiment);
    return list->trials ? 0 : -1;
}

/// What SQL says of the trials that FILTER chooses (?1 and ?2), of the database PATH (?3).
static int ask_json(const char *path, const struct trial_filter *filter, const char *sql,
                    char **json, struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    if (database_open_snapshot(&database, path, err))
        return -1;
    int row = database_ask(database, err, sql, "sst>c", filter->application, filter->experiment,
                           path, json);
    return row == 1 ? 0 : -1;
}

#define SUMMARY_JSON                                                                               \
    "'id', trial_id, 'application', application, 'experiment', experiment, 'trial', trial, "       \
    "'origin', origin, 'started_at', started_at, 'stored_at', stored_at, 'ranks', n_ranks, "       \
    "'nodes', n_nodes, 'time_ns', time_ns, 'parallel_efficiency', parallel_efficiency, "           \
    "'trace', trace_path"

int trials_read_json(const char *path, const struct trial_filter *filter, char **json,
                     struct error *err)
{
    static const char sql[] =
        "SELECT json_object('schema', 1, 'database', ?3, 'trials', json_group_array(json(row)), "
        "'points_not_run', (SELECT json_group_array(json_object('application', application, "
        "'experiment', experiment, 'point', point, 'state', state, 'reason', reason)) FROM "
        "(SELECT * FROM points_not_run WHERE (?1 IS NULL OR application = ?1) AND (?2 IS NULL OR "
        "experiment = ?2) ORDER BY application, experiment, point))) "
        "FROM (SELECT json_object(" SUMMARY_JSON ") AS row FROM trials "
        "WHERE " FILTER_CONDITION ")";
    return ask_json(path, filter, sql, json, err);
}

#define ATTRIBUTES_JSON(kind)                                                                      \
    "json((SELECT json_group_object(name, value) FROM (SELECT name, value FROM trial_attribute "   \
    "WHERE trial_id = k.trial_id AND kind = '" kind "' ORDER BY name)))"

int trials_history_json(const char *path, const struct trial_filter *filter, char **json,
                        struct error *err)
{
    static const char sql[] =
        "WITH keyed AS (SELECT trials.*, coalesce(started_at, stored_at) AS begun_at, "
        "coalesce((SELECT group_concat(quote(name) || '=' || quote(value)) FROM (SELECT name, "
        "value FROM trial_attribute a WHERE a.trial_id = trials.trial_id AND kind = 'parameter' "
        "ORDER BY name)), '') AS parameters FROM trials WHERE (?1 IS NULL OR application = ?1) "
        "AND (?2 IS NULL OR experiment = ?2) AND origin IN ('measured', 'predicted')), "
        // Materialized by its order: the joins below would read the attributes anew for each pair.
        "ordered AS (SELECT * FROM keyed ORDER BY begun_at, trial_id LIMIT -1) "
        "SELECT json_object('schema', 1, 'database', ?3, 'trials', json_group_array(json(row))) "
        "FROM (SELECT json_object('id', k.trial_id, 'application', k.application, 'experiment', "
        "k.experiment, 'trial', k.trial, 'origin', k.origin, 'started_at', k.begun_at, 'ranks', "
        "k.n_ranks, 'time_ns', k.time_ns, 'judged_ns', k.judged_ns, 'parallel_efficiency', "
        "k.parallel_efficiency, 'headline', t.headline, 'conclusion', t.conclusion, "
        "'parameters', " ATTRIBUTES_JSON("parameter") ", 'versions', " ATTRIBUTES_JSON(
            "version") ", 'wait_states', json((SELECT json_group_array(json_object('property', "
                       "property, 'title', "
                       "title, 'wait_ns', wait_ns)) FROM (SELECT * FROM wait_states w WHERE "
                       "w.trial_id = "
                       "k.trial_id AND count > 0 ORDER BY severity DESC, property LIMIT 5)))"
                       ", 'prediction', json((SELECT json_object('change', change, "
                       "'measured_trial', "
                       "measured_trial, 'measured_ns', measured_ns, 'replay_error', replay_error) "
                       "FROM "
                       "predictions p WHERE p.trial_id = k.trial_id))"
                       ", 'earlier_ns', (SELECT avg(e.judged_ns) FROM ordered e WHERE k.origin = "
                       "'measured' AND "
                       "e.origin = 'measured' AND e.application = k.application AND e.experiment = "
                       "k.experiment "
                       "AND e.n_ranks = k.n_ranks AND e.parameters = k.parameters AND (e.begun_at "
                       "< k.begun_at "
                       "OR (e.begun_at = k.begun_at AND e.trial_id < k.trial_id)))) AS row "
                       "FROM ordered k JOIN trial t ON t.id = k.trial_id ORDER BY k.begun_at, "
                       "k.trial_id)";
    return ask_json(path, filter, sql, json, err);
}

/// A number in full, or -1.
static int64_t trial_number(const char *text)
{
    char *end;
    errno = 0;
    long long number = text[0] >= '0' && text[0] <= '9' ? strtoll(text, &end, 10) : -1;
    return number >= 0 && !*end && errno == 0 ? number : -1;
}

int trials_find(struct database *database, const char *selector, int64_t *id, struct error *err)
{
    // Trials of that name, without one the trial of that number; *ID is the first of N. By the
    // index of each experiment: what follows EXPERIMENT/ is nothing where the name begins
    // otherwise.
    static const char sql[] =
        "WITH place AS (SELECT e.id, e.name || '/' AS short, a.name || '/' || e.name || '/' "
        "AS long FROM experiment e JOIN application a ON a.id = application_id), "
        "named AS (SELECT t.id FROM place p JOIN trial t ON experiment_id = p.id AND name IN (?1, "
        "iif(substr(?1, 1, length(short)) = short, substr(?1, length(short) + 1), "
        "NULL), iif(substr(?1, 1, length(long)) = long, substr(?1, length(long) + 1), NULL))), "
        "meant AS (SELECT id FROM named UNION ALL SELECT trial_id FROM trials WHERE trial_id = ?2 "
        "AND NOT EXISTS (SELECT 1 FROM named)) "
        "SELECT count(*), min(id), (SELECT id FROM meant ORDER BY id LIMIT 1 OFFSET 1) FROM meant";
    int64_t n_found = 0, second;
    if (database_ask(database, err, sql, "si>iii", selector, trial_number(selector), &n_found, id,
                     &second) < 0)
        return -1;
    // Names of a damaged file may differ from what is looked for.
    if (n_found == 0 &&
        names_check(database, "trial", "SELECT DISTINCT trial FROM trials ORDER BY trial", selector,
                    err) == 0)
        return error_set(err, "%s has no trial \"%s\"", database->path, selector);
    if (n_found == 0)
        return -1;
    if (n_found > 1)
        return error_set(err,
                         "%s has more than one trial \"%s\", numbers %" PRId64 " and %" PRId64
                         " among them: give the number or EXPERIMENT/TRIAL",
                         database->path, selector, *id, second);
    return 0;
}

int trial_read_json(const char *path, const char *selector, char **json, struct error *err)
{
    static const char sql[] =
        "SELECT json_object('schema', 1, 'database', ?2, " SUMMARY_JSON
        ", 'attributes', (SELECT json_group_array(json_object('kind', kind, 'name', name, 'value', "
        "value, 'role', role)) FROM (SELECT * FROM trial_attribute WHERE trial_id = ?1 ORDER BY "
        "kind, name))"
        ", 'metrics', (SELECT json_group_array(json_object('metric', name, 'unit', unit, 'value', "
        "value)) FROM (SELECT * FROM tuple JOIN metric ON id = metric_id WHERE trial_id = ?1 AND "
        "focus_id = 0 ORDER BY name <> 'time_ns', name <> 'parallel_efficiency', name))"
        ", 'wait_states', (SELECT json_group_array(json_object('property', property, 'count', "
        "count, 'wait_ns', wait_ns, 'severity', severity, 'confidence', confidence, 'is_top', "
        "json(CASE is_top WHEN 1 THEN 'true' ELSE 'false' END))) FROM (SELECT * FROM wait_states "
        "WHERE trial_id = ?1 ORDER BY severity DESC, property))"
        ", 'regions', (SELECT json_group_array(json_object('region', region, 'file', file, "
        "'visits', visits, 'inclusive_ns', inclusive_ns, 'exclusive_ns', exclusive_ns)) FROM "
        "(SELECT * FROM profile_by_region WHERE trial_id = ?1 ORDER BY exclusive_ns DESC, region))"
        ", 'warnings', (SELECT json_group_array(json_object('code', code, 'count', count, 'text', "
        "text)) FROM (SELECT * FROM trial_warning WHERE trial_id = ?1 ORDER BY number))"
        ", 'conclusion', (SELECT conclusion FROM trial WHERE id = ?1)"
        ", 'events', (SELECT n_events FROM trial WHERE id = ?1)"
        ", 'messages', (SELECT n_messages FROM trial WHERE id = ?1)"
        ", 'collectives', (SELECT n_collectives FROM trial WHERE id = ?1)"
        ", 'values', (SELECT count(*) FROM tuple WHERE trial_id = ?1)"
        ", 'prediction', json((SELECT json_object('change', change, 'measured_id', measured_id, "
        "'measured_trial', measured_trial, 'measured_ns', measured_ns, 'replay_error', "
        "replay_error) FROM predictions WHERE trial_id = ?1))"
        ", 'interval', json((SELECT json_object('name', interval, 'is_phase', json(CASE is_phase "
        "WHEN 1 THEN 'true' ELSE 'false' END), 'begin_ns', begin_ns, 'end_ns', end_ns, 'run_id', "
        "run_id, 'run', run, 'share_of_run', share_of_run) FROM intervals WHERE trial_id = ?1)))"
        " FROM trials WHERE trial_id = ?1";
    SCOPED_BY(database_leave) struct database *database = NULL;
    int64_t trial;
    if (database_open_snapshot(&database, path, err))
        return -1;
    int status = trials_find(database, selector, &trial, err);
    if (status == 0 && database_ask(database, err, sql, "it>c", trial, path, json) != 1)
        status = -1;
    return status;
}

int damage_warn_of_trial(struct database *database, int64_t trial, struct error *err)
{
    sqlite3_stmt *query =
        database_query(database, err,
                       "SELECT name, text, code FROM trial JOIN trial_warning ON trial_id = id "
                       "WHERE id = ?1 AND has_unreadable_records AND code IN ('bad-reference', "
                       "'location-cut', 'location-skipped', 'unknown-record') ORDER BY number",
                       "i", trial);
    char *name, *text, *code;
    int row;
    while ((row = database_row(database, err, query, "ttt", &name, &text, &code)) == 1) {
        log_warning("%s: %s [%s]", name, text, code);
        FREE_ALL(name, text, code);
    }
    sqlite3_finalize(query);
    return row;
}

// --- removal

// All that is chosen is found before any is removed, because a removal may change what a later
// name means. Foreign keys cascade to everything that refers to a trial.

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
    add_summary(removed, summary);
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
    SCOPED_BY(database_leave) struct database *database = NULL;
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
    int row = database_is_sound(database, err, "PRAGMA integrity_check(1)");
    return row == 0 ? database_error(database, SQLITE_CORRUPT, err) : row < 0 ? -1 : 0;
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

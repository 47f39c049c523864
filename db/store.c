// SPDX-License-Identifier: BSD-3-Clause
// Stores a result: names it, writes its row with all that describes the run, then its values
// (store_values.c), in one immediate transaction.
#include "db/store.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyzer/base/format/rank_lists.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/writer.h"

#ifndef PAGODA_VERSION
#define PAGODA_VERSION "0.0.0"
#endif

static bool is_given(const char *text)
{
    return text && text[0];
}

/// The name of the trace: of an anchor file, mostly "traces.otf2", that of its directory.
static char *trace_name(const char *trace_path)
{
    char *path = memory_copy_text(trace_path), *slash = strrchr(path, '/');
    if (slash && slash[1] && text_ends_in(path, ".otf2"))
        *slash = '\0';
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/';)
        path[--length] = '\0';
    char *name = memory_copy_text(path_base_name(path));
    free(path);
    return name;
}

/// Unix time in ns as "2026-11-21T05:52:28Z"; empty for 0.
static void format_time(uint64_t realtime_ns, char *text, size_t size)
{
    time_t seconds = (time_t)(realtime_ns / 1000000000);
    struct tm utc;
    text[0] = '\0';
    if (realtime_ns && gmtime_r(&seconds, &utc))
        strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/// The names of a run after all defaults.
struct full_names {
    char *application, *experiment, *trial, *trace_path;
    bool is_trial_given;
    char started_at[40];
};

static void full_names_init(struct full_names *full, const struct result *result,
                            const struct store_names *names)
{
    *full = (struct full_names){.is_trial_given = is_given(names->trial)};
    const char *given_path = result->trace_path ? result->trace_path : "";
    char *absolute = given_path[0] ? realpath(given_path, NULL) : NULL;
    full->trace_path = absolute ? absolute : memory_copy_text(given_path);
    format_time(result->realtime_ns, full->started_at, sizeof full->started_at);
    SCOPED char *trace =
        full->trace_path[0] ? trace_name(full->trace_path) : memory_copy_text("trial");
    full->application = is_given(names->application) ? memory_copy_text(names->application)
                        : is_given(result->program)
                            ? memory_copy_text(path_base_name(result->program))
                            : memory_copy_text(trace);
    full->experiment =
        memory_copy_text(is_given(names->experiment) ? names->experiment : "default");
    full->trial = full->is_trial_given  ? memory_copy_text(names->trial)
                  : full->started_at[0] ? memory_format("%s-%s", trace, full->started_at)
                                        : memory_copy_text(trace);
    if (is_given(names->suffix))
        text_append(&full->trial, ": %s", names->suffix);
}

static void full_names_release(struct full_names *full)
{
    FREE_ALL(full->application, full->experiment, full->trial, full->trace_path);
}

/// Finds a name that the experiment does not have yet: the default one, or with "-2", "-3", ... A
/// name that was given is taken or refused.
static int choose_trial_name(struct database *database, int64_t experiment,
                             struct full_names *names, struct error *err)
{
    char *name = writer_free_name(database, experiment, names->trial, err);
    if (!name)
        return -1;
    bool is_taken = strcmp(name, names->trial) != 0;
    if (is_taken && names->is_trial_given) {
        free(name);
        return error_set(err,
                         "%s has a trial \"%s\" already in the experiment \"%s\" of \"%s\": "
                         "give the new one another name, or remove the old one first",
                         database->path, names->trial, names->experiment, names->application);
    }
    free(names->trial);
    names->trial = name;
    return 0;
}

static int add_trial(struct database *database, const struct result *result,
                     const struct store_names *names, struct full_names *full, int64_t *trial,
                     struct error *err)
{
    static const char sql[] =
        "INSERT INTO trial (experiment_id, name, origin, program, trace_path, started_at, "
        "stored_at, n_ranks, n_nodes, n_locations, n_events, n_messages, n_collectives, "
        "n_clock_violations, has_unreadable_records, time_ns, headline, conclusion) VALUES (?1, "
        "?2, ?3, ?4, ?5, nullif(?6, ''), strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?7, ?8, ?9, ?10, "
        "?11, ?12, ?13, ?14, ?15, ?16, ?17)";
    int64_t experiment = 0;
    if (writer_experiment_id(database, full->application, full->experiment, &experiment, err) ||
        choose_trial_name(database, experiment, full, err) ||
        database_do(database, err, sql, "itttttnnnnnnnbntt", experiment, full->trial,
                    is_given(names->origin) ? names->origin : "measured", result->program,
                    full->trace_path, full->started_at, (uint64_t)result->n_ranks,
                    (uint64_t)result->n_nodes, (uint64_t)result->n_locations, result->n_events,
                    result->n_messages, result->n_collectives, result->n_clock_violations,
                    (int)result->has_unreadable_records, result->time_ns, result->headline,
                    result->conclusion))
        return -1;
    *trial = sqlite3_last_insert_rowid(database->handle);
    return 0;
}

// --- what describes the trial

/// Cuts ":problem", ":machine" or ":free" off VALUE (to be freed); NULL when there is none of them.
static const char *cut_role(char *value)
{
    static const char *const roles[] = {"machine", "problem", "free"};
    char *colon = strrchr(value, ':');
    for (size_t i = 0; colon && i < sizeof roles / sizeof roles[0]; i++)
        if (!strcmp(colon + 1, roles[i])) {
            *colon = '\0';
            return strcmp(roles[i], "free") ? roles[i] : NULL;
        }
    return NULL;
}

/// A name that comes twice keeps its last value, as with a program's options.
static int add_attributes(struct database *database, int64_t trial, const char *kind,
                          const struct result_named *named, size_t n_named, struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < n_named && status == 0; i++) {
        SCOPED char *value = memory_copy_text(named[i].value);
        const char *role = strcmp(kind, "parameter") ? NULL : cut_role(value);
        status = database_do(database, err,
                             "INSERT OR REPLACE INTO trial_attribute (trial_id, kind, name, value, "
                             "role) VALUES (?1, ?2, ?3, ?4, ?5)",
                             "istts", trial, kind, named[i].name, value, role);
    }
    return status;
}

/// Versions have many names in archives: PAGODA::MPI_VERSION, Git revision, ...
static bool is_version(const char *name)
{
    return strcasestr(name, "version") || strcasestr(name, "revision");
}

static int add_all_attributes(struct database *database, int64_t trial, const struct result *result,
                              const struct store_names *names, struct error *err)
{
    const struct result_named versions[] = {{(char *)"pagoda", (char *)PAGODA_VERSION},
                                            {(char *)"trace creator", result->creator}};
    if (add_attributes(database, trial, "version", versions, is_given(result->creator) ? 2 : 1,
                       err) ||
        add_attributes(database, trial, "parameter", names->parameters, names->n_parameters, err))
        return -1;
    for (size_t i = 0; i < result->n_properties; i++) {
        const struct result_named *property = &result->properties[i];
        const char *kind = is_version(property->name) ? "version" : "environment";
        if (add_attributes(database, trial, kind, property, 1, err))
            return -1;
    }
    return add_attributes(database, trial, "version", names->versions, names->n_versions, err);
}

static int add_texts(struct database *database, int64_t trial, const struct result *result,
                     struct error *err)
{
    for (size_t i = 0; i < result->n_warnings; i++) {
        const struct result_warning *warning = &result->warnings[i];
        if (database_do(database, err, "INSERT INTO trial_warning VALUES (?1, ?2, ?3, ?4, ?5)",
                        "iitnt", trial, (int64_t)i, warning->code, (uint64_t)warning->count,
                        warning->text))
            return -1;
    }
    for (size_t i = 0; i < result->n_hints; i++) {
        const struct result_hint *hint = &result->hints[i];
        if (database_do(database, err, "INSERT INTO trial_hint VALUES (?1, ?2, ?3, ?4, ?5)",
                        "iittt", trial, (int64_t)i, hint->pattern, hint->text, hint->source))
            return -1;
    }
    return 0;
}

static int add_finding(struct database *database, int64_t trial, size_t number,
                       const struct result *result, struct error *err)
{
    const struct result_finding *finding = &result->findings[number];
    uint32_t wait_path = finding->wait_at.path;
    SCOPED char *causing = rank_list_join(finding->causing, finding->n_causing, ",", NULL);
    SCOPED char *waiting = rank_list_join(finding->waiting, finding->n_waiting, ",", NULL);
    int status =
        database_do(database, err,
                    "INSERT INTO trial_finding VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
                    "?9, ?10, ?11, ?12, ?13)",
                    "iitttttndtttd", trial, (int64_t)number, finding->kind, finding->name,
                    finding->place, finding->text, finding->hint, finding->loss_ns, finding->share,
                    causing, wait_path == RESULT_NONE ? "" : result->paths[wait_path].path, waiting,
                    finding->confidence);
    for (size_t i = 0; i < finding->n_remedies && status == 0; i++) {
        const struct result_remedy *remedy = &finding->remedies[i];
        status = database_do(database, err,
                             "INSERT INTO trial_remedy VALUES (?1, ?2, ?3, ?4, ?5, ?6, "
                             "iif(?9, ?7, NULL), iif(?9, ?8, NULL))",
                             "iiitttnib", trial, (int64_t)number, (int64_t)i, remedy->option,
                             remedy->value, remedy->sentence, remedy->predicted_ns, remedy->gain_ns,
                             (int)remedy->is_predicted);
    }
    return status;
}

static int add_findings(struct database *database, int64_t trial, const struct result *result,
                        struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < result->n_findings && status == 0; i++)
        status = add_finding(database, trial, i, result, err);
    return status;
}

/// Times are NULL where they are not known.
static int add_servers(struct database *database, int64_t trial, const struct result *result,
                       struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < result->n_servers && status == 0; i++) {
        const struct result_server *server = &result->servers[i];
        status = database_do(
            database, err,
            "INSERT INTO trial_server VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, "
            "?10, ?11, ?12, ?13)",
            "innnddddddddd", trial, (uint64_t)server->rank, (uint64_t)server->n_clients,
            server->n_requests, server->arrival.mean_ns, server->arrival.deviation_ns,
            server->service.mean_ns, server->service.deviation_ns, server->response.mean_ns,
            server->response.deviation_ns, server->busy, server->think_ns, server->saturating);
    }
    return status;
}

/// The run and its judged part; where the trial is a part of a run itself, which one.
static int add_intervals(struct database *database, int64_t trial, const struct result *result,
                         struct error *err)
{
    bool is_part = result->interval.what != NULL;
    uint64_t begin_ns = is_part ? result->interval.begin_ns : 0;
    if (database_do(database, err,
                    "INSERT INTO time_interval VALUES (?1, ?2, 'run', ?4, ?5), "
                    "(?1, ?3, 'window', ?6, ?7)",
                    "ibbnnnn", trial, (int)INTERVAL_RUN, (int)INTERVAL_WINDOW, begin_ns,
                    begin_ns + result->time_ns, begin_ns + result->window_begin_ns,
                    begin_ns + result->window_end_ns))
        return -1;
    return is_part
               ? database_do(database, err, "INSERT INTO run_interval VALUES (?1, ?2, ?3, ?4, ?5)",
                             "itbnn", trial, result->interval.what, (int)result->interval.is_phase,
                             result->interval.begin_ns, result->interval.end_ns)
               : 0;
}

/// Adds the run in the transaction that is open; *TRIAL is its number.
static int add_run(struct database *database, const struct result *result,
                   const struct store_names *names, int64_t *trial, struct error *err)
{
    struct full_names full;
    full_names_init(&full, result, names);
    int status = add_trial(database, result, names, &full, trial, err) ||
                         add_all_attributes(database, *trial, result, names, err) ||
                         add_texts(database, *trial, result, err) ||
                         add_findings(database, *trial, result, err) ||
                         add_servers(database, *trial, result, err) ||
                         add_intervals(database, *trial, result, err)
                     ? -1
                     : 0;
    full_names_release(&full);
    if (status)
        return -1;
    struct writer writer = {database, *trial};
    return store_values(&writer, result, err);
}

struct store_names store_names_of(const struct trial_path *path)
{
    return (struct store_names){
        .application = path->application, .experiment = path->experiment, .trial = path->trial};
}

int store_result(const char *path, const struct result *result, const struct store_names *names,
                 struct error *err)
{
    static const struct store_names no_names;
    SCOPED_BY(database_leave) struct database *database = NULL;
    int64_t trial;
    int status = database_open(&database, path, DATABASE_CREATE, err);
    if (status == 0)
        status = database_begin_adding(database, err);
    if (status == 0)
        status = database_end(
            database, add_run(database, result, names ? names : &no_names, &trial, err), err);
    return status ? error_wrap(err, "the run was not stored") : 0;
}

int store_read_past(const char *path, const struct store_names *names, const struct result *result,
                    struct result_search *search, struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    struct full_names full;
    if (access(path, F_OK) != 0) // which storing makes
        return 0;
    if (database_open_snapshot(&database, path, err) != 0)
        return -1;
    full_names_init(&full, result, names);
    int status =
        past_properties_read(database, full.application, full.experiment, result, search, err);
    full_names_release(&full);
    return status;
}

// --- predictions

/// Finds the run that predictions were made from: the last trial of its trace in its experiment
/// that is neither a prediction nor a part of a run. Stores it where there is none.
static int keep_measured(struct database *database, const struct result *measured,
                         const struct store_names *names, int64_t *trial, struct error *err)
{
    struct full_names full;
    int64_t experiment;
    *trial = 0;
    full_names_init(&full, measured, names);
    int status =
        writer_experiment_id(database, full.application, full.experiment, &experiment, err);
    if (status == 0)
        status = database_ask(database, err,
                              "SELECT max(id) FROM trial WHERE experiment_id = ?1 AND trace_path = "
                              "?2 AND origin NOT IN ('threshold', 'interval') "
                              "AND id NOT IN (SELECT trial_id FROM prediction)",
                              "it>i", experiment, full.trace_path, trial);
    full_names_release(&full);
    if (status < 0)
        return -1;
    return *trial ? 0 : add_run(database, measured, names, trial, err);
}

static int add_prediction(struct database *database, const struct store_prediction *prediction,
                          int64_t measured, double replay_error, struct error *err)
{
    struct store_names names = prediction->names;
    int64_t trial;
    names.origin = "predicted";
    if (add_run(database, prediction->result, &names, &trial, err))
        return -1;
    return database_do(database, err,
                       "INSERT INTO prediction (trial_id, measured_id, change, replay_error) "
                       "VALUES (?1, ?2, ?3, ?4)",
                       "iitd", trial, measured, prediction->change, replay_error);
}

int store_predictions(const char *path, const struct result *measured,
                      const struct store_names *names, const struct store_prediction *predictions,
                      size_t n_predictions, double replay_error, struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    int64_t trial;
    int status = database_open(&database, path, DATABASE_CREATE, err);
    if (status == 0)
        status = database_begin_adding(database, err);
    if (status == 0) {
        status = keep_measured(database, measured, names, &trial, err);
        for (size_t i = 0; i < n_predictions && status == 0; i++)
            status = add_prediction(database, &predictions[i], trial, replay_error, err);
        status = database_end(database, status, err);
    }
    return status ? error_wrap(err, "the predictions were not stored") : 0;
}

// --- points without a trial: the tables point_not_run and point_parameter.

/// *ID is the experiment's number, 0: there is none yet.
static int find_experiment(struct database *database, const char *application,
                           const char *experiment, int64_t *id, struct error *err)
{
    *id = 0;
    if (application)
        return writer_experiment_id(database, application, experiment, id, err);
    int row = database_ask(database, err,
                           "SELECT e.id FROM experiment e JOIN trial t ON t.experiment_id = e.id "
                           "WHERE e.name = ?1 ORDER BY t.id DESC LIMIT 1",
                           "t>i", experiment, id);
    return row < 0 ? -1 : 0;
}

static int note_one(struct database *database, int64_t experiment, const struct point_note *note,
                    struct error *err)
{
    if (database_do(database, err,
                    "DELETE FROM point_not_run WHERE experiment_id = ?1 AND name = ?2", "it",
                    experiment, note->name))
        return -1;
    if (!note->state)
        return 0;
    if (database_do(database, err,
                    "INSERT INTO point_not_run (experiment_id, name, state, reason, noted_at) "
                    "VALUES (?1, ?2, ?3, ?4, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))",
                    "ittt", experiment, note->name, note->state, note->reason))
        return -1;
    for (size_t i = 0; i < note->n_parameters; i++)
        if (database_do(database, err,
                        "INSERT OR REPLACE INTO point_parameter (experiment_id, point, name, "
                        "value) VALUES (?1, ?2, ?3, ?4)",
                        "ittt", experiment, note->name, note->parameters[i].name,
                        note->parameters[i].value))
            return -1;
    return 0;
}

static int note_all(struct database *database, const char *application, const char *experiment,
                    const struct point_note *notes, size_t n_notes, struct error *err)
{
    int64_t id;
    int status = find_experiment(database, application, experiment, &id, err);
    if (status || id == 0)
        return status;
    for (size_t i = 0; i < n_notes && status == 0; i++)
        status = note_one(database, id, &notes[i], err);
    return status ? -1
                  : database_do(database, err,
                                "DELETE FROM point_not_run WHERE experiment_id = ?1 AND name IN "
                                "(SELECT name FROM trial WHERE experiment_id = ?1)",
                                "i", id);
}

/// 1 when there is anything to change, 0, or -1 and ERR. A sweep without gaps does not wait for
/// other writers.
static int has_notes(struct database *database, const struct point_note *notes, size_t n_notes,
                     struct error *err)
{
    for (size_t i = 0; i < n_notes; i++)
        if (notes[i].state)
            return 1;
    return database_ask(database, err, "SELECT 1 FROM point_not_run LIMIT 1", "");
}

int points_note(const char *path, const char *application, const char *experiment,
                const struct point_note *notes, size_t n_notes, struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    if (database_open(&database, path, DATABASE_WRITE, err))
        return -1;
    int status = has_notes(database, notes, n_notes, err);
    if (status == 1) {
        status = database_begin(database, err);
        if (status == 0)
            status = database_end(
                database, note_all(database, application, experiment, notes, n_notes, err), err);
    }
    return status ? error_wrap(err, "cannot store which points have no run") : 0;
}

#define ROWS_SQL   "SELECT application, experiment, point, state, reason FROM points_not_run "
#define ROWS_ORDER "ORDER BY application, experiment, point"

#define ROW_LETTERS "ttttt" // of struct point_row

/// Fills LIST with what SQL finds, in which ?1 and ?2 stand for texts.
static int read_rows(struct database *database, const char *sql, const char *first,
                     const char *second, struct point_list *list, struct error *err)
{
    *list = (struct point_list){0};
    list->rows = database_rows(database, err, &list->n_rows, sql, "ss>" ROW_LETTERS, first, second);
    return list->rows ? 0 : -1;
}

int points_select(struct database *database, const char *application, const char *experiment,
                  struct point_list *list, struct error *err)
{
    return read_rows(database,
                     ROWS_SQL "WHERE (?1 IS NULL OR application = ?1) "
                              "AND (?2 IS NULL OR experiment = ?2) " ROWS_ORDER,
                     application, experiment, list, err);
}

int points_find(struct database *database, const char *selector, struct point_list *list,
                struct error *err)
{
    return read_rows(database,
                     ROWS_SQL
                     "WHERE ?1 IN (point, experiment || '/' || point, "
                     "application || '/' || experiment || '/' || point) AND ?2 IS NULL " ROWS_ORDER,
                     selector, NULL, list, err);
}

int points_read(const char *path, const char *application, const char *experiment,
                struct point_list *list, struct error *err)
{
    SCOPED_BY(database_leave) struct database *database = NULL;
    *list = (struct point_list){0};
    if (database_open(&database, path, DATABASE_READ, err))
        return -1;
    return points_select(database, application, experiment, list, err);
}

int points_remove(struct database *database, const struct point_row *point, struct error *err)
{
    return database_do(database, err,
                       "DELETE FROM point_not_run WHERE name = ?1 AND experiment_id = "
                       "(SELECT e.id FROM experiment e JOIN application a ON a.id = "
                       "e.application_id WHERE e.name = ?2 AND a.name = ?3)",
                       "ttt", point->name, point->experiment, point->application);
}

static bool is_same_point(const struct point_row *a, const struct point_row *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->experiment, b->experiment) == 0 &&
           strcmp(a->application, b->application) == 0;
}

void point_list_add(struct point_list *list, struct point_row *row)
{
    for (size_t i = 0; i < list->n_rows; i++)
        if (is_same_point(&list->rows[i], row))
            return;
    *ARRAY_NEXT(list->rows, list->n_rows, list->capacity) = *row;
    *row = (struct point_row){0};
}

void point_list_release(struct point_list *list)
{
    database_rows_free(list->rows, list->n_rows, ROW_LETTERS);
    *list = (struct point_list){0};
}

// SPDX-License-Identifier: BSD-3-Clause
// A focus query in two steps: the interned foci that lie within the wanted one (by the indexes of
// `resource` and `focus`), then, trial by trial, their values: a few foci by one look-up each, many
// by a merge with the trial's values of the metric, which lie in the order of their foci.
#include "db/query.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/spelling.h"
#include "db/database.h"
#include "db/focus.h"
#include "db/schema.h"

enum {
    MAX_LOOKUPS = 1000, // foci looked up one by one; a merge reads all foci of the metric
    N_KNOWN = 4,        // hierarchies with a column of their own, without Machine
};

struct wanted_focus {
    int64_t id, process_id;
};

struct query {
    struct database *database;
    struct error *err;
    struct focus focus;
    int64_t metric_id;
    bool is_exact;             // of every hierarchy
    bool is_call_path_exact;   // but not of processes
    struct wanted_focus *foci; // ascending
    size_t n_foci, capacity;
    int64_t *machine_processes; // of the present trial, ascending, with a restricted Machine
    size_t n_machine_processes, machine_capacity;
    sqlite3_stmt *lookup, *scan, *placement;
};

/// What a hierarchy's column of `focus` must be: within a selection, or exactly the root.
struct condition {
    const char *column;
    const struct focus_selection *selection; // NULL for the root
    bool is_exact;
};

/// Reads all first columns of SQL as texts to be freed one by one and together.
static int read_names(struct query *query, const char *sql, const char ***names, size_t *n_names)
{
    sqlite3_stmt *statement;
    size_t capacity = 0;
    *names = NULL;
    *n_names = 0;
    if (database_prepare(query->database, &statement, sql, query->err))
        return -1;
    int row;
    while ((row = database_step(query->database, statement, query->err)) == 1) {
        *names = array_reserve(*names, &capacity, *n_names + 1, sizeof **names);
        (*names)[(*n_names)++] = memory_copy_text((const char *)sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return row;
}

static int unknown_metric(struct query *query, const char *metric)
{
    const char **names;
    size_t n_names;
    if (read_names(query, "SELECT name FROM metric ORDER BY name", &names, &n_names) == 0) {
        const char *nearest = spelling_nearest(metric, names, n_names);
        error_set(query->err, "%s has no metric \"%s\"%s%s%s", query->database->path, metric,
                  nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    }
    for (size_t i = 0; i < n_names; i++)
        free((char *)names[i]);
    free(names);
    return -1;
}

static int find_metric(struct query *query, const char *metric)
{
    sqlite3_stmt *statement;
    if (database_prepare(query->database, &statement,
                         "SELECT id, adds_up_over FROM metric WHERE name = ?1", query->err))
        return -1;
    sqlite3_bind_text(statement, 1, metric, -1, SQLITE_STATIC);
    int row = database_step(query->database, statement, query->err);
    if (row == 1) {
        const char *adds_up_over = (const char *)sqlite3_column_text(statement, 1);
        query->metric_id = sqlite3_column_int64(statement, 0);
        query->is_exact = !strcmp(adds_up_over, "nothing");
        query->is_call_path_exact = !strcmp(adds_up_over, "processes");
    }
    sqlite3_finalize(statement);
    return row == 1 ? 0 : row < 0 ? -1 : unknown_metric(query, metric);
}

/// Roots have plain names, so that no slash in theirs is an escaped one.
static bool is_root(const struct focus_selection *selection)
{
    return selection->n_paths == 1 && !strchr(selection->paths[0] + 1, '/');
}

/// Every resource a focus names must exist, else a slip would look like "no values".
static int check_resources(struct query *query)
{
    sqlite3_stmt *statement;
    if (database_prepare(query->database, &statement, "SELECT 1 FROM resource WHERE path = ?1",
                         query->err))
        return -1;
    int row = 1;
    for (size_t i = 0; i < query->focus.n_selections && row == 1; i++) {
        const struct focus_selection *selection = &query->focus.selections[i];
        for (size_t j = 0; j < selection->n_paths && row == 1; j++) {
            sqlite3_bind_text(statement, 1, selection->paths[j], -1, SQLITE_STATIC);
            row = database_step(query->database, statement, query->err);
            if (row == 0)
                error_set(query->err, "%s has no resource %s", query->database->path,
                          selection->paths[j]);
            sqlite3_reset(statement);
        }
    }
    sqlite3_finalize(statement);
    return row == 1 ? 0 : -1;
}

/// Turns the focus into conditions; returns how many. CONDITIONS has room for one per hierarchy
/// that is known and per selection. Machine is not among them: see read_machine_processes().
static size_t make_conditions(const struct query *query, struct condition *conditions)
{
    static const struct {
        const char *root, *column;
    } known[] = {{"/Code", "code_id"},
                 {"/CallPath", "call_path_id"},
                 {"/Process", "process_id"},
                 {"/Message", "message_id"}};
    size_t n_conditions = 0;
    for (size_t i = 0; i < N_KNOWN; i++) {
        const struct focus_selection *selection = focus_find(&query->focus, known[i].root);
        bool is_call_path = i == 1;
        bool is_exact = query->is_exact || (query->is_call_path_exact && is_call_path);
        bool is_whole = !selection || is_root(selection);
        if (is_exact || !is_whole)
            conditions[n_conditions++] =
                (struct condition){known[i].column, is_whole ? NULL : selection, is_exact};
    }
    size_t n_own = 0;
    for (size_t i = 0; i < query->focus.n_selections; i++) {
        const struct focus_selection *selection = &query->focus.selections[i];
        bool is_known = focus_find(&query->focus, "/Machine") == selection;
        for (size_t j = 0; j < N_KNOWN; j++)
            is_known |= focus_find(&query->focus, known[j].root) == selection;
        if (is_known)
            continue;
        conditions[n_conditions++] = (struct condition){"other_id", selection, query->is_exact};
        n_own++;
    }
    // Values for parts of a hierarchy of the user's are the same time cut in another way.
    if (n_own == 0)
        conditions[n_conditions++] = (struct condition){"other_id", NULL, true};
    return n_conditions;
}

/// SQL for the foci that fulfil all conditions. Every path becomes a parameter. "0" follows "/" in
/// ASCII, so that the range holds exactly what is below a path. The caller frees.
static char *focus_sql(const struct condition *conditions, size_t n_conditions)
{
    char *text = NULL;
    size_t size;
    FILE *sql = open_memstream(&text, &size);
    int parameter = 1;
    fprintf(sql, "SELECT id, process_id FROM focus WHERE 1");
    for (size_t i = 0; i < n_conditions; i++) {
        const struct condition *condition = &conditions[i];
        fprintf(sql, " AND %s IN (SELECT id FROM resource WHERE ", condition->column);
        if (!condition->selection) // a root: "/" or a child of it
            fprintf(sql, "id = %d OR parent_id = %d", ROOT_OTHER, ROOT_OTHER);
        for (size_t j = 0; condition->selection && j < condition->selection->n_paths; j++) {
            fprintf(sql, "%spath = ?%d", j ? " OR " : "", parameter);
            if (!condition->is_exact)
                fprintf(sql, " OR (path > ?%d || '/' AND path < ?%d || '0')", parameter, parameter);
            parameter++;
        }
        fprintf(sql, ")");
    }
    fprintf(sql, " ORDER BY id");
    fclose(sql);
    return text;
}

static int find_foci(struct query *query)
{
    struct condition *conditions =
        memory_zeroed(N_KNOWN + query->focus.n_selections + 1, sizeof *conditions);
    size_t n_conditions = make_conditions(query, conditions);
    char *sql = focus_sql(conditions, n_conditions);
    sqlite3_stmt *statement = NULL;
    int row = database_prepare(query->database, &statement, sql, query->err);
    int parameter = 1;
    for (size_t i = 0; i < n_conditions && row == 0; i++) {
        const struct focus_selection *selection = conditions[i].selection;
        for (size_t j = 0; selection && j < selection->n_paths; j++)
            sqlite3_bind_text(statement, parameter++, selection->paths[j], -1, SQLITE_STATIC);
    }
    while (row >= 0 && (row = database_step(query->database, statement, query->err)) == 1) {
        query->foci =
            array_reserve(query->foci, &query->capacity, query->n_foci + 1, sizeof *query->foci);
        query->foci[query->n_foci++] = (struct wanted_focus){sqlite3_column_int64(statement, 0),
                                                             sqlite3_column_int64(statement, 1)};
    }
    sqlite3_finalize(statement);
    free(sql);
    free(conditions);
    return row;
}

/// SQL for the processes of a trial (?1) that ran within the selection of Machine.
static char *placement_sql(const struct focus_selection *machine)
{
    char *text = NULL;
    size_t size;
    FILE *sql = open_memstream(&text, &size);
    fprintf(sql, "SELECT process_id FROM trial_rank JOIN resource ON id = machine_id "
                 "WHERE trial_id = ?1 AND (0");
    for (size_t i = 0; i < machine->n_paths; i++)
        fprintf(sql, " OR path = ?%zu OR (path > ?%zu || '/' AND path < ?%zu || '0')", i + 2, i + 2,
                i + 2);
    fprintf(sql, ") ORDER BY process_id");
    fclose(sql);
    return text;
}

static int prepare_values(struct query *query)
{
    static const char lookup[] = "SELECT value FROM tuple WHERE trial_id = ?1 AND metric_id = ?2 "
                                 "AND focus_id = ?3 ORDER BY interval LIMIT 1";
    static const char scan[] = "SELECT focus_id, value FROM tuple WHERE trial_id = ?1 AND "
                               "metric_id = ?2 AND focus_id BETWEEN ?3 AND ?4 "
                               "ORDER BY focus_id, interval";
    if (database_prepare(query->database, &query->lookup, lookup, query->err) ||
        database_prepare(query->database, &query->scan, scan, query->err))
        return -1;
    const struct focus_selection *machine = focus_find(&query->focus, "/Machine");
    if (!machine || is_root(machine))
        return 0;
    char *sql = placement_sql(machine);
    int status = database_prepare(query->database, &query->placement, sql, query->err);
    free(sql);
    for (size_t i = 0; i < machine->n_paths && status == 0; i++)
        sqlite3_bind_text(query->placement, (int)i + 2, machine->paths[i], -1, SQLITE_STATIC);
    return status;
}

/// A rank's place is a fact of its trial, so that trials share foci whatever nodes they ran on: a
/// restricted Machine becomes the set of processes that ran there.
static int read_machine_processes(struct query *query, int64_t trial)
{
    query->n_machine_processes = 0;
    if (!query->placement)
        return 0;
    sqlite3_bind_int64(query->placement, 1, trial);
    int row;
    while ((row = database_step(query->database, query->placement, query->err)) == 1) {
        query->machine_processes =
            array_reserve(query->machine_processes, &query->machine_capacity,
                          query->n_machine_processes + 1, sizeof *query->machine_processes);
        query->machine_processes[query->n_machine_processes++] =
            sqlite3_column_int64(query->placement, 0);
    }
    sqlite3_reset(query->placement);
    return row;
}

static int compare_ids(const void *a, const void *b)
{
    int64_t id_a = *(const int64_t *)a, id_b = *(const int64_t *)b;
    return (id_a > id_b) - (id_a < id_b);
}

static bool is_placed_right(const struct query *query, const struct wanted_focus *focus)
{
    return !query->placement ||
           bsearch(&focus->process_id, query->machine_processes, query->n_machine_processes,
                   sizeof *query->machine_processes, compare_ids);
}

static int sum_by_lookups(struct query *query, struct query_value *value)
{
    sqlite3_bind_int64(query->lookup, 1, value->trial_id);
    sqlite3_bind_int64(query->lookup, 2, query->metric_id);
    for (size_t i = 0; i < query->n_foci; i++) {
        if (!is_placed_right(query, &query->foci[i]))
            continue;
        sqlite3_bind_int64(query->lookup, 3, query->foci[i].id);
        int row = database_step(query->database, query->lookup, query->err);
        if (row == 1) {
            value->value += sqlite3_column_double(query->lookup, 0);
            value->n_values++;
        }
        sqlite3_reset(query->lookup);
        if (row < 0)
            return -1;
    }
    return 0;
}

static int sum_by_merge(struct query *query, struct query_value *value)
{
    sqlite3_bind_int64(query->scan, 1, value->trial_id);
    sqlite3_bind_int64(query->scan, 2, query->metric_id);
    sqlite3_bind_int64(query->scan, 3, query->foci[0].id);
    sqlite3_bind_int64(query->scan, 4, query->foci[query->n_foci - 1].id);
    size_t i = 0;
    int row;
    while ((row = database_step(query->database, query->scan, query->err)) == 1) {
        int64_t focus = sqlite3_column_int64(query->scan, 0);
        while (i < query->n_foci && query->foci[i].id < focus)
            i++;
        if (i == query->n_foci || query->foci[i].id != focus ||
            !is_placed_right(query, &query->foci[i]))
            continue;
        value->value += sqlite3_column_double(query->scan, 1);
        value->n_values++;
        i++; // a second interval of the same focus is not counted
    }
    sqlite3_reset(query->scan);
    return row;
}

static int answer_all(struct query *query,
                      void (*answer)(const struct query_value *value, void *user), void *user)
{
    sqlite3_stmt *trials;
    if (prepare_values(query) ||
        database_prepare(query->database, &trials, "SELECT id FROM trial ORDER BY id", query->err))
        return -1;
    int row, status = 0;
    while (status == 0 && (row = database_step(query->database, trials, query->err)) != 0) {
        struct query_value value = {.trial_id = sqlite3_column_int64(trials, 0)};
        if (row < 0 || read_machine_processes(query, value.trial_id))
            status = -1;
        else if (query->n_foci <= MAX_LOOKUPS)
            status = sum_by_lookups(query, &value);
        else
            status = sum_by_merge(query, &value);
        if (status == 0 && value.n_values)
            answer(&value, user);
    }
    sqlite3_finalize(trials);
    return status;
}

static int run_query(struct query *query, const char *metric,
                     void (*answer)(const struct query_value *value, void *user), void *user)
{
    // One transaction: all steps see the same state of the database.
    if (database_run(query->database, "BEGIN", query->err) || find_metric(query, metric) ||
        check_resources(query) || find_foci(query))
        return -1;
    return answer_all(query, answer, user);
}

int query_focus(const char *path, const char *metric, const char *focus,
                void (*answer)(const struct query_value *value, void *user), void *user,
                struct error *err)
{
    struct query query = {.err = err};
    if (focus_parse(focus, &query.focus, err))
        return -1;
    int status = database_open(&query.database, path, DATABASE_READ, err);
    if (status == 0)
        status = run_query(&query, metric, answer, user);
    sqlite3_finalize(query.lookup);
    sqlite3_finalize(query.scan);
    sqlite3_finalize(query.placement);
    database_close(query.database);
    focus_release(&query.focus);
    free(query.foci);
    free(query.machine_processes);
    return status;
}

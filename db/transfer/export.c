// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a database mean nothing elsewhere: within a file each resource, focus, metric and
// property is called by its place among those of its trial, which are in the order of their names.
#include "db/transfer/export.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/json_lines.h"
#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "db/schema.h"

enum { N_HIERARCHIES = 6 }; // columns of a focus

/// Places of the database's numbers in the file.
enum place_kind { PLACE_RESOURCE, PLACE_FOCUS, PLACE_METRIC, PLACE_PROPERTY, N_PLACE_KINDS };

struct export
{
    struct database *database;
    int64_t trial;
    FILE *stream;
    struct map places[N_PLACE_KINDS];
    uint32_t n_places[N_PLACE_KINDS];
    uint64_t n_values;
    struct error *err;
};

void trial_export_begin(FILE *stream)
{
    fprintf(stream, "{\"pagoda_trials\":%d}\n", TRIAL_FORM_VERSION);
}

static int missing_place(struct export *e, const char *what)
{
    return error_set(e->err,
                     "the database %s is damaged: trial %" PRId64 " has no %s that its "
                     "values refer to",
                     e->database->path, e->trial, what);
}

/// Writes the place of a number of the database. 0, or -1 and ERR.
static int put_place(struct export *e, enum place_kind kind, int64_t id)
{
    static const char *const names[] = {"resource", "focus", "metric", "property"};
    uint32_t place;
    if (!map_get(&e->places[kind], (uint64_t)id, &place))
        return missing_place(e, names[kind]);
    fprintf(e->stream, "%" PRIu32, place);
    return 0;
}

static void put_plain(struct export *e, sqlite3_stmt *statement, int column)
{
    char *clean;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        fprintf(e->stream, "%lld", (long long)sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        json_line_put_number(e->stream, sqlite3_column_double(statement, column));
        break;
    case SQLITE_NULL:
        fputs("null", e->stream);
        break;
    default:
        clean = database_text(statement, column);
        json_line_put_text(e->stream, clean);
        free(clean);
    }
}

/// Writes {"KEY":[...]} for each row of SQL, whose parameter ?1 is the trial. FORM says what its
/// columns are: '.' a value as it is, r f p the number of a resource, focus or property, NULL
/// staying null; M P R a new metric's, property's or resource's number, which is not written.
static int put_rows(struct export *e, const char *key, const char *form, const char *sql)
{
    static const char letters[] = "rfmp", new_letters[] = "RFMP";
    sqlite3_stmt *statement;
    if (database_prepare(e->database, &statement, sql, e->err))
        return -1;
    sqlite3_bind_int64(statement, 1, e->trial);
    int row;
    while ((row = database_step(e->database, statement, e->err)) == 1) {
        const char *separator = "";
        fprintf(e->stream, "{\"%s\":[", key);
        for (int i = 0; form[i] && row == 1; i++) {
            const char *new_kind = strchr(new_letters, form[i]);
            const char *kind = strchr(letters, form[i]);
            int64_t id = sqlite3_column_int64(statement, i);
            if (new_kind) {
                enum place_kind which = (enum place_kind)(new_kind - new_letters);
                map_put(&e->places[which], (uint64_t)id, e->n_places[which]++);
                continue;
            }
            fputs(separator, e->stream);
            separator = ",";
            if (!kind || sqlite3_column_type(statement, i) == SQLITE_NULL)
                put_plain(e, statement, i);
            else if (put_place(e, (enum place_kind)(kind - letters), id))
                row = -1;
        }
        fputs("]}\n", e->stream);
        if (row < 0)
            break;
    }
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

/// The line that says what the trial is.
static int put_trial(struct export *e)
{
    static const char sql[] =
        "SELECT a.name AS application, x.name AS experiment, t.name AS trial, t.origin, t.program, "
        "t.trace_path, t.started_at, t.stored_at, t.n_ranks, t.n_nodes, t.n_locations, t.n_events, "
        "t.n_messages, t.n_collectives, t.n_clock_violations, t.has_unreadable_records, t.time_ns, "
        "t.headline, t.conclusion, p.change AS predicted_by, p.replay_error, "
        "coalesce(p.measured_as, m.application || '/' || m.experiment || '/' || m.trial) "
        "AS predicted_from, i.name AS interval, i.is_phase AS interval_is_phase, "
        "i.begin_ns AS interval_begin_ns, i.end_ns AS interval_end_ns FROM trial t JOIN experiment "
        "x ON x.id = t.experiment_id "
        "JOIN application a ON a.id = x.application_id LEFT JOIN prediction p ON p.trial_id = t.id "
        "LEFT JOIN trials m ON m.trial_id = p.measured_id "
        "LEFT JOIN run_interval i ON i.trial_id = t.id WHERE t.id = ?1";
    sqlite3_stmt *statement;
    if (database_prepare(e->database, &statement, sql, e->err))
        return -1;
    sqlite3_bind_int64(statement, 1, e->trial);
    int row = database_step(e->database, statement, e->err);
    if (row == 1) {
        fputs("{\"trial\":{", e->stream);
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            fprintf(e->stream, "%s\"%s\":", i ? "," : "", sqlite3_column_name(statement, i));
            put_plain(e, statement, i);
        }
        fputs("}}\n", e->stream);
    }
    sqlite3_finalize(statement);
    if (row == 0)
        error_set(e->err, "%s has no trial %" PRId64, e->database->path, e->trial);
    return row == 1 ? 0 : -1;
}

/// A focus by the places of its resources.
struct placed_focus {
    int64_t id;
    uint32_t places[N_HIERARCHIES];
};

static int compare_foci(const void *a, const void *b)
{
    const struct placed_focus *focus_a = a, *focus_b = b;
    for (int i = 0; i < N_HIERARCHIES; i++)
        if (focus_a->places[i] != focus_b->places[i])
            return focus_a->places[i] < focus_b->places[i] ? -1 : 1;
    return 0;
}

static int read_foci(struct export *e, struct placed_focus **foci, size_t *n_foci)
{
    static const char sql[] =
        "SELECT f.* FROM (SELECT focus_id FROM tuple WHERE trial_id = ?1 UNION SELECT focus_id "
        "FROM "
        "property_instance WHERE trial_id = ?1 UNION SELECT worst_focus_id FROM trial_property "
        "WHERE trial_id = ?1) AS used JOIN focus f ON f.id = used.focus_id";
    sqlite3_stmt *statement;
    size_t capacity = 0;
    if (database_prepare(e->database, &statement, sql, e->err))
        return -1;
    sqlite3_bind_int64(statement, 1, e->trial);
    int row;
    while ((row = database_step(e->database, statement, e->err)) == 1) {
        *foci = array_reserve(*foci, &capacity, *n_foci + 1, sizeof **foci);
        struct placed_focus *focus = &(*foci)[(*n_foci)++];
        focus->id = sqlite3_column_int64(statement, 0);
        for (int i = 0; i < N_HIERARCHIES && row == 1; i++)
            if (!map_get(&e->places[PLACE_RESOURCE],
                         (uint64_t)sqlite3_column_int64(statement, i + 1), &focus->places[i]))
                row = missing_place(e, "resource");
        if (row < 0)
            break;
    }
    sqlite3_finalize(statement);
    return row;
}

static int put_foci(struct export *e)
{
    struct placed_focus *foci = NULL;
    size_t n_foci = 0;
    int status = read_foci(e, &foci, &n_foci);
    if (status == 0 && n_foci)
        qsort(foci, n_foci, sizeof *foci, compare_foci);
    for (size_t i = 0; i < n_foci && status == 0; i++) {
        map_put(&e->places[PLACE_FOCUS], (uint64_t)foci[i].id, e->n_places[PLACE_FOCUS]++);
        fputs("{\"focus\":[", e->stream);
        for (int j = 0; j < N_HIERARCHIES; j++)
            fprintf(e->stream, "%s%" PRIu32, j ? "," : "", foci[i].places[j]);
        fputs("]}\n", e->stream);
    }
    free(foci);
    return status;
}

/// One value of a metric.
struct placed_value {
    uint32_t focus;
    int64_t interval;
    bool is_integer;
    int64_t integer;
    double number;
};

static int compare_values(const void *a, const void *b)
{
    const struct placed_value *value_a = a, *value_b = b;
    if (value_a->focus != value_b->focus)
        return value_a->focus < value_b->focus ? -1 : 1;
    return (value_a->interval > value_b->interval) - (value_a->interval < value_b->interval);
}

static int read_values(struct export *e, sqlite3_stmt *statement, struct placed_value **values,
                       size_t *capacity, size_t *n_values)
{
    int row;
    *n_values = 0;
    while ((row = database_step(e->database, statement, e->err)) == 1) {
        *values = array_reserve(*values, capacity, *n_values + 1, sizeof **values);
        struct placed_value *value = &(*values)[(*n_values)++];
        *value = (struct placed_value){
            .interval = sqlite3_column_int64(statement, 1),
            .is_integer = sqlite3_column_type(statement, 2) == SQLITE_INTEGER,
            .integer = sqlite3_column_int64(statement, 2),
            .number = sqlite3_column_double(statement, 2),
        };
        if (!map_get(&e->places[PLACE_FOCUS], (uint64_t)sqlite3_column_int64(statement, 0),
                     &value->focus))
            return missing_place(e, "focus");
    }
    return row;
}

/// Values metric by metric: a metric's are read in the order of the database and sorted.
static int put_values(struct export *e)
{
    static const char metrics_sql[] =
        "SELECT id FROM metric m WHERE EXISTS (SELECT 1 FROM tuple WHERE trial_id = ?1 AND "
        "metric_id = m.id) ORDER BY name";
    static const char values_sql[] = "SELECT focus_id, interval, value FROM tuple "
                                     "WHERE trial_id = ?1 AND metric_id = ?2";
    sqlite3_stmt *metrics, *statement = NULL;
    struct placed_value *values = NULL;
    size_t capacity = 0, n_values = 0;
    if (database_prepare(e->database, &metrics, metrics_sql, e->err))
        return -1;
    int row = database_prepare(e->database, &statement, values_sql, e->err);
    sqlite3_bind_int64(metrics, 1, e->trial);
    for (uint32_t metric = 0; row >= 0 && (row = database_step(e->database, metrics, e->err)) == 1;
         metric++) {
        sqlite3_bind_int64(statement, 1, e->trial);
        sqlite3_bind_int64(statement, 2, sqlite3_column_int64(metrics, 0));
        row = read_values(e, statement, &values, &capacity, &n_values);
        sqlite3_reset(statement);
        if (n_values)
            qsort(values, n_values, sizeof *values, compare_values);
        for (size_t i = 0; i < n_values && row == 0; i++) {
            fprintf(e->stream, "{\"value\":[%" PRIu32 ",%" PRIu32 ",%" PRId64 ",", metric,
                    values[i].focus, values[i].interval);
            if (values[i].is_integer)
                fprintf(e->stream, "%" PRId64, values[i].integer);
            else
                json_line_put_number(e->stream, values[i].number);
            fputs("]}\n", e->stream);
        }
        e->n_values += n_values;
    }
    sqlite3_finalize(statement);
    sqlite3_finalize(metrics);
    free(values);
    return row < 0 ? -1 : 0;
}

static int put_description(struct export *e)
{
    static const struct {
        const char *key, *form, *sql;
    } tables[] = {
        {"attribute", "....",
         "SELECT kind, name, value, role FROM trial_attribute "
         "WHERE trial_id = ?1 ORDER BY kind, name"},
        {"warning", "...",
         "SELECT code, count, text FROM trial_warning WHERE trial_id = ?1 ORDER BY number"},
        {"hint", "...",
         "SELECT property, text, source FROM trial_hint WHERE trial_id = ?1 ORDER BY number"},
        {"interval", "....",
         "SELECT number, name, begin_ns, end_ns FROM time_interval "
         "WHERE trial_id = ?1 ORDER BY number"},
        {"metric", "M....",
         "SELECT id, name, unit, adds_up_over, description FROM metric m WHERE EXISTS (SELECT 1 "
         "FROM tuple WHERE trial_id = ?1 AND metric_id = m.id) ORDER BY name"},
        {"property", "P.....",
         "SELECT id, name, parent, title, summary, diagnosis FROM property WHERE id IN (SELECT "
         "property_id FROM trial_property WHERE trial_id = ?1 UNION SELECT property_id FROM "
         "property_instance WHERE trial_id = ?1) ORDER BY name"},
        {"resource", "R.",
         "SELECT id, path FROM trial_resource JOIN resource ON id = resource_id "
         "WHERE trial_id = ?1 AND id >= 6 ORDER BY path"},
        {"node", "r..",
         "SELECT machine_id, n_cores, n_ranks FROM trial_node JOIN resource ON "
         "id = machine_id WHERE trial_id = ?1 ORDER BY path"},
        {"rank", "rr....",
         "SELECT process_id, machine_id, r.name, first_ns, last_ns, is_skipped FROM trial_rank r "
         "JOIN resource ON id = process_id WHERE trial_id = ?1 ORDER BY path"},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        if (put_rows(e, tables[i].key, tables[i].form, tables[i].sql))
            return -1;
    return 0;
}

static int put_instances(struct export *e)
{
    static const char evaluated[] =
        "SELECT property_id, is_evaluated, is_top, worst_focus_id, worst_cause_id, worst_begin_ns, "
        "worst_wait_ns FROM trial_property JOIN property ON id = property_id WHERE trial_id = ?1 "
        "ORDER BY name";
    static const char instances[] =
        "SELECT property_id, focus_id, interval, severity, confidence, count, wait_ns FROM "
        "property_instance WHERE trial_id = ?1 ORDER BY place_of(1, property_id), "
        "place_of(0, focus_id), interval";
    return put_rows(e, "evaluated", "p..fr..", evaluated) ||
                   put_rows(e, "instance", "pf.....", instances)
               ? -1
               : 0;
}

/// SQL's function place_of(IS_PROPERTY, ID): the place in the file, to sort by.
static void place_of(sqlite3_context *context, int n_arguments, sqlite3_value **arguments)
{
    (void)n_arguments;
    const struct export *e = sqlite3_user_data(context);
    uint32_t place = 0;
    map_get(&e->places[sqlite3_value_int(arguments[0]) ? PLACE_PROPERTY : PLACE_FOCUS],
            (uint64_t)sqlite3_value_int64(arguments[1]), &place);
    sqlite3_result_int64(context, place);
}

int trial_export(struct database *database, int64_t trial, FILE *stream, struct error *err)
{
    struct export e = {.database = database, .trial = trial, .stream = stream, .err = err};
    for (int i = 0; i < N_PLACE_KINDS; i++)
        map_init(&e.places[i]);
    for (; e.n_places[PLACE_RESOURCE] < N_ROOTS; e.n_places[PLACE_RESOURCE]++)
        map_put(&e.places[PLACE_RESOURCE], e.n_places[PLACE_RESOURCE], e.n_places[PLACE_RESOURCE]);
    int code = sqlite3_create_function(database->handle, "place_of", 2, SQLITE_UTF8, &e, place_of,
                                       NULL, NULL);
    int status = code == SQLITE_OK ? 0 : database_error(database, code, err);
    if (status == 0 && (put_trial(&e) || put_description(&e) || put_foci(&e) || put_values(&e) ||
                        put_instances(&e)))
        status = -1;
    if (status == 0)
        fprintf(stream, "{\"end\":[%" PRIu64 "]}\n", e.n_values);
    sqlite3_create_function(database->handle, "place_of", 2, SQLITE_UTF8, NULL, NULL, NULL, NULL);
    for (int i = 0; i < N_PLACE_KINDS; i++)
        map_release(&e.places[i]);
    return status;
}

// SPDX-License-Identifier: BSD-3-Clause
// Reading by the tables of the schema: exclusive times, less the waits of those wait states whose
// waits are in no other's; facts and efficiencies.
#include "db/query/figures.h"

#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

int trial_time_read(struct database *database, int64_t trial, struct trial_time *time,
                    struct error *err)
{
    static const char sql[] = "SELECT application || '/' || experiment || '/' || trial, origin, "
                              "time_ns, n_ranks FROM trials WHERE trial_id = ?1";
    sqlite3_stmt *statement;
    *time = (struct trial_time){0};
    if (database_prepare(database, &statement, sql, err))
        return -1;
    sqlite3_bind_int64(statement, 1, trial);
    int row = database_step(database, statement, err);
    if (row == 1)
        *time = (struct trial_time){.name = database_text(statement, 0),
                                    .origin = database_text(statement, 1),
                                    .time_ns = (uint64_t)sqlite3_column_int64(statement, 2),
                                    .n_ranks = (uint64_t)sqlite3_column_int64(statement, 3)};
    sqlite3_finalize(statement);
    if (row == 0)
        error_set(err, "%s has no trial %lld any more", database->path, (long long)trial);
    return row == 1 ? 0 : -1;
}

void trial_time_release(struct trial_time *time)
{
    free(time->name);
    free(time->origin);
    *time = (struct trial_time){0};
}

// Times by focus: exclusive ones, and the waits of those wait states whose waits are in no other's,
// which are part of the former.
#define PARTS_SQL                                                                                  \
    "WITH part AS (\n"                                                                             \
    "    SELECT t.focus_id, '' AS wait_state, t.value FROM tuple t\n"                              \
    "        JOIN metric m ON m.id = t.metric_id AND m.name = 'exclusive_ns'\n"                    \
    "        WHERE t.trial_id = ?1 AND t.interval = 0\n"                                           \
    "    UNION ALL\n"                                                                              \
    "    SELECT t.focus_id, p.name, t.value FROM trial_property tp\n"                              \
    "        JOIN property p ON p.id = tp.property_id\n"                                           \
    "        JOIN metric m ON m.name = p.name || '.wait_ns'\n"                                     \
    "        JOIN tuple t ON t.trial_id = tp.trial_id AND t.metric_id = m.id\n"                    \
    "        WHERE tp.trial_id = ?1 AND tp.is_top = 1 AND t.interval = 0)\n"

static const char *text_in(struct sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

struct part_taker {
    trial_part_adder *add_part;
    trial_region_adder *add_region;
    void *user;
};

static void take_part(struct sqlite3_stmt *row, void *user)
{
    const struct part_taker *taker = user;
    const char *wait_state = text_in(row, 2);
    int64_t value_ns = sqlite3_column_int64(row, 3);
    taker->add_part(taker->user, text_in(row, 0), text_in(row, 1), wait_state, value_ns);
    if (*wait_state)
        taker->add_part(taker->user, text_in(row, 0), text_in(row, 1), "", -value_ns);
}

int trial_time_parts(struct database *database, int64_t trial, trial_part_adder *add, void *user,
                     struct error *err)
{
    static const char sql[] =
        PARTS_SQL "SELECT call_path.path, process.path, part.wait_state, part.value FROM part\n"
                  "    JOIN focus f ON f.id = part.focus_id\n"
                  "    JOIN resource call_path ON call_path.id = f.call_path_id\n"
                  "    JOIN resource process ON process.id = f.process_id";
    struct part_taker taker = {.add_part = add, .user = user};
    return database_rows_of(database, sql, trial, take_part, &taker, err);
}

static void take_region(struct sqlite3_stmt *row, void *user)
{
    const struct part_taker *taker = user;
    const char *wait_state = text_in(row, 1);
    int64_t value_ns = sqlite3_column_int64(row, 2);
    taker->add_region(taker->user, text_in(row, 0), wait_state, value_ns);
    if (*wait_state)
        taker->add_region(taker->user, text_in(row, 0), "", -value_ns);
}

int trial_region_times(struct database *database, int64_t trial, trial_region_adder *add,
                       void *user, struct error *err)
{
    // Summed by SQLite: as many rows as regions, however many ranks and call paths there are.
    static const char sql[] =
        PARTS_SQL ", by_code AS (\n"
                  "    SELECT f.code_id, part.wait_state, sum(part.value) AS value FROM part\n"
                  "        JOIN focus f ON f.id = part.focus_id\n"
                  "        GROUP BY f.code_id, part.wait_state)\n"
                  "SELECT code.path, wait_state, value FROM by_code\n"
                  "    JOIN resource code ON code.id = code_id";
    struct part_taker taker = {.add_region = add, .user = user};
    return database_rows_of(database, sql, trial, take_region, &taker, err);
}

struct profile_taker {
    trial_profile_adder *add;
    void *user;
};

static void take_profile(struct sqlite3_stmt *row, void *user)
{
    const struct profile_taker *taker = user;
    const uint64_t values[3] = {(uint64_t)sqlite3_column_int64(row, 3),
                                (uint64_t)sqlite3_column_int64(row, 4),
                                (uint64_t)sqlite3_column_int64(row, 5)};
    taker->add(taker->user, text_in(row, 0), text_in(row, 1),
               (uint32_t)sqlite3_column_int64(row, 2), values);
}

int trial_profile(struct database *database, int64_t trial, trial_profile_adder *add, void *user,
                  struct error *err)
{
    static const char sql[] =
        "SELECT code.name, call_path.path, CAST(process.name AS INTEGER),\n"
        "    sum(CASE m.name WHEN 'visits' THEN t.value END),\n"
        "    sum(CASE m.name WHEN 'inclusive_ns' THEN t.value END),\n"
        "    sum(CASE m.name WHEN 'exclusive_ns' THEN t.value END)\n"
        "FROM tuple t JOIN metric m ON m.id = t.metric_id JOIN focus f ON f.id = t.focus_id\n"
        "    JOIN resource code ON code.id = f.code_id\n"
        "    JOIN resource call_path ON call_path.id = f.call_path_id\n"
        "    JOIN resource process ON process.id = f.process_id\n"
        "WHERE t.trial_id = ?1 AND t.interval = 0\n"
        "    AND m.name IN ('visits', 'inclusive_ns', 'exclusive_ns') GROUP BY t.focus_id";
    struct profile_taker taker = {add, user};
    return database_rows_of(database, sql, trial, take_profile, &taker, err);
}

struct resource_taker {
    void (*add)(void *user, const char *path);
    void *user;
};

static void take_resource(struct sqlite3_stmt *row, void *user)
{
    const struct resource_taker *taker = user;
    taker->add(taker->user, text_in(row, 0));
}

int trial_resources(struct database *database, int64_t trial,
                    void (*add)(void *user, const char *path), void *user, struct error *err)
{
    static const char sql[] = "SELECT path FROM trial_resource JOIN resource ON id = resource_id "
                              "WHERE trial_id = ?1 AND parent_id <> 0";
    struct resource_taker taker = {add, user};
    return database_rows_of(database, sql, trial, take_resource, &taker, err);
}

struct value_taker {
    trial_value_adder *add;
    void *user;
};

static void take_value(struct sqlite3_stmt *row, void *user)
{
    const struct value_taker *taker = user;
    taker->add(taker->user, text_in(row, 0), text_in(row, 1), text_in(row, 2),
               sqlite3_column_double(row, 3));
}

int trial_values(struct database *database, int64_t trial, trial_value_adder *add, void *user,
                 struct error *err)
{
    static const char sql[] =
        "SELECT m.name, m.unit, CASE t.focus_id WHEN 0 THEN '' ELSE f.focus END, t.value\n"
        "FROM tuple t JOIN metric m ON m.id = t.metric_id JOIN foci f ON f.focus_id = t.focus_id\n"
        "WHERE t.trial_id = ?1 ORDER BY t.metric_id, t.focus_id, t.interval";
    struct value_taker taker = {add, user};
    return database_rows_of(database, sql, trial, take_value, &taker, err);
}

// --- efficiencies

static int read_facts(struct database *database, int64_t trial, struct trial_efficiency *to,
                      struct error *err)
{
    static const char sql[] =
        "SELECT application, experiment, trial, origin, n_ranks, n_nodes, time_ns, judged_ns,\n"
        "    (SELECT sum(n_cores) FROM trial_node WHERE trial_id = ?1)\n"
        "FROM trials WHERE trial_id = ?1";
    sqlite3_stmt *statement;
    if (database_prepare(database, &statement, sql, err))
        return -1;
    sqlite3_bind_int64(statement, 1, trial);
    int row = database_step(database, statement, err);
    if (row == 1) {
        to->application = database_text(statement, 0);
        to->experiment = database_text(statement, 1);
        to->name = database_text(statement, 2);
        to->origin = database_text(statement, 3);
        to->n_ranks = (uint64_t)sqlite3_column_int64(statement, 4);
        to->n_nodes = (uint64_t)sqlite3_column_int64(statement, 5);
        to->time_ns = (uint64_t)sqlite3_column_int64(statement, 6);
        to->window_ns = (uint64_t)sqlite3_column_int64(statement, 7);
        to->n_cores = (uint64_t)sqlite3_column_int64(statement, 8);
    }
    sqlite3_finalize(statement);
    if (row == 0)
        error_set(err, "%s has no trial %lld any more", database->path, (long long)trial);
    return row == 1 ? 0 : -1;
}

static void take_share(struct sqlite3_stmt *row, void *user)
{
    struct trial_efficiency *to = user;
    const struct {
        const char *name;
        double *value;
    } shares[] = {
        {"parallel_efficiency", &to->parallel},
        {"load_balance", &to->load_balance},
        {"cpu_efficiency", &to->cpu},
        {"communication_efficiency", &to->communication},
        {"serialization_efficiency", &to->serialization},
        {"transfer_efficiency", &to->transfer},
    };
    const char *name = (const char *)sqlite3_column_text(row, 0);
    if (strcmp(name, "useful_ns") == 0)
        to->useful_ns = (uint64_t)sqlite3_column_int64(row, 1);
    if (strcmp(name, "no_cpu_ns") == 0 || strcmp(name, "no_cpu_mpi_ns") == 0)
        to->no_cpu_ns += (uint64_t)sqlite3_column_int64(row, 1);
    for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
        if (strcmp(name, shares[i].name) == 0)
            *shares[i].value = sqlite3_column_double(row, 1);
}

static void take_parameter(struct sqlite3_stmt *row, void *user)
{
    struct trial_efficiency *to = user;
    to->parameters =
        array_reserve(to->parameters, &to->capacity, to->n_parameters + 1, sizeof *to->parameters);
    to->parameters[to->n_parameters++] = (struct trial_parameter){
        database_text(row, 0), database_text(row, 1), database_text(row, 2)};
}

int trial_efficiency_read(struct database *database, int64_t trial,
                          struct trial_efficiency *efficiency, struct error *err)
{
    static const char shares[] =
        "SELECT m.name, sum(t.value) FROM tuple t JOIN metric m ON m.id = t.metric_id\n"
        "WHERE t.trial_id = ?1 AND t.interval = 1 AND m.name IN ('useful_ns',\n"
        "    'no_cpu_ns', 'no_cpu_mpi_ns', 'cpu_efficiency',\n"
        "    'parallel_efficiency', 'load_balance', 'communication_efficiency',\n"
        "    'serialization_efficiency', 'transfer_efficiency') GROUP BY m.id";
    static const char parameters[] = "SELECT name, value, role FROM trial_attribute "
                                     "WHERE trial_id = ?1 AND kind = 'parameter' ORDER BY name";
    *efficiency = (struct trial_efficiency){.id = trial,
                                            .parallel = NAN,
                                            .load_balance = NAN,
                                            .cpu = NAN,
                                            .communication = NAN,
                                            .serialization = NAN,
                                            .transfer = NAN};
    if (read_facts(database, trial, efficiency, err) == 0 &&
        database_rows_of(database, shares, trial, take_share, efficiency, err) == 0 &&
        database_rows_of(database, parameters, trial, take_parameter, efficiency, err) == 0)
        return 0;
    trial_efficiency_release(efficiency);
    return -1;
}

void trial_efficiency_release(struct trial_efficiency *efficiency)
{
    for (size_t i = 0; i < efficiency->n_parameters; i++) {
        free(efficiency->parameters[i].name);
        free(efficiency->parameters[i].value);
        free(efficiency->parameters[i].role);
    }
    free(efficiency->parameters);
    free(efficiency->application);
    free(efficiency->experiment);
    free(efficiency->name);
    free(efficiency->origin);
    *efficiency = (struct trial_efficiency){0};
}

static const struct trial_parameter *find(const struct trial_efficiency *efficiency,
                                          const char *name)
{
    for (size_t i = 0; i < efficiency->n_parameters; i++)
        if (strcmp(efficiency->parameters[i].name, name) == 0)
            return &efficiency->parameters[i];
    return NULL;
}

const char *trial_parameter_find(const struct trial_efficiency *efficiency, const char *name)
{
    const struct trial_parameter *parameter = find(efficiency, name);
    return parameter ? parameter->value : NULL;
}

const char *trial_parameter_role(const struct trial_efficiency *efficiency, const char *name)
{
    const struct trial_parameter *parameter = find(efficiency, name);
    return parameter ? parameter->role : "";
}

const char *const trial_severity_names[] = {"inefficiency",
                                            "load-imbalance",
                                            "communication-loss",
                                            "serialization-loss",
                                            "transfer-loss",
                                            "waiting",
                                            NULL};

/// SQL for the severity ?2 of the trial ?1 and its confidence: a row unless it was not found.
static const char *severity_sql(const char *name, const char **metric)
{
    static const struct {
        const char *name, *metric;
    } losses[] = {
        {"inefficiency", "parallel_efficiency"},
        {"load-imbalance", "load_balance"},
        {"communication-loss", "communication_efficiency"},
        {"serialization-loss", "serialization_efficiency"},
        {"transfer-loss", "transfer_efficiency"},
    };
    *metric = name;
    if (strcmp(name, "waiting") == 0)
        return "SELECT total(severity), coalesce(sum(confidence * wait_ns) / sum(wait_ns), 1) "
               "FROM wait_states WHERE trial_id = ?1 AND is_top = 1 AND ?2 IS NOT NULL";
    for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++) {
        if (strcmp(name, losses[i].name) != 0)
            continue;
        *metric = losses[i].metric;
        return "SELECT 1 - (SELECT t.value FROM tuple t JOIN metric m ON m.id = t.metric_id "
               "WHERE t.trial_id = ?1 AND m.name = ?2 AND t.focus_id = 0 AND t.interval = 1), 1";
    }
    return "SELECT CASE tp.is_evaluated WHEN 0 THEN NULL ELSE coalesce(w.severity, 0) END, "
           "coalesce(w.confidence, 1) FROM trial_property tp JOIN property p "
           "ON p.id = tp.property_id LEFT JOIN wait_states w ON w.trial_id = tp.trial_id "
           "AND w.property = p.name WHERE tp.trial_id = ?1 AND p.name = ?2";
}

int trial_severity_read(struct database *database, int64_t trial, const char *name,
                        double *severity, double *confidence, struct error *err)
{
    const char *metric, *sql = severity_sql(name, &metric);
    sqlite3_stmt *statement;
    *severity = 0;
    *confidence = 1;
    if (database_prepare(database, &statement, sql, err))
        return -1;
    sqlite3_bind_int64(statement, 1, trial);
    sqlite3_bind_text(statement, 2, metric, -1, SQLITE_STATIC);
    int row = database_step(database, statement, err);
    if (row == 1 && sqlite3_column_type(statement, 0) == SQLITE_NULL) {
        *severity = NAN;
        *confidence = 0;
    } else if (row == 1) {
        *severity = fmin(fmax(sqlite3_column_double(statement, 0), 0), 1);
        *confidence = sqlite3_column_double(statement, 1);
    }
    sqlite3_finalize(statement);
    return row < 0 ? -1 : 0;
}

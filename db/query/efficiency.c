// SPDX-License-Identifier: BSD-3-Clause
// Reading by the tables of the schema (see efficiency.h).
#include "db/query/efficiency.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

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

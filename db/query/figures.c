// SPDX-License-Identifier: BSD-3-Clause
// Reading by the tables of the schema: exclusive times, less the waits of those wait states whose
// waits are in no other's; facts and efficiencies.
#include "db/query/figures.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/result/result.h"

/// Returns -1 unless ROW is 1; ERR where it is 0.
static int one_trial(struct database *database, int row, int64_t trial, struct error *err)
{
    if (row == 0)
        error_set(err, "%s has no trial %" PRId64 " any more", database->path, trial);
    return row == 1 ? 0 : -1;
}

int trial_time_read(struct database *database, int64_t trial, struct trial_time *time,
                    struct error *err)
{
    *time = (struct trial_time){0};
    int row =
        database_ask(database, err,
                     "SELECT application || '/' || experiment || '/' || trial, origin, "
                     "time_ns, n_ranks FROM trials WHERE trial_id = ?1",
                     "i>ttnn", trial, &time->name, &time->origin, &time->time_ns, &time->n_ranks);
    return one_trial(database, row, trial, err);
}

void trial_time_release(struct trial_time *time)
{
    FREE_ALL(time->name, time->origin);
    *time = (struct trial_time){0};
}

// Times by region, call path and process, as `divided`: the waits of those wait states whose waits
// are in no other's, and what they leave of the exclusive times. A wait may last while the rank has
// no CPU time, which is a child of the call: then the call's waits exceed its exclusive time. What
// they exceed it by is taken from the child.
#define DIVIDED_SQL                                                                                \
    "WITH part AS (\n"                                                                             \
    "    SELECT f.code_id, f.call_path_id AS path_id, f.process_id, '' AS wait_state, t.value\n"   \
    "        FROM tuple t JOIN metric m ON m.id = t.metric_id AND m.name = 'exclusive_ns'\n"       \
    "        JOIN focus f ON f.id = t.focus_id\n"                                                  \
    "        WHERE t.trial_id = ?1 AND t.interval = 0\n"                                           \
    "    UNION ALL\n"                                                                              \
    "    SELECT f.code_id, f.call_path_id, f.process_id, p.name, t.value\n"                        \
    "        FROM trial_property tp JOIN property p ON p.id = tp.property_id\n"                    \
    "        JOIN metric m ON m.name = p.name || '.wait_ns'\n"                                     \
    "        JOIN tuple t ON t.trial_id = tp.trial_id AND t.metric_id = m.id\n"                    \
    "        JOIN focus f ON f.id = t.focus_id\n"                                                  \
    "        WHERE tp.trial_id = ?1 AND tp.is_top = 1 AND t.interval = 0),\n"                      \
    "rest AS MATERIALIZED (\n"                                                                     \
    "    SELECT code_id, path_id, process_id,\n"                                                   \
    "        sum(CASE wait_state WHEN '' THEN value ELSE -value END) AS value\n"                   \
    "        FROM part GROUP BY path_id, process_id, code_id),\n"                                  \
    "moved AS MATERIALIZED (\n"                                                                    \
    "    SELECT rest.code_id, rest.path_id, rest.process_id, lost.code_id AS from_code_id,\n"      \
    "        lost.path_id AS from_path_id, min(-rest.value, lost.value) AS value\n"                \
    "        FROM rest JOIN resource child ON child.parent_id = rest.path_id\n"                    \
    "            AND child.name = '" RESULT_REGION_NO_CPU "'\n"                                    \
    "        JOIN rest lost ON lost.path_id = child.id AND lost.process_id = rest.process_id\n"    \
    "        WHERE rest.value < 0 AND lost.value > 0),\n"                                          \
    "divided AS (\n"                                                                               \
    "    SELECT * FROM part WHERE wait_state <> ''\n"                                              \
    "    UNION ALL SELECT code_id, path_id, process_id, '', value FROM rest\n"                     \
    "    UNION ALL SELECT code_id, path_id, process_id, '', value FROM moved\n"                    \
    "    UNION ALL SELECT from_code_id, from_path_id, process_id, '', -value FROM moved)\n"

int trial_time_parts(struct database *database, int64_t trial, trial_part_adder *add, void *user,
                     struct error *err)
{
    sqlite3_stmt *query = database_query(
        database, err,
        DIVIDED_SQL "SELECT call_path.path, process.path, wait_state, value FROM divided\n"
                    "    JOIN resource call_path ON call_path.id = path_id\n"
                    "    JOIN resource process ON process.id = process_id",
        "i", trial);
    const char *call_path, *process, *wait_state;
    int64_t value_ns;
    int row;
    while ((row = database_row(database, err, query, "sssi", &call_path, &process, &wait_state,
                               &value_ns)) == 1)
        add(user, call_path, process, wait_state, value_ns);
    sqlite3_finalize(query);
    return row;
}

/// The parts of a trial by the resource of a hierarchy, a column of `divided`.
#define TIMES_SQL(hierarchy)                                                                       \
    DIVIDED_SQL ", summed AS (\n"                                                                  \
                "    SELECT " hierarchy " AS id, wait_state, sum(value) AS value FROM divided\n"   \
                "        GROUP BY " hierarchy ", wait_state)\n"                                    \
                "SELECT resource.path, wait_state, max(value, 0) FROM summed\n"                    \
                "    JOIN resource ON resource.id = summed.id"

/// Summed by SQLite: as many rows as regions or call paths, however many ranks there are.
static int add_times(struct database *database, int64_t trial, const char *sql,
                     trial_region_adder *add, void *user, struct error *err)
{
    sqlite3_stmt *query = database_query(database, err, sql, "i", trial);
    const char *path, *wait_state;
    int64_t value_ns;
    int row;
    while ((row = database_row(database, err, query, "ssi", &path, &wait_state, &value_ns)) == 1)
        add(user, path, wait_state, value_ns);
    sqlite3_finalize(query);
    return row;
}

int trial_region_times(struct database *database, int64_t trial, trial_region_adder *add,
                       void *user, struct error *err)
{
    return add_times(database, trial, TIMES_SQL("code_id"), add, user, err);
}

int trial_call_path_times(struct database *database, int64_t trial, trial_region_adder *add,
                          void *user, struct error *err)
{
    return add_times(database, trial, TIMES_SQL("path_id"), add, user, err);
}

struct trial_profile_row *trial_profile(struct database *database, int64_t trial, size_t *n,
                                        struct error *err)
{
    return database_rows(
        database, err, n,
        "SELECT code.name, file.name, call_path.path, CAST(process.name AS INTEGER),\n"
        "    sum(CASE m.name WHEN 'visits' THEN t.value END),\n"
        "    sum(CASE WHEN m.name LIKE '%inclusive_ns' THEN t.value END),\n"
        "    sum(CASE m.name WHEN 'exclusive_ns' THEN t.value END)\n"
        "FROM tuple t JOIN metric m ON m.id = t.metric_id JOIN focus f ON f.id = t.focus_id\n"
        "    JOIN resource code ON code.id = f.code_id\n"
        "    JOIN resource file ON file.id = code.parent_id\n"
        "    JOIN resource call_path ON call_path.id = f.call_path_id\n"
        "    JOIN resource process ON process.id = f.process_id\n"
        "WHERE t.trial_id = ?1 AND t.interval = 0 AND file.name <> 'MPI'\n"
        "    AND m.name IN ('visits', 'exclusive_ns', CASE WHEN EXISTS (SELECT 1 FROM tuple u\n"
        "    JOIN metric n ON n.id = u.metric_id WHERE u.trial_id = ?1 AND n.name = "
        "'inclusive_ns')\n"
        "    THEN 'inclusive_ns' ELSE 'region_inclusive_ns' END) GROUP BY t.focus_id",
        "i>" TRIAL_PROFILE_LETTERS, trial);
}

char **trial_resources(struct database *database, int64_t trial, size_t *n, struct error *err)
{
    return database_rows(database, err, n,
                         "SELECT path FROM trial_resource JOIN resource ON id = resource_id "
                         "WHERE trial_id = ?1 AND parent_id <> 0",
                         "i>c", trial);
}

struct trial_value *trial_values(struct database *database, int64_t trial, size_t *n,
                                 struct error *err)
{
    return database_rows(
        database, err, n,
        "SELECT m.name, m.unit, CASE t.focus_id WHEN 0 THEN '' ELSE f.focus END, t.value\n"
        "FROM tuple t JOIN metric m ON m.id = t.metric_id JOIN foci f ON f.focus_id = t.focus_id\n"
        "WHERE t.trial_id = ?1 ORDER BY t.metric_id, t.focus_id, t.interval",
        "i>" TRIAL_VALUE_LETTERS, trial);
}

// --- efficiencies

#define PARAMETER_LETTERS "ttt" // of struct trial_parameter

int trial_efficiency_read(struct database *database, int64_t trial,
                          struct trial_efficiency *efficiency, struct error *err)
{
    static const char facts[] =
        "SELECT application, experiment, trial, origin, n_ranks, n_nodes, time_ns, judged_ns,\n"
        "    (SELECT sum(n_cores) FROM trial_node WHERE trial_id = ?1)\n"
        "FROM trials WHERE trial_id = ?1";
    static const char parameters[] =
        "SELECT name, value, role FROM trial_attribute WHERE trial_id = ?1 "
        "AND kind = 'parameter' ORDER BY name";
    static const char shares[] =
        "WITH share AS (SELECT m.name, sum(t.value) AS value FROM tuple t JOIN metric m\n"
        "    ON m.id = t.metric_id WHERE t.trial_id = ?1 AND t.interval = 1 AND m.name IN\n"
        "    ('useful_ns', 'no_cpu_ns', 'no_cpu_mpi_ns', 'cpu_efficiency', 'parallel_efficiency',\n"
        "    'load_balance', 'communication_efficiency', 'serialization_efficiency',\n"
        "    'transfer_efficiency') GROUP BY m.id)\n"
        "SELECT max(CASE name WHEN 'useful_ns' THEN value END),\n"
        "    sum(CASE WHEN name IN ('no_cpu_ns', 'no_cpu_mpi_ns') THEN value END),\n"
        "    max(CASE name WHEN 'parallel_efficiency' THEN value END),\n"
        "    max(CASE name WHEN 'load_balance' THEN value END),\n"
        "    max(CASE name WHEN 'cpu_efficiency' THEN value END),\n"
        "    max(CASE name WHEN 'communication_efficiency' THEN value END),\n"
        "    max(CASE name WHEN 'serialization_efficiency' THEN value END),\n"
        "    max(CASE name WHEN 'transfer_efficiency' THEN value END) FROM share";
    struct trial_efficiency *e = efficiency;
    *e = (struct trial_efficiency){.id = trial};
    int row = database_ask(database, err, facts, "i>ttttnnnnn", trial, &e->application,
                           &e->experiment, &e->name, &e->origin, &e->n_ranks, &e->n_nodes,
                           &e->time_ns, &e->window_ns, &e->n_cores);
    if (one_trial(database, row, trial, err) == 0 &&
        database_ask(database, err, shares, "i>nndddddd", trial, &e->useful_ns, &e->no_cpu_ns,
                     &e->parallel, &e->load_balance, &e->cpu, &e->communication, &e->serialization,
                     &e->transfer) == 1 &&
        (e->parameters = database_rows(database, err, &e->n_parameters, parameters,
                                       "i>" PARAMETER_LETTERS, trial)))
        return 0;
    trial_efficiency_release(efficiency);
    return -1;
}

void trial_efficiency_release(struct trial_efficiency *efficiency)
{
    database_rows_free(efficiency->parameters, efficiency->n_parameters, PARAMETER_LETTERS);
    FREE_ALL(efficiency->application, efficiency->experiment, efficiency->name, efficiency->origin);
    *efficiency = (struct trial_efficiency){0};
}

static const struct trial_parameter *find(const struct trial_efficiency *efficiency,
                                          const char *name)
{
    return ITEM_BY(efficiency->parameters, efficiency->n_parameters, name, name);
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
    double found = 0, certainty = 1; // without a row
    if (database_ask(database, err, sql, "is>dd", trial, metric, &found, &certainty) < 0)
        return -1;
    *severity = isnan(found) ? NAN : fmin(fmax(found, 0), 1);
    *confidence = isnan(found) ? 0 : certainty;
    return 0;
}

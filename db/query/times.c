// SPDX-License-Identifier: BSD-3-Clause
// Reading by the tables of the schema: exclusive times, less the waits of those wait states whose
// waits are in no other's.
#include "db/query/times.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/trials.h"

/// Adds what STATEMENT, which is finalized, finds for SELECTOR (?1).
static int group_read(struct database *database, sqlite3_stmt *statement, const char *selector,
                      struct trial_group *group, struct error *err)
{
    sqlite3_bind_text(statement, 1, selector, -1, SQLITE_STATIC);
    int row;
    while ((row = database_step(database, statement, err)) == 1) {
        group->ids =
            array_reserve(group->ids, &group->capacity, group->n_ids + 1, sizeof *group->ids);
        group->ids[group->n_ids++] = sqlite3_column_int64(statement, 0);
    }
    sqlite3_finalize(statement);
    return row;
}

int trial_group_find(struct database *database, const char *selector, struct trial_group *group,
                     struct error *err)
{
    static const char by_pattern[] =
        "SELECT trial_id FROM trials WHERE trial GLOB ?1 OR experiment || '/' || trial GLOB ?1 "
        "OR application || '/' || experiment || '/' || trial GLOB ?1 ORDER BY trial_id";
    static const char by_attribute[] =
        "SELECT DISTINCT trial_id FROM trial_attribute WHERE name || '=' || value = ?1 "
        "OR (name = 'PAGODA::REVISION' AND length(?1) >= 9 + 4 "
        "AND 'revision=' || substr(value, 1, length(?1) - 9) = ?1) "
        "OR (name = 'PAGODA::BRANCH' AND 'branch=' || value = ?1) "
        "OR (name = 'PAGODA::TAG' AND 'tag=' || value = ?1) ORDER BY trial_id";
    *group = (struct trial_group){0};
    int64_t id;
    if (trials_find(database, selector, &id, err) == 0) {
        group->ids = array_reserve(group->ids, &group->capacity, 1, sizeof *group->ids);
        group->ids[group->n_ids++] = id;
        return 0;
    }
    struct error ignored;
    const char *const ways[] = {by_pattern, by_attribute};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && group->n_ids == 0; i++) {
        sqlite3_stmt *statement;
        if (database_prepare(database, &statement, ways[i], &ignored) ||
            group_read(database, statement, selector, group, &ignored)) {
            *err = ignored;
            trial_group_release(group);
            return -1;
        }
    }
    return group->n_ids ? 0 : -1; // with what trials_find() said
}

int trial_group_to_compare(struct database *database, const char *selector,
                           struct trial_group *group, struct error *err)
{
    static const char sql[] = "SELECT origin = 'interval' FROM trial WHERE id = ?1";
    if (trial_group_find(database, selector, group, err))
        return -1;
    bool *is_interval = memory_zeroed(group->n_ids + 1, sizeof *is_interval);
    sqlite3_stmt *statement = NULL;
    size_t n_runs = 0, n_kept = 0;
    int row = database_prepare(database, &statement, sql, err);
    for (size_t i = 0; i < group->n_ids && row >= 0; i++) {
        sqlite3_bind_int64(statement, 1, group->ids[i]);
        row = database_step(database, statement, err);
        is_interval[i] = row == 1 && sqlite3_column_int(statement, 0);
        n_runs += !is_interval[i];
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    for (size_t i = 0; i < group->n_ids; i++)
        if (n_runs == 0 || !is_interval[i])
            group->ids[n_kept++] = group->ids[i];
    group->n_ids = n_kept;
    free(is_interval);
    if (row < 0)
        trial_group_release(group);
    return row < 0 ? -1 : 0;
}

int trial_group_newest(struct database *database, struct trial_group *group, struct error *err)
{
    static const char sql[] =
        "SELECT coalesce(started_at, stored_at), coalesce((SELECT value FROM trial_attribute a "
        "WHERE a.trial_id = t.id AND a.name = 'PAGODA::REVISION'), '') FROM trial t WHERE id = ?1";
    char *newest_at = memory_copy_text(""), *newest = memory_copy_text("");
    char **revisions = memory_zeroed(group->n_ids + 1, sizeof *revisions);
    sqlite3_stmt *statement = NULL;
    int row = database_prepare(database, &statement, sql, err);
    for (size_t i = 0; i < group->n_ids && row >= 0; i++) {
        sqlite3_bind_int64(statement, 1, group->ids[i]);
        if ((row = database_step(database, statement, err)) == 1) {
            const char *at = (const char *)sqlite3_column_text(statement, 0);
            revisions[i] = memory_copy_text((const char *)sqlite3_column_text(statement, 1));
            if (strcmp(at, newest_at) >= 0) {
                free(newest_at);
                free(newest);
                newest_at = memory_copy_text(at);
                newest = memory_copy_text(revisions[i]);
            }
        }
        sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    size_t n_kept = 0;
    for (size_t i = 0; i < group->n_ids; i++) {
        if (revisions[i] && strcmp(revisions[i], newest) == 0)
            group->ids[n_kept++] = group->ids[i];
        free(revisions[i]);
    }
    group->n_ids = n_kept;
    free(revisions);
    free(newest_at);
    free(newest);
    return row < 0 ? -1 : 0;
}

int trial_group_all(struct database *database, const char *application, const char *experiment,
                    const char *parameter, struct trial_group *group, struct error *err)
{
    static const char sql[] = "SELECT trial_id FROM trials WHERE origin = ?1 "
                              "AND (?2 IS NULL OR application = ?2) "
                              "AND (?3 IS NULL OR experiment = ?3) "
                              "AND (?4 IS NULL OR EXISTS (SELECT 1 FROM trial_attribute a "
                              "WHERE a.trial_id = trials.trial_id AND a.kind = 'parameter' "
                              "AND a.name = ?4)) ORDER BY trial_id";
    static const char *const origins[] = {"measured", "predicted"};
    *group = (struct trial_group){0};
    for (size_t i = parameter ? 0 : 2; i < 4 && group->n_ids == 0; i++) {
        sqlite3_stmt *statement;
        if (database_prepare(database, &statement, sql, err))
            return -1;
        sqlite3_bind_text(statement, 2, application, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 3, experiment, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 4, i < 2 ? parameter : NULL, -1, SQLITE_STATIC);
        if (group_read(database, statement, origins[i % 2], group, err))
            return -1;
    }
    if (group->n_ids == 0)
        return error_set(err, "%s has no trial%s%s%s%s (`pagoda store list` shows them)",
                         database->path, application ? " of the application " : "",
                         application ? application : "", experiment ? " in the experiment " : "",
                         experiment ? experiment : "");
    return 0;
}

void trial_group_release(struct trial_group *group)
{
    free(group->ids);
    *group = (struct trial_group){0};
}

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

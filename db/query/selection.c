// SPDX-License-Identifier: BSD-3-Clause
// Conditions become one SQL statement with each text as a parameter. Names are looked up first, so
// that a misspelt one is not reported as "no trial".
#include "db/query/selection.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "db/names.h"
#include "db/trials.h"

static void group_add(struct trial_group *group, int64_t id)
{
    group->ids = array_reserve(group->ids, &group->capacity, group->n_ids + 1, sizeof *group->ids);
    group->ids[group->n_ids++] = id;
}

/// Adds what QUERY, which is finalized, finds. 0, or -1 and ERR (GROUP is released).
static int group_read(struct database *database, sqlite3_stmt *query, struct trial_group *group,
                      struct error *err)
{
    int64_t id;
    int row;
    while ((row = database_row(database, err, query, "i", &id)) == 1)
        group_add(group, id);
    sqlite3_finalize(query);
    if (row < 0)
        trial_group_release(group);
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
        group_add(group, id);
        return 0;
    }
    struct error why;
    const char *const ways[] = {by_pattern, by_attribute};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && group->n_ids == 0; i++)
        if (group_read(database, database_query(database, &why, ways[i], "s", selector), group,
                       &why)) {
            *err = why;
            return -1;
        }
    return group->n_ids ? 0 : -1; // with what trials_find() said
}

/// The numbers of GROUP as a JSON array, for json_each(); the caller frees.
static char *group_json(const struct trial_group *group)
{
    char *json = NULL;
    size_t size;
    FILE *stream = open_memstream(&json, &size);
    fputc('[', stream);
    for (size_t i = 0; i < group->n_ids; i++)
        fprintf(stream, "%s%" PRId64, i ? "," : "", group->ids[i]);
    fputc(']', stream);
    fclose(stream);
    return json;
}

/// Keeps of GROUP what SQL finds, in which ?1 is the group as JSON.
static int group_filter(struct database *database, struct trial_group *group, const char *sql,
                        struct error *err)
{
    char *json = group_json(group);
    group->n_ids = 0;
    int status = group_read(database, database_query(database, err, sql, "s", json), group, err);
    free(json);
    return status;
}

int trial_group_to_compare(struct database *database, const char *selector,
                           struct trial_group *group, struct error *err)
{
    static const char runs_or_all[] =
        "WITH meant AS (SELECT id, origin FROM trial WHERE id IN (SELECT value FROM "
        "json_each(?1))) SELECT id FROM meant WHERE origin <> 'interval' OR NOT EXISTS (SELECT 1 "
        "FROM meant WHERE origin <> 'interval') ORDER BY id";
    if (trial_group_find(database, selector, group, err))
        return -1;
    return group_filter(database, group, runs_or_all, err);
}

int trial_group_newest(struct database *database, struct trial_group *group, struct error *err)
{
    static const char sql[] =
        "WITH meant AS (SELECT id, coalesce(started_at, stored_at) AS at, coalesce((SELECT value "
        "FROM trial_attribute a WHERE a.trial_id = t.id AND a.name = 'PAGODA::REVISION'), '') AS "
        "revision FROM trial t WHERE id IN (SELECT value FROM json_each(?1))) "
        "SELECT id FROM meant WHERE revision = (SELECT revision FROM meant ORDER BY at DESC, "
        "id DESC LIMIT 1) ORDER BY id";
    return group_filter(database, group, sql, err);
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
    for (size_t i = parameter ? 0 : 2; i < 4 && group->n_ids == 0; i++)
        if (group_read(database,
                       database_query(database, err, sql, "ssss", origins[i % 2], application,
                                      experiment, i < 2 ? parameter : NULL),
                       group, err))
            return -1;
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

// --- several conditions

/// The statement under construction: its text and the values to bind.
struct statement_text {
    FILE *sql;
    char **values; // ?1, ?2, ... to be freed
    size_t n_values, capacity;
};

/// Notes VALUE (taken over) as a further parameter; its number.
static size_t add_value(struct statement_text *text, char *value)
{
    text->values =
        array_reserve(text->values, &text->capacity, text->n_values + 1, sizeof *text->values);
    text->values[text->n_values++] = value;
    return text->n_values;
}

static void add_pattern(struct statement_text *text, const char *column, const char *pattern)
{
    if (pattern)
        fprintf(text->sql, " AND %s GLOB ?%zu", column, add_value(text, memory_copy_text(pattern)));
}

/// Whether TEXT is a date, or a date and a time: digits where "0000-00-00T00:00:00" has them.
static bool is_date(const char *text)
{
    static const char form[] = "0000-00-00T00:00:00Z";
    size_t length = strlen(text);
    if (length < strlen("0000-00") || length >= sizeof form)
        return false;
    for (size_t i = 0; i < length; i++)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
            return false;
    return true;
}

static int add_dates(struct statement_text *text, const struct trial_conditions *conditions,
                     struct error *err)
{
    static const char date[] = "coalesce(t.started_at, t.stored_at)";
    const char *const dates[] = {conditions->since, conditions->until};
    for (size_t i = 0; i < 2; i++)
        if (dates[i] && !is_date(dates[i]))
            return error_set(err, "\"%s\" is not a date such as 2026-11-21 or 2026-11-21T05:52",
                             dates[i]);
    if (conditions->since)
        fprintf(text->sql, " AND %s >= ?%zu", date,
                add_value(text, memory_copy_text(conditions->since)));
    if (conditions->until)
        fprintf(text->sql, " AND substr(%s, 1, %zu) <= ?%zu", date, strlen(conditions->until),
                add_value(text, memory_copy_text(conditions->until)));
    return 0;
}

/// A value that is a number is compared as one with a number; 64KiB or 1.10.2 are texts.
static void add_comparison(struct statement_text *text, const char *comparison, const char *value)
{
    struct error ignored;
    double number;
    size_t parameter = add_value(text, memory_copy_text(value));
    bool is_negative = value[0] == '-';
    if (option_read_number(value + is_negative, &number, &ignored) == 0)
        fprintf(text->sql,
                " AND CASE WHEN (x.value GLOB '[0-9]*' OR x.value GLOB '[-+.][0-9]*') AND "
                "x.value NOT GLOB '*[^-+.0-9eE]*' AND x.value NOT GLOB '*.*.*' "
                "THEN CAST(x.value AS REAL) %s CAST(?%zu AS REAL) ELSE x.value %s ?%zu END",
                comparison, parameter, comparison, parameter);
    else
        fprintf(text->sql, " AND x.value %s ?%zu", comparison, parameter);
}

/// A condition on a parameter: NAME, or NAME compared with a value.
static int add_parameter(struct statement_text *text, struct database *database,
                         const struct comparison *condition, struct error *err)
{
    if (names_check(database, "parameter", "SELECT DISTINCT name FROM trial_attribute ORDER BY 1",
                    condition->name, err))
        return -1;
    fprintf(
        text->sql,
        " AND EXISTS (SELECT 1 FROM trial_attribute x WHERE x.trial_id = t.id AND x.name = ?%zu",
        add_value(text, memory_copy_text(condition->name)));
    if (condition->relation != RELATION_NONE)
        add_comparison(text, relation_sign(condition->relation), condition->value);
    fprintf(text->sql, ")");
    return 0;
}

/// A condition on the severity of a property; its name alone: it has instances.
static int add_property(struct statement_text *text, struct database *database,
                        const struct comparison *condition, struct error *err)
{
    double severity = 0;
    const char *sign =
        condition->relation == RELATION_NONE ? ">=" : relation_sign(condition->relation);
    if (*condition->value && option_read_number(condition->value, &severity, err))
        return -1;
    if (names_check(database, "property", "SELECT name FROM property ORDER BY 1", condition->name,
                    err))
        return -1;
    fprintf(text->sql,
            " AND EXISTS (SELECT 1 FROM property_instance i JOIN property p ON p.id = "
            "i.property_id WHERE i.trial_id = t.id AND i.focus_id = 0 AND i.interval = 0 "
            "AND p.name = ?%zu AND i.count > 0 AND i.severity %s %.17g)",
            add_value(text, memory_copy_text(condition->name)), sign, severity);
    return 0;
}

/// Adds by ADD each condition in TEXTS.
static int add_conditions(struct statement_text *text, struct database *database,
                          const struct option_list *texts,
                          int (*add)(struct statement_text *, struct database *,
                                     const struct comparison *, struct error *),
                          struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < texts->count && status == 0; i++) {
        char *copy = memory_copy_text(texts->values[i]), *rest = copy, *part;
        while (status == 0 && (part = comparison_next(&rest))) {
            struct comparison condition;
            status = comparison_read(part, &condition, err) || add(text, database, &condition, err)
                         ? -1
                         : 0;
        }
        free(copy);
    }
    return status;
}

/// Writes the statement that finds the trials, up to its last condition. 0, or -1 and ERR.
static int write_conditions(struct statement_text *text, struct database *database,
                            const struct trial_conditions *conditions, struct error *err)
{
    fprintf(text->sql, "SELECT t.id FROM trial t JOIN experiment e ON e.id = t.experiment_id "
                       "JOIN application a ON a.id = e.application_id WHERE 1");
    add_pattern(text, "a.name", conditions->application);
    add_pattern(text, "e.name", conditions->experiment);
    if (conditions->origin)
        fprintf(text->sql, " AND t.origin = ?%zu",
                add_value(text, memory_copy_text(conditions->origin)));
    int status = add_dates(text, conditions, err);
    if (status == 0)
        status = add_conditions(text, database, &conditions->parameters, add_parameter, err);
    if (status == 0)
        status = add_conditions(text, database, &conditions->properties, add_property, err);
    return status;
}

/// All trials that the selectors choose.
static int find_meant(struct database *database, const struct trial_conditions *conditions,
                      struct trial_group *meant, struct error *err)
{
    for (size_t i = 0; i < conditions->selectors.count; i++) {
        struct trial_group some;
        if (trial_group_find(database, conditions->selectors.values[i], &some, err))
            return -1;
        for (size_t j = 0; j < some.n_ids; j++)
            group_add(meant, some.ids[j]);
        trial_group_release(&some);
    }
    return 0;
}

int trial_selection_find(struct database *database, const struct trial_conditions *conditions,
                         struct trial_group *group, struct error *err)
{
    struct statement_text text = {0};
    struct trial_group meant = {0};
    char *sql = NULL;
    size_t size;
    *group = (struct trial_group){0};
    text.sql = open_memstream(&sql, &size);
    int status = write_conditions(&text, database, conditions, err);
    if (status == 0)
        status = find_meant(database, conditions, &meant, err);
    if (conditions->selectors.count)
        fprintf(text.sql, " AND t.id IN (SELECT value FROM json_each(?%zu))",
                add_value(&text, group_json(&meant)));
    fprintf(text.sql, " ORDER BY t.id");
    fclose(text.sql);
    sqlite3_stmt *query = status == 0 ? database_query(database, err, sql, "") : NULL;
    for (size_t i = 0; i < text.n_values && query; i++)
        sqlite3_bind_text(query, (int)i + 1, text.values[i], -1, SQLITE_STATIC);
    status = group_read(database, query, group, err);
    if (status == 0 && group->n_ids == 0 && !conditions->may_be_none)
        status = error_set(err,
                           "%s has no trial that meets all conditions (`pagoda store list` "
                           "shows the trials)",
                           database->path);
    for (size_t i = 0; i < text.n_values; i++)
        free(text.values[i]);
    free(text.values);
    free(sql);
    trial_group_release(&meant);
    return status;
}

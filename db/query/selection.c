// SPDX-License-Identifier: BSD-3-Clause
// Conditions become one SQL statement with each text as a parameter. Names are looked up first, so
// that a misspelt one is not reported as "no trial".
#include "db/query/selection.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/formula.h"
#include "analyzer/base/memory.h"
#include "db/names.h"
#include "db/trials.h"

/// Fills GROUP with the numbers that SQL finds, in which ?1 is TEXT. 0, or -1 and ERR.
static int group_read(struct database *database, const char *sql, const char *text,
                      struct trial_group *group, struct error *err)
{
    group->ids = database_rows(database, err, &group->n_ids, sql, "s>i", text);
    return group->ids ? 0 : -1;
}

/// The trials that SELECTOR chooses, by number.
static int find_selected(struct database *database, const char *selector, struct trial_group *group,
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
    int64_t id;
    *group = (struct trial_group){0};
    if (trials_find(database, selector, &id, err) == 0) {
        *group = (struct trial_group){memory_new(sizeof id), 1};
        group->ids[0] = id;
        return 0;
    }
    struct error why;
    const char *const ways[] = {by_pattern, by_attribute};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0] && group->n_ids == 0; i++) {
        free(group->ids);
        if (group_read(database, ways[i], selector, group, &why)) {
            *err = why;
            return -1;
        }
    }
    if (group->n_ids)
        return 0;
    trial_group_release(group);
    return -1; // with what trials_find() said
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
    SCOPED char *json = group_json(group);
    free(group->ids);
    return group_read(database, sql, json, group, err);
}

/// Appends what GROUP lacks of SOME, which is released.
static void group_add(struct trial_group *group, struct trial_group *some)
{
    group->ids = memory_resize(group->ids, group->n_ids + some->n_ids, sizeof *group->ids);
    for (size_t i = 0; i < some->n_ids; i++) {
        bool is_there = false;
        for (size_t j = 0; j < group->n_ids && !is_there; j++)
            is_there = group->ids[j] == some->ids[i];
        if (!is_there)
            group->ids[group->n_ids++] = some->ids[i];
    }
    trial_group_release(some);
}

int trial_group_to_compare(struct database *database, char *const *selectors, size_t n,
                           struct trial_group *group, struct error *err)
{
    static const char runs_or_all[] =
        "WITH meant AS (SELECT id, origin FROM trial WHERE id IN (SELECT value FROM "
        "json_each(?1))) SELECT id FROM meant WHERE origin <> 'interval' OR NOT EXISTS (SELECT 1 "
        "FROM meant WHERE origin <> 'interval') ORDER BY id";
    *group = (struct trial_group){0};
    for (size_t i = 0; i < n; i++) {
        struct trial_group some;
        if (find_selected(database, selectors[i], &some, err) ||
            group_filter(database, &some, runs_or_all, err)) {
            trial_group_release(group);
            return -1;
        }
        group_add(group, &some);
    }
    return 0;
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
    for (size_t i = parameter ? 0 : 2; i < 4 && group->n_ids == 0; i++) {
        free(group->ids);
        group->ids = database_rows(database, err, &group->n_ids, sql, "ssss>i", origins[i % 2],
                                   application, experiment, i < 2 ? parameter : NULL);
        if (!group->ids)
            return -1;
    }
    if (group->n_ids > 0)
        return 0;
    trial_group_release(group);
    return error_set(err, "%s has no trial%s%s%s%s (`pagoda store list` shows them)",
                     database->path, application ? " of the application " : "",
                     application ? application : "", experiment ? " in the experiment " : "",
                     experiment ? experiment : "");
}

void trial_group_release(struct trial_group *group)
{
    free(group->ids);
    *group = (struct trial_group){0};
}

// --- several conditions

static void add_pattern(FILE *sql, const char *column, const char *pattern)
{
    if (!pattern)
        return;
    fprintf(sql, " AND %s GLOB ", column);
    database_quote(sql, pattern);
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

static int add_dates(FILE *sql, const struct trial_conditions *conditions, struct error *err)
{
    static const char date[] = "coalesce(t.started_at, t.stored_at)";
    const char *const dates[] = {conditions->since, conditions->until};
    for (size_t i = 0; i < 2; i++)
        if (dates[i] && !is_date(dates[i]))
            return error_set(err, "\"%s\" is not a date such as 2026-11-21 or 2026-11-21T05:52",
                             dates[i]);
    if (conditions->since) // a date needs no quoting
        fprintf(sql, " AND %s >= '%s'", date, conditions->since);
    if (conditions->until)
        fprintf(sql, " AND substr(%s, 1, %zu) <= '%s'", date, strlen(conditions->until),
                conditions->until);
    return 0;
}

/// A value that is a number is compared as one with a number; 64KiB or 1.10.2 are texts.
static void add_comparison(FILE *sql, const char *comparison, const char *value)
{
    struct error ignored;
    double number;
    bool is_negative = value[0] == '-';
    fprintf(sql, " AND ");
    if (option_read_number(value + is_negative, &number, &ignored) == 0)
        fprintf(sql,
                "CASE WHEN (x.value GLOB '[0-9]*' OR x.value GLOB '[-+.][0-9]*') AND "
                "x.value NOT GLOB '*[^-+.0-9eE]*' AND x.value NOT GLOB '*.*.*' "
                "THEN CAST(x.value AS REAL) %s CAST('%s' AS REAL) ELSE x.value %s '%s' END",
                comparison, value, comparison, value);
    else {
        fprintf(sql, "x.value %s ", comparison);
        database_quote(sql, value);
    }
}

/// A condition on a parameter: NAME, or NAME compared with a value.
static int add_parameter(FILE *sql, struct database *database, const struct comparison *condition,
                         struct error *err)
{
    if (names_check(database, "parameter", "SELECT DISTINCT name FROM trial_attribute ORDER BY 1",
                    condition->name, err))
        return -1;
    fprintf(sql,
            " AND EXISTS (SELECT 1 FROM trial_attribute x WHERE x.trial_id = t.id AND x.name = ");
    database_quote(sql, condition->name);
    if (condition->relation != RELATION_NONE)
        add_comparison(sql, relation_sign(condition->relation), condition->value);
    fprintf(sql, ")");
    return 0;
}

/// A condition on the severity of a property; its name alone: it has instances.
static int add_property(FILE *sql, struct database *database, const struct comparison *condition,
                        struct error *err)
{
    double severity = 0;
    const char *sign =
        condition->relation == RELATION_NONE ? ">=" : relation_sign(condition->relation);
    if (*condition->value && option_read_number(condition->value, &severity, err))
        return -1;
    if (names_check(database, "property", "SELECT name FROM property ORDER BY 1", condition->name,
                    err))
        return -1;
    fprintf(sql,
            " AND EXISTS (SELECT 1 FROM property_instance i JOIN property p ON p.id = "
            "i.property_id WHERE i.trial_id = t.id AND i.focus_id = 0 AND i.interval = 0 "
            "AND i.count > 0 AND i.severity %s %.17g AND p.name = ",
            sign, severity);
    database_quote(sql, condition->name);
    fprintf(sql, ")");
    return 0;
}

/// Adds by ADD each condition in TEXTS.
static int add_conditions(FILE *sql, struct database *database, const struct option_list *texts,
                          int (*add)(FILE *, struct database *, const struct comparison *,
                                     struct error *),
                          struct error *err)
{
    int status = 0;
    for (size_t i = 0; i < texts->count && status == 0; i++) {
        char *copy = memory_copy_text(texts->values[i]), *rest = copy, *part;
        while (status == 0 && (part = comparison_next(&rest))) {
            struct comparison condition;
            status = comparison_read(part, &condition, err) || add(sql, database, &condition, err)
                         ? -1
                         : 0;
        }
        free(copy);
    }
    return status;
}

/// Writes the statement that finds the trials, up to its last condition. 0, or -1 and ERR.
static int write_conditions(FILE *sql, struct database *database,
                            const struct trial_conditions *conditions, struct error *err)
{
    fprintf(sql, "SELECT t.id FROM trial t JOIN experiment e ON e.id = t.experiment_id "
                 "JOIN application a ON a.id = e.application_id WHERE 1");
    add_pattern(sql, "a.name", conditions->application);
    add_pattern(sql, "e.name", conditions->experiment);
    add_pattern(sql, "t.origin", conditions->origin);
    int status = add_dates(sql, conditions, err);
    if (status == 0)
        status = add_conditions(sql, database, &conditions->parameters, add_parameter, err);
    if (status == 0)
        status = add_conditions(sql, database, &conditions->properties, add_property, err);
    return status;
}

/// Adds that the selectors must choose the trial.
static int add_selectors(FILE *sql, struct database *database, const struct option_list *selectors,
                         struct error *err)
{
    for (size_t i = 0; i < selectors->count; i++) {
        struct trial_group some;
        if (find_selected(database, selectors->values[i], &some, err))
            return -1;
        for (size_t j = 0; j < some.n_ids; j++)
            fprintf(sql, "%s%" PRId64, i + j ? ", " : " AND t.id IN (", some.ids[j]);
        trial_group_release(&some);
    }
    fputs(selectors->count ? ")" : "", sql);
    return 0;
}

int trial_selection_find(struct database *database, const struct trial_conditions *conditions,
                         struct trial_group *group, struct error *err)
{
    SCOPED char *text = NULL;
    size_t size;
    *group = (struct trial_group){0};
    FILE *sql = open_memstream(&text, &size);
    int status = write_conditions(sql, database, conditions, err);
    if (status == 0)
        status = add_selectors(sql, database, &conditions->selectors, err);
    fprintf(sql, " ORDER BY t.id");
    fclose(sql);
    if (status == 0)
        status = group_read(database, text, NULL, group, err);
    if (status == 0 && group->n_ids == 0 && !conditions->may_be_none) {
        trial_group_release(group);
        status = error_set(err,
                           "%s has no trial that meets all conditions (`pagoda store list` "
                           "shows the trials)",
                           database->path);
    }
    return status;
}

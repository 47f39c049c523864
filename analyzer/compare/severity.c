// SPDX-License-Identifier: BSD-3-Clause
// Severities from stored values: times by call path, those in the region added up.
#include "analyzer/compare/resource_path.h"

#include <fnmatch.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/focus.h"
#include "db/query/figures.h"
#include "db/query/query.h"

int severity_name_check(const struct catalogue *catalogue, const char *const *further,
                        const char *name, const char *who, struct error *err)
{
    SCOPED const char **names = NULL;
    size_t n = 0, capacity = 0;
    const char *const *const lists[] = {trial_severity_names, further};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; lists[i] && lists[i][j]; j++)
            *ARRAY_NEXT(names, n, capacity) = lists[i][j];
    }
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        *ARRAY_NEXT(names, n, capacity) = catalogue->patterns[i].id;
    if (HAS_TEXT(names, n, name))
        return 0;
    return error_set(err, "%s asks for %s, which is not a wait state%s", who, name,
                     spelling_hint(name, names, n, "; did you mean %s?",
                                   " (`pagoda explain patterns` lists them)")
                         .text);
}

static const char inefficiency[] = "inefficiency";

static bool is_focus(const char *region)
{
    return *region == '/' || *region == '<';
}

static bool is_in(const char *const *names, const char *name)
{
    for (size_t i = 0; names && names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

int region_severity_check(const char *property, const char *region, const char *const *further,
                          const char *who, struct error *err)
{
    struct focus focus;
    bool is_of_program = is_in(trial_severity_names, property) || is_in(further, property);
    if (is_of_program && strcmp(property, inefficiency) != 0)
        return error_set(err,
                         "%s asks for %s of %s; of a region only inefficiency and wait states are "
                         "known",
                         who, property, region);
    if (!is_focus(region))
        return 0;
    if (focus_parse(region, &focus, err) != 0)
        return error_wrap(err, "%s asks for %s", who, region);
    focus_release(&focus);
    return 0;
}

/// While values by call path are added up.
struct adding {
    const char *region; // names, NULL: all that comes
    double all, mpi;    // time; of it that of MPI functions
    const char **names; // of functions, for the nearest one
    size_t n_names, capacity;
};

/// Do the names of PATH, at a slash, begin with those that REGION has?
static bool begins_with(const char *path, const char *region)
{
    bool fits = true;
    while (fits && *region) {
        size_t length = strcspn(region, "/"), level = resource_path_next(path, 0);
        SCOPED char *pattern = memory_format("%.*s", (int)length, region);
        SCOPED char *escaped = memory_format("%.*s", (int)level, path);
        SCOPED char *name = resource_path_plain(escaped);
        fits = level > 0 && (strcmp(pattern, name + 1) == 0 || fnmatch(pattern, name + 1, 0) == 0);
        path += level;
        region += length + (region[length] == '/');
    }
    return fits;
}

/// Are the names of REGION anywhere in the path?
static bool is_inside(const char *path, const char *region)
{
    for (; *path; path += resource_path_next(path, 0))
        if (begins_with(path, region))
            return true;
    return false;
}

static void add_value(const struct query_value *value, void *user)
{
    static const char root[] = "/CallPath";
    struct adding *adding = user;
    if (!value->part || !resource_path_is_within(value->part, root) || !value->part[strlen(root)])
        return;
    char *last = resource_path_plain(resource_path_last(value->part));
    if (!adding->region || is_inside(value->part + strlen(root), adding->region)) {
        adding->all += value->value;
        adding->mpi += strncmp(last, "MPI_", 4) == 0 ? value->value : 0;
    }
    *ARRAY_NEXT(adding->names, adding->n_names, adding->capacity) = last;
}

static void adding_release(struct adding *adding)
{
    memory_free_each(adding->names, adding->n_names);
}

/// Adds up METRIC in the region. 0, or -1 and ERR.
static int add_up(struct database *database, int64_t id, const char *metric, const char *region,
                  struct adding *adding, struct error *err)
{
    const struct query_question question = {
        .metric = metric,
        .focus = is_focus(region) ? region : NULL,
        .by = QUERY_BY_CALL_PATH,
        .trials = &id,
        .n_trials = 1,
    };
    adding->region = is_focus(region) ? NULL : region;
    return query_metric(database, &question, add_value, adding, err);
}

double region_severity_read(struct database *database, int64_t id, const char *property,
                            const char *region, struct error *why)
{
    SCOPED_BY(adding_release) struct adding time = {0}, waits = {0};
    double severity = NAN;
    int status = add_up(database, id, "exclusive_ns", region, &time, why);
    if (status == 0 && !(time.all > 0)) {
        error_set(why, "it has no region %s%s", region,
                  spelling_hint(region, time.names, time.n_names, "; did you mean %s?", "").text);
    } else if (status == 0 && strcmp(property, inefficiency) == 0) {
        severity = time.mpi / time.all;
    } else if (status == 0) {
        SCOPED char *metric = memory_format("%s.wait_ns", property);
        // A wait state that no trial has is not a metric.
        size_t n;
        struct query_metric *stored = query_metrics(database, metric, &n, NULL);
        database_rows_free(stored, n, QUERY_METRIC_LETTERS);
        if (!stored || add_up(database, id, metric, region, &waits, why) == 0)
            severity = waits.all / time.all;
    }
    return severity;
}

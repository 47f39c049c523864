// SPDX-License-Identifier: BSD-3-Clause
// See names.h. Names are compared by edit distance (base/text.h).
#include "db/names.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "db/focus.h"

/// Ends TEXT at its first slash and returns the text after it, NULL without a slash.
static char *cut_at_slash(char *text)
{
    char *slash = strchr(text, '/');
    if (slash)
        *slash = '\0';
    return slash ? slash + 1 : NULL;
}

static const char *unless_empty(const char *text)
{
    return text && *text ? text : NULL;
}

void trial_path_read(struct trial_path *path, const char *text)
{
    *path = (struct trial_path){.text = text ? memory_copy_text(text) : NULL};
    if (!text)
        return;
    char *second = cut_at_slash(path->text), *third = second ? cut_at_slash(second) : NULL;
    path->application = unless_empty(third ? path->text : NULL);
    path->experiment = unless_empty(third ? second : second ? path->text : NULL);
    path->trial = unless_empty(third ? third : second ? second : path->text);
}

int trial_path_read_experiment(struct trial_path *path, const char *text, struct error *err)
{
    *path = (struct trial_path){.text = text ? memory_copy_text(text) : NULL};
    if (!text)
        return 0;
    char *second = cut_at_slash(path->text);
    path->application = unless_empty(second ? path->text : NULL);
    path->experiment = unless_empty(second ? second : path->text);
    if (!second || !strchr(second, '/'))
        return 0;
    trial_path_release(path);
    return error_set(err, "--as %s: expected EXPERIMENT or APPLICATION/EXPERIMENT", text);
}

void trial_path_release(struct trial_path *path)
{
    free(path->text);
    *path = (struct trial_path){0};
}

int names_check(struct database *database, const char *kind, const char *sql, const char *name,
                struct error *err)
{
    size_t n;
    const char **names = database_rows(database, err, &n, sql, "s>t", name);
    int status = names ? 0 : -1;
    if (status == 0 && !HAS_TEXT(names, n, name)) {
        const char *nearest = spelling_nearest(name, names, n);
        SCOPED char *others = nearest ? memory_format("; did you mean \"%s\"?", nearest)
                                      : spelling_some("", names, n);
        status = error_set(err, "%s has no %s \"%s\"%s", database->path, kind, name, others);
    }
    database_rows_free(names, n, "t");
    return status;
}

int names_check_resource(struct database *database, const char *path, struct error *err)
{
    static const char exists_sql[] = "SELECT 1 FROM resource WHERE path = ?1";
    static const char children[] =
        "SELECT child.path FROM resource child JOIN resource parent ON parent.id = child.parent_id "
        "WHERE parent.path = CASE ?1 WHEN '' THEN '/' ELSE ?1 END ORDER BY child.path";
    int exists = database_ask(database, err, exists_sql, "s", path);
    if (exists)
        return exists < 0 ? -1 : 0;
    char *missing = memory_copy_text(path); // the shortest part of PATH that does not exist
    SCOPED char *parent = memory_copy_text(path);
    while (exists == 0) {
        free(missing);
        missing = memory_copy_text(parent);
        parent[focus_last_level(parent)] = '\0';
        exists = *parent ? database_ask(database, err, exists_sql, "s", parent) : 1;
    }
    size_t n = 0;
    const char **names =
        exists == 1 ? database_rows(database, err, &n, children, "s>t", parent) : NULL;
    if (names) {
        // Only the names below the parent are compared, or its length would hide differences.
        size_t skip = strlen(parent);
        SCOPED const char **ends = memory_zeroed(n, sizeof *ends);
        for (size_t i = 0; i < n; i++)
            ends[i] = names[i] + skip;
        const char *nearest = spelling_nearest(missing + skip, ends, n);
        if (nearest)
            error_set(err, "%s has no resource %s; did you mean %s%s?", database->path, path,
                      parent, nearest);
        else
            error_set(err, "%s has no resource %s; the nearest resource is %s", database->path,
                      path, *parent ? parent : "/Code, all of the code");
    }
    database_rows_free(names, n, "t");
    free(missing);
    return -1;
}

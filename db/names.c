// SPDX-License-Identifier: BSD-3-Clause
// See names.h. Names are compared by edit distance (base/text.h).
#include "db/names.h"

#include <sqlite3.h>
#include <stdbool.h>
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

struct name_list {
    const char **names; // each to be freed
    size_t n_names, capacity;
};

/// Reads the first column of SQL, whose parameter ?1 is VALUE. 0, or -1 and ERR.
static int name_list_read(struct name_list *list, struct database *database, const char *sql,
                          const char *value, struct error *err)
{
    sqlite3_stmt *query = database_query(database, err, sql, "s", value);
    char *name;
    int row;
    *list = (struct name_list){0};
    while ((row = database_row(database, err, query, "t", &name)) == 1) {
        list->names =
            array_reserve(list->names, &list->capacity, list->n_names + 1, sizeof *list->names);
        list->names[list->n_names++] = name;
    }
    sqlite3_finalize(query);
    return row;
}

static void name_list_release(struct name_list *list)
{
    for (size_t i = 0; i < list->n_names; i++)
        free((char *)list->names[i]);
    free(list->names);
    *list = (struct name_list){0};
}

int names_check(struct database *database, const char *kind, const char *sql, const char *name,
                struct error *err)
{
    struct name_list list;
    bool is_known = false;
    int status = name_list_read(&list, database, sql, name, err);
    for (size_t i = 0; i < list.n_names; i++)
        is_known |= strcmp(list.names[i], name) == 0;
    if (status == 0 && !is_known) {
        const char *nearest = spelling_nearest(name, list.names, list.n_names);
        char *others = nearest ? memory_format("; did you mean \"%s\"?", nearest)
                               : spelling_some("", list.names, list.n_names);
        status = error_set(err, "%s has no %s \"%s\"%s", database->path, kind, name, others);
        free(others);
    }
    name_list_release(&list);
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
    char *parent = memory_copy_text(path);
    while (exists == 0) {
        free(missing);
        missing = memory_copy_text(parent);
        parent[focus_last_level(parent)] = '\0';
        exists = *parent ? database_ask(database, err, exists_sql, "s", parent) : 1;
    }
    struct name_list list = {0};
    if (exists == 1 && name_list_read(&list, database, children, parent, err) == 0) {
        // Only the names below the parent are compared, or its length would hide differences.
        size_t skip = strlen(parent);
        const char **ends = memory_zeroed(list.n_names, sizeof *ends);
        for (size_t i = 0; i < list.n_names; i++)
            ends[i] = list.names[i] + skip;
        const char *nearest = spelling_nearest(missing + skip, ends, list.n_names);
        free(ends);
        if (nearest)
            error_set(err, "%s has no resource %s; did you mean %s%s?", database->path, path,
                      parent, nearest);
        else
            error_set(err, "%s has no resource %s; the nearest resource is %s", database->path,
                      path, *parent ? parent : "/Code, all of the code");
    }
    name_list_release(&list);
    free(missing);
    free(parent);
    return -1;
}

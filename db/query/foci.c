// SPDX-License-Identifier: BSD-3-Clause
// The focus becomes one condition for each column of the table `focus`, which its indexes answer.
#include "db/query/foci.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "db/schema.h"

/// What a hierarchy's column of `focus` must be.
struct condition {
    const char *column;
    const struct focus_selection *selection; // NULL: the root, or with is_part everything but it
    bool is_exact;
    bool is_part;
    int64_t root;
};

static const struct {
    const char *root, *column;
    enum query_by by;
    int64_t root_id;
} known[] = {
    {"/Code", "code_id", QUERY_BY_CODE, ROOT_CODE},
    {"/CallPath", "call_path_id", QUERY_BY_CALL_PATH, ROOT_CALL_PATH},
    {"/Process", "process_id", QUERY_BY_PROCESS, ROOT_PROCESS},
    {"/Message", "message_id", QUERY_BY_MESSAGE, ROOT_MESSAGE},
};
enum { N_KNOWN = sizeof known / sizeof known[0] }; // hierarchies with a column, without Machine

/// Roots have plain names, so that no slash in theirs is an escaped one.
bool query_is_root(const struct focus_selection *selection)
{
    return selection->n_paths == 1 && !strchr(selection->paths[0] + 1, '/');
}

/// The condition of a known hierarchy; false when it may be anything.
static bool make_condition(const struct focus *focus, const struct query_rule *rule, size_t i,
                           struct condition *condition)
{
    const struct focus_selection *selection = focus_find(focus, known[i].root);
    bool is_call_path = known[i].by == QUERY_BY_CALL_PATH;
    bool is_whole = !selection || query_is_root(selection);
    // A rank is on one node, and a call path ends in one function: parts of the one are known by
    // foci of the other.
    bool is_part = known[i].by == rule->by ||
                   (rule->by == QUERY_BY_MACHINE && known[i].by == QUERY_BY_PROCESS);
    bool is_implied = rule->by == QUERY_BY_CALL_PATH && known[i].by == QUERY_BY_CODE;
    bool is_exact = !is_part && !is_implied &&
                    (rule->is_exact || (rule->is_call_path_exact && is_call_path) ||
                     (rule->is_process_exact && known[i].by == QUERY_BY_PROCESS));
    *condition = (struct condition){.column = known[i].column,
                                    .selection = is_whole ? NULL : selection,
                                    .is_exact = is_exact,
                                    .is_part = is_part,
                                    .root = known[i].root_id};
    return is_exact || is_part || !is_whole;
}

/// Turns the focus into conditions; returns how many. CONDITIONS has room for one per hierarchy
/// that is known and per selection.
static size_t make_conditions(const struct focus *focus, const struct query_rule *rule,
                              struct condition *conditions)
{
    size_t n_conditions = 0, n_own = 0;
    for (size_t i = 0; i < N_KNOWN; i++)
        n_conditions += make_condition(focus, rule, i, &conditions[n_conditions]);
    for (size_t i = 0; i < focus->n_selections; i++) {
        const struct focus_selection *selection = &focus->selections[i];
        bool is_known = focus_find(focus, "/Machine") == selection;
        for (size_t j = 0; j < N_KNOWN; j++)
            is_known |= focus_find(focus, known[j].root) == selection;
        if (is_known)
            continue;
        conditions[n_conditions++] = (struct condition){
            .column = "other_id", .selection = selection, .is_exact = rule->is_exact};
        n_own++;
    }
    // Values for parts of a hierarchy of the user's are the same time cut in another way.
    if (n_own == 0)
        conditions[n_conditions++] = (struct condition){.column = "other_id", .is_exact = true};
    return n_conditions;
}

/// One condition as SQL. Every path becomes a parameter, counted by *PARAMETER. "0" follows "/" in
/// ASCII, so that the range holds exactly what is below a path.
static void write_condition(FILE *sql, const struct condition *condition, int *parameter)
{
    if (!condition->selection && condition->is_part) {
        fprintf(sql, " AND %s <> %d", condition->column, (int)condition->root);
        return;
    }
    fprintf(sql, " AND %s IN (SELECT id FROM resource WHERE ", condition->column);
    if (!condition->selection) // a root: "/" or a child of it
        fprintf(sql, "id = %d OR parent_id = %d", ROOT_OTHER, ROOT_OTHER);
    for (size_t j = 0; condition->selection && j < condition->selection->n_paths; j++) {
        fprintf(sql, "%spath = ?%d", j ? " OR " : "", *parameter);
        if (!condition->is_exact)
            fprintf(sql, " OR (path > ?%d || '/' AND path < ?%d || '0')", *parameter, *parameter);
        (*parameter)++;
    }
    fprintf(sql, ")");
}

/// SQL for the foci that fulfil all conditions. The caller frees.
static char *focus_sql(const struct condition *conditions, size_t n_conditions, enum query_by by)
{
    const char *part = "0";
    for (size_t i = 0; i < N_KNOWN; i++)
        if (known[i].by == by)
            part = known[i].column;
    char *text = NULL;
    size_t size;
    FILE *sql = open_memstream(&text, &size);
    int parameter = 1;
    fprintf(sql, "SELECT id, process_id, %s FROM focus WHERE 1", part);
    for (size_t i = 0; i < n_conditions; i++)
        write_condition(sql, &conditions[i], &parameter);
    fprintf(sql, " ORDER BY id");
    fclose(sql);
    return text;
}

int query_foci_find(struct database *database, const struct focus *focus,
                    const struct query_rule *rule, struct query_foci *foci, struct error *err)
{
    *foci = (struct query_foci){0};
    struct condition *conditions =
        memory_zeroed(N_KNOWN + focus->n_selections + 1, sizeof *conditions);
    size_t n_conditions = make_conditions(focus, rule, conditions);
    char *sql = focus_sql(conditions, n_conditions, rule->by);
    sqlite3_stmt *query = database_query(database, err, sql, "");
    int parameter = 1;
    for (size_t i = 0; i < n_conditions && query; i++) {
        const struct focus_selection *selection = conditions[i].selection;
        for (size_t j = 0; selection && j < selection->n_paths; j++)
            sqlite3_bind_text(query, parameter++, selection->paths[j], -1, SQLITE_STATIC);
    }
    struct wanted_focus wanted;
    int row;
    while ((row = database_row(database, err, query, "iii", &wanted.id, &wanted.process_id,
                               &wanted.resource_id)) == 1) {
        foci->foci =
            array_reserve(foci->foci, &foci->capacity, foci->n_foci + 1, sizeof *foci->foci);
        foci->foci[foci->n_foci++] = wanted;
    }
    sqlite3_finalize(query);
    free(sql);
    free(conditions);
    return row;
}

void query_foci_release(struct query_foci *foci)
{
    free(foci->foci);
    *foci = (struct query_foci){0};
}

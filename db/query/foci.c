// SPDX-License-Identifier: BSD-3-Clause
// The focus becomes one condition for each column of the table `focus`, which its indexes answer.
#include "db/query/query.h"

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
    // Values for parts of another hierarchy are the same ones cut in another way.
    static char path[] = "/SyncObject", *paths[] = {path};
    static const struct focus_selection sync_objects = {paths, 1};
    if (n_own == 0 && rule->by == QUERY_BY_SYNC_OBJECT)
        conditions[n_conditions++] =
            (struct condition){.column = "other_id", .selection = &sync_objects};
    else if (n_own == 0)
        conditions[n_conditions++] = (struct condition){.column = "other_id", .is_exact = true};
    return n_conditions;
}

// "0" follows "/" in ASCII, so that the range holds exactly what is below a path.
void query_write_selection(FILE *sql, const struct focus_selection *selection, bool is_exact)
{
    fputs("(0", sql);
    for (size_t i = 0; i < selection->n_paths; i++) {
        fputs(" OR path = ", sql);
        database_quote(sql, selection->paths[i]);
        if (is_exact)
            continue;
        fputs(" OR (path > ", sql);
        database_quote(sql, selection->paths[i]);
        fputs(" || '/' AND path < ", sql);
        database_quote(sql, selection->paths[i]);
        fputs(" || '0')", sql);
    }
    fputs(")", sql);
}

static void write_condition(FILE *sql, const struct condition *condition)
{
    if (!condition->selection && condition->is_part) {
        fprintf(sql, " AND %s <> %d", condition->column, (int)condition->root);
        return;
    }
    fprintf(sql, " AND %s IN (SELECT id FROM resource WHERE ", condition->column);
    if (condition->selection)
        query_write_selection(sql, condition->selection, condition->is_exact);
    else // a root: "/" or a child of it
        fprintf(sql, "id = %d OR parent_id = %d", ROOT_OTHER, ROOT_OTHER);
    fprintf(sql, ")");
}

int query_foci_find(struct database *database, const struct focus *focus,
                    const struct query_rule *rule, struct query_foci *foci, struct error *err)
{
    SCOPED struct condition *conditions =
        memory_zeroed(N_KNOWN + focus->n_selections + 1, sizeof *conditions);
    size_t n_conditions = make_conditions(focus, rule, conditions), size;
    const char *part = rule->by == QUERY_BY_SYNC_OBJECT ? "other_id" : "0";
    for (size_t i = 0; i < N_KNOWN; i++)
        if (known[i].by == rule->by)
            part = known[i].column;
    SCOPED char *text = NULL;
    FILE *sql = open_memstream(&text, &size);
    fprintf(sql, "SELECT id, process_id, %s FROM focus WHERE 1", part);
    for (size_t i = 0; i < n_conditions; i++)
        write_condition(sql, &conditions[i]);
    fprintf(sql, " ORDER BY id");
    fclose(sql);
    foci->foci = database_rows(database, err, &foci->n_foci, text, ">iii");
    return foci->foci ? 0 : -1;
}

void query_foci_release(struct query_foci *foci)
{
    free(foci->foci);
    *foci = (struct query_foci){0};
}

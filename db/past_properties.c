// SPDX-License-Identifier: BSD-3-Clause
// What a search for properties found in earlier trials, each at the part of this run that has the
// same resource. Parts are found by a binary search of their resources' paths.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "db/focus.h"
#include "db/store.h"

struct place {
    char *path; // of a resource
    uint32_t index;
};

struct places {
    struct place *items;
    size_t n;
};

static void places_release(struct places *places)
{
    FREE_MEMBERS(places->items, places->n, path);
    free(places->items);
}

static struct places region_places(const struct result *result)
{
    struct places places = {memory_zeroed(result->n_regions + 1, sizeof(struct place)),
                            result->n_regions};
    for (uint32_t i = 0; i < places.n; i++) {
        const struct result_region *region = &result->regions[i];
        SCOPED char *module = focus_path("/Code", store_module(region));
        places.items[i] = (struct place){focus_path(module, region->name), i};
    }
    SORT_BY(places.items, places.n, LEAST(path), LEAST(index));
    return places;
}

static struct places path_places(const struct result *result)
{
    struct places places = {memory_zeroed(result->n_paths + 1, sizeof(struct place)),
                            result->n_paths};
    for (uint32_t i = 0; i < places.n; i++) { // parents before children
        const struct result_path *path = &result->paths[i];
        const char *above =
            path->parent == RESULT_NONE ? "/CallPath" : places.items[path->parent].path;
        places.items[i] = (struct place){focus_path(above, result->regions[path->region].name), i};
    }
    SORT_BY(places.items, places.n, LEAST(path), LEAST(index));
    return places;
}

/// RESULT_NONE: it is not among them.
static uint32_t find_place(const struct places *places, const char *path)
{
    size_t at;
    SEARCH(at, 0, places->n, i, strcmp(places->items[i].path, path) < 0);
    return at < places->n && strcmp(places->items[at].path, path) == 0 ? places->items[at].index
                                                                       : RESULT_NONE;
}

static uint32_t find_node(const struct result *result, const char *path)
{
    for (uint32_t i = 0; i < result->n_nodes; i++) {
        SCOPED char *own = focus_path("/Machine", result->nodes[i].name);
        if (strcmp(own, path) == 0)
            return i;
    }
    return RESULT_NONE;
}

/// The first item may hold what was before the loop.
static uint32_t find_iteration(const struct result *result, int64_t number)
{
    for (uint32_t i = 1; i < result->iterations.n_items; i++)
        if ((int64_t)result->iterations.items[i].first <= number &&
            (int64_t)result->iterations.items[i].last >= number)
            return i;
    return RESULT_NONE;
}

/// A row of the query below. Paths are empty where they restrict nothing.
struct past_row {
    char *property, *code, *call_path, *process, *machine;
    int64_t iteration; // -1: all
    double severity;
    int64_t is_last;
};
#define ROW_LETTERS "cccccidi"

static void fill(const struct past_row *row, const struct result *result,
                 const struct places *regions, const struct places *paths,
                 struct result_past_property *past)
{
    struct result_part in = RESULT_PART_ALL;
    const char *where = "";
    *past = (struct result_past_property){
        .is_here = !row->is_last || !isnan(row->severity), // else it could not be evaluated
        .is_last = row->is_last,
        .severity = row->severity};
    if (row->code[0]) {
        where = row->code;
        in.region = find_place(regions, where);
        past->is_here = in.region != RESULT_NONE;
    } else if (row->call_path[0]) {
        where = row->call_path;
        in.path = find_place(paths, where);
        past->is_here = in.path != RESULT_NONE;
    } else if (row->process[0]) {
        where = row->process;
        unsigned long rank = strtoul(where + strlen("/Process/"), NULL, 10);
        past->is_here = rank < result->n_ranks;
        in.rank = past->is_here ? (uint32_t)rank : RESULT_NONE;
    } else if (row->machine[0]) {
        where = row->machine;
        in.node = find_node(result, where);
        past->is_here = in.node != RESULT_NONE;
    } else if (row->iteration >= 0) {
        in.iteration = find_iteration(result, row->iteration);
        past->is_here = in.iteration != RESULT_NONE;
    }
    past->in = in;
    past->name = memory_copy_text(row->property);
    past->where = row->iteration >= 0 ? memory_format("iteration %" PRId64, row->iteration)
                                      : memory_copy_text(where);
}

/// The last trial, and how many there are. 1, 0: there is none, -1 and ERR.
static int find_last(struct database *database, const char *application, const char *experiment,
                     struct result_search *search, int64_t *last, struct error *err)
{
    return database_ask(
        database, err,
        "SELECT s.trial_id, t.trial, t.n_ranks, count(*) OVER () FROM property_search s JOIN "
        "trials "
        "t USING (trial_id) WHERE t.application = ?1 AND t.origin = 'measured' AND s.hierarchy = "
        "?3 AND s.prunes = ?4 ORDER BY t.experiment <> ?2, s.trial_id DESC LIMIT 1",
        "ttti>itnn", application, experiment, search->hierarchy, (int64_t)search->prunes, last,
        &search->last, &search->last_ranks, &search->n_trials);
}

int past_properties_read(struct database *database, const char *application, const char *experiment,
                         const struct result *result, struct result_search *search,
                         struct error *err)
{
    static const char sql[] =
        "SELECT c.property, iif(f.code_id = 1, '', code.path), iif(f.call_path_id = 2, '', "
        "path.path), iif(f.process_id = 4, '', process.path), iif(f.machine_id = 3, '', "
        "machine.path), coalesce(c.iteration, -1), max(iif(c.trial_id = ?4, c.severity, NULL)), "
        "max(c.trial_id = ?4) FROM critical_property c JOIN property_search s USING (trial_id) "
        "JOIN "
        "trials t USING (trial_id) JOIN focus f ON f.id = c.focus_id JOIN resource code ON code.id "
        "= f.code_id JOIN resource path ON path.id = f.call_path_id JOIN resource process ON "
        "process.id = f.process_id JOIN resource machine ON machine.id = f.machine_id WHERE "
        "t.application = ?1 AND t.origin = 'measured' AND s.hierarchy = ?2 AND s.prunes = ?3 AND "
        "(c.severity IS NOT NULL OR c.trial_id = ?4) GROUP BY c.property, c.focus_id, c.iteration, "
        "c.severity IS NULL ORDER BY 1, 2, 3, 4, 5, 6";
    int64_t last = 0;
    int row = find_last(database, application, experiment, search, &last, err);
    if (row <= 0)
        return row;
    size_t n;
    struct past_row *rows = database_rows(database, err, &n, sql, "ttii>" ROW_LETTERS, application,
                                          search->hierarchy, (int64_t)search->prunes, last);
    if (!rows)
        return -1;
    SCOPED_BY(places_release) struct places regions = region_places(result);
    SCOPED_BY(places_release) struct places paths = path_places(result);
    search->past = memory_zeroed(n + 1, sizeof *search->past);
    search->n_past = n;
    for (size_t i = 0; i < n; i++)
        fill(&rows[i], result, &regions, &paths, &search->past[i]);
    database_rows_free(rows, n, ROW_LETTERS);
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// A focus query has two steps: find the foci within the wanted one (foci.c), then read their values
// trial by trial in the order of foci. Both lists are merged. Small gaps between wanted foci are
// read over, as between the foci of one call path on all ranks; large ones, as between those of one
// rank, are skipped by a new search.
#include "db/query/query.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "db/names.h"
#include "db/schema.h"
#include "db/store.h"

enum {
    MAX_GAP = 32, // between foci of one scan: reading this many values costs as much as a search
    NO_INTERVAL = -1, // the trial has none of that name
};

/// A part of the answers for one trial: a resource, or everything.
struct part {
    int64_t resource_id;
    char *path; // NULL: everything
    double value;
    uint64_t n_values;
};

struct query {
    struct database *database;
    struct error *err;
    const struct query_question *question;
    struct focus focus;
    struct query_rule rule;
    int64_t metric_id; // or the property's
    bool is_mean;      // values do not add up, their mean is asked
    struct query_foci wanted;
    struct part *parts; // in the order of the answers
    size_t n_parts, parts_capacity;
    int64_t first_interval; // of the present trial, that its values are of
    struct map part_of;     // resource -> index of its part
    struct map machine_of;  // of the present trial: process -> machine, of the processes selected
    sqlite3_stmt *scan, *placement;
};

static int find_metric(struct query *query, const char *metric)
{
    const char *const sql = "SELECT id, adds_up_over = 'nothing', adds_up_over = 'processes' "
                            "FROM metric WHERE name = ?1";
    if (names_check(query->database, "metric", "SELECT name FROM metric ORDER BY 1", metric,
                    query->err))
        return -1;
    int row = database_ask(query->database, query->err, sql, "s>ibb", metric, &query->metric_id,
                           &query->rule.is_exact, &query->rule.is_call_path_exact);
    if (row == 1 && query->rule.is_exact && query->question->by == QUERY_BY_MACHINE)
        return error_set(query->err, "values of %s do not add up over the ranks of a node", metric);
    return row < 0 ? -1 : 0;
}

/// True when FOCUS selects less than all of the hierarchy whose root is ROOT.
static bool restricts(const struct focus *focus, const char *root)
{
    const struct focus_selection *selection = focus_find(focus, root);
    return selection && !query_is_root(selection);
}

/// Instances of properties are kept in three cuts of the same time; the question chooses one.
static int find_property(struct query *query, const char *property)
{
    enum query_by by = query->question->by;
    if (names_check(query->database, "property", "SELECT name FROM property ORDER BY 1", property,
                    query->err) ||
        database_ask(query->database, query->err, "SELECT id FROM property WHERE name = ?1", "s>i",
                     property, &query->metric_id) < 0)
        return -1;
    bool is_by_path = by == QUERY_BY_CALL_PATH || by == QUERY_BY_CODE ||
                      restricts(&query->focus, "/Code") || restricts(&query->focus, "/CallPath");
    bool is_by_process = by == QUERY_BY_PROCESS || by == QUERY_BY_MACHINE ||
                         restricts(&query->focus, "/Process") ||
                         restricts(&query->focus, "/Machine");
    if (is_by_path && is_by_process)
        return error_set(
            query->err,
            "properties are stored by call path or by process, not by both: ask for the "
            "metric %s.wait_ns",
            property);
    query->rule.is_exact = !is_by_path && !is_by_process;
    query->rule.is_process_exact = is_by_path;
    return 0;
}

/// Every resource a focus names must exist, else a slip would look like "no values".
static int check_resources(struct query *query)
{
    for (size_t i = 0; i < query->focus.n_selections; i++)
        for (size_t j = 0; j < query->focus.selections[i].n_paths; j++)
            if (names_check_resource(query->database, query->focus.selections[i].paths[j],
                                     query->err))
                return -1;
    return 0;
}

// --- parts

static void add_part(struct query *query, int64_t resource_id, char *path)
{
    *ARRAY_NEXT(query->parts, query->n_parts, query->parts_capacity) =
        (struct part){.resource_id = resource_id, .path = path};
}

/// By path, where numbers at the same place compare as numbers: /Process/9 before /Process/10.
static int compare_parts(const void *a, const void *b)
{
    const struct part *part_a = a, *part_b = b;
    return ORDER_BY(strverscmp(part_a->path, part_b->path), strcmp(part_a->path, part_b->path));
}

/// Makes the list of parts that can have values.
static int find_parts(struct query *query)
{
    sqlite3_stmt *find = NULL;
    int64_t id;
    char *path;
    int row = 0;
    if (query->question->by == QUERY_BY_TRIAL) {
        add_part(query, 0, NULL);
    } else if (query->question->by == QUERY_BY_MACHINE) {
        find = database_query(query->database, query->err,
                              "SELECT id, path FROM resource WHERE parent_id = ?1", "i",
                              (int64_t)ROOT_MACHINE);
        while ((row = database_row(query->database, query->err, find, "ic", &id, &path)) == 1)
            add_part(query, id, path);
        sqlite3_finalize(find);
    } else {
        for (size_t i = 0; i < query->wanted.n_foci && row >= 0; i++) {
            id = query->wanted.foci[i].resource_id;
            if (map_get(&query->part_of, (uint64_t)id, NULL))
                continue;
            map_put(&query->part_of, (uint64_t)id, 0);
            row = database_ask(query->database, query->err,
                               "SELECT path FROM resource WHERE id = ?1", "i>c", id, &path);
            if (row == 1)
                add_part(query, id, path);
        }
    }
    if (query->n_parts > 0)
        qsort(query->parts, query->n_parts, sizeof *query->parts, compare_parts);
    for (size_t i = 0; i < query->n_parts; i++)
        map_put(&query->part_of, (uint64_t)query->parts[i].resource_id, (uint32_t)i);
    return row < 0 ? -1 : 0;
}

// --- one trial

/// SQL for the processes of a trial (?1) that ran within the selection of Machine, NULL: anywhere.
static char *placement_sql(const struct focus_selection *machine)
{
    char *text = NULL;
    size_t size;
    FILE *sql = open_memstream(&text, &size);
    fprintf(sql, "SELECT process_id, machine_id FROM trial_rank JOIN resource ON id = machine_id "
                 "WHERE trial_id = ?1");
    if (machine) {
        fputs(" AND ", sql);
        query_write_selection(sql, machine, false);
    }
    fclose(sql);
    return text;
}

/// The statement that reads values of the metric, or of the property's instances.
static int prepare_reading(struct query *query)
{
    const char *property_value = query->question->property_value;
    const char *table = property_value ? "property_instance" : "tuple";
    const char *id = property_value ? "property_id" : "metric_id";
    const char *value = property_value ? property_value : "value";
    char *scan =
        memory_format("SELECT focus_id, %s, interval FROM %s WHERE trial_id = ?1 AND %s = ?2 AND "
                      "focus_id BETWEEN ?3 AND ?5 AND (?4 IS NULL OR interval = ?4) "
                      "ORDER BY focus_id, interval",
                      value, table, id);
    query->scan = database_query(query->database, query->err, scan, "");
    free(scan);
    return query->scan ? 0 : -1;
}

static int prepare_values(struct query *query)
{
    const char *interval = query->question->interval;
    if (prepare_reading(query) ||
        (interval &&
         names_check(query->database, "interval",
                     "SELECT DISTINCT name FROM time_interval ORDER BY 1", interval, query->err)))
        return -1;
    const struct focus_selection *machine = focus_find(&query->focus, "/Machine");
    if (machine && query_is_root(machine))
        machine = NULL;
    if (!machine && query->question->by != QUERY_BY_MACHINE)
        return 0;
    SCOPED char *sql = placement_sql(machine);
    query->placement = database_query(query->database, query->err, sql, "");
    return query->placement ? 0 : -1;
}

/// A rank's place is a fact of its trial, so that trials share foci whatever nodes they ran on: a
/// restricted Machine becomes the set of processes that ran there.
static int read_machines(struct query *query, int64_t trial)
{
    if (!query->placement)
        return 0;
    map_release(&query->machine_of);
    map_init(&query->machine_of);
    sqlite3_bind_int64(query->placement, 1, trial);
    uint64_t process, machine;
    int row;
    while ((row = database_row(query->database, query->err, query->placement, "nn", &process,
                               &machine)) == 1)
        map_put(&query->machine_of, process, (uint32_t)machine);
    sqlite3_reset(query->placement);
    return row;
}

/// The number of the wanted interval in TRIAL, bound as ?4 of the scan; false: it has none.
static bool bind_interval(struct query *query, int64_t trial, int *status)
{
    *status = 0;
    if (!query->question->interval) {
        sqlite3_bind_null(query->scan, 4);
        return true;
    }
    int64_t number = NO_INTERVAL;
    int row = database_ask(query->database, query->err,
                           "SELECT number FROM time_interval WHERE trial_id = ?1 AND name = ?2",
                           "is>i", trial, query->question->interval, &number);
    sqlite3_bind_int64(query->scan, 4, number);
    *status = row < 0 ? -1 : 0;
    return row == 1;
}

/// The part FOCUS belongs to in the present trial, NULL: none, or a rank of a machine not selected.
static struct part *part_of(struct query *query, const struct wanted_focus *focus)
{
    uint64_t resource = (uint64_t)focus->resource_id;
    uint32_t machine = 0, index = 0;
    if (query->placement && !map_get(&query->machine_of, (uint64_t)focus->process_id, &machine))
        return NULL;
    if (query->question->by == QUERY_BY_TRIAL)
        return &query->parts[0];
    if (query->question->by == QUERY_BY_MACHINE)
        resource = machine;
    return map_get(&query->part_of, resource, &index) ? &query->parts[index] : NULL;
}

/// Number of the first wanted focus from NUMBER on that is not before FOCUS.
static size_t first_from(const struct query_foci *wanted, size_t number, int64_t focus)
{
    size_t low = number, step = 1; // all before LOW are before FOCUS
    while (low + step <= wanted->n_foci && wanted->foci[low + step - 1].id < focus) {
        low += step;
        step *= 2;
    }
    size_t high = low + step <= wanted->n_foci ? low + step - 1 : wanted->n_foci;
    SEARCH(low, low, high, i, wanted->foci[i].id < focus);
    return low;
}

static void clear_parts(struct query *query)
{
    for (size_t i = 0; i < query->n_parts; i++)
        query->parts[i].value = 0, query->parts[i].n_values = 0;
}

/// Adds the value of the present row, which is at FOCUS. Only those of the trial's first interval
/// that has any count: a sum over several is the value of none.
static void add_row(struct query *query, const struct wanted_focus *focus)
{
    int64_t interval = sqlite3_column_int64(query->scan, 2);
    if (interval > query->first_interval)
        return;
    struct part *part = part_of(query, focus);
    if (!part)
        return;
    if (interval < query->first_interval)
        clear_parts(query);
    query->first_interval = interval;
    part->value += sqlite3_column_double(query->scan, 1);
    part->n_values++;
}

/// Adds up values from wanted focus *NEXT on until the next wanted one is far away or there are no
/// more; *NEXT then is where to go on.
static int sum_scan(struct query *query, size_t *next)
{
    const struct query_foci *wanted = &query->wanted;
    int64_t focus;
    int row;
    sqlite3_bind_int64(query->scan, 3, wanted->foci[*next].id);
    while ((row = database_row(query->database, query->err, query->scan, "i", &focus)) == 1) {
        *next = first_from(wanted, *next, focus);
        if (*next < wanted->n_foci && wanted->foci[*next].id == focus) {
            add_row(query, &wanted->foci[*next]);
            (*next)++; // a second interval of the same focus is not the first one
        }
        if (*next == wanted->n_foci || wanted->foci[*next].id - focus > MAX_GAP)
            break;
    }
    sqlite3_reset(query->scan);
    if (row == 0)
        *next = wanted->n_foci;
    return row < 0 ? -1 : 0;
}

static int sum_trial(struct query *query, int64_t trial)
{
    const struct query_foci *wanted = &query->wanted;
    size_t next = 0;
    int status = 0;
    if (wanted->n_foci == 0)
        return 0;
    sqlite3_bind_int64(query->scan, 1, trial);
    sqlite3_bind_int64(query->scan, 2, query->metric_id);
    sqlite3_bind_int64(query->scan, 5, wanted->foci[wanted->n_foci - 1].id);
    while (next < wanted->n_foci && status == 0)
        status = sum_scan(query, &next);
    return status;
}

static int answer_trial(struct query *query, int64_t trial,
                        void (*answer)(const struct query_value *value, void *user), void *user)
{
    int status;
    if (!bind_interval(query, trial, &status))
        return status;
    clear_parts(query);
    query->first_interval = INT64_MAX;
    if (read_machines(query, trial) || sum_trial(query, trial))
        return -1;
    for (size_t i = 0; i < query->n_parts; i++) {
        struct part *part = &query->parts[i];
        if (part->n_values && query->is_mean)
            part->value /= (double)part->n_values;
        if (part->n_values)
            answer(&(struct query_value){trial, part->path, part->value, part->n_values}, user);
    }
    return 0;
}

static int answer_all(struct query *query,
                      void (*answer)(const struct query_value *value, void *user), void *user)
{
    int status = 0;
    for (size_t i = 0; i < query->question->n_trials && status == 0; i++)
        status = answer_trial(query, query->question->trials[i], answer, user);
    return status;
}

static void query_release(struct query *query)
{
    sqlite3_finalize(query->scan);
    sqlite3_finalize(query->placement);
    focus_release(&query->focus);
    query_foci_release(&query->wanted);
    map_release(&query->part_of);
    map_release(&query->machine_of);
    FREE_MEMBERS(query->parts, query->n_parts, path);
    free(query->parts);
}

int query_metric(struct database *database, const struct query_question *question,
                 void (*answer)(const struct query_value *value, void *user), void *user,
                 struct error *err)
{
    struct query query = {.database = database, .question = question, .err = err};
    query.rule.by = question->by;
    if (focus_parse(question->focus ? question->focus : "/Code", &query.focus, err))
        return -1;
    int status = 0;
    query.is_mean = question->property_value && !strcmp(question->property_value, "confidence");
    if ((question->property_value ? find_property(&query, question->metric)
                                  : find_metric(&query, question->metric)) ||
        check_resources(&query) ||
        query_foci_find(database, &query.focus, &query.rule, &query.wanted, err) ||
        find_parts(&query) || prepare_values(&query) || answer_all(&query, answer, user))
        status = -1;
    query_release(&query);
    return status;
}

struct query_metric *query_metrics(struct database *database, const char *pattern, size_t *n,
                                   struct error *err)
{
    struct query_metric *metrics = database_rows(database, err, n,
                                                 "SELECT name, unit, adds_up_over, description "
                                                 "FROM metric WHERE name = ?1 OR name GLOB ?1 "
                                                 "ORDER BY name",
                                                 "s>" QUERY_METRIC_LETTERS, pattern);
    if (!metrics || *n > 0)
        return metrics;
    free(metrics); // *n is 0
    names_check(database, "metric", "SELECT name FROM metric ORDER BY 1", pattern, err);
    return NULL;
}

struct query_metric *query_metric_named(struct database *database, const char *name,
                                        struct error *err)
{
    size_t n;
    struct query_metric *metrics = query_metrics(database, name, &n, err);
    if (!metrics || n == 1)
        return metrics;
    database_rows_free(metrics, n, QUERY_METRIC_LETTERS);
    error_set(err, "%s means %zu metrics: name one of them", name, n);
    return NULL;
}

int query_trial_has(struct database *database, int64_t trial, const char *metric, struct error *err)
{
    static const char sql[] =
        "SELECT EXISTS (SELECT 1 FROM tuple t JOIN metric m ON m.id = t.metric_id\n"
        "    WHERE t.trial_id = ?1 AND m.name = ?2)\n"
        "OR EXISTS (SELECT 1 FROM trial_property tp JOIN property p ON p.id = tp.property_id\n"
        "    WHERE tp.trial_id = ?1 AND tp.is_evaluated = 1 AND ?2 IN (p.name || '.wait_ns',\n"
        "    p.name || '.count', p.name || '.caused_ns'))";
    bool has_values = false;
    if (store_has_metric(metric))
        return 1;
    int row = database_ask(database, err, sql, "is>b", trial, metric, &has_values);
    return row < 0 ? -1 : has_values;
}

char **query_intervals(struct database *database, size_t *n, struct error *err)
{
    return database_rows(database, err, n,
                         "SELECT name FROM time_interval GROUP BY name ORDER BY min(number), name",
                         ">c");
}

// SPDX-License-Identifier: BSD-3-Clause
// Reads spoiled experiment databases in all ways that commands do, and imports them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/compare/difference.h"
#include "analyzer/compare/structure.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/replay/replay_run.h"
#include "db/database.h"
#include "db/import.h"
#include "db/query/figures.h"
#include "db/query/predictions.h"
#include "db/query/query.h"
#include "db/query/selection.h"
#include "db/store.h"
#include "db/trials.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_TRIALS = 3 }; // that are read of a database

static const char *const endings[] = {"-wal", "-shm", "-journal", ""};

/// The first N of the files of a database, of which the last one is itself.
static void remove_files(const char *path, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        SCOPED char *file = memory_format("%s%s", path, endings[i]);
        unlink(file);
    }
}

static void die(const struct error *err)
{
    fprintf(stderr, "fuzz: %s\n", err->text);
    exit(1);
}

/// Stores the run and an interval of the archive FOLDER/run in PATH, with small pages: most of a
/// page is no content.
static void store_run(const char *folder, const char *path)
{
    struct error err = {{0}};
    struct replay_run run = {0};
    struct database *database = NULL;
    SCOPED char *archive = memory_format("%s/run", folder);
    struct catalogue *catalogue = catalogue_load("patterns", NULL, 0, &err);
    const struct result_named parameter = {(char *)"size", (char *)"8:problem"};
    const struct store_names measured = {.trial = "a", .parameters = &parameter, .n_parameters = 1};
    const struct store_prediction predicted = {
        .result = &run.result, .names = {.trial = "b"}, .change = "--cores 2"};
    fuzz_archive_write(archive);
    if (!catalogue || replay_run_open(&run, archive, &err) != 0 ||
        replay_run(&run, catalogue, NULL, false, NULL, &err) != 0 ||
        store_predictions(path, &run.result, &measured, &predicted, 1, 0.01, &err) != 0 ||
        database_open(&database, path, DATABASE_WRITE, &err) != 0 ||
        database_run(database,
                     "PRAGMA journal_mode = DELETE; PRAGMA page_size = 512; VACUUM; "
                     "PRAGMA journal_mode = DELETE",
                     &err) != 0)
        die(&err);
    database_close(database);
    replay_run_release(&run);
    catalogue_free(catalogue);
}

void fuzz_trials_write(const char *path)
{
    SCOPED char *database = memory_format("%s/runs.db", path);
    mkdir(path, 0777);
    store_run(path, database);
}

// ---- reading. Each function returns 0, or not 0 and ERR.

static int read_lists(const char *path, struct error *err)
{
    static const struct trial_filter all = {NULL, NULL};
    struct trial_list list = {0};
    struct point_list points = {0};
    SCOPED char *json = NULL, *history = NULL;
    int result =
        trials_read(path, &all, &list, err) || points_read(path, NULL, NULL, &points, err) ||
        trials_read_json(path, &all, &json, err) || trials_history_json(path, &all, &history, err);
    trial_list_release(&list);
    point_list_release(&points);
    return result;
}

static int read_details(const char *path, const char *selector, struct error *err)
{
    SCOPED char *json = NULL;
    return trial_read_json(path, selector, &json, err);
}

static void ignore_part(void *user, const char *a, const char *b, const char *c, int64_t value_ns)
{
}

static void ignore_region(void *user, const char *a, const char *b, int64_t value_ns)
{
}

static int read_figures(struct database *database, int64_t id, struct error *err)
{
    struct trial_efficiency efficiency = {0};
    size_t n_rows, n_resources, n_values;
    double severity, confidence;
    struct trial_profile_row *rows = trial_profile(database, id, &n_rows, err);
    char **resources = rows ? trial_resources(database, id, &n_resources, err) : NULL;
    struct trial_value *values = resources ? trial_values(database, id, &n_values, err) : NULL;
    int result = !values || trial_time_parts(database, id, ignore_part, NULL, err) ||
                 trial_region_times(database, id, ignore_region, NULL, err) ||
                 trial_call_path_times(database, id, ignore_region, NULL, err) ||
                 trial_efficiency_read(database, id, &efficiency, err) ||
                 trial_severity_read(database, id, "late-sender", &severity, &confidence, err);
    trial_efficiency_release(&efficiency);
    database_rows_free(rows, rows ? n_rows : 0, TRIAL_PROFILE_LETTERS);
    database_rows_free(resources, resources ? n_resources : 0, "c");
    database_rows_free(values, values ? n_values : 0, TRIAL_VALUE_LETTERS);
    return result;
}

static void ignore_value(const struct query_value *value, void *user)
{
}

static int ask(struct database *database, const int64_t *ids, size_t n_ids, struct error *err)
{
    size_t n;
    struct query_metric *metrics = query_metrics(database, "*", &n, err);
    int result = metrics ? 0 : -1;
    for (size_t i = 0; i < n * N_QUERY_BY && metrics && result == 0; i++) {
        const struct query_question question = {.metric = metrics[i / N_QUERY_BY].name,
                                                .by = (enum query_by)(i % N_QUERY_BY),
                                                .trials = ids,
                                                .n_trials = n_ids};
        struct error ignored; // many metrics have no values by many hierarchies
        if (query_metric(database, &question, ignore_value, NULL, &ignored) != 0 && !*ignored.text)
            result = 1;
    }
    database_rows_free(metrics, metrics ? n : 0, QUERY_METRIC_LETTERS);
    return result;
}

static int ask_predictions(struct database *database, struct error *err)
{
    size_t n;
    struct measured_prediction *rows = predictions_measured(database, NULL, NULL, &n, err);
    database_rows_free(rows, rows ? n : 0, MEASURED_PREDICTION_LETTERS);
    return rows ? 0 : -1;
}

static int compare(struct database *database, char *const *selectors, struct error *err)
{
    const struct difference_choice choice = {
        .a = selectors[0], .b = selectors[1], .thresholds = {DIFFERENCE_DEFAULT, 0.05, 0.05}};
    struct difference_page difference = {0};
    struct structure_page structure = {0};
    int result = difference_page_read(database, &choice, &difference, err) ||
                 structure_page_read(database, selectors, 2, NULL, &structure, err);
    difference_page_release(&difference);
    structure_page_release(&structure);
    return result;
}

static int read_trials(const char *path, struct error *err)
{
    const struct trial_conditions conditions = {.may_be_none = true};
    struct trial_group group = {0};
    struct database *database;
    if (database_open_snapshot(&database, path, err) != 0)
        return -1;
    int result = trial_selection_find(database, &conditions, &group, err);
    size_t n = group.n_ids < MOST_TRIALS ? group.n_ids : MOST_TRIALS;
    for (size_t i = 0; i < n && result == 0; i++) {
        SCOPED char *selector = memory_format("%lld", (long long)group.ids[i]);
        char *selectors[] = {selector, selector};
        result = read_figures(database, group.ids[i], err) || compare(database, selectors, err) ||
                 read_details(path, selector, err);
    }
    result = result || (n > 0 && ask(database, group.ids, n, err) != 0) ||
             ask_predictions(database, err);
    trial_group_release(&group);
    database_close(database);
    return result;
}

static void ignore_columns(void *user, const char *const *names, size_t n)
{
}

static void ignore_row(void *user, const struct sql_value *values, size_t n)
{
}

static int read_view(const char *path, struct error *err)
{
    static const struct sql_consumer consumer = {ignore_columns, ignore_row, NULL};
    return sql_query(path, "SELECT * FROM trials", &sql_default_limits, &consumer, err);
}

static int import(const char *path, struct error *err)
{
    SCOPED char *copy = memory_format("%s.copy", path);
    struct import_report report = {0};
    const struct import_source source = {.path = path, .has_all_trials = true, .has_points = true};
    int result = trials_import(copy, &source, IMPORT_REFUSE, &report, err);
    import_report_release(&report);
    result = result || read_trials(copy, err);
    remove_files(copy, 4);
    return result;
}

int fuzz_trials(const char *path, char *text, struct error *err)
{
    SCOPED char *file = memory_format("%s/runs.db", path);
    (void)text;
    remove_files(file, 3); // of the one before
    return read_lists(file, err) || read_trials(file, err) || read_view(file, err) ||
           import(file, err);
}

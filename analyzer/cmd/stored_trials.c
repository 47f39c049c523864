// SPDX-License-Identifier: BSD-3-Clause
// The settings of each prediction become parameters of its trial (stored_trials.h).
#include "analyzer/cmd/stored_trials.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/replay/interval.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/spread/spread.h"
#include "db/database.h"

struct parameters {
    struct result_named *items;
    size_t n;
};

/// Adds a parameter; the values of an option given several times are put together.
static void add(struct parameters *parameters, const char *name, const char *value)
{
    struct result_named *item = ITEM_BY(parameters->items, parameters->n, name, name);
    if (item)
        text_append(&item->value, " %s", value);
    else
        parameters->items[parameters->n++] =
            (struct result_named){memory_copy_text(name), memory_copy_text(value)};
}

/// The user's own parameters, and the settings of ASKED that are none of these.
static struct parameters parameters_of(const struct whatif_case *asked,
                                       const struct store_names *names)
{
    size_t n_most = names->n_parameters + asked->n_values;
    struct parameters parameters = {.items = memory_zeroed(n_most, sizeof *parameters.items)};
    for (size_t i = 0; i < asked->n_values; i++)
        if (!HAS_BY(names->parameters, names->n_parameters, name, asked->values[i].name))
            add(&parameters, asked->values[i].name, asked->values[i].value);
    for (size_t i = 0; i < names->n_parameters; i++)
        add(&parameters, names->parameters[i].name, names->parameters[i].value);
    return parameters;
}

int predictions_store(const char *database, const struct whatif_plan *plan,
                      const struct whatif_report *report, const struct result *measured,
                      const struct store_names *names, struct error *err)
{
    SCOPED struct store_prediction *predictions = memory_zeroed(plan->n_cases, sizeof *predictions);
    SCOPED struct parameters *parameters = memory_zeroed(plan->n_cases, sizeof *parameters);
    bool is_named = names->trial && names->trial[0];
    for (size_t i = 0; i < plan->n_cases; i++) {
        const struct whatif_case *asked = &plan->cases[i];
        parameters[i] = parameters_of(asked, names);
        predictions[i] = (struct store_prediction){
            .result = plan->is_list ? &report->results[i] : &report->predicted,
            .names = *names,
            .change = asked->words,
        };
        predictions[i].names.parameters = parameters[i].items;
        predictions[i].names.n_parameters = parameters[i].n;
        if (!is_named || plan->is_list)
            predictions[i].names.suffix = asked->words;
    }
    struct store_names measured_names = *names;
    measured_names.trial = NULL;
    measured_names.n_parameters -= names->n_predicted_only;
    int status = store_predictions(database, measured, &measured_names, predictions, plan->n_cases,
                                   whatif_change(report->baseline_ns, report->replayed_ns), err);
    for (size_t i = 0; i < plan->n_cases; i++)
        result_named_free(parameters[i].items, parameters[i].n);
    return status;
}

// --- advice

/// A candidate that is shown, and its place in its group.
struct chosen {
    const struct advice_candidate *candidate;
    size_t place;
};

/// The candidates that are shown; their number. The caller frees *CHOSEN.
static size_t choose(const struct advice *advice, size_t n_shown, struct chosen **chosen)
{
    size_t n = 0, n_of_group[ADVICE_GROUPS] = {0};
    *chosen = memory_zeroed(advice->n_candidates, sizeof **chosen);
    for (size_t i = 0; i < advice->n_candidates; i++) {
        const struct advice_candidate *candidate = &advice->candidates[i];
        if (!advice_pays(advice, candidate) || n_of_group[candidate->group] == n_shown)
            continue;
        (*chosen)[n++] = (struct chosen){candidate, ++n_of_group[candidate->group]};
    }
    return n;
}

static int store_one(const struct advise_setting *setting, const struct advice *advice,
                     const struct chosen *chosen, struct whatif_job *job, const char *database,
                     const struct store_names *names, struct error *err)
{
    SCOPED_BY(whatif_plan_release) struct whatif_plan plan = {0};
    SCOPED char *place =
        memory_format("%s %zu", advice_group_names[chosen->candidate->group], chosen->place);
    struct result_named parameter = {(char *)"advice", place};
    struct store_names own = *names;
    own.parameters = &parameter;
    own.n_parameters = 1;
    struct whatif_report report = {
        .baseline_ns = advice->measured_ns,
        .replayed_ns = advice->replayed_ns,
        .predicted = *job->results,
    };
    int status = -1;
    if (job->failure)
        error_set(err, "%s", job->failure);
    else if (whatif_job_plan(&setting->batch, job, &plan, err) == 0)
        status = predictions_store(database, &plan, &report, &setting->batch.measured->result, &own,
                                   err);
    return status;
}

int advice_store(const struct advise_setting *setting, const struct advice *advice,
                 const char *database, const struct store_names *names, struct error *err)
{
    struct chosen *chosen;
    size_t n = choose(advice, setting->n_shown, &chosen);
    SCOPED struct whatif_job *jobs = memory_zeroed(n, sizeof *jobs);
    SCOPED struct result *results = memory_zeroed(n, sizeof *results);
    for (size_t i = 0; i < n; i++) {
        jobs[i].candidates[0] = chosen[i].candidate;
        jobs[i].results = &results[i];
        jobs[i].n_cases = 1;
    }
    whatif_progress_expect(setting->batch.progress, n);
    whatif_run_jobs(&setting->batch, jobs, n);
    int status = 0;
    if (n == 0 && spread_is_first())
        status =
            store_predictions(database, &setting->batch.measured->result, names, NULL, 0, 0, err);
    for (size_t i = 0; i < n; i++) {
        if (status == 0 && spread_is_first())
            status = store_one(setting, advice, &chosen[i], &jobs[i], database, names, err);
        result_release(&results[i]);
        free(jobs[i].failure);
    }
    free(chosen);
    return status;
}

// --- intervals

/// Stores RESULT, of INTERVAL, as a trial of the origin "interval". Its parameters `interval` and
/// `visit` say which part it is; so does its name where none is given, or there are several.
static int store_interval(const struct replay_intervals *request, const struct interval *interval,
                          bool is_several, const struct result *result, struct error *err)
{
    const struct store_names *names = request->names;
    struct store_names own = *names;
    struct result_named *parameters =
        memory_zeroed(names->n_parameters + 2, sizeof *own.parameters);
    char visit_name[] = "visit", interval_name[] = "interval";
    SCOPED char *visit = memory_format("%" PRIu64, interval->visit);
    size_t n = 0;
    parameters[n++] = (struct result_named){interval_name, interval->what};
    if (interval->visit > 0)
        parameters[n++] = (struct result_named){visit_name, visit};
    for (size_t i = 0; i < names->n_parameters; i++)
        parameters[n++] = names->parameters[i];
    own.parameters = parameters;
    own.n_parameters = n;
    own.origin = "interval";
    if (is_several || !names->trial || !names->trial[0])
        own.suffix = interval->what;
    int status = store_result(request->database, result, &own, err);
    free(parameters);
    return status;
}

/// Where results go, one after the other.
struct collection {
    const struct replay_intervals *request;
    bool is_several;
    struct interval_page page;
    bool *is_unreadable;
};

static void page_add(struct interval_page *page, const struct result *result)
{
    struct interval_row *row = ARRAY_NEXT(page->rows, page->n_rows, page->capacity);
    *row = (struct interval_row){
        .name = memory_copy_text(result->interval.what),
        .is_phase = result->interval.is_phase,
        .begin_ns = result->interval.begin_ns,
        .end_ns = result->interval.end_ns,
        .time_ns = result->time_ns,
        .efficiency = result->efficiency,
        .useful_ns = result->useful_ns,
        .no_cpu_ns = result->no_cpu_ns,
        .wait_ns = result->wait_ns,
        .other_mpi_ns = result->other_mpi_ns,
        .outside_ns = result->unrecorded_ns,
        .total_ns = result->total_ns,
        .headline = memory_copy_text(result->headline),
        .metrics = memory_zeroed(result->n_metrics + 1, sizeof *row->metrics),
        .n_metrics = result->n_metrics,
    };
    if (result->groups.n > 1) {
        row->limiting = memory_copy_text(result->groups.items[result->groups.limiting].name);
        row->others_wait_ns = result->groups.others_wait_ns;
    }
    for (size_t i = 0; i < result->groups.n; i++)
        row->n_spare += result->groups.items[i].n_spare;
    for (size_t i = 0; i < result->n_metrics; i++)
        row->metrics[i] = (struct interval_metric){memory_copy_text(result->metrics[i].name),
                                                   memory_copy_text(result->metrics[i].unit),
                                                   result_metric_whole(&result->metrics[i])};
}

/// Stores RESULT, and prints it or adds it to the table.
static int add_one(void *context, const struct interval *interval, struct result *result,
                   struct error *err)
{
    struct collection *collection = context;
    const struct replay_intervals *request = collection->request;
    bool is_several = collection->is_several;
    if (interval_check_result(interval, result, err) != 0)
        return -1;
    findings_leave_unproven(result, "Predicted for whole runs only.");
    if (request->grouping)
        groups_collect(request->grouping, result);
    // What cannot be stored is printed all the same.
    int status = request->database ? store_interval(request, interval, is_several, result, err) : 0;
    bool is_reported = request->text && !is_several; // with its warnings
    if (result->has_unreadable_records && !is_reported && !*collection->is_unreadable)
        damage_warn(result);
    *collection->is_unreadable |= result->has_unreadable_records;
    if (request->text && is_several)
        page_add(&collection->page, result);
    else if (request->text && request->wants_json)
        json_print(result, NULL, stdout);
    else if (request->text)
        text_print(result, request->text, stdout);
    return status;
}

static void page_release(struct interval_page *page)
{
    for (size_t i = 0; i < page->n_rows; i++) {
        FREE_ALL(page->rows[i].name, page->rows[i].headline, page->rows[i].limiting);
        FREE_MEMBERS(page->rows[i].metrics, page->rows[i].n_metrics, name, unit);
        free(page->rows[i].metrics);
    }
    free(page->rows);
    *page = (struct interval_page){0};
}

int replay_intervals(const struct replay_intervals *request, bool *is_unreadable, struct error *err)
{
    struct interval_list list = {0};
    struct collection collection = {
        .request = request, .page = {.trace = request->trace}, .is_unreadable = is_unreadable};
    struct interval_replay replay = {.trace = trace_open(request->trace, err),
                                     .corrects_clocks = true,
                                     .index = &PAG_INDEX_SETTINGS_DEFAULT,
                                     .catalogue = request->catalogue,
                                     .each = add_one,
                                     .context = &collection,
                                     .max_bytes = INTERVAL_REPLAY_BYTES};
    struct interval_page *page = &collection.page;
    int status = replay.trace ? 1 : -1;
    while (status == 1) { // again after the clocks were corrected
        interval_list_release(&list);
        status = 0;
        for (size_t i = 0; i < request->texts->count && status == 0; i++)
            status = interval_find(&list, &replay, request->texts->values[i], err);
        collection.is_several = list.n > 1;
        if (status == 0)
            status = interval_replay(&replay, list.items, list.n, err);
    }
    if (page->n_rows > 0 && request->wants_json)
        json_print_intervals(page, stdout);
    else if (page->n_rows > 0)
        text_print_intervals(page, request->text, stdout);
    page_release(page);
    interval_list_release(&list);
    trace_close(replay.trace);
    return status;
}

// --- past predictions

// The kind of a new prediction is that of the words it would be stored with.

int past_predictions_read(struct past_predictions *past, const char *errors, const char *store,
                          struct error *err)
{
    *past = (struct past_predictions){0};
    const char *path = errors ? errors : store;
    if (!path || (!errors && access(path, F_OK) != 0))
        return 0;
    struct database *database;
    int status = database_open_snapshot(&database, path, err);
    if (status == 0) {
        status = back_test_read(database, NULL, NULL, BACK_TEST_STORED, &past->test, err);
        database_close(database);
    }
    past->is_read = status == 0;
    return errors && status != 0 ? error_wrap(err, "--errors") : 0;
}

void past_predictions_release(struct past_predictions *past)
{
    back_test_release(&past->test);
    past->is_read = false;
}

/// The names of the nodes, a line each; the caller frees.
static char *nodes_of(const struct result *result)
{
    char *nodes = memory_copy_text("");
    for (size_t i = 0; i < result->n_nodes; i++)
        text_append(&nodes, "%s%s", i ? "\n" : "", result->nodes[i].name);
    return nodes;
}

void past_predictions_judge(const struct past_predictions *past, const struct whatif_plan *plan,
                            const struct result *measured, struct whatif_report *report)
{
    if (!past->is_read)
        return;
    SCOPED char *nodes = nodes_of(measured);
    past_errors_of_change(&past->test, plan->cases[0].words, nodes, &report->errors);
}

void past_predictions_judge_advice(const struct past_predictions *past,
                                   const struct advise_setting *setting, struct advice *advice)
{
    SCOPED char *nodes = nodes_of(&setting->batch.measured->result);
    for (size_t i = 0; i < advice->n_candidates && past->is_read; i++) {
        struct advice_candidate *candidate = &advice->candidates[i];
        const struct whatif_job job = {.candidates = {candidate}};
        SCOPED_BY(whatif_plan_release) struct whatif_plan plan = {0};
        struct error ignored = {{0}};
        if (!candidate->is_replayed)
            continue;
        if (whatif_job_plan(&setting->batch, &job, &plan, &ignored) == 0)
            past_errors_of_change(&past->test, plan.cases[0].words, nodes, &candidate->errors);
    }
}

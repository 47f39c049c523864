// SPDX-License-Identifier: BSD-3-Clause
// The settings of each prediction become parameters of its trial (stored_trials.h).
#include "analyzer/cmd/stored_trials.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/spread/spread.h"

struct parameters {
    struct result_named *items;
    size_t n;
};

/// Adds a parameter; the values of an option given several times are put together.
static void add(struct parameters *parameters, const char *name, const char *value)
{
    for (size_t i = 0; i < parameters->n; i++) {
        struct result_named *item = &parameters->items[i];
        if (strcmp(item->name, name) != 0)
            continue;
        char *both = memory_format("%s %s", item->value, value);
        free(item->value);
        item->value = both;
        return;
    }
    parameters->items[parameters->n++] =
        (struct result_named){memory_copy_text(name), memory_copy_text(value)};
}

static bool has(const struct store_names *names, const char *name)
{
    for (size_t i = 0; i < names->n_parameters; i++)
        if (strcmp(names->parameters[i].name, name) == 0)
            return true;
    return false;
}

/// The user's own parameters, and the settings of ASKED that are none of these.
static struct parameters parameters_of(const struct whatif_case *asked,
                                       const struct store_names *names)
{
    size_t n_most = names->n_parameters + asked->n_values;
    struct parameters parameters = {.items = memory_zeroed(n_most, sizeof *parameters.items)};
    for (size_t i = 0; i < asked->n_values; i++)
        if (!has(names, asked->values[i].name))
            add(&parameters, asked->values[i].name, asked->values[i].value);
    for (size_t i = 0; i < names->n_parameters; i++)
        add(&parameters, names->parameters[i].name, names->parameters[i].value);
    return parameters;
}

int predictions_store(const char *database, const struct whatif_plan *plan,
                      const struct whatif_report *report, const struct result *measured,
                      const struct store_names *names, struct error *err)
{
    struct store_prediction *predictions = memory_zeroed(plan->n_cases, sizeof *predictions);
    struct parameters *parameters = memory_zeroed(plan->n_cases, sizeof *parameters);
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
    free(parameters);
    free(predictions);
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
    struct whatif_plan plan = {0};
    char *place =
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
    whatif_plan_release(&plan);
    free(place);
    return status;
}

int advice_store(const struct advise_setting *setting, const struct advice *advice,
                 const char *database, const struct store_names *names, struct error *err)
{
    struct chosen *chosen;
    size_t n = choose(advice, setting->n_shown, &chosen);
    struct whatif_job *jobs = memory_zeroed(n, sizeof *jobs);
    struct result *results = memory_zeroed(n, sizeof *results);
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
    free(results);
    free(jobs);
    free(chosen);
    return status;
}

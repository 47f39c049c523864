// SPDX-License-Identifier: BSD-3-Clause
// Counting visits: a simulated run in which nothing is changed, so that intervals and visits are
// those that a prediction of this run has.
#include "analyzer/simulation/change/visits.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/trace/reader.h"

/// Simulates TRACE under ASKED with nothing changed except the works of its visits.
static int simulate(struct trace *trace, const struct scenario *asked,
                    const struct recorded *recorded, struct visits *visits, struct error *err)
{
    const struct definitions *definitions = trace_definitions(trace);
    struct scenario_settings settings = SCENARIO_UNCHANGED;
    struct scenario scenario = {0};
    struct prediction prediction = {0};
    struct pag_result result = {0};
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    settings.works = asked->settings->works;
    settings.n_works = asked->settings->n_works;
    settings.is_timeless = asked->settings->is_timeless;
    settings.machine = settings.is_timeless ? asked->settings->machine : NULL;
    options.explains = false;
    options.only_times = true;
    int status = scenario_init(&scenario, definitions, &settings, err);
    if (status == 0) {
        prediction_init(&prediction, definitions, &scenario, recorded);
        prediction.counted = visits;
        prediction.counts_wall_time = !asked->knows_cores || settings.is_timeless;
        status = prediction_run(&prediction, trace, &options, NULL, &result, err);
        if (status == 0)
            status = prediction_check(&prediction, err);
    }
    pag_result_release(&result);
    prediction_release(&prediction);
    scenario_release(&scenario);
    return status;
}

struct visits *visits_gather(struct trace *first, const struct scenario *scenario,
                             const struct recorded *recorded, struct error *err)
{
    struct trace *trace = trace_again(first, err);
    if (!trace)
        return NULL;
    struct visits *visits =
        visits_new(scenario->settings->n_works, trace_definitions(trace)->n_locations);
    if (simulate(trace, scenario, recorded, visits, err) != 0) {
        visits_free(visits);
        visits = NULL;
    } else {
        visits_conclude(visits);
    }
    trace_give_back(first, trace);
    return visits;
}

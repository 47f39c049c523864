// SPDX-License-Identifier: BSD-3-Clause
// One measured replay, then a simulated one for each setting (see predicted_times.h).
#include "tests/reference/predicted_times.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/reader.h"
#include "analyzer/whatif/prediction.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"

void predicted_times_release(struct predicted_times *times)
{
    free(times->ranks);
    free(times->measured_finish_ns);
    *times = (struct predicted_times){0};
}

static void fill(struct predicted_times *times, const struct definitions *definitions,
                 const struct pag_result *measured, const struct pag_result *predicted)
{
    times->time_ns = predicted->time_ns;
    times->measured_ns = measured->time_ns;
    times->n_forced = predicted->n_forced;
    times->n_ranks = definitions->n_ranks;
    times->ranks = memory_zeroed(times->n_ranks, sizeof *times->ranks);
    times->measured_finish_ns = memory_zeroed(times->n_ranks, sizeof(uint64_t));
    for (size_t i = 0; i < predicted->n_critical_path; i++)
        times->critical_path_ns += (uint64_t)predicted->critical_path[i].time_ns;
    for (size_t rank = 0; rank < times->n_ranks; rank++) {
        uint32_t master = definitions->ranks[rank].master;
        times->measured_finish_ns[rank] = measured->locations[master].last_ns;
        times->ranks[rank] = (struct predicted_rank){
            .first_ns = predicted->locations[master].first_ns,
            .finish_ns = predicted->locations[master].last_ns,
            .outside_ns = predicted->simulated[rank].outside_ns,
            .wait_ns = predicted->simulated[rank].wait_ns,
            .overhead_ns = predicted->simulated[rank].overhead_ns,
        };
    }
}

static int predict(const char *path, const struct scenario_settings *asked,
                   const struct recorded *recorded, const struct pag_result *measured,
                   struct predicted_times *times, struct error *err)
{
    struct trace *trace = trace_open(path, err);
    if (!trace)
        return -1;
    const struct definitions *definitions = trace_definitions(trace);
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    struct scenario scenario;
    struct prediction prediction = {0};
    struct pag_result result = {0};
    struct scenario_settings settings = *asked;
    int status = scenario_init(&scenario, definitions, &settings, err);
    struct visits *visits = NULL;
    if (status == 0 && settings.n_works > 0) {
        visits = visits_gather(path, &settings, recorded, !scenario.knows_cores, err);
        status = visits ? 0 : -1;
    }
    scenario.visits = visits;
    if (status == 0) {
        prediction_init(&prediction, definitions, &scenario, recorded, settings.machine);
        status = pag_simulate(trace, &options, &prediction.clock, NULL, &result, err);
    }
    if (status == 0)
        fill(times, definitions, measured, &result);
    pag_result_release(&result);
    prediction_release(&prediction);
    scenario_release(&scenario);
    visits_free(visits);
    trace_close(trace);
    return status;
}

int predicted_times(const char *text, const struct scenario_settings *settings, size_t n,
                    struct predicted_times *times, struct error *err)
{
    char *scratch = scratch_directory();
    char *archive = memory_format("%s/archive", scratch);
    struct trace *trace = NULL;
    struct recorded *recorded = NULL;
    struct pag_result measured = {0};
    int status = text_trace_write(text, archive, err);
    for (size_t i = 0; i < n; i++)
        times[i] = (struct predicted_times){0};
    if (status == 0)
        trace = trace_open(archive, err);
    if (!trace)
        status = -1;
    if (status == 0) {
        const struct pag_options options = PAG_OPTIONS_DEFAULT;
        recorded = recorded_new(trace_definitions(trace));
        const struct pag_listener listener = {.context = recorded,
                                              .root = recorded_root,
                                              .tested = recorded_tested,
                                              .message = recorded_message,
                                              .computing = recorded_computing};
        status = pag_run(trace, &options, &listener, &measured, err);
        recorded_conclude(recorded, &measured);
    }
    for (size_t i = 0; i < n && status == 0; i++)
        status = predict(archive, &settings[i], recorded, &measured, &times[i], err);
    recorded_free(recorded);
    pag_result_release(&measured);
    trace_close(trace);
    free(archive);
    scratch_remove(scratch);
    return status;
}

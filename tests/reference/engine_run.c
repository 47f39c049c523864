// SPDX-License-Identifier: BSD-3-Clause
// A random program's archive, replayed once in measured time, then simulated again and again.
#include "tests/reference/engine_run.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/pag.h"
#include "analyzer/simulation/cost/ideal.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/trace/reader.h"
#include "tests/tools/lib/scratch.h"
#include "tests/tools/lib/text_trace.h"

struct engine_run {
    char *scratch, *archive;
    struct trace *trace;
    struct recorded *recorded;
    uint64_t finish_ns[PROGRAM_MAX_RANKS];
    struct pag_result measured;
};

static void take_finish(const struct definitions *definitions, const struct pag_result *result,
                        uint64_t *finish_ns)
{
    for (size_t r = 0; r < definitions->n_ranks && r < PROGRAM_MAX_RANKS; r++)
        finish_ns[r] = result->locations[definitions->ranks[r].master].last_ns;
}

struct engine_run *engine_run_new(const char *text, struct error *err)
{
    struct engine_run *run = memory_zeroed(1, sizeof *run);
    run->scratch = scratch_directory();
    run->archive = memory_format("%s/archive", run->scratch);
    if (text_trace_write(text, run->archive, err) != 0 ||
        !(run->trace = trace_open(run->archive, err))) {
        engine_run_free(run);
        return NULL;
    }
    const struct definitions *definitions = trace_definitions(run->trace);
    run->recorded = recorded_new(definitions);
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    const struct pag_listener listener = {.context = run->recorded,
                                          .root = recorded_root,
                                          .tested = recorded_tested,
                                          .message = recorded_message,
                                          .computing = recorded_computing,
                                          .called = recorded_called,
                                          .cpu_time = recorded_cpu_time};
    int status = pag_run(run->trace, &options, &listener, &run->measured, err);
    recorded_conclude(run->recorded, &run->measured);
    if (status == 0)
        take_finish(definitions, &run->measured, run->finish_ns);
    if (status == 0)
        return run;
    engine_run_free(run);
    return NULL;
}

void engine_run_free(struct engine_run *run)
{
    if (!run)
        return;
    recorded_free(run->recorded);
    pag_result_release(&run->measured);
    if (run->trace)
        trace_close(run->trace);
    free(run->archive);
    scratch_remove(run->scratch);
    free(run);
}

void engine_run_recorded(const struct engine_run *run, uint64_t *finish_ns)
{
    for (uint32_t r = 0; r < PROGRAM_MAX_RANKS; r++)
        finish_ns[r] = run->finish_ns[r];
}

const char *engine_run_scratch(const struct engine_run *run)
{
    return run->scratch;
}

const struct pag_result *engine_run_measured(const struct engine_run *run)
{
    return &run->measured;
}

const struct definitions *engine_run_definitions(const struct engine_run *run)
{
    return trace_definitions(run->trace);
}

int engine_run_simulate(const struct engine_run *run, const struct scenario_settings *asked,
                        struct pag_result *result, struct error *err)
{
    *result = (struct pag_result){0};
    struct trace *trace = trace_open(run->archive, err);
    if (!trace)
        return -1;
    const struct definitions *definitions = trace_definitions(trace);
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    const struct pag_listener listener = {0};
    struct scenario scenario;
    struct prediction prediction = {0};
    struct visits *visits = NULL;
    int status = scenario_init(&scenario, definitions, asked, err);
    if (status == 0 && asked->n_works > 0) {
        visits = visits_gather(run->trace, &scenario, run->recorded, err);
        status = visits ? 0 : -1;
    }
    scenario.visits = visits;
    if (status == 0) {
        prediction_init(&prediction, definitions, &scenario, run->recorded);
        status = prediction_run(&prediction, trace, &options, &listener, result, err);
    }
    prediction_release(&prediction);
    scenario_release(&scenario);
    visits_free(visits);
    trace_close(trace);
    return status;
}

int engine_run_ideal(const struct engine_run *run, struct engine_ideal *found, struct error *err)
{
    struct trace *trace = trace_open(run->archive, err);
    if (!trace)
        return -1;
    const struct definitions *definitions = trace_definitions(trace);
    const struct pag_options options = PAG_OPTIONS_DEFAULT;
    const struct pag_listener listener = {0};
    struct pag_result result = {0};
    struct ideal ideal;
    *found = (struct engine_ideal){.window_ns =
                                       run->measured.window_end_ns - run->measured.window_begin_ns};
    for (size_t rank = 0; rank < run->measured.n_ranks; rank++)
        if (run->measured.rank_times[rank].useful_ns > found->max_useful_ns)
            found->max_useful_ns = run->measured.rank_times[rank].useful_ns;
    ideal_init(&ideal, definitions, &run->measured, run->recorded);
    int status = prediction_run(&ideal.prediction, trace, &options, &listener, &result, err);
    if (status == 0)
        take_finish(definitions, &result, found->finish_ns);
    found->ideal_ns = ideal_time_ns(&ideal);
    ideal_release(&ideal);
    pag_result_release(&result);
    trace_close(trace);
    return status;
}

// SPDX-License-Identifier: BSD-3-Clause
// One measured replay, then a simulated one for each setting (see predicted_times.h).
#include "tests/reference/predicted_times.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

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

int predicted_times_of(const struct engine_run *run, const struct scenario_settings *settings,
                       struct predicted_times *times, struct error *err)
{
    struct pag_result result;
    *times = (struct predicted_times){0};
    int status = engine_run_simulate(run, settings, &result, err);
    if (status == 0)
        fill(times, engine_run_definitions(run), engine_run_measured(run), &result);
    pag_result_release(&result);
    return status;
}

int predicted_times(const char *text, const struct scenario_settings *settings, size_t n,
                    struct predicted_times *times, struct error *err)
{
    for (size_t i = 0; i < n; i++)
        times[i] = (struct predicted_times){0};
    struct engine_run *run = engine_run_new(text, err);
    int status = run ? 0 : -1;
    for (size_t i = 0; i < n && status == 0; i++)
        status = predicted_times_of(run, &settings[i], &times[i], err);
    engine_run_free(run);
    return status;
}

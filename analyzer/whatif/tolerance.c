// SPDX-License-Identifier: BSD-3-Clause
// Predictions with more and more added to the network, by tolerance.h.
#include "analyzer/whatif/tolerance.h"

#include "analyzer/base/memory.h"
#include "analyzer/simulation/cost/tolerance.h"
#include "analyzer/whatif/predict.h"

static const uint64_t most_latency_ns = UINT64_C(3600) * 1000000000; // an hour
static const uint64_t most_byte_fs = UINT64_C(1000000000000);        // 1 kB a second
static const uint64_t first_byte_fs = 10000;                         // 100 GB a second

/// What all runs of a search have in common, and where it adds something.
struct tolerance_runs {
    struct whatif_input input;
    struct scenario_settings settings;
    uint64_t *added, before; // in settings
    size_t n;
};

/// From the last leave of MPI_Init to the last enter of MPI_Finalize: all of what the ranks do,
/// also where the first of them has done its share early.
static uint64_t work_ns(const struct whatif_point *point)
{
    return point->work_end_ns > point->window_begin_ns ? point->work_end_ns - point->window_begin_ns
                                                       : 0;
}

static int run_with(void *context, uint64_t added, uint64_t *time_ns, struct error *err)
{
    struct tolerance_runs *runs = context;
    struct whatif_point point = {0};
    struct replay_run run = {0};
    *runs->added = runs->before + added;
    runs->n++;
    int status = whatif_predict(&runs->input, &runs->settings, &run, &point, err);
    *time_ns = work_ns(&point);
    whatif_point_release(&point);
    replay_run_release(&run);
    return status;
}

/// One search for all levels; ADDED is a member of RUNS->settings.
static int search(struct tolerance_runs *runs, uint64_t *added, uint64_t start, uint64_t most,
                  uint64_t base_ns, struct whatif_report *report, bool is_latency,
                  struct error *err)
{
    struct tolerance_search search;
    int status = 0;
    runs->added = added;
    runs->before = *added;
    tolerance_search_init(&search, run_with, runs, most, base_ns);
    for (size_t i = 0; i < report->n_tolerances && status == 0; i++) {
        struct whatif_tolerance *tolerance = &report->tolerances[i];
        uint64_t more_ns = (uint64_t)((double)base_ns * tolerance->percent / 100);
        uint64_t first = start > 0 ? start : more_ns + 1;
        struct tolerance found = {0};
        status = tolerance_find(&search, base_ns + more_ns, first, &found, err);
        bool is_bounded = found.exceeded != UINT64_MAX;
        if (is_latency) {
            tolerance->latency_ns = found.tolerated;
            tolerance->has_latency = is_bounded;
        } else {
            tolerance->byte_fs = found.tolerated;
            tolerance->has_byte = is_bounded;
        }
    }
    *added = runs->before;
    tolerance_search_release(&search);
    return status;
}

int whatif_tolerance(const struct whatif_input *input, const struct whatif_set *set,
                     const struct scenario_settings *settings, const struct whatif_point *point,
                     struct whatif_report *report, struct error *err)
{
    struct tolerance_runs runs = {
        .input = {.trace = input->trace, .recorded = input->recorded, .visits = input->visits},
        .settings = *settings};
    uint64_t base_ns = work_ns(point);
    report->tolerances = memory_zeroed(set->n_tolerances, sizeof *report->tolerances);
    report->n_tolerances = set->n_tolerances;
    for (size_t i = 0; i < set->n_tolerances; i++)
        report->tolerances[i].percent = set->tolerances[i];
    report->tolerates_everywhere = true;
    for (size_t i = 1; i < point->n_ranks; i++)
        if (point->ranks[i].node_index != point->ranks[0].node_index)
            report->tolerates_everywhere = false;
    int status = search(&runs, &runs.settings.added_latency_ns, 0, most_latency_ns, base_ns, report,
                        true, err);
    if (status == 0)
        status = search(&runs, &runs.settings.added_byte_fs, first_byte_fs, most_byte_fs, base_ns,
                        report, false, err);
    report->n_tolerance_runs = runs.n;
    return status;
}

// SPDX-License-Identifier: BSD-3-Clause
// A simulated run for its listener (observe.h).
#include "analyzer/simulation/dealt/observe.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/prediction.h"
#include "analyzer/trace/reader.h"

/// The cores that ranks may use together: those of their nodes; where ranks are bound, and some
/// share their cores, those they are bound to.
static uint32_t count_cores(const struct scenario *scenario, const struct definitions *definitions)
{
    if (!scenario->knows_cores && !scenario->is_shared)
        return 0;
    uint32_t n_bound = 0, n_of_nodes = scenario->least_cores * scenario->placement.n_nodes;
    for (size_t i = 0; i < definitions->n_core_sets; i++)
        if (definitions->core_sets[i].n_ranks > 0)
            n_bound += definitions->core_sets[i].n_cores;
    bool is_less = scenario->is_bound && scenario->is_shared && n_bound > 0 && n_bound < n_of_nodes;
    return is_less ? n_bound : n_of_nodes;
}

/// Who shares which cores, with those that are left over.
static void note_groups(struct observed *observed, const struct scenario *scenario,
                        const struct definitions *definitions)
{
    size_t n_most = scenario->n_groups + observed->n_cores;
    observed->groups = memory_zeroed(n_most + 1, sizeof *observed->groups);
    observed->n_groups = scenario->n_groups;
    observed->n_ranks = definitions->n_ranks;
    observed->group_of_rank = memory_new((observed->n_ranks + 1) * sizeof(uint32_t));
    memcpy(observed->group_of_rank, scenario->group_of_rank, observed->n_ranks * sizeof(uint32_t));
    uint32_t n_cores = 0;
    for (size_t i = 0; i < scenario->n_groups; i++) {
        struct core_group *group = &observed->groups[i];
        *group = scenario->groups[i];
        bool is_fluid =
            !scenario->settings->is_sticky && !scenario->is_bound && scenario->knows_cores;
        if (is_fluid && group->n_cores < scenario->least_cores)
            group->n_cores = scenario->least_cores;
        n_cores += group->n_cores;
    }
    for (; scenario->settings->is_sticky && n_cores < observed->n_cores; n_cores++) {
        struct core_group *group = &observed->groups[observed->n_groups++];
        *group = observed->groups[0];
    }
}

void observed_release(struct observed *observed)
{
    free(observed->groups);
    free(observed->group_of_rank);
    *observed = (struct observed){0};
}

int observe_run(struct trace *first, const struct scenario *scenario,
                const struct recorded *recorded, const struct pag_listener *listener,
                struct observed *observed, struct error *err)
{
    *observed = (struct observed){0};
    struct trace *trace = trace_again(first, err);
    if (!trace)
        return -1;
    const struct definitions *definitions = trace_definitions(trace);
    struct prediction prediction = {0};
    struct pag_result result = {0};
    struct pag_options options = PAG_OPTIONS_DEFAULT;
    options.explains = false;
    prediction_init(&prediction, definitions, scenario, recorded);
    int status = prediction_run(&prediction, trace, &options, listener, &result, err);
    if (status == 0)
        status = prediction_check(&prediction, err);
    *observed = (struct observed){
        .time_ns = result.time_ns,
        .window_begin_ns = result.window_begin_ns,
        .window_end_ns = result.window_end_ns,
        .shares_cores = scenario->is_shared,
        .spins = scenario->settings->spins,
        .n_cores = count_cores(scenario, definitions),
        .slice_ns = scenario->slice_ns,
        .hand_over_ns = scenario->n_groups > 0 ? scenario->groups[0].hand_over_ns : 0,
    };
    note_groups(observed, scenario, definitions);
    prediction_release(&prediction);
    pag_result_release(&result);
    trace_give_back(first, trace);
    return status;
}

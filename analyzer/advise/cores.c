// SPDX-License-Identifier: BSD-3-Clause
// A core for each rank (cores.h).
#include "analyzer/advise/cores.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/advise/candidates.h"
#include "analyzer/advise/target.h"
#include "analyzer/base/memory.h"

/// Ranks on the fullest node of the target; 0: nobody shares a core there.
static uint32_t count_ranks_if_shared(const struct advise_setting *setting)
{
    struct advise_target_settings target;
    struct scenario scenario = {0};
    struct error err = {{0}};
    uint32_t most = 0;
    advise_target_read(&target, setting);
    const struct placement *placement = &scenario.placement;
    if (target.is_known &&
        scenario_init(&scenario, trace_definitions(setting->measured->trace), &target.settings,
                      &err) == 0 &&
        scenario.is_shared) {
        uint32_t *n_ranks = memory_zeroed(placement->n_nodes, sizeof *n_ranks);
        for (uint32_t rank = 0; rank < placement->n_ranks; rank++) {
            uint32_t n = ++n_ranks[placement->node_of_rank[rank]];
            most = n > most ? n : most;
        }
        free(n_ranks);
    }
    scenario_release(&scenario);
    advise_target_release(&target);
    return most;
}

static uint64_t most_saved_ns(const struct pag_result *unchanged)
{
    uint64_t busiest_ns = 0;
    for (size_t i = 0; i < unchanged->n_ranks && unchanged->simulated; i++)
        if (unchanged->simulated[i].work_ns > busiest_ns)
            busiest_ns = unchanged->simulated[i].work_ns;
    return unchanged->time_ns > busiest_ns ? unchanged->time_ns - busiest_ns : 0;
}

void advise_add_cores(const struct advise_setting *setting, const struct pag_result *unchanged,
                      struct advice *advice)
{
    uint32_t n_ranks = count_ranks_if_shared(setting);
    if (n_ranks < 2)
        return;
    char cores[16];
    snprintf(cores, sizeof cores, "%" PRIu32, n_ranks);
    char *sentence =
        memory_format("Give each rank a core of its own, %" PRIu32 " on a node", n_ranks);
    struct advice_candidate *candidate = advise_add(
        advice, ADVICE_PROCESSORS, setting->n_words == 0 ? most_saved_ns(unchanged) : UINT64_MAX,
        "cores", sentence);
    for (size_t i = 0; i < setting->n_words; i++)
        if (strcmp(setting->words[i].option, "cores") != 0)
            advise_add_word(candidate, setting->words[i].option, setting->words[i].value);
    advise_add_word(candidate, "cores", cores);
    candidate->has_target = true;
    free(sentence);
}

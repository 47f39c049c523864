// SPDX-License-Identifier: BSD-3-Clause
// A run of order only (--timeless): when each record would come if its rank did nothing but visit
// regions, each at the cost the machine says. From pagoda-replay(1) and pagoda-machine(5).
#include "tests/reference/changed_program.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { PS_PER_NS = 1000 };

/// The visits of one rank so far.
struct visitor {
    uint64_t n_visits[SCENARIO_MAX_COMPUTES];
    uint64_t all_ps;
};

/// What the visit costs that RECORD begins; the first element that names its path counts.
static uint64_t cost_ps(const struct model *model, const struct scenario_machine *machine,
                        uint32_t rank, const struct record *record, uint32_t path,
                        struct visitor *visitor)
{
    for (uint32_t c = 0; c < machine->n_computes; c++) {
        const struct scenario_compute *compute = &machine->computes[c];
        if (!is_region(model, path, compute->region))
            continue;
        uint64_t visit = ++visitor->n_visits[c];
        return compute->base_ps + compute->per_work_ps * record->work_units +
               compute->per_element_ps * record->n_elements +
               compute->per_member_ps * model->trace->n_ranks + compute->per_rank_ps * rank +
               compute->per_visit_ps * visit;
    }
    return 0;
}

uint64_t **order_costs_new(const struct model *model, const struct predicted_scenario *scenario)
{
    const struct reference_trace *trace = model->trace;
    uint64_t **costs_ns = memory_zeroed(trace->n_ranks + 1, sizeof *costs_ns);
    for (uint32_t rank = 0; rank < trace->n_ranks; rank++) {
        const struct reference_location *location = &trace->locations[rank];
        struct visitor visitor = {.all_ps = 0};
        costs_ns[rank] = memory_zeroed(location->n_records + 1, sizeof **costs_ns);
        for (size_t i = 0; i < location->n_records; i++) {
            const struct record *record = &location->records[i];
            costs_ns[rank][i] = visitor.all_ps / PS_PER_NS;
            // Inside of MPI calls nothing else costs.
            if (record->kind == RECORD_ENTER && model->call_of[rank][i] == REFERENCE_NONE)
                visitor.all_ps += cost_ps(model, &scenario->machine, rank, record,
                                          model->path_after[rank][i], &visitor);
        }
    }
    return costs_ns;
}

void order_costs_free(uint64_t **costs_ns, uint32_t n_ranks)
{
    for (uint32_t rank = 0; rank < n_ranks && costs_ns; rank++)
        free(costs_ns[rank]);
    free(costs_ns);
}

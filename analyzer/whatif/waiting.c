// SPDX-License-Identifier: BSD-3-Clause
// What ranks that wait do with their cores where no option says so (waiting.h). The recording alone
// does not tell it: a call that polls on a shared core takes CPU time either way.
#include "analyzer/whatif/waiting.h"

#include <string.h>

#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/reader.h"
#include "analyzer/whatif/predict.h"

const char whatif_waiting_note[] =
    "--wait spin, as no --wait is given: where ranks share cores, those that wait keep them busy, "
    "as "
    "this run's MPI does (MPICH; Open MPI that was not told of more ranks than slots)";

/// The property NAME of the archive, in the capitals OTF2 gives it; "" where it has none.
static const char *property(const struct definitions *definitions, const char *name)
{
    for (size_t i = 0; i < definitions->n_properties; i++)
        if (strcmp(definitions->properties[i].name, name) == 0)
            return definitions->properties[i].value;
    return "";
}

/// MPICH always does; Open MPI unless its launcher was told of more ranks than slots, or it was
/// told to yield.
static bool keeps_cores(const struct definitions *definitions)
{
    const char *mpi = property(definitions, "PAGODA::MPI");
    if (strcmp(mpi, "openmpi") != 0)
        return strcmp(mpi, "mpich") == 0;
    const char *yields = property(definitions, "PAGODA::ENV::OMPI_MCA_MPI_YIELD_WHEN_IDLE");
    if (!*yields)
        yields = property(definitions, "PAGODA::ENV::OMPI_MCA_MPI_OVERSUBSCRIBE");
    return strcmp(yields, "0") == 0;
}

static bool has_lacked_cores(const struct replay_run *measured, size_t n_ranks)
{
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        if (recorded_lacked_cores(measured->recorded, rank))
            return true;
    return false;
}

/// Whether ranks share cores in a prediction that OPTIONS ask for.
static bool will_lack_cores(const struct whatif_options *options,
                            const struct definitions *definitions)
{
    struct whatif_plan plan = {0};
    struct error err; // is found again, and told, where the prediction is made
    bool is_shared = false;
    if (whatif_plan_read(&plan, options, &err) == 0) {
        for (size_t i = 0; i < plan.n_sets && !is_shared; i++) {
            struct scenario scenario = {0};
            struct scenario_settings settings;
            struct machine machine;
            is_shared = whatif_prepare(&plan, &plan.sets[i], &settings, &machine, &err) == 0 &&
                        scenario_init(&scenario, definitions, &settings, &err) == 0 &&
                        scenario.is_shared;
            scenario_release(&scenario);
            machine_release(&machine);
        }
    }
    whatif_plan_release(&plan);
    return is_shared;
}

bool whatif_assume_waiting(struct whatif_options *options, const struct replay_run *measured)
{
    const struct definitions *definitions = trace_definitions(measured->trace);
    if (whatif_options_have(options, "wait") || whatif_options_have(options, "timeless") ||
        !keeps_cores(definitions) ||
        (!has_lacked_cores(measured, definitions->n_ranks) &&
         !will_lack_cores(options, definitions)))
        return false;
    whatif_options_give(options, "wait", "spin");
    if (!whatif_options_have(options, "slice") && !whatif_options_have(options, "hand-over") &&
        !whatif_options_have(options, "machine"))
        whatif_options_give(options, "slice", "4ms");
    return true;
}

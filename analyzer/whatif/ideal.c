// SPDX-License-Identifier: BSD-3-Clause
// One simulated pass by the clock of whatif/ideal.h.
#include "analyzer/whatif/ideal.h"

#include "analyzer/result/collect.h"
#include "analyzer/simulation/cost/ideal.h"

int ideal_run(struct replay_run *measured, struct error *err)
{
    struct replay_run run = {0};
    struct ideal ideal = {0};
    int status = replay_run_open_again(&run, measured->trace, err);
    if (status == 0) {
        ideal_init(&ideal, trace_definitions(run.trace), &measured->replay, measured->recorded);
        status = replay_run(&run, NULL, &ideal.clock, false, "on an ideal network", err);
    }
    if (status == 0)
        collect_ideal(&measured->result, ideal_time_ns(&ideal));
    ideal_release(&ideal);
    replay_run_release(&run);
    return status;
}

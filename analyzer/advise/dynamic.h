// SPDX-License-Identifier: BSD-3-Clause
// Candidates about work that is dealt while the program runs: workers of a task farm, balancing.
#ifndef PAGODA_ADVISE_DYNAMIC_H
#define PAGODA_ADVISE_DYNAMIC_H

#include "analyzer/advise/candidates.h"
#include "analyzer/advise/replay.h"

/// Adds to ADVICE, where the run has a task farm (simulation/dealt/farm.h), the best number of
/// workers if that is another one than today's. That tasks go to whoever is free is shown by two
/// workers or more with different numbers of them; else it is a limit, where the master speaks
/// first (clients would), each worker has many tasks, and the model gives the phases' time within
/// 10 %.
void advise_add_workers(const struct advise_setting *setting, struct advice *advice);

/// Predicts the run with the bundled policies for balancing, not where ranks share cores or one
/// rank talks with all the others: a candidate for each outcome, which names all policies that have
/// it. The passes through the trace these took, beyond one each.
size_t advise_add_rebalancing(const struct advise_setting *setting, struct advice *advice);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Candidates about work that is dealt while the program runs: workers of a task farm, balancing.
#ifndef PAGODA_CMD_ADVISE_DYNAMIC_H
#define PAGODA_CMD_ADVISE_DYNAMIC_H

#include "analyzer/cmd/advise/candidates.h"
#include "analyzer/cmd/advise/replay.h"

/// Adds to ADVICE, where the run has a task farm (whatif/dynamic/farm.h), the best number of
/// workers if that is another one than today's. That tasks go to whoever is free is shown by two
/// workers or more with different numbers of them; else it is a limit, where the master speaks
/// first (clients would), each worker has many tasks, and the model gives the phases' time within
/// 10 %.
void advise_add_workers(const struct advise_setting *setting, struct advice *advice);

/// Adds balancing while the program runs by each bundled policy of it, unless ranks share cores, or
/// one rank talks with all the others: then work waits for messages, and sharing it out is a matter
/// of the program's structure.
void advise_add_rebalancing(const struct advise_setting *setting, struct advice *advice);

#endif

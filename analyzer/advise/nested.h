// SPDX-License-Identifier: BSD-3-Clause
// Changes of regions that lie in one another.
#ifndef PAGODA_ADVISE_NESTED_H
#define PAGODA_ADVISE_NESTED_H

#include "analyzer/replay/replay_run.h"
#include "analyzer/result/advice.h"

/// Finds out which candidates with a region change a part of what others change, in the call paths
/// of the run MEASURED. Changes of work are compared with each other, so are left-out operations,
/// and overlaps.
void advise_relate_regions(const struct replay_run *measured, struct advice *advice);

/// Marks the candidates that gain just what a part of them gains by the same option: the region
/// that is named by that part says more. Marks of an earlier call are forgotten.
void advise_mark_same(struct advice *advice);

#endif

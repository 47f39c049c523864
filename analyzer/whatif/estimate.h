// SPDX-License-Identifier: BSD-3-Clause
// What-if options whose run no recorded order fits: it is estimated by a model over what the
// predicted run shows (simulation/dealt/), its run time only.
#ifndef PAGODA_WHATIF_ESTIMATE_H
#define PAGODA_WHATIF_ESTIMATE_H

#include "analyzer/base/error.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/result/whatif.h"
#include "analyzer/whatif/set.h"

/// What a database can keep of it: which run it is of, and the run time of POINT. The caller
/// releases.
struct result whatif_estimate_result(const struct result *measured,
                                     const struct whatif_point *point);

/// Tasks that a recorded MASTER may have handed to whoever was free stay in a prediction with who
/// did them: to how many workers; 0: the run MEASURED shows no such thing.
uint32_t whatif_kept_workers(const struct pag_result *measured, uint32_t *master);

/// Notes in REPORT that the run MEASURED may have dealt its tasks to whoever was free, where some
/// prediction of the N SETS keeps who did them.
void whatif_note_dealing(struct whatif_report *report, const struct whatif_set *sets, size_t n,
                         const struct pag_result *measured);

/// What estimates are made from, watched once for points that differ in nothing else.
struct whatif_estimates;
struct whatif_estimates *whatif_estimates_new(void);
void whatif_estimates_free(struct whatif_estimates *estimates);

/// Changes the run time of POINT, predicted under SETTINGS, to what SET's --workers, --dealing or
/// --rebalance make of it; SET must outlive ESTIMATES, which are of one trace. 0, or -1 and ERR.
int whatif_estimate(struct whatif_estimates *estimates, const struct whatif_set *set,
                    const struct scenario_settings *settings, const struct visits *visits,
                    const struct replay_run *measured, struct whatif_point *point,
                    struct error *err);

#endif

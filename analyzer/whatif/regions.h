// SPDX-License-Identifier: BSD-3-Clause
// Regions that a plan of predictions names: are they in the run, what is known of their visits,
// what is said about them.
#ifndef PAGODA_WHATIF_REGIONS_H
#define PAGODA_WHATIF_REGIONS_H

#include "analyzer/base/error.h"
#include "analyzer/result/whatif.h"
#include "analyzer/simulation/change/visits.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/reader.h"

/// Checks the regions of SETTINGS against the paths of the measured run REPLAY. Where they set the
/// work of visits these are counted in a further pass over TRACE: *VISITS, which the caller frees,
/// else NULL. REPORT notes what is assumed. 0, or -1 and ERR.
int whatif_regions(const struct scenario_settings *settings, struct trace *trace,
                   const struct pag_result *replay, const struct recorded *recorded,
                   struct whatif_report *report, struct visits **visits, struct error *err);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// What the run time and the waits consist of: the critical path, and the activities that made the
// releasing ranks late, by region, rank and place in the source.
#ifndef PAGODA_RESULT_SHARES_H
#define PAGODA_RESULT_SHARES_H

#include "analyzer/pag/pag.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"
#include "analyzer/result/sites.h"
#include "analyzer/trace/definitions.h"

/// Fills the critical path of RESULT, whose call tree and sites are TREE and SITES. Regions that
/// are none (before the start, clock repair) are added to RESULT.
void critical_path_collect(const struct definitions *definitions, const struct call_tree *tree,
                           const struct site_table *sites, const struct pag_result *replay,
                           struct result *result);

/// Likewise `origins` of the patterns in RESULT whose waits the engine explains.
void origins_collect(const struct definitions *definitions, const struct call_tree *tree,
                     const struct site_table *sites, const struct pag_result *replay,
                     struct result *result);

#endif

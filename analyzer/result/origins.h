// SPDX-License-Identifier: BSD-3-Clause
// Where the waits of a pattern come from: the activities that made the releasers late.
#ifndef PAGODA_RESULT_ORIGINS_H
#define PAGODA_RESULT_ORIGINS_H

#include "analyzer/pag/pag.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/result.h"
#include "analyzer/result/sites.h"
#include "analyzer/trace/definitions.h"

/// Fills `origins` of the patterns in RESULT whose waits the engine explains.
void origins_collect(const struct definitions *definitions, const struct call_tree *tree,
                     const struct site_table *sites, const struct pag_result *replay,
                     struct result *result);

#endif

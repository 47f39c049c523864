// SPDX-License-Identifier: BSD-3-Clause
// Predictions as trials of a database (replay --store with what-if options).
#ifndef PAGODA_WHATIF_STORE_H
#define PAGODA_WHATIF_STORE_H

#include "analyzer/base/error.h"
#include "analyzer/result/whatif.h"
#include "analyzer/whatif/options.h"
#include "db/store.h"

/// Stores the predictions of PLAN in REPORT, with their results, beside the run MEASURED. NAMES are
/// those the user gave; a trial's name goes to the prediction. 0, or -1 and ERR.
int whatif_store(const char *database, const struct whatif_plan *plan,
                 const struct whatif_report *report, const struct result *measured,
                 const struct store_names *names, struct error *err);

#endif

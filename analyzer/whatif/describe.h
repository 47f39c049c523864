// SPDX-License-Identifier: BSD-3-Clause
// What a report says about its predictions before they are made: how ranks share cores, and what is
// assumed.
#ifndef PAGODA_WHATIF_DESCRIBE_H
#define PAGODA_WHATIF_DESCRIBE_H

#include "analyzer/replay/replay_run.h"
#include "analyzer/result/whatif.h"
#include "analyzer/whatif/options.h"

/// Puts that into REPORT, of PLAN's predictions from MEASURED.
void whatif_describe(struct whatif_report *report, const struct whatif_plan *plan,
                     const struct replay_run *measured);

#endif

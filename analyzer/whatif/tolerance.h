// SPDX-License-Identifier: BSD-3-Clause
// How much slower the network may be until a run takes some percent longer.
#ifndef PAGODA_WHATIF_TOLERANCE_H
#define PAGODA_WHATIF_TOLERANCE_H

#include "analyzer/base/error.h"
#include "analyzer/result/whatif.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/whatif/predict.h"
#include "analyzer/whatif/set.h"

/// Finds the tolerances that SET asks for by further predictions of INPUT like that of POINT, which
/// SETTINGS (of SET) predicted, into REPORT. 0, or -1 and ERR.
int whatif_tolerance(const struct whatif_input *input, const struct whatif_set *set,
                     const struct scenario_settings *settings, const struct whatif_point *point,
                     struct whatif_report *report, struct error *err);

#endif

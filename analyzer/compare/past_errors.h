// SPDX-License-Identifier: BSD-3-Clause
// Intervals of new predictions, from the errors of past ones (back_test.h) of the same kind.
#pragma once

#include "analyzer/compare/back_test.h"
#include "analyzer/model/model_table.h"
#include "analyzer/result/past_errors.h"

/// Of what-if predictions of CHANGE, of a run on the machine NODES (machine_name()): of those on
/// this machine if they are enough, else of those on any; for 90 % if they are enough, else 80 %:
/// 2 / (1 - coverage) - 1 different ones, 19 or 9. The caller releases ERRORS.
///
/// The bounds are order statistics of measured over predicted time. So they keep the sign of the
/// errors, no distribution is assumed, and the coverage holds for a further prediction that is
/// exchangeable with these. Repeated cases share the weight of one (Lee, Barber, Willett:
/// "Distribution-free inference with hierarchical data", 2023).
void past_errors_of_change(const struct back_test *test, const char *change, const char *nodes,
                           struct past_errors *errors);

/// Fills the intervals of all kinds, on any machine.
void past_errors_of_kinds(struct back_test *test);

/// Puts intervals by the errors of past models as far beyond their data, for 95 %, in place of
/// those of predictions of TABLE's whole runs; where there are at least 39.
void past_errors_of_models(const struct back_test *test, struct model_table *table);

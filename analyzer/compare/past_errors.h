// SPDX-License-Identifier: BSD-3-Clause
// Intervals of new predictions, from the errors of past ones (back_test.h) of the same kind.
#ifndef PAGODA_COMPARE_PAST_ERRORS_H
#define PAGODA_COMPARE_PAST_ERRORS_H

#include "analyzer/compare/back_test.h"
#include "analyzer/result/past_errors.h"

/// The interval that COVERAGE of the measured times of KIND lie in, if TEST has enough different
/// predictions of it: 2 / (1 - COVERAGE) - 1, which are 19 for 0.9. ERRORS is released by the
/// caller.
///
/// The bounds are order statistics of measured over predicted time, so they keep the sign of the
/// errors, no distribution is assumed, and the share holds for a further prediction that is
/// exchangeable with these. Repeated cases share the weight of one (Lee, Barber, Willett:
/// "Distribution-free inference with hierarchical data", 2023).
void past_errors_of_kind(const struct back_test *test, const char *kind, double coverage,
                         struct past_errors *errors);

/// Of what-if predictions of CHANGE, of a run on the machine NODES (machine_name()): of those on
/// this machine if they are enough, else of those on any; for 90 % if they are enough, else 80 %.
void past_errors_of_change(const struct back_test *test, const char *change, const char *nodes,
                           struct past_errors *errors);

#endif

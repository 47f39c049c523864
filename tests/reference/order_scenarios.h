// SPDX-License-Identifier: BSD-3-Clause
// Random predictions by the order of events only (--timeless), and text traces that go with them.
#ifndef PAGODA_TESTS_REFERENCE_ORDER_SCENARIOS_H
#define PAGODA_TESTS_REFERENCE_ORDER_SCENARIOS_H

#include <stdio.h>

#include "tests/reference/predicted_run.h"

/// TEXT with work counts at most of its visits. The caller frees.
char *order_text_with_counts(const char *text, struct random *random);

/// TEXT with other times of the same order in each rank: none at all, or of clocks that run apart.
/// The caller frees.
char *order_text_with_times(const char *text, struct random *random);

/// Lets only the order of TEXT's events count in SCENARIO, which has a machine.
void scenario_go_by_order(struct predicted_scenario *scenario, struct random *random,
                          const char *text);

/// The costs of visits, a line each.
void order_costs_print(const struct scenario_machine *machine, FILE *stream);

#endif

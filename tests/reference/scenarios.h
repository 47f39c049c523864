// SPDX-License-Identifier: BSD-3-Clause
// Random scenarios for random programs, by time and by the order of events only (--timeless), and
// the text traces that go with them.
#pragma once

#include <stdio.h>

#include "tests/reference/predicted_run.h"

/// The text trace of SEED with a node for each rank, and in every other one with samples of the
/// processor time before and after most MPI calls. The caller frees.
char *scenario_trace_text(uint64_t seed, const struct sim_program_limits *limits);

/// The same with a number of cores for most nodes, which their ranks shared where they are more.
char *scenario_shared_trace_text(uint64_t seed, const struct sim_program_limits *limits);

/// The recorded nodes of TEXT and nothing changed.
void scenario_unchanged(struct predicted_scenario *scenario, const char *text);

/// Changes something in a run of N_RANKS with the regions of TEXT, by chance.
void scenario_change(struct predicted_scenario *scenario, struct random *random, const char *text,
                     uint32_t n_ranks);

/// Puts the run on a random machine.
void scenario_give_machine(struct predicted_scenario *scenario, struct random *random);

/// Lets the machine carry out collectives by messages, which cost the same whatever their size:
/// what a member has posted says it only when it is complete.
void scenario_give_algorithms(struct predicted_scenario *scenario, struct random *random);

/// Gives the machine any number of links and buses.
void scenario_lift_limits(struct predicted_scenario *scenario);

/// SCENARIO in a few lines, without its machine.
void scenario_print(const struct predicted_scenario *scenario, uint32_t n_ranks, FILE *stream);

/// TEXT with work counts at most of its visits. The caller frees.
char *order_text_with_counts(const char *text, struct random *random);

/// TEXT with other times of the same order in each rank: none at all, or of clocks that run apart.
/// The caller frees.
char *order_text_with_times(const char *text, struct random *random);

/// Lets only the order of TEXT's events count in SCENARIO, which has a machine.
void scenario_go_by_order(struct predicted_scenario *scenario, struct random *random,
                          const char *text);

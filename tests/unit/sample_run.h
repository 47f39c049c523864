// SPDX-License-Identifier: BSD-3-Clause
// A small run, filled by hand, for tests of what consumes results.
#ifndef PAGODA_TESTS_UNIT_SAMPLE_RUN_H
#define PAGODA_TESTS_UNIT_SAMPLE_RUN_H

#include "analyzer/result/result.h"

enum { SAMPLE_TIME_NS = 1000 };

/// Two ranks on the nodes "alpha" and "beta"; call paths
///     0 main (src/ring.c), 1 main/solve (src/solve.c), 2 main/solve/MPI_Recv (MPI),
///     3 main/HOSTILE: a function called `operator,(a/b) <"x'y"> \`
/// with late-sender waits of 100 ns and 50 ns at path 2 on the ranks 0 and 1. result_release().
void sample_run_init(struct result *run);

extern const char sample_hostile_name[];
extern const char sample_hostile_path[]; // below /CallPath/main, in resource normal form

/// Adds N_RANKS ranks, and N_PATHS functions below main that every rank enters.
void sample_run_enlarge(struct result *run, uint32_t n_paths, uint32_t n_ranks);

#endif

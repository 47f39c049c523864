// SPDX-License-Identifier: BSD-3-Clause
// Random runs that both the analyzer and the brute force predict.
#ifndef PAGODA_TESTS_UNIT_PREDICTION_SUBJECT_H
#define PAGODA_TESTS_UNIT_PREDICTION_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/reference/engine_run.h"
#include "tests/reference/predicted_run.h"
#include "tests/reference/program.h"
#include "tests/reference/scenarios.h"

/// A run both predict.
struct subject {
    char *text;
    struct reference_trace trace;
    struct findings unused;
    struct model model;
    struct engine_run *engine;
    struct predicted_scenario unchanged;
    uint32_t n_ranks;
};

/// The run of TEXT, which SUBJECT owns from here on. False: what is wrong went to STREAM. To be
/// released in either case.
bool subject_init(struct subject *subject, char *text, FILE *stream);
void subject_release(struct subject *subject);

/// Do both say the same about SCENARIO? What differs goes to STREAM.
bool subject_agrees(const struct subject *subject, const struct predicted_scenario *scenario,
                    FILE *stream);

/// Do receives have the sizes of their messages? Where the trace does not say what was posted they
/// may be taken for each other's; then messages cannot be cut: one side would be left out and the
/// other one not.
bool subject_has_equal_sizes(const struct subject *subject);

/// Makes the text trace of SEED.
typedef char *subject_text(uint64_t seed);
/// Checks one thing on a run; RANDOM is its own, what is wrong goes to STREAM.
typedef bool subject_check(const struct subject *subject, struct random *random, FILE *stream);

/// Checks the runs of N_DEFAULT seeds, or of PAGODA_SEEDS, and fails the test if one is not sound;
/// the shortest text of these is left in a folder that the message names.
void subject_check_seeds(uint32_t n_default, subject_text *make, subject_check *what);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Random runs that both the analyzer and the brute force predict.
#pragma once

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

/// Makes the text trace of SEED.
typedef char *subject_text(uint64_t seed);
/// That of a random program that the brute force predicts: of odd seeds a short one.
subject_text subject_random_text;
/// Checks one thing on a run; RANDOM is its own, what is wrong goes to STREAM.
typedef bool subject_check(const struct subject *subject, struct random *random, FILE *stream);
/// Changes SCENARIO, at first that of the unchanged run, into the I-th one of the run.
typedef void subject_change(const struct subject *subject, struct predicted_scenario *scenario,
                            struct random *random, uint32_t i);

/// What a test asks of random runs.
struct subject_case {
    uint32_t n_seeds; // unless PAGODA_SEEDS chooses others
    subject_text *make;
    subject_check *check; // NULL: both say the same about so many scenarios
    uint32_t n_scenarios;
    subject_change *change; // NULL: none
    uint32_t kinds;         // of changes of the code, enum change_kind, after that
    /// The analyzer gets this text instead, and is to predict the same. NULL: both get one text.
    char *(*engine_text)(const char *text, struct random *random);
};

/// A cmocka test whose initial state is a struct subject_case: checks the runs of its seeds, or of
/// PAGODA_SEEDS, and fails if one is not sound; the shortest text of these is left in a folder that
/// the message names.
void subject_test(void **state);

/// One such test for a table of them; then the members of struct subject_case.
#define SUBJECT_TEST(name, ...)                                                                    \
    {                                                                                              \
        name, subject_test, NULL, NULL, &(struct subject_case)                                     \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

// SPDX-License-Identifier: BSD-3-Clause
// Random changes of the code for random programs, and how a user asks for them.
#pragma once

#include <stdio.h>

#include "tests/reference/predicted_run.h"

enum change_kind {
    CHANGE_WORKS = 1 << 0,
    CHANGE_DROPS = 1 << 1,
    CHANGE_CUTS = 1 << 2,
    CHANGE_MOVES = 1 << 3,
    CHANGE_OVERLAPS = 1 << 4,
    CHANGE_SCALES = 1 << 5,
    CHANGE_GROUPS = 1 << 6,
    CHANGE_SLOWDOWNS = 1 << 7,
    CHANGE_ALL = (1 << 8) - 1
};

/// Adds some changes of these KINDS (bits) to the program of TEXT with N_RANKS ranks.
void changes_choose(struct scenario_changes *changes, struct random *random, const char *text,
                    uint32_t n_ranks, uint32_t kinds);

/// Scales the work of call paths of the program of TEXT.
void scales_choose(struct predicted_scenario *scenario, struct random *random, const char *text,
                   uint32_t n_ranks);

/// CHANGES as options, each with a blank before it, without slowdowns, which are a file's.
void changes_print(const struct scenario_changes *changes, uint32_t n_ranks, FILE *stream);

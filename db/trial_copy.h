// SPDX-License-Identifier: BSD-3-Clause
// Copies one trial from the attached database "source" (database.h) to "main". Numbers differ
// between the two: the temporary table `place` says which number of main stands for which of
// source.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"

struct trial_copy {
    struct database *database;
    struct database source; // the same connection under the name of the source, for messages
    struct error *err;      // of all functions below
};

/// Makes temporary tables and SQL functions, and checks that source has our tables. A transaction
/// is open. 0, or -1.
int trial_copy_prepare(struct trial_copy *copy);

/// Copies the trial FROM of source as NAME into EXPERIMENT, where no trial has that name; *TO is
/// its number in main. 0, or -1: an error of SQLite, or values that Pagoda does not write.
int trial_copy(struct trial_copy *copy, int64_t from, int64_t experiment, const char *name,
               int64_t *to);

/// *IS_SAME: two trials of main differ at most in name, number and time of storing. 0, or -1.
int trial_copy_compare(struct trial_copy *copy, int64_t first, int64_t second, bool *is_same);

/// ROW, what a statement on the copy returned; where it failed because a value does not fit, ERR
/// blames TABLE of source.
int trial_copy_blame(struct trial_copy *copy, const char *table, int row);
/// Says that TABLE of source is not as Pagoda makes it. Returns -1.
int trial_copy_damaged(struct trial_copy *copy, const char *table);

/// SQL: a trial of the view `trials` in full.
#define TRIAL_NAME "application || '/' || experiment || '/' || trial"

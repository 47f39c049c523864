// SPDX-License-Identifier: BSD-3-Clause
// Copies trials from database to database: all of another file, or chosen ones into a new file.
// Reads values of other tools as CSV.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "db/database.h"

/// What happens if a trial with other contents has the same application, experiment and name. One
/// with the same contents always stays as it is.
enum import_conflict {
    IMPORT_REFUSE,  // nothing at all is imported
    IMPORT_REPLACE, // it takes the place of the old one
    IMPORT_RENAME,  // it is called NAME-2, -3, ...
};

enum import_outcome { IMPORT_ADDED, IMPORT_SAME, IMPORT_REPLACED, IMPORT_RENAMED };

/// What is imported: of a database, all trials or those with these numbers.
struct import_source {
    const char *path;        // NULL: it is in memory
    struct database *memory; // the caller's
    bool has_all_trials;
    const int64_t *trials;
    size_t n_trials;
    bool has_points; // and the points of sweeps without a trial, of applications and experiments
    const char *application, *experiment; // that match these patterns; NULL: all
};

struct imported_trial {
    int64_t id; // of the trial in the database
    char *name; // application/experiment/trial as it is called there now
    enum import_outcome outcome;
};

struct import_report {
    struct imported_trial *trials;
    size_t n_trials, capacity;
    uint64_t n_points; // of sweeps, without a trial, that are noted now and were not before
};

/// Imports SOURCE into the database at PATH in one transaction; a missing file appears when it is
/// complete. Metrics, properties, resources and foci of PATH are reused; a metric with another unit
/// is an error. SOURCE is not trusted: nothing in it is run, and each value is checked. REPORT is
/// to be released in any case. 0, or -1 and ERR (nothing changed).
int trials_import(const char *path, const struct import_source *source,
                  enum import_conflict conflict, struct import_report *report, struct error *err);
void import_report_release(struct import_report *report);

/// Names for CSV without these columns; NULL stands for a default.
struct import_names {
    const char *application, *experiment, *trial, *origin;
};

/// Reads CSV called NAME with at least the columns "metric" and "value" (pagoda-store(1)) into a
/// new database in memory. 0 (to be closed), or -1 and ERR with the line.
int import_read_csv(FILE *stream, const char *name, const struct import_names *names,
                    struct database **memory, struct error *err);

// --- trial_copy.c
// Copies one trial from the attached database "source" (database.h) to "main". Numbers differ
// between the two: the temporary table `place` says which number of main stands for which of
// source.

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

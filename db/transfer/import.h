// SPDX-License-Identifier: BSD-3-Clause
// Reads files of whole trials (pagoda-trials(5), export.h) into a database.
#ifndef PAGODA_DB_TRANSFER_IMPORT_H
#define PAGODA_DB_TRANSFER_IMPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

/// What becomes of a trial whose application, experiment and name are taken by one with other
/// contents. One with the same contents is always left as it is.
enum import_conflict {
    IMPORT_REFUSE,  // nothing at all is imported
    IMPORT_REPLACE, // it takes the place of the old one
    IMPORT_RENAME,  // it is called NAME-2, -3, ...
};

enum import_outcome { IMPORT_ADDED, IMPORT_SAME, IMPORT_REPLACED, IMPORT_RENAMED };

struct imported_trial {
    int64_t id; // of the trial in the database
    char *name; // application/experiment/trial as it is called there now
    enum import_outcome outcome;
};

struct import_report {
    struct imported_trial *trials;
    size_t n_trials, capacity;
    size_t n_points; // of sweeps, without a trial, that are noted now and were not before
};

/// Imports all trials, and points of sweeps without one, in STREAM (a seekable file, called NAME in
/// messages) into the database at PATH, which is made when missing. The file is read twice: first
/// it is checked whole, then stored in one immediate transaction, so that a damaged file changes
/// nothing and keeps nobody waiting. Metrics, properties, resources and foci that are there already
/// are used again; a metric keeps its texts, but that it adds up in another way is an error. REPORT
/// is to be released in any case. 0, or -1 and ERR with the line.
int trials_import(const char *path, FILE *stream, const char *name, enum import_conflict conflict,
                  struct import_report *report, struct error *err);

void import_report_release(struct import_report *report);

#endif

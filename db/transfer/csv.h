// SPDX-License-Identifier: BSD-3-Clause
// Values of trials as comma-separated values, one a line, with the names of what they are values
// of.
#ifndef PAGODA_DB_TRANSFER_CSV_H
#define PAGODA_DB_TRANSFER_CSV_H

#include <stdio.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/query/times.h"

/// Writes the values of the trials in GROUP as pagoda-trials(5) says: columns for the trial, its
/// parameters, the metric, the focus, the interval and the value. DATABASE has a transaction open.
/// 0, or -1 and ERR.
int trial_csv_export(struct database *database, const struct trial_group *group, FILE *stream,
                     struct error *err);

/// What a file does not say itself; NULL has a default.
struct trial_csv_names {
    const char *application, *experiment, *trial, *origin;
};

/// Reads CSV called NAME with at least the columns "metric" and "value", and writes the trials in
/// it to FORM as JSON lines for trials_import(). 0, or -1 and ERR with the line.
int trial_csv_convert(FILE *stream, const char *name, const struct trial_csv_names *names,
                      FILE *form, struct error *err);

#endif

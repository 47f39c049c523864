// SPDX-License-Identifier: BSD-3-Clause
// Whole trials as JSON lines, the form of pagoda-trials(5): what one database writes another reads
// (import.h). The same trial gives the same bytes, whichever database it is in.
#ifndef PAGODA_DB_TRANSFER_EXPORT_H
#define PAGODA_DB_TRANSFER_EXPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "db/database.h"

enum { TRIAL_FORM_VERSION = 1 };

/// Writes the first line of a file of trials.
void trial_export_begin(FILE *stream);

/// Writes the trial of that number, in the memory of its resources, foci and of the values of one
/// metric. DATABASE has a transaction open, so that all of it is of one state. 0, or -1 and ERR:
/// the database cannot be read. Whether STREAM took everything the caller finds out.
int trial_export(struct database *database, int64_t trial, FILE *stream, struct error *err);

#endif

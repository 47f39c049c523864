// SPDX-License-Identifier: BSD-3-Clause
// The trials of a scaling study: chosen, put into series that differ in one parameter only, and
// their times read.
#ifndef PAGODA_CMD_SCALING_SERIES_H
#define PAGODA_CMD_SCALING_SERIES_H

#include "analyzer/base/error.h"
#include "analyzer/base/options.h"
#include "analyzer/report/scaling.h"
#include "db/database.h"

enum scaling_wish { SCALING_BY_PARAMETERS, SCALING_WANTS_STRONG, SCALING_WANTS_WEAK };

struct scaling_choice {
    const char *application, *experiment; // NULL: all
    char *const *selectors;               // trials, patterns, attributes; none: all trials
    size_t n_selectors;
    const char *by;                    // "ranks", "nodes", or a parameter
    const struct option_list *ignored; // parameters that do not tell runs apart
    enum scaling_wish wish;
};

/// Reads the trials of DATABASE that CHOICE means into the series of PAGE, whose other members are
/// set. Without selectors these are the measured trials, or, when there are none, the predicted
/// ones. Says on the standard error which trials or series it leaves out. 0 (PAGE is to be
/// released), or -1 and ERR: no trial, a parameter that is no number, or nothing that differs.
int scaling_series_read(struct database *database, const struct scaling_choice *choice,
                        struct scaling_page *page, struct error *err);
void scaling_series_release(struct scaling_page *page);

#endif

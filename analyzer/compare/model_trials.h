// SPDX-License-Identifier: BSD-3-Clause
// The times of stored trials as series to be modelled.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/base/options/options.h"
#include "analyzer/model/model_table.h"
#include "db/database.h"

struct model_choice {
    const char *application, *experiment; // NULL: all
    char *const *selectors;               // trials, patterns, attributes; none: all trials
    size_t n_selectors;
    const struct option_list *by; // the parameters; empty: all numeric ones that vary
    bool by_call_path;            // parts are call paths, else regions
};

/// Reads the trials of DATABASE that CHOICE means into TABLE: the series "time", and one for each
/// region or call path without its waits, and for each wait state; means per rank, in seconds.
/// Trials of the same parameters are repetitions; such as differ in a parameter that is not a
/// number are in different series. 0 (TABLE is to be released), or -1 and ERR: no trial, no
/// parameter that varies, an unknown one.
int model_trials_read(struct database *database, const struct model_choice *choice,
                      struct model_table *table, struct error *err);

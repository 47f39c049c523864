// SPDX-License-Identifier: BSD-3-Clause
// `explain --json`: patterns, machines and policies in schema 1; keys may be added, never renamed.
#ifndef PAGODA_REPORT_JSON_KNOWN_H
#define PAGODA_REPORT_JSON_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"
#include "analyzer/simulation/cost/machine.h"
#include "analyzer/simulation/dealt/policy.h"

/// What is to be shown; a kind that is not has NULL.
struct known {
    const struct catalogue *catalogue;
    uint32_t pattern;         // only this one; PATTERN_NONE: all
    const char *pattern_file; // only those of this file; NULL: of any
    const struct machine *machines;
    size_t n_machines;
    const struct policy *policies;
    size_t n_policies;
};

/// Whether the pattern INDEX of the catalogue is one of those to be shown.
bool known_shows_pattern(const struct known *known, size_t index);

/// Prints {"schema":1, "pagoda":VERSION, "patterns":[...], "machines":[...], "policies":[...]}, a
/// key for each kind to be shown; patterns in the order of their hierarchy. 0, or -1 and ERR.
int json_print_known(const struct known *known, const char *version, FILE *stream,
                     struct error *err);

#endif

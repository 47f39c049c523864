// SPDX-License-Identifier: BSD-3-Clause
// `patterns --json`: the catalogue in schema 1; keys may be added, never renamed.
#ifndef PAGODA_REPORT_JSON_PATTERNS_H
#define PAGODA_REPORT_JSON_PATTERNS_H

#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/pattern/catalogue.h"

/// Prints {"schema":1, "pagoda":VERSION, "patterns":[...]}: with INDEX PATTERN_NONE all patterns in
/// the order of the hierarchy, else that one. 0, or -1 and ERR.
int json_print_patterns(const struct catalogue *catalogue, uint32_t index, const char *version,
                        FILE *stream, struct error *err);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// `check --json`: findings about several files as one JSON object (pagoda-check(1)).
#ifndef PAGODA_REPORT_JSON_CHECK_H
#define PAGODA_REPORT_JSON_CHECK_H

#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/report/check.h"

/// Prints N findings and a newline; keys in a fixed order, null for what is unknown. 0, or -1 and
/// ERR; a failed write is left to ferror(STREAM).
int json_print_checks(const struct check *checks, size_t n, const char *version, FILE *stream,
                      struct error *err);

#endif

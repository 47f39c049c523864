// SPDX-License-Identifier: BSD-3-Clause
// `diff --json`: the difference of two groups of runs as JSON (pagoda-diff(1)).
#ifndef PAGODA_REPORT_JSON_DIFFERENCE_H
#define PAGODA_REPORT_JSON_DIFFERENCE_H

#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/report/difference.h"

/// Prints N pages, which have the same A, as one object and a newline. 0, or -1 and ERR; a failed
/// write is left to ferror(STREAM).
int json_print_differences(const struct difference_page *pages, size_t n, const char *version,
                           FILE *stream, struct error *err);

#endif

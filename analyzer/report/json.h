// SPDX-License-Identifier: BSD-3-Clause
// `replay --json`: a result in schema 1 (pagoda-replay(1)); keys may be added, never renamed.
#ifndef PAGODA_REPORT_JSON_H
#define PAGODA_REPORT_JSON_H

#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/result/result.h"
#include "analyzer/result/whatif.h"

/// Prints RESULT, with predictions from it (NULL: none), as one JSON object and a newline, the same
/// bytes for the same result in any locale: keys in a fixed order, times as integers in ns, null
/// for what is unknown. 0, or -1 and ERR; a failed write is left to ferror(STREAM).
int json_print(const struct result *result, const struct whatif_report *whatif, const char *version,
               FILE *stream, struct error *err);

#endif

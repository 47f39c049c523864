// SPDX-License-Identifier: BSD-3-Clause
// The object `whatif` of `replay --json`.
#ifndef PAGODA_REPORT_JSON_WHATIF_H
#define PAGODA_REPORT_JSON_WHATIF_H

#include <jansson.h>

#include "analyzer/result/whatif.h"

/// REPORT as an object of schema 1 (pagoda-replay(1)); the caller gets the reference.
json_t *json_whatif(const struct whatif_report *report, const struct result *measured);

/// What is different in a single prediction, and why (changes.c).
json_t *json_changes(const struct whatif_report *report, const struct result *measured);

#endif

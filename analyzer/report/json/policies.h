// SPDX-License-Identifier: BSD-3-Clause
// `policies --json`: policies in schema 1; keys may be added, never renamed.
#ifndef PAGODA_REPORT_JSON_POLICIES_H
#define PAGODA_REPORT_JSON_POLICIES_H

#include <stddef.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/whatif/dynamic/policy.h"

/// Prints {"schema":1, "pagoda":VERSION, "policies":[...]}. 0, or -1 and ERR.
int json_print_policies(const struct policy *policies, size_t n, const char *version, FILE *stream,
                        struct error *err);

#endif

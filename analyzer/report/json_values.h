// SPDX-License-Identifier: BSD-3-Clause
// What the printers of JSON share; for this folder only.
#ifndef PAGODA_REPORT_JSON_VALUES_H
#define PAGODA_REPORT_JSON_VALUES_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

/// A string of BYTES, which may be any: names of files, of archives, error messages.
json_t *json_clean_text(const char *bytes);

/// VALUE, at most the largest integer JSON has here.
json_t *json_count(uint64_t value);

/// TIME_NS, or null where it is PAG_NOT_KNOWN.
json_t *json_known_time(uint64_t time_ns);

/// How results and lists are printed. Twelve digits are more than a share can mean, and keep 0.1
/// from becoming 0.10000000000000001.
enum { JSON_FORMAT = JSON_INDENT(2) | JSON_REAL_PRECISION(12) };

/// Prints ROOT, which is released, by jansson's FORMAT and a newline. 0, or -1 and ERR with WHAT it
/// says; a failed write is left to ferror(STREAM).
int json_print_object(json_t *root, size_t format, const char *what, FILE *stream,
                      struct error *err);

struct result;
struct whatif_report;

/// REPORT as an object of schema 1 (pagoda-replay(1)); the caller gets the reference.
json_t *json_whatif(const struct whatif_report *report, const struct result *measured);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Reports as JSON, schema 1: keys may be added, never renamed. Each printer writes one object and a
// newline, the same bytes for the same result in any locale: keys in a fixed order, times as
// integers in ns, null for what is unknown. 0, or -1 and ERR; a failed write is left to
// ferror(STREAM).
#ifndef PAGODA_REPORT_JSON_H
#define PAGODA_REPORT_JSON_H

#include <stddef.h>
#include <stdio.h>

#include "analyzer/base/error.h"

struct advice;
struct calibration_report;
struct difference_page;
struct limit_page;
struct result;
struct scaling_page;
struct structure_page;
struct whatif_report;

/// `replay --json` (pagoda-replay(1)): RESULT, with predictions from it (NULL: none).
int json_print(const struct result *result, const struct whatif_report *whatif, const char *version,
               FILE *stream, struct error *err);

int json_print_advice(const struct advice *advice, const char *version, FILE *stream,
                      struct error *err);

int json_print_calibration(const struct calibration_report *report, const char *version,
                           FILE *stream, struct error *err);

/// N pages, which have the same A.
int json_print_differences(const struct difference_page *pages, size_t n, const char *version,
                           FILE *stream, struct error *err);

int json_print_limits(const struct limit_page *page, const char *version, FILE *stream,
                      struct error *err);

/// All resources.
int json_print_structure(const struct structure_page *page, const char *version, FILE *stream,
                         struct error *err);

int json_print_scaling(const struct scaling_page *page, const char *version, FILE *stream,
                       struct error *err);

#endif

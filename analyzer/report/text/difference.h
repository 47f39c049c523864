// SPDX-License-Identifier: BSD-3-Clause
// The difference of two groups of runs for people, and one line per violation for a gate.
#ifndef PAGODA_REPORT_TEXT_DIFFERENCE_H
#define PAGODA_REPORT_TEXT_DIFFERENCE_H

#include <stdint.h>
#include <stdio.h>

#include "analyzer/report/difference.h"

/// Prints the runs, the change of run time, and the TOP rows of each table, the rest of it in sum.
void text_print_difference(const struct difference_page *page, uint64_t top, FILE *stream);

/// Prints a line for the run time and for each call path and wait state that got worse.
void text_print_violations(const struct difference_page *page, FILE *stream);

#endif

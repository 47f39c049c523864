// SPDX-License-Identifier: BSD-3-Clause
// Several intervals of one run side by side, as plain data; text and JSON from it.
#ifndef PAGODA_REPORT_INTERVALS_H
#define PAGODA_REPORT_INTERVALS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/report/text.h"
#include "analyzer/result/result.h"

/// What is kept of the result of one interval.
struct interval_row {
    char *name;
    bool is_phase;
    uint64_t begin_ns, end_ns, time_ns;
    struct result_efficiency efficiency;
    uint64_t useful_ns, no_cpu_ns, wait_ns, other_mpi_ns, outside_ns, total_ns; // sums over ranks
    char *headline;
};

struct interval_page {
    const char *trace;
    struct interval_row *rows; // in the order they were asked for
    size_t n_rows, capacity;
};

/// A table with one line an interval.
void text_print_intervals(const struct interval_page *page, const struct text_options *options,
                          FILE *stream);
/// The same as JSON, as the printers in text.h.
int json_print_intervals(const struct interval_page *page, const char *version, FILE *stream,
                         struct error *err);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// The structural difference of runs as text and as JSON (pagoda-diff(1)).
#ifndef PAGODA_REPORT_STRUCTURE_H
#define PAGODA_REPORT_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyzer/base/error.h"
#include "analyzer/compare/structure.h"

struct structure_page {
    const char *database; // NULL: none
    char *const *runs;    // names; run I has the id 1 << I
    size_t n_runs;
    const struct structure *structure; // merged
};

/// Prints the runs with their ids, and for each hierarchy how many resources are in all runs, and
/// the tree of those that are not (SHOWS_ALL: of all), each with its sum of run ids.
void text_print_structure(const struct structure_page *page, bool shows_all, FILE *stream);

/// Prints all resources as JSON and a newline. 0, or -1 and ERR; a failed write is left to
/// ferror(STREAM).
int json_print_structure(const struct structure_page *page, const char *version, FILE *stream,
                         struct error *err);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// The catalogue of patterns for people: as a tree, one pattern in full, and as the section of the
// manual page pagoda-patterns(5).
#ifndef PAGODA_REPORT_PATTERN_PAGE_H
#define PAGODA_REPORT_PATTERN_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "analyzer/pattern/catalogue.h"

/// The hierarchy, one pattern a line with its summary. Lines are WIDTH columns wide.
void pattern_page_tree(const struct catalogue *catalogue, size_t width, FILE *stream);

/// Everything about the pattern with this index.
void pattern_page_one(const struct catalogue *catalogue, uint32_t index, size_t width,
                      FILE *stream);

/// All patterns in the man macros, below a section heading.
void pattern_page_manual(const struct catalogue *catalogue, FILE *stream);

#endif

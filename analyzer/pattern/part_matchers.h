// SPDX-License-Identifier: BSD-3-Clause
// A matcher for each of several parts of a run (pag_options.parts). A root event goes only to the
// parts that its call overlaps, found in logarithmic time.
#ifndef PAGODA_PATTERN_PART_MATCHERS_H
#define PAGODA_PATTERN_PART_MATCHERS_H

#include <stddef.h>

#include "analyzer/pattern/matcher.h"

struct part_matchers;

/// All arguments stay the caller's and must outlive the matchers.
struct part_matchers *part_matchers_new(const struct catalogue *catalogue,
                                        const struct definitions *definitions,
                                        const struct pag_part *const *parts, size_t n_parts);
void part_matchers_free(struct part_matchers *matchers);

/// See matcher_root().
void part_matchers_root(struct part_matchers *matchers, const struct root *root);

const struct matcher *part_matchers_at(const struct part_matchers *matchers, size_t part);

/// Memory that the matchers take.
size_t part_matchers_bytes(const struct part_matchers *matchers);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// What the matcher found, by location and local call path, becomes the patterns of a result: by
// rank, by merged call path, by the rank that was waited for, with hints.
#ifndef PAGODA_RESULT_WAITS_H
#define PAGODA_RESULT_WAITS_H

#include "analyzer/pattern/catalogue.h"
#include "analyzer/pattern/matcher.h"
#include "analyzer/result/call_tree.h"
#include "analyzer/result/coverage.h"
#include "analyzer/result/result.h"
#include "analyzer/result/sites.h"
#include "analyzer/trace/definitions.h"

struct waits_input {
    const struct catalogue *catalogue;
    const struct matcher *matcher;
    const struct definitions *definitions;
    const struct call_tree *tree;    // of the same result
    const struct site_table *sites;  // likewise
    const struct coverage *coverage; // likewise
};

/// Fills patterns and hints of RESULT and adds to wait_ns of its ranks; ranks, paths and times are
/// there already. Patterns of the catalogue without a wait of their own are left out.
void waits_collect(const struct waits_input *input, struct result *result);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Asks the database for the values a question is about.
#ifndef PAGODA_CMD_QUERY_FIND_H
#define PAGODA_CMD_QUERY_FIND_H

#include "analyzer/base/error.h"
#include "analyzer/base/options.h"
#include "analyzer/cmd/query/values.h"
#include "db/database.h"
#include "db/query/query.h"
#include "db/query/selection.h"

struct query_wishes {
    struct trial_conditions conditions;
    struct option_list metrics;    // names or patterns
    struct option_list properties; // ids
    const char *focus, *interval;
    enum query_by by;
    enum query_over over;
};

/// Fills FOUND (zeroed but for attribute_names; to be released in any case) with the values WISHES
/// are about, of the trials they select. 0, or -1 and ERR; no value at all is an error that says
/// what the metric could be asked for.
int query_find(struct database *database, const struct query_wishes *wishes,
               struct found_values *found, struct error *err);

#endif

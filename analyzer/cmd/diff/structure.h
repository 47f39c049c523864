// SPDX-License-Identifier: BSD-3-Clause
// `pagoda diff --structure`: what the runs consist of, and which have it.
#ifndef PAGODA_CMD_DIFF_STRUCTURE_H
#define PAGODA_CMD_DIFF_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/query/resource_map.h"

struct diff_structure_options {
    const struct resource_map *map; // NULL: resources keep their names
    bool shows_all;                 // also what all runs have
    bool wants_json;
    bool is_of_traces; // the database is only a means and not named
};

/// Prints the structural difference of all trials that the N SELECTORS mean, each trial once. 0, or
/// -1 and ERR.
int diff_structure(struct database *database, char *const *selectors, size_t n,
                   const struct diff_structure_options *options, struct error *err);

#endif

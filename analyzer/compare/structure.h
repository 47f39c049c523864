// SPDX-License-Identifier: BSD-3-Clause
// The structural difference of runs: the union of their resource hierarchies, in which each
// resource has the sum of the ids 1, 2, 4, ... of the runs it is in (Karavanic and Miller,
// "Experiment Management Support for Performance Tuning", SC 1997, section 3.1). Resources match
// when their paths are equal; a resource map (db/query/resource_map.h) makes them equal.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/query/resource_map.h"

enum { STRUCTURE_MAX_RUNS = 63 }; // the sum of their ids is a positive int64_t

struct structure_resource {
    char *path;
    uint64_t run_ids; // sum
};

struct structure {
    struct structure_resource *resources; // a resource comes right before those below it
    size_t n_resources, capacity;
};

/// Adds a resource of the run numbered RUN (from 0) and those it is below, without the root.
void structure_add(struct structure *structure, unsigned run, const char *path);

/// After the last structure_add(): puts equal resources together and all in order.
void structure_merge(struct structure *structure);

void structure_release(struct structure *structure);

struct structure_page {
    const char *database;           // NULL: none
    char *runs[STRUCTURE_MAX_RUNS]; // names; run I has the id 1 << I
    size_t n_runs;
    struct structure structure; // merged
};

/// Reads all trials that the N SELECTORS mean, each once; resources that MAP (NULL: none) renames
/// have their new names. 0 (PAGE is to be released), or -1 and ERR.
int structure_page_read(struct database *database, char *const *selectors, size_t n,
                        const struct resource_map *map, struct structure_page *page,
                        struct error *err);
void structure_page_release(struct structure_page *page);

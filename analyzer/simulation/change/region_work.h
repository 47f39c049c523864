// SPDX-License-Identifier: BSD-3-Clause
// Regions whose work is set: to a fixed duration of each visit, or equally for all ranks.
#ifndef PAGODA_SIMULATION_CHANGE_REGION_WORK_H
#define PAGODA_SIMULATION_CHANGE_REGION_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/trace/definitions.h"

/// What --duration and --balance ask for.
struct region_work {
    const char *pattern;  // region_pattern.h
    bool is_balanced;     // else the duration counts
    uint64_t duration_ns; // of every visit
    const char *ranks;    // that take part, such as 0-3,8; NULL: all that visit it
};

/// The same, read. Kinds of visits (visit.h) are 1 + the index of an item.
struct region_works {
    struct region_works_item {
        uint32_t pattern; // of the scenario's
        bool is_balanced;
        uint64_t duration_ns;
        bool *takes_part; // by location
    } * items;
    size_t n;
};

/// Reads N works, whose patterns are added to PATTERNS. 0, or -1 and ERR; the caller releases WORKS
/// in either case.
int region_works_init(struct region_works *works, const struct region_work *settings, size_t n,
                      const struct definitions *definitions, struct region_patterns *patterns,
                      struct error *err);
void region_works_release(struct region_works *works);

/// The kind of visit that the path of MARK is part of at LOCATION, 0: none.
int32_t region_works_kind(const struct region_works *works, const struct region_patterns *patterns,
                          uint32_t location, uint64_t mark);

/// Once the paths of the run have been entered: 0, or -1 and ERR when one is inside of two regions
/// whose work is set.
int region_works_check(const struct region_works *works, const struct region_patterns *patterns,
                       struct error *err);

#endif

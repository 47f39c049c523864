// SPDX-License-Identifier: BSD-3-Clause
// Regions that compute faster or slower: --scale REGION=F, and <region> of a machine file.
#ifndef PAGODA_SIMULATION_CHANGE_SCALE_H
#define PAGODA_SIMULATION_CHANGE_SCALE_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/simulation/change/region_pattern.h"

struct scenario_settings;

enum { REGION_MAX_SCALES = 64 };

/// The time inside what PATTERN names (region_pattern.h) times FACTOR.
struct region_scale {
    const char *pattern;
    uint64_t factor; // millionths
};

/// The same, read.
struct region_scales {
    const struct region_patterns *regions;
    uint64_t factors[REGION_MAX_SCALES]; // millionths
    uint32_t patterns[REGION_MAX_SCALES];
    size_t n;
};

/// Reads those of SETTINGS and of their machine; the regions are added to REGIONS, which must
/// outlive SCALES. 0, or -1 and ERR.
int region_scales_init(struct region_scales *scales, struct region_patterns *regions,
                       const struct scenario_settings *settings, struct error *err);

/// The product of the factors of all that the path with MARK (region_pattern.h) is inside of.
uint64_t region_scales_factor(const struct region_scales *scales, uint64_t mark);

#endif

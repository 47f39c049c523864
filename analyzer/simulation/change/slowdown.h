// SPDX-License-Identifier: BSD-3-Clause
// Slowdown files: how much more CPU time regions of a program take the more of its ranks share a
// core and its caches (pagoda-calibrate(1), Slowdown files).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/format/xml.h"

struct scenario;
struct definitions;

/// The most regions of a file: scenario.regions has further patterns.
enum { SLOWDOWN_MAX_REGIONS = 60 };

/// With so many ranks on a core, in millionths, a region takes FACTOR times the CPU time that the
/// file counts from, in millionths.
struct slowdown_point {
    uint64_t ranks_per_core, factor;
};

struct slowdown_region {
    const char *pattern; // region_pattern.h
    uint32_t line;
    struct slowdown_point *points; // by ranks_per_core, two at least
    size_t n_points;
};

struct slowdown {
    const char *path;              // as given
    struct xml_document *document; // holds the texts
    const char *program, *source;  // for people, "" for none
    struct slowdown_region *regions;
    size_t n_regions;
};

/// Reads and checks the file PATH, which must outlive SLOWDOWN. 0, or -1 and ERR ("PATH:LINE: what
/// is wrong"); the caller releases SLOWDOWN in either case.
int slowdown_read(struct slowdown *slowdown, const char *path, struct error *err);
void slowdown_release(struct slowdown *slowdown);

/// The factor of REGION in millionths where RANKS_PER_CORE, in millionths, ranks share a core:
/// linear between two points; that of the nearest point below the first and above the last one.
uint64_t slowdown_at(const struct slowdown_region *region, uint64_t ranks_per_core);

/// N_RANKS on N_CORES in millionths; 1 000 000 where each has a core of its own, or N_CORES is 0.
uint64_t slowdown_ranks_per_core(uint64_t n_ranks, uint64_t n_cores);

// --- slowed_work.c: in a scenario

/// The regions of a slowdown file that the run has, and how many ranks share cores.
struct slowdown_use {
    uint32_t patterns[SLOWDOWN_MAX_REGIONS]; // of scenario.regions
    uint32_t regions[SLOWDOWN_MAX_REGIONS];  // of the file
    size_t n;                                // 0: none has an effect
    uint64_t set;                            // these patterns, a bit each
    uint32_t *recorded_per_core, *per_core;  // in millionths: by rank, by site
    bool goes_beyond; // some rank shares a core with fewer or more ranks than the points cover
};

/// Adds the regions of SCENARIO's slowdown file to its patterns. Regions that the run does not have
/// are left out. 0, or -1 and ERR: it has none of them, or there are too many.
int slowdown_use_init(struct scenario *scenario, struct error *err);

/// When the groups of cores of SCENARIO are known: who shares cores with how many.
void slowdown_use_place(struct scenario *scenario, const struct definitions *definitions);
void slowdown_use_release(struct slowdown_use *use);

/// What the work of RANK at SITE is multiplied by at a call path with MARK (region_pattern.h), in
/// millionths: by the innermost region around it that the file has.
uint64_t slowdown_factor(const struct scenario *scenario, uint32_t rank, uint32_t site,
                         uint64_t mark);

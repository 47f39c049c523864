// SPDX-License-Identifier: BSD-3-Clause
// How much more CPU time regions of a program take the more of its ranks share a core, or on
// another machine: learned from recordings of the same program, and written as a slowdown file, or
// as the regions of a machine file.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

enum {
    SLOWDOWN_GROUPS = 8,       // parts of a run that have the same number of visits
    SLOWDOWN_LEAST_VISITS = 8, // of each rank, where visits have to tell the scatter
    SLOWDOWN_MOST_LEARNED = 36,
    SLOWDOWN_MOST_KEPT = 20, // regions inside learned ones that stay as they are
};

/// What a region took in one recording.
struct slowdown_sample {
    uint64_t n_visits;              // of all ranks,
    uint64_t n_least;               // and of the rank with the fewest that has any
    double ns;                      // CPU time
    double groups[SLOWDOWN_GROUPS]; // the same in parts
};

/// With one number of ranks per core, against the least one.
struct slowdown_level_factor {
    double factor;   // ratio of CPU times
    double from, to; // its 95 % interval
    bool is_learned; // 1 is not in that
};

enum slowdown_verdict {
    SLOWDOWN_LEARNED,
    SLOWDOWN_KEPT,      // not beyond scatter, but inside of a learned region: has the factor 1
    SLOWDOWN_NO_CHANGE, // not beyond scatter
    SLOWDOWN_TOO_FEW,   // visits, or it takes no time
    SLOWDOWN_UNEQUAL,   // the recordings visit it unequally often
    SLOWDOWN_LEFT_OUT,  // less than 0.1 % of the CPU time, or too many others have more effect
    SLOWDOWN_VERDICTS
};

struct slowdown_fit_region {
    char *name;                      // as --scale takes it
    struct slowdown_sample *samples; // by recording
    double *level_ns;                // mean CPU time by level
    struct slowdown_level_factor *levels;
    enum slowdown_verdict verdict;
};

struct slowdown_recording {
    const char *path;
    double ranks_per_core; // for speed_fit(): 0 here, 1 on the target machine
    size_t level;          // set by slowdown_fit()
};

struct slowdown_fit {
    struct slowdown_recording *recordings;
    size_t n_recordings;
    struct slowdown_fit_region *regions; // by name; by CPU time once fitted
    size_t n_regions, region_capacity;
    // What slowdown_fit() finds:
    double *levels; // ranks per core, ascending
    size_t n_levels;
    double all_factor;  // of speed_fit(): CPU time on the target over that here; 0: another fit
    bool is_repeated;   // the scatter is that between runs; false: within them
    double comparable;  // share of the CPU time in regions that all visit equally often
    double *total_ns;   // by level: mean CPU time of all regions
    double *learned_ns; // by level: what it would be by the factors
    size_t n_by_verdict[SLOWDOWN_VERDICTS];
};

/// The region NAME, with a sample for each recording, made when it is new. It is valid up to the
/// next new one.
struct slowdown_fit_region *slowdown_fit_region(struct slowdown_fit *fit, const char *name);
void slowdown_fit_release(struct slowdown_fit *fit);

/// Learns from all samples. With two recordings more than levels the scatter of a region is that
/// between runs of the same level, pooled; else that of the ratio in the parts of the runs. 0, or
/// -1 and ERR: these are not recordings that can be compared.
int slowdown_fit(struct slowdown_fit *fit, struct error *err);

/// What the CPU time of REGION is multiplied by at LEVEL: 1 where nothing is learned.
double slowdown_fit_factor(const struct slowdown_fit_region *region, size_t level);

/// Writes what was learned for PROGRAM to PATH, a new file or one that is replaced. 0, or -1 and
/// ERR.
int slowdown_fit_write(const struct slowdown_fit *fit, const char *program, const char *path,
                       struct error *err);

// --- speeds of a target machine (Chillariga and Ramkumar, "Performance Prediction for Portable
// Parallel Execution on MIMD Architectures", section 3.5: linear scaling by the ratio of times)

/// The same for two recordings, of this machine and the target: all computing gets the ratio of the
/// CPU times, in fit->all_factor. Factors of regions are relative to it: 1 where they differ by no
/// more than they scatter. A region with too few visits to tell has its own all the same.
int speed_fit(struct slowdown_fit *fit, struct error *err);

/// Writes what was learned as a machine file for pagoda replay --speeds, as slowdown_fit_write().
int speed_fit_write(const struct slowdown_fit *fit, const char *program, const char *path,
                    struct error *err);

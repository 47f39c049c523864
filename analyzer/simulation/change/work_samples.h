// SPDX-License-Identifier: BSD-3-Clause
// How much CPU time each call path of each rank takes, and how that varies through the run: what
// two recordings of a program are compared by (pagoda calibrate --slowdown).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct computation;

enum { WORK_BINS = 32 };

/// CPU time of one call path of one rank, in the order of the run.
struct work_series {
    uint64_t n;           // times between two MPI calls in which it computed
    uint64_t n_per_bin;   // of these in each bin, a power of two; in the last one perhaps fewer
    double ns[WORK_BINS]; // CPU time, without what the path calls; of bins that are begun
};

struct work_samples {
    struct work_of_location {
        struct work_series *series; // by call path of the location
        size_t n, capacity;
    } * locations;
    size_t n_locations;
    bool has_cpu_times; // some time is by a CPU sample; false: all are wall times
};

/// The caller releases it.
void work_samples_init(struct work_samples *samples, size_t n_locations);
void work_samples_release(struct work_samples *samples);

/// COMPUTATION of the location INDEX is read, with its process time.
void work_samples_add(struct work_samples *samples, size_t index,
                      const struct computation *computation);

/// Adds SERIES to N_GROUPS, each of which has the same number of its computations; a bin that
/// belongs to two of them is divided.
void work_series_group(const struct work_series *series, double *groups, size_t n_groups);

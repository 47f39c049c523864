// SPDX-License-Identifier: BSD-3-Clause
// What the visits of a region call, in which order: each distinct sequence of child calls is a path
// through the region, with how often it was taken and how long that took.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

/// A call, N_TIMES in a row.
struct child_call {
    uint32_t region; // of the archive
    uint64_t n_times;
};

struct child_path {
    struct child_call *calls;
    size_t n_calls, capacity;
    bool is_cut; // further calls followed; paths with the same beginning are one
    uint64_t count, total_ns, min_ns, max_ns; // of the visits
};

struct child_paths {
    char *trace, *region; // as they were asked for
    char **shown;         // names by region
    size_t n_regions;
    struct child_path *items; // total_ns descending
    size_t n, capacity;
    bool is_unreadable;       // not all records could be read
    struct child_path others; // of more paths than are kept, together
};

/// Reads the archive TRACE once. REGION is a name or a glob; a visit within
/// another one is part of it. Of a rank its master thread counts. 0, or -1 and ERR: no such region,
/// or no visit of it. The caller releases PATHS in either case.
int child_paths_find(const char *trace, const char *region, struct child_paths *paths,
                     struct error *err);
void child_paths_release(struct child_paths *paths);

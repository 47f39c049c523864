// SPDX-License-Identifier: BSD-3-Clause
// Profiles of other tools: each reader lists what functions take, and one writer makes CSV of the
// list, which is imported as any other (import.h). Cube files, which know more, are read by cube.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "db/database.h"
#include "db/import.h"

enum profile_metric {
    PROFILE_RUN,       // of the whole program, ns; the largest counts
    PROFILE_EXCLUSIVE, // ns
    PROFILE_INCLUSIVE, // ns
    PROFILE_VISITS,
    PROFILE_METRICS
};

enum { PROFILE_NO_RANK = -1 };

/// A value of a function on a rank; those of the same are summed.
struct profile_value {
    enum profile_metric metric;
    char *file, *function; // owned; the file "unknown" if it is, "MPI" of MPI's functions
    int64_t rank;          // PROFILE_NO_RANK: of no rank
    double value;
};

struct profile {
    struct profile_value *values;
    size_t n, capacity;
};

/// Adds a value of FUNCTION, of which LENGTH bytes count.
void profile_add(struct profile *profile, enum profile_metric metric, const char *file,
                 const char *function, size_t length, int64_t rank, double value);

/// Reads TEXT, the file at PATH. 0, or -1 and ERR.
typedef int profile_reader(const char *path, const char *text, struct profile *profile,
                           struct error *err);
profile_reader gprof_read, mpip_read, tau_read;

/// Whether PATH is a profile that can be read: a text of gprof or mpiP, a file or a folder of TAU,
/// a Cube file.
bool profile_is_file(const char *path);

/// Reads it into a new database in memory (to be closed). 0, or -1 and ERR.
int profile_import(const char *path, const struct import_names *names, struct database **memory,
                   struct error *err);

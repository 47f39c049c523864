// SPDX-License-Identifier: BSD-3-Clause
// Reads what a traced run left: the spool files of a folder, grouped by run.
#pragma once

#include "tracer/record/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// One file, mapped read-only: one that is cut while it is read answers with SIGBUS.
struct spool {
    char *path;
    struct spool_header *header; // a copy
    const uint8_t *bytes;
    size_t n_bytes;
};

/// The files of a folder, ordered by run (earliest first), rank, thread.
struct spool_set {
    struct spool *spools;
    size_t n;
    char **unbegun; // paths of files in which nothing was recorded
    size_t n_unbegun;
    size_t n_unreadable; // named like a spool but not one
};

/// Why recording stopped before the process ended; its stop_errno is not 0.
const char *spool_stop_reason(const struct spool_header *header);

/// Maps all spool files of `dir`. Returns 0 or an errno value.
int spool_set_load(struct spool_set *set, const char *dir);
void spool_set_release(struct spool_set *set);

/// Is it an address in one of these files?
bool spool_set_holds(const struct spool_set *set, const void *address);

/// Deletes the files, those in which nothing was recorded as well.
void spool_set_remove(const struct spool_set *set);

/// The record after `record` (NULL: the first), or NULL at the end. A record that was cut off or
/// damaged ends the file.
const struct record_head *spool_next(const struct spool *spool, const struct record_head *record);

// Do processes still write to the spool files?

/// Processes that still record, how many of them have been ended and are about to be gone, and one
/// of them.
struct alive {
    unsigned n, n_leaving;
    uint32_t rank;
    uint32_t pid;
    char host[256];
};

/// Looks at the files in folder `dir` (one that cannot be read has none), and waits up to `seconds`
/// for them to end; longer while all are about to be gone.
struct alive alive_wait(const char *dir, unsigned seconds);

// SPDX-License-Identifier: BSD-3-Clause
// How many threads there may be, and jobs shared out to them.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/options/options.h"

/// What --threads says; 0: nothing.
extern uint64_t threads_limit;

/// The row of a command that replays traces.
#define THREADS_ROW                                                                                \
    OPTION_COUNT_ROW(                                                                              \
        "threads", 0, "N", &threads_limit, "use at most N threads", "one per core", .least = 1,    \
        .manual = "Cores are those the process may use: fewer under taskset(1) or "                \
                  "in a batch job. Under an MPI launcher N is for each process. The result does "  \
                  "not depend on it.")

/// The cores this process may use, a bit each in *N_BYTES. The caller frees.
unsigned char *threads_cores(size_t *n_bytes);

/// N cores are this process's share of them: from now on they are what it may use.
void threads_set_cores(unsigned n);

/// How many threads the calling one may keep busy, itself included; at least 1. A function that
/// starts further ones asks here.
unsigned threads_count(void);

/// Calls JOB with each number below N once, in threads_count() threads, this one among them, which
/// begin jobs in the order of their numbers. Where jobs are fewer than threads, threads_count()
/// shares out the others to them.
void threads_each(size_t n, void (*job)(void *context, size_t number), void *context);

// SPDX-License-Identifier: BSD-3-Clause
// One command line run by several processes of an MPI launcher (mpirun, srun): each does the same,
// except jobs, of which each does its share and all get what is found. So all come to the same
// result, of which the first process alone prints and writes. There is no other protocol: where
// one process fails, the next exchange tells the others, and all end.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/base/owned.h"

/// Joins the processes that were started with this command line, and gives each its share of the
/// cores of its node. What processes other than the first print goes nowhere. Without a launcher,
/// or where its processes have other command lines, the process stays alone. 0, or -1 and ERR: what
/// is missing to join them; the process is alone then, too.
int spread_begin(int argc, char **argv, struct error *err);

/// Whether this process prints and writes what is found: it is alone, or the first one.
bool spread_is_first(void);

struct spread_jobs {
    size_t n;
    uint64_t input; // what the jobs are made of: the same number in all processes, or they end
    void *context;
    /// Does a job; in several threads at once, which begin jobs in the order of their numbers.
    void (*run)(void *context, size_t number);
    /// Writes what was found to the other processes, or reads what another one found.
    void (*move)(void *context, size_t number, struct owned *walk);
};

/// Has all jobs done, in threads_count() threads of each process. Does not return when another
/// process has failed: then the first one says what happened, and all end.
void spread_each(const struct spread_jobs *jobs);

/// The number of this process, and how many work together; 0 of 1: it is alone.
unsigned spread_rank(void);
unsigned spread_size(void);

// Messages between two processes. All that were sent must be received before the next jobs, or the
// end.

/// Begins to send the N BYTES, which are freed when they have gone.
void spread_send(unsigned to, unsigned char *bytes, size_t n);

/// A message that has come, in the order in which process *FROM sent its own; the caller frees.
/// NULL: none so far.
unsigned char *spread_receive(size_t *n, unsigned *from);

/// There was nothing to do: waits a little, the longer the more often it is called in a row.
void spread_pause(void);

/// Waits until all has gone that was sent.
void spread_flush(void);

/// Waits, asleep, until all processes have done with STATUS. The exit status of all: that of the
/// first one, or of one that failed, whose error the first one prints.
int spread_end(int status);

// SPDX-License-Identifier: BSD-3-Clause
// What spread.c wants of MPI. Each MPI's is a library of its own, libpagoda-mpi-NAME.so (mpi.c),
// loaded when its launcher started the process: the command itself needs no MPI.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct spread_module {
    void (*begin)(unsigned *rank, unsigned *size);
    /// Gathers a number of each process; waits, mostly asleep, until all have come here.
    void (*gather)(uint64_t own, uint64_t *all);
    /// All processes get the N BYTES of one.
    void (*broadcast)(void *bytes, uint64_t n, unsigned from);
    /// Begins to send N BYTES to a process; they must stay as they are until is_sent(), asked from
    /// time to time, says that they are sent, which it does once.
    void *(*send)(const void *bytes, uint64_t n, unsigned to);
    bool (*is_sent)(void *sending);
    /// Whether a message has come that was sent so: its length, and FROM whom, in the order in
    /// which that process sent them. Then receive() gets it.
    bool (*has_come)(uint64_t *n, unsigned *from);
    void (*receive)(void *bytes, uint64_t n, unsigned from);
    void (*end)(void);
};

/// Its name in the library.
#define SPREAD_MODULE "spread_module"

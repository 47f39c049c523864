// SPDX-License-Identifier: BSD-3-Clause
// What spread.c wants of MPI. Each MPI's is a library of its own, libpagoda-mpi-NAME.so (mpi.c),
// loaded when its launcher started the process: the command itself needs no MPI.
#ifndef PAGODA_SPREAD_MODULE_H
#define PAGODA_SPREAD_MODULE_H

#include <stdint.h>

struct spread_module {
    void (*begin)(unsigned *rank, unsigned *size);
    /// Gathers a number of each process; waits, mostly asleep, until all have come here.
    void (*gather)(uint64_t own, uint64_t *all);
    /// All processes get the N BYTES of one.
    void (*broadcast)(void *bytes, uint64_t n, unsigned from);
    void (*end)(void);
};

/// Its name in the library.
#define SPREAD_MODULE "spread_module"

#endif

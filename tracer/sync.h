// SPDX-License-Identifier: BSD-3-Clause
// Clock offsets between nodes.
#ifndef PAGODA_TRACER_SYNC_H
#define PAGODA_TRACER_SYNC_H

#include "tracer/record.h"

#include <mpi.h>
#include <stdbool.h>

// Collective over MPI_COMM_WORLD, at the end of MPI_Init: finds out which ranks share a clock
// (`domain`, the text of struct spool_header). Nothing is communicated later unless there are
// several clocks.
void sync_init(const char *domain);

// Collective: measures this process's offset to rank 0's clock into *offset. Only the first rank
// of each clock domain measures and returns true; after the run its figures hold for all of them.
bool sync_measure(struct spool_clock_offset *offset);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Waits of senders for receivers that were none. A standard send (MPI_Send, MPI_Isend,
// MPI_Sendrecv) that was over before its receive was posted proves that the MPI library buffers
// messages of its size, on one node or between two: no other of that size or less can have waited
// for its receiver. What kept its sender then was something else, such as a core that others had.
//
// The proof may come after the wait. So waits of sends that need not synchronise are held back
// until it comes, or the run is over; if there are very many, the oldest one counts without waiting
// for it.
#ifndef PAGODA_PAG_MATCHING_EAGER_H
#define PAGODA_PAG_MATCHING_EAGER_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/root.h"

struct engine;
struct message;

/// A wait for a receiver, and the sizes of the messages whose receives were posted while it lasted.
struct eager_wait {
    struct root root;
    uint64_t enter_ns;
    uint64_t least_limits[2]; // 1 + the largest of them, on one node and between two; 0: none
};

struct eager {
    const uint32_t *node_of_rank; // of a driver; NULL: as recorded
    uint64_t limits[2];           // 1 + the largest proven size
    struct eager_wait *waits;
    size_t n_waits, capacity;
    size_t oldest; // where there are as many as can be held
};

/// MESSAGE is matched, and its send over: what that proves.
void eager_see(struct engine *engine, const struct message *message);

/// Counts WAIT, or does so unless it is proven to be none.
void eager_tell(struct engine *engine, struct eager_wait *wait);
void eager_count(struct engine *engine, const struct eager_wait *wait);

/// The run is over: what has been held back counts.
void eager_finish(struct engine *engine);

/// On one node, or between two: index into the limits.
unsigned eager_scope(const struct engine *engine, const struct message *message);

#endif

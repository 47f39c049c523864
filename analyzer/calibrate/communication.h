// SPDX-License-Identifier: BSD-3-Clause
// What messages and collective operations of recorded runs took, as series for formulas: seconds
// by ranks (p) and bytes (b).
//
// A message counts if its receiver was waiting for it, in a call that does nothing else, when it
// was sent: from the enter of the send to the leave of the receive it is all that the receiver
// waits for. An operation counts for each member from the moment when it no longer waits for
// others: the last enter of those it needs (the root, the ranks below it, all), or its own enter
// where that is later, to its end. Members that need none of the others do not count.
//
// Sizes within a quarter of an octave are one point, at their mean. Of the times of a point some
// are kept, evenly spread over the run; memory does not grow with the trace.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/model/model_table.h"

struct communication;

/// The caller frees.
struct communication *communication_new(void);
void communication_free(struct communication *communication);
static inline void communication_leave(struct communication **communication)
{
    communication_free(*communication);
}

/// What is wrong with an archive.
struct communication_flaws {
    uint64_t n_violations; // messages that came before they were sent, as the clocks have it
    bool is_unreadable;    // in parts
};

/// Reads the archive PATH. 0, or -1 and ERR.
int communication_read(struct communication *communication, const char *path,
                       struct communication_flaws *flaws, struct error *err);

/// All archives are read. Fills TABLE (zeroed): series "message in a node", "message between
/// nodes", "allreduce", ...; its parameters are those of p and b that vary within a series. 0 (the
/// caller releases TABLE), or -1 and ERR: there is nothing that could be modelled.
int communication_table(struct communication *communication, struct model_table *table,
                        struct error *err);

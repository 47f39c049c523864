// SPDX-License-Identifier: BSD-3-Clause
// What the recorded run tells about the cost of its messages and calls, gathered while it is
// replayed in measured time, in memory that does not depend on its length; and the model of a
// simulated run that takes its costs from there.
//
// Sizes and times are gathered by class: the class of a size is the size with all but its highest
// two binary digits set to zero, a time counts with all but its highest five set to zero. Of each
// size class the lower median is kept (element (n-1)/2 of n in order). A size whose class was seen
// costs the median of its class; one between two classes a value on the straight line between
// (class, median) of both, rounded towards the lower class's; one beyond, that of the nearest
// class. Messages on one node and between nodes are kept apart; where only the other kind was seen,
// that one serves; where none was, the cost is 0.
//
//   flight   leave - send's enter, of calls that receive one message, do nothing else, and were
//            entered before the message was sent
//   receive  leave - enter, of such calls that were entered when it had been sent
//
// A message makes its sender wait for the receiver (rendezvous) if it is sent by MPI_Ssend and the
// like, or its class is at least the smallest class R of its kind of which
//   - a blocking send (alone in its call) left after its receive had been posted, and not before
//     the send was entered, and
//   - no send of this or a larger class was over (its call, or the one that completed its request,
//     left) before its receive was posted.
// An operation that handles no data (handles, MPI_Finalize, zero bytes) synchronises its members
// unless one of them was seen to leave before it could have been released; MPI_Finalize does not
// where a rank never came to it.
#ifndef PAGODA_WHATIF_RECORDED_H
#define PAGODA_WHATIF_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/clock.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pag/root.h"
#include "analyzer/trace/definitions.h"

struct recorded;

/// Empty tables of a run on the nodes of DEFINITIONS, which must outlive the gathering. The caller
/// frees.
struct recorded *recorded_new(const struct definitions *definitions);
void recorded_free(struct recorded *recorded);

/// Parts of a pag_listener; CONTEXT is a struct recorded.
void recorded_message(void *context, const struct pag_message *message);
void recorded_root(void *context, const struct root *root);

/// After the measured replay, which found RESULT: from here on costs can be asked for.
void recorded_conclude(struct recorded *recorded, const struct pag_result *result);

/// Median times of a message of SIZE_BYTES, on one node or between two.
uint64_t recorded_flight_ns(const struct recorded *recorded, bool is_remote, uint64_t size_bytes);
uint64_t recorded_receive_ns(const struct recorded *recorded, bool is_remote, uint64_t size_bytes);
bool recorded_is_rendezvous(const struct recorded *recorded, bool is_remote, uint64_t size_bytes);
bool recorded_synchronises(const struct recorded *recorded, uint8_t operation, bool is_finalize);

/// How often a flight had to be taken from the table, of how many.
struct recorded_use {
    uint64_t n_flights, n_interpolated;
};

/// When CALL has what it waits for, as far as the recording tells: h is the latest recorded release
/// of its conditions, E and L its recorded enter and leave.
///   waited (h > E, or an all-to-all operation, not posted before): W = min(receive time of the
///     deciding message, L - h), 0 if no message decided; else W = min(sum of the receive times of
///     its messages, L - E), L - E if that sum is 0: a call that took longer did not compute
///     meanwhile, it lacked its core or a message, and lasts L - W - E from its enter before that
///     work.
///   What released it is followed by D = L - W - h; other conditions, released at r, by
///   min(flight - receive time of the size, L - W - r) if they are messages, else by 0; no
///   condition by less than 0. A message that was on one node and now is between two, or the other
///   way, where both kinds were seen: what released it by D + flight now - flight of the other
///   kind, other messages by flight - receive time.
/// *READY_NS = max of the enter and of release + delay over all conditions, *WORK = W.
/// NODE_OF_RANK: the predicted placement.
void recorded_settle(const struct recorded *recorded, const struct pag_call *call,
                     const struct pag_condition *conditions, uint32_t n_conditions,
                     const uint32_t *node_of_rank, struct recorded_use *use, uint64_t *ready_ns,
                     pag_work *work);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// What the recorded run tells about the cost of its messages and calls, gathered while it is
// replayed in measured time, in memory that does not depend on its length; and the model of a
// simulated run that takes its costs from there.
//
// Times are gathered by size (cost_table.h), of messages on one node and between nodes apart; where
// only the other kind was seen, that one serves; where none was, the cost is 0.
//
//   flight   leave - send's enter, of calls that receive one message, do nothing else, and were
//            entered before the message was sent
//   receive  leave - enter, of such calls that were entered when it had been sent
//
// Ranks that were oversubscribed: OVERSUBSCRIBED.md says what of their calls and of their time
// outside MPI counts. Of such ranks
//   receive  is a sample as above, of the call's own time
//   shared flight     own time from the send's enter on, of the message sent last (ties: of the
//            highest sender) of those a call receives, whatever else it does, if sent after its
//            enter
//   taken over        leave - the moment at which its core became free, of calls that receive one
//            message, do nothing else, and whose core other ranks had until it was sent or later
//   send     leave - enter, of blocking calls that send one message to such a rank
// A hand-over of a core costs the median of taken over less that of receive, or of send if that is
// less, of the smallest class of sizes of which enough of both were seen.
// and test calls are never samples.
//
// A message makes its sender wait for the receiver (rendezvous) if it is sent by MPI_Ssend and the
// like, or its class is at least the smallest class R of its kind of which
//   - a blocking send (alone in its call) left after its receive had been posted, and not before
//     the send was entered, and
//   - no send of this or a larger class was over (its call, or the one that completed its request,
//     left) before its receive was posted.
// Where messages of one kind (on one node, or between nodes) have no such R, that of the other kind
// serves, except for classes no larger than one of this kind that was over before its receive was
// posted.
// An operation that handles no data (handles, MPI_Finalize, zero bytes) synchronises its members
// unless one of them was seen to leave before it could have been released; MPI_Finalize does not
// where a rank never came to it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/pag/trigger.h"
#include "analyzer/simulation/cores/rank_notes.h"
#include "analyzer/simulation/cost/cost_model.h"
#include "analyzer/trace/definitions.h"

struct recorded;

/// Empty tables of a run on the nodes of DEFINITIONS, which must outlive the gathering. The caller
/// frees.
struct recorded *recorded_new(const struct definitions *definitions);
void recorded_free(struct recorded *recorded);

/// Parts of a pag_listener; CONTEXT is a struct recorded.
void recorded_message(void *context, const struct pag_message *message);
void recorded_sent(void *context, const struct pag_message *message);
void recorded_trigger(void *context, const struct trigger *trigger);
void recorded_tested(void *context, const struct trigger *trigger);
void recorded_computing(void *context, uint32_t rank, uint64_t time_ns, bool computes);
void recorded_called(void *context, const struct pag_called *of);
void recorded_cpu_time(void *context, uint32_t rank, uint64_t time_ns, uint64_t cpu_ns);

/// After the measured replay, which found RESULT: from here on costs can be asked for.
void recorded_conclude(struct recorded *recorded, const struct pag_result *result);

/// Median times of a message of SIZE_BYTES, on one node or between two.
uint64_t recorded_flight_ns(const struct recorded *recorded, bool is_remote, uint64_t size_bytes);
uint64_t recorded_receive_ns(const struct recorded *recorded, bool is_remote, uint64_t size_bytes);
/// Whether messages both on one node and between nodes were seen to take their time.
bool recorded_has_both_flights(const struct recorded *recorded);
bool recorded_was_remote(const struct recorded *recorded, uint32_t sender, uint32_t receiver);
/// Ranks that shared cores, more of them than cores; median times of their messages (those of other
/// ranks, then of the other kind where there are none).
bool recorded_is_oversubscribed(const struct recorded *recorded, uint32_t rank);
uint64_t recorded_shared_flight_ns(const struct recorded *recorded, bool is_remote,
                                   uint64_t size_bytes);
/// What it costs that a core goes from one rank to another, as far as the recording tells; 0: it
/// does not.
uint64_t recorded_hand_over_ns(const struct recorded *recorded);
/// What calls of REGION that kept their core took of their own, the median; UINT64_MAX: not
/// known.
uint64_t recorded_usual_ns(const struct recorded *recorded, uint32_t region);

/// What is noted of oversubscribed ranks.
enum recorded_notes {
    RECORDED_OWN_TIMES, // by the leave of each call that was not all its own: what of it was
    RECORDED_OVERSUBSCRIBED_TIMES, // by the end of each stretch of computing: how long its node was
                                   // oversubscribed
    RECORDED_SENDER_TIMES,   // by the leave of each call that received a large message whose sender
                             // had no core for a while: recorded_read_partner()
    RECORDED_RECEIVER_TIMES, // by the leave of each call that completed the send of one whose
                             // receiver had no core for a while: likewise
    RECORDED_LOST_CORES,     // by the leave of each call that lost its core: some number
    RECORDED_NOTES
};
/// What is noted in the measured replay, for one simulated run; NULL where no rank was
/// oversubscribed. The caller frees.
struct rank_notes_reader *recorded_notes(const struct recorded *recorded);
/// The row of RANK.
static inline size_t recorded_notes_row(enum recorded_notes kind, uint32_t rank)
{
    return (size_t)rank * RECORDED_NOTES + kind;
}
struct recorded_partner {
    uint32_t rank;   // the sender; of a receiver the rank that had its core until then
    uint64_t own_ns; // of the call, after the partner had its core again
};
/// What NUMBER of these says of a call of RANK; false: its messages were not too large to be sent
/// at once, so it needed no partner.
bool recorded_read_partner(const struct recorded *recorded, uint32_t rank, uint64_t number,
                           struct recorded_partner *partner);
bool recorded_is_rendezvous(const struct recorded *recorded, bool is_remote, uint64_t size_bytes);
bool recorded_synchronises(const struct recorded *recorded, uint8_t operation, bool is_finalize);

/// How often a flight had to be taken from the table, of how many.
struct recorded_use {
    uint64_t n_flights, n_interpolated;
};

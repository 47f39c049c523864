// SPDX-License-Identifier: BSD-3-Clause
// What the recorded run tells about the cost of its messages and calls, gathered while it is
// replayed in measured time, in memory that does not depend on its length; and the model of a
// simulated run that takes its costs from there.
//
// Times are gathered by size (cost_table.c), of messages on one node and between nodes apart; where
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
// It makes its sender wait until its receiver is in MPI if the measured replay has proven that of
// its size (pag_result.attended_bytes). When that was in the recording is noted of each call that
// sends.
//
// An operation that handles no data (handles, MPI_Finalize, zero bytes) synchronises its members
// unless one of them was seen to leave before it could have been released; MPI_Finalize does not
// where a rank never came to it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pag/trigger.h"
#include "analyzer/simulation/cost/cost_model.h"
#include "analyzer/trace/definitions.h"

// --- rank_notes.c
// Numbers noted of ranks at times of the recording, in rows: gathered in the measured replay and
// asked for in simulated ones, in the order of each row's time. They lie in a temporary file that
// has no name, in $TMPDIR or /tmp, so that memory does not grow with the run; or, where none can be
// written, in memory.

struct rank_notes;

/// With N_ROWS rows, each of one rank. The caller frees.
struct rank_notes *rank_notes_new(size_t n_rows);
void rank_notes_free(struct rank_notes *notes);

/// Notes NUMBER in ROW at TIME_NS, not before what was noted there last (else it is lost).
void rank_notes_add(struct rank_notes *notes, size_t row, uint64_t time_ns, uint64_t number);

struct rank_notes_reader;

/// Before the first note of each row; nothing is added from now on. NOTES must outlive the reader.
/// The caller frees.
struct rank_notes_reader *rank_notes_read(const struct rank_notes *notes);
void rank_notes_reader_free(struct rank_notes_reader *reader);

/// 0, or -1 and ERR when notes could not be read back: then those from some time on are missing.
int rank_notes_check(const struct rank_notes_reader *reader, struct error *err);

/// The first number noted in ROW at TIME_NS into *NUMBER; false: none was, and *NUMBER stays. Asked
/// in the order of time in each row, of one time as often as wanted.
bool rank_notes_at(struct rank_notes_reader *reader, size_t row, uint64_t time_ns,
                   uint64_t *number);

// --- recorded.c

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
void recorded_cpu_time(void *context, uint32_t rank, const struct pag_cpu_sample *sample);

/// After the measured replay, which found RESULT: from here on costs can be asked for.
void recorded_conclude(struct recorded *recorded, const struct pag_result *result);

/// Median times of a message of SIZE_BYTES, on one node or between two.
uint64_t recorded_flight_ns(const struct recorded *recorded, bool is_remote, uint64_t size_bytes);
/// KEPT: only of receives that kept their core.
uint64_t recorded_receive_ns(const struct recorded *recorded, bool kept, bool is_remote,
                             uint64_t size_bytes);
/// Whether messages both on one node and between nodes were seen to take their time.
bool recorded_has_both_flights(const struct recorded *recorded);
bool recorded_was_remote(const struct recorded *recorded, uint32_t sender, uint32_t receiver);
/// Ranks that shared cores, more of them than cores; median times of their messages (those of other
/// ranks, then of the other kind where there are none).
bool recorded_is_oversubscribed(const struct recorded *recorded, uint32_t rank);
uint64_t recorded_shared_flight_ns(const struct recorded *recorded, bool is_remote,
                                   uint64_t size_bytes);
/// What calls of REGION that kept their core took of their own, the median; where none did, the
/// least that one took, without the SLICE_NS for which it polled at most until it lost its core.
/// UINT64_MAX: not known.
uint64_t recorded_usual_ns(const struct recorded *recorded, uint32_t region, uint64_t slice_ns);

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
/// Whether a sender waits until the receiver is in MPI. Ranks that shared cores tell nothing of it.
bool recorded_needs_attendance(const struct recorded *recorded, bool is_remote,
                               uint64_t size_bytes);
/// Whether a sender was seen not to, of this or a larger message, or ranks shared cores.
bool recorded_is_unattended(const struct recorded *recorded, bool is_remote, uint64_t size_bytes);
/// pag_message.attend_ns of sending calls, by rank and their leaves; NULL where there are none, or
/// no sender waited so, unless IS_WANTED. The caller frees.
struct rank_notes_reader *recorded_attendance(const struct recorded *recorded, bool is_wanted);
bool recorded_is_rendezvous(const struct recorded *recorded, bool is_remote, uint64_t size_bytes);
bool recorded_synchronises(const struct recorded *recorded, uint8_t operation, bool is_finalize);
struct recorded_facts {
    uint64_t n_events;                // that the measured replay read
    struct pag_rank_threads *threads; // by rank
    // Whether some MPI_Win_start, or MPI_Win_complete, went on before a target of its epoch posted.
    bool starts_pass, completes_pass;
    uint64_t hand_over_ns; // what it costs that a core goes from one rank to another; 0: not known
};
const struct recorded_facts *recorded_facts(const struct recorded *recorded);

/// How often a flight had to be taken from the table, of how many.
struct recorded_use {
    uint64_t n_flights, n_interpolated;
};

// --- cost_table.c
// Times by size, in memory that does not depend on how many there are. The class of a size is the
// size with all but its highest two binary digits set to zero, a time counts with all but its
// highest five set to zero. Of each size class one sample is kept as the usual one, the lower
// median: element (n-1)/2 of n in order. A size whose class was seen costs what is usual in its
// class; one between two classes a value on the straight line between (class, usual) of both,
// rounded towards the lower class's; one beyond, that of the nearest class.

enum { COST_TABLE_SIZE_CLASSES = 130, COST_TABLE_NO_CLASS = UINT16_MAX };

/// All zero: empty.
struct cost_table {
    uint64_t *counts[COST_TABLE_SIZE_CLASSES]; // by class of time; NULL: none, or concluded
    uint64_t n[COST_TABLE_SIZE_CLASSES];
    // once concluded:
    uint64_t usual_ns[COST_TABLE_SIZE_CLASSES];
    // nearest classes with samples, the class itself among them; COST_TABLE_NO_CLASS: none
    uint16_t below[COST_TABLE_SIZE_CLASSES], above[COST_TABLE_SIZE_CLASSES];
};

/// Number of a size's class; classes are in the order of their sizes.
uint32_t cost_table_class(uint64_t size_bytes);

void cost_table_count(struct cost_table *table, uint64_t size_bytes, uint64_t time_ns);
/// No more counting: from here on costs can be asked for.
void cost_table_conclude(struct cost_table *table);
void cost_table_release(struct cost_table *table);

/// The cost of a size; false when the table is empty.
bool cost_table_find(const struct cost_table *table, uint64_t size_bytes, uint64_t *time_ns);
bool cost_table_is_empty(const struct cost_table *table);

// --- core_wait.c
// When ranks lacked a core in the recording. Ranks of a node with more ranks than cores share them,
// or those of them that are bound to the same cores (trace/definitions.h). All cores are taken
// while as many of these ranks as there are cores compute (are outside MPI). The own time of an MPI
// call is the part of it after the last time before its leave at which all cores were taken; until
// then its core belonged to others. So on one core all time belongs to somebody, and none to two:
// to who computes, or, while none does, to the call that is left first. Changes are kept for as
// long as they are likely to be asked for: memory does not depend on the length of the run.

struct core_wait;

/// For a run on the nodes and cores of DEFINITIONS, which must outlive it. The caller frees.
struct core_wait *core_wait_new(const struct definitions *definitions);
void core_wait_free(struct core_wait *wait);

/// Whether RANK shared cores with others, more than there are cores.
bool core_wait_is_shared(const struct core_wait *wait, uint32_t rank);

/// From TIME_NS on RANK computes (outside MPI), or no longer does. Called in the order of time; a
/// time before that of an earlier call counts as that one.
void core_wait_tell(struct core_wait *wait, uint32_t rank, uint64_t time_ns, bool computes);

/// When RANK, which shares cores, stopped computing; UINT64_MAX: it computes.
uint64_t core_wait_entered_ns(const struct core_wait *wait, uint32_t rank);

/// Whether RANK, which shares cores, was in MPI, or had not begun or had ended, right before
/// TIME_NS. The calls for what it did before that have been made.
bool core_wait_was_inside(const struct core_wait *wait, uint32_t rank, uint64_t time_ns);

/// Since when RANK, which shares cores and computed right before TIME_NS, had computed.
uint64_t core_wait_outside_since_ns(const struct core_wait *wait, uint32_t rank, uint64_t time_ns);

/// Whether all cores that RANK may use were taken right before TIME_NS and right after it (moments
/// without length do not count); the calls up to there, and since, have been made. False where
/// that is too long ago.
bool core_wait_was_taken(const struct core_wait *wait, uint32_t rank, uint64_t time_ns);

/// The rank, of the others that share cores with RANK, that computed right before TIME_NS, into
/// *OTHER: the one that began last, of several the highest. All calls up to then have been made.
/// False: none did, or it began too long ago.
bool core_wait_computing_rank(struct core_wait *wait, uint32_t rank, uint64_t time_ns,
                              uint32_t *other);

/// How long, since RANK began to compute and up to TIME_NS, more of the ranks that share its cores
/// computed than there are cores: only then it can have computed without one.
uint64_t core_wait_oversubscribed_ns(const struct core_wait *wait, uint32_t rank, uint64_t time_ns);

/// How much of FROM_NS..TO_NS is after the last time before TO_NS at which all cores that RANK may
/// use were taken (moments without length do not count). All calls before TO_NS have been made.
/// All of it where that is too long ago.
uint64_t core_wait_own_ns(const struct core_wait *wait, uint32_t rank, uint64_t from_ns,
                          uint64_t to_ns);

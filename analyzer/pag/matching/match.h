// SPDX-License-Identifier: BSD-3-Clause
// Messages, posted receives and requests of a rank.
#ifndef PAGODA_PAG_MATCHING_MATCH_H
#define PAGODA_PAG_MATCHING_MATCH_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct location_state;

/// A message from its send until its receiver and its sender have settled it.
struct message {
    uint64_t send_enter_ns, send_leave_ns, send_ns; // ns of the send record
    uint64_t post_enter_ns;                         // of the matched receive
    uint64_t send_over_ns; // leave of the call that completes the send, UINT64_MAX: not entered
    uint64_t size_bytes;
    uint32_t sender, receiver; // world ranks
    uint32_t tag;
    uint32_t sender_location;
    uint32_t channel; // valid while unmatched
    uint32_t mailbox;
    uint32_t receive;        // matched receive, NONE
    uint32_t node;           // sender's lineage at send_enter, NONE
    uint32_t post_node;      // receiver's lineage at post_enter, NONE
    uint32_t send_wait;      // deferred decision on Late Receiver, NONE
    uint32_t previous, next; // in flight to the same mailbox, by send_ns
    uint32_t next_in_channel;
    bool is_synchronous, is_nonblocking, is_matched;
    bool is_standard;          // sent by MPI_Send, MPI_Isend, MPI_Sendrecv or the like
    bool is_over;              // the call that completes the send was left, at send_over_ns
    bool post_releases;        // the posting of its receive lets a synchronous sender go on
    bool sender_is_inside;     // the sender is in the call that may wait for the receiver
    bool is_received, is_sent; // settled by receiver, by sender
    bool is_landing;           // received by the call being left
    bool is_alone;             // the only record of the call that sent it
    bool is_left_out;          // by a driver: it is not sent
};

struct receive {
    uint64_t post_enter_ns;
    uint64_t sequence; // order of posting within the rank
    uint32_t location, rank;
    uint32_t communicator; // EVENT_NO_INDEX: not known before completion
    uint32_t source, tag;  // source is a world rank; EVENT_ANY for wildcards
    uint32_t completed_communicator, completed_source, completed_tag; // as the completion says
    uint32_t channel;                                                 // NONE while unresolved
    uint32_t message;                                                 // matched message, NONE
    uint32_t post_node;      // own lineage at posting, kept for a blocked synchronous sender, NONE
    uint32_t previous, next; // deferred in the mailbox, in posting order
    uint32_t next_in_channel;
    bool is_deferred; // in its mailbox's list
    bool is_nonblocking;
    bool names_channel; // its channel is known from its posting on
    bool call_may_wait; // a call that completes it, and is no test, has been entered
    bool is_left_out;   // so is its message
    bool is_detached;   // no call waits for it any more
};

/// All messages to one rank on one communicator.
struct mailbox {
    uint32_t first_message, last_message;   // in flight, by send_ns
    uint32_t first_deferred, last_deferred; // receives that wait for a wildcard's channel
};

void match_init(struct engine *engine);
void match_release(struct engine *engine);
/// Registers what the records of a just entered call send, post and complete.
void match_enter_call(struct engine *engine, struct location_state *location);
/// The receive or message is settled for one of its two sides.
void match_settle_receive(struct engine *engine, uint32_t receive);
void match_settle_sent(struct engine *engine, uint32_t message);
/// Takes a receive that found no message out of its channel.
void match_abandon_receive(struct engine *engine, uint32_t receive);
/// The earliest sent message in MESSAGE's mailbox, sent before LIMIT_NS, that the call being left
/// does not complete; messages from MESSAGE's sender first among equals. NULL when there is none.
/// Messages of neighbourhood collectives are neither: the program cannot choose their order.
const struct message *match_queued(const struct engine *engine, const struct message *message,
                                   uint64_t limit_ns);
/// Everything still open at the end of the run.
void match_finish(struct engine *engine);

/// MESSAGE and RECEIVE belong together.
void match_pair(struct engine *engine, uint32_t message, uint32_t receive);

/// What a request id of a rank stands for.
enum request_kind { REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE, REQUEST_KINDS };

void match_remember_request(struct engine *engine, struct location_state *location,
                            uint64_t request, uint32_t index, enum request_kind kind);

/// Takes the request out of the rank's table: the index of what it stands for, NONE if it stands
/// for nothing of that kind.
uint32_t match_forget_request(struct engine *engine, struct location_state *location,
                              uint64_t request, enum request_kind kind);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Which send belongs to which receive, and which members form one collective operation.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/state.h"

// --- messages, posted receives and requests of a rank (match.c)

void match_init(struct engine *engine);
void match_release(struct engine *engine);
/// Registers what the records of a just entered call send, post and complete.
void match_enter_call(struct engine *engine, struct location_state *location);
/// The open call is a probe: finds out what it waits for, by the receive after it. It must not be
/// known already which messages receives posted before will take.
void match_enter_probe(struct engine *engine, struct location_state *location);
/// The message that the open call, for which call_probes() holds, saw; NONE: it has not been sent,
/// as far as is known.
uint32_t match_probed(const struct engine *engine, const struct location_state *location);
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

/// What a request id of a rank identifies.
enum request_kind { REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE, REQUEST_KINDS };

void match_remember_request(struct engine *engine, struct location_state *location,
                            uint64_t request, uint32_t index, enum request_kind kind);

/// Takes the request out of the rank's table: the index of its message, receive or posting,
/// NONE if it identifies nothing of that kind.
uint32_t match_forget_request(struct engine *engine, struct location_state *location,
                              uint64_t request, enum request_kind kind);

// --- queues of one (communicator, receiver, sender, tag), and how much ranks exchanged (channel.c)

void channel_init(struct engine *engine);
void channel_release(struct engine *engine);

/// The mailbox of a world rank on a communicator, made when it is new.
uint32_t channel_mailbox(struct engine *engine, uint32_t communicator, uint32_t receiver);

/// The channel, made when it is new; then empty ones may go, indices of others stay valid.
/// RECENT is looked at first and updated.
uint32_t channel_find(struct engine *engine, struct recent_channel *recent, uint32_t communicator,
                      uint32_t receiver, uint32_t sender, uint32_t tag);

/// The same without making one or a look at a recent one; NULL: there is none, or it is empty.
const struct channel *channel_known(const struct engine *engine, uint32_t receiver,
                                    const struct envelope *envelope);

/// The number of the kind (pag_message_kind) of its messages; NONE: those of a window.
uint32_t channel_kind(const struct engine *engine, uint32_t channel);

void channel_count_traffic(struct engine *engine, struct channel *channel, uint64_t size_bytes);

void channel_push_send(struct engine *engine, struct channel *channel, uint32_t message);
void channel_push_receive(struct engine *engine, struct channel *channel, uint32_t receive);

/// First in, NONE when the queue is empty.
uint32_t channel_pop_send(struct engine *engine, struct channel *channel);
uint32_t channel_pop_receive(struct engine *engine, struct channel *channel);

/// Takes an item out of the middle of its channel's queue.
void channel_remove_send(struct engine *engine, uint32_t message);
void channel_remove_receive(struct engine *engine, uint32_t receive);

// --- posted receives: in the queue of their channel, or deferred until it is known (posted.c)

/// A receive posted with an envelope that may hold wildcards.
void posted_place(struct engine *engine, uint32_t receive);

/// A receive whose channel is known: it queues there or takes the first send.
void posted_queue(struct engine *engine, uint32_t receive);

/// A receive without a channel stops waiting for one: its completion names it, or it is cancelled.
void posted_withdraw(struct engine *engine, uint32_t receive);

/// After a withdrawal: receives deferred only because of RECEIVE take their places.
void posted_release_rivals(struct engine *engine, const struct receive *receive);

// --- waits of senders for receivers (late_receiver.c)

/// MESSAGE is matched, and its send over: that may prove that messages of its size are buffered.
void late_receiver_see(struct engine *engine, const struct message *message);

/// The open call of LOCATION waits for receivers from NOW on, when its wait for messages was over.
void late_receiver_wait(struct engine *engine, const struct location_state *location,
                        const struct moment *now);
/// A message whose sender has left already (message.send_wait) was matched, or never will be.
void late_receiver_resolve(struct engine *engine, struct message *message);
/// The run is over: what has been held back counts.
void late_receiver_finish(struct engine *engine);

/// Whether what the MPI library does with MESSAGE depends on its size.
bool sends_may_be_buffered(const struct message *message);
/// On one node, or between two: index into habits and limits.
unsigned sends_scope(const struct engine *engine, const struct message *message);
/// A message of SIZE_BYTES has made its sender wait.
void send_habits_count(struct send_habits *habits, uint64_t size_bytes);
/// Whether ten messages have made their senders wait, MESSAGE is no smaller, and none as large was
/// seen to go at once.
bool send_habits_tell(const struct send_habits *habits, const struct message *message);
/// The least size of messages that make their senders wait; UINT64_MAX: none do.
uint64_t send_habits_least(const struct send_habits *habits);

// --- senders that wait until their receivers are in MPI (attendance.c)

/// The records of the open call, just entered, are registered.
void attendance_enter_call(struct engine *engine, struct location_state *location);
void attendance_leave_call(struct engine *engine, const struct location_state *location);
/// RANK, in a call that moves messages, moves messages outside MPI as well, until it ends its stay
/// at NOW_NS.
void attendance_stay(struct engine *engine, uint32_t rank);
void attendance_end_stay(struct engine *engine, uint32_t rank, uint64_t now_ns);
/// When RANK was in a call that moves messages, from FROM_NS on: FROM_NS or the enter of such a
/// call, with its lineage if that was kept; UINT64_MAX: it has not come to one.
struct moment attendance_after(const struct engine *engine, uint32_t rank, uint64_t from_ns);
/// The same of the receiver of MESSAGE, from its send or the posting of its receive on, up to
/// LEAVE_NS of the call that completes the send.
struct moment attendance_of(const struct engine *engine, const struct message *message,
                            uint64_t leave_ns);
/// CALL is left: it may prove that messages of its size wait so, or that they do not.
void attendance_see(struct engine *engine, const struct call *call);

// --- locks of RMA windows, and calls that wait for them (locks.c)

void locks_release(struct engine *engine);
/// The records of a just entered call, or its place between the request of a lock and its release.
void locks_enter_call(struct engine *engine, struct location_state *location);
/// LOCATION may wait for a lock in its open call from now on; after a snapshot was read.
void locks_add_waiter(struct engine *engine, struct location_state *location);
/// What ended the wait of CALL, which is left and may have waited for a lock; NULL: it did not.
const struct awaited_unlock *locks_awaited(const struct call *call);
/// The open call, which may have waited for a lock, is left.
void locks_leave_call(struct engine *engine, struct location_state *location);

// --- epochs of RMA windows, as messages (location/epoch_messages.h): what waits for posts
// (epochs.c)

/// MPI_Win_start opens an epoch by EVENT, a request for a post.
void epochs_open(struct engine *engine, struct location_state *location, const struct event *event);
/// The call of LOCATION is left: when it has accessed memory of a target.
void epochs_access(struct engine *engine, const struct location_state *location);
/// MPI_Win_complete closes the epoch with a target: leave of its last access, 0: none.
uint64_t epochs_close(struct engine *engine, const struct location_state *location, uint32_t window,
                      uint32_t target);
void epochs_release(struct engine *engine);
/// The receive of a post that the open call waits for by EVENT, its completion; NONE: it does not.
uint32_t epochs_await(struct engine *engine, struct location_state *location,
                      const struct event *event);
/// The open call, which may have waited for posts, is left: it has not if one of them came later.
void epochs_leave(struct engine *engine, struct location_state *location);

// --- collective operations: members, releases, the last one out (collective.c)

/// Whether A entered after B, ties: the lower rank.
static inline bool collective_is_later(const struct member *a, const struct member *b)
{
    return a->in_ns > b->in_ns || (a->in_ns == b->in_ns && a->rank < b->rank);
}

/// Whether an operation's members do not wait for all others by its kind.
static inline bool collective_waits_for_some(const struct member *member)
{
    return member->class_ == COLLECTIVE_ONE_TO_ALL || member->class_ == COLLECTIVE_ALL_TO_ONE ||
           member->class_ == COLLECTIVE_SCAN;
}

void collective_init(struct engine *engine);
void collective_release(struct engine *engine);
void collective_enter_call(struct engine *engine, struct location_state *location);
/// In simulated time: what CALL's records of RECORDED_NS say has ended ended at TIME_NS.
void collective_ended(struct engine *engine, const struct call *call, uint64_t recorded_ns,
                      uint64_t time_ns);
/// The part's call is left: trigger events when it was the last one out.
void collective_leave(struct engine *engine, struct part part, const struct call *call);
void collective_rank_ended(struct engine *engine, uint32_t rank);
void collective_finish(struct engine *engine);

// Which member releases which (collective_releasers.c).
/// World rank of a member that has not come yet and that could release PART; NONE when all have.
uint32_t collective_missing_rank(const struct engine *engine, struct part part);
/// The member that released PART (last one in, root, ...), NULL when it is itself or incomplete.
const struct member *collective_releaser(const struct engine *engine, struct part part);
/// Whether an operation on files, whose last member entered at LAST_NS, let its members wait for
/// that one, as far as they have left. MPI does not ask for it, and libraries differ.
static inline bool collective_let_wait(const struct collective *instance, uint64_t last_ns)
{
    return instance->first_leave_ns >= last_ns;
}
/// Whether PART cannot have been left before its releaser came.
bool collective_must_synchronise(const struct engine *engine, struct part part);
/// Whether PART's member waits for others in its operation at all.
bool collective_has_releasers(const struct engine *engine, struct part part);
/// The latest of the members that release PART, now and in the recording; false when there is none.
bool collective_release_times(const struct engine *engine, struct part part, uint64_t *time_ns,
                              uint64_t *recorded_ns);

/// The world rank of MEMBER, a place among them.
uint32_t collective_world_rank(const struct engine *engine, uint32_t communicator, uint32_t member);

/// Hands the trigger events of all members of a finished instance to the listener, and explains the
/// waits of the members.
void collective_emit_triggers(struct engine *engine, const struct collective *instance);

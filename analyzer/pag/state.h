// SPDX-License-Identifier: BSD-3-Clause
// The state of one replay: structs and access to them, no function of the loop. What belongs to one
// location alone is in location/location.h. Above this: lineage/ and window.h, then matching/,
// leave.h, and engine.h, the order of reading. What is added here, or to a location's open call,
// and decides what follows, snapshot.c has to keep as well.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/map.h"
#include "analyzer/base/pool.h"
#include "analyzer/pag/hooks.h"
#include "analyzer/pag/lineage/lineage.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pag/tournament.h"

/// A time with the lineage that led to it, LINEAGE_NONE where that is unknown. Holds no reference.
struct moment {
    uint64_t time_ns;
    uint32_t node;
    bool is_open; // `node` is a location: its lineage at the enter of its open call, of which no
                  // time is accounted yet
};

// --- messages (matching/match.c, channel.c, posted.c)

/// A message from its send until its receiver and its sender have settled it.
struct message {
    uint64_t send_enter_ns, send_leave_ns, send_ns; // ns of the send record
    uint64_t post_enter_ns;                         // of the matched receive
    uint64_t send_over_ns; // leave of the call that completes the send, UINT64_MAX: not entered
    uint64_t
        await_enter_ns; // enter of that call if it does nothing else and may wait, else the same
    uint64_t size_bytes;
    uint64_t number;    // of the messages of the run
    uint64_t access_ns; // of a complete: leave of the sender's last access to the receiver, 0: none
    uint32_t sender, receiver; // world ranks
    uint32_t tag;
    uint32_t sender_location;
    uint32_t channel; // valid while unmatched
    uint32_t mailbox;
    uint32_t kind;           // channel_kind()
    uint32_t receive;        // matched receive, NONE
    uint32_t node;           // sender's lineage at send_enter, NONE
    uint32_t post_node;      // receiver's lineage at post_enter, NONE
    uint32_t send_wait;      // deferred decision on Late Receiver, NONE
    uint32_t previous, next; // in flight to the same mailbox, by send_ns
    uint32_t next_in_channel;
    bool is_synchronous, is_nonblocking, is_matched;
    bool is_standard;          // sent by MPI_Send, MPI_Isend, MPI_Sendrecv or the like
    bool is_over;              // the call that completes the send was left, at send_over_ns
    bool awaits_receiver;      // synchronous, or too large to be buffered, or the next
    bool needs_attendance;     // its sender waits until its receiver is in MPI (attendance.c)
    bool post_releases;        // the posting of its receive releases the sender
    bool sender_is_inside;     // the sender is in the call that may wait for the receiver
    bool is_received, is_sent; // settled by receiver, by sender
    bool is_landing;           // received by the call being left
    bool is_alone;             // the only record of the call that sent it
    bool is_left_out;          // by a driver: it is not sent
    bool is_of_window;         // none of the program's (location/epoch_messages.h)
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
    uint32_t post_node;      // own lineage at posting, kept for a sender that waits for it, NONE
    uint32_t previous, next; // deferred in the mailbox, in posting order
    uint32_t next_in_channel;
    bool is_deferred; // in its mailbox's list
    bool is_nonblocking;
    bool names_channel; // its channel is known from its posting on
    bool call_may_wait; // a call that completes it, and is not a test, has been entered
    bool is_left_out;   // so is its message
    bool is_given_up;   // the call that waits for it was in a cycle
    bool is_detached;   // no call waits for it any more
    bool is_of_window;  // so is its message
};

/// All messages to one rank on one communicator.
struct mailbox {
    uint32_t first_message, last_message;   // in flight, by send_ns
    uint32_t first_deferred, last_deferred; // receives that wait for a wildcard's channel
};

/// (communicator, receiver, sender, tag): sends and receives not matched yet, first in first out.
struct channel {
    uint32_t communicator, receiver, sender, tag;
    uint32_t mailbox;
    uint32_t first_send, last_send;
    uint32_t first_receive, last_receive;
    uint32_t traffic;
    uint32_t next_in_bucket;
    uint64_t last_sequence; // of the receive matched or queued last
};

// --- waits of senders for receivers (matching/late_receiver.c)

/// A wait for a receiver, and the sizes of the messages whose receives were posted while it lasted.
struct eager_wait {
    struct trigger trigger;
    uint64_t enter_ns;
    uint64_t least_limits[2]; // 1 + the largest of them, on one node and between two; 0: none
};

/// As many waits in a row for receivers, and no message as large buffered, are no chance.
enum { N_WAITING_SENDS = 10 };

/// What the sends so far tell of those to come, on one node or between two.
struct send_habits {
    uint64_t limit;                          // 1 + the largest size buffered
    uint64_t waiting_bytes[N_WAITING_SENDS]; // the smallest sizes whose senders have waited since,
    uint32_t n_waiting;                      // in ascending order
};

// --- senders that wait until their receivers are in MPI (matching/attendance.c)

enum { N_ABSENCES = 8 };

/// From one call of a rank that moves messages to the next one.
struct absence {
    uint64_t begin_ns, end_ns;
    uint32_t node; // its lineage then, kept for a sender that waits for it, NONE
};

/// The calls of a rank that move messages.
struct attendance {
    struct absence absences[N_ABSENCES]; // the latest between them, by number modulo
    uint64_t n_absences;
    uint64_t until_ns; // leave of the last one
    uint32_t n_calls;  // open ones
};

struct eager {
    const uint32_t *node_of_rank; // of a driver; NULL: as recorded
    struct send_habits habits[2];
    uint64_t limits[2]; // as in habits, or of the whole run where an index tells
    struct eager_wait *waits;
    size_t n_waits, capacity;
    size_t oldest; // where there are as many as can be held
    // Waits that counted before the run was over:
    bool has_told;
    uint64_t told_limits[2]; // the least that could prove one of them none
    bool told_wrongly;       // that was proven afterwards, perhaps
};

/// What a call waits for receivers of its messages; kept while receives are still unknown after
/// its leave.
struct send_wait {
    struct eager_wait wait;
    struct moment from;              // when it began to wait for receivers
    uint32_t post_node, attend_node; // lineage of the receiver that let it go, NONE: unknown
    uint32_t n_open;
    uint64_t over_ns; // when the last of the receivers that came late let it go, 0: none has
    bool has_certain; // among their messages
};

// --- collective operations (matching/collective.c)

/// A nonblocking collective between its posting and its completion.
struct posting {
    uint64_t in_ns, recorded_in_ns;
    uint32_t node;       // own lineage at in_ns
    uint32_t collective; // the instance, NONE when there is none or it is not known yet
    bool is_placed;      // it has got its place among the communicator's operations
};

struct member {
    uint64_t in_ns;                   // enter of the call that entered or posted the operation
    uint64_t recorded_in_ns;          // the same in the recording
    uint64_t enter_ns, leave_ns;      // of the call that completes it
    uint64_t end_ns, recorded_end_ns; // of the operation: its record's, not after the leave
    uint64_t size_bytes;              // sent and received
    struct pag_volume volume;
    uint32_t rank, location, path;
    uint32_t last_lower; // of the members before it the one that is latest (collective.n_lower),
    uint64_t recorded_lower_ns; // and the latest recorded_in_ns of them
    bool is_left_out;           // by a driver: takes no part
    uint32_t node;              // own lineage at in_ns where somebody may need it, NONE
    uint32_t enter_node;        // own lineage at enter_ns where the call may have waited, NONE
    uint8_t operation, class_;
    bool has_entered, has_left, is_test, is_root;
    bool is_window;  // the operation is on an RMA window,
    bool is_file;    // or on files
    bool is_uneven;  // may have taken nothing from some of the others
    bool is_passive; // an intercommunicator's member beside the root: takes no part
};

/// One collective operation on one communicator, from the first member in to the last one out.
struct collective {
    uint32_t index;          // own
    uint32_t communicator;   // NONE: MPI_Finalize of all ranks
    bool is_finalize;        // MPI_Finalize of all ranks, or of one world among several
    uint32_t previous, next; // open instances of the communicator, by sequence
    uint64_t sequence;
    uint32_t n_members, n_entered, n_left;
    uint32_t n_scans;          // of those that have entered, as far as known then
    uint32_t first_missing;    // the lowest member that has not entered, n_members when all have
    uint32_t n_lower;          // members whose last_lower and recorded_lower_ns are known
    uint32_t root;             // member index, NONE
    uint32_t last;             // member with the latest in_ns, ties: lowest rank
    uint64_t first_leave_ns;   // of those that have left, UINT64_MAX: none has
    uint64_t recorded_last_ns; // the latest recorded_in_ns; with a driver
    struct member *members;
};

struct communicator_state {
    uint32_t first_open, last_open; // collective instances
    uint64_t *sequences;            // by member: operations entered so far
    uint32_t n_members;             // both groups of an intercommunicator
    uint32_t n_ended;               // members whose locations have ended
};

// --- locks of RMA windows (matching/locks.c)

/// A lock that a rank has asked for and has not given back.
struct open_lock {
    uint32_t window, target; // a communicator, and a rank in it or EVENT_ALL_TARGETS
    bool is_exclusive;
    uint64_t recorded_request_ns; // enter of the call that asked for it
    uint32_t ending;              // location in the call that gives it back, NONE
};

// --- epochs of RMA windows (matching/epochs.c)

/// What a rank accesses from MPI_Win_start to MPI_Win_complete.
struct open_epoch {
    uint32_t window, target; // a communicator, a world rank
    uint64_t access_ns;      // leave of the last access, 0: none
};

// --- the run

/// Where a rank was without CPU time, and of the time outside MPI what was blocked.
enum lost_where { LOST_OUTSIDE, LOST_INSIDE, LOST_BLOCKED, LOST_KINDS };

struct rank_state {
    uint32_t first_location, n_locations;
    struct rank_series *series; // NULL: none kept
    struct map requests;        // request id -> request (see match.c)
    struct open_lock *locks;
    uint32_t n_locks;
    size_t lock_capacity;
    struct open_epoch *epochs;
    uint32_t n_epochs;
    size_t epoch_capacity;
    uint32_t n_unresolved_posts; // posted receives whose channel is not known yet
    uint32_t n_deferred_posts;   // of these, those in the lists of its mailboxes
    uint32_t n_ended_locations;
    uint32_t
        n_blocked_senders; // messages to it whose sender is inside a call and waits for the receive
    uint64_t post_sequence;
    struct attendance attendance;
    bool has_mpi, has_init, has_finalize, has_ended;
    bool has_session_end; // a session was over; another one may not have been
    // the books of the window (window.h)
    uint64_t switch_ns, useful_ns, mpi_ns;
    bool in_mpi, has_end, is_closed, is_off, ends_off;
    uint64_t off_ns, off_since_ns; // recording off
    uint32_t window_epoch;
    uint64_t useful_begin_ns, mpi_begin_ns, useful_end_ns, mpi_end_ns;
    // without CPU time, outside MPI, inside, and blocked outside: up to now, and at the edges
    uint64_t lost_ns[LOST_KINDS], lost_begin_ns[LOST_KINDS], lost_end_ns[LOST_KINDS];
    // open parallel region (threads)
    enum pag_threading threading; // so far
    bool has_team;
    uint32_t fork_node;
    uint64_t fork_ns;
    uint32_t fork_location;
    uint32_t team_node; // lineage of the last thread out of the team
    uint64_t team_ns;
    uint32_t team_location;
};

/// Calls the function of the listener that is told of HOOK, and must be there.
#define TELL(engine, hook, ...)                                                                    \
    (engine)->listener.hook.tell((engine)->listener.hook.context, __VA_ARGS__)

/// One replay.
struct engine {
    struct trace *trace;
    const struct definitions *definitions;
    struct pag_options options;
    struct pag_listener listener;
    struct pag_result *result;
    struct location_state *locations;
    size_t n_locations;
    struct rank_state *ranks;
    size_t n_ranks;
    struct communicator_state *communicators;
    struct communicator_state finalize;
    struct lineage lineage;
    struct pool messages, receives, mailboxes, channels, send_waits, collectives, postings;
    struct map mailbox_of; // (communicator, receiver) -> mailbox
    struct map traffic_of; // (kind, sender, receiver) -> index of result->traffic
    size_t traffic_capacity;
    struct map message_kind_of; // (communicator, tag) -> index of result->message_kinds
    size_t message_kind_capacity;
    struct eager eager;
    struct send_habits attendance[2]; // that need it, on one node and between two
    uint64_t unattended_bytes[2];     // smaller messages were seen not to; the same
    uint32_t n_probing;               // open calls that wait for a message without receiving it
    uint32_t *lock_waiters;           // locations in calls that may wait for a lock
    uint32_t n_lock_waiters;
    size_t lock_waiter_capacity;
    uint32_t *channel_buckets;
    uint32_t n_channel_buckets;
    uint32_t channel_epoch;  // grows when channels may have gone
    struct tournament order; // locations that have not ended, by their next events (engine.c)
    bool is_ahead;           // the location being read has not the earliest next event
    uint64_t window_begin_ns, window_end_ns;
    uint32_t window_epoch;
    size_t n_ranks_going_on;     // those that decide on the window's end and may come to move it
    size_t n_ranks_to_begin;     // those that have not left MPI_Init and count for the window
    bool leaves_early;           // calls that concern their own rank only (step_is_private())
    bool has_window_end;         // there is none
    struct thread_time *threads; // thread_time.h; NULL: nothing to account for
    struct regions *regions;     // regions.h; NULL: nobody listens
    struct region_trigger_source *region_triggers; // by location; NULL: the digests tell of visits
    const struct engine_hooks *hooks;              // NULL: no driver, in measured time
    void *driver;
    struct recent *recent;  // NULL unless a moment is to be explained
    bool any_member_delays; // a driver may let any member of a collective delay any other one
    bool starts_pass, completes_pass; // of a driver: they wait for no post (matching/epochs.c)
};

static inline const struct region *region_at(const struct engine *engine, uint32_t index)
{
    return &engine->definitions->regions[index];
}

static inline struct channel *channel_at(const struct engine *engine, uint32_t index)
{
    return POOL_AT(&engine->channels, struct channel, index);
}

static inline struct collective *collective_instance(const struct engine *engine, uint32_t index)
{
    return POOL_AT(&engine->collectives, struct collective, index);
}

static inline struct message *message_at(const struct engine *engine, uint32_t index)
{
    return POOL_AT(&engine->messages, struct message, index);
}

static inline struct receive *receive_at(const struct engine *engine, uint32_t index)
{
    return POOL_AT(&engine->receives, struct receive, index);
}

/// Whether CALL, which completes receives, may go on before their messages come, which are posts.
static inline bool call_awaits_posts(const struct engine *engine, const struct call *call)
{
    const struct receive *first = call->n_receives ? receive_at(engine, call->receives[0]) : NULL;
    return first && first->is_of_window && first->tag == EVENT_TAG_POST;
}

/// Whether some location of RANK may still have events up to LAST_NS.
static inline bool rank_may_come(const struct engine *engine, uint32_t rank, uint64_t last_ns)
{
    const struct rank_state *state = &engine->ranks[rank];
    for (uint32_t i = 0; i < state->n_locations; i++) {
        const struct location_state *location = &engine->locations[state->first_location + i];
        if (!location->has_ended && location->next_ns <= last_ns)
            return true;
    }
    return false;
}

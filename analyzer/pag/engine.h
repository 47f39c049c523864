// SPDX-License-Identifier: BSD-3-Clause
// Internal state of the replay engine, shared by the files of this folder only. Who owns what:
//   engine.c      order of reading, one event at a time
//   call.c        an MPI call with its records, read ahead at its enter
//   profile.c     call tree and exclusive time of a location
//   match.c       messages and posted receives; channel.c: their queues
//   collective.c  open collective operations; collective_roots.c: their root events
//   leave.c       what the leave of a call settles: waits, root events, hand-over of the lineage
//   head.c        the open end of a location's lineage
//   threads.c     lineages at the fork and join of a team
//   window.c      time covered by efficiencies and findings
//   outcome.c     struct pag_result
#ifndef PAGODA_PAG_ENGINE_H
#define PAGODA_PAG_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/map.h"
#include "analyzer/base/pool.h"
#include "analyzer/pag/lineage.h"
#include "analyzer/pag/pag.h"

#define NONE UINT32_MAX

// Call paths that are no call paths, as keys of the lineage.
#define PATH_CLOCK_REPAIR (UINT32_MAX - 1)
#define PATH_BEFORE_START (UINT32_MAX - 2)

/// A node of a location's call tree, one cache line.
struct path {
    uint64_t exclusive_ns;
    uint64_t mark_ns; // exclusive_ns when the open leaf of the lineage began (if epoch matches)
    uint32_t epoch;   // of the open leaf that touched this path last
    uint32_t last_child_region; // the child found last, to skip the look-up
    uint32_t last_child;
    uint32_t region;
    uint64_t visits;
    uint64_t inclusive_ns;
    uint32_t parent;
    uint32_t depth;
};

struct frame {
    uint32_t path;
    uint32_t region;
    uint64_t enter_ns;
};

struct profile {
    struct path *paths;
    size_t n_paths, paths_capacity;
    struct frame *stack;
    size_t depth, stack_capacity;
    struct map children; // (path, region) -> path
    uint32_t current;    // path
    uint64_t last_ns;    // time is accounted up to here
    uint64_t n_unbalanced;
};

/// The open end of a lineage: `node` plus what the touched paths gained since their marks.
struct head {
    uint32_t node; // one reference
    uint32_t epoch;
    uint32_t *touched; // paths
    size_t n_touched, touched_capacity;
    int64_t clock_repair_ns;  // not yet in a node
    uint64_t before_start_ns; // not yet in a node
};

/// One member's part in a collective operation.
struct part {
    uint32_t collective; // index of the instance
    uint32_t member;
};

/// An open MPI call: the outermost MPI region instance, with all its records.
struct call {
    bool is_open;
    bool is_cut;  // its leave was not found: at the end of the location, or too far away
    bool is_bare; // a record outside any MPI region: leave = enter, no event for either
    bool is_test;
    bool is_finalize, is_init;
    bool is_synchronous;
    bool gave_up;      // a partner could not be found within the look-ahead
    uint32_t n_nested; // regions open inside it
    uint32_t n_skip;   // events to its leave when nothing is nested
    uint32_t path;
    uint64_t enter_ns, leave_ns;
    struct event *records; // the records of the call that matter, in order
    uint32_t n_records;
    size_t records_capacity;
    uint32_t *receives; // indices of receives completed here, in posting order
    uint32_t n_receives;
    size_t receives_capacity;
    uint32_t *sends; // messages this call may wait for: sent or completed here
    uint32_t n_sends;
    size_t sends_capacity;
    struct part *parts; // collective operations completed here
    uint32_t n_parts;
    size_t parts_capacity;
};

/// The channel a location used last, for sending and for receiving: programs repeat themselves.
struct recent_channel {
    uint32_t channel;
    uint32_t epoch; // of the channel table; 0: none
};

struct location_state {
    uint32_t index;
    uint32_t rank; // NONE without
    bool is_master, has_begun, has_ended;
    uint64_t next_ns; // of the next unread event; UINT64_MAX at the end
    uint64_t first_ns;
    struct cursor *cursor;
    struct profile profile;
    struct head head;
    struct call call;
    struct recent_channel sent, received;
    uint32_t lookahead_left; // events its partners may still be read ahead for its sake
    uint64_t team_end_ns;    // last EVENT_THREAD_TEAM_END
};

struct rank_state {
    uint32_t first_location, n_locations;
    struct map requests;         // request id -> request (see match.c)
    uint32_t n_unresolved_posts; // posted receives whose channel is not known yet
    uint32_t n_ended_locations;
    uint32_t n_blocked_synchronous; // synchronous messages to it whose sender is inside a call
    uint64_t post_sequence;
    bool has_mpi, has_init, has_finalize, has_ended;
    // window.c
    uint64_t switch_ns, useful_ns, mpi_ns;
    bool in_mpi, has_begin, has_end;
    uint32_t window_epoch;
    uint64_t useful_begin_ns, mpi_begin_ns, useful_end_ns, mpi_end_ns;
    // open parallel region (threads)
    uint32_t fork_node;
    uint64_t fork_ns;
    uint32_t fork_location;
    uint32_t team_node; // lineage of the last thread out of the team
    uint64_t team_ns;
    uint32_t team_location;
};

/// A message from its send until its receiver and its sender have settled it.
struct message {
    uint64_t send_enter_ns, send_leave_ns, send_ns; // ns of the send record
    uint64_t post_enter_ns;                         // of the matched receive
    uint64_t size_bytes;
    uint32_t sender, receiver; // world ranks
    uint32_t tag;
    uint32_t sender_location, post_location;
    uint32_t channel; // valid while unmatched
    uint32_t mailbox;
    uint32_t receive;        // matched receive, NONE
    uint32_t node;           // sender's lineage at send_enter, NONE
    uint32_t post_node;      // receiver's lineage at post_enter, NONE
    uint32_t send_wait;      // deferred decision on Late Receiver, NONE
    uint32_t previous, next; // in flight to the same mailbox, by send_ns
    uint32_t next_in_channel;
    bool is_synchronous, is_nonblocking, is_matched;
    bool sender_is_inside;     // the sender is in the call that may wait for the receiver
    bool is_received, is_sent; // settled by receiver, by sender
    bool is_landing;           // received by the call being left
};

struct receive {
    uint64_t post_enter_ns;
    uint64_t sequence; // order of posting within the rank
    uint32_t location, rank;
    uint32_t communicator;   // EVENT_NO_INDEX: not known before completion
    uint32_t source, tag;    // source is a world rank; EVENT_ANY for wildcards
    uint32_t channel;        // NONE while unresolved
    uint32_t message;        // matched message, NONE
    uint32_t post_node;      // own lineage at posting, kept for a blocked synchronous sender, NONE
    uint32_t previous, next; // deferred in the mailbox, in posting order
    uint32_t next_in_channel;
    bool is_deferred; // in its mailbox's list
    bool is_nonblocking;
    bool is_completing; // a call that completes it has been entered
    bool call_may_wait; // and that call is no test
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

/// A call that left while receives of its messages were still unknown.
struct send_wait {
    struct root root;
    uint32_t n_open;
    bool has_candidate;
};

/// A nonblocking collective between its posting and its completion.
struct posting {
    uint64_t in_ns;
    uint32_t node;       // own lineage at in_ns
    uint32_t collective; // the instance, NONE when the record did not name the communicator
};

struct member {
    uint64_t in_ns;              // enter of the call that entered or posted the operation
    uint64_t enter_ns, leave_ns; // of the call that completes it
    uint64_t size_bytes;
    uint32_t rank, location, path;
    uint32_t node; // own lineage at in_ns where somebody may need it, NONE
    uint8_t operation, class_;
    bool has_entered, has_left, is_test, is_root;
    bool is_passive; // an intercommunicator's member beside the root: takes no part
};

/// One collective operation on one communicator, from the first member in to the last one out.
struct collective {
    uint32_t communicator;   // NONE: MPI_Finalize of all ranks
    uint32_t previous, next; // open instances of the communicator, by sequence
    uint64_t sequence;
    uint32_t n_members, n_entered, n_left;
    uint32_t root; // member index, NONE
    uint32_t last; // member with the latest in_ns, ties: lowest rank
    struct member *members;
    uint32_t members_capacity;
};

struct communicator_state {
    uint32_t first_open, last_open; // collective instances
    uint64_t *sequences;            // by member: operations entered so far
    uint32_t n_members;             // both groups of an intercommunicator
    uint32_t n_ended;               // members whose locations have ended
};

struct heap_entry {
    uint64_t next_ns;
    uint32_t location;
};

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
    struct map traffic_of; // (sender, receiver) -> index of result->traffic
    size_t traffic_capacity;
    uint32_t *channel_buckets;
    uint32_t n_channel_buckets;
    uint32_t channel_epoch;  // grows when channels may have gone
    struct heap_entry *heap; // locations that have not ended, earliest first
    uint32_t n_heap;
    uint32_t *heap_place; // by location
    bool is_ahead;        // the location being read is not the one furthest behind
    uint64_t other_ns;    // next event of the second furthest behind
    uint64_t window_begin_ns, window_end_ns;
    uint32_t window_epoch;
    bool has_window_end;
};

// profile.c
void profile_init(struct profile *profile);
void profile_release(struct profile *profile);
void profile_enter(struct location_state *location, uint32_t region, uint64_t time_ns);
/// Closes the innermost open instance of REGION (and what was left open inside it).
void profile_leave(struct location_state *location, uint32_t region, uint64_t time_ns);
/// Accounts the time since the last event to the current path.
void profile_account(struct location_state *location, uint64_t time_ns);

// head.c
void head_init(struct engine *engine, struct head *head);
void head_release(struct head *head);
/// The location's lineage as it is now, as a node; the caller gets a reference.
uint32_t head_cut(struct engine *engine, struct location_state *location);
/// The location's lineage becomes NODE plus OWN_NS of the location's own call PATH.
void head_take_over(struct engine *engine, struct location_state *location, uint32_t node,
                    uint32_t path, uint64_t own_ns, int64_t clock_repair_ns);
/// The whole lineage of the location as one tally.
void head_sum(const struct engine *engine, const struct location_state *location,
              struct tally *sum);

// call.c
/// Reads the call whose enter event is next (or the bare record) ahead to its leave.
void call_read(struct engine *engine, struct location_state *location);
void call_release(struct call *call);

// match.c
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
const struct message *match_queued(const struct engine *engine, const struct message *message,
                                   uint64_t limit_ns);
/// Everything still open at the end of the run.
void match_finish(struct engine *engine);

// collective.c
void collective_init(struct engine *engine);
void collective_release(struct engine *engine);
void collective_enter_call(struct engine *engine, struct location_state *location);
/// The part's call is left: root events when it was the last one out.
void collective_leave(struct engine *engine, struct part part, const struct call *call);
/// World rank of a member that has not come yet and that could release PART; NONE when all have.
uint32_t collective_missing_rank(const struct engine *engine, struct part part);
/// The member that released PART (last one in, root, ...), NULL when it is itself or incomplete.
const struct member *collective_releaser(const struct engine *engine, struct part part);
/// Whether PART cannot have been left before its releaser came.
bool collective_is_firm(const struct engine *engine, struct part part);
void collective_rank_ended(struct engine *engine, uint32_t rank);
void collective_finish(struct engine *engine);

// leave.c
/// Settles the open call. EVENT_NO_INDEX when done, else the world rank that must be read first.
uint32_t leave_call(struct engine *engine, struct location_state *location);
/// A message whose sender has left already (message.send_wait) was matched, or never will be.
void leave_resolve_send(struct engine *engine, struct message *message);

// threads.c
/// EVENT_THREAD_FORK, _JOIN, _TEAM_BEGIN and _TEAM_END.
void threads_event(struct engine *engine, struct location_state *location,
                   const struct event *event);

// window.c
void window_enter_mpi(struct engine *engine, struct location_state *location, uint64_t time_ns);
void window_leave_mpi(struct engine *engine, struct location_state *location, uint64_t time_ns);
void window_begin_at(struct engine *engine, uint64_t time_ns);
void window_end_at(struct engine *engine, uint64_t time_ns);
bool window_holds(const struct engine *engine, uint64_t enter_ns);
/// Closes the books of a rank at its last event.
void window_finish(struct engine *engine, struct rank_state *rank, uint64_t time_ns);

// outcome.c
void outcome_fill(struct engine *engine);

static inline const struct region *region_at(const struct engine *engine, uint32_t index)
{
    return &engine->definitions->regions[index];
}

#endif

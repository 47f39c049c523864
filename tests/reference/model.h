// SPDX-License-Identifier: BSD-3-Clause
// The reference's view of a trace: calls, messages, collectives and hand-overs as plain arrays.
// Internal to tests/reference; each part is filled by the function of its own file.
#pragma once

#include "tests/reference/findings.h"
#include "tests/reference/trace.h"

struct predicted_scenario;
struct run_times;

/// A node of the call tree all locations share; node 0 is "no region open". MPI calls made at
/// several places are as many nodes of one name.
struct model_path {
    uint32_t parent, region;
    uint32_t context; // of an MPI call: where it is made, REFERENCE_NONE
    char *name;       // "main/solve/MPI_Recv", "" for node 0
};

/// An outermost MPI region instance, or a single MPI record outside of any.
struct model_call {
    uint32_t location, rank;
    size_t first, last; // record indices of its enter and leave
    uint64_t enter_ns, leave_ns;
    uint32_t path;
    bool is_left; // the trace has its leave
    bool is_test, is_probe, is_standard_send, is_synchronous_send, is_init, is_finalize;
    uint32_t first_sync, n_syncs;   // those of epochs
    bool is_one_sided;              // communication of windows, or their synchronisation
    uint32_t n_records, n_left_out; // of a changed program: of messages and operations, and those
                                    // of them that it leaves out
    bool is_waiting_poll;           // likewise: found nothing, and takes no time
    uint64_t polled_ns;             // likewise: recorded time of such polls that belongs to it
};

struct model_send {
    uint32_t call;          // that posted it
    uint32_t complete_call; // that completed it: a blocking send's own call; REFERENCE_NONE: never
    uint32_t location;
    size_t record, complete_record; // the latter orders what one call completes
    uint64_t time_ns;
    uint32_t comm, sender, receiver, tag;
    uint64_t size_bytes;
    bool is_synchronous;
    uint32_t receive;                 // matched, or REFERENCE_NONE
    uint64_t now_bytes;               // of a changed program
    bool is_unsent;                   // likewise
    const struct model_send *follows; // likewise: the message it is put together with, NULL: none
    uint64_t group_bytes;             // likewise: of all up to this one
};

struct model_receive {
    uint32_t post_call;
    uint32_t complete_call; // REFERENCE_NONE: never completed
    uint32_t location;
    size_t post_record; // orders the postings of one location
    uint32_t comm, sender, receiver, tag;
    bool is_reserving; // posted with a full envelope: its place in the channel is known at once
    bool is_cancelled, is_done;
    uint64_t size_bytes;
    uint32_t slot; // its place in the channel, REFERENCE_NONE: none
    uint32_t send; // matched, or REFERENCE_NONE
};

/// One member's part in one collective operation.
struct model_part {
    uint32_t post_call, complete_call; // of blocking ones the same
    uint32_t location, rank;
    size_t post_record;
    uint64_t end_ns; // of the operation, as its record says
    uint32_t comm;
    uint32_t root; // world rank
    uint64_t bytes, sent_bytes, received_bytes;
    bool is_in_place;
    const char *operation; // NULL: MPI_Finalize
    enum operation_class class;
    bool is_finalize;
    bool is_window;
    bool is_file;
    bool is_uneven;         // may have taken nothing from some of the others
    bool is_between_groups; // on an intercommunicator
    bool is_left_out;       // by a changed program
    uint32_t instance;
};

struct model_instance {
    uint32_t *parts; // by member in the communicator's order, REFERENCE_NONE: not there
    uint32_t n_members;
    bool is_complete, is_finalize;
};

/// Where the lineage of a location comes from at one of its records, if not from itself.
struct model_hand_over {
    bool is_there;
    uint32_t location; // of the releaser
    size_t record;     // its lineage just before this record
    uint64_t time_ns;  // of that
    uint32_t path;     // what follows up to the own record is booked here
    bool is_violation; // released after the own record's time
};

/// Who made a call wait: from the enter of call FROM (itself, or the one it waited for before) to
/// that of call TO. The lineage of TO's location there, less that of FROM's, is why. CALL is the
/// one that waits.
struct model_origin {
    const char *pattern;
    uint32_t call, from, to;
};

/// A lock of TARGET (REFERENCE_NONE: of all) of a window, from its request to its return.
struct model_lock {
    uint32_t location, rank, window, target;
    bool is_exclusive;
    uint32_t request_call, return_call; // REFERENCE_NONE: not given back
};

enum sync_kind { SYNC_NONE, SYNC_POST, SYNC_START, SYNC_COMPLETE, SYNC_WAIT };

/// What a call of RANK says of an epoch on a window to or of rank PEER, and the one of that rank
/// which belongs to it.
struct model_sync {
    enum sync_kind kind;
    uint32_t call, rank, peer, window, partner;
};

struct model {
    const struct reference_trace *trace;
    struct model_path *paths;
    size_t n_paths, path_capacity;
    uint32_t **path_after; // by location and record: the path current after the record
    uint32_t **call_of;    // by location and record, REFERENCE_NONE: in no call
    struct model_call *calls;
    size_t n_calls, call_capacity;
    struct model_send *sends;
    size_t n_sends, send_capacity;
    struct model_receive *receives;
    size_t n_receives, receive_capacity;
    struct model_part *parts;
    size_t n_parts, part_capacity;
    struct model_hand_over **hand_overs; // by location and record
    struct model_origin *origins;
    size_t n_origins, origin_capacity;
    struct model_lock *locks;
    size_t n_locks, lock_capacity;
    struct model_sync *syncs; // by location, in the order of its records
    size_t n_syncs, sync_capacity;
    struct model_instance *instances;
    size_t n_instances, instance_capacity;
    uint64_t **order_costs_ns; // of a changed program in which only the order of records counts:
                               // work up to each of them, by rank; NULL: recorded times count
    uint64_t n_ambiguous;
    uint64_t window_begin_ns, window_end_ns;
    const struct predicted_scenario *scenario; // of a changed program: what it is predicted under,
    struct run_times *times;                   // and when things happen
};

/// Calls, messages and collectives of TRACE, which must outlive MODEL; their facts go to FINDINGS.
void model_build(struct model *model, const struct reference_trace *trace,
                 struct findings *findings);
void model_release(struct model *model);

/// Paths, calls, window; the profile and useful times go to FINDINGS.
void model_find_calls(struct model *model, struct findings *findings);

/// Sends, receives, and which belongs to which.
void model_match_messages(struct model *model);

/// Could RIVAL, an older receive posted with a wildcard, have taken the message RECEIVE is for?
bool model_is_rival(const struct model *model, const struct model_receive *rival,
                    const struct model_receive *receive);

/// Parts and instances of collective operations, MPI_Finalize included.
void model_match_collectives(struct model *model);

/// Locks of windows, from request to return.
void model_find_locks(struct model *model);

/// The call whose enter ended the wait of call C for a lock; REFERENCE_NONE: it did not wait.
uint32_t model_awaited_unlock(const struct model *model, uint32_t c);

/// Epochs of windows: what posts, starts, completes and waits belong together.
void model_find_epochs(struct model *model);

/// The call whose enter ended the wait of call C for an epoch to begin (*IS_POST) or to end, the
/// latest of those that C needed; REFERENCE_NONE: it needed none, or did not wait for the posts. It
/// may have been entered before C.
uint32_t model_awaited_sync(const struct model *model, uint32_t c, bool *is_post);

/// Of call C, which COMPLETE kept waiting for the end of an epoch: when the completing rank's last
/// access in it to the waiting rank was over; -1: there was none.
int64_t model_last_access_ns(const struct model *model, uint32_t c, uint32_t complete);

/// Ends of epochs that were entered after the call that waited for them was left.
int64_t model_count_late_syncs(const struct model *model);

/// Wait states of all patterns, and who made each wait.
void model_find_waits(struct model *model, struct findings *findings);

/// Whether the call that completes SEND does nothing else, and waited for the receive posted at
/// POST_NS.
bool model_waits_alone(const struct model *model, const struct model_send *send, uint64_t post_ns);

/// Does the call of SEND do nothing else?
bool model_is_sole_send(const struct model *model, const struct model_send *send);

/// Is SEND synchronous, or do the sends before it tell that its message is too large to be
/// buffered?
bool model_awaits_receiver(const struct model *model, const struct model_send *send);

/// The call of its receiver until whose enter SEND, over at LEAVE_NS, had to wait, *SINCE_NS, since
/// Does call C move messages of others?
bool model_attends(const struct model *model, uint32_t c);

/// its receiver was outside MPI; REFERENCE_NONE: none, or it need not, as far as sends before tell.
uint32_t model_awaited_call(const struct model *model, const struct model_send *send,
                            uint64_t leave_ns, uint64_t *since_ns);

/// Is it known by TIME_NS which message RECEIVE is for?
bool model_is_known(const struct model *model, const struct model_receive *receive,
                    uint64_t time_ns);

/// Latest enter among the members of INSTANCE whose rank is below BOUND and not EXCEPT (both may be
/// REFERENCE_NONE); ties to the lowest rank. The member's part, REFERENCE_NONE when there is none.
uint32_t model_last_member(const struct model *model, const struct model_instance *instance,
                           uint32_t bound, uint32_t except);

/// When PART was entered (posted).
uint64_t model_enter_ns(const struct model *model, uint32_t part);
/// Whether all members of an operation on files left it after the last one had entered, or with it.
/// Else the library did not let them wait for each other.
bool model_let_wait(const struct model *model, const struct model_instance *instance);

/// The message that call C, a probe, saw, if it was sent by the end of C: the one that the receive
/// after it gets, unless receives posted before may take it. A send, REFERENCE_NONE: not known.
uint32_t model_probed_send(const struct model *model, uint32_t c);

// SPDX-License-Identifier: BSD-3-Clause
// The replay engine: reads every location forward in time order, matches messages and collectives
// (the program activity graph, never held as a whole), keeps call-path profiles and the lineage of
// every location, and tells listeners about trigger events. Design: ARCHITECTURE.md; lineage: the
// critical path forward in one pass.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/trigger.h"
#include "analyzer/trace/file_operations.h"
#include "analyzer/trace/reader.h"

#define PAG_NOT_KNOWN   UINT64_MAX
#define PAG_WORK_PER_NS 1000000u
/// Work: process time that is still to be computed or was. Its unit is a millionth of a nanosecond
/// on a processor of speed 1, so PAG_WORK_PER_NS units take 1 ns there. Speeds (--cpu-speed) and
/// factors
/// (--scale) are integers in millionths, too, and work / speed is a time in ns, exact without
/// doubles.
__extension__ typedef unsigned __int128 pag_work;

struct pag_index;

/// What counts of a location: from begin_ns to end_ns; nothing where these are equal.
struct pag_part {
    uint64_t begin_ns, end_ns;
};

/// A moment of a rank, to be explained.
struct pag_moment {
    uint32_t rank;
    uint64_t time_ns;
};

struct pag_options {
    uint32_t lookahead_events; // how far a partner may be read ahead to release a waiting rank
    bool explains;             // gather the causes of waits
    const struct pag_moment *moment; // keep the calls up to it (recent.h); measured time; or NULL
    bool keeps_series;               // for the iterations of the run; measured time, the whole run
    bool only_times; // in simulated time, without listener.trigger: no critical path either, nor
                     // any lineage; when only the times of ends are wanted
    // In measured time, each by location: profiles and the ranks' times count what lies in a part
    // of the run only (location/excerpt.c). listener.part gets the result of each, the caller that
    // of the last one. NULL: all of the run counts.
    const struct pag_part *const *parts;
    size_t n_parts;
    struct pag_index *index; // of parts: made now, or used where there is one (index.h); or NULL
    // By region: its visits are trigger events; in measured time, not with an index. NULL: of none.
    const bool *visited;
};
#define PAG_OPTIONS_DEFAULT ((struct pag_options){.lookahead_events = 65536, .explains = true})

/// A message that was received, as its receiver leaves, or whose send is complete, as its sender
/// does; times as in the call's trigger event.
struct pag_message {
    uint64_t number;   // of the messages of the run, from 1 on
    uint32_t location; // of the call that received it, or completed its send
    uint32_t sender_location;
    uint32_t sender, receiver; // world ranks
    uint32_t tag;
    uint64_t size_bytes;
    uint64_t send_enter_ns, send_leave_ns; // of the call that sent it
    uint64_t send_over_ns;                 // leave of the call that completed the send, if entered
    uint64_t await_enter_ns; // of that call if it does nothing else and may wait, else UINT64_MAX
    uint64_t post_enter_ns;  // of the call that posted its receive
    uint64_t attend_ns; // of a call that sends: when all its receivers had been in MPI, as far as
                        // that was before its leave and is known; else 0
    uint64_t enter_ns, leave_ns; // of the call that received it, or completed its send
    bool is_test;                // that call tests (MPI_Test and the like)
    bool is_deciding;            // the latest one sent of those the call received
    bool is_received_alone;      // that call completes nothing else
    bool is_sent_alone;          // the sending call is blocking, and sends nothing else
    bool is_synchronous;
};

/// A call by the master location of RANK, as it is left.
struct pag_called {
    uint32_t rank;
    uint32_t region;        // EVENT_NO_INDEX: a record without call
    uint32_t call_path;     // of the location
    uint32_t computed_path; // where the rank was longest since its last call; EVENT_NO_INDEX: not
                            // known, as where all events come one by one (pag_listener.entered)
    uint64_t began_ns;      // the location's first event
    uint64_t enter_ns, leave_ns;
    uint64_t lost_ns;    // of the time since its last call: without CPU time
    uint64_t release_ns; // the end of its wait for others, its enter without any
    uint32_t releaser;   // the rank that ended the wait; EVENT_NO_INDEX: no wait, or not known
};

/// What a thread spends its time with (thread_time.h).
enum pag_thread_kind {
    PAG_THREAD_COMPUTING,
    PAG_THREAD_MPI,
    PAG_THREAD_BARRIER, // from here on losses: it waits at a barrier of the program
    PAG_THREAD_IMPLICIT_BARRIER,
    PAG_THREAD_LOCK,      // for a lock, for a critical section, for its turn
    PAG_THREAD_CONDITION, // for another thread to signal a condition
    PAG_THREAD_TASK,      // for tasks or threads
    PAG_THREAD_RUNTIME,
    PAG_THREAD_IDLE_SERIAL,  // it is in no team: the master computes alone,
    PAG_THREAD_IDLE_MPI,     // the master is in MPI,
    PAG_THREAD_IDLE_LIMITED, // or the team has fewer threads
    PAG_THREAD_KINDS
};

/// What a thread spends the time in CONSTRUCT with.
static inline enum pag_thread_kind pag_thread_kind_of(enum construct construct)
{
    static const uint8_t kinds[] = {[CONSTRUCT_BARRIER] = PAG_THREAD_BARRIER,
                                    [CONSTRUCT_IMPLICIT_BARRIER] = PAG_THREAD_IMPLICIT_BARRIER,
                                    [CONSTRUCT_LOCK] = PAG_THREAD_LOCK,
                                    [CONSTRUCT_CONDITION] = PAG_THREAD_CONDITION,
                                    [CONSTRUCT_TASK] = PAG_THREAD_TASK,
                                    [CONSTRUCT_RUNTIME] = PAG_THREAD_RUNTIME,
                                    [CONSTRUCT_UNLOCK] = PAG_THREAD_RUNTIME};
    return (enum pag_thread_kind)kinds[construct];
}

/// What a thread does from BEGIN_NS to END_NS, in the window or not. Those of a location come in
/// order; between them nothing was recorded. All idle time is PAG_THREAD_IDLE_SERIAL here. Of a
/// barrier that it leaves for a task the time since the last enter so far is the runtime's.
struct pag_thread_span {
    uint32_t location;
    enum pag_thread_kind kind;
    uint32_t call_path; // of the location; 0: not known
    uint64_t begin_ns, end_ns;
};

/// A location enters a region.
struct pag_entered {
    uint32_t location;
    uint32_t region;  // EVENT_NO_INDEX: a message record outside of any MPI call, left at once
    uint32_t context; // of an MPI call: where it is in the source, else EVENT_NO_INDEX
    uint64_t time_ns;
    // Of an MPI call: what it sends, posts and completes, and which messages it sends
    // (pag_message.number).
    const struct event *records;
    size_t n_records;
    uint64_t first_message, n_messages;
};

/// What rank CAUSE did at CAUSE_NS, a send or the enter of a collective operation, cannot come
/// after rank EFFECT left its call at LEAVE_NS. By the recorded clocks it may: a clock violation.
struct pag_cause {
    uint32_t cause, effect;
    uint64_t cause_ns, leave_ns;
};

/// The path that determined a location's present becomes that of another one until BEGIN_NS, from
/// where on it is its own. BEFORE is the latest hand-over on the path of the other one: what the
/// listener returned for it, or the number of a location that has had none.
struct pag_hand_over {
    uint64_t before;
    uint32_t location;
    uint64_t begin_ns;
};

/// A process had used CPU_NS at TIME_NS, and had been ready to run without a core for WAIT_NS.
struct pag_cpu_sample {
    uint64_t time_ns, cpu_ns;
    uint64_t wait_ns; // EVENT_NO_CORE_WAIT: not known
};

/// What the next events of a location are, in simulated time.
enum pag_moved_kind {
    /// Outside MPI. Their times follow from the work done before them, which listener.weighed gave
    /// since the last call for this location.
    PAG_MOVED_OUTSIDE,
    /// An MPI call with all its records, from its enter to its leave. Records before the first
    /// completion (event_completes()) keep their distance from the enter, but do not pass the
    /// leave;
    /// later ones keep their distance from the leave, but do not pass the enter.
    PAG_MOVED_CALL,
    PAG_MOVED_EVENT, // a single one: the fork or join of a team, the begin or end of its thread
};

/// The new times of the next N_EVENTS events of a location. It begins where the one before ended.
struct pag_moved {
    enum pag_moved_kind kind;
    uint32_t location;
    uint64_t n_events;
    uint64_t recorded_begin_ns, recorded_end_ns;
    uint64_t begin_ns, end_ns;
    uint64_t work_ns;    // outside: process time at full speed; a call: its time except waiting
    uint64_t blocked_ns; // outside: passed without a core, and without waiting for one
    // Of calls (simulation/change/overlap.h):
    bool is_put_off;       // its completions come later
    uint32_t n_late_calls; // it has no events and stands for this many calls that were put off
};

/// An event of a location that the simulated run leaves out, or has with another size.
struct pag_changed {
    uint32_t location;
    uint64_t event; // its number in the location, from 0 on
    bool is_left_out;
    uint64_t size_bytes; // of a message that is not left out
};

struct pag_result;
struct simulated;

/// What a member of a collective operation sends and receives, as recorded.
struct pag_volume {
    uint64_t sent_bytes, received_bytes;
    bool is_in_place; // its own part is not counted; else, as Score-P does, it is sent to itself
};

/// A function of a listener, and what it works on.
#define PAG_HOOK(type, name, parameters)                                                           \
    struct {                                                                                       \
        type(*tell) parameters;                                                                    \
        void *context;                                                                             \
    } name

/// Called while the replay runs; any function may be NULL. Order of calls is deterministic.
struct pag_listener {
    /// A trigger event; valid during the call only.
    PAG_HOOK(void, trigger, (void *context, const struct trigger *trigger));
    /// The same for a member that completed a collective by MPI_Test*.
    PAG_HOOK(void, tested, (void *context, const struct trigger *trigger));
    /// A message that was received. MESSAGE is valid during the call only.
    PAG_HOOK(void, message, (void *context, const struct pag_message *message));
    /// A message whose send is completed by the call that is left; of its receive nothing is known.
    PAG_HOOK(void, sent, (void *context, const struct pag_message *message));
    /// For each message that is received, and each member that leaves a collective operation and
    /// needs others: of these the one that came last.
    PAG_HOOK(void, caused, (void *context, const struct pag_cause *cause));
    /// From TIME_NS on the master location of RANK computes (outside MPI), or no longer. In the
    /// order of time, except where partners are read ahead.
    PAG_HOOK(void, computing, (void *context, uint32_t rank, uint64_t time_ns, bool computes));
    /// A call is left, after its messages and roots. CALL is valid during the call only.
    PAG_HOOK(void, called, (void *context, const struct pag_called *call));
    /// In measured time, where a process has several threads. SPAN is valid during the call only.
    PAG_HOOK(void, thread_span, (void *context, const struct pag_thread_span *span));
    /// A CPU sample of the master location of RANK, outside of calls.
    PAG_HOOK(void, cpu_time, (void *context, uint32_t rank, const struct pag_cpu_sample *sample));
    /// In measured time: a location enters and leaves each of its regions, MPI calls among them. In
    /// the order of time, except where partners are read ahead; a leave comes after what the call
    /// had to tell. All three are set or none; with them the run has no digests.
    PAG_HOOK(void, entered, (void *context, const struct pag_entered *entered));
    PAG_HOOK(void, left, (void *context, uint32_t location, uint64_t time_ns));
    /// COUNTER of the definitions has grown by GROWTH.
    PAG_HOOK(void, counted,
             (void *context, uint32_t location, uint64_t time_ns, uint32_t counter, double growth));
    /// Returns a number for the hand-over, not below that of the locations.
    PAG_HOOK(uint64_t, handed_over, (void *context, const struct pag_hand_over *hand_over));
    /// The window (trigger.in_window) begins anew: forget what was counted as inside it.
    PAG_HOOK(void, window_moved, (void *context));
    /// Now and then: everything before TIME_NS is replayed.
    PAG_HOOK(void, reached, (void *context, uint64_t time_ns));
    /// In simulated time: where events went, in the order of each location's events.
    PAG_HOOK(void, moved, (void *context, const struct pag_moved *moved));
    /// In simulated time, in any order, but before the location ends.
    PAG_HOOK(void, changed, (void *context, const struct pag_changed *changed));
    /// Before moved(): the next RECORDED_NS of LOCATION's time outside MPI count SCALE each.
    PAG_HOOK(void, weighed,
             (void *context, uint32_t location, uint64_t recorded_ns, uint64_t scale));
    /// After the replay, in the order of pag_options.parts: RESULT is that of PART, during the
    /// call.
    PAG_HOOK(void, part, (void *context, size_t part, const struct pag_result *result));
};

/// Time of a stretch that began with a call.
struct stretch_since {
    uint32_t call; // path; EVENT_NO_INDEX: with none
    uint64_t ns;   // 0: there is none
};
enum { PAG_SINCE = 3 };

/// One node of a location's call tree. Node 0 is the location itself (region EVENT_NO_INDEX). An
/// MPI call has one for each place it is called from; functions on the way to it that were not
/// recorded have no visits and no exclusive time.
struct call_path {
    uint32_t region;
    uint32_t parent;  // lower than its own index
    uint32_t context; // of an MPI call: where it is in the source, else EVENT_NO_INDEX
    /// No call path (region EVENT_NO_INDEX), but the part of its parent's exclusive time that went
    /// by right before calls of the node before this one; inclusive_ns is the longest such time.
    bool is_stretch;
    uint32_t since; // of a stretch: the call right before its longest time, else EVENT_NO_INDEX
    uint64_t blocked_ns; // of a stretch: blocked meanwhile, in no other time of it
    uint64_t visits;
    uint64_t inclusive_ns;
    uint64_t exclusive_ns; // stretches included
};

/// What a location did to one file at one call path.
struct file_use {
    uint32_t path, file; // of its paths, of definitions.files
    bool is_inner;       // within other operations
    struct file_sums sums;
};

struct pag_location {
    struct call_path *paths;
    size_t n_paths;
    // What counters grew by there: by path, then counter of the definitions, for the first paths;
    // none in parts of a run and in predictions.
    double *counted;
    size_t n_counted; // values
    // PAG_SINCE of each stretch, in the order of paths: the calls that it began with first, not
    // all; none in a replay of parts.
    struct stretch_since *since;
    size_t n_since;
    struct file_use *file_uses; // likewise of whole runs only
    size_t n_file_uses;
    uint64_t first_ns, last_ns; // first and last event
};

/// Point-to-point traffic between two world ranks, for pairs that exchanged something.
struct pag_traffic {
    uint32_t sender, receiver;
    uint32_t kind; // while the run is read, of message_kinds; then pairs are put together
    uint64_t n_messages, size_bytes;
};

/// Messages by size, classed as those of struct result_size_class.
enum { PAG_SIZE_CLASSES = 65 };
struct pag_size_class {
    uint64_t n_messages, size_bytes;
};

/// How long before its receiver's call a message was sent (enter to enter): not at all, less than
/// 1 us, 10 us, ..., 10 ms, or longer. Not of messages that a test found.
enum { PAG_SLACK_CLASSES = 7 };

/// Messages of one tag on a communicator. Of a run with very many tags those that come first have
/// their own; all others of a communicator are one, with the tag PAG_OTHER_TAGS.
struct pag_message_kind {
    uint32_t number; // in the order in which kinds were first sent, see trigger.h
    uint32_t communicator, tag;
    uint64_t n_messages, size_bytes;
    uint64_t by_slack[PAG_SLACK_CLASSES]; // of those received
};
#define PAG_OTHER_TAGS UINT32_MAX
enum { PAG_MAX_TAGS = 64 }; // of all communicators together

// Values of pag_path_entry.call_path that are no call path.
#define PAG_PATH_CLOCK_REPAIR (UINT32_MAX - 1) // negative: messages that came before they were sent
#define PAG_PATH_BEFORE_START (UINT32_MAX - 2) // until the location's first event

/// A part of the critical path.
struct pag_path_entry {
    uint32_t location;
    uint32_t call_path; // of that location, or one of the above
    int64_t time_ns;
};

/// The waits that are explained by what made the releaser late: each the wait of one wait state.
enum pag_wait_kind {
    PAG_WAIT_LATE_SENDER,
    PAG_WAIT_LATE_RECEIVER, // of sends that wait for certain
    PAG_WAIT_OUTSIDE,       // likewise, for a receiver that is not in MPI
    PAG_WAIT_BARRIER,
    PAG_WAIT_NXN,
    PAG_WAIT_ONE_TO_ALL,
    PAG_WAIT_EARLY_REDUCE, // the root of an operation to one waits for the first sender,
    PAG_WAIT_NX1,          // and after that for the last one
    PAG_WAIT_SCAN,
    PAG_WAIT_FINALIZE,
    PAG_WAIT_FENCE,
    PAG_WAIT_WINDOW,       // its creation, or its end
    PAG_WAIT_COMMUNICATOR, // its creation
    PAG_WAIT_FILE,         // a collective operation on files
    PAG_WAIT_LOCK,
    PAG_WAIT_POST,     // of the targets of an epoch,
    PAG_WAIT_COMPLETE, // of its origins
    PAG_WAIT_KINDS
};

/// The causes of one kind of wait, sorted by (location, call_path): time that made the releaser
/// late (positive), or the waiter's own work that offset it (negative). They sum to explained_ns
/// exactly, which never exceeds the time of the wait state. Source: the difference of the lineages
/// of releaser and waiter, summed over all waits.
///
/// The part of a wait in which the releaser did its own work is direct. Before that the releaser
/// waited itself, and what its own releaser did comes from at least two ranks away. Summed over the
/// waits these are the short-term and the long-term delay costs of Boehme et al., "Identifying the
/// root causes of wait states in large-scale parallel applications" (2010), there in proportion to
/// the delays since the last synchronisation, here by the time that the wait overlaps.
struct pag_explanation {
    uint64_t explained_ns; // the waits whose releaser's and waiter's lineages are known
    uint64_t direct_ns;    // of these
    struct pag_path_entry *causes;
    size_t n_causes;
};

/// How the threads of a process come and go.
enum pag_threading {
    PAG_ONE_THREAD,     // as far as the archive tells
    PAG_TEAMS,          // teams of its master thread, one after the other, none in another
    PAG_CREATED,        // also teams within teams or of other threads, and threads that are made
                        // alone: each after it was made, and over before it was awaited
    PAG_OTHER_THREADING // some thread is not known to have been made, or to be over when awaited
};

/// Whether the trace tells when the threads of such a process begin and which thread joins them.
static inline bool pag_knows_threads(enum pag_threading threading)
{
    return threading == PAG_TEAMS || threading == PAG_CREATED;
}

struct pag_rank_threads {
    enum pag_threading threading;
    uint32_t n_at_work; // at once (views/threads_at_work.h); 0: not known
};

/// Time of a rank's master location within the window.
struct pag_rank_time {
    uint64_t useful_ns;     // outside MPI, without
    uint64_t no_cpu_ns;     // what passed there without CPU time (location/without_cpu.c)
    uint64_t blocked_ns;    // of that, known to be blocked
    uint64_t mpi_ns;        // in MPI calls, and of that
    uint64_t no_cpu_mpi_ns; // without CPU time and not waiting
    uint64_t ended_ns;      // after its end, where it had entered MPI_Finalize
};

/// What a rank had used since its begin, when it left a call; and in which call paths outside MPI
/// it was longest since the mark before (ns 0: none).
enum { PAG_LONGEST = 3 };
struct pag_mark {
    uint64_t time_ns;
    uint64_t useful_ns; // outside MPI, with what passed there without CPU time: no_cpu_ns
    uint64_t no_cpu_ns;
    uint64_t mpi_ns, wait_ns; // in MPI calls, and of that waiting for other ranks
    struct {
        uint64_t ns;
        uint32_t call_path;
    } longest[PAG_LONGEST]; // longest first
};

/// Calls of one call path by one rank: candidates for the iterations of a loop (series.h).
struct pag_series {
    uint32_t rank, location, call_path;
    uint64_t n_calls;
    uint64_t stride;        // calls from mark to mark, a power of two
    struct pag_mark begin;  // the leave of the call before the first one of the loop
    struct pag_mark *marks; // at each stride-th call, and at the last one
    size_t n_marks;
};

/// Losses of one kind at one call path of a thread; not of the kinds PAG_THREAD_IDLE_..., nor what
/// the runtime took of a further thread outside its teams.
struct pag_thread_place {
    uint32_t call_path;
    uint32_t kind;
    uint64_t count, ns;
    uint64_t in_mpi_ns; // of it: while the master of the process was in MPI
    uint64_t caused_ns; // what others waited at barriers that this thread entered here last
};

/// Waits of a thread at one of its call paths for a lock that another thread of its process gave
/// back at one of that one's.
struct pag_lock_wait {
    uint32_t call_path;
    uint32_t holder, holder_path; // location, and where it gave the lock back
    uint64_t count, ns;
};

struct pag_thread {
    bool is_thread;  // false: no CPU thread, or without events
    bool is_created; // alone, whenever it begins, not for a team
    uint64_t ns[PAG_THREAD_KINDS];
    uint64_t in_mpi_ns[PAG_THREAD_KINDS]; // of that: while the master of the process was in MPI
    uint64_t caused_ns; // what others waited at barriers that this thread entered last
    struct pag_thread_place *places;
    size_t n_places;
    struct pag_lock_wait *lock_waits; // where the archive says who gave the lock back
    size_t n_lock_waits;
};

/// A call by the master location of a rank, and the computing before it, since its last call.
struct pag_recent_call {
    uint64_t since_ns, enter_ns;
    uint64_t leave_ns;   // UINT64_MAX: not left up to the moment
    uint64_t release_ns; // the end of its wait, its enter without any
    uint32_t releaser;   // the rank that ended the wait; EVENT_NO_INDEX: no wait, or not known
    uint32_t call_path;
    uint32_t longest_path; // where it computed longest, so long; EVENT_NO_INDEX: nowhere
    uint64_t longest_ns;
};

/// The latest calls of a rank, in order, at most a fixed number.
struct pag_recent {
    struct pag_recent_call *calls;
    size_t n;
    bool is_whole; // there were no earlier ones
};

struct pag_result {
    uint64_t time_ns;       // from the first to the last event of the run
    uint64_t part_begin_ns; // of pag_options.parts: where the first of them begins, time_ns later
                            // the last one ends
    // What efficiencies and findings cover: from the last leave of MPI_Init to the last enter of
    // MPI_Finalize; of a rank without, to its end.
    uint64_t window_begin_ns, window_end_ns;
    uint64_t n_events, n_messages, n_collectives;
    uint64_t n_clock_violations; // messages received before they were sent, collectives likewise
    uint64_t max_clock_violation_ns; // by at most so long
    uint64_t n_unmatched_sends, n_unmatched_receives;
    uint64_t n_ambiguous_receives; // matched in completion order for want of an envelope
    uint64_t n_incomplete_collectives;
    uint64_t n_passed_starts, n_passed_completes; // left before a target of theirs posted
    uint64_t attended_bytes[2]; // messages of this size on, on one node and between two, make their
                                // sender wait until the receiver is in MPI; UINT64_MAX: none
    uint64_t unattended_bytes[2]; // smaller ones were seen to need no receiver in MPI
    uint64_t n_unbalanced;        // leaves without enter, regions left open at the end
    uint64_t n_lost_calls;        // records that did not fit their call
    uint64_t n_outside; // messages and collectives with processes that are not in the trace
    uint64_t n_missing_init, n_missing_finalize; // ranks with MPI calls but without these
    uint64_t n_without_finalize;                 // the latter, and ranks without any MPI call
    struct pag_location *locations;              // by location
    size_t n_locations;
    struct pag_thread *threads; // by location; NULL: no process has several threads, or not known
    struct pag_rank_time *rank_times;      // by rank
    struct pag_rank_threads *rank_threads; // by rank, in what was replayed
    bool has_cpu_time; // in measured time: CPU samples tell computing from time without CPU time
    uint64_t off_ns;   // recording switched off, sum over ranks, in the whole run
    uint64_t n_off;    // ranks with such a time, or killed in it
    size_t n_ranks;
    struct simulated *simulated; // of a driver, in one piece of memory; NULL in measured time
    struct pag_traffic *traffic; // sorted by (sender, receiver)
    size_t n_traffic;
    struct pag_size_class message_sizes[PAG_SIZE_CLASSES];
    struct pag_message_kind *message_kinds; // sorted by (communicator, tag)
    size_t n_message_kinds;
    uint64_t *collectives;                // operations by communicator of the archive
    struct pag_path_entry *critical_path; // sorted by (location, call_path); sums to time_ns
    size_t n_critical_path;
    uint64_t last_hand_over; // on it, with listener.handed_over; likewise a location
    struct pag_explanation explanations[PAG_WAIT_KINDS];   // of waits in the window,
    struct pag_explanation outside_window[PAG_WAIT_KINDS]; // of others
    struct pag_recent *recent; // by rank, with pag_options.moment; else NULL
    struct pag_moment moment;
    struct pag_series *series; // by rank, then call path; with pag_options.keeps_series
    size_t n_series;
    int64_t clock_repair_ns; // part of the critical path that is negative for want of good clocks
    uint64_t max_lineage_nodes, max_messages; // high-water marks, for the memory tests
};

/// Replays the whole archive once. 0, or -1 with ERR only when the archive has no events at all.
/// What was damaged is in the location reports. The caller releases RESULT in either case.
int pag_run(struct trace *trace, const struct pag_options *options,
            const struct pag_listener *listener, struct pag_result *result, struct error *err);
void pag_result_release(struct pag_result *result);
/// Frees the series of RESULT, and nothing else. They take much memory; once iterations are found,
/// nothing reads them.
void pag_result_release_series(struct pag_result *result);

/// Memory that a part (pag_options.parts) took in the replay of RESULT.
size_t pag_part_bytes(const struct pag_result *result);

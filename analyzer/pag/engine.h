// SPDX-License-Identifier: BSD-3-Clause
// Internal state of the replay engine, for the files of this folder and a driver (hooks.h). Who
// owns what:
//   engine.c      order of reading, one event at a time
//   call.c        an MPI call with its records, read ahead at its enter
//   profile.c     call tree and exclusive time of a location
//   match.c       messages, receives, requests; posted.c: where a posted receive stands;
//   eager.c       waits of senders for receivers that were none
//   channel.c     queues of sends and receives that wait for each other
//   collective.c  open collective operations; collective_roots.c: their root events,
//                 collective_releasers.c: who released whom
//   leave.c       what the leave of a call settles: waits, root events, hand-over of the lineage
//   head.c        the open end of a location's lineage
//   threads.c     lineages at the fork and join of a team
//   excerpt.c     profiles of parts of the run; phase.c: where a phase of the program is
//   window.c      time covered by efficiencies and findings
//   without_cpu.c time of ranks without CPU time; cpu_span.c: CPU time of an interval
//   hooks.h       what a driver is told that replays in other times
//   outcome.c     struct pag_result
#ifndef PAGODA_PAG_ENGINE_H
#define PAGODA_PAG_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/map.h"
#include "analyzer/base/pool.h"
#include "analyzer/pag/call.h"
#include "analyzer/pag/excerpt.h"
#include "analyzer/pag/hooks.h"
#include "analyzer/pag/leave.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/lineage/lineage.h"
#include "analyzer/pag/matching/channel.h"
#include "analyzer/pag/matching/collective.h"
#include "analyzer/pag/matching/eager.h"
#include "analyzer/pag/matching/match.h"
#include "analyzer/pag/matching/posted.h"
#include "analyzer/pag/outcome.h"
#include "analyzer/pag/pag.h"
#include "analyzer/pag/profile.h"
#include "analyzer/pag/threads.h"
#include "analyzer/pag/window.h"
#include "analyzer/pag/without_cpu.h"

#define NONE UINT32_MAX

struct location_state {
    uint32_t index;
    uint32_t rank; // NONE without
    bool is_master, has_begun, has_ended, next_is_last;
    uint64_t next_ns; // of the next unread event; UINT64_MAX at the end
    uint64_t first_ns;
    bool is_off;       // recording was switched off (gap.h)
    uint64_t noted_ns; // last event that is no step of the program (a metric, a flush)
    struct cursor *cursor;
    struct profile profile;
    struct head head;
    struct without_cpu without_cpu;
    struct call call;
    struct recent_channel sent, received;
    uint32_t lookahead_left; // events its partners may still be read ahead for its sake
    uint64_t team_end_ns;    // last EVENT_THREAD_TEAM_END
};

struct rank_state {
    uint32_t first_location, n_locations;
    struct map requests;         // request id -> request (see match.c)
    uint32_t n_unresolved_posts; // posted receives whose channel is not known yet
    uint32_t n_deferred_posts;   // of these, those in the lists of its mailboxes
    uint32_t n_ended_locations;
    uint32_t n_blocked_synchronous; // synchronous messages to it whose sender is inside a call
    uint64_t post_sequence;
    bool has_mpi, has_init, has_finalize, has_ended;
    // the books of the window (window.h)
    uint64_t switch_ns, useful_ns, mpi_ns;
    bool in_mpi, has_end, is_closed, is_off, ends_off;
    uint64_t off_ns, off_since_ns; // recording off
    uint32_t window_epoch;
    uint64_t useful_begin_ns, mpi_begin_ns, useful_end_ns, mpi_end_ns;
    // without CPU time, outside MPI and inside: up to now, and at the edges
    uint64_t lost_ns[2], lost_begin_ns[2], lost_end_ns[2];
    // open parallel region (threads)
    uint32_t fork_node;
    uint64_t fork_ns;
    uint32_t fork_location;
    uint32_t team_node; // lineage of the last thread out of the team
    uint64_t team_ns;
    uint32_t team_location;
};

/// When a location goes on, and its turn among those at the same time: its index, plus LAST_TURN
/// when it joins threads or ends.
struct heap_entry {
    uint64_t next_ns;
    uint32_t turn;
};
#define LAST_TURN UINT32_C(0x80000000)

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
    struct excerpt *excerpts;         // by location; NULL: the whole run counts
    const struct engine_hooks *hooks; // NULL: no driver, in measured time
    void *driver;
    bool any_member_delays; // a driver may let any member of a collective delay any other one
};

static inline const struct region *region_at(const struct engine *engine, uint32_t index)
{
    return &engine->definitions->regions[index];
}

/// Accounts the time since the location's last event to a path. The hot path of a replay.
static inline void profile_account_to(struct location_state *location, uint32_t index,
                                      uint64_t time_ns)
{
    struct profile *profile = &location->profile;
    struct path *path = &profile->paths[index];
    uint64_t passed_ns = time_ns - profile->last_ns;
    if (path->epoch != location->head.epoch)
        profile_touch(location, path, index);
    if (__builtin_expect(passed_ns >= CPU_SEGMENT_NS, 0))
        without_cpu_segment(&location->without_cpu, index, profile->last_ns, time_ns);
    path->exclusive_ns += passed_ns;
    profile->last_ns = time_ns;
}

/// The same to its current path.
static inline void profile_account(struct location_state *location, uint64_t time_ns)
{
    profile_account_to(location, location->profile.current, time_ns);
}

/// Whether an event stands for something an MPI call does.
static inline bool engine_is_message_record(const struct event *event)
{
    return event->kind >= EVENT_SEND && event->kind <= EVENT_COLLECTIVE_COMPLETE;
}

/// For a driver: prepares ENGINE, which then goes by HOOKS; TRACE is a freshly opened one.
void engine_init(struct engine *engine, struct trace *trace, const struct pag_options *options,
                 const struct pag_listener *listener, const struct engine_hooks *hooks,
                 struct pag_result *result);
/// All locations have ended: fills the result and releases what ENGINE holds. 0, or -1 and ERR when
/// the archive has no events at all.
int engine_conclude(struct engine *engine, struct error *err);

/// One event of a location, at TIME_NS: its first one; the enter of an MPI call or a bare record,
/// which is read ahead and consumed; what comes while a call is open (the leave settles it: returns
/// the rank to read first, or NONE); the end, which closes what is open.
void engine_begin_location(struct engine *engine, struct location_state *location,
                           uint64_t time_ns);
void engine_enter_call(struct engine *engine, struct location_state *location,
                       const struct event *event, uint64_t time_ns);
uint32_t engine_step_in_call(struct engine *engine, struct location_state *location,
                             const struct event *event, uint64_t time_ns);
void engine_end_location(struct engine *engine, struct location_state *location);

static inline struct channel *channel_at(const struct engine *engine, uint32_t index)
{
    return pool_at(&engine->channels, index);
}

static inline struct collective *collective_instance(const struct engine *engine, uint32_t index)
{
    return pool_at(&engine->collectives, index);
}

static inline struct message *message_at(const struct engine *engine, uint32_t index)
{
    return pool_at(&engine->messages, index);
}

static inline struct receive *receive_at(const struct engine *engine, uint32_t index)
{
    return pool_at(&engine->receives, index);
}

#endif

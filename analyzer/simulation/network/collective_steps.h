// SPDX-License-Identifier: BSD-3-Clause
// Collective operations on their way, and the steps of their members (collective_run.h says what
// steps take). collective_run.c lets members go on, and has what the driver asks.
#pragma once

#include "analyzer/base/map.h"
#include "analyzer/base/pool.h"
#include "analyzer/pag/state.h"
#include "analyzer/simulation/change/add_latency.h"
#include "analyzer/simulation/network/collective_plan.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/definitions.h"

/// A member on its way through the plan.
struct runner {
    uint64_t entered_ns; // PAG_NOT_KNOWN: has not come
    bool has_volume;     // else not known yet
    struct pag_volume volume;
    uint64_t now_ns, out_ns, in_ns; // its time, and when its ports are free
    uint64_t through_ns;            // PAG_NOT_KNOWN: not yet
    uint32_t phase, step;
    uint32_t by, out_by, in_by; // members whose enter decided these times
    uint64_t number;            // order in which its rank enters operations
    uint32_t n_sent;            // messages
    uint32_t sender, tag;       // of the message it waits for; NONE: it does not wait
    uint32_t missing;           // a member it waits for, perhaps through others, that had not come
    bool is_let_go;             // does not wait
    bool needs_core;            // for each step; what it waits for may be there before it has one
    bool has_core;              // at core_ns, the present
    uint64_t core_ns;
    uint64_t due_ns;    // from when on a core lets it go on; PAG_NOT_KNOWN: it cannot
    uint32_t n_untaken; // messages it has sent that wait for a core of their receivers,
    uint64_t taken_ns;  // when the last one of those before was taken, 0: there were none
    uint32_t taken_by;  // the member whose enter decided that
    bool has_received;  // since its last message
    bool awaits_takers; // it waits for these, or then for a core
};

/// Where a rank does steps that need a core.
struct stepping_rank {
    uint32_t instance, member; // NONE: nowhere
    bool is_waiting;           // for what ends its call
};

/// A message that has been sent and not taken.
struct collective_message {
    uint64_t size_bytes;
    uint64_t arrived_ns; // PAG_NOT_KNOWN: not known yet
    uint32_t luck;       // what it gets of the noise
    uint32_t by;         // the member whose enter decided when
    uint32_t from;       // the member that sent it,
    bool holds_sender;   // and waits until it is taken
};

/// A message that waits for links and buses.
struct flight {
    struct transfer message;
    uint32_t instance, member; // the receiver
    uint64_t run, key;         // number of the run, place of the message in it
};

enum run_state { RUN_FREE, RUN_UNDECIDED, RUN_BY_FORMULA, RUN_BY_PLAN };

struct collective_run {
    enum run_state state;
    uint64_t number, sequence; // among all, and those of its communicator
    uint32_t instance, communicator, n_members, root;
    uint64_t size_bytes; // share of members that do not tell theirs yet
    const struct machine_collective *entry;
    bool is_free;       // messages take no time, but the operation as a whole
    bool are_scattered; // the nodes of its members, and its time depends on that
    uint8_t operation;
    struct collective_plan plan;
    struct runner *runners; // by member
    uint32_t *ready;        // members that can go on
    uint32_t n_ready;
    uint64_t multicast_ns; // when it has arrived, PAG_NOT_KNOWN: not known
    uint32_t multicast_by;
    struct map sent; // messages on their way, by receiver, phase and tag
    struct pool messages;
};

struct collective_runs {
    const struct definitions *definitions;
    const struct scopes *scopes;
    const uint32_t *site_of_rank;      // where each is now; NULL: its number is its site
    const struct machine *machine;     // NULL: none
    bool has_messages;                 // it tells what messages cost
    enum mpi_library library;          // the recorded MPI
    uint64_t buffered_bytes;           // of scenario
    uint64_t draw;                     // of the noise, 0: none
    const struct added_latency *delay; // NULL: none
    struct collective_run *runs;       // by instance
    size_t capacity, n_runs;
    uint64_t n_begun, n_entered;
    bool has_contention;
    struct pool flights;
    uint32_t *departing; // flights that no location has taken
    uint32_t n_departing;
    size_t departing_capacity;
    uint32_t *through; // ranks that got through since the last arrival, or step
    uint32_t n_through;
    size_t through_capacity;
    uint32_t *shown; // those before, as the caller sees them
    size_t shown_capacity;
    struct scheduler *scheduler;    // of cores shared in slices of time, NULL: there are none
    struct stepping_rank *stepping; // by rank, with such cores
    uint64_t switch_ns;             // when the root switch of multicasts is free
    struct collective_use use;
};

/// The world rank of MEMBER.
static inline uint32_t member_rank(const struct collective_runs *runs,
                                   const struct collective_run *run, uint32_t member)
{
    return runs->definitions->communicators[run->communicator].members[member];
}

/// The place of a message among those on their way.
static inline uint64_t message_key(uint32_t receiver, uint32_t phase, uint32_t tag)
{
    return (uint64_t)(receiver * COLLECTIVE_MAX_PHASES + phase) << 32 | tag;
}

/// Where MEMBER stands in the plan: the root is 0.
uint32_t member_place(const struct collective_run *run, uint32_t member);
uint32_t member_node(const struct collective_runs *runs, const struct collective_run *run,
                     uint32_t member);
uint64_t member_share_bytes(const struct collective_run *run, uint32_t member);
/// MEMBER can go on.
void member_wake(struct collective_run *run, uint32_t member);
/// Its cores are shared in slices of time, and it waits in MPI, its only thread.
bool member_needs_core(const struct collective_runs *runs, const struct collective_run *run,
                       uint32_t member);
/// MEMBER does STEP, a send.
void member_send(struct collective_runs *runs, struct collective_run *run, uint32_t member,
                 const struct collective_step *step);
/// False when the message has not been sent, or there is no core to take it.
bool member_receive(const struct collective_runs *runs, struct collective_run *run, uint32_t member,
                    const struct collective_step *step);
/// Sends by the hardware at place 0, receives elsewhere; false when it has not been sent.
bool member_multicast(struct collective_runs *runs, struct collective_run *run, uint32_t member,
                      uint64_t size_bytes);
/// Whether all messages of MEMBER that held it have been taken, and it has a core since.
bool member_messages_are_taken(const struct collective_runs *runs, struct collective_run *run,
                               uint32_t member);
/// What the operation takes MEMBER beyond the messages of its plan, which take no time then.
uint64_t member_whole_ns(const struct collective_runs *runs, const struct collective_run *run,
                         uint32_t member);

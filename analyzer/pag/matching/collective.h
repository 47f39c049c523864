// SPDX-License-Identifier: BSD-3-Clause
// Open collective operations: members, who released whom, the last one out.
#ifndef PAGODA_PAG_MATCHING_COLLECTIVE_H
#define PAGODA_PAG_MATCHING_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

struct engine;
struct location_state;

struct call;
struct part;

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
    bool is_left_out;    // by a driver: takes no part
    uint32_t node;       // own lineage at in_ns where somebody may need it, NONE
    uint32_t enter_node; // own lineage at enter_ns where the call may have waited, NONE
    uint8_t operation, class_;
    bool has_entered, has_left, is_test, is_root;
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
    uint32_t root;             // member index, NONE
    uint32_t last;             // member with the latest in_ns, ties: lowest rank
    uint64_t recorded_last_ns; // the latest recorded_in_ns; with a driver
    struct member *members;
};

struct communicator_state {
    uint32_t first_open, last_open; // collective instances
    uint64_t *sequences;            // by member: operations entered so far
    uint32_t n_members;             // both groups of an intercommunicator
    uint32_t n_ended;               // members whose locations have ended
};

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
/// For a driver: what CALL's records of RECORDED_NS say has ended ended at TIME_NS.
void collective_ended(struct engine *engine, const struct call *call, uint64_t recorded_ns,
                      uint64_t time_ns);
/// The part's call is left: root events when it was the last one out.
void collective_leave(struct engine *engine, struct part part, const struct call *call);
void collective_rank_ended(struct engine *engine, uint32_t rank);
void collective_finish(struct engine *engine);

// Who releases whom (collective_releasers.c).
/// World rank of a member that has not come yet and that could release PART; NONE when all have.
uint32_t collective_missing_rank(const struct engine *engine, struct part part);
/// The member that released PART (last one in, root, ...), NULL when it is itself or incomplete.
const struct member *collective_releaser(const struct engine *engine, struct part part);
/// Whether PART cannot have been left before its releaser came.
bool collective_is_firm(const struct engine *engine, struct part part);
/// Whether PART's member waits for others in its operation at all.
bool collective_has_releasers(const struct engine *engine, struct part part);
/// The latest of the members that release PART, now and in the recording; false when there is none.
bool collective_release_times(const struct engine *engine, struct part part, uint64_t *time_ns,
                              uint64_t *recorded_ns);

/// Place of a world rank among the members (both groups of an intercommunicator, the local one
/// first); NONE when it is no member. COMMUNICATOR NONE stands for MPI_Finalize of all ranks.
uint32_t collective_member_of(const struct engine *engine, uint32_t communicator,
                              uint32_t world_rank);

/// The world rank of MEMBER, a place among them.
uint32_t collective_world_rank(const struct engine *engine, uint32_t communicator, uint32_t member);

/// Hands the root events of all members of a finished instance to the listener, and explains the
/// waits of the members.
void collective_emit_roots(struct engine *engine, const struct collective *instance);

#endif

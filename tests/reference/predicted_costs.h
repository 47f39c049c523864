// SPDX-License-Identifier: BSD-3-Clause
// What messages and calls of a predicted run cost. Internal to tests/reference.
#pragma once

#include "tests/reference/predicted_run.h"

enum condition_kind { CONDITION_RECEIVE, CONDITION_SEND, CONDITION_COLLECTIVE };

/// What a call waits for.
struct condition {
    enum condition_kind kind;
    uint32_t index; // of the receive, the send or the part
};

/// A message of a collective operation on a machine with contention.
struct part_message {
    uint32_t instance, sender, receiver, number; // world ranks
    uint64_t ready_ns, bytes;
    size_t post_record; // of its operation on the sender
    uint32_t order;     // among the messages of that
    uint64_t arrived_ns;
};

/// All that have been sent so far.
struct part_messages {
    struct part_message *items;
    size_t n, capacity;
    bool *is_over; // by instance: all members are through, nothing is on its way
};

enum { MOST_MEMBER_STEPS = 128 };

/// What a member has done in an operation each of whose receives needs a core.
struct member_steps {
    uint64_t done_ns[MOST_MEMBER_STEPS];
    uint32_t n;
    uint64_t due_ns; // from when on the next one is possible, UINT64_MAX: not yet known
};

/// When things happen in the predicted run; UINT64_MAX: not known yet.
struct run_times {
    uint64_t *enter_ns, *departed_ns; // by call
    uint64_t *arrived_ns;             // by send, of machines with contention
    uint64_t *taken_ns;               // by send, of those that need a core of their receiver
    uint64_t *together_ns;       // by send, where messages are put together: when they are there
    struct part_messages *parts; // likewise
    struct member_steps *steps;  // by part
    uint64_t *order, n_entered;  // by call: how many were entered before; so far
};

/// What is asked of the recording: times of receive calls whose message was there, of messages.
enum cost_kind { COST_RECEIVE, COST_FLIGHT };

/// A time of SIZE_BYTES by the recording, on one node or between nodes. Where there is none that of
/// the other scope.
uint64_t recorded_cost(const struct model *model, enum cost_kind kind, bool is_remote,
                       uint64_t size_bytes);

/// Does the recording tell anything about flights on one node, or between nodes?
bool is_flight_seen(const struct model *model, bool is_remote);

/// Does SEND wait for its receive, under the placement of SCENARIO?
bool is_waiting_send(const struct model *model, const struct model_send *send);

/// Do the members that are not free by their role wait in the operation of PART? Of those that need
/// not the recording tells it; without its times, that they do unless handles are destroyed.
bool is_synchronising(const struct model *model, const struct model_part *part);

/// The parts that release PART, by index into RELEASERS (room for all members). Returns how many;
/// 0: it waits for nobody. Of barriers and all-to-all kinds it is one of them itself.
uint32_t releasers_of(const struct model *model, uint32_t part, uint32_t *releasers);

/// Does the member of PART, an index, wait for others in its operation?
bool is_waiting_part(const struct model *model, uint32_t part);

/// The messages of CALL, which has departed at NOW_NS, are put together with others.
void groups_depart(const struct model *model, uint32_t call, uint64_t now_ns);

/// Do the two ranks run on different nodes?
bool is_between_nodes(const uint32_t *node, uint32_t rank, uint32_t other);
/// Does SEND go from one node to another one, in the predicted run or in the recorded one?
bool goes_far(const struct model *model, const struct model_send *send);
bool went_far(const struct model *model, const struct model_send *send);

/// Is it MPI_Init or MPI_Finalize, or does it nothing but create or destroy handles?
bool is_handle_call(const struct model *model, uint32_t call);

/// Is the operation of PART carried out by messages on the machine?
bool is_by_messages(const struct model *model, const struct model_part *part);

/// How many ranks share the core of RANK, in millionths, 1 000 000 at least.
uint64_t ranks_per_core(const struct model *model, uint32_t rank);

/// Is RANK one of more ranks than the cores they share in slices of time?
bool shares_in_slices(const struct model *model, uint32_t rank);

/// Does SEND wait until its receiver, in MPI, has a core?
bool is_held_send(const struct model *model, const struct model_send *send);

/// Does the member of PART need a core for each of its receives there? Not if it is posted before,
/// or left out.
bool needs_cores(const struct model *model, const struct model_part *part);

/// When the member of PART, which is carried out, is through; UINT64_MAX: not known yet.
uint64_t by_messages_ns(const struct model *model, const struct model_part *part);

/// Finds the messages of collective operations that members can send by now.
void find_part_messages(const struct model *model);

/// What the call of PART says it handles, in bytes.
uint64_t counted_bytes(const struct model *model, const struct model_part *part);

/// What the machine's formula says of PART's operation.
uint64_t collective_ns(const struct model *model, const struct model_part *part);

/// How many sends call C completes that follow others.
uint32_t joined_sends(const struct model *model, uint32_t c);

/// When CALL has what it waits for, all of it known, into READY_NS. Returns the work that follows,
/// in ns.
uint64_t recorded_settle_call(const struct model *model, uint32_t call,
                              const struct condition *conditions, uint32_t n_conditions,
                              uint64_t *ready_ns);

uint64_t machine_settle_call(const struct model *model, uint32_t call,
                             const struct condition *conditions, uint32_t n_conditions,
                             uint64_t *ready_ns);

/// The messages of the machine between two ranks.
const struct scenario_messages *machine_messages_between(const struct predicted_scenario *scenario,
                                                         uint32_t rank, uint32_t other);

/// Time of a message of so many bytes when nothing is in its way.
uint64_t machine_transfer_ns(const struct scenario_messages *messages, uint64_t bytes);

/// Cores of a node, and how fast it is, in millionths.
uint32_t machine_cores_of(const struct predicted_scenario *scenario, uint32_t node);
uint64_t machine_speed_of(const struct predicted_scenario *scenario, uint32_t node);

/// The messages that are under way or will be.
struct traffic;
struct traffic *traffic_new(const struct predicted_scenario *scenario);
void traffic_free(struct traffic *traffic);

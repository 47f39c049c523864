// SPDX-License-Identifier: BSD-3-Clause
// Collective operations of a predicted run that are carried out by messages, as the machine file
// says. Each is its own small run of messages, as far as its members have come: a member waits for
// those only from which something on its way to the end comes.
//
// A member does the steps of its plan (collective_plan.h) one by one from its enter on (LogGP:
// Alexandrov et al. 1995). Of a message of b bytes between two members, with the machine's time(b)
// and gap(b) = time(b) - time(0), not below 0:
//   send     t = max(t + send overhead, port out); it departs at t; port out = t + gap(b)
//   receive  arrives at a = max(departure + time(b), port in + gap(b)); port in = a;
//            t = max(t, a) + receive overhead
// Both ports are free at first. There is no handshake, overheads take no core; applying a
// reduction's operator takes no time. Where the machine has links or buses the message waits for
// these like others (contention.h): it is ready when it departs, and arrives when it is said to,
// instead of departure + time(b). The hardware's multicasts do not.
// Where cores are shared in slices of time a member that waits in the call it entered needs a core
// for each message it receives: t = the first time from max(t, a) on at which it has one, +
// overhead. It has one when it enters, and for a step; then it does what is possible at once.
// A member that sent a message on one node, or of rendezvous, larger than what is buffered to one
// that needs a core so waits until it is taken, and then for a core of its own, before it sends
// after having received, at the end of a phase, and at its end.
// Operations whose time is known as a whole (a formula, or the recording) are done in such steps by
// messages that take no time (collective_usual_algorithm()); then the formula's time passes.
// The hardware's multicast of b bytes: t += send overhead; begins at t = max(t, switch free);
// there at a = t + time(b), or + its formula; switch free = a; others: t = max(t, a) + receive
// overhead; all as between nodes. Multicasts take the switch in the order in which they become
// known.
#pragma once

#include <stdint.h>

#include "analyzer/simulation/change/add_latency.h"
#include "analyzer/simulation/network/collective_plan.h"
#include "analyzer/simulation/scenario.h"
#include "analyzer/trace/definitions.h"

struct collective;
struct collective_runs;

/// For the operations of a run with DEFINITIONS under SCENARIO, which has a machine, whose ranks
/// are at SITE_OF_RANK (placement.h; NULL: none moves) when a message departs, and whose messages
/// come later by DELAY (NULL: they do not); all must outlive it. Whether they wait for links and
/// buses. SCHEDULER: of cores some of which are shared in slices of time; NULL: none is. The caller
/// frees.
struct collective_runs *collective_runs_new(const struct definitions *definitions,
                                            const struct scenario *scenario,
                                            const uint32_t *site_of_rank,
                                            const struct added_latency *delay, bool has_contention,
                                            struct scheduler *scheduler);
void collective_runs_free(struct collective_runs *runs);

/// So far; all 0 without RUNS.
struct collective_use collective_runs_use(const struct collective_runs *runs);

// Operations are INSTANCEs of one group of processes, of which MEMBER is asked.

/// It has entered the operation.
void collective_runs_entered(struct collective_runs *runs, const struct collective *instance,
                             uint32_t member);
/// Whether the operation, which the member says is none for handles, is carried out; the same for
/// all members.
bool collective_runs_carries_out(struct collective_runs *runs, const struct collective *instance,
                                 uint32_t member);
/// Whether there is a hole between the nodes of its members, in the order of the placement, where
/// its machine file asks for that.
bool collective_runs_are_scattered(struct collective_runs *runs, const struct collective *instance);
/// When the member, which has entered, is through with an operation that is carried out, and in *BY
/// the member whose enter decided that. PAG_NOT_KNOWN: not before the member *BY, which has not
/// entered, does something; UINT32_MAX: before messages that were sent have arrived.
uint64_t collective_runs_through(struct collective_runs *runs, const struct collective *instance,
                                 uint32_t member, uint32_t *by);
/// With contention: takes a message that has been sent and was not taken; false when there is none.
bool collective_runs_sent(struct collective_runs *runs, struct transfer *message);
/// It arrives at ARRIVED_NS: the members of its operation that are through by that, as world ranks,
/// valid until the next call; their number.
uint32_t collective_runs_arrived(struct collective_runs *runs, uint32_t id, uint64_t arrived_ns,
                                 const uint32_t **ranks);
/// The member does not wait in the operation, or no longer: it goes on without a core. The ranks
/// that are through by that, as above.
uint32_t collective_runs_let_go(struct collective_runs *runs, const struct collective *instance,
                                uint32_t member, const uint32_t **ranks);
/// RANK, which waits in an operation, has the core it needed at NOW_NS: it goes on there. The ranks
/// that are through by that, as above.
uint32_t collective_runs_step(struct collective_runs *runs, uint32_t rank, uint64_t now_ns,
                              const uint32_t **ranks);
/// RANK waits for what ends its call: from when on a core lets it do a step in an operation; later,
/// the scheduler gets the time. PAG_NOT_KNOWN: not yet, or it is in none.
uint64_t collective_runs_await(struct collective_runs *runs, uint32_t rank);
/// All members have left it, or never come.
void collective_runs_over(struct collective_runs *runs, uint32_t instance);

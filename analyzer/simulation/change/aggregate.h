// SPDX-License-Identifier: BSD-3-Clause
// Messages of a simulated run that are put together (`--aggregate`). A message of a rank follows
// the one it sent before to the same rank if in between it has neither received anything, nor taken
// part in a collective operation, nor waited for a receiver: so nothing that it sends could depend
// on what it learnt meanwhile. Followers cost their sender and their receiver no overhead (a call
// that does nothing but receive them takes no time, by recorded costs, and one that completes
// several requests a part of its time for each that is left), and have no latency: of n
// messages of b1, b2 ... bytes number i arrives at
//   max(arrival of i - 1, its departure) + t(b1 + ... + bi) - t(b1 + ... + b(i-1)),
// t the time of a message of that size, or when it would arrive alone, if that is earlier: at its
// departure + t(bi), at recorded costs what the recording says of it. If all depart at once the
// last one arrives when one message with the bytes of all would, at the latest. But here the first
// one does not wait for the last one to be ready, so what is gained is an upper bound, and no
// message arrives later than alone: where each rank has a core of its own no rank is ever later.
// Messages whose sender waits for the receiver stay alone, and a group ends before it gets larger
// than --aggregate allows. Where messages share links and buses (steps.h) followers are
// transferred each on its own, with latency, and save overheads only: all of them, if the machine
// has any links or buses, but those of nodes without ranks.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aggregation;
struct engine;
struct location_state;
struct scenario;

/// NULL where SCENARIO does not aggregate.
struct aggregation *aggregation_new(const struct scenario *scenario, size_t n_ranks);
void aggregation_free(struct aggregation *aggregation);

// The functions that follow take an ENGINE whose prediction has an aggregation.

/// The message with this index is sent by the call that has been entered: true if it follows
/// another one. Asked once for each, in the order of sending.
bool aggregation_follows(struct engine *engine, uint32_t message);

/// It departs at DEPARTED_NS: how long it takes if it is a follower, else PAG_NOT_KNOWN.
uint64_t aggregation_departed(struct engine *engine, uint32_t message, uint64_t departed_ns);

/// LOCATION leaves its call, which may have told it something.
void aggregation_left(struct engine *engine, const struct location_state *location);

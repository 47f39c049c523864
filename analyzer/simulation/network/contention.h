// SPDX-License-Identifier: BSD-3-Clause
// Messages that hinder each other: links of nodes and buses carry a limited number of transfers at
// once.
//
// A message of b bytes that takes time(b) on its own occupies what carries it while it is
// transferred: for time(b) - time(0), where time(0) is the first time of its scope's points; its
// latency time(0) occupies nothing, as in Dimemas (Girona, Labarta, Badia: Validation of Dimemas
// communication model for MPI collective operations, 2000) and as the gap per byte in LogGP. It
// needs
//   - between two nodes: a link out of the sender's node and one into the receiver's; also one out
//     of each group that only the sender's node is in, and one into each that only the receiver's
//     is;
//   - a bus of its scope, where that says how many there are: node: those of the node; a custom
//     scope within groups: those of the group; else those of the whole scope. Not where the scope
//     stands in for one that is not given, inside a node for between nodes or the other way.
// What is given as 0 is there in any number. Messages are taken in the order in which they are
// ready (steps.h). Each gets the earliest begin, not before it is ready, such that all it needs
// is free from then until it is transferred. So one that comes later may use a gap, but never
// delays one that came earlier; Dimemas lets it. It arrives time(b) after its begin. A transfer of
// no length begins at once. Where the partner of a message is found out late (steps.h) it may
// begin in the past, in which what is over counts as free.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analyzer/simulation/cost/scopes.h"

// When something of which there are several (links, buses) is in use: a step function of time.

struct calendar_step {
    uint64_t time_ns;
    uint32_t n_used; // from then on, until the next step
};

/// Zeroed with the number of things: all of them free.
struct calendar {
    uint32_t n_all;
    struct calendar_step *steps; // by time, from FIRST on; free before the first and after the last
    size_t first, n_steps, capacity;
};

/// Where all are in use at some time in [BEGIN_NS, END_NS): the end of the first such stretch, else
/// BEGIN_NS.
uint64_t calendar_conflict_end(const struct calendar *calendar, uint64_t begin_ns, uint64_t end_ns);

/// One more is in use in [BEGIN_NS, END_NS), which must not be empty.
void calendar_reserve(struct calendar *calendar, uint64_t begin_ns, uint64_t end_ns);

/// What was before TIME_NS is not asked for any more: it counts as free.
void calendar_forget(struct calendar *calendar, uint64_t time_ns);

void calendar_release(struct calendar *calendar);

struct contention;

/// Links and buses of the machine of SCOPES, which must outlive it and whose nodes have NODE_NAMES.
/// NULL when it has any number of them; links of nodes without ranks do not count. The caller
/// frees; NULL is fine.
struct contention *contention_new(const struct scopes *scopes, const char *const *node_names);
void contention_free(struct contention *contention);

/// When a message arrives, whose way depends on the others: READY_NS when it has departed and, if
/// its sender waits for the receiver, when that has posted; from one site (placement.h) to another.
/// LUCK: what it gets of the noise. Asked once for each message, in the order of (ready, sender,
/// order of sending; messages of operations after others).
uint64_t contention_transfer(struct contention *contention, uint32_t sender, uint32_t receiver,
                             uint64_t size_bytes, uint64_t ready_ns, uint32_t luck);

/// Messages that could not begin when they were ready, and how long they waited altogether.
struct contention_use {
    uint64_t n_messages, n_delayed, delayed_ns;
};
struct contention_use contention_use(const struct contention *contention);

// SPDX-License-Identifier: BSD-3-Clause
// Collective operations as programs of messages: each member's sends and receives are written down
// from the description of the algorithm, then carried out one by one until nobody can go on.
// Written from pagoda-machine(5), without a look at the analyzer's.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tests/reference/predicted_run.h"

enum { COLLECTIVE_MAX_MEMBERS = 40 };

/// The message with this number, from 0 on, of those from one member to another.
struct collective_message {
    uint32_t from, to, number;
    uint32_t order; // number of it among all that the sender sends
    uint64_t ready_ns, bytes;
};

struct collective_case {
    const char *operation, *algorithm; // as in machine files; "released": MPICH's barrier on a node
    const char *tree;                  // of hardware-multicast
    uint32_t n, root;
    uint64_t share_bytes[COLLECTIVE_MAX_MEMBERS]; // count of each member's call, in bytes
    uint64_t enter_ns[COLLECTIVE_MAX_MEMBERS];    // UINT64_MAX: it has not come
    uint32_t node[COLLECTIVE_MAX_MEMBERS];
    const struct scenario_messages *on_node, *network; // both are given
    /// Messages between two members; NULL: by their nodes.
    const struct scenario_messages *(*between)(const void *context, uint32_t member,
                                               uint32_t other);
    /// When a message arrives that was sent, UINT64_MAX: not known yet; NULL: nothing is in its
    /// way.
    uint64_t (*arrival)(const void *context, const struct collective_message *message);
    /// When MEMBER has a core for its step with this NUMBER, from 0 on, that could be done at
    /// TIME_NS; UINT64_MAX: not yet. NULL: always at once.
    uint64_t (*core)(const void *context, uint32_t member, uint32_t number, uint64_t time_ns);
    /// Does member FROM wait until member TO takes its message of BYTES? NULL: never.
    bool (*holds)(const void *context, uint32_t from, uint32_t to, uint64_t bytes);
    const void *context;
};

/// When each member is through, UINT64_MAX: it waits for one that has not come. *SWITCH_NS: when
/// the root switch of multicasts is free.
/// The algorithm MPICH has for an operation of N members with BYTES as its count, by elements of 8
/// bytes.
const char *usual_algorithm(const char *operation, uint32_t n, uint64_t bytes);

void collective_through(const struct collective_case *one, uint64_t *switch_ns,
                        uint64_t *through_ns);

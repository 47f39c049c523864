// SPDX-License-Identifier: BSD-3-Clause
// A network slower by a constant: what each message between two nodes takes longer. Where the whole
// run is on one node all messages do. For both models of costs: what a call waits for comes later
// by the delay, and the model goes on from there.
//
//   message     latency + bytes * time of a byte (also a rendezvous, once both sides have come)
//   collective  ceil(log2 p) times that, with its bytes b as in pagoda-machine(5), if its p members
//               are on several nodes: the depth of a tree; ring and all-to-all algorithms take more
//   collective that an algorithm of the machine carries out: each of its messages as above
//   operations that create or destroy handles, MPI_Init and MPI_Finalize: nothing
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/simulation/cores/placement.h"
#include "analyzer/simulation/cost/cost_model.h"
#include "analyzer/trace/definitions.h"

struct added_latency {
    uint64_t latency_ns, byte_fs; // femtoseconds, millionths of a ns
    const uint32_t *node_of_rank;
    bool *spans_nodes; // by communicator
    bool is_everywhere;
    struct call_condition *conditions; // of the call being settled
    size_t capacity;
};

/// PLACEMENT must outlive DELAY.
void added_latency_init(struct added_latency *delay, const struct definitions *definitions,
                        const struct placement *placement, uint64_t latency_ns, uint64_t byte_fs);
void added_latency_release(struct added_latency *delay);

/// Of a message from SENDER to RECEIVER, world ranks; 0 without DELAY (NULL).
uint64_t added_latency_of_message(const struct added_latency *delay, uint32_t sender,
                                  uint32_t receiver, uint64_t size_bytes);
/// The same between any two nodes.
uint64_t added_latency_between_nodes(const struct added_latency *delay, uint64_t size_bytes);

/// CONDITIONS with their delay; valid until the next call.
const struct call_condition *added_latency_apply(struct added_latency *delay,
                                                 const struct call_condition *conditions,
                                                 uint32_t n_conditions);

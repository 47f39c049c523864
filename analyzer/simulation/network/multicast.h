// SPDX-License-Identifier: BSD-3-Clause
// Multicast by the network's hardware, as of Quadrics' QsNet (Coll, Duato, Mora, Petrini, Hoisie
// 2002): one message to a range of nodes. A node of the range that is missing or belongs to nobody
// in the operation forces the software tree.
#ifndef PAGODA_SIMULATION_NETWORK_MULTICAST_H
#define PAGODA_SIMULATION_NETWORK_MULTICAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/simulation/cost/machine.h"

/// Whether one multicast reaches the N NODES, numbered in the order of the placement: there are at
/// least two, and no hole between them. Nodes of the machine that ENTRY says are missing are passed
/// over in this numbering, and make a hole.
bool multicast_reaches(const struct machine_collective *entry, const uint32_t *nodes, size_t n);

/// How long a multicast of SENT_BYTES takes: ENTRY's formula of N_MEMBERS and their share
/// SIZE_BYTES, without one that of MESSAGES.
uint64_t multicast_ns(const struct machine_messages *messages,
                      const struct machine_collective *entry, uint32_t n_members,
                      uint64_t size_bytes, uint64_t sent_bytes);

#endif

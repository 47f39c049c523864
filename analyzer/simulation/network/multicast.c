// SPDX-License-Identifier: BSD-3-Clause
// Multicast by hardware (see multicast.h).
#include "analyzer/simulation/network/multicast.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

/// Number of a node among those of the machine, of which some are missing.
static uint32_t place_of(const struct machine_collective *entry, uint32_t node)
{
    for (size_t i = 0; i < entry->n_missing_nodes && entry->missing_nodes[i] <= node; i++)
        node++;
    return node;
}

bool multicast_reaches(const struct machine_collective *entry, const uint32_t *nodes, size_t n)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (size_t i = 0; i < n; i++) {
        first = nodes[i] < first ? nodes[i] : first;
        last = nodes[i] > last ? nodes[i] : last;
    }
    if (n == 0 || first == last)
        return false;
    uint32_t n_between = last - first + 1;
    if (place_of(entry, last) - place_of(entry, first) + 1 != n_between)
        return false;
    bool *is_used = memory_zeroed(n_between, sizeof *is_used);
    uint32_t n_used = 0;
    for (size_t i = 0; i < n; i++) {
        n_used += !is_used[nodes[i] - first];
        is_used[nodes[i] - first] = true;
    }
    free(is_used);
    return n_used == n_between;
}

uint64_t multicast_ns(const struct machine_messages *messages,
                      const struct machine_collective *entry, uint32_t n_members,
                      uint64_t size_bytes, uint64_t sent_bytes)
{
    if (entry->time)
        return machine_formula_ns(entry, n_members, size_bytes);
    return machine_message_ns(messages, sent_bytes);
}

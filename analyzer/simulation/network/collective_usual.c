// SPDX-License-Identifier: BSD-3-Clause
// MPICH's choice among the algorithms (see collective_usual.h).
#include "analyzer/simulation/network/collective_usual.h"

#include "analyzer/simulation/network/collective_operation.h"

enum {
    BINOMIAL_BCAST_BYTES = 12288,  // below that, or
    BINOMIAL_BCAST_MEMBERS = 8,    // with fewer
    DOUBLING_BYTES = 524288,       // of all members together, p a power of two
    BRUCK_ALLGATHER_BYTES = 81920, // of all, any p
    BRUCK_ALLTOALL_BYTES = 256,    // at most,
    BRUCK_ALLTOALL_MEMBERS = 8,    // and as many
    DIRECT_ALLTOALL_BYTES = 32768, // at most
    BINOMIAL_REDUCE_BYTES = 2048,  // at most
    ELEMENT_BYTES = 8
};

/// Whether a vector of SIZE_BYTES has an element for each of those who halve it.
static bool can_be_halved(uint32_t p, uint64_t size_bytes)
{
    while (!is_power_of_two(p))
        p &= p - 1;
    return size_bytes / ELEMENT_BYTES >= p;
}

enum collective_algorithm collective_usual_algorithm(uint8_t operation, uint32_t n_members,
                                                     uint64_t size_bytes)
{
    uint64_t all_bytes = size_bytes * n_members;
    bool is_power = is_power_of_two(n_members);
    switch (operation) {
    case BCAST:
        if (size_bytes < BINOMIAL_BCAST_BYTES || n_members < BINOMIAL_BCAST_MEMBERS)
            return ALGORITHM_BINOMIAL;
        return is_power && size_bytes < DOUBLING_BYTES ? ALGORITHM_RECURSIVE_DOUBLING
                                                       : ALGORITHM_RING;
    case GATHER:
    case SCATTER:
        return ALGORITHM_BINOMIAL;
    case GATHERV:
    case SCATTERV:
    case ALLTOALLV:
    case ALLTOALLW:
        return ALGORITHM_FLAT;
    case ALLGATHER:
    case ALLGATHERV:
        return all_bytes < (is_power ? DOUBLING_BYTES : BRUCK_ALLGATHER_BYTES)
                   ? ALGORITHM_RECURSIVE_DOUBLING
                   : ALGORITHM_RING;
    case ALLTOALL:
        if (size_bytes <= BRUCK_ALLTOALL_BYTES && n_members >= BRUCK_ALLTOALL_MEMBERS)
            return ALGORITHM_RECURSIVE_DOUBLING;
        return size_bytes <= DIRECT_ALLTOALL_BYTES ? ALGORITHM_FLAT : ALGORITHM_RING;
    case ALLREDUCE:
        return can_be_halved(n_members, size_bytes) ? ALGORITHM_RECURSIVE_HALVING
                                                    : ALGORITHM_RECURSIVE_DOUBLING;
    case REDUCE:
        return size_bytes > BINOMIAL_REDUCE_BYTES && can_be_halved(n_members, size_bytes)
                   ? ALGORITHM_RECURSIVE_DOUBLING
                   : ALGORITHM_BINOMIAL;
    case REDUCE_SCATTER:
    case REDUCE_SCATTER_BLOCK:
        return all_bytes < DOUBLING_BYTES ? ALGORITHM_RECURSIVE_DOUBLING : ALGORITHM_RING;
    default: // barrier, scans
        return ALGORITHM_RECURSIVE_DOUBLING;
    }
}

bool collective_waits(uint8_t operation, bool is_root, bool is_first)
{
    switch (operation) {
    case BCAST:
    case SCATTER:
    case SCATTERV:
        return !is_root;
    case REDUCE:
    case GATHER:
    case GATHERV:
        return is_root;
    case SCAN:
    case EXSCAN:
        return !is_first;
    default:
        return true;
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// The collective operations, in the order of OTF2_CollectiveOp, and a question that their
// algorithms ask about numbers of members.
#ifndef PAGODA_SIMULATION_NETWORK_COLLECTIVE_OPERATION_H
#define PAGODA_SIMULATION_NETWORK_COLLECTIVE_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

enum collective_operation {
    BARRIER,
    BCAST,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLGATHER,
    ALLGATHERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    ALLREDUCE,
    REDUCE,
    REDUCE_SCATTER,
    SCAN,
    EXSCAN,
    REDUCE_SCATTER_BLOCK
};

static inline bool is_power_of_two(uint32_t p)
{
    return (p & (p - 1)) == 0;
}

#endif

// SPDX-License-Identifier: BSD-3-Clause
// The collective operations, in the order of OTF2_CollectiveOp.
#ifndef PAGODA_WHATIF_MACHINE_COLLECTIVE_OPERATION_H
#define PAGODA_WHATIF_MACHINE_COLLECTIVE_OPERATION_H

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

#endif

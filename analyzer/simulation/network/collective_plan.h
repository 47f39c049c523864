// SPDX-License-Identifier: BSD-3-Clause
// The messages by which a collective operation is carried out: which member sends what to whom, and
// in which order it sends and receives (the patterns of Thakur, Rabenseifner, Gropp: Optimization
// of Collective Communication Operations in MPICH, 2005; pagoda-machine(5) has them in words).
//
// A plan is a row of phases that each member goes through. Members are numbered by their place: as
// in the communicator, from the root on where there is one.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"
#include "analyzer/simulation/network/mpi_habits.h"

enum collective_algorithm {
    ALGORITHM_FORMULA, // none: a time for all
    ALGORITHM_FLAT,
    ALGORITHM_BINOMIAL,
    ALGORITHM_QUATERNARY,
    ALGORITHM_RECURSIVE_DOUBLING,
    ALGORITHM_RECURSIVE_HALVING,
    ALGORITHM_RING,
    ALGORITHM_HARDWARE_MULTICAST,
    N_ALGORITHMS, // that machine files name
    ALGORITHM_RELEASED_BARRIER = N_ALGORITHMS,
};

enum { COLLECTIVE_OPERATIONS = 17, COLLECTIVE_MAX_PHASES = 3 };

/// Names in machine files: of the operations, in the order of OTF2_CollectiveOp, and of the
/// algorithms, the first of which has none.
extern const char *const collective_operation_names[COLLECTIVE_OPERATIONS];
extern const char *const collective_algorithm_names[N_ALGORITHMS];

struct collective_phase {
    uint8_t pattern, unit; // see collective_plan.c
};

struct collective_plan {
    uint32_t n_members;
    uint32_t n_phases;
    bool has_root; // places are counted from the root of the operation
    struct collective_phase phases[COLLECTIVE_MAX_PHASES];
};

enum collective_step_kind {
    STEP_NOTHING,
    STEP_SEND,
    STEP_RECEIVE,
    STEP_MULTICAST, // place 0 sends to all others, by the hardware; they receive
};

struct collective_step {
    enum collective_step_kind kind;
    uint32_t peer;       // place of the receiver or sender
    uint32_t tag;        // tells a message from all others to its receiver in the phase
    uint64_t size_bytes; // of what is sent
};

/// Whether OPERATION can be carried out by ALGORITHM.
bool collective_plan_exists(uint8_t operation, enum collective_algorithm algorithm);

/// The plan of OPERATION, which can be carried out so, for N_MEMBERS. TREE is the algorithm of the
/// part of ALGORITHM_HARDWARE_MULTICAST that is done by software.
struct collective_plan collective_plan(uint8_t operation, enum collective_algorithm algorithm,
                                       enum collective_algorithm tree, uint32_t n_members);

/// Step INDEX, from 0 on, of the member at PLACE in phase PHASE when the share of a member
/// (collective_size_bytes()) is SIZE_BYTES; false when the phase has no more.
bool collective_plan_step(const struct collective_plan *plan, uint32_t phase, uint32_t place,
                          uint32_t index, uint64_t size_bytes, struct collective_step *step);

/// What the call of a member says its count is, in bytes: the whole vector of bcast, reduce,
/// allreduce and scans, the block of one member of the others, of v-operations their mean: of all
/// that is gathered (at the root, allgatherv) or scattered (at the root, reduce_scatter), of what
/// is sent and received together (alltoallv, alltoallw); in place of those that go to or come from
/// others. Where a tool does not say that an operation was in place, bytes that are no multiple of
/// what others would be tell it, but not of v-operations.
uint64_t collective_size_bytes(uint8_t operation, uint32_t n_members, bool is_root,
                               const struct pag_volume *volume);

/// The algorithm by which MPI libraries commonly carry out OPERATION of N_MEMBERS, whose share is
/// SIZE_BYTES: MPICH's choice (Thakur, Rabenseifner, Gropp 2005; 4.0.2), for elements of 8 bytes,
/// but where that of LIBRARY is known to be another one (Open MPI 4.1, coll/tuned). IS_ON_NODE: the
/// members are all on one node.
enum collective_algorithm collective_usual_algorithm(enum mpi_library library, uint8_t operation,
                                                     uint32_t n_members, uint64_t size_bytes,
                                                     bool is_on_node);

/// Whether a member waits for others by what OPERATION means, however it is carried out.
bool collective_waits(uint8_t operation, bool is_root, bool is_first);

// --- carried out (collective_run.h)

/// A message that is to go; world ranks.
struct transfer {
    uint32_t sender, receiver;
    uint64_t size_bytes, ready_ns;
    uint64_t number;  // order of sending
    uint32_t luck;    // what it gets of the noise (noise.h)
    uint32_t message; // its index; of a part its number for collective_runs_arrived()
    bool is_part;     // of a collective operation that is carried out
};

/// How often operations were carried out so, and by which means.
struct collective_use {
    uint64_t n_carried_out;
    uint64_t n_multicasts;   // of these by the hardware
    uint64_t n_by_tree;      // by the software tree, because of the nodes of their members
    uint64_t switch_wait_ns; // that multicasts waited for the root switch, summed
};

// SPDX-License-Identifier: BSD-3-Clause
// A machine file: what messages, collectives and computing cost on a machine (pagoda-machine(5)).
#ifndef PAGODA_WHATIF_MACHINE_H
#define PAGODA_WHATIF_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/clock.h"

struct formula;

struct machine_point {
    uint64_t size_bytes, time_ns;
};

/// Messages between two ranks of one kind of distance.
struct machine_messages {
    struct machine_point *points; // by size; none: this kind is not given
    size_t n_points;
    uint64_t eager_bytes; // larger ones are rendezvous; UINT64_MAX: none is
    uint64_t send_overhead_ns, receive_overhead_ns;
    double bandwidth; // bytes per second instead of the slopes of the points; 0: not given
};

struct machine_collective {
    uint8_t operation;    // OTF2_CollectiveOp
    struct formula *time; // seconds, of p and b
};

enum machine_scope { MACHINE_NODE, MACHINE_NETWORK, MACHINE_SCOPES };

struct machine {
    char *name;
    uint32_t n_cores;      // of a node, 0: not given
    uint64_t speed;        // of its processors in millionths, 0: not given
    uint64_t hand_over_ns; // of a core from one process to another
    struct machine_messages messages[MACHINE_SCOPES];
    struct machine_collective *collectives;
    size_t n_collectives;
};

/// Reads and checks a file. 0, or -1 and ERR ("PATH:LINE: what is wrong"); the caller releases
/// MACHINE in either case.
int machine_read(struct machine *machine, const char *path, struct error *err);
void machine_release(struct machine *machine);

/// Whether the file says what messages cost; else they cost what they did in the recording.
bool machine_has_messages(const struct machine *machine);

/// The network with another latency (all its times move alike), bandwidth or eager limit;
/// PAG_NOT_KNOWN and 0 leave it. 0, or -1 and ERR when the machine has no network.
int machine_change_network(struct machine *machine, uint64_t latency_ns, double bandwidth,
                           uint64_t eager_bytes, struct error *err);

/// One-way time of a message: linear between the points, the last slope beyond the last one, the
/// first time below the first one; fractions of a ns are cut off. A kind of distance that is not
/// given costs what the other one does.
uint64_t machine_message_ns(const struct machine *machine, bool is_remote, uint64_t size_bytes);
bool machine_is_rendezvous(const struct machine *machine, bool is_remote, uint64_t size_bytes);
const struct machine_messages *machine_messages(const struct machine *machine, bool is_remote);

/// Time of an operation of N_MEMBERS members that handle SIZE_BYTES each, to the nearest ns; 0
/// without a formula, or where it is negative or no number.
uint64_t machine_collective_ns(const struct machine *machine, uint8_t operation, uint32_t n_members,
                               uint64_t size_bytes);

/// When CALL has what it waits for on MACHINE, as pag_clock.settle: of data-carrying conditions
/// only; see recorded_settle() for operations that create or destroy handles.
void machine_settle(const struct machine *machine, const struct pag_call *call,
                    const struct pag_condition *conditions, uint32_t n_conditions,
                    const uint32_t *node_of_rank, uint64_t *ready_ns, pag_work *work);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// Which of a machine's messages two ranks exchange, by where they are placed.
//
// Scopes from near to far: core (the ranks that share one core: of a node with one core, or with
// sticky sharing; a rank and itself), node, the scopes with names of their own in the order of the
// file, network. Two ranks use the nearest one that holds for them and is given; where none is, the
// farthest of the nearer ones. Where ranks move, what is asked for are their sites (placement.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/simulation/cores/placement.h"
#include "analyzer/simulation/cores/scheduler.h"
#include "analyzer/simulation/cost/machine.h"

/// Where ranks are. All of it belongs to others.
struct scopes {
    const struct machine *machine;                // NULL: none
    const uint32_t *node_of_rank, *group_of_rank; // by site
    const struct core_group *groups;
    uint32_t n_nodes;
    bool *has_ranks;        // owned; by node
    uint32_t *zone_of_node; // owned; by custom scope and node: in which of its groups, UINT32_MAX
};

/// Scopes of MACHINE (NULL: none), whose names of nodes must fit PLACEMENT. 0, or -1 and ERR; the
/// caller releases SCOPES in either case.
int scopes_init(struct scopes *scopes, const struct machine *machine,
                const struct placement *placement, const uint32_t *group_of_rank,
                const struct core_group *groups, struct error *err);
void scopes_release(struct scopes *scopes);

/// What messages from SENDER to RECEIVER cost.
const struct machine_messages *scopes_between(const struct scopes *scopes, uint32_t sender,
                                              uint32_t receiver);

/// A scope: one of enum machine_scope, or MACHINE_SCOPES plus the index of a custom one.
struct scope {
    uint32_t index;
    uint32_t place; // node: which one; custom, within groups: which of them; else 0
};

/// The scope whose messages these are.
struct scope scopes_find(const struct scopes *scopes, uint32_t sender, uint32_t receiver);
const struct machine_messages *scopes_messages(const struct scopes *scopes, uint32_t index);

bool scopes_is_remote(const struct scopes *scopes, uint32_t rank, uint32_t other);

/// Whether there is no hole between the nodes that ARE_USED, numbered in the order of the
/// placement, so that a network's hardware reaches them by one message to a range of nodes
/// (Quadrics' QsNet: Coll, Duato, Mora, Petrini, Hoisie 2002). Nodes of the machine that ENTRY says
/// are missing are passed over in this numbering, and make a hole. *N: how many nodes these are
/// then.
bool scopes_in_row(const struct scopes *scopes, const bool *are_used,
                   const struct machine_collective *entry, uint32_t *n);

// SPDX-License-Identifier: BSD-3-Clause
// Collective operations of a simulated run: whether a member waits in one, and those that are
// carried out message by message.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/location/location.h"
#include "analyzer/pag/pag.h"

struct collective;
struct engine;
struct location_state;
struct member;

/// Whether another member releases PART: its operation synchronises, and its member waits in it.
bool part_waits(const struct engine *engine, struct part part);

/// Whether PART's operation is carried out message by message. Not those between two groups, and
/// not MPI_Finalize.
bool is_carried_out(const struct engine *engine, struct part part);

/// Whether it waits there for somebody who has not come.
bool carried_out_is_held(const struct engine *engine, struct part part);

/// When PART's member is through with its operation, which is carried out. PAG_NOT_KNOWN: not
/// before the world rank *MISSING, which has not entered it, does something; NONE: before messages
/// have arrived.
uint64_t carried_out_through_ns(const struct engine *engine, struct part part, uint32_t *missing);

/// Whether PART's member waits in an operation that is carried out; then *RELEASER is the member
/// whose enter decided when it is through, NULL: its own.
bool carried_out_decides(const struct engine *engine, struct part part,
                         const struct member **releaser);

/// LOCATION, which waits in such an operation and goes on at NOW_NS, does there what it can if it
/// has the core it needs for that, and so do others. False: it has none yet. *RANKS, *N_RANKS: who
/// is through by that, perhaps LOCATION itself; to be tried again.
bool carried_out_step(const struct engine *engine, const struct location_state *location,
                      uint64_t now_ns, const uint32_t **ranks, uint32_t *n_ranks);

/// LOCATION waits in its call from NOW_NS until UNTIL_NS (PAG_NOT_KNOWN: until it is woken, or
/// needs a core for a step of its operation), and does WORK then.
void carried_out_wait(const struct engine *engine, const struct location_state *location,
                      uint64_t now_ns, uint64_t until_ns, pag_work work);

/// MEMBER of INSTANCE does not wait there, or no longer: its steps need no core. Returns how many
/// *RANKS are through by that, to be tried again.
uint32_t carried_out_let_go(struct engine *engine, const struct collective *instance,
                            uint32_t member, const uint32_t **ranks);

/// MEMBER has entered INSTANCE; INSTANCE is over.
void carried_out_entered(const struct engine *engine, const struct collective *instance,
                         uint32_t member);
void carried_out_over(struct engine *engine, const struct collective *instance);

// SPDX-License-Identifier: BSD-3-Clause
// What collective.c and collective_roots.c share.
#ifndef PAGODA_PAG_COLLECTIVE_H
#define PAGODA_PAG_COLLECTIVE_H

#include "analyzer/pag/engine.h"

/// Place of a world rank among the members (both groups of an intercommunicator, the local one
/// first); NONE when it is no member. COMMUNICATOR NONE stands for MPI_Finalize of all ranks.
uint32_t collective_member_of(const struct engine *engine, uint32_t communicator,
                              uint32_t world_rank);

/// Hands the root events of all members of a finished instance to the listener.
void collective_emit_roots(struct engine *engine, const struct collective *instance);

#endif

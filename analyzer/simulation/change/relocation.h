// SPDX-License-Identifier: BSD-3-Clause
// Ranks that change their node where a phase begins (`--place PHASE:NODE=RANKS`): a rank that
// enters a region, or comes to a marker, that PHASE names goes to its site of that phase
// (placement.h), each rank by itself, and stays there until another phase begins. If the node is
// another one, it takes its state along: it goes on when a message of that size is there, and uses
// no core meanwhile. The state waits for no links and buses, and nothing waits for it.
//
// A message moves between the nodes where its ranks are when it departs, or, if its sender waits
// for its receiver, when both are there.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/error.h"

struct engine;
struct event;
struct location_state;
struct scenario;

/// Reads which call paths begin the phases of SCENARIO's placement, and whether their settings fit.
/// 0, or -1 and ERR.
int relocation_init(struct scenario *scenario, struct error *err);

/// Whether LOCATION, outside MPI, begins a phase by EVENT, the next one, for which its rank has
/// another site. Only where ranks move (prediction.site_of_rank), as what follows.
bool relocation_is_due(const struct engine *engine, const struct location_state *location,
                       const struct event *event);

/// Before EVENT, the next one (NULL: its end), the rank of LOCATION goes to the site of the phase
/// that begins. False: it stays where it is.
bool relocation_begin(struct engine *engine, struct location_state *location,
                      const struct event *event, uint64_t now_ns);

/// It is there: goes on with what comes next.
void relocation_end(struct engine *engine, struct location_state *location, uint64_t now_ns);

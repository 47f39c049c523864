// SPDX-License-Identifier: BSD-3-Clause
// Work that a rank does in a simulated run for another one (`--move`). The work of a rank in call
// paths that a move names is done for whoever receives the next message the rank sends, where a
// message sent while the region is open is part of its work, unless it goes where the move leads.
// If the move leads to that receiver, the work is cut out of the sender's interval and goes along
// with the message; the receiver does it outside MPI, right after the call that receives it, in a
// path of that region below the call's parent. It stays where it is if a collective operation or
// the rank's end comes before that message, or nothing is sent for a long while. Nothing gets lost:
// what is cut out is what is added, in millionths of a nanosecond of process time.
//
// Beside it, over the same events: what the papers' algorithm makes of the moves (client_server.h).
#ifndef PAGODA_SIMULATION_CHANGE_MIGRATION_H
#define PAGODA_SIMULATION_CHANGE_MIGRATION_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/pag/pag.h"

struct engine;
struct interval;
struct location_state;
struct migration;
struct scenario;

/// NULL where SCENARIO moves nothing.
struct migration *migration_new(const struct scenario *scenario, size_t n_locations);
void migration_free(struct migration *migration);

// The functions that follow take an ENGINE whose simulation has a migration.

/// INTERVAL of LOCATION, with the work WORK, has been read: how much of it goes elsewhere; the
/// parts it consists of are marked as moved.
pag_work migration_cut(struct engine *engine, struct location_state *location,
                       struct interval *interval, pag_work work);

/// LOCATION has sent MESSAGE (its index): what goes along with it, and by how many bytes it grows.
uint64_t migration_sent(struct engine *engine, const struct location_state *location,
                        uint32_t message);

/// LOCATION leaves its call, the messages of which are still there: takes what came with them.
void migration_left(struct engine *engine, const struct location_state *location);

/// What came with the messages LOCATION received last, as work of the path *PATH with *N_VISITS
/// visits; 0: nothing.
pag_work migration_arrived(struct engine *engine, struct location_state *location, uint32_t *path,
                           uint64_t *n_visits);

/// LOCATION works in an MPI call: process time for the papers' algorithm.
void migration_worked(struct engine *engine, const struct location_state *location, pag_work work);

/// LOCATION has begun at NOW_NS; the run is over: fills pag_result.migration.
void migration_began(struct engine *engine, const struct location_state *location, uint64_t now_ns);
void migration_conclude(struct engine *engine);

#endif

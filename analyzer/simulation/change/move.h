// SPDX-License-Identifier: BSD-3-Clause
// Work that a rank does in a simulated run for another one (`--move`). The work of a rank in call
// paths that a move names is done for the receiver of the next message the rank sends, where a
// message sent while the region is open is part of its work, unless it goes where the move leads.
// If the move leads to that receiver, the work is cut out of the sender's computation and goes
// along with the message; the receiver does it outside MPI, right after the call that receives it,
// in a path of that region below the call's parent. It stays where it is if a collective operation
// or the rank's end comes before that message, or nothing is sent for a long while. Nothing gets
// lost: what is cut out is what is added, in millionths of a nanosecond of process time.
//
// Beside it, over the same events: the longest path of process time as Eom and Hollingsworth
// compute it (struct client_server).
#pragma once

#include <stdint.h>

#include "analyzer/base/error.h"
#include "analyzer/pag/pag.h"
#include "analyzer/trace/definitions.h"

struct engine;
struct location_state;
struct migration;
struct moves;
struct scenario;

/// Whether TEXT has the form REGION=FROM:TO of --move, with no rank on both sides, whatever the
/// run: 0, or -1 and ERR.
int moves_check_form(const char *text, struct error *err);

/// Reads the moves of SCENARIO's settings. 0, or -1 and ERR: which of them does not fit the run.
/// The caller releases SCENARIO.moves in either case.
int moves_init(struct scenario *scenario, const struct definitions *definitions, struct error *err);
void moves_release(struct moves *moves);

/// NULL where SCENARIO moves nothing.
struct migration *migration_new(const struct scenario *scenario, size_t n_locations);
void migration_free(struct migration *migration);

// The functions that follow take an ENGINE whose prediction has a migration.

/// The computation of LOCATION has been read: how much of its work goes elsewhere; its parts that
/// go are marked as moved.
pag_work migration_cut(struct engine *engine, struct location_state *location);

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

/// LOCATION has begun at NOW_NS; the run is over: notes in pag_result.simulated what was moved.
void migration_began(struct engine *engine, const struct location_state *location, uint64_t now_ns);
void migration_conclude(struct engine *engine);

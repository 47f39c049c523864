// SPDX-License-Identifier: BSD-3-Clause
// The time that efficiencies and findings cover, and intervals without recording in it.
#pragma once

#include <stdint.h>

#include "analyzer/pag/state.h"

void window_enter_mpi(struct engine *engine, struct location_state *location, uint64_t time_ns);
void window_leave_mpi(struct engine *engine, struct location_state *location, uint64_t time_ns);
/// Of the time since the last switch SEGMENTS passed without CPU time.
void window_lose(const struct engine *engine, struct location_state *location,
                 const struct cpu_segment *segments, uint32_t n_segments, uint64_t time_ns);
/// Whether RANK takes part in where the window begins and ends: processes that the program itself
/// starts come and go within it.
bool window_counts_rank(const struct engine *engine, uint32_t rank);
/// A rank that counts leaves MPI_Init.
void window_begin_at(struct engine *engine, uint64_t time_ns);
/// RANK enters MPI_Finalize for the first time, or has ended without.
void window_rank_through(struct engine *engine, uint32_t rank, uint64_t time_ns);
/// Sets in_window and window_end_ns of the trigger event of a call entered at ENTER_NS.
void window_place(const struct engine *engine, struct trigger *trigger, uint64_t enter_ns);
/// ROOT becomes one of KIND in LOCATION's open call; its values are the caller's to set.
void window_begin_trigger(struct trigger *trigger, const struct engine *engine,
                          const struct location_state *location, enum trigger_kind kind);
/// Closes the books of a rank at its last event.
void window_close(struct engine *engine, struct rank_state *rank, uint64_t time_ns);

/// What a rank has used within the window, when the run is over.
struct pag_rank_time window_sum(const struct engine *engine, struct rank_state *rank);

// --- recording off (OTF2's MeasurementOnOff): a gap is a region of its own in the profile, and
// --- neither computing nor MPI

/// EVENT is EVENT_MEASUREMENT_OFF or _ON and comes outside MPI calls. Repeated ones change nothing.
void gap_event(struct engine *engine, struct location_state *location, const struct event *event,
               uint64_t time_ns);

/// The location ends: so does its gap, before the profile is ended.
void gap_end(struct engine *engine, struct location_state *location, uint64_t time_ns);

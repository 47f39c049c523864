// SPDX-License-Identifier: BSD-3-Clause
// The time that efficiencies and findings cover.
#ifndef PAGODA_PAG_WINDOW_H
#define PAGODA_PAG_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/without_cpu.h"

struct engine;
struct location_state;

struct rank_state;
struct root;

void window_enter_mpi(struct engine *engine, struct location_state *location, uint64_t time_ns);
void window_leave_mpi(struct engine *engine, struct location_state *location, uint64_t time_ns);
/// Recording is switched off or on: off is neither computing nor MPI.
void window_switch_off(struct engine *engine, struct location_state *location, bool is_off,
                       uint64_t time_ns);
/// Of the time since the last switch SEGMENTS passed without CPU time.
void window_lose(const struct engine *engine, struct location_state *location,
                 const struct cpu_segment *segments, uint32_t n_segments, uint64_t time_ns);
void window_begin_at(struct engine *engine, uint64_t time_ns);
void window_end_at(struct engine *engine, uint64_t time_ns);
/// Sets in_window and window_end_ns of the root event of a call entered at ENTER_NS.
void window_place(const struct engine *engine, struct root *root, uint64_t enter_ns);
/// Closes the books of a rank at its last event.
void window_close(struct engine *engine, struct rank_state *rank, uint64_t time_ns);

/// What a rank has used within the window, when the run is over.
struct pag_rank_time window_sum(const struct engine *engine, struct rank_state *rank);

#endif

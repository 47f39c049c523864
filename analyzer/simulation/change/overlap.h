// SPDX-License-Identifier: BSD-3-Clause
// MPI calls of a simulated run that do not wait where they are made (`--overlap`): what a blocking
// receive or send in an overlapped call path, or a call that completes requests there (those of
// nonblocking collective operations, too), would wait for is waited for later, when the rank
//   - leaves the region (the outermost overlapped one; the function around the call if only calls
//     are named), or begins a collective operation, MPI_Finalize, a team of threads, or ends;
//   - of all but sends also: when it sends a message, which may depend on what was received.
// Receives are posted where they are called, which is earlier than now for all but the first one.
// The call itself takes no time; waiting, and the work that follows, is booked on the last of the
// calls waited for, as if its MPI_Wait stood there. An upper bound of what overlap can gain:
// whether the program needs its data earlier is not in the trace. Calls that poll (MPI_Test) and
// blocking collective operations stay as they are. At most OVERLAP_MAX_CALLS of a rank are open at
// a time.
//
// A message that the MPI library moves only while its receiver is in MPI (scenario.held_bytes, or
// as the recording shows) moves when the receiver waits, and its sender waits for that: a call that
// was put off is none. In regions of --overlap-progress they move meanwhile, as if the rank were in
// MPI from such a call on until it waits.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/simulation/cost/cost_model.h"

struct engine;
struct location_state;
struct overlap;
struct scenario;

enum { OVERLAP_MAX_CALLS = 1024 };

/// NULL where SCENARIO overlaps nothing.
struct overlap *overlap_new(const struct scenario *scenario, size_t n_locations);
void overlap_free(struct overlap *overlap);

// The functions that follow take an ENGINE whose prediction has an overlap.

/// LOCATION has entered its call: whether that is put off, and its rank not in MPI for it.
bool overlap_waits_later(const struct engine *engine, const struct location_state *location);

/// LOCATION has entered its call, described by CALL: true if what it would wait for is put off.
bool overlap_puts_off(struct engine *engine, struct location_state *location,
                      const struct simulated_call *call);

/// Whether EVENT, the next one of LOCATION outside MPI, is the leave of a region at which it has to
/// wait for calls that were put off.
bool overlap_ends_at(const struct engine *engine, const struct location_state *location,
                     const struct event *event);

/// Before EVENT, the next one (NULL: its end), LOCATION has to wait for calls that were put off:
/// they become its open call at NOW_NS. False if there are none.
bool overlap_begin(struct engine *engine, struct location_state *location,
                   const struct event *event, uint64_t recorded_ns, uint64_t now_ns);

/// All partners of that call have come: from when on it has what it waits for, and the work after.
void overlap_settle(struct engine *engine, struct location_state *location, uint64_t *ready_ns,
                    pag_work *work);

/// It is left at NOW_NS: for how many calls it stood.
uint32_t overlap_leave(struct engine *engine, struct location_state *location, uint64_t now_ns);

// SPDX-License-Identifier: BSD-3-Clause
// An MPI call as a unit, read ahead at its enter.
#ifndef PAGODA_PAG_LOCATION_CALL_H
#define PAGODA_PAG_LOCATION_CALL_H

#include <stdint.h>

#include "analyzer/pag/location/location.h"

/// Reads the call whose enter event is next (or the bare record) ahead to its leave. It is entered
/// at TIME_NS and, as far as is known, lasts as long as recorded; one that is cut, to its last
/// event.
void call_read(struct location_state *location, uint64_t time_ns);
void call_release(struct call *call);

/// EVENT, a record of CALL, is left out; call_complete_less(): and counts for what the call costs.
void call_leave_out(struct call *call, const struct event *event);
void call_complete_less(struct call *call, const struct event *event);

#endif

// SPDX-License-Identifier: BSD-3-Clause
// One event of a location, in whatever order the loop (engine.c) or a driver (hooks.h) takes them.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/pag/location/digest.h"
#include "analyzer/pag/state.h"

/// The next event of a location, NULL at its end; notes its time for the order of reading.
static inline const struct event *step_peek(struct engine *engine, struct location_state *location)
{
    const struct event *event = trace_peek(engine->trace, location->index, location->cursor, 0);
    location->next_turn = !event || event->kind == EVENT_THREAD_JOIN ? 2
                          : event->kind == EVENT_BARRIER_LEAVE       ? 1
                                                                     : 0;
    if (event)
        location->next_ns = event->time_ns;
    else
        location->next_ns =
            location->digest ? digest_end_ns(location->digest) : profile_end_ns(&location->profile);
    return event;
}

/// Whether the open call needs no other rank and no place in the run's order to be left: only the
/// window, whose begin no rank moves any more, and whose end is not before it.
static inline bool step_leaves_early(const struct engine *engine,
                                     const struct location_state *location)
{
    const struct call *call = &location->call;
    return engine->leaves_early && !call->is_init && !call->is_cut && !call->is_bare &&
           call_is_private(call) && !engine->ranks[location->rank].has_finalize;
}

/// Whether EVENT, the next one, concerns its own location only, so that it need not be read in the
/// run's order.
static inline bool step_is_private(const struct engine *engine,
                                   const struct location_state *location, const struct event *event)
{
    if (!event)
        return false;
    if (location->digest)
        return event->kind == EVENT_SPENT || event->kind == EVENT_LOST ||
               event->kind == EVENT_VISIT ||
               (event->kind == EVENT_LEAVE && step_leaves_early(engine, location));
    return event->kind <= EVENT_LEAVE && !location->call.is_open && !engine->regions &&
           region_at(engine, event->index)->mpi == MPI_FUNCTION_NONE;
}

/// Processes EVENT, the next one of a location (NULL: its end), at the time it was recorded, or
/// only tries to. The rank that must be read first, or NONE when there was progress.
uint32_t step_event(struct engine *engine, struct location_state *location,
                    const struct event *event);

/// For a driver, one event at TIME_NS: the first one of a location; the enter of an MPI call or a
/// bare record, which is read ahead and consumed; what comes while a call is open (the leave
/// settles it: returns the rank to read first, or NONE); the end, which closes what is open.
void step_begin(struct engine *engine, struct location_state *location, uint64_t time_ns);
void step_enter_call(struct engine *engine, struct location_state *location,
                     const struct event *event, uint64_t time_ns);
uint32_t step_in_call(struct engine *engine, struct location_state *location,
                      const struct event *event, uint64_t time_ns);
void step_end(struct engine *engine, struct location_state *location);

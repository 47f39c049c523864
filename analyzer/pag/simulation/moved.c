// SPDX-License-Identifier: BSD-3-Clause
// From what the simulation knows of a location to what a listener is told (see moved.h).
#include "analyzer/pag/simulation/moved.h"

#include "analyzer/pag/engine.h"

static void tell(const struct engine *engine, const struct pag_moved *moved)
{
    if (engine->listener.moved)
        engine->listener.moved(engine->listener.context, moved);
}

void moved_tell_outside(const struct engine *engine, const struct location_state *location,
                        uint64_t now_ns)
{
    if (!engine->listener.moved)
        return;
    const struct location_simulation *state = &engine->simulation->locations[location->index];
    const struct interval *interval = &state->interval;
    tell(engine,
         &(struct pag_moved){.kind = PAG_MOVED_OUTSIDE,
                             .location = location->index,
                             .n_events = interval->n_events,
                             .recorded_begin_ns = interval->recorded_begin_ns,
                             .recorded_end_ns = interval->recorded_now_ns,
                             .begin_ns = interval->begin_ns,
                             .end_ns = now_ns,
                             .work_ns = (uint64_t)(state->interval_work / PAG_WORK_PER_NS)});
}

void moved_tell_call(const struct engine *engine, const struct location_state *location,
                     uint64_t recorded_end_ns, uint64_t now_ns)
{
    if (!engine->listener.moved)
        return;
    const struct location_simulation *state = &engine->simulation->locations[location->index];
    const struct call *call = &location->call;
    tell(engine, &(struct pag_moved){.kind = PAG_MOVED_CALL,
                                     .location = location->index,
                                     .n_events = state->n_call_events,
                                     .recorded_begin_ns = call->recorded_enter_ns,
                                     .recorded_end_ns = recorded_end_ns,
                                     .begin_ns = call->enter_ns,
                                     .end_ns = now_ns,
                                     .work_ns = now_ns - call->enter_ns - state->call_wait_ns});
}

void moved_tell_event(const struct engine *engine, const struct location_state *location,
                      uint64_t recorded_ns, uint64_t now_ns)
{
    tell(engine, &(struct pag_moved){.kind = PAG_MOVED_EVENT,
                                     .location = location->index,
                                     .n_events = 1,
                                     .recorded_begin_ns = recorded_ns,
                                     .recorded_end_ns = recorded_ns,
                                     .begin_ns = now_ns,
                                     .end_ns = now_ns});
}

// SPDX-License-Identifier: BSD-3-Clause
// From what the simulation knows of a location to what a listener gets (see steps.h).
#include "analyzer/simulation/steps.h"

#include "analyzer/simulation/state.h"

static bool is_wanted(const struct engine *engine)
{
    return engine->listener.moved.tell || engine->listener.changed.tell;
}

static void tell(const struct engine *engine, const struct pag_moved *moved)
{
    prediction_of(engine)->locations[moved->location].n_events += moved->n_events;
    if (engine->listener.moved.tell)
        TELL(engine, moved, moved);
}

static void tell_changed(const struct engine *engine, const struct pag_changed *changed)
{
    if (engine->listener.changed.tell && changed->event != PAG_NOT_KNOWN)
        TELL(engine, changed, changed);
}

uint64_t moved_number(const struct engine *engine, const struct location_state *location,
                      const struct event *event)
{
    const struct call *call = &location->call;
    if (!engine->listener.changed.tell)
        return PAG_NOT_KNOWN;
    return simulated_location(engine, location)->n_events +
           call->places[event - call->records].event;
}

uint64_t moved_begin_number(const struct engine *engine, const struct location_state *location,
                            const struct event *event)
{
    if (!engine->listener.changed.tell)
        return PAG_NOT_KNOWN;
    const struct record_place *place = &location->call.places[event - location->call.records];
    return place->begin == NONE ? PAG_NOT_KNOWN
                                : simulated_location(engine, location)->n_events + place->begin;
}

void moved_tell_left_out(const struct engine *engine, uint32_t location, uint64_t number)
{
    tell_changed(engine,
                 &(struct pag_changed){.location = location, .event = number, .is_left_out = true});
}

/// Records of the open call that the run has not, or with other sizes.
static void tell_records(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    for (uint32_t i = 0; i < call->n_records; i++) {
        const struct event *record = &call->records[i];
        bool is_left_out = record->flags & EVENT_LEFT_OUT;
        if (!is_left_out && !(record->flags & EVENT_RESIZED))
            continue;
        struct pag_changed changed = {.location = location->index,
                                      .event = moved_number(engine, location, record),
                                      .is_left_out = is_left_out,
                                      .size_bytes = record->received_bytes};
        tell_changed(engine, &changed);
    }
}

void moved_tell_outside(const struct engine *engine, const struct location_state *location,
                        uint64_t now_ns)
{
    const struct location_simulation *state = simulated_location(engine, location);
    const struct computation *computation = &state->computation;
    if (!is_wanted(engine))
        return;
    tell(engine, &(struct pag_moved){.kind = PAG_MOVED_OUTSIDE,
                                     .location = location->index,
                                     .n_events = computation->n_events,
                                     .recorded_begin_ns = computation->recorded_begin_ns,
                                     .recorded_end_ns = computation->recorded_now_ns,
                                     .begin_ns = computation->begin_ns,
                                     .end_ns = now_ns,
                                     .work_ns = (uint64_t)(computation->work / PAG_WORK_PER_NS),
                                     .blocked_ns = computation->blocked_ns});
}

void moved_tell_blocked(const struct engine *engine, const struct location_state *location,
                        uint64_t begin_ns, uint64_t recorded_ns, uint64_t now_ns)
{
    uint64_t since_ns = simulated_location(engine, location)->computation.recorded_now_ns;
    if (is_wanted(engine))
        tell(engine, &(struct pag_moved){.kind = PAG_MOVED_OUTSIDE,
                                         .location = location->index,
                                         .recorded_begin_ns = since_ns,
                                         .recorded_end_ns = recorded_ns,
                                         .begin_ns = begin_ns,
                                         .end_ns = now_ns,
                                         .blocked_ns = now_ns - begin_ns});
}

void moved_tell_call(const struct engine *engine, const struct location_state *location,
                     uint64_t recorded_end_ns, uint64_t now_ns)
{
    const struct location_simulation *state = simulated_location(engine, location);
    const struct call *call = &location->call;
    if (!is_wanted(engine))
        return;
    if (engine->listener.changed.tell)
        tell_records(engine, location);
    tell(engine, &(struct pag_moved){.kind = PAG_MOVED_CALL,
                                     .location = location->index,
                                     .n_events = state->n_call_events,
                                     .recorded_begin_ns = call->recorded_enter_ns,
                                     .recorded_end_ns = recorded_end_ns,
                                     .begin_ns = call->enter_ns,
                                     .end_ns = now_ns,
                                     .is_put_off = state->is_put_off,
                                     .n_late_calls = state->n_late_calls,
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

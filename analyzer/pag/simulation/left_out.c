// SPDX-License-Identifier: BSD-3-Clause
// Messages and operations that are left out (see left_out.h).
#include "analyzer/pag/simulation/left_out.h"

#include "analyzer/pag/engine.h"

bool left_out_message(struct engine *engine, struct location_state *location,
                      const struct event *event, uint32_t sender, uint32_t receiver)
{
    const struct pag_clock *clock = engine->simulation->clock;
    if (!clock->sends)
        return false;
    uint64_t size_bytes = event->size_bytes;
    if (clock->sends(clock->context, sender, receiver, event->tag, &size_bytes))
        return false;
    location->call.n_left_out++;
    return true;
}

void left_out_detach(struct engine *engine, struct call *call)
{
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        uint32_t index = call->receives[i];
        struct receive *receive = receive_at(engine, index);
        if (!receive->is_left_out) {
            call->receives[n_kept++] = index;
            continue;
        }
        receive->is_detached = true;
        if (receive->message != NONE)
            match_settle_receive(engine, index);
    }
    call->n_receives = n_kept;
}

void left_out_member(struct engine *engine, struct location_state *location, struct member *member,
                     uint64_t mark)
{
    const struct pag_clock *clock = engine->simulation->clock;
    if (!clock->leaves_out || location->call.is_init || location->call.is_finalize ||
        !clock->leaves_out(clock->context, mark, member->class_, member->size_bytes,
                           member->is_uneven))
        return;
    member->is_left_out = true;
    location->call.n_left_out++;
}

void left_out_over(struct engine *engine, const struct collective *instance)
{
    uint32_t n_left_out = 0;
    for (uint32_t i = 0; i < instance->n_members; i++)
        n_left_out += instance->members[i].is_left_out;
    engine->result->n_left_out_collectives += n_left_out == instance->n_members;
    engine->result->n_partly_left_out += n_left_out > 0 && n_left_out < instance->n_members;
}

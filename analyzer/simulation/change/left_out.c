// SPDX-License-Identifier: BSD-3-Clause
// Messages and operations that are left out (see left_out.h).
#include "analyzer/simulation/change/left_out.h"

#include "analyzer/pag/engine.h"
#include "analyzer/simulation/carried_out.h"
#include "analyzer/simulation/moved.h"
#include "analyzer/simulation/simulation.h"

enum { N_RECORDS = 3 }; // posted, begun, completed

/// Where the records of a part in an operation are; PAG_NOT_KNOWN: there is none.
struct left_out_part {
    uint32_t location, next;
    uint64_t events[N_RECORDS];
};

void left_out_init(struct left_out_parts *left_out)
{
    map_init(&left_out->first_of);
    pool_init(&left_out->parts, sizeof(struct left_out_part));
}

void left_out_release(struct left_out_parts *left_out)
{
    map_release(&left_out->first_of);
    pool_release(&left_out->parts);
}

/// The copy of EVENT, a record of LOCATION's open call, that may be written to.
static struct event *record_of(struct location_state *location, const struct event *event)
{
    return &location->call.records[event - location->call.records];
}

bool left_out_message(struct engine *engine, struct location_state *location,
                      const struct event *event, uint32_t sender, uint32_t receiver)
{
    const struct message_cuts *cuts = &prediction_of(engine)->scenario->cuts;
    if (cuts->n == 0)
        return false;
    uint64_t size_bytes = event->size_bytes;
    if (message_cuts_sends(cuts, sender, receiver, event->tag, &size_bytes)) {
        if (size_bytes != event->size_bytes) {
            record_of(location, event)->flags |= EVENT_RESIZED;
            record_of(location, event)->received_bytes = size_bytes;
        }
        return false;
    }
    call_complete_less(&location->call, event);
    return true;
}

/// Keeps where the records of a part are.
static void keep(struct engine *engine, const struct location_state *location,
                 const struct collective *instance, const struct event *event, uint64_t posted)
{
    struct left_out_parts *left_out = &simulation_of(engine)->left_out;
    uint32_t index = pool_take(&left_out->parts), next;
    if (!map_get(&left_out->first_of, instance->index, &next))
        next = NONE;
    *(struct left_out_part *)pool_at(&left_out->parts, index) = (struct left_out_part){
        .location = location->index,
        .next = next,
        .events = {posted, moved_begin_number(engine, location, event),
                   moved_number(engine, location, event)},
    };
    map_put(&left_out->first_of, instance->index, index);
}

void left_out_member(struct engine *engine, struct location_state *location,
                     const struct collective *instance, struct member *member,
                     const struct event *event, uint64_t posted, uint64_t mark)
{
    const struct scenario *scenario = prediction_of(engine)->scenario;
    if (scenario->n_drops == 0 || location->call.is_init || location->call.is_finalize ||
        !scenario_drops(scenario, mark, member->class_, member->size_bytes, member->is_uneven))
        return;
    member->is_left_out = true;
    location->call.n_left_out++;
    if (instance)
        carried_out_let_go(engine, instance, (uint32_t)(member - instance->members));
    if (engine->listener.changed && instance)
        keep(engine, location, instance, event, posted);
}

/// Tells the records of INSTANCE, which all members have left out, or not: then all stay.
static void tell_parts(struct engine *engine, const struct collective *instance, bool by_all)
{
    struct left_out_parts *left_out = &simulation_of(engine)->left_out;
    uint32_t index;
    if (!map_get(&left_out->first_of, instance->index, &index))
        return;
    map_remove(&left_out->first_of, instance->index);
    while (index != NONE) {
        const struct left_out_part part = *(struct left_out_part *)pool_at(&left_out->parts, index);
        for (uint32_t i = 0; i < N_RECORDS && by_all; i++)
            moved_tell_left_out(engine, part.location, part.events[i]);
        pool_give(&left_out->parts, index);
        index = part.next;
    }
}

bool left_out_over(struct engine *engine, const struct collective *instance)
{
    uint32_t n_left_out = 0;
    if (prediction_of(engine)->scenario->n_drops == 0)
        return false;
    for (uint32_t i = 0; i < instance->n_members; i++)
        n_left_out += instance->members[i].is_left_out;
    tell_parts(engine, instance, n_left_out == instance->n_members);
    engine->result->n_left_out_collectives += n_left_out == instance->n_members;
    engine->result->n_partly_left_out += n_left_out > 0 && n_left_out < instance->n_members;
    return n_left_out == instance->n_members;
}

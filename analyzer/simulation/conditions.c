// SPDX-License-Identifier: BSD-3-Clause
// From messages and members of collective operations to conditions (see conditions.h).
#include "analyzer/simulation/conditions.h"

#include "analyzer/base/memory.h"
#include "analyzer/simulation/steps.h"

static struct call_condition *add(struct prediction *prediction, uint32_t *n_conditions)
{
    struct call_condition *condition =
        ARRAY_NEXT(prediction->conditions, *n_conditions, prediction->condition_capacity);
    *condition = (struct call_condition){.communicator = NONE, .follows_ns = PAG_NOT_KNOWN};
    return condition;
}

static void add_message(const struct engine *engine, uint32_t index, enum condition_kind kind,
                        uint32_t *n_conditions)
{
    const struct message *message = message_at(engine, index);
    const struct message_simulation *times = &prediction_of(engine)->messages[index];
    struct call_condition *condition = add(prediction_of(engine), n_conditions);
    bool is_posting = kind == CONDITION_POSTING;
    condition->kind = kind;
    condition->recorded_ns = is_posting ? times->recorded_post_ns : times->recorded_send_ns;
    condition->departed_ns = times->departed_ns;
    condition->posted_ns = message->post_enter_ns;
    condition->arrived_ns = times->arrived_ns;
    condition->time_ns = is_posting ? message->post_enter_ns : times->departed_ns;
    condition->size_bytes = times->size_bytes;
    condition->recorded_bytes = message->size_bytes;
    condition->follows_ns = times->follows_ns;
    condition->sender = message->sender;
    condition->receiver = message->receiver;
    condition->is_rendezvous = times->is_rendezvous;
}

void conditions_add_probed(struct engine *engine, uint32_t index, uint32_t *n_conditions)
{
    add_message(engine, index, CONDITION_MESSAGE, n_conditions);
    struct call_condition *condition = &prediction_of(engine)->conditions[*n_conditions - 1];
    condition->is_probed = true;
    condition->posted_ns = condition->departed_ns;
    if (condition->is_rendezvous) { // its envelope
        condition->size_bytes = 0;
        condition->is_rendezvous = false;
    }
}

static void add_part(const struct engine *engine, const struct call *call, struct part part,
                     uint32_t *n_conditions)
{
    const struct collective *instance = collective_instance(engine, part.collective);
    const struct member *member = &instance->members[part.member];
    uint64_t time_ns = 0, recorded_ns = 0;
    uint32_t missing;
    if (!part_waits(engine, part))
        return;
    bool is_released = collective_release_times(engine, part, &time_ns, &recorded_ns);
    bool is_clocks = is_carried_out(engine, part);
    if (is_clocks) {
        time_ns = carried_out_through_ns(engine, part, &missing);
        is_released = time_ns != PAG_NOT_KNOWN;
    }
    if (!is_released)
        return;
    struct call_condition *condition = add(prediction_of(engine), n_conditions);
    condition->kind = CONDITION_COLLECTIVE;
    condition->time_ns = time_ns;
    condition->recorded_ns = recorded_ns;
    condition->entered_ns = member->in_ns;
    condition->volume = member->volume;
    condition->is_root = member->is_root;
    condition->is_carried_out = is_clocks;
    condition->n_members = instance->n_members;
    condition->operation = member->operation;
    condition->class_ = member->class_;
    condition->is_finalize = instance->is_finalize;
    condition->is_nonblocking = member->recorded_in_ns < call->recorded_enter_ns;
    condition->communicator = instance->communicator;
}

uint32_t conditions_of(struct engine *engine, const struct call *call)
{
    uint32_t n_conditions = 0;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        uint32_t message = receive_at(engine, call->receives[i])->message;
        if (message != NONE && !message_at(engine, message)->is_left_out)
            add_message(engine, message, CONDITION_MESSAGE, &n_conditions);
    }
    for (uint32_t i = 0; i < call->n_sends; i++)
        if (prediction_of(engine)->messages[call->sends[i]].is_rendezvous &&
            (message_at(engine, call->sends[i])->is_matched ||
             prediction_of(engine)->messages[call->sends[i]].knows_receive))
            add_message(engine, call->sends[i], CONDITION_POSTING, &n_conditions);
    for (uint32_t i = 0; i < call->n_parts; i++)
        add_part(engine, call, call->parts[i], &n_conditions);
    return n_conditions;
}

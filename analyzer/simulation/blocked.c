// SPDX-License-Identifier: BSD-3-Clause
// Calls of a simulated run that wait, and what lets them go on (steps.h).
#include "analyzer/simulation/steps.h"

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/state.h"

// --- has everybody come?

static bool goes_without(struct location_simulation *state, bool must)
{
    state->has_unknown_partner = state->has_unknown_partner || must;
    return must;
}

/// Of messages that depend on each other's way it must be known when they arrive.
static bool has_departed(const struct prediction *prediction, uint32_t index)
{
    const struct message_simulation *message = &prediction->messages[index];
    return (prediction->contention ? message->arrived_ns : message->departed_ns) != PAG_NOT_KNOWN;
}

static bool message_has_come(const struct engine *engine, struct location_simulation *state,
                             uint32_t receive_index)
{
    const struct receive *receive = receive_at(engine, receive_index);
    if (receive->message != NONE && message_at(engine, receive->message)->is_left_out)
        return true;
    if (receive->message != NONE)
        return has_departed(prediction_of(engine), receive->message);
    return goes_without(state, state->gives_up || engine->ranks[receive->source].has_ended);
}

/// Whether the receive that will take the message has been posted, though it is not matched yet.
/// Where that is not known the sender goes on: by the time of the match it would be too late.
static bool knows_receive(struct engine *engine, struct location_simulation *state,
                          uint32_t message_index)
{
    struct prediction *prediction = prediction_of(engine);
    struct message_simulation *times = &prediction->messages[message_index];
    struct message *message = message_at(engine, message_index);
    uint32_t receive;
    if (times->knows_receive || engine->ranks[message->receiver].n_unresolved_posts == 0)
        return times->knows_receive;
    enum wildcard_receive found = wildcard_find_receive(engine, message_index, &receive);
    if (found == RECEIVE_UNKNOWN)
        return goes_without(state, true);
    if (found == RECEIVE_COMES)
        return false;
    times->knows_receive = true;
    times->recorded_post_ns = prediction->postings[receive].recorded_ns;
    message->post_enter_ns = receive_at(engine, receive)->post_enter_ns;
    transfers_ready(engine, message_index);
    attention_wanted(engine, message_index);
    return true;
}

/// Takes LOCATION out of those that wait for a rank to be in MPI.
static void await_no_longer(struct engine *engine, const struct location_state *location)
{
    struct prediction *prediction = prediction_of(engine);
    struct location_simulation *state = simulated_location(engine, location);
    if (state->awaits == NONE)
        return;
    uint32_t *place = &prediction->awaited[state->awaits];
    while (*place != location->index)
        place = &prediction->locations[*place].next_awaiting;
    *place = state->next_awaiting;
    state->awaits = NONE;
}

uint64_t message_attended_ns(const struct engine *engine, uint32_t message_index)
{
    const struct message *message = message_at(engine, message_index);
    const struct message_simulation *times = &prediction_of(engine)->messages[message_index];
    uint64_t from_ns = times->departed_ns;
    if (times->needs_core)
        return times->taken_ns;
    if (times->is_rendezvous && message->post_enter_ns > from_ns)
        from_ns = message->post_enter_ns;
    return attendance_after(engine, message->receiver, from_ns).time_ns;
}

/// Whether the receiver of a message of LOCATION is, or has been, in MPI, or need not be; else it
/// waits for that.
static bool is_attended(struct engine *engine, const struct location_state *location,
                        uint32_t message_index)
{
    struct prediction *prediction = prediction_of(engine);
    struct location_simulation *state = simulated_location(engine, location);
    uint32_t receiver = message_at(engine, message_index)->receiver;
    if (!prediction->messages[message_index].needs_attendance)
        return true;
    await_no_longer(engine, location);
    if (message_attended_ns(engine, message_index) != UINT64_MAX ||
        goes_without(state, state->gives_up || engine->ranks[receiver].has_ended))
        return true;
    if (prediction->messages[message_index].needs_core)
        return false; // attention_give() lets it go on
    state->awaits = receiver;
    state->next_awaiting = prediction->awaited[receiver];
    prediction->awaited[receiver] = location->index;
    return false;
}

static bool receive_has_come(struct engine *engine, struct location_simulation *state,
                             uint32_t message_index)
{
    const struct message *message = message_at(engine, message_index);
    if (!prediction_of(engine)->messages[message_index].is_rendezvous)
        return true;
    if (!message->is_matched) {
        if (goes_without(state, state->gives_up || engine->ranks[message->receiver].has_ended))
            return true;
        if (!knows_receive(engine, state, message_index))
            return false;
        if (!prediction_of(engine)->messages[message_index].knows_receive)
            return true;
    }
    return !prediction_of(engine)->contention || has_departed(prediction_of(engine), message_index);
}

static bool members_have_come(const struct engine *engine, struct location_simulation *state,
                              struct part part)
{
    if (!part_waits(engine, part))
        return true;
    uint32_t missing;
    if (!is_carried_out(engine, part))
        missing = collective_missing_rank(engine, part);
    else if (carried_out_through_ns(engine, part, &missing) != PAG_NOT_KNOWN)
        return true;
    else if (missing == NONE) // but messages on their way
        return goes_without(state, state->gives_up);
    return missing == NONE ||
           goes_without(state, state->gives_up || engine->ranks[missing].has_ended);
}

/// All conditions of LOCATION's call that are known so far are met as far as partners go: true, and
/// they stand in prediction.conditions, *N_CONDITIONS of them. False: a partner has not come.
static bool gather(struct engine *engine, struct location_state *location, uint32_t *n_conditions)
{
    struct location_simulation *state = simulated_location(engine, location);
    const struct call *call = &location->call;
    for (; state->n_receives_seen < call->n_receives; state->n_receives_seen++)
        if (!message_has_come(engine, state, call->receives[state->n_receives_seen]))
            return false;
    for (; state->n_sends_seen < call->n_sends; state->n_sends_seen++)
        if (!receive_has_come(engine, state, call->sends[state->n_sends_seen]) ||
            !is_attended(engine, location, call->sends[state->n_sends_seen]))
            return false;
    for (; state->n_parts_seen < call->n_parts; state->n_parts_seen++)
        if (!members_have_come(engine, state, call->parts[state->n_parts_seen]))
            return false;
    uint32_t probed = NONE;
    if (state->probe.communicator != EVENT_NO_INDEX) {
        probed = probe_message(engine, location, &state->probe);
        if (probed == NONE &&
            !goes_without(state, state->gives_up || engine->ranks[state->probe.source].has_ended))
            return false;
    }
    *n_conditions = conditions_of(engine, call);
    if (probed != NONE)
        conditions_add_probed(engine, probed, n_conditions);
    return true;
}

// --- blocked calls

/// LOCATION's call has what it waits for at READY_NS.
static void go_on_at(struct engine *engine, struct location_state *location, uint64_t ready_ns,
                     uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    if (prediction_of(engine)->migration)
        migration_worked(engine, location, state->work_after);
    state->ready_ns = ready_ns > now_ns ? ready_ns : now_ns;
    state->call_wait_ns = state->ready_ns - state->blocked_ns;
    state->wait_ns += state->call_wait_ns;
    state->phase = SIMULATION_LEAVING;
    prediction_of(engine)->n_blocked--;
}

/// CALL, for a file, has waited for N_CONDITIONS and would have all at *READY_NS: what follows the
/// last of them waits for the device, and *WORK is its process time. Time that a rank waited for
/// others is none of that: it polled.
static void settle_file(struct engine *engine, const struct location_state *location,
                        const struct simulated_call *call, uint32_t n_conditions,
                        uint64_t *ready_ns, pag_work *work)
{
    const struct call_condition *conditions = prediction_of(engine)->conditions;
    uint64_t released_ns = call->enter_ns, recorded_ns = call->recorded_enter_ns;
    for (uint32_t i = 0; i < n_conditions; i++) {
        if (conditions[i].time_ns > released_ns)
            released_ns = conditions[i].time_ns;
        if (conditions[i].recorded_ns > recorded_ns)
            recorded_ns = conditions[i].recorded_ns;
    }
    uint64_t length_ns = less(*ready_ns, released_ns) + (uint64_t)(*work / PAG_WORK_PER_NS);
    uint64_t own_ns =
        smaller(less(call->recorded_work_ns, recorded_ns - call->recorded_enter_ns), length_ns);
    *ready_ns = released_ns + (uint64_t)file_time(engine, location, length_ns - own_ns);
    *work = file_time(engine, location, own_ns) * PAG_WORK_PER_NS;
}

/// The call's partners have all come: from when on it has what it waits for, and what follows.
static void settle(struct engine *engine, struct location_state *location, uint32_t n_conditions,
                   uint64_t now_ns)
{
    struct prediction *prediction = prediction_of(engine);
    struct location_simulation *state = simulated_location(engine, location);
    if (state->is_late) {
        overlap_settle(engine, location, &state->ready_ns, &state->work_after);
        go_on_at(engine, location, state->ready_ns, now_ns);
        return;
    }
    struct simulated_call call = call_description(engine, location);
    // If a partner is missing or not known yet, the call lasts at least as long as recorded. So
    // does a call for a file, which waits for its device, except for its process time.
    bool is_open = n_conditions == 0 || state->has_unknown_partner;
    uint64_t ready_ns = call.enter_ns;
    if (n_conditions > 0)
        conditions_settle(engine, &call, n_conditions, &ready_ns, &state->work_after);
    if (n_conditions > 0 && location->call.is_file)
        settle_file(engine, location, &call, n_conditions, &ready_ns, &state->work_after);
    if (is_open) {
        uint64_t length_ns =
            prediction->costs->least_length(prediction, &call, state->has_unknown_partner);
        uint64_t own_ns = location->call.is_file ? call.recorded_work_ns : 0;
        own_ns = own_ns < length_ns ? own_ns : length_ns;
        length_ns = (uint64_t)file_time(engine, location, length_ns);
        own_ns = (uint64_t)file_time(engine, location, own_ns);
        state->work_after = (pag_work)own_ns * PAG_WORK_PER_NS;
        if (ready_ns < call.enter_ns + length_ns - own_ns)
            ready_ns = call.enter_ns + length_ns - own_ns;
    }
    go_on_at(engine, location, ready_ns, now_ns);
}

/// Whether what a blocked location's call lacks is the posting of a receive.
static bool is_blocked_sending(const struct location_simulation *state, const struct call *call)
{
    return state->n_receives_seen == call->n_receives && state->n_sends_seen < call->n_sends;
}

/// Goes on with the call of a blocked location if what it lacks has come.
static void try_again(struct engine *engine, struct location_state *location)
{
    struct prediction *prediction = prediction_of(engine);
    struct location_simulation *state = simulated_location(engine, location);
    uint32_t n_conditions;
    if (state->phase != SIMULATION_BLOCKED)
        return;
    bool was_sending = is_blocked_sending(state, &location->call);
    bool has_all = gather(engine, location, &n_conditions);
    bool is_sending = !has_all && is_blocked_sending(state, &location->call);
    prediction->n_blocked_sends += (uint32_t)is_sending - (uint32_t)was_sending;
    if (!has_all)
        return;
    settle(engine, location, n_conditions, prediction->now_ns);
    attention_wake(engine, location, state->ready_ns, state->work_after);
}

void blocked_try_again(struct engine *engine, uint32_t rank)
{
    const struct rank_state *state = &engine->ranks[rank];
    for (uint32_t i = 0; i < state->n_locations; i++)
        try_again(engine, &engine->locations[state->first_location + i]);
}

void blocked_try_ranks(struct engine *engine, const uint32_t *ranks, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        blocked_try_again(engine, ranks[i]);
}

void blocked_attended(struct engine *engine, uint32_t rank)
{
    struct prediction *prediction = prediction_of(engine);
    if (prediction->attention)
        attention_give(engine, &engine->locations[engine->definitions->ranks[rank].master],
                       prediction->now_ns);
    uint32_t index = prediction->awaited[rank];
    prediction->awaited[rank] = NONE;
    while (index != NONE) {
        struct location_simulation *state = &prediction->locations[index];
        uint32_t next = state->next_awaiting;
        state->awaits = NONE;
        try_again(engine, &engine->locations[index]);
        index = next;
    }
}

void blocked_try_all_again(struct engine *engine)
{
    const struct prediction *prediction = prediction_of(engine);
    for (size_t i = 0; i < engine->n_locations && prediction->n_blocked > 0; i++)
        try_again(engine, &engine->locations[i]);
}

bool blocked_let_go(struct engine *engine)
{
    struct location_state *first = NULL;
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct location_state *location = &engine->locations[i];
        if (simulated_location(engine, location)->phase == SIMULATION_BLOCKED &&
            (!first || location->call.enter_ns < first->call.enter_ns))
            first = location;
    }
    if (!first)
        return false;
    simulated_location(engine, first)->gives_up = true;
    simulated_of(engine)->n_forced++;
    for (uint32_t i = 0; i < first->call.n_parts; i++) {
        const uint32_t *ranks;
        struct part part = first->call.parts[i];
        uint32_t n = carried_out_let_go(engine, collective_instance(engine, part.collective),
                                        part.member, &ranks);
        blocked_try_ranks(engine, ranks, n);
    }
    try_again(engine, first);
    return true;
}

void blocked_begin(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    uint32_t n_conditions;
    state->blocked_ns = now_ns;
    state->ready_ns = PAG_NOT_KNOWN;
    state->phase = SIMULATION_BLOCKED;
    prediction_of(engine)->n_blocked++;
    if (gather(engine, location, &n_conditions))
        settle(engine, location, n_conditions, now_ns);
    else
        prediction_of(engine)->n_blocked_sends += is_blocked_sending(state, &location->call);
    carried_out_wait(engine, location, now_ns, state->ready_ns, state->work_after);
}

void blocked_step(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    const uint32_t *ranks;
    uint32_t n_ranks, n_conditions;
    if (!carried_out_step(engine, location, now_ns, &ranks, &n_ranks))
        return;
    attention_give(engine, location, now_ns);
    if (gather(engine, location, &n_conditions))
        settle(engine, location, n_conditions, now_ns);
    carried_out_wait(engine, location, now_ns, state->ready_ns, state->work_after);
    blocked_try_ranks(engine, ranks, n_ranks);
}

// --- from messages and members of collective operations to conditions

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
    condition->luck = times->luck;
    condition->sender = message->sender;
    condition->receiver = message->receiver;
    condition->sender_site = times->sender_site;
    condition->receiver_site = times->receiver_site;
    if (times->is_rendezvous) { // it begins to move now, or when its receive was posted
        condition->sender_site = site_of(prediction_of(engine), message->sender);
        condition->receiver_site = site_of(prediction_of(engine), message->receiver);
    }
    condition->is_rendezvous = times->is_rendezvous;
    if (is_posting && times->needs_attendance) {
        condition->needs_attendance = true;
        condition->recorded_ns = times->is_rendezvous ? times->recorded_post_ns : 0;
        condition->time_ns = message_attended_ns(engine, index);
    }
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
    condition->are_scattered = carried_out_are_scattered(engine, part);
    condition->luck = noise_luck(prediction_of(engine)->scenario->settings->draw,
                                 NOISE_OF_COLLECTIVE, instance->communicator, instance->sequence);
}

/// Whether the sender of a message waited for a receiver that has come.
static bool is_released(const struct engine *engine, uint32_t index)
{
    const struct message *message = message_at(engine, index);
    const struct message_simulation *times = &prediction_of(engine)->messages[index];
    if (times->needs_attendance && message_attended_ns(engine, index) == UINT64_MAX)
        return false;
    return times->is_rendezvous ? message->is_matched || times->knows_receive
                                : times->needs_attendance;
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
        if (is_released(engine, call->sends[i]))
            add_message(engine, call->sends[i], CONDITION_POSTING, &n_conditions);
    for (uint32_t i = 0; i < call->n_parts; i++)
        add_part(engine, call, call->parts[i], &n_conditions);
    return n_conditions;
}

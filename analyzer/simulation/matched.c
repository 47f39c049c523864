// SPDX-License-Identifier: BSD-3-Clause
// What matching tells in a simulated run (pag/hooks.h).
#include "analyzer/pag/hooks.h"
#include "analyzer/simulation/prediction.h"

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/cut_messages.h"
#include "analyzer/simulation/change/drop_sync.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/cost/recorded.h"
#include "analyzer/simulation/state.h"
#include "analyzer/simulation/steps.h"

static bool is_alone(const struct engine *engine, const struct location_state *location,
                     uint64_t now_ns)
{
    return simulated_location(engine, location)->n_departing == 0 &&
           !scheduler_has_others(prediction_of(engine)->scheduler, location->index, now_ns);
}

static bool needs_attendance(const struct prediction *prediction, const struct message *message,
                             uint64_t size_bytes)
{
    const struct cost_model *costs = prediction->costs;
    return sends_may_be_buffered(message) && costs->needs_attendance &&
           costs->needs_attendance(prediction, site_of(prediction, message->sender),
                                   site_of(prediction, message->receiver), size_bytes);
}

/// Whether CALL starts persistent requests, of sends in what mode ever.
static bool is_start(const struct engine *engine, const struct call *call)
{
    return !call->is_bare && region_at(engine, call->region)->mpi == MPI_FUNCTION_START;
}

/// Whether MESSAGE, of TIMES, which CALL sends, moves only while its receiver is in MPI, by what is
/// known of the MPI library, unless the recording shows otherwise. Without calls that wait later
/// all that depends on it is as it was in the recording.
static bool may_be_held(const struct engine *engine, const struct call *call,
                        const struct message *message, const struct message_simulation *times)
{
    const struct prediction *prediction = prediction_of(engine);
    const struct scenario *scenario = prediction->scenario;
    bool is_remote = scopes_is_remote(&scenario->scopes, site_of(prediction, message->sender),
                                      site_of(prediction, message->receiver));
    bool is_kind = sends_may_be_buffered(message) ||
                   (is_start(engine, call) && message->sender != message->receiver);
    return scenario->overlaps != 0 && times->size_bytes > scenario->held_bytes && is_kind &&
           (!is_remote || times->is_rendezvous) &&
           !recorded_is_unattended(prediction->recorded, is_remote, times->size_bytes);
}

/// The sender of MESSAGE, of TIMES, waits for its receiver no longer, unless it has to.
static void free_sender(const struct prediction *prediction, const struct message *message,
                        struct message_simulation *times)
{
    uint64_t eager_bytes = prediction->scenario->settings->eager_bytes;
    bool waits = times->is_rendezvous || times->needs_attendance;
    if (!waits || eager_bytes == PAG_NOT_KNOWN || times->size_bytes > eager_bytes ||
        !sends_may_be_buffered(message))
        return;
    times->is_freed = true;
    times->is_rendezvous = times->needs_core = times->needs_attendance = false;
}

static bool waits_later(struct engine *engine, const struct location_state *location)
{
    return prediction_of(engine)->overlap && overlap_waits_later(engine, location);
}

static void sent(struct engine *engine, struct location_state *location, uint32_t index,
                 const struct event *event)
{
    struct prediction *prediction = prediction_of(engine);
    const struct call *call = &location->call;
    struct message *message = message_at(engine, index);
    struct location_simulation *state = simulated_location(engine, location);
    uint64_t size_bytes;
    message->is_left_out =
        left_out_message(engine, location, event, location->rank, message->receiver, &size_bytes);
    prediction->messages = array_reserve(prediction->messages, &prediction->message_capacity,
                                         index + 1, sizeof *prediction->messages);
    bool may_carry = prediction->migration && !message->is_of_window;
    uint64_t added_bytes = may_carry ? migration_sent(engine, location, index) : 0;
    prediction->messages[index] = (struct message_simulation){
        .recorded_send_ns = call->recorded_enter_ns,
        .departed_ns = PAG_NOT_KNOWN,
        .arrived_ns = PAG_NOT_KNOWN,
        .number = prediction->n_sent++,
        .size_bytes = size_bytes + added_bytes,
        .follows_ns = PAG_NOT_KNOWN,
        .taken_ns = PAG_NOT_KNOWN,
        .luck = prediction->n_drawn
                    ? noise_luck(prediction->scenario->settings->draw, NOISE_OF_MESSAGE,
                                 location->rank, prediction->n_drawn[location->rank]++)
                    : NOISE_WHOLE,
        .is_rendezvous = message->is_synchronous ||
                         (!message->is_of_window &&
                          prediction->costs->is_rendezvous(
                              prediction, site_of(prediction, message->sender),
                              site_of(prediction, message->receiver), size_bytes + added_bytes)),
    };
    struct message_simulation *times = &prediction->messages[index];
    times->needs_core =
        attention_is_needed(prediction, message, times->size_bytes, times->is_rendezvous);
    times->needs_attendance = times->needs_core ||
                              needs_attendance(prediction, message, times->size_bytes) ||
                              may_be_held(engine, call, message, times);
    free_sender(prediction, message, times);
    if (!prediction->costs->departs_at_enter) // the size tells
        message->is_synchronous = message->awaits_receiver =
            prediction->messages[index].is_rendezvous;
    message->send_ns = message->send_ns - call->recorded_enter_ns + call->enter_ns;
    message->send_leave_ns = PAG_NOT_KNOWN; // until the call is left
    simulated_of(engine)->left_out.n_messages += message->is_left_out;
    simulated_of(engine)->left_out.n_resized +=
        !message->is_left_out && size_bytes != message->size_bytes;
    if (message->is_left_out)
        return;
    *ARRAY_NEXT(state->departing, state->n_departing, state->departing_capacity) = index;
}

static void posted(struct engine *engine, struct location_state *location, uint32_t receive,
                   const struct event *event)
{
    struct prediction *prediction = prediction_of(engine);
    prediction->postings = array_reserve(prediction->postings, &prediction->receive_capacity,
                                         receive + 1, sizeof *prediction->postings);
    prediction->postings[receive] = (struct posting_simulation){
        .recorded_ns = location->call.recorded_enter_ns,
        .event = event->kind == EVENT_IRECV_REQUEST ? moved_number(engine, location, event)
                                                    : PAG_NOT_KNOWN,
    };
}

static void received(struct engine *engine, struct location_state *location, uint32_t index,
                     uint32_t source, const struct event *event)
{
    struct receive *receive = receive_at(engine, index);
    uint64_t size_bytes;
    receive->is_left_out =
        left_out_message(engine, location, event, source, location->rank, &size_bytes);
    if (receive->is_left_out)
        moved_tell_left_out(engine, location->index, prediction_of(engine)->postings[index].event);
}

static void matched(struct engine *engine, uint32_t message_index, uint32_t receive)
{
    struct prediction *prediction = prediction_of(engine);
    const struct message *message = message_at(engine, message_index);
    prediction->messages[message_index].recorded_post_ns =
        prediction->postings[receive].recorded_ns;
    blocked_try_again(engine, message->receiver);
    if (prediction->messages[message_index].is_rendezvous) {
        if (!prediction->messages[message_index].knows_receive) {
            transfers_ready(engine, message_index);
            attention_wanted(engine, message_index);
        }
        blocked_try_again(engine, message->sender);
    }
}

static void entered(struct engine *engine, struct collective *instance, uint32_t member)
{
    if (instance->members[member].recorded_in_ns > instance->recorded_last_ns)
        instance->recorded_last_ns = instance->members[member].recorded_in_ns;
    uint8_t class = instance->members[member].class_;
    carried_out_entered(engine, instance, member);
    bool is_whole = !prediction_of(engine)->collectives; // not message by message
    bool needs_all = class == COLLECTIVE_BARRIER || class == COLLECTIVE_ALL_TO_ALL ||
                     (is_whole && class == COLLECTIVE_ALL_TO_ONE);
    bool needs_root =
        is_whole && class == COLLECTIVE_ONE_TO_ALL && !instance->members[member].is_root;
    if ((needs_all || needs_root) && instance->n_entered < instance->n_members)
        return;
    // Those that wait look at the first that has not come, which may have ended without it.
    if (instance->is_finalize && instance->n_entered < instance->n_members &&
        !engine
             ->ranks[collective_world_rank(engine, instance->communicator, instance->first_missing)]
             .has_ended)
        return;
    if (is_whole && instance->n_scans == instance->n_entered) {
        // No rank waits for a higher one, and all wait for the lowest that has not come.
        for (uint32_t i = member + 1; i < instance->first_missing; i++)
            blocked_try_again(engine, instance->members[i].rank);
        return;
    }
    for (uint32_t i = 0; i < instance->n_members; i++)
        if (instance->members[i].has_entered && i != member)
            blocked_try_again(engine, instance->members[i].rank);
}

static void operation_posted(struct engine *engine, struct location_state *location,
                             uint32_t posting, const struct event *event)
{
    struct prediction *prediction = prediction_of(engine);
    prediction->operations = array_reserve(prediction->operations, &prediction->operation_capacity,
                                           posting + 1, sizeof *prediction->operations);
    prediction->operations[posting] = (struct posted_operation){
        path_mark(engine, location, location->call.path), moved_number(engine, location, event)};
}

static void operation_completed(struct engine *engine, struct location_state *location,
                                const struct collective *instance, struct member *member,
                                uint32_t posting, const struct event *event)
{
    member->end_ns = UINT64_MAX; // in_call_leave() says more
    if (!event)
        return;
    struct posted_operation operation = {.event = PAG_NOT_KNOWN};
    if (posting == NONE)
        operation.mark = path_mark(engine, location, location->call.path);
    else
        operation = prediction_of(engine)->operations[posting];
    if (!left_out_member(engine, location, instance, member, event, operation.event,
                         operation.mark) ||
        !instance)
        return;
    const uint32_t *ranks;
    uint32_t n =
        carried_out_let_go(engine, instance, (uint32_t)(member - instance->members), &ranks);
    blocked_try_ranks(engine, ranks, n);
}

const struct engine_hooks simulation_hooks = {
    .waits_later = waits_later,
    .attends = blocked_attended,
    .is_alone = is_alone,
    .sent = sent,
    .posted = posted,
    .received = received,
    .matched = matched,
    .entered = entered,
    .operation_posted = operation_posted,
    .operation_completed = operation_completed,
    .decides = carried_out_decides,
    .is_held = carried_out_is_held,
    .over = left_out_over,
    .closed = carried_out_over,
};

// SPDX-License-Identifier: BSD-3-Clause
// A location of a simulated run outside MPI and in a call (see steps.h).
#include "analyzer/simulation/steps.h"

#include "analyzer/base/memory.h"
#include "analyzer/pag/window.h"
#include "analyzer/simulation/change/aggregate.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/change/relocation.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/state.h"

// --- in a call

/// Whether the message that departs by LOCATION's open call is still there. If no call waited for
/// it, another message may have its place now.
static bool is_departing(const struct engine *engine, const struct location_state *location,
                         uint32_t index)
{
    const struct message *message = message_at(engine, index);
    return message->sender_location == location->index &&
           message->send_enter_ns == location->call.enter_ns;
}

static void depart(struct engine *engine, const struct location_state *location, uint64_t now_ns)
{
    struct prediction *prediction = prediction_of(engine);
    const struct location_simulation *state = simulated_location(engine, location);
    for (uint32_t i = 0; i < state->n_departing; i++) {
        uint32_t index = state->departing[i];
        struct message_simulation *message = &prediction->messages[index];
        if (message->departed_ns != PAG_NOT_KNOWN || !is_departing(engine, location, index))
            continue;
        message->departed_ns = now_ns;
        message->sender_site = site_of(prediction, message_at(engine, index)->sender);
        message->receiver_site = site_of(prediction, message_at(engine, index)->receiver);
        if (prediction->aggregation && !message_at(engine, index)->is_of_window)
            message->follows_ns = aggregation_departed(engine, index, now_ns);
        transfers_ready(engine, index);
        attention_wanted(engine, index);
        blocked_try_again(engine, message_at(engine, index)->receiver);
    }
}

static bool may_wait(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    if (call->is_cut)
        return false;
    if (call->n_receives > 0 ||
        simulated_location(engine, location)->probe.communicator != EVENT_NO_INDEX)
        return true;
    for (uint32_t i = 0; i < call->n_sends; i++)
        if (send_waits(engine, call->sends[i]))
            return true;
    for (uint32_t i = 0; i < call->n_parts; i++)
        if (part_waits(engine, call->parts[i]))
            return true;
    return false;
}

/// Whether CALL, for a file, has no messages or operations in which it waits for other ranks.
static bool call_is_alone(const struct engine *engine, const struct call *call)
{
    for (uint32_t i = 0; i < call->n_records; i++)
        if ((call->records[i].flags & EVENT_OF_FILE) == 0)
            return false;
    for (uint32_t i = 0; i < call->n_parts; i++)
        if (part_waits(engine, call->parts[i]))
            return false;
    return true;
}

/// Whether CALL is MPI_Init or MPI_Finalize, or all it completes creates or destroys handles.
static bool is_handle(const struct engine *engine, const struct call *call)
{
    if (call->is_init || call->is_finalize)
        return true;
    // A rank without a core also waited for one; of its call the own time is known.
    if (call->is_file && call_is_alone(engine, call))
        return !prediction_of(engine)->notes;
    if (call->n_left_out > 0 && call->n_left_out == call->n_records)
        return false;
    for (uint32_t i = 0; i < call->n_parts; i++) {
        const struct collective *instance = collective_instance(engine, call->parts[i].collective);
        if (instance->members[call->parts[i].member].class_ != COLLECTIVE_HANDLE)
            return false;
    }
    return call->n_parts > 0 && call->n_receives + call->n_sends == 0;
}

/// Where the messages of the open call go to that have an overhead of their own.
static void find_receivers(struct engine *engine, struct location_simulation *state)
{
    const struct prediction *prediction = prediction_of(engine);
    state->receivers = array_reserve(state->receivers, &state->receivers_capacity,
                                     state->n_departing, sizeof *state->receivers);
    for (uint32_t i = 0; i < state->n_departing; i++) {
        uint32_t index = state->departing[i];
        if (!prediction->aggregation || message_at(engine, index)->is_of_window ||
            !aggregation_follows(engine, index))
            state->receivers[state->n_receivers++] =
                site_of(prediction, message_at(engine, index)->receiver);
    }
}

static void open_call(struct location_simulation *state)
{
    state->phase = SIMULATION_ENTERED;
    state->n_departing = state->n_receivers = 0;
    state->n_receives_seen = state->n_sends_seen = state->n_parts_seen = 0;
    state->gives_up = state->has_unknown_partner = state->is_late = state->is_put_off = false;
    state->n_late_calls = 0;
    state->probe = (struct probe){.communicator = EVENT_NO_INDEX};
    state->polling.of_call_ns = 0;
    state->call_wait_ns = 0;
}

/// LOCATION enters a call by EVENT.
static void in_call_enter(struct engine *engine, struct location_state *location,
                          const struct event *event, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct prediction *prediction = prediction_of(engine);
    open_call(state);
    state->computation.is_stretch_over = false;
    const struct event entered = *event; // reading ahead may move it
    prediction->entering = location->index;
    step_enter_call(engine, location, event, now_ns);
    prediction->entering = NONE;
    if (state->n_departing > 0)
        find_receivers(engine, state);
    state->probe = probe_of(engine, location, &entered);
    bool takes_no_time =
        polling_takes_no_time(engine, location, &entered) || state->probe.is_left_out;
    state->n_call_events = location->call.is_bare ? 0 : 1 + location->call.n_skip;
    if (prediction->n_blocked_sends > 0 && engine->ranks[location->rank].n_unresolved_posts > 0)
        blocked_try_all_again(engine);
    // Start-up and end are mostly waiting for daemons: they take their time, but no core.
    state->is_handle = is_handle(engine, &location->call);
    state->is_waiting = !location->call.is_cut && (state->is_handle || may_wait(engine, location));
    if (prediction->costs->departs_at_enter)
        depart(engine, location, now_ns);
    state->recorded_attend_ns = 0;
    if (prediction->attendance && location->call.n_sends > 0)
        rank_notes_at(prediction->attendance, location->rank, location->call.recorded_leave_ns,
                      &state->recorded_attend_ns);
    struct simulated_call call = call_description(engine, location);
    if (prediction->overlap && overlap_puts_off(engine, location, &call)) {
        state->is_put_off = true;
        state->is_waiting = call.is_waiting = false;
        call.recorded_work_ns = 0;
    }
    // Messages that follow others cost nothing beyond the first one.
    if (takes_no_time || (state->n_departing > 0 && state->n_receivers == 0))
        call.recorded_work_ns = 0;
    if (call.is_finalize) {
        prediction->n_finalized++;
        prediction->last_finalize_ns = now_ns; // calls are entered in the order of time
    }
    pag_work work = file_time(engine, location,
                              prediction->costs->work_before(prediction, &call, state->receivers));
    if (prediction->migration)
        migration_worked(engine, location, work);
    if (state->is_waiting && work == 0) {
        in_call_await(engine, location, now_ns);
        return;
    }
    enum scheduler_turn turn = state->is_waiting ? TURN_FIRST : TURN_LEAVE;
    scheduler_work(prediction->scheduler, location->index, now_ns, work,
                   location->call.is_cut ? TURN_LAST : turn);
}

/// When an event inside the call, recorded at RECORDED_NS, happens now (pag_moved).
static uint64_t inside(const struct location_state *location, uint64_t recorded_ns,
                       bool has_completed)
{
    const struct call *call = &location->call;
    uint64_t length_ns = call->leave_ns - call->enter_ns;
    uint64_t passed_ns = recorded_ns - call->recorded_enter_ns;
    uint64_t left_ns =
        recorded_ns < call->recorded_leave_ns ? call->recorded_leave_ns - recorded_ns : 0;
    if (has_completed)
        passed_ns = left_ns < length_ns ? length_ns - left_ns : 0;
    uint64_t time_ns = call->enter_ns + (passed_ns < length_ns ? passed_ns : length_ns);
    return time_ns > location->profile.last_ns ? time_ns : location->profile.last_ns;
}

/// The operations that the call completes end where their records go.
static void end_operations(struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    for (uint32_t i = 0; i < call->n_records; i++) {
        const struct event *event = &call->records[i];
        if (event->kind != EVENT_COLLECTIVE_END && event->kind != EVENT_COLLECTIVE_COMPLETE)
            continue;
        uint64_t before_ns = inside(location, call->before_completion_ns, false);
        uint64_t time_ns = inside(location, event->time_ns, true);
        collective_ended(engine, call, event->time_ns, time_ns > before_ns ? time_ns : before_ns);
    }
}

void in_call_leave(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct call *call = &location->call;
    call->leave_ns = now_ns;
    call->gave_up = true; // members that have not come by now are not waited for
    state->overhead_ns += now_ns - call->enter_ns - state->call_wait_ns;
    if (!state->is_waiting)
        state->lost_ns +=
            call_recorded_ns(engine, location) - call_recorded_work_ns(engine, location);
    for (uint32_t i = 0; i < state->n_departing; i++) {
        struct message *message = message_at(engine, state->departing[i]);
        if (!is_departing(engine, location, state->departing[i]))
            continue;
        message->send_leave_ns = now_ns;
        if (message->send_ns > now_ns) // the call is shorter than it was up to this record
            message->send_ns = now_ns;
    }
    if (prediction_of(engine)->migration)
        migration_left(engine, location);
    if (prediction_of(engine)->aggregation)
        aggregation_left(engine, location);
    if (state->is_late) {
        state->n_late_calls = overlap_leave(engine, location, now_ns);
        state->n_call_events = 0;
        moved_tell_call(engine, location, call->recorded_leave_ns, now_ns);
        outside_begin(engine, location, now_ns, call->recorded_leave_ns);
        return;
    }
    end_operations(engine, location);
    uint64_t recorded_ns = call->recorded_leave_ns;
    const struct event *event;
    bool has_completed = false;
    for (bool is_over = false; !is_over;) {
        event = event_ahead(engine, location, 0);
        if (!event) {
            state->computation.recorded_now_ns = recorded_ns;
            moved_tell_call(engine, location, recorded_ns, now_ns);
            profile_account(&location->profile, now_ns);
            outside_end_location(engine, location, now_ns);
            return;
        }
        is_over = call->is_bare || (event->kind == EVENT_LEAVE && call->n_nested == 0);
        recorded_ns = event->time_ns;
        state->n_call_events++;
        has_completed = has_completed || event_completes(event);
        step_in_call(engine, location, event,
                     is_over ? now_ns : inside(location, recorded_ns, has_completed));
    }
    if (call->has_cpu_inside && !prediction_of(engine)->counts_wall_time)
        cpu_span_see(&state->computation.cpu, call->cpu_inside_ns);
    moved_tell_call(engine, location, recorded_ns, now_ns);
    outside_begin(engine, location, now_ns, recorded_ns);
}

/// LOCATION enters the call that stands for those that were put off (overlap_begin), and waits.
static void in_call_enter_late(struct engine *engine, struct location_state *location,
                               uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    open_call(state);
    state->is_late = state->is_waiting = true;
    state->is_handle = false;
    state->recorded_attend_ns = 0;
    in_call_await(engine, location, now_ns);
}

void in_call_await(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    attention_give(engine, location, now_ns);
    if (!prediction_of(engine)->costs->departs_at_enter)
        depart(engine, location, now_ns);
    if (state->is_waiting)
        blocked_begin(engine, location, now_ns);
    else
        in_call_leave(engine, location, now_ns);
}

// --- outside MPI

void outside_begin(struct engine *engine, struct location_state *location, uint64_t now_ns,
                   uint64_t recorded_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct prediction *prediction = prediction_of(engine);
    state->phase = SIMULATION_OUTSIDE;
    state->has_passed = false;
    state->outside_wait_ns = 0;
    const struct event *event = computation_read(engine, location, now_ns, recorded_ns);
    if (prediction->n_drawn && location->rank != NONE)
        computation_add_noise(engine, location);
    state->outside_work += state->computation.work;
    state->lost_ns += state->computation.lost_ns;
    state->recording_ns += state->computation.recording_ns;
    bool is_last = !event || event->kind == EVENT_THREAD_JOIN;
    scheduler_work(prediction->scheduler, location->index, now_ns, state->computation.work,
                   is_last ? TURN_LAST : TURN_FIRST);
}

void outside_end_location(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct prediction *prediction = prediction_of(engine);
    state->phase = SIMULATION_ENDED;
    location->profile.last_ns = now_ns;
    step_end(engine, location);
    location->recorded_end_ns = state->computation.recorded_now_ns;
    if (prediction->costs->ended)
        prediction->costs->ended(prediction, location->index, now_ns);
    scheduler_end(prediction->scheduler, location->index, now_ns);
    computation_release(&state->computation);
    FREE_ALL(state->departing, state->receivers);
    state->departing = state->receivers = NULL;
    if (location->rank == NONE)
        return;
    if (location->is_master)
        simulated_of(engine)->ranks[location->rank] = (struct simulated_rank){
            .work_ns = (uint64_t)(state->outside_work / PAG_WORK_PER_NS),
            .outside_ns = state->outside_ns,
            .wait_ns = state->wait_ns,
            .overhead_ns = state->overhead_ns,
            .lost_ns = state->lost_ns,
            .recording_ns = state->recording_ns,
        };
    if (engine->ranks[location->rank].has_ended)
        blocked_try_all_again(engine);
}

/// How long RANK takes up to MPI_Init at least: it has WORK to do until then, and was LOST_NS
/// without a core in the recording. What keeps a process that starts from its core is not recorded,
/// but whose work it can have been: of a rank that shared its cores that of the others, as
/// recorded_process_time() sees to, which takes less time on faster cores. Of one that had cores
/// enough it was no rank's, and stays as long.
static uint64_t start_length(const struct prediction *prediction, uint32_t rank, pag_work work,
                             uint64_t lost_ns)
{
    const struct scenario *scenario = prediction->scenario;
    pag_work speed = scenario->groups[scenario->group_of_rank[site_of(prediction, rank)]].speed;
    pag_work scaled = work;
    if (recorded_is_oversubscribed(prediction->recorded, rank)) {
        scaled += (pag_work)lost_ns * PAG_WORK_PER_NS;
        lost_ns = 0;
    }
    scaled = scaled * SCHEDULER_FULL_SPEED / speed;
    return (uint64_t)(scaled / PAG_WORK_PER_NS) + lost_ns;
}

/// Whether LOCATION, which has done its work before EVENT, waits yet: blocked, or, about to start
/// MPI, for time up to there that was no process time.
static bool passes_without_core(struct engine *engine, struct location_state *location,
                                const struct event *event, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct prediction *prediction = prediction_of(engine);
    const struct computation *computation = &state->computation;
    bool starts = !state->has_started && location->rank != NONE && event &&
                  event->kind == EVENT_ENTER &&
                  region_at(engine, event->index)->mpi == MPI_FUNCTION_INIT;
    uint64_t until_ns = now_ns + computation->blocked_ns;
    if (state->has_passed)
        return false;
    state->has_passed = true;
    if (starts && computation->lost_ns > 0) {
        uint64_t start_ns =
            computation->begin_ns + computation->blocked_ns +
            start_length(prediction, location->rank, computation->work, computation->lost_ns);
        until_ns = start_ns > until_ns ? start_ns : until_ns;
    }
    state->has_started = state->has_started || starts;
    if (until_ns == now_ns)
        return false;
    state->outside_wait_ns = until_ns - now_ns;
    state->wait_ns += state->outside_wait_ns;
    scheduler_wait(prediction->scheduler, location->index, now_ns, until_ns, 0);
    return true;
}

void outside_is_over(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    const struct event *event = event_ahead(engine, location, 0);
    if (passes_without_core(engine, location, event, now_ns))
        return;
    state->outside_ns += now_ns - state->computation.begin_ns - state->outside_wait_ns;
    computation_close(engine, location, now_ns);
    moved_tell_outside(engine, location, now_ns);
    if (event && teams_decide(engine, location, event)) {
        teams_await(engine, location, now_ns);
        return;
    }
    if (prediction_of(engine)->site_of_rank && relocation_begin(engine, location, event, now_ns))
        return;
    if (prediction_of(engine)->overlap &&
        overlap_begin(engine, location, event, state->computation.recorded_now_ns, now_ns)) {
        in_call_enter_late(engine, location, now_ns);
        return;
    }
    if (prediction_of(engine)->overlap) // it has looked ahead, which moves events
        event = event_ahead(engine, location, 0);
    if (!event) {
        outside_end_location(engine, location, now_ns);
    } else if (event_is_of_threads(event) || event_is_switch(event)) {
        const struct event passed = *event;
        if (event_is_switch(event)) {
            gap_event(engine, location, event, now_ns);
        } else {
            profile_account(&location->profile, now_ns);
            threads_event(engine, location, event, now_ns);
        }
        location->cursor->position++;
        moved_tell_event(engine, location, passed.time_ns, now_ns);
        teams_event(engine, location, &passed, now_ns);
        outside_begin(engine, location, now_ns, passed.time_ns);
    } else {
        in_call_enter(engine, location, event, now_ns);
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// The replay in simulated time. Each location goes through its phases; the clock says when each of
// them is over, in the order of time. A call whose partners have not all come blocks its location
// until matching says that the last one has: then its conditions are complete, the clock says from
// when on they are met, and the location goes on by itself. The matching itself, the settling of
// calls and all that is found are those of the measured replay.
#include "analyzer/pag/simulation/simulation.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/engine.h"
#include "analyzer/pag/simulation/aggregation.h"
#include "analyzer/pag/simulation/carried_out.h"
#include "analyzer/pag/simulation/migration.h"
#include "analyzer/pag/simulation/moved.h"
#include "analyzer/pag/simulation/overlap.h"
#include "analyzer/pag/transfers.h"

enum { TURNS_PER_REPORT = 4096 }; // between two calls of listener.reached

struct simulation *simulation_new(struct engine *engine, const struct pag_clock *clock)
{
    struct simulation *simulation = memory_zeroed(1, sizeof *simulation);
    simulation->clock = clock;
    simulation->entering = NONE;
    simulation->locations = memory_zeroed(engine->n_locations, sizeof *simulation->locations);
    engine->result->simulated = memory_zeroed(engine->n_ranks, sizeof *engine->result->simulated);
    for (size_t i = 0; i < engine->n_locations; i++)
        simulation->locations[i].interval = (struct interval){0};
    left_out_init(&simulation->left_out);
    simulation->migration = migration_new(clock, engine->n_locations);
    simulation->overlap = overlap_new(clock, engine->n_locations);
    simulation->aggregation = aggregation_new(clock, engine->n_ranks);
    return simulation;
}

void simulation_free(struct simulation *simulation)
{
    if (!simulation)
        return;
    free(simulation->locations);
    free(simulation->messages);
    free(simulation->postings);
    free(simulation->conditions);
    free(simulation->transfers);
    free(simulation->arrived);
    left_out_release(&simulation->left_out);
    migration_free(simulation->migration);
    overlap_free(simulation->overlap);
    aggregation_free(simulation->aggregation);
    free(simulation);
}

static struct location_simulation *state_of(const struct engine *engine,
                                            const struct location_state *location)
{
    return &engine->simulation->locations[location->index];
}

/// Recorded length of the open call, with polls before it that are a part of it.
static uint64_t recorded_length(const struct engine *engine, const struct location_state *location)
{
    return location->call.recorded_leave_ns - location->call.recorded_enter_ns +
           state_of(engine, location)->polling.of_call_ns;
}

/// CPU time of the open call, at most what went by between the samples around it; its length where
/// there are none.
static uint64_t recorded_work(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    const struct interval *before = &state_of(engine, location)->interval;
    uint64_t length_ns = recorded_length(engine, location);
    bool is_known =
        call->has_cpu_after && before->has_seen_cpu && call->cpu_after_ns >= before->seen_cpu_ns;
    uint64_t cpu_ns = is_known ? call->cpu_after_ns - before->seen_cpu_ns : length_ns;
    return cpu_ns < length_ns ? cpu_ns : length_ns;
}

static struct pag_call describe(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    const struct location_simulation *state = state_of(engine, location);
    const struct pag_clock *clock = engine->simulation->clock;
    struct pag_call described = {
        .sent_bytes =
            state->n_departing == 1 ? message_at(engine, state->departing[0])->size_bytes : 0,
        .location = location->index,
        .rank = location->rank,
        .recorded_enter_ns = call->recorded_enter_ns - state->polling.of_call_ns,
        .recorded_leave_ns = call->recorded_leave_ns,
        .recorded_work_ns = recorded_work(engine, location),
        .enter_ns = call->enter_ns,
        .n_sent = state_of(engine, location)->n_receivers,
        .n_records = call->n_records,
        .n_left_out = call->n_left_out,
        .is_waiting = state_of(engine, location)->is_waiting,
        .is_finalize = call->is_finalize,
        .is_handle = state_of(engine, location)->is_handle,
    };
    if (clock->own_work && location->is_master)
        described.recorded_work_ns = clock->own_work(clock->context, &described);
    return described;
}

/// When what of the open call, which sends, was its location's own began in the recording.
static uint64_t own_since_ns(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    const struct pag_clock *clock = engine->simulation->clock;
    if (!clock->own_work || !location->is_master)
        return call->recorded_enter_ns;
    const struct pag_call sending = {
        .location = location->index,
        .rank = location->rank,
        .recorded_enter_ns = call->recorded_enter_ns,
        .recorded_leave_ns = call->recorded_leave_ns,
        .recorded_work_ns = call->recorded_leave_ns - call->recorded_enter_ns,
    };
    return call->recorded_leave_ns - clock->own_work(clock->context, &sending);
}

// --- outside MPI

static void go_outside(struct engine *engine, struct location_state *location, uint64_t now_ns,
                       uint64_t recorded_ns)
{
    struct location_simulation *state = state_of(engine, location);
    const struct pag_clock *clock = engine->simulation->clock;
    pag_work work;
    state->phase = SIMULATION_OUTSIDE;
    const struct event *event =
        interval_read(engine, location, &state->interval, now_ns, recorded_ns, &work);
    state->interval_work = work;
    state->outside_work += work;
    state->lost_ns += state->interval.lost_ns;
    bool is_last = !event || event->kind == EVENT_THREAD_JOIN;
    clock->work(clock->context, location->index, now_ns, work,
                is_last ? PAG_TURN_LAST : PAG_TURN_FIRST);
}

static uint64_t least_length(const struct pag_clock *clock, const struct pag_call *call,
                             bool is_unknown)
{
    if (clock->least_length)
        return clock->least_length(clock->context, call, is_unknown);
    return call->recorded_leave_ns - call->recorded_enter_ns;
}

/// LOCATION's call has what it waits for at READY_NS.
static void go_on_at(struct engine *engine, struct location_state *location, uint64_t ready_ns,
                     uint64_t now_ns)
{
    struct location_simulation *state = state_of(engine, location);
    if (engine->simulation->migration)
        migration_worked(engine, location, state->work_after);
    state->ready_ns = ready_ns > now_ns ? ready_ns : now_ns;
    state->call_wait_ns = state->ready_ns - state->blocked_ns;
    state->wait_ns += state->call_wait_ns;
    state->phase = SIMULATION_LEAVING;
}

/// The call's partners have all come: from when on it has what it waits for, and what follows.
static void settle(struct engine *engine, struct location_state *location, uint32_t n_conditions,
                   uint64_t now_ns)
{
    struct simulation *simulation = engine->simulation;
    struct location_simulation *state = state_of(engine, location);
    if (state->is_late) {
        overlap_settle(engine, location, &state->ready_ns, &state->work_after);
        go_on_at(engine, location, state->ready_ns, now_ns);
        return;
    }
    struct pag_call call = describe(engine, location);
    // Where a partner is missing, or cannot be told yet, the call lasts as long as it did at least.
    // Of a call for a file that waits for the device but for its process time.
    bool is_open = n_conditions == 0 || state->has_unknown_partner;
    uint64_t ready_ns = call.enter_ns;
    if (n_conditions > 0)
        simulation->clock->settle(simulation->clock->context, &call, simulation->conditions,
                                  n_conditions, &ready_ns, &state->work_after);
    if (is_open) {
        uint64_t length_ns = least_length(simulation->clock, &call, state->has_unknown_partner);
        uint64_t own_ns = location->call.is_file ? call.recorded_work_ns : 0;
        own_ns = own_ns < length_ns ? own_ns : length_ns;
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
    struct simulation *simulation = engine->simulation;
    struct location_simulation *state = state_of(engine, location);
    uint32_t n_conditions;
    if (state->phase != SIMULATION_BLOCKED)
        return;
    bool was_sending = is_blocked_sending(state, &location->call);
    bool has_all = simulation_gather(engine, location, &n_conditions);
    bool is_sending = !has_all && is_blocked_sending(state, &location->call);
    simulation->n_blocked_sends += (uint32_t)is_sending - (uint32_t)was_sending;
    if (!has_all)
        return;
    settle(engine, location, n_conditions, simulation->now_ns);
    simulation->clock->wake(simulation->clock->context, location->index, state->ready_ns,
                            state->work_after);
}

void simulation_try_again(struct engine *engine, uint32_t rank)
{
    const struct rank_state *state = &engine->ranks[rank];
    for (uint32_t i = 0; i < state->n_locations; i++)
        try_again(engine, &engine->locations[state->first_location + i]);
}

static void try_all_again(struct engine *engine)
{
    for (size_t i = 0; i < engine->n_locations; i++)
        try_again(engine, &engine->locations[i]);
}

static void end(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = state_of(engine, location);
    const struct pag_clock *clock = engine->simulation->clock;
    state->phase = SIMULATION_ENDED;
    location->profile.last_ns = now_ns;
    engine_end_location(engine, location);
    clock->end(clock->context, location->index, now_ns);
    interval_release(&state->interval);
    free(state->departing);
    free(state->receivers);
    state->departing = state->receivers = NULL;
    if (location->rank == NONE)
        return;
    if (location->is_master)
        engine->result->simulated[location->rank] = (struct pag_simulated_rank){
            .work_ns = (uint64_t)(state->outside_work / PAG_WORK_PER_NS),
            .outside_ns = state->outside_ns,
            .wait_ns = state->wait_ns,
            .overhead_ns = state->overhead_ns,
            .lost_ns = state->lost_ns,
        };
    if (engine->ranks[location->rank].has_ended)
        try_all_again(engine);
}

// --- in a call

static void depart(struct engine *engine, struct location_simulation *state, uint64_t now_ns)
{
    struct simulation *simulation = engine->simulation;
    for (uint32_t i = 0; i < state->n_departing; i++) {
        struct message_simulation *message = &simulation->messages[state->departing[i]];
        if (message->departed_ns != PAG_NOT_KNOWN)
            continue;
        message->departed_ns = now_ns;
        if (simulation->aggregation)
            message->follows_ns = aggregation_departed(engine, state->departing[i], now_ns);
        transfers_ready(engine, state->departing[i]);
        simulation_try_again(engine, message_at(engine, state->departing[i])->receiver);
    }
}

static bool may_wait(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    if (call->is_cut)
        return false;
    if (call->n_receives > 0 || state_of(engine, location)->probe.communicator != EVENT_NO_INDEX)
        return true;
    for (uint32_t i = 0; i < call->n_sends; i++)
        if (engine->simulation->messages[call->sends[i]].is_rendezvous)
            return true;
    for (uint32_t i = 0; i < call->n_parts; i++)
        if (simulation_part_waits(engine, call->parts[i]))
            return true;
    return false;
}

static void await(struct engine *engine, struct location_state *location, uint64_t now_ns);

static void begin_call(struct location_simulation *state)
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

static void enter(struct engine *engine, struct location_state *location, const struct event *event,
                  uint64_t now_ns)
{
    struct location_simulation *state = state_of(engine, location);
    const struct pag_clock *clock = engine->simulation->clock;
    begin_call(state);
    state->interval.is_stretch_over = false;
    const struct event entered = *event; // reading ahead may move it
    engine->simulation->entering = location->index;
    engine_enter_call(engine, location, event, now_ns);
    engine->simulation->entering = NONE;
    state->probe = probe_of(engine, location, &entered);
    bool takes_no_time =
        polling_takes_no_time(engine, location, &entered) || state->probe.is_left_out;
    state->n_call_events = location->call.is_bare ? 0 : 1 + location->call.n_skip;
    if (engine->simulation->n_blocked_sends > 0 &&
        engine->ranks[location->rank].n_unresolved_posts > 0)
        try_all_again(engine);
    // Start-up and end are mostly waiting for daemons: they take their time, but no core.
    state->is_handle = simulation_is_handle(engine, &location->call);
    state->is_waiting = !location->call.is_cut && (state->is_handle || may_wait(engine, location));
    if (clock->departs_at_enter)
        depart(engine, state, now_ns);
    struct pag_call call = describe(engine, location);
    if (engine->simulation->overlap && overlap_puts_off(engine, location, &call)) {
        state->is_put_off = true;
        state->is_waiting = call.is_waiting = false;
        call.recorded_work_ns = 0;
    }
    // Messages that follow others cost nothing beyond the first one.
    if (takes_no_time || (state->n_departing > 0 && state->n_receivers == 0))
        call.recorded_work_ns = 0;
    pag_work work = clock->work_before(clock->context, &call, state->receivers);
    if (engine->simulation->migration)
        migration_worked(engine, location, work);
    if (state->is_waiting && work == 0) {
        await(engine, location, now_ns);
        return;
    }
    enum pag_turn turn = state->is_waiting ? PAG_TURN_FIRST : PAG_TURN_LEAVE;
    clock->work(clock->context, location->index, now_ns, work,
                location->call.is_cut ? PAG_TURN_LAST : turn);
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

static void leave(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = state_of(engine, location);
    struct call *call = &location->call;
    call->leave_ns = now_ns;
    call->gave_up = true; // whoever has not come by now is not waited for
    state->overhead_ns += now_ns - call->enter_ns - state->call_wait_ns;
    if (!state->is_waiting)
        state->lost_ns += recorded_length(engine, location) - recorded_work(engine, location);
    for (uint32_t i = 0; i < state->n_departing; i++) {
        struct message *message = message_at(engine, state->departing[i]);
        if (message->sender_location != location->index || message->send_enter_ns != call->enter_ns)
            continue;
        message->send_leave_ns = now_ns;
        if (message->send_ns > now_ns) // the call is shorter than it was up to this record
            message->send_ns = now_ns;
    }
    if (engine->simulation->migration)
        migration_left(engine, location);
    if (engine->simulation->aggregation)
        aggregation_left(engine, location);
    if (state->is_late) {
        state->n_late_calls = overlap_leave(engine, location, now_ns);
        state->n_call_events = 0;
        moved_tell_call(engine, location, call->recorded_leave_ns, now_ns);
        go_outside(engine, location, now_ns, call->recorded_leave_ns);
        return;
    }
    uint64_t recorded_ns = call->recorded_leave_ns;
    const struct event *event;
    bool has_completed = false;
    for (bool is_over = false; !is_over;) {
        event = trace_peek(engine->trace, location->index, location->cursor, 0);
        if (!event) {
            moved_tell_call(engine, location, recorded_ns, now_ns);
            profile_account(location, now_ns);
            end(engine, location, now_ns);
            return;
        }
        is_over = call->is_bare || (event->kind == EVENT_LEAVE && call->n_nested == 0);
        recorded_ns = event->time_ns;
        state->n_call_events++;
        has_completed = has_completed || event_completes(event);
        engine_step_in_call(engine, location, event,
                            is_over ? now_ns : inside(location, recorded_ns, has_completed));
    }
    if (call->has_cpu_inside && !engine->simulation->clock->counts_wall_time)
        interval_see_cpu(&state->interval, call->cpu_inside_ns);
    moved_tell_call(engine, location, recorded_ns, now_ns);
    go_outside(engine, location, now_ns, recorded_ns);
}

/// The work before the wait is done.
static void await(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = state_of(engine, location);
    const struct pag_clock *clock = engine->simulation->clock;
    if (!clock->departs_at_enter)
        depart(engine, state, now_ns);
    if (!state->is_waiting) {
        leave(engine, location, now_ns);
        return;
    }
    uint32_t n_conditions;
    state->blocked_ns = now_ns;
    state->ready_ns = PAG_NOT_KNOWN;
    state->phase = SIMULATION_BLOCKED;
    if (simulation_gather(engine, location, &n_conditions))
        settle(engine, location, n_conditions, now_ns);
    else
        engine->simulation->n_blocked_sends += is_blocked_sending(state, &location->call);
    clock->wait(clock->context, location->index, now_ns, state->ready_ns, state->work_after);
}

// --- the run

/// Whether LOCATION, about to start MPI with EVENT, took time up to there that was no process time:
/// then it waits as long now. What keeps a process that starts from its core is not recorded.
static bool is_starting(struct engine *engine, struct location_state *location,
                        const struct event *event, uint64_t now_ns)
{
    struct location_simulation *state = state_of(engine, location);
    const struct pag_clock *clock = engine->simulation->clock;
    if (state->has_started || state->interval.lost_ns == 0 || location->rank == NONE || !event ||
        event->kind != EVENT_ENTER || region_at(engine, event->index)->mpi != MPI_FUNCTION_INIT)
        return false;
    state->has_started = true;
    uint64_t work_ns = (uint64_t)(state->interval_work / PAG_WORK_PER_NS);
    uint64_t until_ns = state->interval.begin_ns + work_ns + state->interval.lost_ns;
    if (until_ns <= now_ns)
        return false;
    state->start_wait_ns = until_ns - now_ns;
    state->wait_ns += state->start_wait_ns;
    clock->wait(clock->context, location->index, now_ns, until_ns, 0);
    return true;
}

static void outside_is_over(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = state_of(engine, location);
    const struct event *event = trace_peek(engine->trace, location->index, location->cursor, 0);
    if (is_starting(engine, location, event, now_ns))
        return;
    state->outside_ns += now_ns - state->interval.begin_ns - state->start_wait_ns;
    state->start_wait_ns = 0;
    interval_close(engine, location, &state->interval, now_ns);
    moved_tell_outside(engine, location, now_ns);
    if (engine->simulation->overlap &&
        overlap_begin(engine, location, event, state->interval.recorded_now_ns, now_ns)) {
        begin_call(state);
        state->is_late = state->is_waiting = true;
        state->is_handle = false;
        await(engine, location, now_ns);
        return;
    }
    if (engine->simulation->overlap) // it has looked ahead, which moves events
        event = trace_peek(engine->trace, location->index, location->cursor, 0);
    if (!event) {
        end(engine, location, now_ns);
    } else if (event->kind >= EVENT_THREAD_FORK && event->kind <= EVENT_THREAD_TEAM_END) {
        uint64_t recorded_ns = event->time_ns;
        threads_event(engine, location, event, now_ns);
        location->cursor->position++;
        moved_tell_event(engine, location, recorded_ns, now_ns);
        go_outside(engine, location, now_ns, recorded_ns);
    } else {
        enter(engine, location, event, now_ns);
    }
}

static void advance(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    const struct pag_clock *clock = engine->simulation->clock;
    switch (state_of(engine, location)->phase) {
    case SIMULATION_BEFORE:
        engine_begin_location(engine, location, now_ns);
        if (engine->simulation->migration)
            migration_began(engine, location, now_ns);
        go_outside(engine, location, now_ns, now_ns);
        break;
    case SIMULATION_OUTSIDE:
        outside_is_over(engine, location, now_ns);
        break;
    case SIMULATION_ENTERED:
        await(engine, location, now_ns);
        break;
    default: // SIMULATION_LEAVING; the clock knows of no other location that could be done
        if (!clock->works_on(clock->context, location->index, now_ns))
            leave(engine, location, now_ns);
        break;
    }
}

/// Nobody can go on: the call entered first is let go without the partners that have not come.
/// False when there is none.
static bool force(struct engine *engine)
{
    struct location_state *first = NULL;
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct location_state *location = &engine->locations[i];
        if (state_of(engine, location)->phase == SIMULATION_BLOCKED &&
            (!first || location->call.enter_ns < first->call.enter_ns))
            first = location;
    }
    if (!first)
        return false;
    state_of(engine, first)->gives_up = true;
    engine->result->n_forced++;
    try_again(engine, first);
    return true;
}

static void begin(struct engine *engine)
{
    const struct pag_clock *clock = engine->simulation->clock;
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct location_state *location = &engine->locations[i];
        bool is_empty = !trace_peek(engine->trace, i, location->cursor, 0);
        uint64_t first_ns = clock->visit_ps ? 0 : location->next_ns;
        // From now on nobody asks for the time of a location's next event but to find out whether
        // it has ended, or can still come before a time that has passed.
        location->next_ns = UINT64_MAX;
        if (is_empty)
            end(engine, location, 0);
        else
            clock->wait(clock->context, location->index, 0, first_ns, 0);
    }
}

/// Of many locations the one that goes on is in no near cache: asks for all of it at once.
static inline void fetch(const struct engine *engine, uint32_t index)
{
    enum { MANY_LOCATIONS = 16, LINE_BYTES = 64 };
    const struct location_state *location = &engine->locations[index];
    const char *state = (const char *)&engine->simulation->locations[index];
    if (engine->n_locations < MANY_LOCATIONS)
        return;
    for (size_t i = 0; i < sizeof(struct location_simulation); i += LINE_BYTES)
        __builtin_prefetch(state + i, 1);
    for (size_t i = 0; i < sizeof(struct location_state); i += LINE_BYTES)
        __builtin_prefetch((const char *)location + i, 1);
    __builtin_prefetch(location->cursor);
}

void simulation_run(struct engine *engine)
{
    struct simulation *simulation = engine->simulation;
    const struct pag_clock *clock = simulation->clock;
    uint32_t index;
    uint64_t time_ns;
    begin(engine);
    for (uint32_t n_turns = 1;; n_turns++) {
        bool is_any = clock->next(clock->context, &index, &time_ns);
        if (clock->transfer && transfers_begin(engine, is_any ? time_ns : UINT64_MAX))
            continue;
        if (!is_any) {
            if (force(engine))
                continue;
            break;
        }
        simulation->now_ns = time_ns;
        fetch(engine, index);
        advance(engine, &engine->locations[index], simulation->now_ns);
        if (n_turns % TURNS_PER_REPORT == 0 && engine->listener.reached)
            engine->listener.reached(engine->listener.context, simulation->now_ns);
    }
    if (simulation->migration)
        migration_conclude(engine);
}

// --- what matching finds out

bool simulation_is_alone(const struct engine *engine, const struct location_state *location,
                         uint64_t now_ns)
{
    const struct pag_clock *clock = engine->simulation->clock;
    return state_of(engine, location)->n_departing == 0 &&
           !clock->has_others(clock->context, location->index, now_ns);
}

void simulation_sent(struct engine *engine, struct location_state *location, uint32_t index)
{
    struct simulation *simulation = engine->simulation;
    const struct call *call = &location->call;
    struct message *message = message_at(engine, index);
    struct location_simulation *state = state_of(engine, location);
    const struct pag_clock *clock = simulation->clock;
    simulation->messages = array_reserve(simulation->messages, &simulation->message_capacity,
                                         index + 1, sizeof *simulation->messages);
    uint64_t size_bytes = message->size_bytes;
    if (clock->sends)
        clock->sends(clock->context, message->sender, message->receiver, message->tag, &size_bytes);
    uint64_t added_bytes = simulation->migration ? migration_sent(engine, location, index) : 0;
    simulation->messages[index] = (struct message_simulation){
        .recorded_send_ns = call->recorded_enter_ns,
        .recorded_since_ns = own_since_ns(engine, location),
        .departed_ns = PAG_NOT_KNOWN,
        .arrived_ns = PAG_NOT_KNOWN,
        .number = simulation->n_sent++,
        .size_bytes = size_bytes,
        .added_bytes = added_bytes,
        .follows_ns = PAG_NOT_KNOWN,
        .is_rendezvous = message->is_synchronous ||
                         clock->is_rendezvous(clock->context, message->sender, message->receiver,
                                              size_bytes + added_bytes),
    };
    if (!clock->departs_at_enter) // the size tells
        message->is_synchronous = simulation->messages[index].is_rendezvous;
    message->send_ns = message->send_ns - call->recorded_enter_ns + call->enter_ns;
    engine->result->n_left_out_messages += message->is_left_out;
    engine->result->n_resized_messages +=
        !message->is_left_out && size_bytes != message->size_bytes;
    if (message->is_left_out)
        return;
    state->departing = array_reserve(state->departing, &state->departing_capacity,
                                     state->n_departing + 1, sizeof *state->departing);
    state->receivers = array_reserve(state->receivers, &state->receivers_capacity,
                                     state->n_receivers + 1, sizeof *state->receivers);
    if (!simulation->aggregation || !aggregation_sent(engine, index))
        state->receivers[state->n_receivers++] = message->receiver;
    state->departing[state->n_departing++] = index;
}

void simulation_posted(struct engine *engine, struct location_state *location, uint32_t receive,
                       const struct event *event)
{
    struct simulation *simulation = engine->simulation;
    simulation->postings = array_reserve(simulation->postings, &simulation->receive_capacity,
                                         receive + 1, sizeof *simulation->postings);
    simulation->postings[receive] = (struct posting_simulation){
        .recorded_ns = location->call.recorded_enter_ns,
        .event = event->kind == EVENT_IRECV_REQUEST ? moved_number(engine, location, event)
                                                    : PAG_NOT_KNOWN,
    };
}

void simulation_matched(struct engine *engine, uint32_t message_index, uint32_t receive)
{
    struct simulation *simulation = engine->simulation;
    const struct message *message = message_at(engine, message_index);
    simulation->messages[message_index].recorded_post_ns =
        simulation->postings[receive].recorded_ns;
    simulation_try_again(engine, message->receiver);
    if (simulation->messages[message_index].is_rendezvous) {
        if (!simulation->messages[message_index].has_taker)
            transfers_ready(engine, message_index);
        simulation_try_again(engine, message->sender);
    }
}

void simulation_entered(struct engine *engine, const struct collective *instance, uint32_t member)
{
    uint8_t class = instance->members[member].class_;
    carried_out_entered(engine, instance, member);
    bool is_whole = !engine->simulation->clock->entered; // not message by message
    bool needs_all = class == COLLECTIVE_BARRIER || class == COLLECTIVE_ALL_TO_ALL ||
                     (is_whole && class == COLLECTIVE_ALL_TO_ONE);
    bool needs_root =
        is_whole && class == COLLECTIVE_ONE_TO_ALL && !instance->members[member].is_root;
    if ((needs_all || needs_root) && instance->n_entered < instance->n_members)
        return;
    if (is_whole && instance->n_scans == instance->n_entered) {
        // Nobody waits for a higher one, and all wait for the lowest that has not come.
        for (uint32_t i = member + 1; i < instance->first_missing; i++)
            simulation_try_again(engine, instance->members[i].rank);
        return;
    }
    for (uint32_t i = 0; i < instance->n_members; i++)
        if (instance->members[i].has_entered && i != member)
            simulation_try_again(engine, instance->members[i].rank);
}

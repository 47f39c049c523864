// SPDX-License-Identifier: BSD-3-Clause
// Calls that are waited for later (see overlap.h): their receives, sends and parts in collective
// operations are kept until they are due, and become a call of their own then, which has no events.
#include "analyzer/simulation/change/overlap.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/state.h"
#include "analyzer/simulation/steps.h"

enum { MAX_AHEAD = 4096 }; // events of a call

/// A call that was put off, and how many of its location's receives, sends and parts are its own.
struct put_off {
    struct simulated_call call;
    uint32_t path;   // its own
    uint32_t region; // path whose leave ends it
    bool learns;     // from other ranks, and does not only send
    uint32_t n_receives, n_sends, n_parts;
};

struct overlap_location {
    bool progresses; // messages move since one of the calls, until all are over
    struct put_off *calls;
    uint32_t n_calls, n_taken; // the first N_TAKEN are the open call
    size_t calls_capacity;
    uint32_t *receives, *sends; // of all calls, in their order
    struct part *parts;
    uint32_t n_receives, n_sends, n_parts;
    size_t receives_capacity, sends_capacity, parts_capacity;
};

struct overlap {
    struct overlap_location *locations;
    size_t n_locations;
};

static const struct scenario *scenario_of(const struct engine *engine)
{
    return prediction_of(engine)->scenario;
}

/// Whether one of PATTERNS names PATH of LOCATION, or one above it.
static bool is_inside(const struct engine *engine, const struct location_state *location,
                      uint32_t path, uint64_t patterns)
{
    uint64_t mark = path_mark(engine, location, path);
    return (region_patterns_inside(scenario_of(engine)->regions, mark) & patterns) != 0;
}

struct overlap *overlap_new(const struct scenario *scenario, size_t n_locations)
{
    if (scenario->overlaps == 0)
        return NULL;
    struct overlap *overlap = memory_new(sizeof *overlap);
    *overlap = (struct overlap){.locations = memory_zeroed(n_locations, sizeof *overlap->locations),
                                .n_locations = n_locations};
    return overlap;
}

void overlap_free(struct overlap *overlap)
{
    if (!overlap)
        return;
    FREE_MEMBERS(overlap->locations, overlap->n_locations, calls);
    FREE_MEMBERS(overlap->locations, overlap->n_locations, receives);
    FREE_MEMBERS(overlap->locations, overlap->n_locations, sends);
    FREE_MEMBERS(overlap->locations, overlap->n_locations, parts);
    free(overlap->locations);
    free(overlap);
}

static struct overlap_location *state_of(const struct engine *engine,
                                         const struct location_state *location)
{
    return &prediction_of(engine)->overlap->locations[location->index];
}

// --- putting off

/// Appends N elements of SIZE_BYTES to ARRAY, which holds *N_ARRAY; returns where it is now.
static void *append(void *array, uint32_t *n_array, size_t *capacity, const void *elements,
                    uint32_t n, size_t size_bytes)
{
    array = array_reserve(array, capacity, *n_array + n, size_bytes);
    if (n > 0)
        memcpy((char *)array + *n_array * size_bytes, elements, n * size_bytes);
    *n_array += n;
    return array;
}

/// Takes the first N elements away.
static void drop(void *array, uint32_t *n_array, uint32_t n, size_t size_bytes)
{
    *n_array -= n;
    if (n > 0)
        memmove(array, (char *)array + n * size_bytes, *n_array * size_bytes);
}

/// The path that has to be left: the outermost overlapped one around PATH, which is an MPI call;
/// the one around it where there is none.
static uint32_t region_around(struct engine *engine, struct location_state *location, uint32_t path)
{
    uint32_t region = location->profile.stack[location->profile.depth - 1].path;
    for (uint32_t at = location->profile.paths[path].parent; at != 0;
         at = location->profile.paths[at].parent)
        if (is_inside(engine, location, at, scenario_of(engine)->overlaps))
            region = at;
    return region;
}

static bool waits_for_receiver(const struct engine *engine, const struct call *call)
{
    for (uint32_t i = 0; i < call->n_sends; i++)
        if (send_waits(engine, call->sends[i]))
            return true;
    return false;
}

static struct member *member_of(const struct engine *engine, struct part part)
{
    return &collective_instance(engine, part.collective)->members[part.member];
}

static bool waits_for_members(const struct engine *engine, const struct call *call)
{
    for (uint32_t i = 0; i < call->n_parts; i++)
        if (part_waits(engine, call->parts[i]))
            return true;
    return false;
}

/// Whether CALL begins no collective operation, though it may complete some, and makes no handle.
static bool begins_none(const struct engine *engine, const struct call *call)
{
    for (uint32_t i = 0; call->has_collectives && i < call->n_records; i++)
        if (call->records[i].kind >= EVENT_COLLECTIVE_BEGIN &&
            call->records[i].kind <= EVENT_COLLECTIVE_REQUEST)
            return false;
    if (call->is_finalize)
        return false;
    for (uint32_t i = 0; i < call->n_parts; i++)
        if (member_of(engine, call->parts[i])->class_ == COLLECTIVE_HANDLE)
            return false;
    return true;
}

/// Of an epoch of a window: what follows may depend on its records, which stay where they are.
static bool is_of_window(const struct engine *engine, const struct call *call)
{
    return call->n_receives > 0 && receive_at(engine, call->receives[0])->is_of_window;
}

/// Whether the open call of LOCATION waits later. *LEARNS: it does not only send.
static bool waits_later(const struct engine *engine, const struct location_state *location,
                        bool *learns)
{
    const struct call *call = &location->call;
    if (call->is_cut || call->is_bare || call->is_test || !begins_none(engine, call) ||
        is_of_window(engine, call) || state_of(engine, location)->n_calls == OVERLAP_MAX_CALLS ||
        !is_inside(engine, location, call->path, scenario_of(engine)->overlaps))
        return false;
    *learns = call->n_receives > 0 || waits_for_members(engine, call);
    return *learns || waits_for_receiver(engine, call);
}

static bool progresses(const struct engine *engine, const struct location_state *location)
{
    uint64_t progresses = scenario_of(engine)->progresses;
    return progresses != 0 && is_inside(engine, location, location->call.path, progresses);
}

bool overlap_waits_later(const struct engine *engine, const struct location_state *location)
{
    bool learns, is_late = state_of(engine, location)->n_taken > 0;
    return !is_late && waits_later(engine, location, &learns) && !progresses(engine, location);
}

bool overlap_puts_off(struct engine *engine, struct location_state *location,
                      const struct simulated_call *description)
{
    struct overlap_location *state = state_of(engine, location);
    struct call *call = &location->call;
    bool learns;
    if (!waits_later(engine, location, &learns))
        return false;
    if (!state->progresses && progresses(engine, location)) {
        state->progresses = true;
        attendance_stay(engine, location->rank);
    }
    struct put_off *put_off = ARRAY_NEXT(state->calls, state->n_calls, state->calls_capacity);
    *put_off = (struct put_off){.call = *description,
                                .path = call->path,
                                .region = region_around(engine, location, call->path),
                                .learns = learns,
                                .n_receives = call->n_receives,
                                .n_sends = call->n_sends,
                                .n_parts = call->n_parts};
    put_off->call.is_waiting = true;
    state->receives = append(state->receives, &state->n_receives, &state->receives_capacity,
                             call->receives, call->n_receives, sizeof *call->receives);
    state->sends = append(state->sends, &state->n_sends, &state->sends_capacity, call->sends,
                          call->n_sends, sizeof *call->sends);
    state->parts = append(state->parts, &state->n_parts, &state->parts_capacity, call->parts,
                          call->n_parts, sizeof *call->parts);
    call->n_receives = call->n_sends = call->n_parts = 0;
    simulated_of(engine)->n_overlapped++;
    lineage_let_go(&engine->lineage, call->enter_node);
    call->enter_node = NONE;
    return true;
}

// --- due

bool overlap_ends_at(const struct engine *engine, const struct location_state *location,
                     const struct event *event)
{
    const struct overlap_location *state = state_of(engine, location);
    if (event->kind != EVENT_LEAVE)
        return false;
    for (uint32_t i = 0; i < state->n_calls; i++)
        if (state->calls[i].region == location->profile.current)
            return true;
    return false;
}

/// What the MPI call that is next does: *SENDS, or else.
static bool is_collective(const struct engine *engine, const struct location_state *location,
                          bool *sends)
{
    uint32_t depth = 0;
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_ahead(engine, location, ahead);
        if (!event)
            return true;
        if (event->kind >= EVENT_COLLECTIVE_BEGIN && event->kind <= EVENT_COLLECTIVE_REQUEST)
            return true;
        *sends = *sends || event->kind == EVENT_SEND || event->kind == EVENT_ISEND;
        if (event->kind == EVENT_ENTER)
            depth++;
        else if (event->kind != EVENT_LEAVE ? depth == 0 : --depth == 0)
            break;
    }
    return false;
}

/// How many of the first calls put off are due before EVENT.
static uint32_t count_due(const struct engine *engine, const struct location_state *location,
                          const struct event *event)
{
    const struct overlap_location *state = state_of(engine, location);
    bool sends = false, is_leave = event && event->kind == EVENT_LEAVE;
    bool is_call = event && (event->kind == EVENT_ENTER || event_is_message_record(event));
    bool is_finalize = event && event->kind == EVENT_ENTER &&
                       region_at(engine, event->index)->mpi == MPI_FUNCTION_FINALIZE;
    // Looking ahead moves events: EVENT is not there any more.
    if (!is_leave && (!is_call || is_collective(engine, location, &sends) || is_finalize))
        return state->n_calls;
    uint32_t n_due = 0;
    for (uint32_t i = 0; i < state->n_calls; i++)
        if (is_leave ? state->calls[i].region == location->profile.current
                     : sends && state->calls[i].learns)
            n_due = i + 1;
    return n_due;
}

bool overlap_begin(struct engine *engine, struct location_state *location,
                   const struct event *event, uint64_t recorded_ns, uint64_t now_ns)
{
    struct overlap_location *state = state_of(engine, location);
    struct call *call = &location->call;
    if (state->n_calls == 0)
        return false;
    state->n_taken = count_due(engine, location, event);
    if (state->n_taken == 0)
        return false;
    uint32_t n_receives = 0, n_sends = 0, n_parts = 0;
    for (uint32_t i = 0; i < state->n_taken; i++) {
        n_receives += state->calls[i].n_receives;
        n_sends += state->calls[i].n_sends;
        n_parts += state->calls[i].n_parts;
    }
    call->is_open = true;
    call->is_bare = call->is_cut = call->is_test = call->is_init = call->is_finalize = false;
    call->is_file = call->is_synchronous = call->has_collectives = call->gave_up = false;
    call->goes_on_alone = false;
    call->has_cpu_after = call->has_cpu_inside = false;
    call->n_nested = call->n_skip = call->n_records = call->n_parts = 0;
    call->n_receives = call->n_sends = 0;
    call->path = state->calls[state->n_taken - 1].path;
    call->enter_node = NONE;
    call->enter_ns = call->leave_ns = now_ns;
    call->recorded_enter_ns = call->recorded_leave_ns = recorded_ns;
    call->receives = append(call->receives, &call->n_receives, &call->receives_capacity,
                            state->receives, n_receives, sizeof *call->receives);
    call->sends = append(call->sends, &call->n_sends, &call->sends_capacity, state->sends, n_sends,
                         sizeof *call->sends);
    call->parts = append(call->parts, &call->n_parts, &call->parts_capacity, state->parts, n_parts,
                         sizeof *call->parts);
    for (uint32_t i = 0; i < n_parts; i++) {
        struct member *member = member_of(engine, call->parts[i]);
        member->enter_ns = now_ns;
        member->path = call->path;
    }
    window_enter_mpi(engine, location, now_ns);
    call->attends = true;
    attendance_enter_call(engine, location);
    leave_expect(engine, location);
    return true;
}

// --- the call that waits for them

/// When the receiver of MESSAGE was in MPI, so that it moves; 0: it did not wait for that.
static uint64_t held_until_ns(const struct engine *engine, uint32_t message)
{
    const struct message_simulation *times = &prediction_of(engine)->messages[message];
    if (!times->needs_attendance || times->needs_core)
        return 0;
    uint64_t attended_ns = message_attended_ns(engine, message);
    return attended_ns == UINT64_MAX || attended_ns == times->departed_ns ? 0 : attended_ns;
}

/// Messages of CALL, whose conditions are known, that move only while their receiver is in MPI, as
/// it is now, and not since it called for them. Whether some have moved since WAIT_NS only.
static bool begin_when_attended(const struct engine *engine, const struct call *call,
                                uint64_t wait_ns)
{
    struct prediction *prediction = prediction_of(engine);
    struct call_condition *condition = prediction->conditions;
    bool has_held = false;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        uint32_t index = receive_at(engine, call->receives[i])->message;
        if (index == NONE || message_at(engine, index)->is_left_out)
            continue;
        uint64_t attended_ns = held_until_ns(engine, index);
        if (attended_ns > condition->time_ns)
            condition->time_ns = condition->departed_ns = attended_ns;
        has_held |= attended_ns >= wait_ns;
        condition++;
    }
    for (uint32_t i = 0; i < call->n_sends && !has_held; i++)
        has_held = held_until_ns(engine, call->sends[i]) >= wait_ns;
    return has_held;
}

void overlap_settle(struct engine *engine, struct location_state *location, uint64_t *ready_ns,
                    pag_work *work)
{
    struct overlap_location *state = state_of(engine, location);
    uint32_t first_receive = 0, first_send = 0, first_part = 0;
    uint64_t released_ns = location->call.enter_ns;
    *ready_ns = location->call.enter_ns;
    *work = 0;
    for (uint32_t i = 0; i < state->n_taken; i++) {
        const struct put_off *put_off = &state->calls[i];
        const struct simulated_call *call = &put_off->call;
        const struct call own = {.receives = &location->call.receives[first_receive],
                                 .n_receives = put_off->n_receives,
                                 .sends = &location->call.sends[first_send],
                                 .n_sends = put_off->n_sends,
                                 .parts = &location->call.parts[first_part],
                                 .n_parts = put_off->n_parts,
                                 .recorded_enter_ns = call->recorded_enter_ns,
                                 .recorded_leave_ns = call->recorded_leave_ns};
        uint32_t n_conditions = conditions_of(engine, &own);
        uint64_t own_ready_ns = call->enter_ns;
        pag_work own_work = 0;
        simulated_of(engine)->n_held += begin_when_attended(engine, &own, location->call.enter_ns);
        for (uint32_t k = 0; k < n_conditions; k++)
            if (prediction_of(engine)->conditions[k].time_ns > released_ns)
                released_ns = prediction_of(engine)->conditions[k].time_ns;
        if (n_conditions > 0)
            conditions_settle(engine, call, n_conditions, &own_ready_ns, &own_work);
        if (own_ready_ns > *ready_ns)
            *ready_ns = own_ready_ns;
        *work += own_work;
        first_receive += put_off->n_receives;
        first_send += put_off->n_sends;
        first_part += put_off->n_parts;
    }
    // Whether a message that comes while the call returns is still seen is a matter of luck.
    location->call.attends = false;
    attendance_end_stay(engine, location->rank, released_ns);
}

uint32_t overlap_leave(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct overlap_location *state = state_of(engine, location);
    struct call *call = &location->call;
    uint32_t n_taken = state->n_taken;
    profile_account_to(&location->profile, call->path, now_ns);
    leave_call(engine, location);
    attendance_leave_call(engine, location);
    call->is_open = false;
    window_leave_mpi(engine, location, now_ns);
    drop(state->receives, &state->n_receives, call->n_receives, sizeof *state->receives);
    drop(state->sends, &state->n_sends, call->n_sends, sizeof *state->sends);
    drop(state->parts, &state->n_parts, call->n_parts, sizeof *state->parts);
    drop(state->calls, &state->n_calls, n_taken, sizeof *state->calls);
    state->n_taken = 0;
    if (state->progresses && state->n_calls == 0) {
        state->progresses = false;
        attendance_end_stay(engine, location->rank, now_ns);
    }
    return n_taken;
}

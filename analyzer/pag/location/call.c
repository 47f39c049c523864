// SPDX-License-Identifier: BSD-3-Clause
// An MPI call as a unit: at its enter the records up to its leave are read ahead, so that the
// engine knows at once what the call sends, posts and completes. Nothing that follows has to be
// guessed or revised, and matching happens at enter times only.
#include "analyzer/pag/location/location.h"

#include "analyzer/base/memory.h"
#include "analyzer/pag/location/epoch_messages.h"

// A call with more records than this is read as far as that; it keeps memory bounded where the
// leave is lost.
enum { MAX_AHEAD = 1 << 18 };
// A call this long may have been descheduled; its CPU time is looked for in so many events after
// it.
enum { LONG_CALL_NS = 100000, MAX_AFTER = 24, MAX_DIGESTED_AFTER = 4 * MAX_AFTER };
enum { MAX_AFTER_PROBE = 4096 }; // events

static bool matters(const struct event *event)
{
    switch (event->kind) {
    case EVENT_SEND:
    case EVENT_ISEND:
    case EVENT_ISEND_COMPLETE:
    case EVENT_IRECV_REQUEST:
    case EVENT_RECV:
    case EVENT_IRECV:
    case EVENT_REQUEST_CANCELLED:
    case EVENT_COLLECTIVE_END:
    case EVENT_COLLECTIVE_REQUEST:
    case EVENT_COLLECTIVE_COMPLETE:
        return true;
    default:
        return false;
    }
}

static void keep(struct call *call, const struct event *event)
{
    *ARRAY_NEXT(call->records, call->n_records, call->records_capacity) = *event;
    call->has_collectives |= event->kind >= EVENT_COLLECTIVE_BEGIN;
    call->attends |= event->kind != EVENT_ISEND && event->kind != EVENT_IRECV_REQUEST &&
                     event->kind != EVENT_REQUEST_CANCELLED &&
                     event->kind != EVENT_COLLECTIVE_REQUEST;
}

/// Apart: nothing is matched or costs anything for the sake of these records.
static void keep_access(struct call *call, const struct event *event)
{
    *ARRAY_NEXT(call->accesses, call->n_accesses, call->accesses_capacity) = *event;
}

/// The record kept last is AHEAD, after a begin of a collective at BEGIN.
static void keep_place(struct call *call, uint32_t ahead, uint32_t begin)
{
    call->places =
        array_reserve(call->places, &call->places_capacity, call->n_records, sizeof(*call->places));
    call->places[call->n_records - 1] = (struct record_place){ahead, begin};
}

/// Keeps what EVENT, which is AHEAD, tells other ranks of an epoch, and hears of them.
static void keep_synchronisation(struct location_state *location, const struct event *event,
                                 uint32_t ahead)
{
    struct call *call = &location->call;
    const struct definitions *definitions = location->definitions;
    const struct event sync = *event;
    enum mpi_function function = definitions->regions[call->region].mpi;
    for (uint32_t member = 0; member < definitions->groups[sync.peer].n_members; member++) {
        struct event events[EPOCH_MAX_MESSAGES];
        uint32_t n = epoch_messages(definitions, &sync, function, location->rank, member, events);
        for (uint32_t i = 0; i < n; i++) {
            keep(call, &events[i]);
            if (call->keeps_places)
                keep_place(call, ahead, NONE);
        }
    }
}

static void begin(struct call *call, const struct event *event, uint32_t path)
{
    call->is_open = true;
    call->is_cut = false;
    call->is_bare = event->kind != EVENT_ENTER;
    call->is_test = call->is_init = call->is_finalize = call->is_synchronous = call->is_standard =
        false;
    call->is_file = call->attends = call->is_session_end = false;
    call->gave_up = call->goes_on_alone = call->has_collectives = call->has_cpu_after = false;
    call->has_cpu_inside = false;
    call->n_nested = call->n_skip = 0;
    call->region = call->is_bare ? NONE : event->index;
    call->path = path;
    call->own_ns = 0;
    call->own_path = path;
    call->enter_node = NONE;
    call->is_cut_late = false;
    call->enter_ns = event->time_ns;
    call->leave_ns = event->time_ns;
    call->release_ns = event->time_ns;
    call->releaser = NONE;
    call->before_completion_ns = event->time_ns;
    call->n_left_out = 0;
    call->n_records = call->n_accesses = call->n_receives = call->n_sends = call->n_parts = 0;
    call->awaits_lock = false;
    call->probed.communicator = EVENT_NO_INDEX;
}

/// Notes the next CPU sample after LEAVE, which is AHEAD, of a call that may have been descheduled.
/// Events that are digested say themselves which ones of the archive they are.
static void find_cpu_after(struct location_state *location, uint32_t ahead, uint32_t leave)
{
    struct call *call = &location->call;
    uint32_t most = location->digest ? MAX_DIGESTED_AFTER : MAX_AFTER;
    if (call->leave_ns - call->enter_ns < LONG_CALL_NS)
        return;
    for (uint32_t after = 1; after <= most; after++) {
        const struct event *event = location_peek(location, ahead + after);
        if (!event)
            return;
        most += event->kind == EVENT_VISIT; // comes only where somebody asks
        if (event->kind != EVENT_CPU_TIME)
            continue;
        call->has_cpu_after = event->tag - leave <= MAX_AFTER;
        call->cpu_after_ns = event->size_bytes;
        return;
    }
}

/// Collects the records between the enter that is next and its leave.
static void read_records(struct location_state *location)
{
    struct call *call = &location->call;
    uint32_t depth = 0, begin = NONE;
    bool is_nested = false, has_completed = false;
    uint64_t last_ns = call->enter_ns;
    for (uint32_t ahead = 1; ahead < MAX_AHEAD; ahead++) {
        const struct event *event = location_peek(location, ahead);
        if (!event)
            break;
        last_ns = event->time_ns;
        has_completed = has_completed || event_completes(event);
        if (!has_completed)
            call->before_completion_ns = last_ns;
        if (event->kind == EVENT_ENTER) {
            depth++;
            is_nested = true;
        } else if (event->kind == EVENT_SPENT || event->kind == EVENT_VISIT) {
            is_nested = true; // in regions in the call
        } else if (event->kind == EVENT_LEAVE) {
            if (depth == 0) {
                call->leave_ns = event->time_ns;
                call->n_skip = is_nested ? 0 : ahead - 1;
                find_cpu_after(location, ahead, event->tag);
                return;
            }
            depth--;
        } else if (matters(event)) {
            keep(call, event);
            if (call->keeps_places)
                keep_place(call, ahead, begin);
            begin = NONE;
        } else if (event->kind == EVENT_RMA_SYNC) {
            keep_synchronisation(location, event, ahead);
        } else if (event_is_rma_record(event)) {
            keep_access(call, event);
        } else if (event->kind == EVENT_COLLECTIVE_BEGIN) {
            begin = ahead;
        } else if (event->kind == EVENT_CPU_TIME) {
            call->has_cpu_inside = true;
            call->cpu_inside_ns = event->size_bytes;
        }
    }
    call->is_cut = true;
    call->leave_ns = last_ns;
}

/// The call begins at TIME_NS and, as far as is known, lasts as long as recorded.
static void shift(struct call *call, uint64_t time_ns)
{
    call->recorded_enter_ns = call->enter_ns;
    call->recorded_leave_ns = call->leave_ns;
    call->leave_ns = time_ns + (call->leave_ns - call->enter_ns);
    call->enter_ns = time_ns;
}

void call_read(struct location_state *location, uint64_t time_ns)
{
    struct call *call = &location->call;
    const struct event *event = location_peek(location, 0);
    begin(call, event, location->profile.current);
    if (call->is_bare) {
        keep(call, event);
        if (call->keeps_places)
            keep_place(call, 0, NONE);
        shift(call, time_ns);
        return;
    }
    enum mpi_function function = location->definitions->regions[event->index].mpi;
    call->is_test = function == MPI_FUNCTION_TEST || function == MPI_FUNCTION_IPROBE;
    call->is_init = function == MPI_FUNCTION_INIT;
    call->is_finalize = function == MPI_FUNCTION_FINALIZE;
    call->is_session_end = function == MPI_FUNCTION_SESSION_FINALIZE;
    call->is_file = function == MPI_FUNCTION_FILE;
    call->is_synchronous = function == MPI_FUNCTION_SYNCHRONOUS_SEND;
    call->is_standard = function == MPI_FUNCTION_STANDARD_SEND;
    call->attends =
        call->is_test || call->is_init || call->is_finalize || function == MPI_FUNCTION_PROBE;
    read_records(location);
    shift(call, time_ns);
}

/// Whether the call that begins with the event AHEAD of LOCATION is over within LENGTH_NS.
static bool is_over_within(const struct location_state *location, uint32_t ahead,
                           uint64_t length_ns)
{
    uint64_t enter_ns = location_peek(location, ahead)->time_ns;
    const struct event *event = location_peek(location, ahead + 1);
    return event && event->kind == EVENT_LEAVE && event->time_ns - enter_ns <= length_ns;
}

const struct event *call_record_after_probe(const struct location_state *location)
{
    const struct call *call = &location->call;
    uint64_t length_ns = call->recorded_leave_ns - call->recorded_enter_ns;
    uint32_t n_calls = 0;
    for (uint32_t ahead = 0; ahead < MAX_AFTER_PROBE; ahead++) {
        const struct event *event = location_peek(location, ahead);
        if (!event || event_is_message_record(event))
            return event;
        enum mpi_function function = event->kind == EVENT_ENTER
                                         ? location->definitions->regions[event->index].mpi
                                         : MPI_FUNCTION_NONE;
        if (function == MPI_FUNCTION_PROBE &&
            (n_calls > 0 || !is_over_within(location, ahead, length_ns)))
            return NULL;
        n_calls += function != MPI_FUNCTION_NONE;
    }
    return NULL;
}

void call_leave_out(struct call *call, const struct event *event)
{
    call->records[event - call->records].flags |= EVENT_LEFT_OUT;
}

void call_complete_less(struct call *call, const struct event *event)
{
    call_leave_out(call, event);
    call->n_left_out++;
}

void call_release(struct call *call)
{
    FREE_ALL(call->records, call->accesses, call->places, call->receives, call->sends, call->parts);
}

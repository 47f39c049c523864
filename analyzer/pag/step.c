// SPDX-License-Identifier: BSD-3-Clause
// What one event of a location does (see step.h). In a replay of a whole run the events are
// digested before (location/digest.h): the profile is kept there, and what is left are MPI calls,
// teams of threads and the time between them. Otherwise the profile is kept here, event by event.
#include "analyzer/pag/step.h"

#include "analyzer/pag/leave.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/location/without_cpu.h"
#include "analyzer/pag/matching/matching.h"
#include "analyzer/pag/views/recent.h"
#include "analyzer/pag/views/region_triggers.h"
#include "analyzer/pag/views/regions.h"
#include "analyzer/pag/views/series.h"
#include "analyzer/pag/views/thread_time.h"
#include "analyzer/pag/window.h"

static inline void tell_computing(const struct engine *engine,
                                  const struct location_state *location, uint64_t time_ns,
                                  bool computes)
{
    if (__builtin_expect(engine->listener.computing.tell != NULL, 0) && location->is_master)
        TELL(engine, computing, location->rank, time_ns, computes);
}

static inline void tell_called(const struct engine *engine, const struct location_state *location)
{
    if (__builtin_expect(engine->listener.called.tell == NULL, 1) || !location->is_master)
        return;
    const struct call *call = &location->call;
    bool waits = call->release_ns > call->enter_ns;
    struct pag_called called = {
        .rank = location->rank,
        .region = call->region,
        .call_path = call->path,
        .computed_path = location->longest.ns > 0 ? location->longest.path : NONE,
        .began_ns = location->first_ns,
        .enter_ns = call->enter_ns,
        .leave_ns = call->leave_ns,
        .lost_ns = location->lost_ns,
        .release_ns = !waits                              ? call->enter_ns
                      : call->release_ns < call->leave_ns ? call->release_ns
                                                          : call->leave_ns,
        .releaser = waits && call->releaser != location->rank ? call->releaser : NONE,
    };
    TELL(engine, called, &called);
}

static void tell_cpu_time(const struct engine *engine, const struct location_state *location,
                          const struct event *event)
{
    const struct pag_cpu_sample sample = {event->time_ns, event->size_bytes, event->received_bytes};
    if (engine->listener.cpu_time.tell && location->is_master)
        TELL(engine, cpu_time, location->rank, &sample);
}

void step_begin(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    location->has_begun = true;
    location->first_ns = time_ns;
    location->profile.last_ns = time_ns;
    location->head.before_start_ns = time_ns;
    if (location->is_master)
        engine->ranks[location->rank].switch_ns = time_ns;
    without_cpu_begin(&location->profile, time_ns);
    tell_computing(engine, location, time_ns, true);
    if (engine->threads)
        thread_time_begin(engine, location, time_ns);
}

// --- a call

/// In measured time: the interval outside MPI that a call ends, or an event of a team, may have
/// lost its core.
static inline void lose_outside(struct engine *engine, struct location_state *location,
                                uint64_t time_ns)
{
    const struct without_cpu *account = &location->profile.without_cpu;
    if (!account->span.has || !location->is_master || engine->hooks)
        return;
    engine->result->has_cpu_time = true;
    bool has_lost = location->digest ? account->n_segments > 0
                                     : without_cpu_outside(&location->profile, time_ns);
    if (!has_lost)
        return;
    window_lose(engine, location, account->segments, account->n_segments, time_ns);
    for (uint32_t i = 0; i < account->n_segments; i++)
        location->lost_ns += account->segments[i].lost_ns;
}

/// The same of the call that is left.
static inline void lose_in_call(struct engine *engine, struct location_state *location)
{
    struct cpu_segment lost;
    bool has_samples = location->profile.without_cpu.span.has_seen || location->call.has_cpu_inside;
    if (has_samples && location->is_master && !engine->hooks &&
        without_cpu_in_call(location, &lost))
        window_lose(engine, location, &lost, 1, location->call.leave_ns);
}

/// The location is where the digest found it when it came to EVENT, the enter of an MPI call.
static void enter_digested(struct location_state *location, const struct event *event)
{
    struct digest_time first = digest_first_before(event), second = digest_second_before(event);
    location_spend(location, first.path, first.ns);
    if (second.path != NONE)
        location_spend(location, second.path, second.ns);
    location->profile.current = event->tag;
}

static void enter(struct location_state *location, const struct event *event, uint64_t time_ns)
{
    struct profile *profile = &location->profile;
    profile_enter_call(profile, event->index, event->context, time_ns);
    if (event->flags & EVENT_FOLDED_POLLS && event->size_bytes > 1)
        profile->paths[profile->current].visits += event->size_bytes - 1;
}

void step_enter_call(struct engine *engine, struct location_state *location,
                     const struct event *event, uint64_t time_ns)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    bool is_bare = event->kind != EVENT_ENTER;
    tell_computing(engine, location, time_ns, false);
    if (!is_bare) {
        if (location->digest)
            enter_digested(location, event);
        else
            enter(location, event, time_ns);
        lose_outside(engine, location, time_ns);
        window_enter_mpi(engine, location, time_ns);
        if (engine->threads)
            thread_time_mpi(engine, location, true, time_ns);
    } else if (!location->digest) {
        profile_account(&location->profile, time_ns);
    }
    call_read(location, time_ns);
    if (location->call.is_cut && !engine->hooks)
        location->call.leave_ns = UINT64_MAX; // until it is known where the location ends
    rank->has_mpi = true;
    rank->has_session_end |= location->call.is_session_end;
    if (location->call.is_finalize && !rank->has_finalize)
        window_rank_through(engine, location->rank, time_ns);
    if (location->call.n_records > 0)
        match_enter_call(engine, location);
    if (location->call.has_collectives || location->call.is_finalize)
        collective_enter_call(engine, location);
    if (location->call.n_accesses + rank->n_locks > 0)
        locks_enter_call(engine, location);
    attendance_enter_call(engine, location);
    if (!is_bare) {
        location->cursor->position += 1 + (engine->regions ? 0 : location->call.n_skip);
        if (!engine->options.only_times &&
            region_at(engine, location->call.region)->mpi == MPI_FUNCTION_PROBE)
            match_enter_probe(engine, location);
    }
    if (!call_is_private(&location->call))
        leave_expect(engine, location);
    if (engine->recent && location->is_master && !is_bare)
        recent_enter(engine, location);
    location->lookahead_left = engine->options.lookahead_events;
}

static void leave_init(struct engine *engine, const struct location_state *location)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    bool is_first = !rank->has_init;
    rank->has_init = true;
    if (!is_first || !window_counts_rank(engine, location->rank)) // a further session
        return;
    window_begin_at(engine, location->call.leave_ns);
    engine->n_ranks_to_begin--;
    engine->leaves_early = engine->n_ranks_to_begin == 0 && !engine->threads && !engine->recent &&
                           !engine->listener.computing.tell && !engine->listener.called.tell;
}

/// Settles the open call; the rank to read first, or NONE when the call is closed.
static uint32_t close_call(struct engine *engine, struct location_state *location)
{
    struct call *call = &location->call;
    if (engine->options.keeps_series && location->is_master)
        series_fetch(engine->ranks[location->rank].series, call->path);
    uint32_t rank = leave_call(engine, location);
    if (rank != NONE)
        return rank;
    call->is_open = false;
    attendance_leave_call(engine, location);
    if (call->n_accesses > 0)
        epochs_access(engine, location);
    if (!call->is_bare) {
        call_account(location);
        lose_in_call(engine, location);
    }
    without_cpu_begin(&location->profile, call->leave_ns);
    tell_called(engine, location);
    location->longest.ns = location->lost_ns = 0;
    tell_computing(engine, location, call->leave_ns, true);
    if (call->is_bare)
        return NONE;
    window_leave_mpi(engine, location, call->leave_ns);
    if (engine->options.keeps_series && location->is_master)
        series_call(engine, location);
    if (engine->threads)
        thread_time_mpi(engine, location, false, call->leave_ns);
    if (engine->recent && location->is_master)
        recent_leave(engine, location);
    if (call->is_init)
        leave_init(engine, location);
    return NONE;
}

uint32_t step_in_call(struct engine *engine, struct location_state *location,
                      const struct event *event, uint64_t time_ns)
{
    struct call *call = &location->call;
    struct profile *profile = &location->profile;
    if (call->is_bare || (event->kind == EVENT_LEAVE && call->n_nested == 0)) {
        uint32_t region = event->index;
        if (call->is_cut)
            call->leave_ns = time_ns;
        uint32_t rank = close_call(engine, location);
        if (rank != NONE)
            return rank;
        if (!call->is_bare)
            profile_leave(profile, region, call->leave_ns);
        location->cursor->position++;
        return NONE;
    }
    if (event->kind == EVENT_ENTER) {
        call->n_nested++;
        profile_enter(profile, event->index, time_ns);
    } else if (event->kind == EVENT_LEAVE) {
        call->n_nested--;
        profile_leave(profile, event->index, time_ns);
    } else {
        profile_account(profile, time_ns);
    }
    location->cursor->position++;
    return NONE;
}

/// The same where the events are digested: of the regions in the call only their time is left.
static uint32_t step_in_digested_call(struct engine *engine, struct location_state *location,
                                      const struct event *event)
{
    struct call *call = &location->call;
    if (call->is_bare || event->kind == EVENT_LEAVE) {
        if (call->is_cut)
            call->leave_ns = event->time_ns;
        if (!call->is_bare) {
            call->own_path = event->context;
            call->own_ns = event->size_bytes;
        }
        uint32_t rank = close_call(engine, location);
        if (rank != NONE)
            return rank;
    } else if (event->kind == EVENT_SPENT) {
        times_at(&location->head.times, event->index)->exclusive_ns += event->size_bytes;
    } else if (event->kind == EVENT_VISIT) {
        region_trigger(engine, location, event);
    }
    location->cursor->position++;
    return NONE;
}

// --- outside of calls

static void step_outside(struct engine *engine, struct location_state *location,
                         const struct event *event)
{
    struct profile *profile = &location->profile;
    bool has_rank = location->rank != NONE;
    if (event->kind == EVENT_ENTER) {
        if (has_rank && region_at(engine, event->index)->mpi != MPI_FUNCTION_NONE) {
            step_enter_call(engine, location, event, event->time_ns);
            return;
        }
        profile_enter_call(profile, event->index, event->context, event->time_ns);
    } else if (event->kind == EVENT_LEAVE) {
        profile_leave_around_gap(profile, event->index, event->time_ns);
    } else if (event_is_switch(event)) {
        gap_event(engine, location, event, event->time_ns);
        without_cpu_begin(profile, event->time_ns);
    } else if (has_rank && event_is_message_record(event)) {
        step_enter_call(engine, location, event, event->time_ns);
        return; // consumed when it is settled
    } else if (event_is_of_threads(event)) {
        if (has_rank) {
            profile_account(profile, event->time_ns);
            lose_outside(engine, location, event->time_ns);
            threads_event(engine, location, event, event->time_ns);
        }
        without_cpu_begin(profile, event->time_ns);
    } else {
        profile->noted_ns = event->time_ns; // the time belongs to what comes next
        if (event->kind == EVENT_CPU_TIME && has_rank) {
            cpu_span_sample(&profile->without_cpu.span, event->time_ns, event->size_bytes,
                            event->received_bytes);
            tell_cpu_time(engine, location, event);
        }
    }
    location->cursor->position++;
}

/// Notes a segment that the interval up to the next call lost.
static void note_lost(struct without_cpu *account, const struct event *event)
{
    *cpu_segment_add(account) = (struct cpu_segment){
        .begin_ns = event->size_bytes,
        .end_ns = event->received_bytes,
        .lost_ns = event->request,
        .path = event->index,
        .is_blocked = event->tag,
    };
}

static void step_digested(struct engine *engine, struct location_state *location,
                          const struct event *event)
{
    struct profile *profile = &location->profile;
    switch (event->kind) {
    case EVENT_SPENT:
        location_spend(location, event->index, event->size_bytes);
        profile->current = event->index;
        break;
    case EVENT_LOST:
        note_lost(&profile->without_cpu, event);
        break;
    case EVENT_VISIT:
        region_trigger(engine, location, event);
        break;
    case EVENT_MEASUREMENT_OFF:
    case EVENT_MEASUREMENT_ON:
        gap_event(engine, location, event, event->time_ns);
        without_cpu_begin(profile, event->time_ns);
        break;
    case EVENT_CPU_TIME:
        cpu_span_sample(&profile->without_cpu.span, event->time_ns, event->size_bytes,
                        event->received_bytes);
        tell_cpu_time(engine, location, event);
        break;
    case EVENT_THREAD_FORK:
    case EVENT_THREAD_JOIN:
    case EVENT_THREAD_TEAM_BEGIN:
    case EVENT_THREAD_TEAM_END:
        lose_outside(engine, location, event->time_ns);
        threads_event(engine, location, event, event->time_ns);
        thread_time_team(engine, location, event);
        without_cpu_begin(profile, event->time_ns);
        break;
    case EVENT_LOCK_ACQUIRED:
    case EVENT_LOCK_RELEASED:
        thread_time_lock(engine, location, event);
        break;
    case EVENT_CONSTRUCT_ENTER:
    case EVENT_CONSTRUCT_LEAVE:
    case EVENT_BARRIER_LEAVE:
        thread_time_construct(engine, location, event);
        break;
    default: // an MPI call, or a bare record, which is consumed when it is settled
        step_enter_call(engine, location, event, event->time_ns);
        return;
    }
    location->cursor->position++;
}

// --- the end

void step_end(struct engine *engine, struct location_state *location)
{
    struct profile *profile = &location->profile;
    if (location->digest)
        profile->last_ns = digest_end_ns(location->digest);
    else
        profile_account(profile, profile_end_ns(profile));
    if (location->call.is_open) {
        location->call.is_cut = location->call.gave_up = true;
        location->call.leave_ns = profile->last_ns;
        close_call(engine, location);
    }
    gap_end(engine, location, profile->last_ns);
    thread_time_end(engine, location, profile->last_ns);
    if (!location->digest)
        profile_end(profile);
    location->has_ended = true;
    location->next_ns = UINT64_MAX;
    if (location->rank == NONE)
        return;
    struct rank_state *rank = &engine->ranks[location->rank];
    if (location->is_master)
        window_close(engine, rank, profile->last_ns);
    tell_computing(engine, location, profile->last_ns, false);
    if (++rank->n_ended_locations == rank->n_locations) {
        rank->has_ended = true;
        if (!rank->has_finalize)
            window_rank_through(engine, location->rank, profile->last_ns);
        collective_rank_ended(engine, location->rank);
    }
}

// --- any event

static uint32_t step_any(struct engine *engine, struct location_state *location,
                         const struct event *event)
{
    if (!event) {
        location->call.is_cut = location->call.is_open;
        // Read ahead, it may have received what is sent before its end but has not been read yet.
        uint32_t rank = engine->is_ahead ? leave_awaited_rank(engine, location) : NONE;
        if (rank != NONE)
            return rank;
        step_end(engine, location);
        return NONE;
    }
    if (!location->has_begun)
        step_begin(engine, location, event->time_ns);
    if (location->call.is_open)
        return location->digest ? step_in_digested_call(engine, location, event)
                                : step_in_call(engine, location, event, event->time_ns);
    if (location->digest)
        step_digested(engine, location, event);
    else
        step_outside(engine, location, event);
    return NONE;
}

uint32_t step_event(struct engine *engine, struct location_state *location,
                    const struct event *event)
{
    if (__builtin_expect(engine->regions == NULL, 1))
        return step_any(engine, location, event);
    if (event && event->kind == EVENT_COUNTED) {
        regions_tell_counted(engine, location, event);
        location->cursor->position++;
        return NONE;
    }
    uint64_t n_messages = engine->result->n_messages;
    uint32_t rank = step_any(engine, location, event);
    if (rank == NONE)
        regions_tell(engine, location, n_messages);
    return rank;
}

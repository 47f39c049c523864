// SPDX-License-Identifier: BSD-3-Clause
// The order of reading. The location with the earliest next event is read, and on as long as its
// events concern no other one. A call cannot be settled while its partner's record is unread (later
// in time by skewed clocks, or missing): then the location waits and only that partner is read
// ahead. Memory stays bounded because no other location is read beyond the present time.
#include "analyzer/pag/engine.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/index.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/outcome.h"

enum { TURNS_PER_REPORT = 4096 }; // between two calls of listener.reached

// --- the tournament of locations

// A join and the end of a location come after all other events of their time: by then the last
// member of the team is known, and so is a message to the call that is cut there.
#define LAST_TURN UINT32_C(0x80000000)

static tournament_key key_of(const struct location_state *location)
{
    uint32_t turn = location->index | (location->next_is_last ? LAST_TURN : 0);
    return (tournament_key)location->next_ns << 64 | turn;
}

static uint64_t key_ns(tournament_key key)
{
    return (uint64_t)(key >> 64);
}

static struct location_state *location_of(const struct engine *engine, tournament_key key)
{
    return &engine->locations[(uint32_t)key & ~LAST_TURN];
}

static void place(struct engine *engine, const struct location_state *location)
{
    tournament_set(&engine->order, location->index,
                   location->has_ended ? TOURNAMENT_NONE : key_of(location));
}

// --- one event

static inline void tell_computing(const struct engine *engine,
                                  const struct location_state *location, uint64_t time_ns,
                                  bool computes)
{
    if (__builtin_expect(engine->listener.computing != NULL, 0) && location->is_master)
        engine->listener.computing(engine->listener.context, location->rank, time_ns, computes);
}

static inline void tell_called(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    if (__builtin_expect(engine->listener.called != NULL, 0) && location->is_master)
        engine->listener.called(engine->listener.context, location->rank,
                                call->is_bare ? EVENT_NO_INDEX
                                              : location->profile.paths[call->path].region,
                                call->enter_ns, call->leave_ns);
}

static void tell_cpu_time(const struct engine *engine, const struct location_state *location,
                          const struct event *event)
{
    if (engine->listener.cpu_time && location->is_master)
        engine->listener.cpu_time(engine->listener.context, location->rank, event->time_ns,
                                  event->size_bytes);
}

void engine_begin_location(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    location->has_begun = true;
    location->first_ns = time_ns;
    location->profile.last_ns = time_ns;
    location->head.before_start_ns = time_ns;
    if (location->is_master)
        engine->ranks[location->rank].switch_ns = time_ns;
    without_cpu_begin(location, time_ns);
    tell_computing(engine, location, time_ns, true);
}

/// In measured time: the interval outside MPI that a call ends may have lost its core.
static inline void lose_outside(struct engine *engine, struct location_state *location,
                                uint64_t time_ns)
{
    const struct without_cpu *account = &location->without_cpu;
    if (!account->span.has || !location->is_master || engine->hooks)
        return;
    engine->result->has_cpu_time = true;
    if (without_cpu_outside(location, time_ns))
        window_lose(engine, location, account->segments, account->n_segments, time_ns);
}

/// The same of the call that is left.
static inline void lose_in_call(struct engine *engine, struct location_state *location)
{
    struct cpu_segment lost;
    if (location->is_master && !engine->hooks && without_cpu_in_call(location, &lost))
        window_lose(engine, location, &lost, 1, location->call.leave_ns);
}

/// Processes that the program itself starts come and go within the window.
static bool is_of_first_world(const struct engine *engine, const struct location_state *location)
{
    return location->rank + engine->definitions->n_spawned_ranks < engine->n_ranks;
}

void engine_enter_call(struct engine *engine, struct location_state *location,
                       const struct event *event, uint64_t time_ns)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    uint32_t region = event->index;
    bool is_bare = event->kind != EVENT_ENTER;
    tell_computing(engine, location, time_ns, false);
    if (!is_bare) {
        profile_enter_call(engine->definitions, location, region, event->context, time_ns);
        lose_outside(engine, location, time_ns);
        if (event->flags & EVENT_FOLDED_POLLS && event->size_bytes > 1)
            location->profile.paths[location->profile.current].visits += event->size_bytes - 1;
        window_enter_mpi(engine, location, time_ns);
    } else {
        profile_account(location, time_ns);
    }
    call_read(location, time_ns);
    if (location->call.is_cut && !engine->hooks)
        location->call.leave_ns = UINT64_MAX; // until it is known where the location ends
    rank->has_mpi = true;
    if (location->call.is_finalize && is_of_first_world(engine, location))
        window_end_at(engine, time_ns);
    if (location->call.n_records > 0)
        match_enter_call(engine, location);
    if (location->call.has_collectives || location->call.is_finalize)
        collective_enter_call(engine, location);
    if (location->call.n_receives + location->call.n_sends + location->call.n_parts > 0)
        leave_expect(engine, location);
    location->lookahead_left = engine->options.lookahead_events;
    if (!is_bare)
        location->cursor->position += 1 + location->call.n_skip;
}

/// Settles the open call; the rank to read first, or NONE when the call is closed.
static uint32_t close_call(struct engine *engine, struct location_state *location)
{
    struct call *call = &location->call;
    uint32_t rank = leave_call(engine, location);
    if (rank != NONE)
        return rank;
    call->is_open = false;
    if (!call->is_bare) {
        profile_account(location, call->leave_ns);
        lose_in_call(engine, location);
    }
    without_cpu_begin(location, call->leave_ns);
    tell_called(engine, location);
    tell_computing(engine, location, call->leave_ns, true);
    if (call->is_bare)
        return NONE;
    window_leave_mpi(engine, location, call->leave_ns);
    if (call->is_init) {
        engine->ranks[location->rank].has_init = true;
        if (is_of_first_world(engine, location))
            window_begin_at(engine, call->leave_ns);
    }
    return NONE;
}

uint32_t engine_step_in_call(struct engine *engine, struct location_state *location,
                             const struct event *event, uint64_t time_ns)
{
    struct call *call = &location->call;
    if (call->is_bare || (event->kind == EVENT_LEAVE && call->n_nested == 0)) {
        uint32_t region = event->index;
        if (call->is_cut)
            call->leave_ns = time_ns;
        uint32_t rank = close_call(engine, location);
        if (rank != NONE)
            return rank;
        if (!call->is_bare)
            profile_leave(location, region, call->leave_ns);
        location->cursor->position++;
        return NONE;
    }
    if (event->kind == EVENT_ENTER) {
        call->n_nested++;
        profile_enter(location, event->index, time_ns);
    } else if (event->kind == EVENT_LEAVE) {
        call->n_nested--;
        profile_leave(location, event->index, time_ns);
    } else {
        profile_account(location, time_ns);
    }
    location->cursor->position++;
    return NONE;
}

static void step_outside(struct engine *engine, struct location_state *location,
                         const struct event *event)
{
    bool has_rank = location->rank != NONE;
    if (event->kind == EVENT_ENTER) {
        if (has_rank && region_at(engine, event->index)->mpi != MPI_FUNCTION_NONE) {
            engine_enter_call(engine, location, event, event->time_ns);
            return;
        }
        profile_enter(location, event->index, event->time_ns);
    } else if (event->kind == EVENT_LEAVE) {
        gap_leave(engine, location, event->index, event->time_ns);
    } else if (event->kind == EVENT_MEASUREMENT_OFF || event->kind == EVENT_MEASUREMENT_ON) {
        gap_event(engine, location, event, event->time_ns);
        without_cpu_begin(location, event->time_ns);
    } else if (has_rank && engine_is_message_record(event)) {
        engine_enter_call(engine, location, event, event->time_ns);
        return; // consumed when it is settled
    } else if (event->kind >= EVENT_THREAD_FORK && event->kind <= EVENT_THREAD_TEAM_END) {
        threads_event(engine, location, event, event->time_ns);
        without_cpu_begin(location, event->time_ns);
    } else {
        location->noted_ns = event->time_ns; // the time belongs to what comes next
        if (event->kind == EVENT_CPU_TIME && has_rank) {
            cpu_span_sample(&location->without_cpu.span, event->time_ns, event->size_bytes);
            tell_cpu_time(engine, location, event);
        }
    }
    location->cursor->position++;
}

static uint64_t end_of(const struct location_state *location)
{
    uint64_t last_ns = location->profile.last_ns;
    return location->noted_ns > last_ns ? location->noted_ns : last_ns;
}

void engine_end_location(struct engine *engine, struct location_state *location)
{
    struct profile *profile = &location->profile;
    profile_account(location, end_of(location));
    if (location->call.is_open) {
        location->call.is_cut = location->call.gave_up = true;
        location->call.leave_ns = profile->last_ns;
        close_call(engine, location);
    }
    gap_end(engine, location, profile->last_ns);
    while (profile->depth > 0) {
        profile->n_unbalanced++;
        profile_leave(location, profile->stack[profile->depth - 1].region, profile->last_ns);
    }
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
        collective_rank_ended(engine, location->rank);
    }
}

/// The next event of a location, NULL at its end; notes its time for the order of reading.
static const struct event *next_event(struct engine *engine, struct location_state *location)
{
    const struct event *event = trace_peek(engine->trace, location->index, location->cursor, 0);
    location->next_is_last = !event || event->kind == EVENT_THREAD_JOIN;
    location->next_ns = event ? event->time_ns : end_of(location);
    return event;
}

/// Processes EVENT, the next one of a location (NULL: its end), or only tries to. The rank that
/// must be read first, or NONE when there was progress.
static uint32_t step(struct engine *engine, struct location_state *location,
                     const struct event *event)
{
    if (!event) {
        location->call.is_cut = location->call.is_open;
        // Read ahead, it may have received what is sent before its end but has not been read yet.
        uint32_t rank = engine->is_ahead ? leave_awaited_rank(engine, &location->call) : NONE;
        if (rank != NONE)
            return rank;
        engine_end_location(engine, location);
        return NONE;
    }
    if (!location->has_begun)
        engine_begin_location(engine, location, event->time_ns);
    if (location->call.is_open)
        return engine_step_in_call(engine, location, event, event->time_ns);
    step_outside(engine, location, event);
    return NONE;
}

// --- which location is next

/// The location of RANK that has the earliest next event, NONE when all have ended. Ties as in the
/// tournament: a join is not read ahead before the end of a member of the team at the same time.
static uint32_t next_of_rank(const struct engine *engine, uint32_t rank)
{
    const struct rank_state *state = &engine->ranks[rank];
    uint32_t best = NONE;
    for (uint32_t i = 0; i < state->n_locations; i++) {
        uint32_t location = state->first_location + i;
        const struct location_state *candidate = &engine->locations[location];
        if (!candidate->has_ended &&
            (best == NONE || key_of(candidate) < key_of(&engine->locations[best])))
            best = location;
    }
    return best;
}

/// TARGET is in a cycle of locations that wait for each other: advances one that must have gone on,
/// even with skewed clocks (leave_break_cycle()). False if there is none.
static bool break_cycle(struct engine *engine, uint32_t target)
{
    const struct location_state *waiter = &engine->locations[target];
    for (size_t hops = 0; hops <= engine->n_locations; hops++) {
        uint32_t rank = leave_awaited_rank(engine, &waiter->call);
        target = rank == NONE ? NONE : next_of_rank(engine, rank);
        if (target == NONE)
            return false;
        struct location_state *location = &engine->locations[target];
        if (leave_break_cycle(engine, location, waiter))
            return true;
        waiter = location;
    }
    return false;
}

/// FIRST waits for RANK: reads only that rank, or the one it waits for, ahead by one event. When
/// the limit is reached, or in a cycle that no member can break, FIRST gives up waiting.
static void read_ahead(struct engine *engine, struct location_state *first, uint32_t rank)
{
    engine->is_ahead = true;
    for (size_t hops = 0; rank != NONE; hops++) {
        uint32_t target = next_of_rank(engine, rank);
        bool is_cycle = target == first->index || hops > engine->n_locations;
        if (target == NONE || is_cycle || first->lookahead_left == 0) {
            first->call.gave_up = !is_cycle || !break_cycle(engine, target);
            break;
        }
        struct location_state *location = &engine->locations[target];
        const struct event *event = next_event(engine, location);
        if (location->excerpt)
            excerpt_reach(location, location->next_ns);
        rank = step(engine, location, event);
        if (rank == NONE) {
            if (!location->has_ended) {
                first->lookahead_left--;
                next_event(engine, location);
            }
            place(engine, location);
        }
    }
    engine->is_ahead = false;
}

/// Whether EVENT concerns its own location only, so that it need not be read in the run's order:
/// the enter or leave of a region outside MPI.
static bool is_private(const struct engine *engine, const struct location_state *location,
                       const struct event *event)
{
    return event && event->kind <= EVENT_LEAVE && !location->call.is_open &&
           region_at(engine, event->index)->mpi == MPI_FUNCTION_NONE;
}

/// Reads the location with the earliest next event, and on as long as its events are private, or
/// until it has to wait. HAS_EXCERPTS is a compile-time constant: replays of the whole run do not
/// test it.
static inline __attribute__((always_inline)) void advance_by(struct engine *engine,
                                                             bool has_excerpts)
{
    struct location_state *location = location_of(engine, tournament_first(&engine->order));
    const struct event *event = next_event(engine, location);
    do {
        if (has_excerpts)
            excerpt_reach(location, location->next_ns);
        uint32_t rank = step(engine, location, event);
        if (rank != NONE) {
            read_ahead(engine, location, rank);
            return;
        }
        if (location->has_ended)
            break;
        event = next_event(engine, location);
    } while (is_private(engine, location, event));
    place(engine, location);
}

static void advance(struct engine *engine)
{
    advance_by(engine, false);
}

static void advance_excerpt(struct engine *engine)
{
    advance_by(engine, true);
}

// --- set-up and the whole run

static void init_ranks(struct engine *engine)
{
    engine->ranks = memory_zeroed(engine->n_ranks, sizeof(*engine->ranks));
    for (size_t i = 0; i < engine->n_ranks; i++) {
        engine->ranks[i].first_location = NONE;
        engine->ranks[i].fork_node = LINEAGE_NONE;
        engine->ranks[i].team_node = LINEAGE_NONE;
        map_init(&engine->ranks[i].requests);
    }
}

static void init_location(struct engine *engine, size_t index)
{
    struct location_state *state = &engine->locations[index];
    const struct location *location = &engine->definitions->locations[index];
    state->index = (uint32_t)index;
    state->rank = location->rank;
    state->is_master = location->is_master && location->rank != NONE;
    state->cursor = trace_cursor(engine->trace, index);
    state->trace = engine->trace;
    state->definitions = engine->definitions;
    state->call.keeps_places = engine->listener.changed != NULL;
    if (engine->options.parts)
        state->excerpt = excerpt_new(engine->options.parts, engine->options.n_parts, index);
    profile_init(&state->profile);
    head_init(engine, &state->head);
    if (location->rank != NONE) {
        struct rank_state *rank = &engine->ranks[location->rank];
        if (rank->first_location == NONE)
            rank->first_location = state->index;
        rank->n_locations++;
    }
    next_event(engine, state); // time 0 when there is nothing to read: it ends at once
    place(engine, state);
}

void engine_init(struct engine *engine, struct trace *trace, const struct pag_options *options,
                 const struct pag_listener *listener, const struct engine_hooks *hooks,
                 struct pag_result *result)
{
    const struct definitions *definitions = trace_definitions(trace);
    *result = (struct pag_result){0};
    *engine = (struct engine){
        .trace = trace,
        .definitions = definitions,
        .options = *options,
        .result = result,
        .hooks = hooks,
        .n_locations = definitions->n_locations,
        .n_ranks = definitions->n_ranks,
    };
    if (listener)
        engine->listener = *listener;
    lineage_init(&engine->lineage);
    engine->locations = memory_zeroed(engine->n_locations, sizeof(*engine->locations));
    tournament_init(&engine->order, (uint32_t)engine->n_locations);
    init_ranks(engine);
    for (size_t i = 0; i < engine->n_locations; i++)
        init_location(engine, i);
    match_init(engine);
    collective_init(engine);
}

static void release(struct engine *engine)
{
    for (size_t i = 0; i < engine->n_locations; i++) {
        profile_release(&engine->locations[i].profile);
        head_release(&engine->locations[i].head);
        call_release(&engine->locations[i].call);
        excerpt_free(engine->locations[i].excerpt);
    }
    for (size_t i = 0; i < engine->n_ranks; i++)
        map_release(&engine->ranks[i].requests);
    match_release(engine);
    collective_release(engine);
    lineage_release(&engine->lineage);
    free(engine->locations);
    free(engine->ranks);
    tournament_release(&engine->order);
}

/// -1 and ERR: an empty archive, or one of which nothing can be read.
static int refuse_empty(const struct engine *engine, struct error *err)
{
    const char *path = trace_path(engine->trace);
    size_t n_damaged = 0, first = 0;
    for (size_t i = engine->n_locations; i-- > 0;)
        if (trace_location_report(engine->trace, i)->reason) {
            n_damaged++;
            first = i;
        }
    if (n_damaged == 0)
        return error_set(err, "%s has no events", path);
    return error_set(err,
                     "%s holds no event that can be read (%zu of %zu locations fail); location "
                     "\"%s\": %s",
                     path, n_damaged, engine->n_locations,
                     engine->definitions->locations[first].name,
                     trace_location_report(engine->trace, first)->reason);
}

int engine_conclude(struct engine *engine, struct error *err)
{
    match_finish(engine);
    collective_finish(engine);
    late_receiver_finish(engine);
    outcome_fill(engine);
    if (engine->options.index)
        index_conclude(engine);
    if (engine->options.parts && engine->result->n_events > 0)
        outcome_tell_parts(engine);
    release(engine);
    if (engine->result->n_events == 0)
        return refuse_empty(engine, err);
    return 0;
}

/// With an index: goes on from its last point before the parts. 0, or -1 and ERR: it is damaged.
static int resume(struct engine *engine, const struct pag_index_point *point, struct error *err)
{
    struct pag_index *index = engine->options.index;
    if (!index || !index->is_complete)
        return 0;
    if (index->is_damaged || !index_resume(engine, point)) {
        release(engine);
        return error_set(err, "the index is damaged");
    }
    for (size_t i = 0; i < engine->n_locations && point; i++) {
        if (!engine->locations[i].has_ended)
            next_event(engine, &engine->locations[i]);
        place(engine, &engine->locations[i]);
    }
    return 0;
}

int pag_run(struct trace *trace, const struct pag_options *options,
            const struct pag_listener *listener, struct pag_result *result, struct error *err)
{
    struct engine engine;
    struct pag_index *index = options->index;
    const struct pag_index_point *point = index ? index_begin(index, trace, options) : NULL;
    engine_init(&engine, trace, options, listener, NULL, result);
    if (resume(&engine, point, err) != 0)
        return -1;
    tournament_key next;
    for (uint32_t n_turns = 1; (next = tournament_first(&engine.order)) != TOURNAMENT_NONE;
         n_turns++) {
        if (n_turns % TURNS_PER_REPORT == 0 && engine.listener.reached)
            engine.listener.reached(engine.listener.context, key_ns(next));
        if (index && n_turns % index->settings.turns_between == 0 &&
            !index_turn(&engine, key_ns(next)))
            break;
        if (engine.options.parts)
            advance_excerpt(&engine);
        else
            advance(&engine);
    }
    if (index)
        index_stop(&engine);
    return engine_conclude(&engine, err);
}

// SPDX-License-Identifier: BSD-3-Clause
// The order of reading. The location with the earliest next event is read, and on as long as its
// events concern no other one. A call cannot be settled while its partner's record is unread (later
// in time by skewed clocks, or missing): then the location waits and only that partner is read
// ahead. Memory stays bounded because no other location is read beyond the present time.
#include "analyzer/pag/engine.h"

#include <stddef.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/index.h"
#include "analyzer/pag/location/digest.h"
#include "analyzer/pag/location/excerpt.h"
#include "analyzer/pag/views/recent.h"
#include "analyzer/pag/views/region_triggers.h"
#include "analyzer/pag/views/regions.h"
#include "analyzer/pag/views/series.h"
#include "analyzer/pag/views/thread_time.h"

enum { TURNS_PER_REPORT = 4096 }; // between two calls of listener.reached

// More locations than that are not held in the second-level cache.
enum { MANY_LOCATIONS = 256 };
enum { FETCHED_EVENTS = 3, FETCHED_PATHS = 6 }; // of a location: as many as a call needs

// --- the tournament of locations

// The leave of a barrier of threads comes after other events of its time, so that all who enter it
// are known, and a join and the end of a location after all of them: by then the last member of the
// team is known, and so is a message to the call that is cut there.
enum { TURN_SHIFT = 30 };

static tournament_key key_of(const struct location_state *location)
{
    uint32_t turn = location->index | (uint32_t)location->next_turn << TURN_SHIFT;
    return (tournament_key)location->next_ns << 64 | turn;
}

static uint64_t key_ns(tournament_key key)
{
    return (uint64_t)(key >> 64);
}

static uint32_t index_of(tournament_key key)
{
    return (uint32_t)key & ((1U << TURN_SHIFT) - 1);
}

static void place(struct engine *engine, const struct location_state *location)
{
    tournament_set(&engine->order, location->index,
                   location->has_ended ? TOURNAMENT_NONE : key_of(location));
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

/// The one that is next of the rank that LOCATION's open call waits for, NULL: there is none.
static struct location_state *awaited_by(const struct engine *engine,
                                         const struct location_state *location)
{
    uint32_t rank = leave_awaited_rank(engine, location);
    uint32_t next = rank == NONE ? NONE : next_of_rank(engine, rank);
    return next == NONE ? NULL : &engine->locations[next];
}

/// TARGET is in a cycle of locations that wait for each other: advances one that must have gone on,
/// even with skewed clocks (leave_break_cycle()). False if there is none.
static bool break_cycle(struct engine *engine, uint32_t target)
{
    const struct location_state *waiter = &engine->locations[target];
    for (size_t hops = 0; hops <= engine->n_locations; hops++) {
        struct location_state *location = awaited_by(engine, waiter);
        if (!location)
            return false;
        if (leave_break_cycle(engine, location, waiter))
            return true;
        waiter = location;
    }
    return false;
}

/// Of the cycle of calls that TARGET is in, the one whose turn comes first; NULL: some wait for
/// something else than calls do.
static struct location_state *first_of_cycle(const struct engine *engine, uint32_t target)
{
    struct location_state *location = &engine->locations[target], *first = location;
    for (size_t hops = 0; hops <= engine->n_locations; hops++) {
        location = awaited_by(engine, location);
        if (!location)
            return NULL;
        if (location->index == target)
            return first;
        first = key_of(location) < key_of(first) ? location : first;
    }
    return NULL;
}

/// FIRST has come to the cycle that TARGET is in, which no member can break: the member gives up
/// that would have done so had FIRST not come.
static void give_up_cycle(const struct engine *engine, struct location_state *first,
                          uint32_t target)
{
    struct location_state *member = first_of_cycle(engine, target);
    leave_give_up(engine, &(member ? member : first)->call);
}

/// FIRST waits for RANK: reads only that rank, or the one it waits for, ahead by one event. When
/// the limit is reached FIRST gives up waiting; in a cycle that no member can break, a member does.
static void read_ahead(struct engine *engine, struct location_state *first, uint32_t rank)
{
    engine->is_ahead = true;
    for (size_t hops = 0; rank != NONE; hops++) {
        uint32_t target = next_of_rank(engine, rank);
        bool is_cycle = target == first->index || hops > engine->n_locations;
        if (target == NONE || is_cycle || first->lookahead_left == 0) {
            if (!is_cycle)
                first->call.gave_up = true;
            else if (!break_cycle(engine, target))
                give_up_cycle(engine, first, target);
            break;
        }
        struct location_state *location = &engine->locations[target];
        const struct event *event = step_peek(engine, location);
        if (location->profile.excerpt)
            excerpt_reach(location, location->next_ns);
        rank = step_event(engine, location, event);
        if (rank == NONE) {
            if (!location->has_ended) {
                first->lookahead_left--;
                step_peek(engine, location);
            }
            place(engine, location);
        }
    }
    engine->is_ahead = false;
}

/// With many locations little of one is in a cache when its turn comes. Fetches the one that seems
/// to be next after LOCATION: its index, NONE if there is none.
static uint32_t fetch_next(const struct engine *engine, const struct location_state *location)
{
    tournament_key key = tournament_first_beside(&engine->order, location->index);
    if (key == TOURNAMENT_NONE)
        return NONE;
    uint32_t next = index_of(key);
    memory_fetch(&engine->locations[next],
                 offsetof(struct location_state, profile.without_cpu) + CACHE_LINE_BYTES);
    memory_fetch(trace_cursor(engine->trace, next), sizeof(struct cursor));
    if (next < engine->n_ranks) // where each rank has one location
        memory_fetch(&engine->ranks[next], offsetof(struct rank_state, off_ns));
    return next;
}

/// Fetches what it points to, once it has arrived.
static void fetch_further(const struct engine *engine, const struct location_state *next)
{
    memory_fetch(&next->cursor->events[next->cursor->position],
                 FETCHED_EVENTS * sizeof(struct event));
    memory_fetch(next->call.records, sizeof(struct event));
    memory_fetch(next->head.times.paths, FETCHED_PATHS * sizeof(struct path_time));
    if (next->rank == NONE)
        return;
    memory_fetch(engine->ranks[next->rank].series, 1);
    memory_fetch(engine->ranks[next->rank].requests.slots, 1);
}

/// Reads the location with the earliest next event, and on as long as its events are private, or
/// until it has to wait.
static void advance(struct engine *engine)
{
    struct location_state *location =
        &engine->locations[index_of(tournament_first(&engine->order))];
    uint32_t next = engine->n_locations > MANY_LOCATIONS ? fetch_next(engine, location) : NONE;
    const struct event *event = location_peek(location, 0); // whose time is known already
    do {
        if (location->profile.excerpt)
            excerpt_reach(location, location->next_ns);
        uint32_t rank = step_event(engine, location, event);
        if (rank != NONE) {
            read_ahead(engine, location, rank);
            return;
        }
        if (location->has_ended)
            break;
        event = step_peek(engine, location);
    } while (step_is_private(engine, location, event));
    if (next != NONE)
        fetch_further(engine, &engine->locations[next]);
    place(engine, location);
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
    state->call.keeps_places = engine->listener.changed.tell != NULL;
    state->created.node = LINEAGE_NONE;
    head_init(engine, state->index, &state->head);
    profile_init(&state->profile, engine->definitions, &state->head.times);
    if (engine->options.parts)
        state->profile.excerpt = excerpt_new(engine->options.parts, engine->options.n_parts, index);
    if (location->rank != NONE) {
        struct rank_state *rank = &engine->ranks[location->rank];
        if (rank->first_location == NONE)
            rank->first_location = state->index;
        rank->n_locations++;
    }
    step_peek(engine, state); // time 0 when there is nothing to read: it ends at once
    place(engine, state);
}

static void digest(void *context, size_t location, const struct decoded *decoded, struct batch *out)
{
    const struct engine *engine = context;
    digest_events(engine->locations[location].digest, decoded, out);
}

static void pass_digest(void *context, size_t location, struct numbers *numbers)
{
    const struct engine *engine = context;
    digest_pass(engine->locations[location].digest, numbers);
}

static void add_counted(void *context, size_t location, const struct decoded *decoded,
                        struct batch *out)
{
    (void)context;
    (void)location;
    regions_add_counted(decoded, out);
}

/// Parts of a run look at the profile at times between the events that a digest leaves, and a
/// driver or a listener to regions at each event.
static void begin_digest(struct engine *engine)
{
    if (engine->regions && engine->definitions->n_counters > 0)
        trace_set_digest(engine->trace, &(struct trace_digest){.events = add_counted});
    if (engine->hooks || engine->options.parts || engine->listener.changed.tell || engine->regions)
        return;
    for (size_t i = 0; i < engine->n_locations; i++)
        engine->locations[i].digest = digest_new(engine->definitions, i, engine->options.visited);
    trace_set_digest(engine->trace, &(struct trace_digest){engine, digest, pass_digest});
}

static void end_digest(struct engine *engine)
{
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct location_state *location = &engine->locations[i];
        if (!location->digest)
            continue;
        profile_release(&location->profile);
        location->profile = digest_finish(location->digest, &location->head);
        location->digest = NULL;
    }
    trace_set_digest(engine->trace, NULL);
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
        .n_ranks_going_on = definitions->n_ranks - definitions->n_spawned_ranks,
        .n_ranks_to_begin = definitions->n_ranks - definitions->n_spawned_ranks,
    };
    if (listener)
        engine->listener = *listener;
    lineage_init(&engine->lineage);
    if (engine->listener.handed_over.tell)
        lineage_keep_hand_overs(&engine->lineage);
    engine->regions = regions_new(engine);
    engine->locations = memory_zeroed(engine->n_locations, sizeof(*engine->locations));
    tournament_init(&engine->order, (uint32_t)engine->n_locations);
    init_ranks(engine);
    begin_digest(engine);
    engine->threads = thread_time_new(engine);
    for (size_t i = 0; i < engine->n_locations; i++)
        init_location(engine, i);
    engine->region_triggers = region_triggers_new(engine);
    if (engine->options.moment)
        engine->recent = recent_new(engine->options.moment, engine->n_ranks);
    match_init(engine);
    collective_init(engine);
}

static void release(struct engine *engine)
{
    for (size_t i = 0; i < engine->n_locations; i++) {
        profile_release(&engine->locations[i].profile);
        excerpt_free(engine->locations[i].profile.excerpt);
        head_release(&engine->locations[i].head);
        call_release(&engine->locations[i].call);
    }
    for (size_t i = 0; i < engine->n_ranks; i++) {
        map_release(&engine->ranks[i].requests);
        series_free(engine->ranks[i].series);
    }
    match_release(engine);
    locks_release(engine);
    epochs_release(engine);
    collective_release(engine);
    thread_time_free(engine->threads);
    recent_free(engine->recent);
    regions_free(engine->regions);
    free(engine->region_triggers);
    lineage_release(&engine->lineage);
    FREE_ALL(engine->locations, engine->ranks);
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
    trace_stop_reading(engine->trace); // before what its threads fill and look up goes
    end_digest(engine);
    outcome_fill(engine);
    for (unsigned scope = 0; scope < 2; scope++) {
        engine->result->attended_bytes[scope] = send_habits_least(&engine->attendance[scope]);
        engine->result->unattended_bytes[scope] = engine->unattended_bytes[scope];
    }
    if (engine->options.keeps_series)
        series_conclude(engine);
    if (engine->recent)
        recent_conclude(engine);
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
            step_peek(engine, &engine->locations[i]);
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
        if (n_turns % TURNS_PER_REPORT == 0 && engine.listener.reached.tell)
            TELL(&engine, reached, key_ns(next));
        if (index && n_turns % index->settings.turns_between == 0 &&
            !index_turn(&engine, key_ns(next)))
            break;
        advance(&engine);
    }
    if (index)
        index_stop(&engine);
    return engine_conclude(&engine, err);
}

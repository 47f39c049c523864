// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for each other (see steps.h). All waits of threads have one form: of the
// moments that an event needs - the team is made; all have come to the barrier, or to the end of
// their parts; and the thread itself is there - the last one in the simulated run, and the last one
// in the recording. The event comes as long after the first as it was recorded after the second.
#include "analyzer/simulation/steps.h"

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/pool.h"
#include "analyzer/pag/location/profile.h"
#include "analyzer/simulation/state.h"

/// Among so many events of a thread its next part, the end of the team, a lock that it gives back,
/// or a barrier that it comes to is looked for.
enum { MAX_AHEAD = 1024 };

/// Something that happened, in the simulated run and in the recording.
struct team_moment {
    uint64_t now_ns, recorded_ns;
};

/// Threads that another one, their master, has made: a team, or one alone (EVENT_OF_CREATED).
struct team {
    bool is_open;              // made and not yet awaited
    uint32_t comm;             // of a team: its parts begin and end with this; NONE: not known
    uint64_t joined_ns;        // when it was awaited, in the recording; UINT64_MAX: too far ahead
    struct team_moment made;   // when it was made
    struct team_moment came;   // the last thread that came to the barrier
    struct team_moment parted; // the last thread that has done its part
    uint32_t n_threads, n_at_barrier, n_awaited; // the last: parts not done, once its master waits
    uint32_t master;    // a location; of one alone the one that awaits it, whoever has made it
    struct team *outer; // its master is in
    struct team *inner; // its master has made last within it; NULL: none
};

enum awaited {
    AWAITS_NOTHING,
    AWAITS_TEAM,
    AWAITS_BARRIER,
    AWAITS_PARTS,
    AWAITS_LOCK,
    GIVES_BACK, // a lock: it does not wait, but its work is done then
};

/// What a thread has once another one gives it, in the recorded order: a lock, or what is inside of
/// a construct (a critical section, ordered parts), or a condition that is signalled.
typedef uint64_t lock_key;

struct team_thread {
    enum awaited awaits;
    bool is_followed;        // this is known of the threads of its process
    bool is_loose;           // they also wait for each other outside of teams
    bool asks;               // its last event was the enter of
    uint32_t construct;      // this one, in which it waits until it has a lock
    uint32_t barrier;        // the region of the barrier it is at, NONE
    uint32_t number;         // of that, or of the condition it waits for; 0: it has none
    struct team *inside;     // whose part it does, NULL
    struct team *begins;     // whose part it begins next, as far as known
    struct team *own;        // that it has made last outside of teams that it has made, NULL
    uint32_t giver;          // of the lock it waits for: the location that gives it back
    uint64_t given_ns;       // at this recorded time
    struct team *awaited_by; // the master of this one waits for its part
    struct team_moment came; // when it began to wait
    uint64_t event_ns;       // the recorded time of the event that it waits for
};

struct teams {
    struct team_thread *threads; // by location
    size_t n_threads;
    struct pool created; // teams: threads that were made alone and are not awaited yet
    struct process {
        struct map created_of;        // number of a thread -> index in `created`
        struct map index_of;          // lock_key -> index of
        struct team_moment *releases; // the last one so far, of each lock
        size_t n, capacity;
    } * processes; // by rank
    size_t n_processes;
};

static void see(struct team_moment *last, struct team_moment moment)
{
    last->now_ns = moment.now_ns > last->now_ns ? moment.now_ns : last->now_ns;
    last->recorded_ns =
        moment.recorded_ns > last->recorded_ns ? moment.recorded_ns : last->recorded_ns;
}

struct teams *teams_new(const struct engine *engine)
{
    const struct prediction *prediction = prediction_of(engine);
    if (prediction->timeless || prediction->ideal || prediction->site_of_rank)
        return NULL;
    const struct pag_rank_threads *threads = recorded_facts(prediction->recorded)->threads;
    bool has_any = false;
    for (size_t rank = 0; rank < engine->n_ranks; rank++)
        has_any = has_any || pag_knows_threads(threads[rank].threading);
    if (!has_any)
        return NULL;
    struct teams *teams = memory_zeroed(1, sizeof *teams);
    teams->n_threads = engine->n_locations;
    teams->threads = memory_zeroed(engine->n_locations, sizeof *teams->threads);
    teams->n_processes = engine->n_ranks;
    teams->processes = memory_zeroed(engine->n_ranks, sizeof *teams->processes);
    pool_init(&teams->created, sizeof(struct team));
    for (size_t i = 0; i < engine->n_locations; i++) {
        uint32_t rank = engine->locations[i].rank;
        teams->threads[i] = (struct team_thread){
            .barrier = NONE,
            .is_followed = rank != NONE && pag_knows_threads(threads[rank].threading),
            .is_loose = rank != NONE && threads[rank].threading == PAG_CREATED,
        };
    }
    for (size_t rank = 0; rank < engine->n_ranks; rank++) {
        map_init(&teams->processes[rank].created_of);
        map_init(&teams->processes[rank].index_of);
    }
    return teams;
}

static void free_made(struct team *team)
{
    while (team) {
        struct team *inner = team->inner;
        free(team);
        team = inner;
    }
}

void teams_free(struct teams *teams)
{
    if (!teams)
        return;
    for (size_t i = 0; i < teams->n_threads; i++)
        free_made(teams->threads[i].own);
    for (size_t rank = 0; rank < teams->n_processes; rank++) {
        map_release(&teams->processes[rank].created_of);
        map_release(&teams->processes[rank].index_of);
    }
    pool_release(&teams->created);
    FREE_MEMBERS(teams->processes, teams->n_processes, releases);
    FREE_ALL(teams->processes, teams->threads, teams);
}

static struct team_thread *thread_of(const struct engine *engine,
                                     const struct location_state *location)
{
    return &prediction_of(engine)->teams->threads[location->index];
}

static struct location_state *thread_at(const struct engine *engine,
                                        const struct location_state *of_process, uint32_t i)
{
    return &engine->locations[engine->ranks[of_process->rank].first_location + i];
}

/// Where the team is kept that LOCATION has made last within the one of its own that it is in.
static struct team **made_by(const struct engine *engine, const struct location_state *location)
{
    struct team_thread *thread = thread_of(engine, location);
    bool is_in_own = thread->inside && thread->inside->master == location->index;
    return is_in_own ? &thread->inside->inner : &thread->own;
}

/// Whether LOCATION has made a team, or is the one that makes them, and so begins its part itself.
static bool is_master(const struct engine *engine, const struct location_state *location)
{
    const struct team *made = *made_by(engine, location);
    return location->is_master || (made && made->is_open);
}

/// Whether THREAD waits where others may let it go on: not in a team of its own.
static bool has_others(const struct team_thread *thread)
{
    if (!thread->inside)
        return thread->is_loose;
    return thread->inside->is_open && thread->inside->n_threads > 1;
}

/// The thread with this NUMBER of LOCATION's process, whether it has been made or not.
static struct team *created_thread(const struct engine *engine,
                                   const struct location_state *location, uint64_t number)
{
    struct teams *teams = prediction_of(engine)->teams;
    struct map *created_of = &teams->processes[location->rank].created_of;
    uint32_t index;
    if (!map_get(created_of, number, &index)) {
        index = pool_take(&teams->created);
        map_put(created_of, number, index);
        *(struct team *)pool_at(&teams->created, index) =
            (struct team){.joined_ns = UINT64_MAX, .n_threads = 1};
    }
    return pool_at(&teams->created, index);
}

static lock_key key_of_lock(uint64_t number)
{
    return number | UINT64_C(1) << 63;
}

static lock_key key_of_condition(uint32_t number)
{
    return number | UINT64_C(1) << 62;
}

static lock_key key_of_construct(uint32_t region)
{
    return region + UINT64_C(1);
}

/// The lock that EVENT gives back, or the condition that it signals; 0: none.
static lock_key release_of(const struct engine *engine, const struct event *event)
{
    if (event->kind == EVENT_LOCK_RELEASED)
        return key_of_lock(event->size_bytes);
    if (event->kind == EVENT_ENTER && event->tag != 0 &&
        region_at(engine, event->index)->construct == CONSTRUCT_RUNTIME)
        return key_of_condition(event->tag);
    if (event->kind != EVENT_LEAVE || region_at(engine, event->index)->construct != CONSTRUCT_LOCK)
        return 0;
    return key_of_construct(event->index);
}

/// What LOCATION waits for before EVENT.
static enum awaited awaited_before(const struct engine *engine,
                                   const struct location_state *location, const struct event *event)
{
    const struct team_thread *thread = thread_of(engine, location);
    if (!thread->is_followed)
        return AWAITS_NOTHING;
    if (event->kind == EVENT_THREAD_TEAM_BEGIN)
        return is_master(engine, location) ? AWAITS_NOTHING : AWAITS_TEAM;
    if (event->kind == EVENT_THREAD_JOIN) {
        const struct team *made = *made_by(engine, location);
        bool awaits = event_is_of_created(event) || (made && made->is_open && made->n_threads > 1);
        return awaits ? AWAITS_PARTS : AWAITS_NOTHING;
    }
    if (!has_others(thread))
        return AWAITS_NOTHING;
    if (thread->asks && event->kind != EVENT_LOCK_RELEASED)
        return AWAITS_LOCK;
    if (event->kind == EVENT_LEAVE && event->index == thread->barrier)
        return AWAITS_BARRIER;
    return release_of(engine, event) != 0 ? GIVES_BACK : AWAITS_NOTHING;
}

bool teams_decide(const struct engine *engine, const struct location_state *location,
                  const struct event *event)
{
    return prediction_of(engine)->teams &&
           !simulated_location(engine, location)->computation.has_waited &&
           awaited_before(engine, location, event) != AWAITS_NOTHING;
}

/// LOCATION's next event of KIND, of a team with COMM (NONE: any); NULL: none is near.
static const struct event *find_ahead(const struct engine *engine,
                                      const struct location_state *location, enum event_kind kind,
                                      uint32_t comm)
{
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_ahead(engine, location, ahead);
        if (!event)
            break;
        if (event->kind == kind && !event_is_of_created(event) &&
            (comm == NONE || event->index == comm))
            return event;
    }
    return NULL;
}

/// The recorded time at which LOCATION, which has made a team, awaits it; UINT64_MAX: too far
/// ahead.
static uint64_t join_ahead(const struct engine *engine, const struct location_state *location)
{
    uint32_t n_open = 1;
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_ahead(engine, location, ahead);
        if (!event)
            break;
        if (event_is_of_created(event))
            continue;
        n_open += event->kind == EVENT_THREAD_FORK;
        n_open -= event->kind == EVENT_THREAD_JOIN;
        if (n_open == 0)
            return event->time_ns;
    }
    return UINT64_MAX;
}

bool teams_begins_alone(const struct engine *engine, const struct location_state *location)
{
    return !prediction_of(engine)->teams || !thread_of(engine, location)->is_followed ||
           location->is_master || event_ahead(engine, location, 0)->kind != EVENT_THREAD_TEAM_BEGIN;
}

// --- who may go on

/// LOCATION's event comes as long after LAST as in the recording.
static void wake(struct engine *engine, const struct location_state *location,
                 struct team_moment last)
{
    struct prediction *prediction = prediction_of(engine);
    struct team_thread *thread = thread_of(engine, location);
    see(&last, thread->came);
    uint64_t after_ns =
        thread->event_ns > last.recorded_ns ? thread->event_ns - last.recorded_ns : 0;
    thread->awaits = AWAITS_NOTHING;
    scheduler_wake(prediction->scheduler, location->index, last.now_ns + after_ns, 0);
}

/// Whether BEGIN, of a part, is one of TEAM. NULL: it is not.
static bool is_of(const struct team *team, const struct event *begin)
{
    return begin && begin->time_ns >= team->made.recorded_ns && begin->time_ns <= team->joined_ns &&
           (team->comm == NONE || team->comm == begin->index);
}

// --- locks

/// Where the last release of KEY by a thread of LOCATION's process is kept.
static struct team_moment *last_release(const struct engine *engine,
                                        const struct location_state *location, lock_key key)
{
    struct process *process = &prediction_of(engine)->teams->processes[location->rank];
    uint32_t index;
    if (map_get(&process->index_of, key, &index))
        return &process->releases[index];
    map_put(&process->index_of, key, (uint32_t)process->n);
    struct team_moment *release = ARRAY_NEXT(process->releases, process->n, process->capacity);
    *release = (struct team_moment){0};
    return release;
}

/// The last time up to END_NS, in the recording, at which LOCATION gives KEY back that it has not
/// given back yet; 0: none.
static uint64_t release_ahead(const struct engine *engine, const struct location_state *location,
                              lock_key key, uint64_t end_ns)
{
    uint64_t found_ns = 0;
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_ahead(engine, location, ahead);
        if (!event || event->time_ns > end_ns)
            break;
        if (release_of(engine, event) == key)
            found_ns = event->time_ns;
    }
    return found_ns;
}

/// What THREAD has by EVENT, for which it waits; 0: it is not known.
static lock_key asked_for(const struct team_thread *thread, const struct event *event)
{
    if (event->kind == EVENT_LOCK_ACQUIRED)
        return key_of_lock(event->size_bytes);
    if (thread->number != 0)
        return key_of_condition(thread->number);
    return thread->inside ? key_of_construct(thread->construct) : 0;
}

/// LOCATION, which waits for a lock, has it once who had it before it in the recording has given it
/// back, if that was after it asked for it. What nobody is known to give, such as the end of a
/// task, it awaits for as long as in the recording.
static void await_lock(struct engine *engine, const struct location_state *location)
{
    struct team_thread *thread = thread_of(engine, location);
    const struct event *event = event_ahead(engine, location, 0);
    lock_key key = asked_for(thread, event);
    thread->giver = NONE;
    if (key == 0) {
        wake(engine, location, thread->came);
        return;
    }
    const struct team_moment *last = last_release(engine, location, key);
    bool is_late = thread->number != 0 && last->recorded_ns > thread->event_ns;
    if (is_late) { // signalled once more: what it would wait for has happened
        wake(engine, location, (struct team_moment){0, thread->event_ns});
        return;
    }
    struct team_moment given = thread->came;
    uint64_t since_ns = thread->came.recorded_ns;
    if (last->recorded_ns > since_ns && last->recorded_ns <= thread->event_ns) {
        given = *last;
        since_ns = last->recorded_ns;
    }
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
        const struct location_state *other = thread_at(engine, location, i);
        uint64_t ns = other == location ? 0 : release_ahead(engine, other, key, thread->event_ns);
        if (ns <= since_ns)
            continue;
        since_ns = thread->given_ns = ns;
        thread->giver = other->index;
    }
    if (thread->giver == NONE)
        wake(engine, location, given);
}

/// LOCATION has given KEY back.
static void give_back(struct engine *engine, const struct location_state *location, lock_key key,
                      struct team_moment moment)
{
    *last_release(engine, location, key) = moment;
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
        const struct location_state *other = thread_at(engine, location, i);
        const struct team_thread *thread = thread_of(engine, other);
        if (thread->awaits == AWAITS_LOCK && thread->giver == location->index &&
            thread->given_ns <= moment.recorded_ns)
            wake(engine, other, moment);
    }
}

void teams_pass(struct engine *engine, const struct location_state *location,
                const struct event *event)
{
    if (!thread_of(engine, location)->is_followed)
        return;
    struct computation *computation = &simulated_location(engine, location)->computation;
    struct team_thread *thread = thread_of(engine, location);
    lock_key key = release_of(engine, event);
    if (key != 0 && (thread->inside || thread->is_loose)) // the first event of a computation
        give_back(engine, location, key,
                  (struct team_moment){computation->begin_ns, event->time_ns});
    computation->has_waited = false;
    thread->asks = thread->asks && event->kind == EVENT_LOCK_RELEASED; // to wait for a condition
    if (event->kind == EVENT_ENTER) {
        enum construct construct = region_at(engine, event->index)->construct;
        bool is_barrier = construct_is_barrier(construct);
        bool is_unknown = is_barrier && !thread->inside && event->tag == 0;
        thread->asks = construct == CONSTRUCT_LOCK || construct == CONSTRUCT_CONDITION ||
                       construct == CONSTRUCT_TASK || is_unknown;
        thread->construct = event->index;
        thread->barrier = is_barrier && !is_unknown ? event->index : thread->barrier;
        thread->number = event->tag;
    } else if (event->kind == EVENT_LEAVE && event->index == thread->barrier) {
        thread->barrier = NONE;
    }
}

// --- waits

/// All threads that wait at the barrier of TEAM, or, where that is NULL, at the same one as
/// LOCATION outside of teams, may go on after LAST.
static void end_meeting(struct engine *engine, const struct location_state *location,
                        const struct team *team, struct team_moment last)
{
    uint32_t number = thread_of(engine, location)->number;
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
        const struct location_state *other = thread_at(engine, location, i);
        const struct team_thread *thread = thread_of(engine, other);
        if (thread->awaits == AWAITS_BARRIER && thread->inside == team &&
            (team || thread->number == number))
            wake(engine, other, last);
    }
}

static void come_to_barrier(struct engine *engine, struct team *team,
                            const struct location_state *location)
{
    see(&team->came, thread_of(engine, location)->came);
    if (++team->n_at_barrier < team->n_threads)
        return;
    team->n_at_barrier = 0;
    end_meeting(engine, location, team, team->came);
    team->came = (struct team_moment){0};
}

/// Whether LOCATION comes yet to the barrier at which WAITING is, and was there at the same time in
/// the recording.
static bool will_come(const struct engine *engine, const struct location_state *location,
                      const struct team_thread *waiting)
{
    const struct team_thread *thread = thread_of(engine, location);
    bool has_entered = !thread->inside && thread->number == waiting->number; // and works yet
    uint32_t barrier = has_entered ? thread->barrier : NONE;
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_ahead(engine, location, ahead);
        if (!event || (event->time_ns > waiting->event_ns && barrier == NONE))
            return false;
        bool is_enter = event->kind == EVENT_ENTER && event->tag == waiting->number;
        if (is_enter && construct_is_barrier(region_at(engine, event->index)->construct))
            barrier = event->index;
        if (barrier == NONE || event->kind != EVENT_LEAVE || event->index != barrier)
            continue;
        if (event->time_ns >= waiting->came.recorded_ns)
            return true;
        barrier = NONE;
    }
    return false;
}

/// LOCATION has come to a barrier outside of teams. All that were there at the same time in the
/// recording leave it once the last of them has come.
static void come_to_meeting(struct engine *engine, const struct location_state *location)
{
    const struct team_thread *thread = thread_of(engine, location);
    struct team_moment last = thread->came;
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
        const struct location_state *other = thread_at(engine, location, i);
        const struct team_thread *waiting = thread_of(engine, other);
        bool has_come = waiting->awaits == AWAITS_BARRIER && !waiting->inside &&
                        waiting->number == thread->number;
        if (has_come)
            see(&last, waiting->came);
        else if (will_come(engine, other, thread))
            return;
    }
    end_meeting(engine, location, NULL, last);
}

/// Whether LOCATION does a part of TEAM, perhaps in a team that it has made meanwhile.
static bool does_part_of(const struct engine *engine, const struct location_state *location,
                         const struct team *team)
{
    const struct team *at = thread_of(engine, location)->inside;
    while (at && at != team)
        at = at->master == location->index ? at->outer : NULL;
    return at == team;
}

/// LOCATION, the master, waits for the parts of TEAM that were done before it went on in the
/// recording.
static void await_parts(struct engine *engine, struct team *team,
                        const struct location_state *location)
{
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
        const struct location_state *other = thread_at(engine, location, i);
        struct team_thread *thread = thread_of(engine, other);
        bool is_of_team = does_part_of(engine, other, team) ||
                          is_of(team, find_ahead(engine, other, EVENT_THREAD_TEAM_BEGIN, NONE));
        if (!is_of_team)
            continue;
        const struct event *end = find_ahead(engine, other, EVENT_THREAD_TEAM_END, team->comm);
        bool is_awaited = end && end->time_ns <= team->joined_ns;
        thread->awaited_by = is_awaited ? team : thread->awaited_by;
        team->n_awaited += is_awaited;
    }
    if (team->n_awaited == 0)
        wake(engine, location, team->parted);
}

/// LOCATION waits for the end of a thread that was made alone.
static void await_created(struct engine *engine, const struct location_state *location,
                          uint64_t number)
{
    struct team *created = created_thread(engine, location, number);
    created->master = location->index;
    created->n_awaited = created->n_threads;
    if (created->n_awaited == 0)
        wake(engine, location, created->parted);
}

/// The open team of LOCATION's process that BEGIN, its next event, is of; NULL: it is not yet made.
static struct team *open_team(const struct engine *engine, const struct location_state *location,
                              const struct event *begin)
{
    if (event_is_of_created(begin)) {
        struct team *created = created_thread(engine, location, begin->size_bytes);
        return created->is_open ? created : NULL;
    }
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++)
        for (struct team *team = thread_of(engine, thread_at(engine, location, i))->own; team;
             team = team->inner)
            if (team->is_open && is_of(team, begin))
                return team;
    return NULL;
}

void teams_await(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct team_thread *thread = thread_of(engine, location);
    const struct event *event = event_ahead(engine, location, 0);
    thread->awaits = awaited_before(engine, location, event);
    thread->event_ns = event->time_ns;
    thread->came = (struct team_moment){now_ns, state->computation.recorded_now_ns};
    state->phase = SIMULATION_IN_TEAM;
    scheduler_sleep(prediction_of(engine)->scheduler, location->index, now_ns);
    if (thread->awaits == AWAITS_BARRIER && thread->inside) {
        come_to_barrier(engine, thread->inside, location);
    } else if (thread->awaits == AWAITS_BARRIER) {
        come_to_meeting(engine, location);
    } else if (thread->awaits == AWAITS_PARTS && event_is_of_created(event)) {
        await_created(engine, location, event->size_bytes);
    } else if (thread->awaits == AWAITS_PARTS) {
        await_parts(engine, *made_by(engine, location), location);
    } else if (thread->awaits == AWAITS_LOCK) {
        await_lock(engine, location);
    } else if (thread->awaits == GIVES_BACK) {
        wake(engine, location, thread->came);
    } else {
        const struct team *team = open_team(engine, location, event);
        if (team)
            wake(engine, location, team->made);
    }
}

void teams_go_on(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    uint64_t recorded_ns = thread_of(engine, location)->event_ns;
    moved_tell_blocked(engine, location, thread_of(engine, location)->came.now_ns, recorded_ns,
                       now_ns);
    state->outside_ns += now_ns - thread_of(engine, location)->came.now_ns;
    profile_account(&location->profile, now_ns);
    state->computation.has_waited = true;
    outside_begin(engine, location, now_ns, recorded_ns);
}

// --- events

/// LOCATION, which no team has had yet, begins its part when TEAM is made.
static void begin_thread(struct engine *engine, const struct team *team,
                         const struct location_state *location, uint64_t recorded_ns)
{
    struct prediction *prediction = prediction_of(engine);
    simulated_location(engine, location)->computation.has_waited = true;
    scheduler_wait(prediction->scheduler, location->index, team->made.now_ns,
                   team->made.now_ns + (recorded_ns - team->made.recorded_ns), 0);
}

/// TEAM, whose part is next at LOCATION, recorded at BEGIN_NS, is made.
static void let_begin(struct engine *engine, const struct team *team,
                      const struct location_state *location, uint64_t begin_ns)
{
    if (thread_of(engine, location)->awaits == AWAITS_TEAM)
        wake(engine, location, team->made);
    else if (simulated_location(engine, location)->phase == SIMULATION_BEFORE)
        begin_thread(engine, team, location, begin_ns);
}

static void make_team(struct engine *engine, const struct location_state *location,
                      struct team_moment made)
{
    struct team **place = made_by(engine, location), *team = *place;
    if (!team)
        team = *place = memory_zeroed(1, sizeof *team);
    *team = (struct team){.is_open = true,
                          .comm = NONE,
                          .joined_ns = join_ahead(engine, location),
                          .made = made,
                          .n_threads = 1,
                          .master = location->index,
                          .outer = thread_of(engine, location)->inside,
                          .inner = team->inner};
    const struct event *own = find_ahead(engine, location, EVENT_THREAD_TEAM_BEGIN, NONE);
    if (is_of(team, own))
        team->comm = own->index;
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
        const struct location_state *other = thread_at(engine, location, i);
        const struct event *begin = find_ahead(engine, other, EVENT_THREAD_TEAM_BEGIN, NONE);
        if (other == location || !is_of(team, begin))
            continue;
        team->n_threads++;
        thread_of(engine, other)->begins = team;
        if (begin == event_ahead(engine, other, 0))
            let_begin(engine, team, other, begin->time_ns);
    }
}

static void begin_part(const struct engine *engine, const struct location_state *location)
{
    struct team_thread *thread = thread_of(engine, location);
    thread->inside = is_master(engine, location) ? *made_by(engine, location) : thread->begins;
    thread->begins = NULL;
}

/// A part of TEAM is done, for which its master waits if it IS_AWAITED.
static void end_part(struct engine *engine, struct team *team, bool is_awaited,
                     struct team_moment end)
{
    if (end.recorded_ns <= team->joined_ns)
        see(&team->parted, end);
    if (is_awaited && --team->n_awaited == 0)
        wake(engine, &engine->locations[team->master], team->parted);
}

static void leave_team(struct engine *engine, const struct location_state *location,
                       struct team_moment end)
{
    struct team_thread *thread = thread_of(engine, location);
    struct team *team = thread->inside;
    if (!team)
        return;
    bool is_awaited = thread->awaited_by == team;
    thread->inside = team->master == location->index ? team->outer : NULL;
    thread->awaited_by = is_awaited ? NULL : thread->awaited_by;
    end_part(engine, team, is_awaited, end);
}

static void join_team(const struct engine *engine, const struct location_state *location)
{
    struct team *team = *made_by(engine, location);
    if (team)
        team->is_open = false;
}

/// A thread is made alone, ends, or has been awaited.
static void created_event(struct engine *engine, const struct location_state *location,
                          const struct event *event, struct team_moment moment)
{
    struct teams *teams = prediction_of(engine)->teams;
    struct team *created = created_thread(engine, location, event->size_bytes);
    struct map *created_of = &teams->processes[location->rank].created_of;
    uint32_t index = NONE;
    if (event->kind == EVENT_THREAD_TEAM_END) {
        created->n_threads = 0;
        end_part(engine, created, created->n_awaited > 0, moment);
    } else if (event->kind == EVENT_THREAD_JOIN) {
        map_get(created_of, event->size_bytes, &index);
        map_remove(created_of, event->size_bytes);
        pool_give(&teams->created, index);
    } else if (event->kind == EVENT_THREAD_FORK) {
        created->is_open = true;
        created->made = moment;
        for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
            const struct location_state *other = thread_at(engine, location, i);
            const struct event *begin = event_ahead(engine, other, 0);
            if (begin && begin->kind == EVENT_THREAD_TEAM_BEGIN && event_is_of_created(begin) &&
                begin->size_bytes == event->size_bytes)
                let_begin(engine, created, other, begin->time_ns);
        }
    }
}

void teams_event(struct engine *engine, struct location_state *location, const struct event *event,
                 uint64_t now_ns)
{
    struct team_moment moment = {now_ns, event->time_ns};
    simulated_location(engine, location)->computation.has_waited = false;
    if (!prediction_of(engine)->teams || !thread_of(engine, location)->is_followed)
        return;
    if (event_is_of_created(event))
        created_event(engine, location, event, moment);
    else if (event->kind == EVENT_THREAD_FORK)
        make_team(engine, location, moment);
    else if (event->kind == EVENT_THREAD_TEAM_BEGIN)
        begin_part(engine, location);
    else if (event->kind == EVENT_THREAD_TEAM_END)
        leave_team(engine, location, moment);
    else if (event->kind == EVENT_THREAD_JOIN)
        join_team(engine, location);
}

// --- where the recording is not whole

/// Whether a thread of RANK does something else than wait for others of it.
static bool is_active(const struct engine *engine, size_t rank)
{
    const struct rank_state *state = &engine->ranks[rank];
    for (uint32_t i = 0; i < state->n_locations; i++) {
        enum simulation_phase phase =
            prediction_of(engine)->locations[state->first_location + i].phase;
        if (phase != SIMULATION_IN_TEAM && phase != SIMULATION_BEFORE && phase != SIMULATION_ENDED)
            return true;
    }
    return false;
}

bool teams_let_go(struct engine *engine)
{
    struct prediction *prediction = prediction_of(engine);
    if (!prediction->teams)
        return false;
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct location_state *location = &engine->locations[i];
        enum simulation_phase phase = simulated_location(engine, location)->phase;
        bool is_new = phase == SIMULATION_BEFORE && !teams_begins_alone(engine, location);
        if ((phase != SIMULATION_IN_TEAM && !is_new) || is_active(engine, location->rank))
            continue;
        uint64_t now_ns = scheduler_now_ns(prediction->scheduler);
        struct team_thread *thread = thread_of(engine, location);
        if (thread->awaits == AWAITS_BARRIER && thread->inside)
            thread->inside->n_at_barrier--;
        if (is_new)
            begin_thread(
                engine, &(struct team){.made = {now_ns, event_ahead(engine, location, 0)->time_ns}},
                location, event_ahead(engine, location, 0)->time_ns);
        else
            wake(engine, location, (struct team_moment){now_ns, 0});
        return true;
    }
    return false;
}

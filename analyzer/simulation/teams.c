// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for each other (see steps.h). All waits of threads have one form: of the
// moments that an event needs - the team is made; all have come to the barrier, or to the end of
// their parts; and the thread itself is there - the last one in the simulated run, and the last one
// in the recording. The event comes as long after the first as it was recorded after the second.
#include "analyzer/simulation/steps.h"

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/pag/location/profile.h"
#include "analyzer/simulation/state.h"

/// Among so many events of a thread its next part, the end of the team, or a lock that it gives
/// back is looked for.
enum { MAX_AHEAD = 1024 };

/// Something that happened, in the simulated run and in the recording.
struct team_moment {
    uint64_t now_ns, recorded_ns;
};

/// The threads that a process has made last.
struct team {
    bool is_known;             // the process makes and awaits teams one after the other
    bool is_open;              // made and not yet awaited
    uint64_t joined_ns;        // when it was awaited, in the recording; UINT64_MAX: too far ahead
    struct team_moment made;   // when it was made
    struct team_moment came;   // the last thread that came to the barrier
    struct team_moment parted; // the last thread that has done its part
    uint32_t n_threads, n_at_barrier, n_awaited; // the last: parts not done, once its master waits
};

enum awaited {
    AWAITS_NOTHING,
    AWAITS_TEAM,
    AWAITS_BARRIER,
    AWAITS_PARTS,
    AWAITS_LOCK,
    GIVES_BACK, // a lock: it does not wait, but its work is done then
};

/// What threads have one after the other, in the recorded order: a lock, or what is inside of a
/// construct (a critical section, ordered parts).
typedef uint64_t lock_key;

struct team_thread {
    enum awaited awaits;
    bool is_inside;          // its part has begun and is not done
    uint32_t barrier;        // the region of the barrier it is at, NONE
    bool asks;               // its last event was the enter of
    uint32_t construct;      // this one, in which it waits until it has a lock
    uint32_t giver;          // then: the location that gives the lock back
    uint64_t given_ns;       // at this recorded time
    bool is_awaited;         // by its master, which waits
    struct team_moment came; // when it began to wait
    uint64_t event_ns;       // the recorded time of the event that it waits for
};

struct teams {
    struct team *of_rank;
    struct team_thread *threads; // by location
    struct process_locks {
        struct map index_of;          // lock_key -> index of
        struct team_moment *releases; // the last one so far, of each lock
        size_t n, capacity;
    } * locks; // by rank
    size_t n_ranks;
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
    const enum pag_threading *threading = recorded_threading(prediction->recorded);
    bool has_any = false;
    for (size_t rank = 0; rank < engine->n_ranks; rank++)
        has_any = has_any || threading[rank] == PAG_TEAMS;
    if (!has_any)
        return NULL;
    struct teams *teams = memory_zeroed(1, sizeof *teams);
    teams->of_rank = memory_zeroed(engine->n_ranks, sizeof *teams->of_rank);
    teams->threads = memory_zeroed(engine->n_locations, sizeof *teams->threads);
    teams->n_ranks = engine->n_ranks;
    teams->locks = memory_zeroed(engine->n_ranks, sizeof *teams->locks);
    for (size_t i = 0; i < engine->n_locations; i++)
        teams->threads[i].barrier = NONE;
    for (size_t rank = 0; rank < engine->n_ranks; rank++) {
        teams->of_rank[rank].is_known = threading[rank] == PAG_TEAMS;
        map_init(&teams->locks[rank].index_of);
    }
    return teams;
}

void teams_free(struct teams *teams)
{
    if (!teams)
        return;
    for (size_t rank = 0; rank < teams->n_ranks; rank++)
        map_release(&teams->locks[rank].index_of);
    FREE_MEMBERS(teams->locks, teams->n_ranks, releases);
    FREE_ALL(teams->locks, teams->of_rank, teams->threads, teams);
}

static struct team *team_of(const struct engine *engine, const struct location_state *location)
{
    const struct teams *teams = prediction_of(engine)->teams;
    if (!teams || location->rank == NONE || !teams->of_rank[location->rank].is_known)
        return NULL;
    return &teams->of_rank[location->rank];
}

static struct team_thread *thread_of(const struct engine *engine,
                                     const struct location_state *location)
{
    return &prediction_of(engine)->teams->threads[location->index];
}

static lock_key key_of_lock(uint64_t number)
{
    return number | UINT64_C(1) << 63;
}

static lock_key key_of_construct(uint32_t region)
{
    return region + UINT64_C(1);
}

/// The lock that EVENT gives back, 0: none.
static lock_key release_of(const struct engine *engine, const struct event *event)
{
    if (event->kind == EVENT_LOCK_RELEASED)
        return key_of_lock(event->size_bytes);
    if (event->kind != EVENT_LEAVE || region_at(engine, event->index)->construct != CONSTRUCT_LOCK)
        return 0;
    return key_of_construct(event->index);
}

/// What LOCATION waits for before EVENT.
static enum awaited awaited_before(const struct engine *engine,
                                   const struct location_state *location, const struct event *event)
{
    const struct team *team = team_of(engine, location);
    if (!team)
        return AWAITS_NOTHING;
    if (event->kind == EVENT_THREAD_TEAM_BEGIN && !location->is_master)
        return AWAITS_TEAM;
    if (!team->is_open || team->n_threads == 1)
        return AWAITS_NOTHING;
    if (event->kind == EVENT_THREAD_JOIN)
        return AWAITS_PARTS;
    const struct team_thread *thread = thread_of(engine, location);
    if (!thread->is_inside)
        return AWAITS_NOTHING;
    if (thread->asks)
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

/// The recorded time of LOCATION's next event of KIND; UINT64_MAX: none is near.
static uint64_t find_ahead(const struct engine *engine, const struct location_state *location,
                           enum event_kind kind)
{
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_ahead(engine, location, ahead);
        if (!event)
            break;
        if (event->kind == kind)
            return event->time_ns;
    }
    return UINT64_MAX;
}

bool teams_begins_alone(const struct engine *engine, const struct location_state *location)
{
    return !team_of(engine, location) || location->is_master ||
           event_ahead(engine, location, 0)->kind != EVENT_THREAD_TEAM_BEGIN;
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

static struct location_state *thread_at(const struct engine *engine,
                                        const struct location_state *of_process, uint32_t i)
{
    return &engine->locations[engine->ranks[of_process->rank].first_location + i];
}

/// Whether the part that LOCATION began or begins at RECORDED_NS is one of TEAM.
static bool is_of(const struct team *team, uint64_t recorded_ns)
{
    return recorded_ns >= team->made.recorded_ns && recorded_ns <= team->joined_ns &&
           recorded_ns != UINT64_MAX;
}

// --- locks

/// Where the last release of KEY by a thread of LOCATION's process is kept.
static struct team_moment *last_release(const struct engine *engine,
                                        const struct location_state *location, lock_key key)
{
    struct process_locks *locks = &prediction_of(engine)->teams->locks[location->rank];
    uint32_t index;
    if (map_get(&locks->index_of, key, &index))
        return &locks->releases[index];
    map_put(&locks->index_of, key, (uint32_t)locks->n);
    struct team_moment *release = ARRAY_NEXT(locks->releases, locks->n, locks->capacity);
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

/// LOCATION, which waits for a lock, has it once who had it before it in the recording has given it
/// back, if that was after it asked for it. What gives nothing back, a task or who signals a
/// condition, it awaits for as long as in the recording.
static void await_lock(struct engine *engine, const struct location_state *location)
{
    struct team_thread *thread = thread_of(engine, location);
    const struct event *event = event_ahead(engine, location, 0);
    lock_key key = event->kind == EVENT_LOCK_ACQUIRED ? key_of_lock(event->size_bytes)
                                                      : key_of_construct(thread->construct);
    const struct team_moment *last = last_release(engine, location, key);
    struct team_moment given = thread->came;
    uint64_t since_ns = thread->came.recorded_ns;
    if (last->recorded_ns > since_ns && last->recorded_ns <= thread->event_ns) {
        given = *last;
        since_ns = last->recorded_ns;
    }
    thread->giver = NONE;
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
    if (!team_of(engine, location))
        return;
    struct computation *computation = &simulated_location(engine, location)->computation;
    struct team_thread *thread = thread_of(engine, location);
    lock_key key = release_of(engine, event);
    if (key != 0 && thread->is_inside) // the first event of a computation
        give_back(engine, location, key,
                  (struct team_moment){computation->begin_ns, event->time_ns});
    computation->has_waited = false;
    thread->asks = false;
    if (event->kind == EVENT_ENTER) {
        enum construct construct = region_at(engine, event->index)->construct;
        thread->asks = construct == CONSTRUCT_LOCK || construct == CONSTRUCT_CONDITION ||
                       construct == CONSTRUCT_TASK;
        thread->construct = event->index;
        thread->barrier = construct_is_barrier(construct) ? event->index : thread->barrier;
    } else if (event->kind == EVENT_LEAVE && event->index == thread->barrier) {
        thread->barrier = NONE;
    }
}

// --- waits

static void come_to_barrier(struct engine *engine, struct team *team,
                            const struct location_state *location)
{
    see(&team->came, thread_of(engine, location)->came);
    if (++team->n_at_barrier < team->n_threads)
        return;
    team->n_at_barrier = 0;
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
        const struct location_state *other = thread_at(engine, location, i);
        if (thread_of(engine, other)->awaits == AWAITS_BARRIER)
            wake(engine, other, team->came);
    }
    team->came = (struct team_moment){0};
}

/// LOCATION, the master, waits for the parts that were done before it went on in the recording.
static void await_parts(struct engine *engine, struct team *team,
                        const struct location_state *location)
{
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
        const struct location_state *other = thread_at(engine, location, i);
        struct team_thread *thread = thread_of(engine, other);
        bool is_of_team =
            thread->is_inside || is_of(team, find_ahead(engine, other, EVENT_THREAD_TEAM_BEGIN));
        thread->is_awaited =
            is_of_team && find_ahead(engine, other, EVENT_THREAD_TEAM_END) <= team->joined_ns;
        team->n_awaited += thread->is_awaited;
    }
    if (team->n_awaited == 0)
        wake(engine, location, team->parted);
}

void teams_await(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct location_simulation *state = simulated_location(engine, location);
    struct team *team = team_of(engine, location);
    struct team_thread *thread = thread_of(engine, location);
    const struct event *event = event_ahead(engine, location, 0);
    thread->awaits = awaited_before(engine, location, event);
    thread->event_ns = event->time_ns;
    thread->came = (struct team_moment){now_ns, state->computation.recorded_now_ns};
    state->phase = SIMULATION_IN_TEAM;
    scheduler_sleep(prediction_of(engine)->scheduler, location->index, now_ns);
    if (thread->awaits == AWAITS_BARRIER) {
        come_to_barrier(engine, team, location);
    } else if (thread->awaits == AWAITS_PARTS) {
        await_parts(engine, team, location);
    } else if (thread->awaits == AWAITS_LOCK) {
        await_lock(engine, location);
    } else if (thread->awaits == GIVES_BACK) {
        wake(engine, location, thread->came);
    } else if (team->is_open && is_of(team, thread->event_ns)) {
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

static void make_team(struct engine *engine, struct team *team,
                      const struct location_state *location, struct team_moment made)
{
    *team = (struct team){.is_known = true, .is_open = true, .made = made, .n_threads = 1};
    team->joined_ns = find_ahead(engine, location, EVENT_THREAD_JOIN);
    for (uint32_t i = 0; i < engine->ranks[location->rank].n_locations; i++) {
        const struct location_state *other = thread_at(engine, location, i);
        uint64_t begin_ns = find_ahead(engine, other, EVENT_THREAD_TEAM_BEGIN);
        if (other == location || !is_of(team, begin_ns))
            continue;
        team->n_threads++;
        if (thread_of(engine, other)->awaits == AWAITS_TEAM)
            wake(engine, other, made);
        else if (simulated_location(engine, other)->phase == SIMULATION_BEFORE &&
                 !teams_begins_alone(engine, other))
            begin_thread(engine, team, other, begin_ns);
    }
}

static void end_part(struct engine *engine, struct team *team,
                     const struct location_state *location, struct team_moment end)
{
    struct team_thread *thread = thread_of(engine, location);
    thread->is_inside = false;
    if (end.recorded_ns <= team->joined_ns)
        see(&team->parted, end);
    if (!thread->is_awaited)
        return;
    thread->is_awaited = false;
    if (--team->n_awaited == 0)
        wake(engine, &engine->locations[engine->definitions->ranks[location->rank].master],
             team->parted);
}

void teams_event(struct engine *engine, struct location_state *location, uint8_t kind,
                 uint64_t recorded_ns, uint64_t now_ns)
{
    struct team *team = team_of(engine, location);
    struct team_moment moment = {now_ns, recorded_ns};
    simulated_location(engine, location)->computation.has_waited = false;
    if (!team)
        return;
    if (kind == EVENT_THREAD_FORK)
        make_team(engine, team, location, moment);
    else if (kind == EVENT_THREAD_TEAM_BEGIN)
        thread_of(engine, location)->is_inside = true;
    else if (kind == EVENT_THREAD_TEAM_END)
        end_part(engine, team, location, moment);
    else if (kind == EVENT_THREAD_JOIN)
        team->is_open = false;
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
        if (thread->awaits == AWAITS_BARRIER)
            team_of(engine, location)->n_at_barrier--;
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

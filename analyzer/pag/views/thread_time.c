// SPDX-License-Identifier: BSD-3-Clause
// See thread_time.h. Each thread has a stack of what it is in; the time since its last event goes
// to the top of it. How long a thread was idle, and why, follows from sums over its process: how
// long the master computed alone, communicated, and was in parallel regions. So an idle thread
// costs nothing while it is idle.
//
// Barriers: in the order of time the enters of a team come before the first leave. Time in a
// barrier stays undecided until either a further thread enters, so that it was waiting, or the
// barrier is left, so that it was not.
//
// Locks: time in a call that asks for a lock is undecided until it has the lock. Where the archive
// says who gave it back last, the call has waited until then, and not at all if that was before it
// began. Else it has waited for all of the time.
#include "analyzer/pag/views/thread_time.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/views/threads_at_work.h"

/// What a process as a whole does.
enum mode { SERIAL, IN_MPI, PARALLEL, PARALLEL_IN_MPI, MODES, NOT_RECORDED = MODES };

/// Time of a thread, and for how much of it the master of its process was in MPI.
struct span {
    uint64_t ns, in_mpi_ns;
};

struct barrier {
    uint32_t team, last; // last: the location that entered last
    uint32_t last_path;  // its call path
    uint64_t last_ns;
    uint32_t n_inside;
    bool is_open; // no thread has left it yet
};

struct lock {
    enum { LOCK_NEW, LOCK_HELD, LOCK_FREE } state;
    uint32_t holder; // the location that has it or had it last
    uint32_t released_path;
    uint64_t released_ns;
};

struct process {
    uint64_t ns[MODES], since_ns;
    uint64_t begin_ns; // of the master
    bool has_begun, is_off, is_in_mpi;
    uint32_t n_open_forks;    // of the master
    uint64_t fork_ns;         // the latest, of any thread
    struct barrier *barriers; // those with somebody inside, among free ones
    size_t n_barriers, capacity;
    struct map lock_of; // number in the archive -> index of locks
    struct lock *locks;
    size_t n_locks, locks_capacity;
};

enum thread_frame_kind { FRAME_CONSTRUCT, FRAME_FORK, FRAME_TEAM, FRAME_MPI, FRAME_OFF };

struct thread_frame {
    uint8_t kind;      // enum thread_frame_kind
    uint8_t time_kind; // enum pag_thread_kind of the time in it
    bool is_counted;   // its loss is
    uint32_t region;   // of a team: the team around it
    uint32_t path;
    uint32_t barrier; // of its process, NONE
    uint64_t begin_ns;
    struct span undecided;
    uint64_t undecided_last_ns, waited_ns;
};

struct thread {
    bool has_begun, is_inside;                 // a team, or in no team ever
    bool is_before_join, is_created, has_team; // of the team that it left; made alone; in a team
    uint32_t n_teams, team;
    uint64_t since_ns, told_ns; // told_ns: of the spans
    uint64_t process_mpi_ns;    // of the process, up to since_ns
    uint64_t outside[MODES];    // of the process, when the thread left its team
    struct thread_frame *frames;
    size_t n_frames, frames_capacity;
    struct pag_thread sums;
    struct map place_of;     // path and kind -> index of places
    struct map lock_wait_of; // path and index of the holder's -> index of lock_waits
    size_t places_capacity, lock_waits_capacity;
};

struct thread_time {
    struct thread *threads; // by location
    size_t n_threads;
    struct process *processes; // by rank
    size_t n_processes;
    struct map holders; // location and path where a lock was given back -> number
    struct threads_at_work *at_work;
};

static bool is_thread(const struct engine *engine, size_t location)
{
    const struct location *defined = &engine->definitions->locations[location];
    return defined->is_cpu_thread && defined->rank != NONE;
}

struct thread_time *thread_time_new(const struct engine *engine)
{
    bool has_further = false;
    for (size_t i = 0; i < engine->n_locations; i++)
        has_further =
            has_further || (is_thread(engine, i) && !engine->definitions->locations[i].is_master);
    if (!has_further || engine->n_locations == 0 || !engine->locations[0].digest)
        return NULL;
    struct thread_time *time = memory_zeroed(1, sizeof *time);
    time->n_threads = engine->n_locations;
    time->n_processes = engine->n_ranks;
    time->threads = memory_zeroed(engine->n_locations, sizeof *time->threads);
    time->processes = memory_zeroed(engine->n_ranks, sizeof *time->processes);
    for (size_t i = 0; i < engine->n_locations; i++) {
        time->threads[i].team = NONE;
        map_init(&time->threads[i].place_of);
        map_init(&time->threads[i].lock_wait_of);
    }
    for (size_t i = 0; i < engine->n_ranks; i++)
        map_init(&time->processes[i].lock_of);
    map_init(&time->holders);
    time->at_work = threads_at_work_new(engine);
    return time;
}

void thread_time_free(struct thread_time *time)
{
    if (!time)
        return;
    for (size_t i = 0; i < time->n_threads; i++) {
        FREE_ALL(time->threads[i].frames, time->threads[i].sums.places,
                 time->threads[i].sums.lock_waits);
        map_release(&time->threads[i].place_of);
        map_release(&time->threads[i].lock_wait_of);
    }
    for (size_t i = 0; i < time->n_processes; i++) {
        FREE_ALL(time->processes[i].barriers, time->processes[i].locks);
        map_release(&time->processes[i].lock_of);
    }
    map_release(&time->holders);
    threads_at_work_free(time->at_work);
    FREE_ALL(time->threads, time->processes, time);
}

// --- time

/// TIME_NS, but not before the window nor after it.
static uint64_t in_window(const struct engine *engine, uint64_t time_ns)
{
    if (time_ns < engine->window_begin_ns)
        return engine->window_begin_ns;
    return engine->has_window_end && time_ns > engine->window_end_ns ? engine->window_end_ns
                                                                     : time_ns;
}

static enum mode mode_of(const struct process *process)
{
    if (!process->has_begun || process->is_off)
        return NOT_RECORDED;
    if (process->n_open_forks > 0)
        return process->is_in_mpi ? PARALLEL_IN_MPI : PARALLEL;
    return process->is_in_mpi ? IN_MPI : SERIAL;
}

static void advance_process(const struct engine *engine, struct process *process, uint64_t time_ns)
{
    uint64_t now_ns = in_window(engine, time_ns);
    enum mode mode = mode_of(process);
    if (now_ns <= process->since_ns)
        return;
    if (mode != NOT_RECORDED)
        process->ns[mode] += now_ns - process->since_ns;
    process->since_ns = now_ns;
}

/// How long the master of PROCESS has been in MPI up to NOW_NS, which advance_process() may not
/// have reached.
static uint64_t master_mpi_ns(const struct process *process, uint64_t now_ns)
{
    enum mode mode = mode_of(process);
    uint64_t known_ns = process->ns[IN_MPI] + process->ns[PARALLEL_IN_MPI];
    bool goes_on = (mode == IN_MPI || mode == PARALLEL_IN_MPI) && now_ns > process->since_ns;
    return known_ns + (goes_on ? now_ns - process->since_ns : 0);
}

/// Takes the first NS of SPAN off it. At a barrier and before a lock the master's calls come first,
/// for then it is awaited.
static struct span take(struct span *span, uint64_t ns)
{
    struct span taken = {ns, span->in_mpi_ns < ns ? span->in_mpi_ns : ns};
    span->ns -= taken.ns;
    span->in_mpi_ns -= taken.in_mpi_ns;
    return taken;
}

static struct pag_thread_place *place_at(struct thread *thread, uint32_t path,
                                         enum pag_thread_kind kind)
{
    uint64_t key = (uint64_t)path * PAG_THREAD_KINDS + kind;
    uint32_t place;
    if (!map_get(&thread->place_of, key, &place)) {
        place = (uint32_t)thread->sums.n_places++;
        thread->sums.places = array_reserve(thread->sums.places, &thread->places_capacity,
                                            thread->sums.n_places, sizeof *thread->sums.places);
        thread->sums.places[place] = (struct pag_thread_place){.call_path = path, .kind = kind};
        map_put(&thread->place_of, key, place);
    }
    return &thread->sums.places[place];
}

static void book(struct thread *thread, struct thread_frame *frame, enum pag_thread_kind kind,
                 struct span span)
{
    if (span.ns == 0)
        return;
    thread->sums.ns[kind] += span.ns;
    thread->sums.in_mpi_ns[kind] += span.in_mpi_ns;
    if (!frame || kind < PAG_THREAD_BARRIER)
        return;
    struct pag_thread_place *place = place_at(thread, frame->path, kind);
    place->count += !frame->is_counted;
    place->ns += span.ns;
    place->in_mpi_ns += span.in_mpi_ns;
    frame->is_counted = true;
}

/// FRAME is at a barrier that somebody entered after the time that is undecided.
static void decide(struct thread *thread, struct thread_frame *frame, const struct barrier *barrier)
{
    if (frame->undecided.ns == 0 || barrier->last_ns == frame->undecided_last_ns)
        return;
    frame->waited_ns += frame->undecided.ns;
    book(thread, frame, frame->time_kind, frame->undecided);
    frame->undecided = (struct span){0};
}

static void add_undecided(struct thread_frame *frame, struct span span)
{
    frame->undecided.ns += span.ns;
    frame->undecided.in_mpi_ns += span.in_mpi_ns;
}

static void pass_at_barrier(struct thread *thread, struct thread_frame *frame,
                            const struct barrier *barrier, uint64_t from_ns, struct span span)
{
    decide(thread, frame, barrier);
    if (barrier->last_ns > from_ns) {
        uint64_t waited_ns = barrier->last_ns - from_ns;
        struct span waited = take(&span, waited_ns < span.ns ? waited_ns : span.ns);
        frame->waited_ns += waited.ns;
        book(thread, frame, frame->time_kind, waited);
    }
    add_undecided(frame, span);
    frame->undecided_last_ns = barrier->last_ns;
}

static struct thread_frame *top_of(struct thread *thread)
{
    return thread->n_frames > 0 ? &thread->frames[thread->n_frames - 1] : NULL;
}

/// THREAD, of PROCESS, has been where it is up to TIME_NS.
static void advance(const struct engine *engine, struct thread *thread,
                    const struct process *process, uint64_t time_ns)
{
    uint64_t now_ns = in_window(engine, time_ns);
    if (now_ns <= thread->since_ns)
        return;
    uint64_t from_ns = thread->since_ns, mpi_ns = master_mpi_ns(process, now_ns);
    struct span span = {now_ns - from_ns, mpi_ns - thread->process_mpi_ns};
    struct thread_frame *frame = top_of(thread);
    thread->since_ns = now_ns;
    thread->process_mpi_ns = mpi_ns;
    if (span.in_mpi_ns > span.ns) // in archives whose times are out of order
        span.in_mpi_ns = span.ns;
    if (!thread->is_inside || (frame && frame->kind == FRAME_OFF))
        return;
    if (frame && frame->barrier != NONE)
        pass_at_barrier(thread, frame, &process->barriers[frame->barrier], from_ns, span);
    else if (frame && frame->time_kind == PAG_THREAD_LOCK)
        add_undecided(frame, span);
    else
        book(thread, frame, frame ? frame->time_kind : PAG_THREAD_COMPUTING, span);
}

// --- spans

/// LOCATION has done KIND since the last span, up to END_NS.
static void tell_until(const struct engine *engine, uint32_t location, enum pag_thread_kind kind,
                       uint32_t call_path, uint64_t end_ns)
{
    struct thread *thread = &engine->threads->threads[location];
    if (end_ns <= thread->told_ns)
        return;
    const struct pag_thread_span span = {location, kind, call_path, thread->told_ns, end_ns};
    TELL(engine, thread_span, &span);
    thread->told_ns = end_ns;
}

/// The same for what it is in. Outside of teams it is idle until the latest fork, and then the
/// runtime's.
static void tell_span(const struct engine *engine, const struct location_state *location,
                      uint64_t time_ns)
{
    uint32_t index = location->index;
    struct thread *thread = &engine->threads->threads[index];
    const struct process *process = &engine->threads->processes[location->rank];
    const struct thread_frame *frame = top_of(thread);
    if (!thread->has_begun)
        thread->told_ns = process->has_begun ? process->begin_ns : time_ns;
    if (!thread->is_inside && !location->is_master) {
        bool is_forked = process->n_open_forks > 0 && process->fork_ns < time_ns;
        tell_until(engine, index, PAG_THREAD_IDLE_SERIAL, 0,
                   is_forked ? process->fork_ns : time_ns);
        tell_until(engine, index, PAG_THREAD_RUNTIME, 0, time_ns);
    } else if (frame && frame->kind == FRAME_OFF) {
        thread->told_ns = time_ns > thread->told_ns ? time_ns : thread->told_ns;
    } else if (frame && frame->barrier != NONE) {
        uint64_t last_ns = process->barriers[frame->barrier].last_ns;
        tell_until(engine, index, frame->time_kind, frame->path,
                   last_ns < time_ns ? last_ns : time_ns);
        tell_until(engine, index, PAG_THREAD_RUNTIME, frame->path, time_ns);
    } else {
        uint32_t path = !frame ? 0 : frame->kind == FRAME_MPI ? location->call.path : frame->path;
        tell_until(engine, index, frame ? frame->time_kind : PAG_THREAD_COMPUTING, path, time_ns);
    }
}

// --- barriers

/// What stands for the team of a barrier that several threads know by its number.
static uint32_t barrier_by_number(uint32_t number)
{
    return 1U << 31 | number;
}

/// The barrier of TEAM that no thread has left yet, or a new one.
static uint32_t barrier_of_team(struct process *process, uint32_t team)
{
    size_t unused = process->n_barriers;
    for (size_t i = 0; i < process->n_barriers; i++) {
        const struct barrier *barrier = &process->barriers[i];
        if (barrier->n_inside == 0)
            unused = i;
        else if (barrier->is_open && barrier->team == team)
            return (uint32_t)i;
    }
    if (unused == process->n_barriers)
        process->barriers = array_reserve(process->barriers, &process->capacity,
                                          ++process->n_barriers, sizeof *process->barriers);
    process->barriers[unused] = (struct barrier){.team = team, .is_open = true};
    return (uint32_t)unused;
}

static uint32_t enter_barrier(struct process *process, uint32_t team, uint32_t location,
                              const struct event *event)
{
    uint32_t index = barrier_of_team(process, team);
    struct barrier *barrier = &process->barriers[index];
    barrier->n_inside++;
    barrier->last_ns = event->time_ns;
    barrier->last = location;
    barrier->last_path = event->context;
    return index;
}

static void leave_barrier(struct thread_time *time, struct process *process, struct thread *thread,
                          struct thread_frame *frame)
{
    struct barrier *barrier = &process->barriers[frame->barrier];
    struct thread *last = &time->threads[barrier->last];
    decide(thread, frame, barrier);
    book(thread, frame, PAG_THREAD_RUNTIME, frame->undecided);
    last->sums.caused_ns += frame->waited_ns;
    if (frame->waited_ns > 0)
        place_at(last, barrier->last_path, frame->time_kind)->caused_ns += frame->waited_ns;
    barrier->is_open = false;
    barrier->n_inside--;
}

// --- locks

static struct lock *find_lock(struct process *process, uint64_t number)
{
    uint32_t index;
    if (!map_get(&process->lock_of, number, &index)) {
        index = (uint32_t)process->n_locks;
        map_put(&process->lock_of, number, index);
        *ARRAY_NEXT(process->locks, process->n_locks, process->locks_capacity) =
            (struct lock){.holder = NONE};
    }
    return &process->locks[index];
}

/// FRAME has its lock, for which it has waited WAITED_NS of its time, at most all. What is left is
/// the runtime's.
static uint64_t have_lock(struct thread *thread, struct thread_frame *frame, uint64_t waited_ns)
{
    struct span *left = &frame->undecided;
    struct span waited = take(left, waited_ns < left->ns ? waited_ns : left->ns);
    frame->time_kind = PAG_THREAD_RUNTIME;
    book(thread, frame, PAG_THREAD_LOCK, waited);
    book(thread, frame, PAG_THREAD_RUNTIME, *left);
    *left = (struct span){0};
    return waited.ns;
}

static void note_lock_wait(struct thread_time *time, struct thread *thread, uint32_t path,
                           const struct lock *lock, uint64_t ns)
{
    uint32_t holder = (uint32_t)time->holders.n_used, index;
    if (ns == 0)
        return;
    if (!map_get(&time->holders, (uint64_t)lock->holder << 32 | lock->released_path, &holder))
        map_put(&time->holders, (uint64_t)lock->holder << 32 | lock->released_path, holder);
    if (!map_get(&thread->lock_wait_of, (uint64_t)path << 32 | holder, &index)) {
        index = (uint32_t)thread->sums.n_lock_waits;
        map_put(&thread->lock_wait_of, (uint64_t)path << 32 | holder, index);
        *ARRAY_NEXT(thread->sums.lock_waits, thread->sums.n_lock_waits,
                    thread->lock_waits_capacity) = (struct pag_lock_wait){
            .call_path = path, .holder = lock->holder, .holder_path = lock->released_path};
    }
    thread->sums.lock_waits[index].count++;
    thread->sums.lock_waits[index].ns += ns;
}

// --- what a thread is in

static struct thread_frame *push(struct thread *thread, enum thread_frame_kind kind, uint32_t path,
                                 enum pag_thread_kind time_kind)
{
    struct thread_frame *top = top_of(thread);
    if (top && top->kind == FRAME_FORK && kind != FRAME_OFF)
        thread->n_frames--; // of an archive that has no teams
    struct thread_frame *frame =
        ARRAY_NEXT(thread->frames, thread->n_frames, thread->frames_capacity);
    *frame = (struct thread_frame){.kind = (uint8_t)kind,
                                   .time_kind = (uint8_t)time_kind,
                                   .path = path,
                                   .barrier = NONE,
                                   .begin_ns = thread->since_ns};
    return frame;
}

/// Ends the innermost frame of KIND, of a construct that of REGION, and all in it; false: there is
/// none.
static bool pop(struct thread_time *time, struct process *process, struct thread *thread,
                enum thread_frame_kind kind, uint32_t region)
{
    size_t at = thread->n_frames;
    while (at > 0 && (thread->frames[at - 1].kind != kind ||
                      (kind == FRAME_CONSTRUCT && thread->frames[at - 1].region != region)))
        at--;
    if (at == 0)
        return false;
    for (; thread->n_frames >= at; thread->n_frames--) {
        struct thread_frame *frame = top_of(thread);
        if (frame->barrier != NONE)
            leave_barrier(time, process, thread, frame);
        if (frame->time_kind == PAG_THREAD_LOCK)
            have_lock(thread, frame, UINT64_MAX);
        if (frame->kind == FRAME_TEAM)
            thread->team = frame->region;
    }
    return true;
}

/// A thread of a process, as it is at an event.
struct at_event {
    struct thread_time *time;
    struct thread *thread;
    struct process *process;
    bool is_master;
};

/// Brings LOCATION to TIME_NS; false where it does not count.
static bool reach(struct engine *engine, const struct location_state *location, uint64_t time_ns,
                  struct at_event *at)
{
    if (!engine->threads || !is_thread(engine, location->index))
        return false;
    *at = (struct at_event){.time = engine->threads,
                            .thread = &engine->threads->threads[location->index],
                            .process = &engine->threads->processes[location->rank],
                            .is_master = location->is_master};
    if (engine->listener.thread_span.tell)
        tell_span(engine, location, time_ns);
    advance(engine, at->thread, at->process, time_ns);
    if (at->is_master)
        advance_process(engine, at->process, time_ns);
    return true;
}

void thread_time_construct(struct engine *engine, const struct location_state *location,
                           const struct event *event)
{
    struct at_event at;
    if (!reach(engine, location, event->time_ns, &at))
        return;
    threads_at_work_construct(engine, at.time->at_work, location, event);
    if (event->kind != EVENT_CONSTRUCT_ENTER) {
        pop(at.time, at.process, at.thread, FRAME_CONSTRUCT, event->index);
        return;
    }
    struct thread_frame *outer = top_of(at.thread);
    enum pag_thread_kind kind =
        pag_thread_kind_of((enum construct)engine->definitions->regions[event->index].construct);
    if (outer && outer->time_kind == PAG_THREAD_LOCK)
        have_lock(at.thread, outer, UINT64_MAX);
    struct thread_frame *frame = push(at.thread, FRAME_CONSTRUCT, event->context, kind);
    frame->region = event->index;
    if (kind == PAG_THREAD_BARRIER || kind == PAG_THREAD_IMPLICIT_BARRIER)
        frame->barrier = enter_barrier(
            at.process, event->tag != 0 ? barrier_by_number(event->tag) : at.thread->team,
            location->index, event);
}

/// The location gets the lock that it has asked for. It has waited until the lock was given back.
static void tell_lock_span(const struct engine *engine, const struct location_state *location,
                           const struct event *event)
{
    if (!engine->threads || !engine->listener.thread_span.tell ||
        !is_thread(engine, location->index))
        return;
    const struct thread_frame *frame = top_of(&engine->threads->threads[location->index]);
    if (event->kind != EVENT_LOCK_ACQUIRED || !frame || frame->time_kind != PAG_THREAD_LOCK)
        return;
    const struct lock *lock =
        find_lock(&engine->threads->processes[location->rank], event->size_bytes);
    uint64_t until_ns = lock->holder == location->index ? 0
                        : lock->state == LOCK_FREE      ? lock->released_ns
                                                        : event->time_ns;
    tell_until(engine, location->index, PAG_THREAD_LOCK, frame->path,
               until_ns < event->time_ns ? until_ns : event->time_ns);
    tell_until(engine, location->index, PAG_THREAD_RUNTIME, frame->path, event->time_ns);
}

void thread_time_lock(struct engine *engine, const struct location_state *location,
                      const struct event *event)
{
    struct at_event at;
    tell_lock_span(engine, location, event);
    if (!reach(engine, location, event->time_ns, &at))
        return;
    struct lock *lock = find_lock(at.process, event->size_bytes);
    struct thread_frame *frame = top_of(at.thread);
    if (event->kind == EVENT_LOCK_RELEASED) {
        *lock = (struct lock){LOCK_FREE, location->index, event->context, event->time_ns};
        return;
    }
    bool is_free = lock->state == LOCK_FREE || lock->holder == location->index;
    if (frame && frame->time_kind == PAG_THREAD_LOCK) {
        uint64_t free_ns = in_window(engine, lock->released_ns);
        bool is_awaited = lock->state == LOCK_FREE && lock->holder != location->index &&
                          free_ns > frame->begin_ns;
        uint64_t waited_ns = is_awaited ? free_ns - frame->begin_ns : is_free ? 0 : UINT64_MAX;
        waited_ns = have_lock(at.thread, frame, waited_ns);
        if (is_awaited)
            note_lock_wait(at.time, at.thread, frame->path, lock, waited_ns);
    }
    lock->state = LOCK_HELD;
    lock->holder = location->index;
}

void thread_time_mpi(struct engine *engine, const struct location_state *location, bool is_inside,
                     uint64_t time_ns)
{
    struct at_event at;
    if (!reach(engine, location, time_ns, &at))
        return;
    if (at.is_master)
        at.process->is_in_mpi = is_inside;
    if (is_inside)
        push(at.thread, FRAME_MPI, 0, PAG_THREAD_MPI);
    else
        pop(at.time, at.process, at.thread, FRAME_MPI, NONE);
}

void thread_time_off(struct engine *engine, const struct location_state *location, bool is_off,
                     uint64_t time_ns)
{
    struct at_event at;
    if (!reach(engine, location, time_ns, &at))
        return;
    if (at.is_master)
        at.process->is_off = is_off;
    if (is_off)
        push(at.thread, FRAME_OFF, 0, PAG_THREAD_COMPUTING);
    else
        pop(at.time, at.process, at.thread, FRAME_OFF, NONE);
}

// --- teams

/// The thread leaves its team, or has not been in one yet.
static void note_outside(const struct engine *engine, struct at_event *at, uint64_t time_ns)
{
    advance_process(engine, at->process, time_ns);
    memcpy(at->thread->outside, at->process->ns, sizeof at->thread->outside);
    at->thread->is_inside = false;
    at->thread->is_before_join = at->process->n_open_forks > 0;
}

/// Books the time since note_outside() as idle; how much of it the thread was idle in parallel
/// regions.
static struct span book_idle(struct thread *thread, const struct process *process)
{
    uint64_t ns[MODES];
    for (size_t mode = 0; mode < MODES; mode++)
        ns[mode] = process->ns[mode] - thread->outside[mode];
    struct span limited = {ns[PARALLEL] + ns[PARALLEL_IN_MPI], ns[PARALLEL_IN_MPI]};
    book(thread, NULL, PAG_THREAD_IDLE_SERIAL, (struct span){ns[SERIAL], 0});
    book(thread, NULL, PAG_THREAD_IDLE_MPI, (struct span){ns[IN_MPI], ns[IN_MPI]});
    book(thread, NULL, PAG_THREAD_IDLE_LIMITED, limited);
    memcpy(thread->outside, process->ns, sizeof thread->outside);
    return limited;
}

/// At most NS of the idle time LIMITED, which has been booked, were the runtime's.
static void take_for_runtime(struct thread *thread, struct span limited, uint64_t ns)
{
    struct span taken = take(&limited, ns < limited.ns ? ns : limited.ns);
    thread->sums.ns[PAG_THREAD_IDLE_LIMITED] -= taken.ns;
    thread->sums.in_mpi_ns[PAG_THREAD_IDLE_LIMITED] -= taken.in_mpi_ns;
    book(thread, NULL, PAG_THREAD_RUNTIME, taken);
}

/// A further thread begins to work, perhaps in a team that was forked before.
static void come_inside(const struct engine *engine, struct at_event *at, uint64_t time_ns)
{
    const struct process *process = at->process;
    advance_process(engine, at->process, time_ns);
    struct span limited = book_idle(at->thread, process);
    uint64_t now_ns = in_window(engine, time_ns), fork_ns = in_window(engine, process->fork_ns);
    if (process->n_open_forks > 0 && now_ns > fork_ns)
        take_for_runtime(at->thread, limited, now_ns - fork_ns);
    at->thread->is_inside = true;
    at->thread->since_ns = now_ns;
    at->thread->process_mpi_ns = master_mpi_ns(process, now_ns);
}

void thread_time_begin(struct engine *engine, const struct location_state *location,
                       uint64_t time_ns)
{
    struct at_event at;
    if (!reach(engine, location, time_ns, &at))
        return;
    at.thread->has_begun = true;
    threads_at_work_begin(at.time->at_work, location, time_ns);
    if (at.is_master) {
        at.process->has_begun = true;
        at.process->begin_ns = time_ns;
        at.process->since_ns = at.thread->since_ns = in_window(engine, time_ns);
        at.thread->is_inside = true;
    } else {
        come_inside(engine, &at, time_ns);
    }
}

static void fork_team(const struct location_state *location, struct at_event *at, uint64_t time_ns)
{
    at->process->n_open_forks += at->is_master;
    at->process->fork_ns = time_ns;
    push(at->thread, FRAME_FORK, location->profile.current, PAG_THREAD_RUNTIME);
}

static void begin_team(const struct engine *engine, struct at_event *at, const struct event *event)
{
    struct thread *thread = at->thread;
    struct thread_frame *top = top_of(thread);
    *(event_is_of_created(event) ? &thread->is_created : &thread->has_team) = true;
    if (top && top->kind == FRAME_FORK)
        thread->n_frames--;
    if (thread->n_teams++ == 0 && !at->is_master && !thread->is_inside)
        come_inside(engine, at, event->time_ns);
    push(thread, FRAME_TEAM, 0, PAG_THREAD_COMPUTING)->region = thread->team;
    thread->team = event->index;
}

static void end_team(const struct engine *engine, const struct location_state *location,
                     struct at_event *at, uint64_t time_ns)
{
    struct thread *thread = at->thread;
    if (thread->n_teams == 0)
        return;
    pop(at->time, at->process, thread, FRAME_TEAM, NONE);
    if (--thread->n_teams == 0 && !at->is_master)
        note_outside(engine, at, time_ns);
    else if (at->is_master && at->process->n_open_forks > 0)
        push(thread, FRAME_FORK, location->profile.current, PAG_THREAD_RUNTIME);
}

static void join_team(struct engine *engine, const struct location_state *location,
                      struct at_event *at, uint64_t time_ns)
{
    const struct rank_state *rank = &engine->ranks[location->rank];
    struct process *process = at->process;
    pop(at->time, process, at->thread, FRAME_FORK, NONE);
    advance_process(engine, process, time_ns);
    if (at->is_master && process->n_open_forks > 0)
        process->n_open_forks--;
    for (uint32_t i = 0; i < rank->n_locations; i++) {
        struct thread *thread = &at->time->threads[rank->first_location + i];
        if (!thread->is_before_join || thread->is_inside)
            continue;
        take_for_runtime(thread, book_idle(thread, process), UINT64_MAX);
        if (engine->listener.thread_span.tell)
            tell_until(engine, rank->first_location + i, PAG_THREAD_RUNTIME, 0, time_ns);
        thread->is_before_join = false;
    }
}

void thread_time_team(struct engine *engine, const struct location_state *location,
                      const struct event *event)
{
    struct at_event at;
    if (!reach(engine, location, event->time_ns, &at))
        return;
    threads_at_work_team(at.time->at_work, location, event);
    if (event_is_of_created(event) &&
        (event->kind == EVENT_THREAD_FORK || event->kind == EVENT_THREAD_JOIN))
        return; // the thread that is made or awaited tells by itself when it begins and ends
    if (event->kind == EVENT_THREAD_FORK)
        fork_team(location, &at, event->time_ns);
    else if (event->kind == EVENT_THREAD_TEAM_BEGIN)
        begin_team(engine, &at, event);
    else if (event->kind == EVENT_THREAD_TEAM_END)
        end_team(engine, location, &at, event->time_ns);
    else
        join_team(engine, location, &at, event->time_ns);
}

void thread_time_end(struct engine *engine, const struct location_state *location, uint64_t time_ns)
{
    struct at_event at;
    if (!reach(engine, location, time_ns, &at))
        return;
    threads_at_work_end(at.time->at_work, location, time_ns);
    while (at.thread->n_frames > 0)
        pop(at.time, at.process, at.thread, top_of(at.thread)->kind, top_of(at.thread)->region);
    if (at.is_master)
        at.process->is_off = true; // nothing of it is known from here on
    else if (at.thread->is_inside)
        note_outside(engine, &at, time_ns);
    at.thread->is_inside = false;
}

// --- the window, and the end of the run

void thread_time_window(struct engine *engine)
{
    struct thread_time *time = engine->threads;
    for (size_t i = 0; i < engine->n_ranks && time; i++) {
        struct process *process = &time->processes[i];
        memset(process->ns, 0, sizeof process->ns);
        if (process->since_ns < engine->window_begin_ns)
            process->since_ns = engine->window_begin_ns;
    }
    for (size_t i = 0; i < engine->n_locations && time; i++) {
        struct thread *thread = &time->threads[i];
        memset(thread->sums.ns, 0, sizeof thread->sums.ns);
        memset(thread->sums.in_mpi_ns, 0, sizeof thread->sums.in_mpi_ns);
        thread->process_mpi_ns = 0;
        memset(thread->outside, 0, sizeof thread->outside);
        thread->sums.caused_ns = thread->sums.n_places = thread->sums.n_lock_waits = 0;
        map_release(&thread->place_of);
        map_init(&thread->place_of);
        map_release(&thread->lock_wait_of);
        map_init(&thread->lock_wait_of);
        if (thread->since_ns < engine->window_begin_ns)
            thread->since_ns = engine->window_begin_ns;
        for (size_t f = 0; f < thread->n_frames; f++) {
            struct thread_frame *frame = &thread->frames[f];
            frame->undecided = (struct span){0};
            frame->waited_ns = 0;
            if (frame->begin_ns < engine->window_begin_ns)
                frame->begin_ns = engine->window_begin_ns;
        }
    }
}

void thread_time_fill(struct engine *engine)
{
    struct thread_time *time = engine->threads;
    if (!time)
        return;
    engine->result->threads = memory_zeroed(engine->n_locations, sizeof *engine->result->threads);
    threads_at_work_fill(time->at_work, engine->result);
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct thread *thread = &time->threads[i];
        if (!thread->has_begun)
            continue;
        if (!engine->definitions->locations[i].is_master)
            book_idle(thread, &time->processes[engine->definitions->locations[i].rank]);
        thread->sums.is_thread = true;
        thread->sums.is_created = thread->is_created && !thread->has_team;
        engine->result->threads[i] = thread->sums;
        thread->sums = (struct pag_thread){0};
    }
}

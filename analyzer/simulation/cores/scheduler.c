// SPDX-License-Identifier: BSD-3-Clause
// Processor sharing by virtual time (see scheduler.h): all runnable processes of a group gain the
// same, so the one with the least virtual end is done first, and a change of their number moves
// nothing but the time at which that happens. Two levels of who is first: of the working locations
// of a group by virtual end, of groups and waiting locations by time. A process that never shares
// its core needs no virtual time: its work is done when as much time has passed, so it stands in
// the second level by itself. Who goes on stays first there until it is known when it does so
// again: one change, then.
#include "analyzer/simulation/cores/scheduler.h"

#include <assert.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/tournament.h"

#define NOWHERE UINT32_MAX

enum location_mode { MODE_BEFORE, MODE_WORKING, MODE_WAITING, MODE_SLEEPING, MODE_ENDED };

struct process {
    enum location_mode mode;
    bool has_core;            // on a shared one: has worked and not waited since
    bool is_away;             // has left cores shared in slices of time to wait
    enum scheduler_turn turn; // when its work is done
    uint32_t group;
    uint32_t place;  // among those of its group
    uint32_t over;   // on a core of its own: by how much of a ns end_ns is rounded up, millionths
    uint64_t end_ns; // when it ends the work it does on a core of its own, or ended the last one
    pag_work end;    // virtual, of the work it does or did last
    pag_work next;   // on a shared core: what it does when its wait is over
};

struct group {
    bool is_shared;             // else everybody has a core of his own
    struct time_slices *slices; // NULL: no slices of time
    uint32_t n_cores, n_runnable, n_processes;
    uint32_t *free_places; // of those that have left, or are yet to come
    uint32_t n_free_places;
    uint32_t last; // who began work last, or went on with it; NOWHERE
    uint64_t speed, hand_over_ns;
    pag_work virtual_time;
    uint64_t updated_ns;
    struct tournament working; // by (end, turn, location); shared groups only
};

enum { TURN_SHIFT = 30 };            // of a turn and a location in one number
enum { TURN_SLICE = TURN_LAST + 1 }; // the end of a slice: when all are done who are done then
#define LATEST_END (((pag_work)1 << 96) - 1) // that leaves room for it; 2 million years

struct scheduler {
    struct group *groups;
    struct process *processes;
    // What happens next somewhere, by (time, turn, location, source): at the place of a group its
    // first end of work, at n_groups + location one's end of work on a core of its own, or of its
    // wait.
    struct tournament alarms;
    size_t n_groups, n_locations;
    struct sliced_process *sliced; // by location, NULL: none
    uint64_t now_ns;
    uint64_t hand_over_ns;
    bool spins;
};

// --- alarms

/// Who goes on, and his turn among those at the same time.
static uint32_t order_of(enum scheduler_turn turn, uint32_t location)
{
    return (uint32_t)turn << TURN_SHIFT | location;
}

static uint32_t location_of(uint32_t order)
{
    return order & ((UINT32_C(1) << TURN_SHIFT) - 1);
}

static void set_alarm(struct scheduler *scheduler, uint32_t source, uint64_t time_ns,
                      enum scheduler_turn turn, uint32_t location)
{
    uint64_t rest = (uint64_t)order_of(turn, location) << 32 | source;
    tournament_set(&scheduler->alarms, source, (tournament_key)time_ns << 64 | rest);
}

static void clear_alarm(struct scheduler *scheduler, uint32_t source)
{
    if (tournament_at(&scheduler->alarms, source) != TOURNAMENT_NONE)
        tournament_set(&scheduler->alarms, source, TOURNAMENT_NONE);
}

static uint64_t time_of(tournament_key alarm)
{
    return (uint64_t)(alarm >> 64);
}

/// The alarm of a location by itself.
static uint32_t source_of(const struct scheduler *scheduler, uint32_t location)
{
    return (uint32_t)scheduler->n_groups + location;
}

// --- the working locations of a group

static void set_working(struct group *group, const struct process *process, uint32_t location)
{
    pag_work end = process->end < LATEST_END ? process->end : LATEST_END;
    tournament_set(&group->working, process->place, end << 32 | order_of(process->turn, location));
}

// --- virtual time of a shared group

/// VALUE * FACTOR / DIVISOR, cut off; mostly without a division of 128 bits.
static pag_work scaled(pag_work value, uint32_t factor, uint32_t divisor)
{
    if (value >> 40 == 0 && factor >> 24 == 0)
        return (uint64_t)value * factor / divisor;
    return value * factor / divisor;
}

static pag_work virtual_time_at(const struct group *group, uint64_t now_ns)
{
    uint64_t passed_ns = now_ns - group->updated_ns;
    if (passed_ns == 0 || group->n_runnable == 0)
        return group->virtual_time;
    pag_work gain = (pag_work)passed_ns * PAG_WORK_PER_NS;
    if (group->n_runnable > group->n_cores)
        gain = scaled(gain, group->n_cores, group->n_runnable);
    return group->virtual_time + gain;
}

static uint64_t whole_ns(pag_work work)
{
    if (work <= UINT64_MAX - PAG_WORK_PER_NS)
        return ((uint64_t)work + PAG_WORK_PER_NS - 1) / PAG_WORK_PER_NS;
    return (uint64_t)((work + PAG_WORK_PER_NS - 1) / PAG_WORK_PER_NS);
}

/// Whole ns from the last update until the virtual time has grown by LEFT.
static uint64_t time_for(const struct group *group, pag_work left)
{
    if (group->n_runnable <= group->n_cores)
        return whole_ns(left);
    uint64_t divisor = (uint64_t)PAG_WORK_PER_NS * group->n_cores;
    left = left * group->n_runnable + divisor - 1;
    return left >> 64 == 0 ? (uint64_t)left / divisor : (uint64_t)(left / divisor);
}

/// After a change in a group: when its first work will be done.
static void predict(struct scheduler *scheduler, uint32_t index)
{
    const struct group *group = &scheduler->groups[index];
    tournament_key key = tournament_first(&group->working);
    if (key == TOURNAMENT_NONE) {
        clear_alarm(scheduler, index);
        return;
    }
    uint32_t first = location_of((uint32_t)key);
    const struct process *process = &scheduler->processes[first];
    pag_work left = process->end > group->virtual_time ? process->end - group->virtual_time : 0;
    set_alarm(scheduler, index, group->updated_ns + time_for(group, left), process->turn, first);
}

static bool is_runnable(const struct scheduler *scheduler, const struct process *process)
{
    return process->mode == MODE_WORKING || (process->mode == MODE_WAITING && scheduler->spins);
}

/// LOCATION changes to MODE at NOW_NS. What it was doing is over. Where it works is set afterwards.
static void change(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                   enum location_mode mode)
{
    struct process *process = &scheduler->processes[location];
    struct group *group = &scheduler->groups[process->group];
    group->virtual_time = virtual_time_at(group, now_ns);
    group->updated_ns = now_ns;
    if (process->mode != MODE_WORKING) {
        clear_alarm(scheduler, source_of(scheduler, location));
    } else {
        process->end_ns = now_ns;
        if (mode != MODE_WORKING)
            tournament_set(&group->working, process->place, TOURNAMENT_NONE);
    }
    group->n_runnable -= is_runnable(scheduler, process);
    process->mode = mode;
    group->n_runnable += is_runnable(scheduler, process);
}

/// What it costs that LOCATION begins work now, unless it HAS_CORE from work right before.
static pag_work hand_over(struct scheduler *scheduler, struct group *group, uint32_t location,
                          bool has_core)
{
    bool is_other = group->last != location && group->last != NOWHERE;
    group->last = location;
    if (!is_other || has_core)
        return 0;
    scheduler->hand_over_ns += group->hand_over_ns;
    return (pag_work)group->hand_over_ns * PAG_WORK_PER_NS;
}

static void work_shared(struct scheduler *scheduler, struct group *group, uint32_t location,
                        uint64_t now_ns, pag_work work, enum scheduler_turn turn)
{
    struct process *process = &scheduler->processes[location];
    change(scheduler, location, now_ns, MODE_WORKING);
    bool goes_on = process->end_ns == now_ns;
    process->has_core = process->has_core && goes_on;
    if (work > 0) {
        work += hand_over(scheduler, group, location, process->has_core);
        process->has_core = true;
    }
    process->end = (goes_on ? process->end : group->virtual_time) + work;
    process->turn = turn;
    set_working(group, process, location);
    predict(scheduler, process->group);
}

// --- a core of one's own

/// Works from NOW_NS on; what the work before was rounded up by is work done already.
static void work_alone(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                       pag_work work, enum scheduler_turn turn)
{
    struct process *process = &scheduler->processes[location];
    uint32_t done = process->end_ns == now_ns ? process->over : 0;
    process->mode = MODE_WORKING;
    uint64_t length_ns = work > done ? whole_ns(work - done) : 0;
    process->over = (uint32_t)((pag_work)length_ns * PAG_WORK_PER_NS + done - work);
    process->end_ns = now_ns + length_ns;
    set_alarm(scheduler, source_of(scheduler, location), process->end_ns, turn, location);
}

// --- slices of time

/// After a change in a group that has them: who goes on next, or that a slice is over.
static void predict_slices(struct scheduler *scheduler, uint32_t index)
{
    uint64_t time_ns;
    uint32_t location;
    bool is_slice;
    if (time_slices_next(scheduler->groups[index].slices, &time_ns, &location, &is_slice))
        set_alarm(scheduler, index, time_ns,
                  is_slice ? TURN_SLICE : (int)scheduler->sliced[location].turn, location);
    else
        clear_alarm(scheduler, index);
}

static void work_in_slices(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                           pag_work work, enum scheduler_turn turn)
{
    struct process *process = &scheduler->processes[location];
    struct time_slices *slices = scheduler->groups[process->group].slices;
    clear_alarm(scheduler, source_of(scheduler, location)); // of the begin
    if (process->mode == MODE_BEFORE || process->is_away)
        time_slices_begin(slices, location, now_ns);
    process->is_away = false;
    process->mode = MODE_WORKING;
    time_slices_work(slices, location, now_ns, work, turn);
    predict_slices(scheduler, process->group);
}

/// LOCATION, which waits, goes on at UNTIL_NS and works WORK; where processes that wait leave their
/// cores it stands in no queue until then.
static void wake_in_slices(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                           uint64_t until_ns, pag_work work)
{
    struct process *process = &scheduler->processes[location];
    enum scheduler_turn turn = work > 0 ? TURN_FIRST : TURN_LEAVE;
    process->next = work;
    if (scheduler->spins && !process->is_away) {
        time_slices_wait(scheduler->groups[process->group].slices, location, now_ns, until_ns,
                         turn);
        predict_slices(scheduler, process->group);
    } else if (until_ns == PAG_NOT_KNOWN) {
        clear_alarm(scheduler, source_of(scheduler, location));
    } else {
        set_alarm(scheduler, source_of(scheduler, location), until_ns, turn, location);
    }
}

/// Who waits for something that is there already keeps its core, if it has one.
static void wait_in_slices(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                           uint64_t until_ns, pag_work work)
{
    struct process *process = &scheduler->processes[location];
    struct time_slices *slices = scheduler->groups[process->group].slices;
    process->mode = MODE_WAITING;
    if (!scheduler->spins && !process->is_away) {
        time_slices_wait(slices, location, now_ns, PAG_NOT_KNOWN, TURN_LEAVE);
        process->is_away = until_ns > now_ns;
        if (process->is_away)
            time_slices_end(slices, location, now_ns);
        predict_slices(scheduler, process->group);
    }
    wake_in_slices(scheduler, location, now_ns, until_ns, work);
}

static void leave_slices(struct scheduler *scheduler, uint32_t location, uint64_t now_ns)
{
    struct process *process = &scheduler->processes[location];
    process->mode = MODE_SLEEPING;
    process->is_away = true;
    time_slices_end(scheduler->groups[process->group].slices, location, now_ns);
    predict_slices(scheduler, process->group);
}

/// Takes the ends of slices off the alarms, up to the first one at which somebody goes on.
static void end_slices(struct scheduler *scheduler)
{
    for (;;) {
        uint32_t source = (uint32_t)tournament_first(&scheduler->alarms), location;
        uint64_t time_ns;
        bool is_slice;
        if (source >= scheduler->n_groups || !scheduler->groups[source].slices ||
            !time_slices_next(scheduler->groups[source].slices, &time_ns, &location, &is_slice) ||
            !is_slice)
            return;
        time_slices_rotate(scheduler->groups[source].slices, time_ns);
        predict_slices(scheduler, source);
    }
}

// --- what goes on when

/// WORK on the processors of GROUP.
static pag_work at_speed(const struct group *group, pag_work work)
{
    if (group->speed == SCHEDULER_FULL_SPEED)
        return work;
    if (work <= UINT64_MAX / SCHEDULER_FULL_SPEED)
        return (uint64_t)work * SCHEDULER_FULL_SPEED / group->speed;
    return work * SCHEDULER_FULL_SPEED / group->speed;
}

static struct group *group_of(const struct scheduler *scheduler, uint32_t location)
{
    return &scheduler->groups[scheduler->processes[location].group];
}

void scheduler_work(struct scheduler *scheduler, uint32_t location, uint64_t now_ns, pag_work work,
                    enum scheduler_turn turn)
{
    struct group *group = group_of(scheduler, location);
    if (group->slices)
        work_in_slices(scheduler, location, now_ns, at_speed(group, work), turn);
    else if (group->is_shared)
        work_shared(scheduler, group, location, now_ns, at_speed(group, work), turn);
    else
        work_alone(scheduler, location, now_ns, at_speed(group, work), turn);
}

void scheduler_wait(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                    uint64_t until_ns, pag_work work)
{
    struct process *process = &scheduler->processes[location];
    if (process->mode == MODE_BEFORE) {
        set_alarm(scheduler, source_of(scheduler, location), until_ns, TURN_FIRST, location);
        return;
    }
    if (group_of(scheduler, location)->slices) {
        wait_in_slices(scheduler, location, now_ns, until_ns,
                       at_speed(group_of(scheduler, location), work));
        return;
    }
    if (group_of(scheduler, location)->is_shared) {
        change(scheduler, location, now_ns, MODE_WAITING);
        predict(scheduler, process->group);
    } else if (until_ns == PAG_NOT_KNOWN) {
        clear_alarm(scheduler, source_of(scheduler, location));
    }
    if (until_ns != PAG_NOT_KNOWN)
        scheduler_wake(scheduler, location, until_ns, work);
}

void scheduler_sleep(struct scheduler *scheduler, uint32_t location, uint64_t now_ns)
{
    if (group_of(scheduler, location)->slices) {
        leave_slices(scheduler, location, now_ns);
    } else if (group_of(scheduler, location)->is_shared) {
        change(scheduler, location, now_ns, MODE_SLEEPING);
        predict(scheduler, scheduler->processes[location].group);
    } else {
        clear_alarm(scheduler, source_of(scheduler, location));
    }
}

void scheduler_wake(struct scheduler *scheduler, uint32_t location, uint64_t until_ns,
                    pag_work work)
{
    struct process *process = &scheduler->processes[location];
    const struct group *group = group_of(scheduler, location);
    if (group->slices) {
        wake_in_slices(scheduler, location, scheduler->now_ns, until_ns, at_speed(group, work));
        return;
    }
    if (!group->is_shared) {
        work_alone(scheduler, location, until_ns, at_speed(group, work), TURN_LEAVE);
        return;
    }
    process->next = at_speed(group, work);
    set_alarm(scheduler, source_of(scheduler, location), until_ns,
              process->next > 0 ? TURN_FIRST : TURN_LEAVE, location);
}

void scheduler_wake_by(struct scheduler *scheduler, uint32_t location, uint64_t until_ns)
{
    if (!scheduler->spins || until_ns < scheduler->sliced[location].until_ns)
        scheduler_wake(scheduler, location, until_ns, 0);
}

void scheduler_end(struct scheduler *scheduler, uint32_t location, uint64_t now_ns)
{
    struct process *process = &scheduler->processes[location];
    if (process->mode == MODE_BEFORE || !group_of(scheduler, location)->is_shared) {
        clear_alarm(scheduler, source_of(scheduler, location));
        process->mode = MODE_ENDED;
        return;
    }
    struct group *group = group_of(scheduler, location);
    if (group->slices) {
        process->mode = MODE_ENDED;
        if (!process->is_away)
            time_slices_end(group->slices, location, now_ns);
        predict_slices(scheduler, process->group);
        return;
    }
    change(scheduler, location, now_ns, MODE_ENDED);
    predict(scheduler, process->group);
}

void scheduler_move(struct scheduler *scheduler, uint32_t location, uint32_t group, uint64_t now_ns,
                    uint64_t until_ns)
{
    struct process *process = &scheduler->processes[location];
    struct group *from = group_of(scheduler, location), *to = &scheduler->groups[group];
    scheduler_end(scheduler, location, now_ns);
    from->free_places[from->n_free_places++] = process->place;
    assert(to->n_free_places > 0 && "bug: the group knows how many may come");
    *process = (struct process){
        .group = group, .place = to->free_places[--to->n_free_places], .end_ns = UINT64_MAX};
    scheduler_wait(scheduler, location, now_ns, until_ns, 0);
}

bool scheduler_next(struct scheduler *scheduler, uint32_t *location, uint64_t *time_ns)
{
    if (scheduler->sliced)
        end_slices(scheduler);
    tournament_key first = tournament_first(&scheduler->alarms);
    if (first == TOURNAMENT_NONE)
        return false;
    *location = location_of((uint32_t)(first >> 32));
    *time_ns = scheduler->now_ns = time_of(first);
    return true;
}

bool scheduler_works_on(struct scheduler *scheduler, uint32_t location, uint64_t now_ns)
{
    struct process *process = &scheduler->processes[location];
    pag_work work = process->next;
    if (process->is_away) {
        struct group *group = group_of(scheduler, location);
        clear_alarm(scheduler, source_of(scheduler, location));
        time_slices_begin(group->slices, location, now_ns);
        process->is_away = false;
        if (work == 0 && scheduler->sliced[location].has_core)
            return false;
    } else if (work == 0) {
        return false;
    }
    process->next = 0;
    if (group_of(scheduler, location)->slices)
        work_in_slices(scheduler, location, now_ns, work, TURN_LEAVE);
    else
        work_shared(scheduler, group_of(scheduler, location), location, now_ns, work, TURN_LEAVE);
    return true;
}

bool scheduler_has_others(struct scheduler *scheduler, uint32_t location, uint64_t now_ns)
{
    tournament_key first = tournament_first(&scheduler->alarms);
    if (first == TOURNAMENT_NONE || location_of((uint32_t)(first >> 32)) != location)
        return true;
    tournament_key other = tournament_first_beside(&scheduler->alarms, (uint32_t)first);
    if (other != TOURNAMENT_NONE && time_of(other) == now_ns)
        return true;
    const struct group *group = group_of(scheduler, location);
    if (!group->is_shared)
        return false;
    if (group->slices)
        return true;
    pag_work virtual_ns = virtual_time_at(group, now_ns);
    uint32_t place = scheduler->processes[location].place;
    return tournament_first_beside(&group->working, place) >> 32 <= virtual_ns;
}

bool scheduler_waits_with_core(struct scheduler *scheduler, uint32_t location, uint64_t now_ns)
{
    const struct process *process = &scheduler->processes[location];
    if (process->mode != MODE_WAITING || process->is_away)
        return false;
    time_slices_catch_up(group_of(scheduler, location)->slices, now_ns);
    return scheduler->sliced[location].has_core;
}

bool scheduler_is_waiting(const struct scheduler *scheduler, uint32_t location)
{
    return scheduler->processes[location].mode == MODE_WAITING;
}

bool scheduler_has_core(const struct scheduler *scheduler, uint32_t location)
{
    return !scheduler_has_slices(scheduler, location) || scheduler->sliced[location].has_core;
}

bool scheduler_has_slices(const struct scheduler *scheduler, uint32_t location)
{
    return group_of(scheduler, location)->slices != NULL;
}

uint64_t scheduler_now_ns(const struct scheduler *scheduler)
{
    return scheduler->now_ns;
}

uint64_t scheduler_hand_over_ns(const struct scheduler *scheduler)
{
    return scheduler->hand_over_ns;
}

struct scheduler *scheduler_new(const struct core_group *groups, size_t n_groups,
                                const uint32_t *group_of, size_t n_locations, bool spins)
{
    struct scheduler *scheduler = memory_new(sizeof *scheduler);
    *scheduler = (struct scheduler){
        .groups = memory_zeroed(n_groups, sizeof *scheduler->groups),
        .processes = memory_zeroed(n_locations, sizeof *scheduler->processes),
        .n_groups = n_groups,
        .n_locations = n_locations,
        .spins = spins,
    };
    for (size_t i = 0; i < n_groups; i++) {
        scheduler->groups[i].n_cores = groups[i].n_cores;
        scheduler->groups[i].speed = groups[i].speed;
        scheduler->groups[i].hand_over_ns = groups[i].hand_over_ns;
        scheduler->groups[i].last = NOWHERE;
    }
    tournament_init(&scheduler->alarms, (uint32_t)(n_groups + n_locations));
    for (size_t i = 0; i < n_locations; i++) {
        assert(group_of[i] < n_groups);
        scheduler->processes[i].group = group_of[i];
        scheduler->processes[i].place = scheduler->groups[group_of[i]].n_processes++;
        scheduler->processes[i].end_ns = UINT64_MAX;
    }
    for (size_t i = 0; i < n_groups; i++) {
        struct group *group = &scheduler->groups[i];
        if (groups[i].n_processes > 0)
            group->free_places = memory_new(groups[i].n_processes * sizeof *group->free_places);
        while (group->n_processes < groups[i].n_processes)
            group->free_places[group->n_free_places++] = group->n_processes++;
        group->is_shared = group->n_processes > group->n_cores;
        if (group->is_shared)
            tournament_init(&group->working, group->n_processes);
        if (!group->is_shared || groups[i].slice_ns == 0)
            continue;
        if (!scheduler->sliced)
            scheduler->sliced = memory_zeroed(n_locations, sizeof *scheduler->sliced);
        group->slices = memory_new(sizeof *group->slices);
        time_slices_init(group->slices, scheduler->sliced, group->n_processes, group->n_cores,
                         groups[i].slice_ns, !spins);
    }
    return scheduler;
}

void scheduler_free(struct scheduler *scheduler)
{
    if (!scheduler)
        return;
    for (size_t i = 0; i < scheduler->n_groups; i++) {
        tournament_release(&scheduler->groups[i].working);
        if (scheduler->groups[i].slices)
            time_slices_release(scheduler->groups[i].slices);
        FREE_ALL(scheduler->groups[i].slices, scheduler->groups[i].free_places);
    }
    FREE_ALL(scheduler->sliced, scheduler->groups, scheduler->processes);
    tournament_release(&scheduler->alarms);
    free(scheduler);
}

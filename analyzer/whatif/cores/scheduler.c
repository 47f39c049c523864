// SPDX-License-Identifier: BSD-3-Clause
// Processor sharing by virtual time (see scheduler.h): all runnable processes of a group gain the
// same, so the one with the least virtual end is done first, and a change of their number moves
// nothing but the time at which that happens. Two levels of heaps: the working locations of a group
// by virtual end, and groups and waiting locations by time. A process that never shares its core
// needs no virtual time: its work is done when as much time has passed, so it stands in the second
// heap by itself. Who goes on stands at the top of that heap until it is known when it does so
// again: mostly its alarm only moves down.
#include "analyzer/whatif/cores/scheduler.h"

#include <assert.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/event.h"
#include "analyzer/whatif/cores/time_slices.h"

#define NOWHERE UINT32_MAX

enum location_mode { MODE_BEFORE, MODE_WORKING, MODE_WAITING, MODE_ENDED };

struct process {
    enum location_mode mode;
    bool is_away;       // has left cores shared in slices of time to wait
    enum pag_turn turn; // when its work is done
    uint32_t group;
    uint32_t place;  // in its group's heap while it works
    uint32_t over;   // on a core of its own: by how much of a ns end_ns is rounded up, millionths
    uint64_t end_ns; // when it ends the work it does on a core of its own, or ended the last one
    pag_work end;    // virtual, of the work it does or did last
    pag_work next;   // on a shared core: what it does when its wait is over
};

struct group {
    bool is_shared;             // else everybody has a core of his own
    struct time_slices *slices; // NULL: no slices of time
    uint32_t n_cores, n_runnable, n_processes;
    uint32_t last; // who began work last, NOWHERE
    uint64_t speed, hand_over_ns;
    pag_work virtual_time;
    uint64_t updated_ns;
    uint32_t *working; // heap by (end, turn, location)
    uint32_t n_working;
    size_t working_capacity;
};

/// What happens next somewhere: a group's first end of work, or a location's end of work on a core
/// of its own, or of its wait.
struct alarm {
    uint64_t time_ns;
    uint32_t order;  // turn, location: who goes on then
    uint32_t source; // group, or n_groups + location
};
enum { TURN_SHIFT = 30 }; // in `order`

struct scheduler {
    struct group *groups;
    struct process *processes;
    struct alarm *alarms;   // heap by (time, order)
    uint32_t *alarm_places; // by source, NOWHERE
    size_t n_groups, n_locations;
    uint32_t n_alarms;
    struct sliced_process *sliced; // by location, NULL: none
    uint64_t now_ns;
    uint64_t hand_over_ns;
    bool spins;
};

// --- the heap of alarms

// Without branches: who is next is what a processor cannot predict.
static bool rings_before(struct alarm a, struct alarm b)
{
    return (a.time_ns < b.time_ns) | ((a.time_ns == b.time_ns) & (a.order < b.order));
}

static void put_alarm(struct scheduler *scheduler, uint32_t place, struct alarm alarm)
{
    scheduler->alarms[place] = alarm;
    scheduler->alarm_places[alarm.source] = place;
}

/// ALARM's place is PLACE or above it.
static void raise_alarm(struct scheduler *scheduler, uint32_t place, struct alarm alarm)
{
    const struct alarm *alarms = scheduler->alarms;
    for (; place > 0 && rings_before(alarm, alarms[(place - 1) / 2]); place = (place - 1) / 2)
        put_alarm(scheduler, place, alarms[(place - 1) / 2]);
    put_alarm(scheduler, place, alarm);
}

/// ALARM's place is PLACE or below it.
static void lower_alarm(struct scheduler *scheduler, uint32_t place, struct alarm alarm)
{
    const struct alarm *alarms = scheduler->alarms;
    uint32_t n = scheduler->n_alarms;
    for (uint32_t child = 2 * place + 1; child < n; child = 2 * place + 1) {
        child += child + 1 < n && rings_before(alarms[child + 1], alarms[child]);
        if (!rings_before(alarms[child], alarm))
            break;
        put_alarm(scheduler, place, alarms[child]);
        place = child;
    }
    put_alarm(scheduler, place, alarm);
}

static void settle_alarm(struct scheduler *scheduler, uint32_t place, struct alarm alarm)
{
    if (place > 0 && rings_before(alarm, scheduler->alarms[(place - 1) / 2]))
        raise_alarm(scheduler, place, alarm);
    else
        lower_alarm(scheduler, place, alarm);
}

static void clear_alarm(struct scheduler *scheduler, uint32_t source)
{
    uint32_t place = scheduler->alarm_places[source];
    if (place == NOWHERE)
        return;
    scheduler->alarm_places[source] = NOWHERE;
    struct alarm last = scheduler->alarms[--scheduler->n_alarms];
    if (last.source != source)
        settle_alarm(scheduler, place, last);
}

static void set_alarm(struct scheduler *scheduler, uint32_t source, uint64_t time_ns,
                      enum pag_turn turn, uint32_t location)
{
    struct alarm alarm = {time_ns, (uint32_t)turn << TURN_SHIFT | location, source};
    uint32_t place = scheduler->alarm_places[source];
    settle_alarm(scheduler, place == NOWHERE ? scheduler->n_alarms++ : place, alarm);
}

/// The alarm of a location by itself.
static uint32_t source_of(const struct scheduler *scheduler, uint32_t location)
{
    return (uint32_t)scheduler->n_groups + location;
}

static uint32_t location_of(struct alarm alarm)
{
    return alarm.order & ((UINT32_C(1) << TURN_SHIFT) - 1);
}

// --- the working locations of a group

static bool ends_before(const struct scheduler *scheduler, uint32_t a, uint32_t b)
{
    const struct process *left = &scheduler->processes[a], *right = &scheduler->processes[b];
    if (left->end != right->end)
        return left->end < right->end;
    return left->turn != right->turn ? left->turn < right->turn : a < b;
}

static void put_working(struct scheduler *scheduler, struct group *group, uint32_t place,
                        uint32_t location)
{
    group->working[place] = location;
    scheduler->processes[location].place = place;
}

static void settle_working(struct scheduler *scheduler, struct group *group, uint32_t place,
                           uint32_t location)
{
    uint32_t *working = group->working;
    for (; place > 0 && ends_before(scheduler, location, working[(place - 1) / 2]);
         place = (place - 1) / 2)
        put_working(scheduler, group, place, working[(place - 1) / 2]);
    for (uint32_t child = 2 * place + 1; child < group->n_working; child = 2 * place + 1) {
        if (child + 1 < group->n_working &&
            ends_before(scheduler, working[child + 1], working[child]))
            child++;
        if (!ends_before(scheduler, working[child], location))
            break;
        put_working(scheduler, group, place, working[child]);
        place = child;
    }
    put_working(scheduler, group, place, location);
}

static void add_working(struct scheduler *scheduler, struct group *group, uint32_t location)
{
    group->working = array_reserve(group->working, &group->working_capacity, group->n_working + 1,
                                   sizeof *group->working);
    uint32_t place = group->n_working++;
    settle_working(scheduler, group, place, location);
}

static void remove_working(struct scheduler *scheduler, struct group *group, uint32_t location)
{
    uint32_t last = group->working[--group->n_working];
    if (last != location)
        settle_working(scheduler, group, scheduler->processes[location].place, last);
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
    if (group->n_working == 0) {
        clear_alarm(scheduler, index);
        return;
    }
    uint32_t first = group->working[0];
    const struct process *process = &scheduler->processes[first];
    pag_work left = process->end > group->virtual_time ? process->end - group->virtual_time : 0;
    set_alarm(scheduler, index, group->updated_ns + time_for(group, left), process->turn, first);
}

static bool is_runnable(const struct scheduler *scheduler, const struct process *process)
{
    return process->mode == MODE_WORKING || (process->mode == MODE_WAITING && scheduler->spins);
}

/// LOCATION changes to MODE at NOW_NS. What it was doing is over.
static void change(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                   enum location_mode mode)
{
    struct process *process = &scheduler->processes[location];
    struct group *group = &scheduler->groups[process->group];
    group->virtual_time = virtual_time_at(group, now_ns);
    group->updated_ns = now_ns;
    if (process->mode == MODE_WORKING) {
        process->end_ns = now_ns;
        remove_working(scheduler, group, location);
    } else {
        clear_alarm(scheduler, source_of(scheduler, location));
    }
    group->n_runnable -= is_runnable(scheduler, process);
    process->mode = mode;
    group->n_runnable += is_runnable(scheduler, process);
}

/// What it costs that LOCATION begins work now.
static pag_work hand_over(struct scheduler *scheduler, struct group *group, uint32_t location)
{
    bool is_other = group->last != location && group->last != NOWHERE;
    group->last = location;
    if (!is_other)
        return 0;
    scheduler->hand_over_ns += group->hand_over_ns;
    return (pag_work)group->hand_over_ns * PAG_WORK_PER_NS;
}

static void work_shared(struct scheduler *scheduler, struct group *group, uint32_t location,
                        uint64_t now_ns, pag_work work, enum pag_turn turn)
{
    struct process *process = &scheduler->processes[location];
    change(scheduler, location, now_ns, MODE_WORKING);
    if (work > 0)
        work += hand_over(scheduler, group, location);
    bool goes_on = process->end_ns == now_ns;
    process->end = (goes_on ? process->end : group->virtual_time) + work;
    process->turn = turn;
    add_working(scheduler, group, location);
    predict(scheduler, process->group);
}

// --- a core of one's own

/// Works from NOW_NS on; what the work before was rounded up by is work done already.
static void work_alone(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                       pag_work work, enum pag_turn turn)
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
    if (!time_slices_next(scheduler->groups[index].slices, &time_ns, &location))
        clear_alarm(scheduler, index);
    else if (location == EVENT_NO_INDEX)
        set_alarm(scheduler, index, time_ns, PAG_TURN_LAST, 0);
    else
        set_alarm(scheduler, index, time_ns, scheduler->sliced[location].turn, location);
}

static void work_in_slices(struct scheduler *scheduler, uint32_t location, uint64_t now_ns,
                           pag_work work, enum pag_turn turn)
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
    enum pag_turn turn = work > 0 ? PAG_TURN_FIRST : PAG_TURN_LEAVE;
    process->next = work;
    if (scheduler->spins) {
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
        time_slices_wait(slices, location, now_ns, PAG_NOT_KNOWN, PAG_TURN_LEAVE);
        process->is_away = until_ns > now_ns;
        if (process->is_away)
            time_slices_end(slices, location, now_ns);
        predict_slices(scheduler, process->group);
    }
    wake_in_slices(scheduler, location, now_ns, until_ns, work);
}

/// Takes the ends of slices off the alarms, up to the first one at which somebody goes on.
static void end_slices(struct scheduler *scheduler)
{
    while (scheduler->n_alarms > 0) {
        uint32_t source = scheduler->alarms[0].source, location;
        uint64_t time_ns;
        if (source >= scheduler->n_groups || !scheduler->groups[source].slices ||
            !time_slices_next(scheduler->groups[source].slices, &time_ns, &location) ||
            location != EVENT_NO_INDEX)
            return;
        time_slices_rotate(scheduler->groups[source].slices, time_ns);
        predict_slices(scheduler, source);
    }
}

// --- the clock

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

void scheduler_work(void *context, uint32_t location, uint64_t now_ns, pag_work work,
                    enum pag_turn turn)
{
    struct scheduler *scheduler = context;
    struct group *group = group_of(scheduler, location);
    if (group->slices)
        work_in_slices(scheduler, location, now_ns, at_speed(group, work), turn);
    else if (group->is_shared)
        work_shared(scheduler, group, location, now_ns, at_speed(group, work), turn);
    else
        work_alone(scheduler, location, now_ns, at_speed(group, work), turn);
}

void scheduler_wait(void *context, uint32_t location, uint64_t now_ns, uint64_t until_ns,
                    pag_work work)
{
    struct scheduler *scheduler = context;
    struct process *process = &scheduler->processes[location];
    if (process->mode == MODE_BEFORE) {
        set_alarm(scheduler, source_of(scheduler, location), until_ns, PAG_TURN_FIRST, location);
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
        scheduler_wake(context, location, until_ns, work);
}

void scheduler_wake(void *context, uint32_t location, uint64_t until_ns, pag_work work)
{
    struct scheduler *scheduler = context;
    struct process *process = &scheduler->processes[location];
    const struct group *group = group_of(scheduler, location);
    if (group->slices) {
        wake_in_slices(scheduler, location, scheduler->now_ns, until_ns, at_speed(group, work));
        return;
    }
    if (!group->is_shared) {
        work_alone(scheduler, location, until_ns, at_speed(group, work), PAG_TURN_LEAVE);
        return;
    }
    process->next = at_speed(group, work);
    set_alarm(scheduler, source_of(scheduler, location), until_ns,
              process->next > 0 ? PAG_TURN_FIRST : PAG_TURN_LEAVE, location);
}

void scheduler_end(void *context, uint32_t location, uint64_t now_ns)
{
    struct scheduler *scheduler = context;
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

bool scheduler_next(void *context, uint32_t *location, uint64_t *time_ns)
{
    struct scheduler *scheduler = context;
    if (scheduler->sliced)
        end_slices(scheduler);
    if (scheduler->n_alarms == 0)
        return false;
    *location = location_of(scheduler->alarms[0]);
    *time_ns = scheduler->now_ns = scheduler->alarms[0].time_ns;
    return true;
}

bool scheduler_works_on(void *context, uint32_t location, uint64_t now_ns)
{
    struct scheduler *scheduler = context;
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
        work_in_slices(scheduler, location, now_ns, work, PAG_TURN_LEAVE);
    else
        work_shared(scheduler, group_of(scheduler, location), location, now_ns, work,
                    PAG_TURN_LEAVE);
    return true;
}

bool scheduler_has_others(void *context, uint32_t location, uint64_t now_ns)
{
    const struct scheduler *scheduler = context;
    const struct alarm *alarms = scheduler->alarms;
    uint32_t n = scheduler->n_alarms;
    if (n == 0 || location_of(alarms[0]) != location || (n > 1 && alarms[1].time_ns == now_ns) ||
        (n > 2 && alarms[2].time_ns == now_ns))
        return true;
    const struct group *group = group_of(scheduler, location);
    if (!group->is_shared)
        return false;
    if (group->slices)
        return true;
    pag_work virtual_ns = virtual_time_at(group, now_ns);
    for (uint32_t i = 1; i < 3 && i < group->n_working; i++)
        if (scheduler->processes[group->working[i]].end <= virtual_ns)
            return true;
    return false;
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
        .alarms = memory_zeroed(n_groups + n_locations, sizeof *scheduler->alarms),
        .alarm_places = memory_new((n_groups + n_locations) * sizeof(uint32_t)),
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
    for (size_t i = 0; i < n_groups + n_locations; i++)
        scheduler->alarm_places[i] = NOWHERE;
    for (size_t i = 0; i < n_locations; i++) {
        assert(group_of[i] < n_groups);
        scheduler->processes[i].group = group_of[i];
        scheduler->groups[group_of[i]].n_processes++;
        scheduler->processes[i].end_ns = UINT64_MAX;
    }
    for (size_t i = 0; i < n_groups; i++) {
        struct group *group = &scheduler->groups[i];
        group->is_shared = group->n_processes > group->n_cores;
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
        free(scheduler->groups[i].working);
        if (scheduler->groups[i].slices)
            time_slices_release(scheduler->groups[i].slices);
        free(scheduler->groups[i].slices);
    }
    free(scheduler->sliced);
    free(scheduler->groups);
    free(scheduler->processes);
    free(scheduler->alarms);
    free(scheduler->alarm_places);
    free(scheduler);
}

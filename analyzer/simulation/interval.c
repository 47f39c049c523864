// SPDX-License-Identifier: BSD-3-Clause
// Between two MPI calls only the location itself is concerned: its enters and leaves are read at
// once, and their recorded times kept as one number a call path. When the simulated length T is
// known, path i of n gets floor(T * (w_1 + ... + w_i) / W) less what the paths before it got, w its
// recorded time times its scale and W their sum: exact sums, and with T = W exact parts.
#include "analyzer/simulation/interval.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/engine.h"
#include "analyzer/pag/window.h"
#include "analyzer/simulation/change/move.h"
#include "analyzer/simulation/change/overlap.h"
#include "analyzer/simulation/cost/recorded_costs.h"
#include "analyzer/simulation/simulation.h"

__extension__ typedef unsigned __int128 wide;

enum { PS_PER_NS = 1000 };

void interval_release(struct interval *interval)
{
    free(interval->parts);
    free(interval->part_of_path);
    free(interval->scales);
    visit_release(&interval->visit);
    *interval = (struct interval){0};
}

/// What the prediction makes of PATH.
static struct path_scale scale_of(const struct engine *engine,
                                  const struct location_state *location, struct interval *interval,
                                  uint32_t path)
{
    const struct profile *profile = &location->profile;
    const struct prediction *prediction = prediction_of(engine);
    if (!prediction->knows_paths)
        return (struct path_scale){.scale = PAG_WORK_PER_NS};
    while (interval->n_scales <= path) { // parents come before their children
        size_t next = interval->n_scales++;
        interval->scales = array_reserve(interval->scales, &interval->scale_capacity, next + 1,
                                         sizeof *interval->scales);
        struct path_scale *scale = &interval->scales[next];
        *scale = (struct path_scale){.scale = PAG_WORK_PER_NS};
        const struct path *of = &profile->paths[next];
        // Right behind the call that ends it: it belongs where that call does.
        if (next > 0)
            scale->mark = interval->scales[of->is_stretch ? next - 1 : of->parent].mark;
        scale->scale =
            prediction_scale(prediction, location->index, &scale->mark,
                             next > 0 ? of->region : NONE, next > 0 ? of->context : NONE);
        if (location->rank != NONE)
            scale->change = (struct pag_path_change){
                .moves = moves_of_path(&prediction->scenario->moves, scale->mark, location->rank),
                .overlaps = overlaps_has_path(&prediction->scenario->overlaps, scale->mark),
            };
    }
    return interval->scales[path];
}

struct pag_path_change interval_change(struct engine *engine, struct location_state *location,
                                       uint32_t path)
{
    struct interval *interval = &simulation_of(engine)->locations[location->index].interval;
    return scale_of(engine, location, interval, path).change;
}

uint64_t interval_mark(const struct engine *engine, const struct location_state *location,
                       struct interval *interval, uint32_t path)
{
    return scale_of(engine, location, interval, path).mark;
}

uint32_t interval_part_of(const struct engine *engine, struct location_state *location,
                          struct interval *interval, uint32_t path)
{
    if (path >= interval->n_part_of_path) {
        interval->part_of_path =
            array_reserve(interval->part_of_path, &interval->part_of_path_capacity, path + 1,
                          sizeof *interval->part_of_path);
        while (interval->n_part_of_path <= path)
            interval->part_of_path[interval->n_part_of_path++] = 0;
    }
    uint32_t place = interval->part_of_path[path];
    if (place < interval->n_parts && interval->parts[place].path == path)
        return place;
    place = interval->n_parts++;
    interval->part_of_path[path] = place;
    interval->parts = array_reserve(interval->parts, &interval->parts_capacity, place + 1,
                                    sizeof *interval->parts);
    const struct path_scale scale = scale_of(engine, location, interval, path);
    interval->parts[place] =
        (struct interval_part){.path = path, .scale = scale.scale, .moves = scale.change.moves};
    return place;
}

/// Whether it does not matter which paths time goes by at: only times are wanted, and no path is
/// named.
static bool is_pathless(const struct engine *engine)
{
    const struct prediction *prediction = prediction_of(engine);
    return engine->options.only_times && !prediction->knows_paths && !prediction->timeless;
}

/// PASSED_NS go by at PATH.
static void count(const struct engine *engine, struct location_state *location,
                  struct interval *interval, uint32_t path, uint64_t passed_ns)
{
    if (passed_ns == 0)
        return;
    uint32_t index = interval_part_of(engine, location, interval, path);
    struct interval_part *part = &interval->parts[index];
    if (interval->visit.kind == 0 || !visit_pass(interval, index, passed_ns))
        part->recorded_ns += passed_ns;
    interval->recorded_now_ns += passed_ns;
    if (engine->listener.weighed)
        engine->listener.weighed(engine->listener.context, location->index, passed_ns,
                                 visit_weight(&interval->visit, part->scale));
}

/// Counts the recorded time since the last enter or leave, up to RECORDED_NS, at PATH.
static void pass(const struct engine *engine, struct location_state *location,
                 struct interval *interval, uint32_t path, uint64_t recorded_ns)
{
    if (!prediction_of(engine)->timeless)
        count(engine, location, interval, path, recorded_ns - interval->recorded_now_ns);
}

/// Counts what the visit that begins with EVENT costs, where no recorded time counts.
static void pass_visit(const struct engine *engine, struct location_state *location,
                       struct interval *interval, const struct event *event)
{
    const struct prediction *prediction = prediction_of(engine);
    if (!prediction->timeless)
        return;
    uint64_t mark = interval_mark(engine, location, interval, location->profile.current);
    uint64_t ps =
        interval->left_ps + timeless_visit_ps(prediction->timeless, location->index, mark, event);
    interval->left_ps = ps % PS_PER_NS;
    count(engine, location, interval, location->profile.current, ps / PS_PER_NS);
}

/// Whether EVENT (NULL: none) begins or ends a team of threads.
static bool is_of_team(const struct event *event)
{
    return event && event->kind >= EVENT_THREAD_FORK && event->kind <= EVENT_THREAD_TEAM_END;
}

/// Whether computing ends with EVENT, the end of an interval (NULL: the location's).
static bool ends_computing(const struct engine *engine, const struct event *event)
{
    return !event || engine_is_message_record(event) ||
           (event->kind == EVENT_ENTER &&
            region_at(engine, event->index)->mpi != MPI_FUNCTION_NONE);
}

static pag_work work_of(const struct engine *engine, const struct location_state *location,
                        const struct event *end, struct interval *interval)
{
    const struct prediction *prediction = prediction_of(engine);
    wide scaled = 0;
    uint64_t process_ns =
        cpu_span_used_ns(&interval->cpu, interval->recorded_begin_ns, interval->recorded_now_ns);
    interval->recorded_ns = interval->recorded_now_ns - interval->recorded_begin_ns;
    if (prediction->calls && location->is_master && process_ns < interval->recorded_ns &&
        ends_computing(engine, end))
        process_ns = recorded_process_time(prediction, location->rank, interval->recorded_now_ns,
                                           interval->recorded_ns, process_ns);
    interval->process_ns = process_ns;
    interval->lost_ns = interval->recorded_ns - process_ns;
    if (!prediction->knows_paths)
        return (pag_work)process_ns * PAG_WORK_PER_NS;
    for (uint32_t i = 0; i < interval->n_parts; i++)
        scaled += (wide)interval->parts[i].recorded_ns * interval->parts[i].scale;
    return interval->recorded_ns ? (wide)process_ns * scaled / interval->recorded_ns : 0;
}

/// Takes work out that another rank does, and adds what this one does for others.
static pag_work exchange(struct engine *engine, struct location_state *location,
                         struct interval *interval, pag_work work)
{
    interval->arrived_work =
        migration_arrived(engine, location, &interval->arrived_path, &interval->n_arrived);
    interval->own_work = work - migration_cut(engine, location, interval, work);
    return interval->own_work + interval->arrived_work;
}

/// Whether EVENT ends an interval: an MPI call, a bare record of one, an event of a team.
static bool is_end(const struct engine *engine, const struct location_state *location,
                   const struct event *event)
{
    if (location->rank == NONE)
        return false;
    if (event->kind == EVENT_ENTER)
        return region_at(engine, event->index)->mpi != MPI_FUNCTION_NONE;
    if (simulation_of(engine)->overlap && overlap_ends_at(engine, location, event))
        return true;
    return engine_is_message_record(event) || is_of_team(event);
}

static void enter(const struct engine *engine, struct location_state *location,
                  struct interval *interval, const struct event *event)
{
    profile_enter(location, event->index, location->profile.last_ns);
    if (visit_has_any(engine))
        visit_begin(engine, location, interval, location->profile.current);
    pass_visit(engine, location, interval, event);
}

/// The next event that is more than the enter or leave of a region outside MPI.
static const struct event *skip_regions(struct engine *engine, struct location_state *location,
                                        struct interval *interval)
{
    const struct event *event;
    while ((event = trace_peek(engine->trace, location->index, location->cursor, 0))) {
        if (event->kind > EVENT_LEAVE || is_end(engine, location, event))
            break;
        interval->recorded_now_ns = event->time_ns;
        location->cursor->position++;
        interval->n_events++;
    }
    return event;
}

const struct event *interval_read(struct engine *engine, struct location_state *location,
                                  struct interval *interval, uint64_t begin_ns,
                                  uint64_t recorded_ns, pag_work *work)
{
    struct profile *profile = &location->profile;
    interval->begin_ns = begin_ns;
    interval->recorded_begin_ns = interval->recorded_now_ns = recorded_ns;
    interval->n_parts = 0;
    interval->n_events = 0;
    cpu_span_begin(&interval->cpu);
    interval->has_set_work = false;
    *work = 0;
    bool has_visits = visit_has_any(engine);
    if (has_visits) {
        visit_end_if_left(engine, location, interval, work);
        visit_begin(engine, location, interval, profile->current);
    }
    const struct event *event;
    uint64_t seen_ns = recorded_ns;
    bool has_paths = !is_pathless(engine);
    while ((event = has_paths ? trace_peek(engine->trace, location->index, location->cursor, 0)
                              : skip_regions(engine, location, interval))) {
        seen_ns = event->time_ns;
        if (is_end(engine, location, event))
            break;
        if (event->kind <= EVENT_LEAVE || event->kind == EVENT_MEASUREMENT_OFF ||
            event->kind == EVENT_MEASUREMENT_ON)
            pass(engine, location, interval, profile->current, seen_ns);
        if (event->kind == EVENT_ENTER) {
            enter(engine, location, interval, event);
        } else if (event->kind == EVENT_LEAVE) {
            gap_leave(engine, location, event->index, profile->last_ns);
            if (interval->visit.kind != 0)
                visit_end_if_left(engine, location, interval, work);
        } else if (event->kind == EVENT_MEASUREMENT_OFF || event->kind == EVENT_MEASUREMENT_ON)
            gap_event(engine, location, event, profile->last_ns);
        else if (event->kind == EVENT_CPU_TIME && !prediction_of(engine)->counts_wall_time)
            cpu_span_sample(&interval->cpu, seen_ns, event->size_bytes);
        location->cursor->position++;
        interval->n_events++;
    }
    if (interval->recorded_now_ns > seen_ns)
        seen_ns = interval->recorded_now_ns;
    uint32_t last_path = profile->current;
    if (has_paths && event && event->kind == EVENT_ENTER)
        last_path =
            profile_before_call(engine->definitions, location, event->index, event->context);
    bool is_stretch_visited = has_visits && !interval->is_stretch_over &&
                              visit_begin(engine, location, interval, last_path);
    interval->is_stretch_over = interval->is_stretch_over || is_stretch_visited;
    pass(engine, location, interval, last_path, seen_ns);
    if (has_visits && (!event || is_stretch_visited))
        visit_end(engine, location, interval, work);
    *work += work_of(engine, location, event, interval);
    if (has_visits)
        visit_close_interval(engine, location, interval, interval->process_ns,
                             interval->recorded_ns, work);
    if (!simulation_of(engine)->migration || location->rank == NONE)
        return event;
    *work = exchange(engine, location, interval, *work);
    return trace_peek(engine->trace, location->index, location->cursor, 0); // it has looked ahead
}

/// Gives NS to PATH without moving the location's time.
static void give(struct location_state *location, uint32_t path_index, uint64_t ns)
{
    struct path *path = &location->profile.paths[path_index];
    if (path->epoch != location->head.epoch)
        profile_touch(location, path, path_index);
    path->exclusive_ns += ns;
}

/// The part of LENGTH_NS in which LOCATION worked for others.
static uint64_t give_arrived(struct location_state *location, struct interval *interval,
                             uint64_t length_ns)
{
    pag_work total = interval->own_work + interval->arrived_work;
    uint64_t ns = (uint64_t)(length_ns * interval->arrived_work / total);
    give(location, interval->arrived_path, ns);
    location->profile.paths[interval->arrived_path].visits += interval->n_arrived;
    return ns;
}

pag_work interval_part_work(const struct interval *interval, const struct interval_part *part)
{
    wide scaled = (wide)part->recorded_ns * part->scale;
    if (interval->recorded_ns == 0)
        return part->work;
    return scaled * interval->process_ns / interval->recorded_ns + part->work;
}

/// What PART had of the interval's work, up to a factor all parts share.
static wide weight(const struct interval *interval, const struct interval_part *part,
                   bool is_scaled)
{
    if (!is_scaled)
        return part->recorded_ns;
    if (!interval->has_set_work)
        return (wide)part->recorded_ns * part->scale;
    return interval_part_work(interval, part);
}

/// LENGTH * SUM / TOTAL, cut off; mostly without a division of 128 bits.
static uint64_t share(uint64_t length_ns, wide sum, wide total)
{
    if (sum == total)
        return length_ns;
    if (length_ns >> 32 == 0 && total >> 32 == 0)
        return length_ns * (uint64_t)sum / (uint64_t)total;
    return (uint64_t)(length_ns * sum / total);
}

void interval_close(const struct engine *engine, struct location_state *location,
                    struct interval *interval, uint64_t end_ns)
{
    bool is_scaled = prediction_of(engine)->knows_paths;
    uint64_t length_ns = end_ns - interval->begin_ns;
    location->profile.last_ns = end_ns;
    if (engine->options.only_times)
        return;
    if (interval->arrived_work > 0)
        length_ns -= give_arrived(location, interval, length_ns);
    if (length_ns == 0)
        return;
    wide total = 0, sum = 0;
    for (uint32_t i = 0; i < interval->n_parts; i++)
        if (!interval->parts[i].is_moved)
            total += weight(interval, &interval->parts[i], is_scaled);
    if (total == 0) {
        // no recorded time to go by, or none that counts
        give(location, location->profile.current, length_ns);
        return;
    }
    uint64_t given_ns = 0;
    for (uint32_t i = 0; i < interval->n_parts; i++) {
        if (interval->parts[i].is_moved)
            continue;
        sum += weight(interval, &interval->parts[i], is_scaled);
        uint64_t up_to_ns = share(length_ns, sum, total);
        give(location, interval->parts[i].path, up_to_ns - given_ns);
        given_ns = up_to_ns;
    }
}

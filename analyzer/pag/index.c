// SPDX-License-Identifier: BSD-3-Clause
// See index.h.
#include "analyzer/pag/index.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/location/excerpt.h"
#include "analyzer/pag/snapshot.h"
#include "analyzer/pag/state.h"

enum { LEAST_POINTS = 4 }; // larger ones are left out

struct pag_index *pag_index_new(const struct pag_index_settings *settings)
{
    struct pag_index *index = memory_zeroed(1, sizeof *index);
    index->settings = *settings;
    index->next_events = settings->events_between;
    return index;
}

static void point_release(struct pag_index_point *point)
{
    numbers_release(&point->places);
    numbers_release(&point->state);
}

void pag_index_free(struct pag_index *index)
{
    if (!index)
        return;
    for (size_t i = 0; i < index->n_points; i++)
        point_release(&index->points[i]);
    free(index->points);
    numbers_release(&index->reports);
    free(index->file.bytes);
    pag_result_release(&index->run);
    free(index);
}

// --- written and read

static void pass_counts(struct pag_result *run, struct numbers *numbers)
{
    uint64_t *const counts[] = {
        &run->time_ns,
        &run->n_events,
        &run->n_messages,
        &run->n_collectives,
        &run->n_clock_violations,
        &run->max_clock_violation_ns,
        &run->n_unmatched_sends,
        &run->n_unmatched_receives,
        &run->n_ambiguous_receives,
        &run->n_incomplete_collectives,
        &run->n_unbalanced,
        &run->n_lost_calls,
        &run->n_outside,
        &run->n_missing_init,
        &run->n_missing_finalize,
        &run->n_without_finalize,
        &run->off_ns,
        &run->n_off,
        &run->max_lineage_nodes,
        &run->max_messages,
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        *counts[i] = numbers_pass(numbers, *counts[i]);
    run->has_cpu_time = numbers_pass(numbers, run->has_cpu_time);
}

/// A path comes after its parent, and a call with a place before its stretch.
static void pass_path(struct call_path *path, size_t index, size_t n_paths, struct numbers *numbers)
{
    path->region = numbers_pass_any_index(numbers, path->region, UINT32_MAX);
    path->context = numbers_pass_any_index(numbers, path->context, UINT32_MAX);
    path->is_stretch = numbers_pass(numbers, path->is_stretch);
    path->since = numbers_pass_any_index(numbers, path->since, n_paths);
    if (index > 0)
        path->parent = numbers_pass_index(numbers, path->parent, index);
    else if (numbers->is_reading)
        path->parent = NONE;
    numbers->is_damaged |= path->context != NONE && index + 1 == n_paths;
}

static void pass_location(struct pag_location *location, struct numbers *numbers)
{
    NUMBERS_PASS(numbers, location->first_ns, location->last_ns);
    location->n_paths = numbers_pass_count(numbers, location->n_paths);
    if (numbers->is_reading)
        location->paths = memory_zeroed(location->n_paths, sizeof *location->paths);
    for (size_t i = 0; i < location->n_paths; i++)
        pass_path(&location->paths[i], i, location->n_paths, numbers);
    numbers->is_damaged |= location->n_paths == 0;
}

static void pass_point(struct pag_index_point *point, struct numbers *numbers)
{
    point->n_events = numbers_pass(numbers, point->n_events);
    for (unsigned scope = 0; scope < 2; scope++)
        point->limits[scope] = numbers_pass(numbers, point->limits[scope]);
    point->n_held = numbers_pass(numbers, point->n_held);
    numbers_pass_row(numbers, &point->places);
    numbers_pass_row(numbers, &point->state);
}

void pag_index_pass(struct pag_index *index, size_t n_locations, struct numbers *numbers)
{
    struct pag_result *run = &index->run;
    pass_counts(run, numbers);
    for (unsigned scope = 0; scope < 2; scope++)
        index->limits[scope] = numbers_pass(numbers, index->limits[scope]);
    index->has_told = numbers_pass(numbers, index->has_told);
    if (numbers->is_reading) {
        run->n_locations = n_locations;
        run->locations = memory_zeroed(n_locations, sizeof *run->locations);
    }
    for (size_t i = 0; i < n_locations && !numbers->is_damaged; i++)
        pass_location(&run->locations[i], numbers);
    numbers_pass_row(numbers, &index->reports);
    size_t n_points = numbers_pass_count(numbers, index->n_points);
    if (numbers->is_reading)
        index->points = memory_zeroed(n_points, sizeof *index->points);
    index->n_points = n_points;
    for (size_t i = 0; i < n_points && !numbers->is_damaged; i++)
        pass_point(&index->points[i], numbers);
    index->is_complete = !numbers->is_damaged;
}

// --- making one

/// The time LOCATION has come to.
static uint64_t time_of(const struct location_state *location)
{
    return profile_end_ns(&location->profile);
}

static void pass_place(struct trace_place *place, uint64_t *time_ns, struct numbers *numbers)
{
    *time_ns = numbers_pass(numbers, *time_ns);
    trace_place_pass(place, numbers);
}

static uint64_t count_events(const struct engine *engine)
{
    uint64_t n = 0;
    for (size_t i = 0; i < engine->n_locations; i++)
        n += trace_place(engine->trace, i).event;
    return n;
}

/// Takes every second point away.
static void thin_out(struct pag_index *index)
{
    size_t n_kept = 0;
    index->n_bytes = 0;
    for (size_t i = 0; i < index->n_points; i++) {
        struct pag_index_point *point = &index->points[i];
        if (i % 2 == 0) {
            point_release(point);
            continue;
        }
        index->n_bytes += point->places.n + point->state.n;
        index->points[n_kept++] = *point;
    }
    index->n_points = n_kept;
    index->settings.events_between *= 2;
}

static void add_point(struct engine *engine, uint64_t n_events)
{
    struct pag_index *index = engine->options.index;
    struct pag_index_point point = {.n_events = n_events,
                                    .limits = {engine->eager.limits[0], engine->eager.limits[1]},
                                    .n_held = engine->eager.n_waits};
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct trace_place place = trace_place(engine->trace, i);
        uint64_t time_ns = time_of(&engine->locations[i]);
        pass_place(&place, &time_ns, &point.places);
    }
    snapshot_pass(engine, NULL, &point.state);
    index->next_events = n_events + index->settings.events_between;
    size_t n_bytes = point.places.n + point.state.n;
    size_t max_bytes =
        index->settings.max_bytes + index->settings.location_bytes * engine->n_locations;
    if (point.state.is_damaged || n_bytes > max_bytes / LEAST_POINTS) {
        point_release(&point);
        return;
    }
    *ARRAY_NEXT(index->points, index->n_points, index->capacity) = point;
    index->n_bytes += n_bytes;
    while (index->n_points > index->settings.max_points || index->n_bytes > max_bytes)
        thin_out(index);
}

/// Whether all locations were read without any damage.
static bool is_sound(const struct engine *engine)
{
    for (size_t i = 0; i < engine->n_locations; i++)
        if (trace_location_report(engine->trace, i)->reason)
            return false;
    return true;
}

static struct numbers to_read(const struct numbers *numbers)
{
    return numbers_of(numbers->bytes, numbers->n);
}

static void copy_counts(struct pag_result *from, struct pag_result *to)
{
    SCOPED_BY(numbers_release) struct numbers written = {0};
    pass_counts(from, &written);
    struct numbers read = to_read(&written);
    pass_counts(to, &read);
}

static struct pag_location copy_location(const struct pag_location *from)
{
    struct pag_location copy = *from;
    copy.paths = memory_new(from->n_paths * sizeof *copy.paths);
    memcpy(copy.paths, from->paths, from->n_paths * sizeof *copy.paths);
    return copy;
}

static void keep_run(struct engine *engine)
{
    struct pag_index *index = engine->options.index;
    struct pag_result *run = &index->run;
    copy_counts(engine->result, run);
    run->n_locations = engine->n_locations;
    run->locations = memory_new(run->n_locations * sizeof *run->locations);
    for (size_t i = 0; i < run->n_locations; i++) {
        run->locations[i] = copy_location(&engine->result->locations[i]);
        trace_report_pass(engine->trace, i, &index->reports);
    }
    index->is_complete = true;
}

// --- using one

static bool has_part(const struct pag_options *options, size_t location, struct pag_part *hull)
{
    *hull = (struct pag_part){UINT64_MAX, 0};
    for (size_t k = 0; k < options->n_parts; k++) {
        const struct pag_part *part = &options->parts[k][location];
        if (part->begin_ns >= part->end_ns)
            continue;
        hull->begin_ns = part->begin_ns < hull->begin_ns ? part->begin_ns : hull->begin_ns;
        hull->end_ns = part->end_ns > hull->end_ns ? part->end_ns : hull->end_ns;
    }
    return hull->begin_ns < hull->end_ns;
}

/// Whether no location has come beyond the begin of its parts at POINT.
static bool is_before(const struct pag_index_point *point, const struct pag_options *options,
                      size_t n_locations)
{
    struct numbers places = to_read(&point->places);
    for (size_t i = 0; i < n_locations; i++) {
        struct trace_place place = {0};
        struct pag_part hull;
        uint64_t time_ns = 0;
        pass_place(&place, &time_ns, &places);
        if (has_part(options, i, &hull) && time_ns > hull.begin_ns)
            return false;
    }
    return true;
}

/// Whether the waits held back at POINT are as many as with the limits that hold from the start.
static bool has_final_limits(const struct pag_index *index, const struct pag_index_point *point)
{
    return !index->has_told ||
           (point->limits[0] == index->limits[0] && point->limits[1] == index->limits[1]);
}

static const struct pag_index_point *
last_before(const struct pag_index *index, const struct pag_options *options, size_t n_locations)
{
    size_t n_before = 0, n_all = index->n_points;
    while (n_before < n_all) { // those before are the first ones
        size_t middle = n_before + (n_all - n_before) / 2;
        if (is_before(&index->points[middle], options, n_locations))
            n_before = middle + 1;
        else
            n_all = middle;
    }
    if (n_before == 0 || !has_final_limits(index, &index->points[n_before - 1]))
        return NULL;
    return &index->points[n_before - 1];
}

const struct pag_index_point *index_begin(struct pag_index *index, struct trace *trace,
                                          const struct pag_options *options)
{
    size_t n_locations = trace_definitions(trace)->n_locations;
    if (!index->is_complete) {
        index->is_none = !trace_keep_places(trace);
        return NULL;
    }
    index->end_ns = 0;
    for (size_t i = 0; i < n_locations; i++) {
        struct pag_part hull;
        if (has_part(options, i, &hull) && hull.end_ns > index->end_ns)
            index->end_ns = hull.end_ns;
    }
    const struct pag_index_point *point = last_before(index, options, n_locations);
    if (!point)
        return NULL;
    struct numbers places = to_read(&point->places);
    for (size_t i = 0; i < n_locations && !index->is_damaged; i++) {
        struct trace_place place = {0};
        uint64_t time_ns = 0;
        pass_place(&place, &time_ns, &places);
        trace_go_to(trace, i, &place);
        index->is_damaged = places.is_damaged || trace_location_report(trace, i)->reason;
    }
    return point;
}

/// N waits that count for nothing, so that later ones are reported when they would be.
static void hold_back(struct eager *eager, uint64_t n)
{
    if (n == 0)
        return;
    eager->waits = array_reserve(eager->waits, &eager->capacity, n, sizeof *eager->waits);
    for (uint64_t i = 0; i < n; i++)
        eager->waits[i] = (struct eager_wait){.trigger.kind = TRIGGER_SEND,
                                              .least_limits = {UINT64_MAX, UINT64_MAX}};
    eager->n_waits = n;
}

bool index_resume(struct engine *engine, const struct pag_index_point *point)
{
    struct pag_index *index = engine->options.index;
    engine->eager.limits[0] = index->limits[0];
    engine->eager.limits[1] = index->limits[1];
    if (!point)
        return true;
    struct numbers state = to_read(&point->state);
    snapshot_pass(engine, index->run.locations, &state);
    index->is_damaged |= state.is_damaged || state.at < state.n;
    if (index->has_told && !index->is_damaged)
        hold_back(&engine->eager, point->n_held);
    return !index->is_damaged;
}

/// Whether what LOCATION does up to UNTIL_NS is settled: nothing it does later can change it.
static bool has_settled(const struct location_state *location, uint64_t until_ns)
{
    if (location->has_ended)
        return true;
    if (location->next_ns <= until_ns || !excerpt_is_settled(location->profile.excerpt, until_ns))
        return false;
    if (location->call.is_open && location->call.enter_ns < until_ns)
        return false;
    return !location->is_master || location->profile.without_cpu.begin_ns >= until_ns;
}

static bool overlaps(const struct pag_options *options, uint32_t location, uint64_t enter_ns,
                     uint64_t leave_ns)
{
    struct pag_part hull;
    return has_part(options, location, &hull) && enter_ns < hull.end_ns && leave_ns > hull.begin_ns;
}

/// Whether a member of an open operation waited in the parts, which is reported when all have left.
static bool awaits_members(const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->collectives.n_used; i++) {
        const struct collective *instance = collective_instance(engine, i);
        for (uint32_t m = 0; instance->members && m < instance->n_members; m++) {
            const struct member *member = &instance->members[m];
            if (member->has_left &&
                overlaps(&engine->options, member->location, member->enter_ns, member->leave_ns))
                return true;
        }
    }
    return false;
}

/// Whether the receive of a message sent in the parts is not known yet.
static bool awaits_receives(const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->mailboxes.n_used; i++) {
        const struct mailbox *mailbox = pool_at(&engine->mailboxes, i);
        for (uint32_t j = mailbox->first_message; j != NONE; j = message_at(engine, j)->next) {
            uint32_t index = message_at(engine, j)->send_wait;
            if (index == NONE)
                continue;
            const struct send_wait *wait = pool_at(&engine->send_waits, index);
            const struct trigger *trigger = &wait->wait.trigger;
            if (overlaps(&engine->options, trigger->location,
                         (uint64_t)trigger->value[TRIGGER_SEND_ENTER],
                         (uint64_t)trigger->value[TRIGGER_SEND_LEAVE]))
                return true;
        }
    }
    return false;
}

static bool is_over(const struct engine *engine)
{
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct pag_part hull;
        if (has_part(&engine->options, i, &hull) &&
            !has_settled(&engine->locations[i], hull.end_ns))
            return false;
    }
    return !awaits_members(engine) && !awaits_receives(engine);
}

bool index_turn(struct engine *engine, uint64_t next_ns)
{
    struct pag_index *index = engine->options.index;
    if (index->is_complete)
        return next_ns <= index->end_ns || !is_over(engine);
    if (index->is_none)
        return true;
    uint64_t n_events = count_events(engine);
    if (n_events >= index->next_events)
        add_point(engine, n_events);
    return true;
}

void index_stop(struct engine *engine)
{
    struct pag_index *index = engine->options.index;
    if (index->is_complete)
        return;
    const struct eager *eager = &engine->eager;
    index->limits[0] = eager->limits[0];
    index->limits[1] = eager->limits[1];
    index->has_told = eager->has_told;
    index->is_none |= eager->told_wrongly;
}

static void take_run(struct engine *engine)
{
    struct pag_result *run = &engine->options.index->run, *result = engine->result;
    struct numbers reports = to_read(&engine->options.index->reports);
    copy_counts(run, result);
    for (size_t i = 0; i < run->n_locations; i++) {
        const struct pag_location *from = &run->locations[i];
        struct location_state *state = &engine->locations[i];
        free(result->locations[i].paths);
        result->locations[i] = copy_location(from);
        state->has_ended = true;
        state->first_ns = from->first_ns;
        state->profile.last_ns = from->last_ns;
        trace_report_pass(engine->trace, i, &reports);
    }
    engine->options.index->is_damaged |= reports.is_damaged;
}

void index_conclude(struct engine *engine)
{
    struct pag_index *index = engine->options.index;
    if (index->is_complete)
        take_run(engine);
    else if (!index->is_none && is_sound(engine))
        keep_run(engine);
    else
        index->is_none = true;
}

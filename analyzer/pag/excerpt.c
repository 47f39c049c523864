// SPDX-License-Identifier: BSD-3-Clause
// See excerpt.h. The time since the last event belongs to the current path, up to a mark as well.
// A visit counts where it ends, the very end of a part included, its begin not.
#include "analyzer/pag/excerpt.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/engine.h"

static int by_time(const void *a, const void *b, void *context)
{
    const struct excerpt_mark *marks = context;
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    if (marks[left].time_ns != marks[right].time_ns)
        return marks[left].time_ns < marks[right].time_ns ? -1 : 1;
    return left < right ? -1 : left > right;
}

void excerpt_init(struct engine *engine)
{
    size_t n_parts = engine->options.n_parts;
    engine->excerpts = memory_zeroed(engine->n_locations + 1, sizeof *engine->excerpts);
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct excerpt *excerpt = &engine->excerpts[i];
        excerpt->marks = memory_zeroed(2 * n_parts, sizeof *excerpt->marks);
        excerpt->order = memory_new(2 * n_parts * sizeof *excerpt->order);
        for (size_t k = 0; k < n_parts; k++) {
            excerpt->marks[2 * k].time_ns = engine->options.parts[k][i].begin_ns;
            excerpt->marks[2 * k + 1].time_ns = engine->options.parts[k][i].end_ns;
        }
        for (size_t j = 0; j < 2 * n_parts; j++)
            excerpt->order[j] = (uint32_t)j;
        qsort_r(excerpt->order, 2 * n_parts, sizeof *excerpt->order, by_time, excerpt->marks);
    }
}

static struct excerpt_mark *mark_at(const struct excerpt *excerpt, size_t place)
{
    return &excerpt->marks[excerpt->order[place]];
}

static void keep(struct excerpt_mark *mark, const struct location_state *location)
{
    const struct profile *profile = &location->profile;
    mark->n_paths = profile->n_paths;
    mark->exclusive_ns = memory_new(profile->n_paths * sizeof *mark->exclusive_ns);
    mark->visits = memory_new(profile->n_paths * sizeof *mark->visits);
    for (size_t i = 0; i < profile->n_paths; i++) {
        mark->exclusive_ns[i] = profile->paths[i].exclusive_ns;
        mark->visits[i] = profile->paths[i].visits;
    }
    if (location->has_begun && !location->has_ended && mark->time_ns > profile->last_ns) {
        mark->open_ns = mark->time_ns - profile->last_ns;
        mark->open_since_ns = profile->last_ns;
        mark->open_path = profile->current;
        mark->exclusive_ns[profile->current] += mark->open_ns;
    }
}

static void grow(struct excerpt_mark *mark, size_t n_paths)
{
    mark->exclusive_ns = memory_resize(mark->exclusive_ns, n_paths, sizeof *mark->exclusive_ns);
    mark->visits = memory_resize(mark->visits, n_paths, sizeof *mark->visits);
    for (; mark->n_paths < n_paths; mark->n_paths++)
        mark->exclusive_ns[mark->n_paths] = mark->visits[mark->n_paths] = 0;
}

/// Once the time over the mark is accounted: where it went to a stretch, that up to the mark did.
static void settle(struct excerpt_mark *mark, const struct profile *profile)
{
    uint64_t open_ns = mark->open_ns;
    if (open_ns == 0 || profile->last_ns == mark->open_since_ns)
        return;
    mark->open_ns = 0;
    for (size_t i = 0; i < profile->n_paths; i++) {
        const struct path *path = &profile->paths[i];
        if (!path->is_stretch || path->parent != mark->open_path ||
            path->exclusive_ns == (i < mark->n_paths ? mark->exclusive_ns[i] : 0))
            continue;
        if (i >= mark->n_paths)
            grow(mark, i + 1);
        mark->exclusive_ns[mark->open_path] -= open_ns;
        mark->exclusive_ns[i] += open_ns;
        return;
    }
}

void excerpt_settle(struct engine *engine, struct location_state *location)
{
    struct excerpt *excerpt = &engine->excerpts[location->index];
    for (size_t i = excerpt->n_settled; i < excerpt->n_kept; i++)
        settle(mark_at(excerpt, i), &location->profile);
    while (excerpt->n_settled < excerpt->n_kept &&
           mark_at(excerpt, excerpt->n_settled)->open_ns == 0)
        excerpt->n_settled++;
}

void excerpt_move(struct engine *engine, const struct location_state *location,
                  const struct cpu_segment *segment, uint32_t to)
{
    struct excerpt *excerpt = &engine->excerpts[location->index];
    for (size_t i = excerpt->n_kept; i-- > 0;) {
        struct excerpt_mark *mark = mark_at(excerpt, i);
        if (mark->time_ns <= segment->begin_ns)
            break;
        uint64_t lost_ns = cpu_segment_lost_before(segment, mark->time_ns);
        if (lost_ns == 0 || segment->path >= mark->n_paths)
            continue;
        if (to >= mark->n_paths)
            grow(mark, to + 1);
        mark->exclusive_ns[segment->path] -= lost_ns;
        mark->exclusive_ns[to] += lost_ns;
    }
}

void excerpt_reach(struct engine *engine, struct location_state *location, uint64_t next_ns)
{
    struct excerpt *excerpt = &engine->excerpts[location->index];
    if (excerpt->n_settled < excerpt->n_kept)
        excerpt_settle(engine, location);
    for (; excerpt->n_kept < 2 * engine->options.n_parts &&
           mark_at(excerpt, excerpt->n_kept)->time_ns < next_ns;
         excerpt->n_kept++)
        keep(mark_at(excerpt, excerpt->n_kept), location);
}

static uint64_t at(const uint64_t *values, const struct excerpt_mark *mark, size_t path)
{
    return path < mark->n_paths ? values[path] : 0;
}

/// The exclusive times and visits of one location's paths; those of stretches also belong to the
/// paths they are in.
static void apply_to(struct call_path *paths, size_t n_paths, const struct excerpt_mark *begin,
                     const struct excerpt_mark *end)
{
    for (size_t i = 0; i < n_paths; i++) {
        paths[i].exclusive_ns = at(end->exclusive_ns, end, i) - at(begin->exclusive_ns, begin, i);
        paths[i].visits = at(end->visits, end, i) - at(begin->visits, begin, i);
        if (paths[i].is_stretch) // its parent is before it
            paths[paths[i].parent].exclusive_ns += paths[i].exclusive_ns;
    }
}

/// Time outside and inside of MPI calls, with and without CPU time, from the profile of a rank's
/// master.
static struct pag_rank_time judge_rank(const struct engine *engine,
                                       const struct pag_location *location)
{
    bool *is_mpi = memory_zeroed(location->n_paths + 1, sizeof *is_mpi);
    struct pag_rank_time time = {0};
    for (size_t i = 0; i < location->n_paths; i++) {
        const struct call_path *path = &location->paths[i];
        if (path->is_stretch)
            continue;
        is_mpi[i] = (i > 0 && is_mpi[path->parent]) ||
                    (path->region != EVENT_NO_INDEX &&
                     region_at(engine, path->region)->mpi != MPI_FUNCTION_NONE);
        bool has_cpu = path->region != engine->definitions->no_cpu_region;
        if (is_mpi[i]) {
            time.mpi_ns += path->exclusive_ns;
            time.no_cpu_mpi_ns += has_cpu ? 0 : path->exclusive_ns;
        } else if (!has_cpu) {
            time.no_cpu_ns += path->exclusive_ns;
        } else if (path->region != engine->definitions->gap_region) {
            time.useful_ns += path->exclusive_ns;
        }
    }
    free(is_mpi);
    return time;
}

/// What is left of the part within [first, last]; an empty one stays where it is.
static void cut(struct pag_part *part, uint64_t first_ns, uint64_t last_ns)
{
    part->begin_ns = part->begin_ns < first_ns ? first_ns : part->begin_ns;
    part->end_ns = part->end_ns > last_ns ? last_ns : part->end_ns;
    if (part->end_ns < part->begin_ns)
        part->end_ns = part->begin_ns;
}

static void apply_to_run(struct engine *engine, const struct pag_part *parts, uint64_t time_ns)
{
    struct pag_result *result = engine->result;
    struct pag_part run = {UINT64_MAX, 0};
    for (size_t i = 0; i < engine->n_locations; i++) {
        const struct pag_part *part = &parts[i];
        if (part->begin_ns >= part->end_ns)
            continue;
        run.begin_ns = part->begin_ns < run.begin_ns ? part->begin_ns : run.begin_ns;
        run.end_ns = part->end_ns > run.end_ns ? part->end_ns : run.end_ns;
    }
    run.end_ns = run.end_ns < time_ns ? run.end_ns : time_ns;
    result->part_begin_ns = run.begin_ns < run.end_ns ? run.begin_ns : run.end_ns;
    result->time_ns = run.end_ns - result->part_begin_ns;
    result->window_begin_ns = 0;
    result->window_end_ns = result->time_ns;
    result->n_traffic = result->n_message_kinds = result->n_critical_path = 0;
    for (size_t i = 0; i < engine->definitions->n_communicators; i++)
        result->collectives[i] = 0;
    result->clock_repair_ns = 0;
    for (int kind = 0; kind < PAG_WAIT_KINDS; kind++)
        result->explanations[kind].explained_ns = result->explanations[kind].n_causes = 0;
}

/// Makes the result that of a part; TIME_NS is that of the run.
static void apply(struct engine *engine, size_t k, uint64_t time_ns)
{
    const struct pag_part *parts = engine->options.parts[k];
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct pag_location *location = &engine->result->locations[i];
        const struct location_state *state = &engine->locations[i];
        const struct excerpt_mark *marks = &engine->excerpts[i].marks[2 * k];
        struct pag_part part = parts[i];
        apply_to(location->paths, location->n_paths, &marks[0], &marks[1]);
        outcome_sum_inclusive(location);
        cut(&part, state->first_ns, state->profile.last_ns);
        location->first_ns = part.begin_ns;
        location->last_ns = part.end_ns;
        if (state->is_master)
            engine->result->rank_times[state->rank] = judge_rank(engine, location);
    }
    apply_to_run(engine, parts, time_ns);
}

void excerpt_apply(struct engine *engine)
{
    uint64_t time_ns = engine->result->time_ns;
    for (size_t i = 0; i < engine->n_locations; i++)
        excerpt_reach(engine, &engine->locations[i], UINT64_MAX);
    for (size_t k = 0; k < engine->options.n_parts; k++) {
        apply(engine, k, time_ns);
        if (engine->listener.part)
            engine->listener.part(engine->listener.context, k, engine->result);
    }
}

void excerpt_release(struct engine *engine)
{
    for (size_t i = 0; engine->excerpts && i < engine->n_locations; i++) {
        for (size_t j = 0; j < 2 * engine->options.n_parts; j++) {
            free(engine->excerpts[i].marks[j].exclusive_ns);
            free(engine->excerpts[i].marks[j].visits);
        }
        free(engine->excerpts[i].marks);
        free(engine->excerpts[i].order);
    }
    free(engine->excerpts);
}

size_t pag_part_bytes(const struct pag_result *result)
{
    size_t bytes = 0;
    for (size_t i = 0; i < result->n_locations; i++)
        bytes += 2 * (sizeof(struct excerpt_mark) + sizeof(uint32_t) +
                      result->locations[i].n_paths * 2 * sizeof(uint64_t));
    return bytes;
}

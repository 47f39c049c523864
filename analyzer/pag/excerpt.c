// SPDX-License-Identifier: BSD-3-Clause
// See excerpt.h. The time since the last event belongs to the current path, up to a mark as well.
#include "analyzer/pag/excerpt.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/engine.h"

static void keep(struct excerpt *excerpt, const struct location_state *location, uint64_t mark_ns)
{
    const struct profile *profile = &location->profile;
    struct excerpt_profile *mark = &excerpt->marks[excerpt->n_marks++];
    mark->n_paths = profile->n_paths;
    mark->exclusive_ns = memory_new(profile->n_paths * sizeof *mark->exclusive_ns);
    mark->visits = memory_new(profile->n_paths * sizeof *mark->visits);
    for (size_t i = 0; i < profile->n_paths; i++) {
        mark->exclusive_ns[i] = profile->paths[i].exclusive_ns;
        mark->visits[i] = profile->paths[i].visits;
    }
    if (location->has_begun && !location->has_ended && mark_ns > profile->last_ns)
        mark->exclusive_ns[profile->current] += mark_ns - profile->last_ns;
}

void excerpt_reach(struct engine *engine, struct location_state *location, uint64_t next_ns)
{
    const uint64_t marks_ns[N_EXCERPT_MARKS] = {engine->options.begin_ns, engine->options.end_ns};
    struct excerpt *excerpt = &engine->excerpts[location->index];
    while (excerpt->n_marks < N_EXCERPT_MARKS && marks_ns[excerpt->n_marks] < next_ns)
        keep(excerpt, location, marks_ns[excerpt->n_marks]);
}

static uint64_t at(const uint64_t *values, const struct excerpt_profile *mark, size_t path)
{
    return path < mark->n_paths ? values[path] : 0;
}

/// The exclusive times and visits of one location's paths; those of stretches also belong to the
/// paths they are in.
static void apply_to(struct call_path *paths, size_t n_paths, const struct excerpt *excerpt)
{
    const struct excerpt_profile *begin = &excerpt->marks[0], *end = &excerpt->marks[1];
    for (size_t i = 0; i < n_paths; i++) {
        paths[i].exclusive_ns = at(end->exclusive_ns, end, i) - at(begin->exclusive_ns, begin, i);
        paths[i].visits = at(end->visits, end, i) - at(begin->visits, begin, i);
        if (paths[i].is_stretch) // its parent is before it
            paths[paths[i].parent].exclusive_ns += paths[i].exclusive_ns;
    }
}

void excerpt_apply(struct engine *engine)
{
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct pag_location *location = &engine->result->locations[i];
        excerpt_reach(engine, &engine->locations[i], UINT64_MAX);
        apply_to(location->paths, location->n_paths, &engine->excerpts[i]);
        outcome_sum_inclusive(location);
    }
    uint64_t begin_ns = engine->options.begin_ns, end_ns = engine->result->time_ns;
    end_ns = engine->options.end_ns < end_ns ? engine->options.end_ns : end_ns;
    engine->result->time_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
}

void excerpt_release(struct engine *engine)
{
    for (size_t i = 0; engine->excerpts && i < engine->n_locations; i++) {
        for (size_t j = 0; j < N_EXCERPT_MARKS; j++) {
            free(engine->excerpts[i].marks[j].exclusive_ns);
            free(engine->excerpts[i].marks[j].visits);
        }
    }
    free(engine->excerpts);
}

// SPDX-License-Identifier: BSD-3-Clause
// Marks and scales of call paths, computed once for each (see path_scale.h).
#include "analyzer/simulation/path_scale.h"

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/change/set_work.h"

/// The factor in millionths of a path of LOCATION with MARK.
static uint64_t factor_of(const struct prediction *prediction, uint32_t location, uint64_t mark)
{
    uint64_t factor = region_scales_factor(prediction->scenario, mark);
    if (!prediction->visits)
        return factor;
    return (uint64_t)((pag_work)factor * visit_run_scale(prediction->visits, location, mark) /
                      PAG_WORK_PER_NS);
}

/// What the prediction makes of PATH.
static struct path_scale scale_of(const struct engine *engine,
                                  const struct location_state *location, uint32_t path)
{
    const struct prediction *prediction = prediction_of(engine);
    struct computation *computation = &simulated_location(engine, location)->computation;
    if (!prediction->knows_paths)
        return (struct path_scale){.scale = PAG_WORK_PER_NS};
    while (computation->n_scales <= path) { // parents come before their children
        size_t next = computation->n_scales++;
        computation->scales = array_reserve(computation->scales, &computation->scale_capacity,
                                            next + 1, sizeof *computation->scales);
        struct path_scale *scale = &computation->scales[next];
        const struct path *of = &location->profile.paths[next];
        *scale = (struct path_scale){0};
        // A stretch follows the path of the call that ends it, and has the mark of that call.
        if (next > 0)
            scale->mark = computation->scales[of->is_stretch ? next - 1 : of->parent].mark;
        if (next > 0 && of->region != EVENT_NO_INDEX)
            region_patterns_enter(prediction->scenario->regions, &scale->mark, of->region,
                                  of->context);
        scale->scale = factor_of(prediction, location->index, scale->mark);
    }
    return computation->scales[path];
}

uint64_t path_mark(const struct engine *engine, const struct location_state *location,
                   uint32_t path)
{
    return scale_of(engine, location, path).mark;
}

uint32_t path_add_part(const struct engine *engine, const struct location_state *location,
                       uint32_t path)
{
    struct computation *computation = &simulated_location(engine, location)->computation;
    computation->part_of_path =
        array_reserve(computation->part_of_path, &computation->part_of_path_capacity, path + 1,
                      sizeof *computation->part_of_path);
    while (computation->n_part_of_path <= path)
        computation->part_of_path[computation->n_part_of_path++] = 0;
    uint32_t place = computation->n_parts++;
    computation->part_of_path[path] = place;
    computation->parts = array_reserve(computation->parts, &computation->parts_capacity, place + 1,
                                       sizeof *computation->parts);
    computation->parts[place] =
        (struct computation_part){.path = path, .scale = scale_of(engine, location, path).scale};
    return place;
}

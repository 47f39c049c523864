// SPDX-License-Identifier: BSD-3-Clause
// What a visit has of a computation is set, or told, in work: process time of the computation x
// wall time of the visit in it / wall time of the computation. What is set for it is shared among
// its call paths like their wall time; where it has none the path it began at takes all.
#include "analyzer/simulation/change/visit.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/set_work.h"
#include "analyzer/simulation/path_scale.h"
#include "analyzer/simulation/state.h"

// Visits over within one computation that are told one by one; further ones are told together.
enum { MAX_OVER = 1 << 16 };

void visit_release(struct visit *visit)
{
    free(visit->parts);
    free(visit->over);
    *visit = (struct visit){0};
}

bool visit_has_any(const struct engine *engine)
{
    return prediction_of(engine)->visits || prediction_of(engine)->counted;
}

static struct computation *computation_of(const struct engine *engine,
                                          const struct location_state *location)
{
    return &simulated_location(engine, location)->computation;
}

/// Whether a visit begins where LOCATION, in none, comes to a path with MARK. 0: no; a positive
/// kind: its work is set; a negative one: it is counted.
static int32_t kind_of(const struct prediction *prediction, uint32_t location, uint64_t mark)
{
    if (prediction->visits)
        return visit_run_kind(prediction->visits, location, mark);
    return -region_works_kind(prediction->scenario, location, mark);
}

bool visit_begin(const struct engine *engine, const struct location_state *location, uint32_t path)
{
    const struct prediction *prediction = prediction_of(engine);
    struct visit *visit = &computation_of(engine, location)->visit;
    if (visit->kind != 0 || !visit_has_any(engine))
        return false;
    visit->kind = kind_of(prediction, location->index, path_mark(engine, location, path));
    visit->depth = location->profile.depth;
    visit->path = path;
    visit->is_going_on = false;
    visit->before = 0;
    visit->wall_ns = 0;
    if (visit->kind > 0)
        visit->scale =
            visit_run_factor(prediction->visits, location->index, visit->kind, &visit->is_scaled);
    return visit->kind != 0;
}

bool visit_pass(struct computation *computation, uint32_t part, uint64_t ns)
{
    struct visit *visit = &computation->visit;
    if (visit->kind == 0)
        return false;
    visit->wall_ns += ns;
    if (visit->kind < 0)
        return false;
    if (computation->parts[part].visit_ns == 0) {
        visit->parts = array_reserve(visit->parts, &visit->part_capacity, visit->n_parts + 1,
                                     sizeof *visit->parts);
        visit->parts[visit->n_parts++] = part;
    }
    computation->parts[part].visit_ns += ns;
    return true;
}

uint64_t visit_weight(const struct visit *visit, uint64_t scale)
{
    if (visit->kind <= 0)
        return scale;
    return visit->is_scaled ? (uint64_t)((pag_work)visit->scale * scale / PAG_WORK_PER_NS)
                            : visit->scale;
}

/// Gives WORK to PART, scaled like the path or not; the work it is.
static pag_work give(struct computation_part *part, pag_work work, bool is_scaled)
{
    if (is_scaled)
        work = work * part->scale / PAG_WORK_PER_NS;
    part->work += work;
    return work;
}

/// Shares WORK among the parts of the computation that the visit has touched.
static pag_work share(const struct engine *engine, const struct location_state *location,
                      pag_work work, bool is_scaled)
{
    struct computation *computation = computation_of(engine, location);
    struct visit *visit = &computation->visit;
    pag_work given = 0, done = 0;
    uint64_t sum_ns = 0;
    if (visit->n_parts == 0) {
        uint32_t part = path_part(engine, location, visit->path);
        return give(&computation->parts[part], work, is_scaled);
    }
    for (size_t i = 0; i < visit->n_parts; i++) {
        struct computation_part *part = &computation->parts[visit->parts[i]];
        sum_ns += part->visit_ns;
        // no overflow: more than 10^9 s of work would be needed
        pag_work up_to = work * sum_ns / visit->wall_ns;
        done += give(part, up_to - given, is_scaled);
        given = up_to;
        part->visit_ns = 0;
    }
    visit->n_parts = 0;
    return done;
}

static void set(const struct engine *engine, const struct location_state *location,
                struct visit_part part)
{
    struct computation *computation = computation_of(engine, location);
    bool is_scaled = false;
    part.is_first = !computation->visit.is_going_on;
    pag_work work = visit_run_work(prediction_of(engine)->visits, location->index,
                                   computation->visit.kind, &part, &is_scaled);
    computation->has_set_work = true;
    computation->work += share(engine, location, work, is_scaled);
}

static void keep_over(struct visit *visit)
{
    struct visits_over over = {visit->kind, 1, visit->wall_ns, visit->before};
    if (visit->n_over == MAX_OVER) {
        struct visits_over *last = &visit->over[MAX_OVER - 1];
        last->n_visits++;
        last->wall_ns += over.wall_ns;
        return;
    }
    visit->over =
        array_reserve(visit->over, &visit->over_capacity, visit->n_over + 1, sizeof *visit->over);
    visit->over[visit->n_over++] = over;
}

void visit_end(const struct engine *engine, struct location_state *location)
{
    struct visit *visit = &computation_of(engine, location)->visit;
    if (visit->kind > 0)
        set(engine, location, (struct visit_part){.is_last = true});
    else if (visit->kind < 0)
        keep_over(visit);
    visit->kind = 0;
}

void visit_end_if_left(const struct engine *engine, struct location_state *location)
{
    const struct visit *visit = &computation_of(engine, location)->visit;
    if (visit->kind != 0 && location->profile.depth < visit->depth)
        visit_end(engine, location);
}

void visit_close_computation(const struct engine *engine, struct location_state *location)
{
    const struct prediction *prediction = prediction_of(engine);
    struct computation *computation = computation_of(engine, location);
    struct visit *visit = &computation->visit;
    const uint64_t wall_ns = computation->recorded_ns;
    const pag_work process = (pag_work)computation->process_ns * PAG_WORK_PER_NS;
    for (size_t i = 0; i < visit->n_over; i++) {
        const struct visits_over *over = &visit->over[i];
        pag_work work = over->before + (wall_ns ? process * over->wall_ns / wall_ns : 0);
        visits_add(prediction->counted, location->index, over->kind, over->n_visits, work,
                   over->before > 0);
    }
    visit->n_over = 0;
    if (visit->kind == 0)
        return;
    pag_work work = wall_ns ? process * visit->wall_ns / wall_ns : 0;
    if (visit->kind > 0)
        set(engine, location, (struct visit_part){.recorded = work});
    visit->before += work;
    visit->wall_ns = 0;
    visit->is_going_on = true;
}

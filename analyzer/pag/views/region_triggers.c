// SPDX-License-Identifier: BSD-3-Clause
// See region_triggers.h.
#include "analyzer/pag/views/region_triggers.h"

#include "analyzer/base/memory.h"
#include "analyzer/pag/location/region_visits.h"
#include "analyzer/pag/state.h"
#include "analyzer/pag/window.h"

struct region_trigger_source {
    const struct engine *engine;
    const struct location_state *location;
};

void region_trigger(const struct engine *engine, const struct location_state *location,
                    const struct event *visit)
{
    if (!engine->listener.trigger.tell)
        return;
    const struct region *region = region_at(engine, visit->context);
    struct trigger trigger = {.kind = TRIGGER_REGION,
                              .location = location->index,
                              .rank = location->rank,
                              .call_path = visit->index,
                              .region = visit->context,
                              .sync_object = TRIGGER_NO_OBJECT};
    window_place(engine, &trigger, visit->size_bytes);
    trigger.value[TRIGGER_REGION_ENTER] = (int64_t)visit->size_bytes;
    trigger.value[TRIGGER_REGION_LEAVE] = (int64_t)visit->time_ns;
    trigger.value[TRIGGER_REGION_INSIDE] = (int64_t)visit->received_bytes;
    trigger.value[TRIGGER_REGION_VISIT] = (int64_t)visit->request;
    trigger.value[TRIGGER_REGION_CONSTRUCT] = region->construct;
    trigger.value[TRIGGER_REGION_IS_MPI] = region->mpi != MPI_FUNCTION_NONE;
    TELL(engine, trigger, &trigger);
}

static void on_visit(void *context, const struct event *visit)
{
    const struct region_trigger_source *source = context;
    region_trigger(source->engine, source->location, visit);
}

struct region_trigger_source *region_triggers_new(struct engine *engine)
{
    if (!engine->options.visited || engine->n_locations == 0 || engine->locations[0].digest)
        return NULL;
    struct region_trigger_source *sources = memory_new(engine->n_locations * sizeof *sources);
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct location_state *location = &engine->locations[i];
        sources[i] = (struct region_trigger_source){engine, location};
        if (location->rank != NONE)
            location->profile.visits =
                region_visits_new(engine->options.visited, on_visit, &sources[i]);
    }
    return sources;
}

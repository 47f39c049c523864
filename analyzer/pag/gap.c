// SPDX-License-Identifier: BSD-3-Clause
// See gap.h.
#include "analyzer/pag/gap.h"

#include "analyzer/pag/engine.h"

static uint32_t gap_region(const struct engine *engine)
{
    return engine->definitions->gap_region;
}

void gap_event(struct engine *engine, struct location_state *location, const struct event *event,
               uint64_t time_ns)
{
    bool is_off = event->kind == EVENT_MEASUREMENT_OFF;
    if (is_off == location->is_off) {
        profile_account(location, time_ns);
        return;
    }
    location->is_off = is_off;
    if (is_off)
        profile_enter(location, gap_region(engine), time_ns);
    else
        profile_leave(location, gap_region(engine), time_ns);
    window_switch_off(engine, location, is_off, time_ns);
}

void gap_leave(struct engine *engine, struct location_state *location, uint32_t region,
               uint64_t time_ns)
{
    struct profile *profile = &location->profile;
    bool is_innermost = location->is_off && profile->depth > 0 &&
                        profile->stack[profile->depth - 1].region == gap_region(engine);
    if (is_innermost)
        profile_leave(location, gap_region(engine), time_ns);
    profile_leave(location, region, time_ns);
    if (is_innermost)
        profile_enter(location, gap_region(engine), time_ns);
}

void gap_end(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    if (!location->is_off)
        return;
    location->is_off = false;
    profile_leave(location, gap_region(engine), time_ns);
    window_switch_off(engine, location, false, time_ns);
    if (location->rank != NONE && location->is_master)
        engine->ranks[location->rank].ends_off = true;
}

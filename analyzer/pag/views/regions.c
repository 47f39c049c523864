// SPDX-License-Identifier: BSD-3-Clause
// See regions.h. What was told of a location is compared with its stack in the profile. An event
// changes only the top of that, so where two frames are the same, all below them are.
#include "analyzer/pag/views/regions.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/state.h"
#include "analyzer/trace/batch.h"

struct told_frame {
    uint32_t region;
    uint64_t enter_ns;
};

/// The regions that a location is in, as far as was told.
struct told {
    struct told_frame *frames;
    size_t n, capacity;
};

struct regions {
    struct told *told; // by location
    size_t n_locations;
};

struct regions *regions_new(struct engine *engine)
{
    if (!engine->listener.entered.tell)
        return NULL;
    struct regions *regions = memory_zeroed(1, sizeof *regions);
    regions->n_locations = engine->n_locations;
    regions->told = memory_zeroed(regions->n_locations + 1, sizeof *regions->told);
    return regions;
}

void regions_free(struct regions *regions)
{
    if (!regions)
        return;
    FREE_MEMBERS(regions->told, regions->n_locations, frames);
    FREE_ALL(regions->told, regions);
}

/// A record without a call is a frame on top of the others.
static bool is_in_bare_record(const struct location_state *location)
{
    return location->call.is_open && location->call.is_bare;
}

static size_t depth_of(const struct location_state *location)
{
    return location->profile.depth + is_in_bare_record(location);
}

static struct told_frame frame_at(const struct location_state *location, size_t i)
{
    const struct profile *profile = &location->profile;
    if (i == profile->depth)
        return (struct told_frame){EVENT_NO_INDEX, location->call.enter_ns};
    return (struct told_frame){profile->stack[i].region, profile->stack[i].enter_ns};
}

/// FRAME is entered; the last one of an event, if it is a call, has records.
static void tell_entered(struct engine *engine, const struct location_state *location,
                         const struct told_frame *frame, uint64_t n_messages)
{
    const struct call *call = &location->call;
    struct pag_entered entered = {.location = location->index,
                                  .region = frame->region,
                                  .context = EVENT_NO_INDEX,
                                  .time_ns = frame->enter_ns};
    if (call->is_open && call->region == frame->region && call->n_nested == 0) {
        entered.context = call->is_bare
                              ? EVENT_NO_INDEX
                              : location->profile.paths[location->profile.current].context;
        entered.records = call->records;
        entered.n_records = call->n_records;
        entered.first_message = n_messages + 1;
        entered.n_messages = engine->result->n_messages - n_messages;
    }
    TELL(engine, entered, &entered);
}

void regions_tell(struct engine *engine, const struct location_state *location, uint64_t n_messages)
{
    struct told *told = &engine->regions->told[location->index];
    size_t depth = depth_of(location), n_same = told->n < depth ? told->n : depth;
    while (n_same > 0) {
        struct told_frame frame = frame_at(location, n_same - 1);
        const struct told_frame *other = &told->frames[n_same - 1];
        if (frame.region == other->region && frame.enter_ns == other->enter_ns)
            break;
        n_same--;
    }
    for (; told->n > n_same; told->n--) {
        bool is_bare = told->frames[told->n - 1].region == EVENT_NO_INDEX;
        TELL(engine, left, location->index,
             is_bare ? location->call.leave_ns : location->profile.last_ns);
    }
    while (told->n < depth) {
        struct told_frame frame = frame_at(location, told->n);
        *ARRAY_NEXT(told->frames, told->n, told->capacity) = frame;
        tell_entered(engine, location, &frame, n_messages);
    }
}

void regions_tell_counted(const struct engine *engine, const struct location_state *location,
                          const struct event *event)
{
    double growth;
    if (!engine->listener.counted.tell)
        return;
    memcpy(&growth, &event->size_bytes, sizeof growth);
    TELL(engine, counted, location->index, event->time_ns, event->index, growth);
}

static void add_counted(const struct counter_growth *growth, uint64_t most_ns, struct batch *out)
{
    struct event *event = batch_add(out);
    *event = (struct event){.time_ns = growth->time_ns < most_ns ? growth->time_ns : most_ns,
                            .kind = EVENT_COUNTED,
                            .index = growth->counter};
    memcpy(&event->size_bytes, &growth->growth, sizeof growth->growth);
}

void regions_add_counted(const struct decoded *decoded, struct batch *out)
{
    size_t next = 0;
    for (size_t i = 0; i <= decoded->n; i++) {
        uint64_t most_ns = i < decoded->n ? decoded->events[i].time_ns : UINT64_MAX;
        for (; next < decoded->n_growths && decoded->growths[next].before <= i; next++)
            if (decoded->growths[next].growth > 0)
                add_counted(&decoded->growths[next], most_ns, out);
        if (i < decoded->n)
            *batch_add(out) = decoded->events[i];
    }
    out->at_end = decoded->is_last;
}

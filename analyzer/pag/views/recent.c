// SPDX-License-Identifier: BSD-3-Clause
// See recent.h. Each rank has a ring of calls. When the rank in question has left the call that it
// is in at the moment, or has entered the next one, nothing more is kept.
#include "analyzer/pag/views/recent.h"

#include "analyzer/base/memory.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/state.h"

enum { MOST_CALLS = 1024, LEAST_CALLS = 64, ALL_CALLS = 1 << 18 };

struct ring {
    struct pag_recent_call *calls;
    size_t n;               // so far; the last one is at (n - 1) % max
    struct times_look look; // at the last enter or leave
};

struct recent {
    struct pag_moment moment;
    struct ring *rings; // by rank
    size_t n_ranks, max;
    bool is_over;
};

struct recent *recent_new(const struct pag_moment *moment, size_t n_ranks)
{
    struct recent *recent = memory_zeroed(1, sizeof *recent);
    recent->moment = *moment;
    recent->n_ranks = n_ranks;
    recent->rings = memory_zeroed(n_ranks + 1, sizeof *recent->rings);
    recent->max = MOST_CALLS;
    while (recent->max > LEAST_CALLS && recent->max * n_ranks > ALL_CALLS)
        recent->max /= 2;
    return recent;
}

void recent_free(struct recent *recent)
{
    if (!recent)
        return;
    FREE_MEMBERS(recent->rings, recent->n_ranks, calls);
    FREE_MEMBERS(recent->rings, recent->n_ranks, look.exclusive_ns);
    FREE_ALL(recent->rings, recent);
}

static struct pag_recent_call *last_call(const struct recent *recent, const struct ring *ring)
{
    return ring->n == 0 ? NULL : &ring->calls[(ring->n - 1) % recent->max];
}

/// Sets where CALL's rank computed longest since the last look at TIMES; CALL may be NULL.
static void look(struct ring *ring, const struct times *times, struct pag_recent_call *call)
{
    times_look_reserve(&ring->look, times);
    for (uint32_t i = 0; i < times->n_paths; i++) {
        uint64_t ns = times_look(&ring->look, times, i);
        if (!call || ns <= call->longest_ns)
            continue;
        call->longest_ns = ns;
        call->longest_path = i;
    }
}

void recent_enter(struct engine *engine, const struct location_state *location)
{
    struct recent *recent = engine->recent;
    struct ring *ring = &recent->rings[location->rank];
    const struct call *call = &location->call;
    if (recent->is_over)
        return;
    const struct pag_recent_call *before = last_call(recent, ring);
    uint64_t since_ns = before ? before->leave_ns : location->first_ns;
    if (!ring->calls)
        ring->calls = memory_zeroed(recent->max, sizeof *ring->calls);
    struct pag_recent_call *own = &ring->calls[ring->n++ % recent->max];
    *own = (struct pag_recent_call){.since_ns = since_ns,
                                    .enter_ns = call->enter_ns,
                                    .leave_ns = UINT64_MAX,
                                    .release_ns = call->enter_ns,
                                    .releaser = NONE,
                                    .call_path = call->path,
                                    .longest_path = NONE};
    look(ring, &location->head.times, own);
    recent->is_over =
        location->rank == recent->moment.rank && call->enter_ns > recent->moment.time_ns;
}

void recent_leave(struct engine *engine, const struct location_state *location)
{
    struct recent *recent = engine->recent;
    struct ring *ring = &recent->rings[location->rank];
    const struct call *call = &location->call;
    struct pag_recent_call *own = last_call(recent, ring);
    if (recent->is_over || !own)
        return;
    own->leave_ns = call->leave_ns;
    if (call->release_ns > own->enter_ns) {
        own->release_ns = call->release_ns < call->leave_ns ? call->release_ns : call->leave_ns;
        own->releaser = call->releaser == location->rank ? NONE : call->releaser;
    }
    look(ring, &location->head.times, NULL);
    recent->is_over =
        location->rank == recent->moment.rank && call->leave_ns > recent->moment.time_ns;
}

void recent_conclude(struct engine *engine)
{
    const struct recent *recent = engine->recent;
    engine->result->moment = recent->moment;
    engine->result->recent = memory_zeroed(recent->n_ranks + 1, sizeof *engine->result->recent);
    for (size_t i = 0; i < recent->n_ranks; i++) {
        const struct ring *ring = &recent->rings[i];
        struct pag_recent *out = &engine->result->recent[i];
        out->n = ring->n < recent->max ? ring->n : recent->max;
        out->is_whole = out->n == ring->n;
        out->calls = memory_new((out->n + 1) * sizeof *out->calls);
        for (size_t k = 0; k < out->n; k++)
            out->calls[k] = ring->calls[(ring->n - out->n + k) % recent->max];
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// See region_visits.h.
#include "analyzer/pag/location/region_visits.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/batch.h"

struct region_visits {
    const bool *is_asked;
    region_visits_listener *listener;
    void *context;
    uint64_t *inside_ns; // by frame of the stack: time in regions that it entered and that are left
    size_t n_frames;
};

struct region_visits *region_visits_new(const bool *is_asked, region_visits_listener *listener,
                                        void *context)
{
    if (!is_asked)
        return NULL;
    struct region_visits *visits = memory_new(sizeof *visits);
    *visits =
        (struct region_visits){.is_asked = is_asked, .listener = listener, .context = context};
    return visits;
}

void region_visits_free(struct region_visits *visits)
{
    if (!visits)
        return;
    FREE_ALL(visits->inside_ns, visits);
}

void region_visits_append(void *context, const struct event *visit)
{
    struct batch **out = context;
    *batch_add(*out) = *visit;
}

/// Time in the regions that the frame at DEPTH entered; zeroed for the next frame there.
static uint64_t take_inside(struct region_visits *visits, size_t depth)
{
    size_t n = visits->n_frames;
    if (depth >= n) {
        visits->inside_ns = array_reserve(visits->inside_ns, &visits->n_frames, depth + 1,
                                          sizeof *visits->inside_ns);
        memset(visits->inside_ns + n, 0, (visits->n_frames - n) * sizeof *visits->inside_ns);
    }
    uint64_t inside_ns = visits->inside_ns[depth];
    visits->inside_ns[depth] = 0;
    return inside_ns;
}

void region_visits_leave(struct region_visits *visits, size_t depth, struct event visit)
{
    visit.received_bytes = take_inside(visits, depth);
    if (depth > 0)
        visits->inside_ns[depth - 1] += visit.time_ns - visit.size_bytes;
    if (visits->is_asked[visit.context])
        visits->listener(visits->context, &visit);
}

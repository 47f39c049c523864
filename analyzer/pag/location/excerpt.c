// SPDX-License-Identifier: BSD-3-Clause
// Profiles of parts of the run (see excerpt.h). The time since the last event belongs to the
// current path, up to a mark as well. A visit counts where it ends, the very end of a part
// included, its begin not.
#include "analyzer/pag/location/excerpt.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/pag/location/location.h"

/// What the paths of a location had when a part began or ended.
struct excerpt_mark {
    uint64_t time_ns;
    uint64_t *exclusive_ns, *visits; // by path
    size_t n_paths;
    // Time from the last event to the mark: of this path, until the next event tells that it
    // belongs to the stretch before a call. 0: settled.
    uint64_t open_ns, open_since_ns;
    uint32_t open_path;
};

/// The marks of a location. An event looks only at the next mark in time.
struct excerpt {
    struct excerpt_mark *marks; // two by part: its begin, its end
    uint32_t *order;            // of marks, by time
    size_t n_marks;
    size_t n_kept, n_settled; // that the location has come to, in that order
};

struct excerpt *excerpt_new(const struct pag_part *const *parts, size_t n_parts, size_t location)
{
    struct excerpt *excerpt = memory_zeroed(1, sizeof *excerpt);
    excerpt->n_marks = 2 * n_parts;
    excerpt->marks = memory_zeroed(excerpt->n_marks, sizeof *excerpt->marks);
    excerpt->order = memory_new(excerpt->n_marks * sizeof *excerpt->order);
    for (size_t k = 0; k < n_parts; k++) {
        excerpt->marks[2 * k].time_ns = parts[k][location].begin_ns;
        excerpt->marks[2 * k + 1].time_ns = parts[k][location].end_ns;
    }
    for (size_t j = 0; j < excerpt->n_marks; j++)
        excerpt->order[j] = (uint32_t)j;
    SORT_NUMBERS_BY(excerpt->order, excerpt->n_marks, excerpt->marks, LEAST(time_ns));
    return excerpt;
}

void excerpt_free(struct excerpt *excerpt)
{
    for (size_t i = 0; excerpt && i < excerpt->n_marks; i++) {
        FREE_ALL(excerpt->marks[i].exclusive_ns, excerpt->marks[i].visits);
    }
    if (excerpt) {
        FREE_ALL(excerpt->marks, excerpt->order);
    }
    free(excerpt);
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
        mark->exclusive_ns[i] = times_exclusive(profile->times, i);
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
            times_exclusive(profile->times, i) == (i < mark->n_paths ? mark->exclusive_ns[i] : 0))
            continue;
        if (i >= mark->n_paths)
            grow(mark, i + 1);
        mark->exclusive_ns[mark->open_path] -= open_ns;
        mark->exclusive_ns[i] += open_ns;
        return;
    }
}

void excerpt_settle(struct profile *profile)
{
    struct excerpt *excerpt = profile->excerpt;
    for (size_t i = excerpt->n_settled; i < excerpt->n_kept; i++)
        settle(mark_at(excerpt, i), profile);
    while (excerpt->n_settled < excerpt->n_kept &&
           mark_at(excerpt, excerpt->n_settled)->open_ns == 0)
        excerpt->n_settled++;
}

void excerpt_move(const struct profile *profile, const struct cpu_segment *segment, uint32_t to)
{
    struct excerpt *excerpt = profile->excerpt;
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

void excerpt_reach(struct location_state *location, uint64_t next_ns)
{
    struct excerpt *excerpt = location->profile.excerpt;
    if (excerpt->n_settled < excerpt->n_kept)
        excerpt_settle(&location->profile);
    for (;
         excerpt->n_kept < excerpt->n_marks && mark_at(excerpt, excerpt->n_kept)->time_ns < next_ns;
         excerpt->n_kept++)
        keep(mark_at(excerpt, excerpt->n_kept), location);
}

bool excerpt_is_settled(const struct excerpt *excerpt, uint64_t until_ns)
{
    return excerpt->n_settled == excerpt->n_marks ||
           mark_at(excerpt, excerpt->n_settled)->time_ns > until_ns;
}

static uint64_t at(const uint64_t *values, const struct excerpt_mark *mark, size_t path)
{
    return path < mark->n_paths ? values[path] : 0;
}

/// The exclusive times and visits of one location's paths; those of stretches also belong to the
/// paths they are in.
void excerpt_count(const struct excerpt *excerpt, size_t part, struct call_path *paths,
                   size_t n_paths)
{
    const struct excerpt_mark *begin = &excerpt->marks[2 * part], *end = begin + 1;
    for (size_t i = 0; i < n_paths; i++) {
        paths[i].exclusive_ns = at(end->exclusive_ns, end, i) - at(begin->exclusive_ns, begin, i);
        paths[i].visits = at(end->visits, end, i) - at(begin->visits, begin, i);
        if (paths[i].is_stretch) // its parent is before it
            paths[paths[i].parent].exclusive_ns += paths[i].exclusive_ns;
    }
}

size_t pag_part_bytes(const struct pag_result *result)
{
    size_t bytes = 0;
    for (size_t i = 0; i < result->n_locations; i++)
        bytes += 2 * (sizeof(struct excerpt_mark) + sizeof(uint32_t) +
                      result->locations[i].n_paths * 2 * sizeof(uint64_t));
    return bytes;
}

// SPDX-License-Identifier: BSD-3-Clause
// See place.h.
#include "analyzer/trace/place.h"

#include <string.h>

#include "analyzer/base/memory.h"

void trace_place_pass(struct trace_place *place, struct numbers *numbers)
{
    NUMBERS_PASS(numbers, place->event, place->n_skipped, place->file_at, place->n_read,
                 place->raw_ticks, place->clock_interval);
    // Mostly the same time, or as far from it as the location's clock.
    uint64_t ahead_ticks = (uint64_t)place->last_ticks - place->raw_ticks;
    bool is_behind = numbers_pass(numbers, ahead_ticks > INT64_MAX);
    ahead_ticks = numbers_pass(numbers, is_behind ? -ahead_ticks : ahead_ticks);
    place->last_ticks = (int64_t)(place->raw_ticks + (is_behind ? -ahead_ticks : ahead_ticks));
    place->in_polls = numbers_pass(numbers, place->in_polls);
    place->polls_end_ns = place->in_polls ? numbers_pass(numbers, place->polls_end_ns) : 0;
}

void batch_begins_add(struct batch_begins *begins, const struct trace_place *begin,
                      uint32_t n_unread, uint32_t n_events)
{
    size_t n_read = 0; // batches without unread events
    while (n_read + 1 < begins->n && begins->items[n_read + 1].event <= begins->n_events - n_unread)
        n_read++;
    if (n_read > 0)
        memmove(begins->items, begins->items + n_read,
                (begins->n - n_read) * sizeof *begins->items);
    begins->n -= n_read;
    *ARRAY_NEXT(begins->items, begins->n, begins->capacity) = *begin;
    begins->items[begins->n - 1].event = begins->n_events;
    begins->n_events += n_events;
}

struct trace_place batch_begins_find(const struct batch_begins *begins, uint32_t n_unread)
{
    uint64_t event = begins->n_events - n_unread;
    size_t i = begins->n - 1;
    while (i > 0 && begins->items[i].event > event)
        i--;
    struct trace_place place = begins->items[i];
    place.n_skipped = event - place.event;
    place.event = event;
    return place;
}

// SPDX-License-Identifier: BSD-3-Clause
// Calendars (see calendar.h): an array of steps, neighbours never equal, so that what is in use
// without a break is one step however many users it had.
#include "analyzer/simulation/network/calendar.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// The first step after TIME_NS.
static size_t step_after(const struct calendar *calendar, uint64_t time_ns)
{
    size_t low = calendar->first, high = calendar->n_steps;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (calendar->steps[middle].time_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t used_before(const struct calendar *calendar, size_t step)
{
    return step > calendar->first ? calendar->steps[step - 1].n_used : 0;
}

uint64_t calendar_conflict_end(const struct calendar *calendar, uint64_t begin_ns, uint64_t end_ns)
{
    if (begin_ns >= end_ns)
        return begin_ns;
    size_t next = step_after(calendar, begin_ns);
    // Steps [next - 1, next) hold at begin_ns.
    while (used_before(calendar, next) < calendar->n_all) {
        if (next == calendar->n_steps || calendar->steps[next].time_ns >= end_ns)
            return begin_ns;
        next++;
    }
    while (calendar->steps[next].n_used >= calendar->n_all)
        next++; // the last step uses none
    return calendar->steps[next].time_ns;
}

static void insert(struct calendar *calendar, size_t at, struct calendar_step step)
{
    calendar->steps = array_reserve(calendar->steps, &calendar->capacity, calendar->n_steps + 1,
                                    sizeof *calendar->steps);
    memmove(&calendar->steps[at + 1], &calendar->steps[at],
            (calendar->n_steps - at) * sizeof *calendar->steps);
    calendar->steps[at] = step;
    calendar->n_steps++;
}

static void erase(struct calendar *calendar, size_t at)
{
    calendar->n_steps--;
    memmove(&calendar->steps[at], &calendar->steps[at + 1],
            (calendar->n_steps - at) * sizeof *calendar->steps);
}

/// The step at TIME_NS, made if there is none.
static size_t split(struct calendar *calendar, uint64_t time_ns)
{
    size_t next = step_after(calendar, time_ns);
    if (next > calendar->first && calendar->steps[next - 1].time_ns == time_ns)
        return next - 1;
    insert(calendar, next, (struct calendar_step){time_ns, used_before(calendar, next)});
    return next;
}

/// Takes out the step AT if it changes nothing.
static void join(struct calendar *calendar, size_t at)
{
    if (calendar->steps[at].n_used == used_before(calendar, at))
        erase(calendar, at);
}

void calendar_reserve(struct calendar *calendar, uint64_t begin_ns, uint64_t end_ns)
{
    size_t begin = split(calendar, begin_ns), end = split(calendar, end_ns);
    for (size_t i = begin; i < end; i++)
        calendar->steps[i].n_used++;
    join(calendar, end);
    join(calendar, begin);
}

void calendar_forget(struct calendar *calendar, uint64_t time_ns)
{
    size_t next = step_after(calendar, time_ns);
    if (next > calendar->first + 1)
        calendar->first = next - 1; // holds at TIME_NS
    if (calendar->first <= calendar->n_steps / 2)
        return;
    calendar->n_steps -= calendar->first;
    memmove(calendar->steps, &calendar->steps[calendar->first],
            calendar->n_steps * sizeof *calendar->steps);
    calendar->first = 0;
}

void calendar_release(struct calendar *calendar)
{
    free(calendar->steps);
    *calendar = (struct calendar){0};
}

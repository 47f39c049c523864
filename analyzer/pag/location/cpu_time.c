// SPDX-License-Identifier: BSD-3-Clause
// See cpu_time.h.
#include "analyzer/pag/location/cpu_time.h"

#include "analyzer/base/memory.h"
#include "analyzer/trace/event.h"

__extension__ typedef unsigned __int128 wide;

// --- CPU time of an interval, and its segments

void cpu_span_see(struct cpu_span *span, uint64_t cpu_ns)
{
    span->has_seen = true;
    span->seen_ns = cpu_ns;
    span->seen_wait_ns = EVENT_NO_CORE_WAIT;
}

void cpu_span_sample(struct cpu_span *span, uint64_t at_ns, uint64_t cpu_ns, uint64_t wait_ns)
{
    span->last_at_ns = at_ns;
    span->last_ns = cpu_ns;
    span->last_wait_ns = wait_ns;
    cpu_span_see(span, cpu_ns);
    span->seen_wait_ns = wait_ns;
    if (span->has)
        return;
    span->has = true;
    span->first_at_ns = at_ns;
    span->first_ns = cpu_ns;
    span->first_wait_ns = wait_ns;
}

uint64_t cpu_span_used_ns(const struct cpu_span *span, uint64_t begin_ns, uint64_t end_ns)
{
    uint64_t wall_ns = end_ns - begin_ns;
    if (!span->has || span->last_ns < span->first_ns)
        return wall_ns;
    uint64_t seen_ns = span->last_at_ns - span->first_at_ns;
    uint64_t cpu_ns = span->last_ns - span->first_ns;
    uint64_t used_ns = cpu_ns < seen_ns ? wall_ns - seen_ns + cpu_ns : wall_ns;
    if (!span->had || span->last_ns < span->had_ns)
        return used_ns;
    uint64_t most_ns = span->last_ns - span->had_ns + (end_ns - span->last_at_ns);
    return most_ns < used_ns ? most_ns : used_ns;
}

uint64_t cpu_span_blocked_ns(const struct cpu_span *span, uint64_t lost_ns)
{
    bool has_two = span->has && span->first_at_ns < span->last_at_ns;
    if (!span->has || (!has_two && !span->had))
        return 0;
    uint64_t before_ns = has_two ? span->first_wait_ns : span->had_wait_ns;
    if (before_ns == EVENT_NO_CORE_WAIT || span->last_wait_ns == EVENT_NO_CORE_WAIT ||
        span->last_wait_ns < before_ns)
        return 0;
    uint64_t wait_ns = span->last_wait_ns - before_ns;
    return lost_ns > wait_ns ? lost_ns - wait_ns : 0;
}

uint64_t cpu_segment_lost_before(const struct cpu_segment *segment, uint64_t time_ns)
{
    if (time_ns <= segment->begin_ns)
        return 0;
    if (time_ns >= segment->end_ns)
        return segment->lost_ns;
    wide passed_ns = time_ns - segment->begin_ns;
    return (uint64_t)(passed_ns * segment->lost_ns / cpu_segment_ns(segment));
}

struct cpu_segment *cpu_segment_add(struct without_cpu *account)
{
    if (!account->segments)
        account->segments = memory_new(2 * CPU_SEGMENTS * sizeof *account->segments);
    return &account->segments[account->n_segments++];
}

void cpu_segment_note(struct without_cpu *account, uint32_t path, uint64_t begin_ns,
                      uint64_t end_ns)
{
    struct cpu_segment *place;
    if (account->n_segments < CPU_SEGMENTS) {
        place = cpu_segment_add(account);
    } else {
        place = &account->segments[0];
        for (uint32_t i = 1; i < CPU_SEGMENTS; i++)
            if (cpu_segment_ns(&account->segments[i]) < cpu_segment_ns(place))
                place = &account->segments[i];
        if (cpu_segment_ns(place) >= end_ns - begin_ns)
            return;
    }
    *place = (struct cpu_segment){.begin_ns = begin_ns, .end_ns = end_ns, .path = path};
}

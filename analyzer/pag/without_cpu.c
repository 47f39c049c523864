// SPDX-License-Identifier: BSD-3-Clause
// See without_cpu.h.
#include "analyzer/pag/without_cpu.h"

#include "analyzer/pag/engine.h"

__extension__ typedef unsigned __int128 wide;

static uint64_t length_of(const struct cpu_segment *segment)
{
    return segment->end_ns - segment->begin_ns;
}

uint64_t cpu_segment_lost_before(const struct cpu_segment *segment, uint64_t time_ns)
{
    if (time_ns <= segment->begin_ns)
        return 0;
    if (time_ns >= segment->end_ns)
        return segment->lost_ns;
    wide passed_ns = time_ns - segment->begin_ns;
    return (uint64_t)(passed_ns * segment->lost_ns / length_of(segment));
}

void without_cpu_segment(struct without_cpu *account, uint32_t path, uint64_t begin_ns,
                         uint64_t end_ns)
{
    struct cpu_segment *place = &account->segments[0];
    if (account->n_segments < CPU_SEGMENTS) {
        place = &account->segments[account->n_segments++];
    } else {
        for (uint32_t i = 1; i < CPU_SEGMENTS; i++)
            if (length_of(&account->segments[i]) < length_of(place))
                place = &account->segments[i];
        if (length_of(place) >= end_ns - begin_ns)
            return;
    }
    *place = (struct cpu_segment){.begin_ns = begin_ns, .end_ns = end_ns, .path = path};
}

void without_cpu_begin(struct location_state *location, uint64_t time_ns)
{
    struct without_cpu *account = &location->without_cpu;
    cpu_span_begin(&account->span);
    account->begin_ns = time_ns;
    account->n_segments = 0;
}

/// Spreads LOST_NS over the segments, rounded so that the sum is exact.
static void spread(struct without_cpu *account, uint64_t lost_ns)
{
    uint64_t all_ns = 0, passed_ns = 0, spread_ns = 0;
    for (uint32_t i = 0; i < account->n_segments; i++)
        all_ns += length_of(&account->segments[i]);
    if (lost_ns > all_ns)
        lost_ns = all_ns;
    for (uint32_t i = 0; i < account->n_segments; i++) {
        passed_ns += length_of(&account->segments[i]);
        uint64_t up_to_ns = (uint64_t)((wide)lost_ns * passed_ns / all_ns);
        account->segments[i].lost_ns = up_to_ns - spread_ns;
        spread_ns = up_to_ns;
    }
}

/// Moves what SEGMENTS lost from their paths to children of these.
static void move(struct engine *engine, struct location_state *location,
                 struct cpu_segment *segments, uint32_t n_segments)
{
    struct profile *profile = &location->profile;
    if (engine->excerpts)
        excerpt_settle(engine, location);
    for (uint32_t i = 0; i < n_segments; i++) {
        struct cpu_segment *segment = &segments[i];
        if (segment->lost_ns == 0)
            continue;
        const struct path *from = &profile->paths[segment->path];
        uint32_t parent = from->is_stretch ? from->parent : segment->path;
        uint32_t child = profile_child(profile, parent, engine->definitions->no_cpu_region);
        segment->lost_ns = profile_move(location, segment->path, child, segment->lost_ns);
        if (engine->excerpts)
            excerpt_move(engine, location, segment, child);
    }
}

void without_cpu_outside(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    struct without_cpu *account = &location->without_cpu;
    if (engine->hooks || !location->is_master || !account->span.has)
        return;
    engine->result->has_cpu_time = true;
    uint64_t wall_ns = time_ns - account->begin_ns;
    uint64_t used_ns = cpu_span_used_ns(&account->span, account->begin_ns, time_ns);
    if (used_ns >= wall_ns)
        return;
    spread(account, wall_ns - used_ns);
    move(engine, location, account->segments, account->n_segments);
    window_lose(engine, location, account->segments, account->n_segments, time_ns);
}

/// Whether time of a call that does not wait takes CPU time, and the call's records say when it
/// does not wait.
static bool takes_cpu(const struct engine *engine, const struct location_state *location)
{
    const struct definitions *definitions = engine->definitions;
    const struct core_set *cores =
        &definitions->core_sets[definitions->ranks[location->rank].core_set];
    const struct call *call = &location->call;
    bool is_shared = cores->n_cores > 0 && cores->n_ranks > cores->n_cores;
    return call->n_records > 0 && !call->is_bare && !call->is_cut && !call->is_test &&
           !call->is_init && !call->is_finalize && !call->is_file && !call->gave_up &&
           (is_shared || definitions->n_nodes == 1);
}

void without_cpu_in_call(struct engine *engine, struct location_state *location)
{
    const struct call *call = &location->call;
    struct without_cpu *account = &location->without_cpu;
    if (engine->hooks || !location->is_master)
        return;
    uint64_t before_ns = account->span.seen_ns;
    bool is_known = account->span.has_seen && call->has_cpu_after &&
                    call->cpu_after_ns >= before_ns && takes_cpu(engine, location);
    if (call->has_cpu_inside)
        cpu_span_see(&account->span, call->cpu_inside_ns);
    uint64_t since_ns = call->release_ns > call->enter_ns ? call->release_ns : call->enter_ns;
    if (!is_known || since_ns >= call->leave_ns ||
        call->leave_ns - since_ns <= call->cpu_after_ns - before_ns)
        return;
    struct cpu_segment segment = {
        .begin_ns = since_ns,
        .end_ns = call->leave_ns,
        .lost_ns = call->leave_ns - since_ns - (call->cpu_after_ns - before_ns),
        .path = call->path,
    };
    move(engine, location, &segment, 1);
    window_lose(engine, location, &segment, 1, call->leave_ns);
}

// SPDX-License-Identifier: BSD-3-Clause
// The time that efficiencies and findings cover: from the last leave of MPI_Init to the last enter
// of MPI_Finalize. The begin is only known to be the last one afterwards, so it moves with each
// leave of MPI_Init; a rank notes what it had used up to then at its next switch between
// computing and MPI. The end is known when the last rank has entered MPI_Finalize, or has ended
// without; until then all that is replayed comes before it.
#include "analyzer/pag/window.h"

#include "analyzer/base/order.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/views/thread_time.h"

static uint64_t useful_at(const struct rank_state *rank, uint64_t time_ns)
{
    bool gains = !rank->in_mpi && !rank->is_off && !rank->is_closed && time_ns > rank->switch_ns;
    return rank->useful_ns + (gains ? time_ns - rank->switch_ns : 0);
}

static uint64_t mpi_at(const struct rank_state *rank, uint64_t time_ns)
{
    bool gains = rank->in_mpi && !rank->is_closed && time_ns > rank->switch_ns;
    return rank->mpi_ns + (gains ? time_ns - rank->switch_ns : 0);
}

static __attribute__((noinline)) void note_edges_between(const struct engine *engine,
                                                         struct rank_state *rank, uint64_t now_ns)
{
    if (rank->window_epoch != engine->window_epoch) {
        rank->window_epoch = engine->window_epoch;
        rank->useful_begin_ns = useful_at(rank, engine->window_begin_ns);
        rank->mpi_begin_ns = mpi_at(rank, engine->window_begin_ns);
        for (unsigned where = 0; where < LOST_KINDS; where++)
            rank->lost_begin_ns[where] = rank->lost_ns[where];
    }
    if (engine->has_window_end && !rank->has_end && now_ns >= engine->window_end_ns) {
        rank->has_end = true;
        rank->useful_end_ns = useful_at(rank, engine->window_end_ns);
        rank->mpi_end_ns = mpi_at(rank, engine->window_end_ns);
        for (unsigned where = 0; where < LOST_KINDS; where++)
            rank->lost_end_ns[where] = rank->lost_ns[where];
    }
}

/// Notes the sums at the window's edges that lie between the last switch and now.
static inline void note_edges(const struct engine *engine, struct rank_state *rank, uint64_t now_ns)
{
    if (rank->window_epoch != engine->window_epoch || (engine->has_window_end && !rank->has_end))
        note_edges_between(engine, rank, now_ns);
}

/// Adds what SEGMENTS lost up to TIME_NS to SUMS, WHERE it was.
static void add_lost(uint64_t *sums, enum lost_where where, const struct cpu_segment *segments,
                     uint32_t n_segments, uint64_t time_ns)
{
    for (uint32_t i = 0; i < n_segments; i++) {
        uint64_t lost_ns = cpu_segment_lost_before(&segments[i], time_ns);
        sums[where] += lost_ns;
        sums[LOST_BLOCKED] += segments[i].is_blocked ? lost_ns : 0;
    }
}

void window_lose(const struct engine *engine, struct location_state *location,
                 const struct cpu_segment *segments, uint32_t n_segments, uint64_t time_ns)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    bool has_begun = rank->window_epoch == engine->window_epoch, has_end = rank->has_end;
    enum lost_where where = rank->in_mpi ? LOST_INSIDE : LOST_OUTSIDE;
    note_edges(engine, rank, time_ns);
    if (!has_begun)
        add_lost(rank->lost_begin_ns, where, segments, n_segments, engine->window_begin_ns);
    if (rank->has_end && !has_end)
        add_lost(rank->lost_end_ns, where, segments, n_segments, engine->window_end_ns);
    add_lost(rank->lost_ns, where, segments, n_segments, time_ns);
}

static void switch_to(const struct engine *engine, struct rank_state *rank, bool in_mpi,
                      uint64_t time_ns)
{
    note_edges(engine, rank, time_ns);
    rank->useful_ns = useful_at(rank, time_ns);
    rank->mpi_ns = mpi_at(rank, time_ns);
    rank->switch_ns = time_ns;
    rank->in_mpi = in_mpi;
}

void window_enter_mpi(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    if (location->is_master)
        switch_to(engine, &engine->ranks[location->rank], true, time_ns);
}

void window_leave_mpi(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    if (location->is_master)
        switch_to(engine, &engine->ranks[location->rank], false, time_ns);
}

bool window_counts_rank(const struct engine *engine, uint32_t rank)
{
    return rank + engine->definitions->n_spawned_ranks < engine->n_ranks;
}

void window_begin_at(struct engine *engine, uint64_t time_ns)
{
    if (time_ns < engine->window_begin_ns)
        return;
    engine->window_begin_ns = time_ns;
    engine->window_epoch++;
    explain_window_anew(engine);
    thread_time_window(engine);
    if (engine->listener.window_moved.tell)
        engine->listener.window_moved.tell(engine->listener.window_moved.context);
}

void window_rank_through(struct engine *engine, uint32_t rank, uint64_t time_ns)
{
    if (!window_counts_rank(engine, rank))
        return;
    if (time_ns > engine->window_end_ns)
        engine->window_end_ns = time_ns;
    engine->has_window_end = --engine->n_ranks_going_on == 0;
}

void window_place(const struct engine *engine, struct trigger *trigger, uint64_t enter_ns)
{
    trigger->window_end_ns = engine->has_window_end ? engine->window_end_ns : UINT64_MAX;
    trigger->in_window = enter_ns >= engine->window_begin_ns && enter_ns < trigger->window_end_ns;
}

void window_begin_trigger(struct trigger *trigger, const struct engine *engine,
                          const struct location_state *location, enum trigger_kind kind)
{
    trigger->kind = kind;
    trigger->location = location->index;
    trigger->rank = location->rank;
    trigger->call_path = location->call.path;
    trigger->sync_object = TRIGGER_NO_OBJECT;
    window_place(engine, trigger, location->call.enter_ns);
}

void window_close(struct engine *engine, struct rank_state *rank, uint64_t time_ns)
{
    switch_to(engine, rank, rank->in_mpi, time_ns);
    rank->is_closed = true;
}

struct pag_rank_time window_sum(const struct engine *engine, struct rank_state *rank)
{
    note_edges(engine, rank, UINT64_MAX);
    const uint64_t *lost_end_ns = rank->has_end ? rank->lost_end_ns : rank->lost_ns;
    struct pag_rank_time time = {
        .mpi_ns = less(rank->has_end ? rank->mpi_end_ns : rank->mpi_ns, rank->mpi_begin_ns),
        .no_cpu_ns = less(lost_end_ns[LOST_OUTSIDE], rank->lost_begin_ns[LOST_OUTSIDE]),
        .blocked_ns = less(lost_end_ns[LOST_BLOCKED], rank->lost_begin_ns[LOST_BLOCKED]),
        .no_cpu_mpi_ns = less(lost_end_ns[LOST_INSIDE], rank->lost_begin_ns[LOST_INSIDE]),
    };
    uint64_t outside_ns =
        less(rank->has_end ? rank->useful_end_ns : rank->useful_ns, rank->useful_begin_ns);
    time.useful_ns = less(outside_ns, time.no_cpu_ns);
    if (rank->has_finalize && engine->has_window_end)
        time.ended_ns = less(engine->window_end_ns, rank->switch_ns > engine->window_begin_ns
                                                        ? rank->switch_ns
                                                        : engine->window_begin_ns);
    return time;
}

// --- recording off

static void switch_recording(struct engine *engine, struct location_state *location, bool is_off,
                             uint64_t time_ns)
{
    if (location->rank == NONE || !location->is_master)
        return;
    struct rank_state *rank = &engine->ranks[location->rank];
    switch_to(engine, rank, rank->in_mpi, time_ns);
    rank->is_off = is_off;
    if (is_off)
        rank->off_since_ns = time_ns;
    else
        rank->off_ns += time_ns - rank->off_since_ns;
}

void gap_event(struct engine *engine, struct location_state *location, const struct event *event,
               uint64_t time_ns)
{
    bool is_off = event->kind == EVENT_MEASUREMENT_OFF;
    bool has_switched = is_off != location->profile.is_off;
    if (location->digest)
        location->profile.is_off = is_off;
    else
        profile_switch(&location->profile, is_off, time_ns);
    if (!has_switched)
        return;
    switch_recording(engine, location, is_off, time_ns);
    thread_time_off(engine, location, is_off, time_ns);
}

void gap_end(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    if (!location->profile.is_off)
        return;
    switch_recording(engine, location, false, time_ns);
    if (location->rank != NONE && location->is_master)
        engine->ranks[location->rank].ends_off = true;
}

// SPDX-License-Identifier: BSD-3-Clause
// The time that efficiencies and findings cover: from the last leave of MPI_Init to the first enter
// of MPI_Finalize. The begin is only known to be the last one afterwards, so it moves with each
// leave of MPI_Init; a rank notes what it had used up to then at its next switch between
// computing and MPI.
#include "analyzer/pag/window.h"

#include "analyzer/pag/location/location.h"

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

/// Notes the sums at the window's edges that lie between the last switch and now.
static void note_edges(const struct engine *engine, struct rank_state *rank, uint64_t now_ns)
{
    if (rank->window_epoch != engine->window_epoch) {
        rank->window_epoch = engine->window_epoch;
        rank->useful_begin_ns = useful_at(rank, engine->window_begin_ns);
        rank->mpi_begin_ns = mpi_at(rank, engine->window_begin_ns);
        for (unsigned where = 0; where < 2; where++)
            rank->lost_begin_ns[where] = rank->lost_ns[where];
    }
    if (engine->has_window_end && !rank->has_end && now_ns >= engine->window_end_ns) {
        rank->has_end = true;
        rank->useful_end_ns = useful_at(rank, engine->window_end_ns);
        rank->mpi_end_ns = mpi_at(rank, engine->window_end_ns);
        for (unsigned where = 0; where < 2; where++)
            rank->lost_end_ns[where] = rank->lost_ns[where];
    }
}

/// What SEGMENTS lost up to TIME_NS.
static uint64_t lost_before(const struct cpu_segment *segments, uint32_t n_segments,
                            uint64_t time_ns)
{
    uint64_t lost_ns = 0;
    for (uint32_t i = 0; i < n_segments; i++)
        lost_ns += cpu_segment_lost_before(&segments[i], time_ns);
    return lost_ns;
}

void window_lose(const struct engine *engine, struct location_state *location,
                 const struct cpu_segment *segments, uint32_t n_segments, uint64_t time_ns)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    bool has_begun = rank->window_epoch == engine->window_epoch, has_end = rank->has_end;
    unsigned where = rank->in_mpi;
    note_edges(engine, rank, time_ns);
    if (!has_begun)
        rank->lost_begin_ns[where] += lost_before(segments, n_segments, engine->window_begin_ns);
    if (rank->has_end && !has_end)
        rank->lost_end_ns[where] += lost_before(segments, n_segments, engine->window_end_ns);
    rank->lost_ns[where] += lost_before(segments, n_segments, time_ns);
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

void window_begin_at(struct engine *engine, uint64_t time_ns)
{
    if (time_ns < engine->window_begin_ns)
        return;
    engine->window_begin_ns = time_ns;
    engine->window_epoch++;
    if (engine->listener.window_moved)
        engine->listener.window_moved(engine->listener.context);
}

void window_end_at(struct engine *engine, uint64_t time_ns)
{
    if (engine->has_window_end && time_ns >= engine->window_end_ns)
        return;
    engine->has_window_end = true;
    engine->window_end_ns = time_ns;
}

void window_place(const struct engine *engine, struct root *root, uint64_t enter_ns)
{
    root->window_end_ns = engine->has_window_end ? engine->window_end_ns : UINT64_MAX;
    root->in_window = enter_ns >= engine->window_begin_ns && enter_ns < root->window_end_ns;
}

void window_begin_root(struct root *root, const struct engine *engine,
                       const struct location_state *location, enum root_kind kind)
{
    root->kind = kind;
    root->location = location->index;
    root->rank = location->rank;
    root->call_path = location->call.path;
    window_place(engine, root, location->call.enter_ns);
}

void window_close(struct engine *engine, struct rank_state *rank, uint64_t time_ns)
{
    switch_to(engine, rank, rank->in_mpi, time_ns);
    rank->is_closed = true;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

struct pag_rank_time window_sum(const struct engine *engine, struct rank_state *rank)
{
    note_edges(engine, rank, UINT64_MAX);
    const uint64_t *lost_end_ns = rank->has_end ? rank->lost_end_ns : rank->lost_ns;
    struct pag_rank_time time = {
        .mpi_ns = difference(rank->has_end ? rank->mpi_end_ns : rank->mpi_ns, rank->mpi_begin_ns),
        .no_cpu_ns = difference(lost_end_ns[0], rank->lost_begin_ns[0]),
        .no_cpu_mpi_ns = difference(lost_end_ns[1], rank->lost_begin_ns[1]),
    };
    uint64_t outside_ns =
        difference(rank->has_end ? rank->useful_end_ns : rank->useful_ns, rank->useful_begin_ns);
    time.useful_ns = difference(outside_ns, time.no_cpu_ns);
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
    if (has_switched)
        switch_recording(engine, location, is_off, time_ns);
}

void gap_end(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    if (!location->profile.is_off)
        return;
    switch_recording(engine, location, false, time_ns);
    if (location->rank != NONE && location->is_master)
        engine->ranks[location->rank].ends_off = true;
}

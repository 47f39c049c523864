// SPDX-License-Identifier: BSD-3-Clause
// Threads of a team (OpenMP and its like): at the fork every member's lineage goes on from the
// forking thread's, at the join the joining thread's goes on from the last member out.
#include "analyzer/pag/engine.h"

static void fork_team(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    lineage_let_go(&engine->lineage, rank->fork_node);
    lineage_let_go(&engine->lineage, rank->team_node);
    rank->fork_node = head_cut(engine, location);
    rank->fork_ns = time_ns;
    rank->fork_location = location->index;
    rank->team_node = LINEAGE_NONE;
    rank->team_ns = 0;
}

static void begin_team(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    const struct rank_state *rank = &engine->ranks[location->rank];
    bool is_forker = location->index == rank->fork_location;
    if (rank->fork_node == LINEAGE_NONE || is_forker || time_ns < rank->fork_ns)
        return;
    head_take_over(engine, location, rank->fork_node, location->profile.current,
                   time_ns - rank->fork_ns, 0);
}

static void end_team(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    location->team_end_ns = time_ns;
    bool is_forker = location->index == rank->fork_location;
    if (rank->fork_node == LINEAGE_NONE || is_forker)
        return;
    bool is_last = rank->team_node == LINEAGE_NONE || time_ns > rank->team_ns ||
                   (time_ns == rank->team_ns && location->index < rank->team_location);
    if (!is_last)
        return;
    lineage_let_go(&engine->lineage, rank->team_node);
    rank->team_node = head_cut(engine, location);
    rank->team_ns = time_ns;
    rank->team_location = location->index;
}

static void join_team(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    if (rank->team_node != LINEAGE_NONE && rank->team_ns > location->team_end_ns &&
        rank->team_ns <= time_ns)
        head_take_over(engine, location, rank->team_node, location->profile.current,
                       time_ns - rank->team_ns, 0);
    lineage_let_go(&engine->lineage, rank->fork_node);
    lineage_let_go(&engine->lineage, rank->team_node);
    rank->fork_node = rank->team_node = LINEAGE_NONE;
}

void threads_event(struct engine *engine, struct location_state *location,
                   const struct event *event, uint64_t time_ns)
{
    if (location->rank == NONE)
        return;
    profile_account(location, time_ns);
    switch (event->kind) {
    case EVENT_THREAD_FORK:
        fork_team(engine, location, time_ns);
        break;
    case EVENT_THREAD_TEAM_BEGIN:
        begin_team(engine, location, time_ns);
        break;
    case EVENT_THREAD_TEAM_END:
        end_team(engine, location, time_ns);
        break;
    default:
        join_team(engine, location, time_ns);
    }
}

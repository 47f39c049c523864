// SPDX-License-Identifier: BSD-3-Clause
// The open end of a location's lineage: nothing is stored while time passes, only the paths touched
// since the last cut are known with their exclusive time at that moment (the mark). A cut turns the
// differences into a node.
#include "analyzer/pag/lineage/head.h"

#include "analyzer/pag/location/location.h"

void head_init(struct engine *engine, uint32_t location, struct head *head)
{
    *head =
        (struct head){.node = lineage_hold(&engine->lineage, LINEAGE_ROOT), .hand_over = location};
    times_init(&head->times);
    times_init(&head->lost);
}

void head_release(struct head *head)
{
    times_release(&head->times);
    times_release(&head->lost);
}

static void begin_leaf(struct head *head)
{
    times_mark(&head->times);
    times_mark(&head->lost);
    head->clock_repair_ns = 0;
    head->before_start_ns = 0;
}

/// Each path is added once.
static inline void add_if_any(struct tally *tally, uint32_t location, uint32_t path, int64_t ns)
{
    if (ns)
        tally_append(tally, activity_key(location, path), ns);
}

/// The paths of TIMES are counted as FIRST and on.
static void add_times(const struct times *times, uint32_t location, uint32_t first,
                      struct tally *tally)
{
    for (size_t i = 0; i < times->n_touched; i++)
        add_if_any(tally, location, first + times->touched[i],
                   (int64_t)times_since(times, times->touched[i]));
}

static void add_open_leaf(const struct location_state *location, struct tally *tally)
{
    const struct head *head = &location->head;
    add_times(&head->times, location->index, 0, tally);
    add_times(&head->lost, location->index, HEAD_LOST, tally);
    add_if_any(tally, location->index, PAG_PATH_CLOCK_REPAIR, head->clock_repair_ns);
    add_if_any(tally, location->index, PAG_PATH_BEFORE_START, (int64_t)head->before_start_ns);
}

uint32_t head_cut(struct engine *engine, struct location_state *location)
{
    struct head *head = &location->head;
    struct tally content;
    if (engine->options.only_times)
        return LINEAGE_NONE;
    tally_init(&content);
    add_open_leaf(location, &content);
    begin_leaf(head);
    // Right after a hand-over the node is the other location's.
    bool keeps = engine->lineage.hand_overs != NULL;
    bool is_other = lineage_since_ns(&engine->lineage, head->node) != head->since_ns ||
                    (keeps && lineage_hand_over(&engine->lineage, head->node) != head->hand_over);
    if (content.n_entries > 0 || is_other) {
        uint32_t node = lineage_extend(&engine->lineage, head->node, &content, head->since_ns);
        if (keeps)
            lineage_set_hand_over(&engine->lineage, node, head->hand_over);
        lineage_let_go(&engine->lineage, head->node);
        head->node = node;
    }
    return lineage_hold(&engine->lineage, head->node);
}

/// The number of a hand-over from NODE to LOCATION at BEGIN_NS.
static uint64_t tell_hand_over(const struct engine *engine, const struct location_state *location,
                               uint32_t node, uint64_t begin_ns)
{
    const struct pag_hand_over told = {.before = lineage_hand_over(&engine->lineage, node),
                                       .location = location->index,
                                       .begin_ns = begin_ns};
    return TELL(engine, handed_over, &told);
}

void head_take_over(struct engine *engine, struct location_state *location,
                    const struct hand_over *hand_over)
{
    struct head *head = &location->head;
    uint64_t released_ns = hand_over->released_ns, now_ns = hand_over->now_ns;
    uint64_t begin_ns = released_ns < now_ns ? released_ns : now_ns;
    if (engine->options.only_times)
        return;
    if (engine->lineage.hand_overs)
        head->hand_over = tell_hand_over(engine, location, hand_over->node, begin_ns);
    lineage_hold(&engine->lineage, hand_over->node);
    lineage_let_go(&engine->lineage, head->node);
    head->node = hand_over->node;
    head->since_ns = hand_over->since_ns;
    begin_leaf(head);
    head->clock_repair_ns = -(int64_t)(released_ns - begin_ns);
    struct path_time *time = times_at(&head->times, hand_over->path);
    time->mark_ns = time->exclusive_ns - (now_ns - begin_ns);
}

void head_sum(const struct engine *engine, const struct location_state *location, struct tally *sum)
{
    add_open_leaf(location, sum);
    lineage_sum(&engine->lineage, location->head.node, sum);
}

// --- explanations of waits

/// Takes the lineage of FROM away for MARK.
static void take_away(struct engine *engine, struct moment from, uint32_t mark)
{
    struct tally content;
    if (!from.is_open) {
        lineage_mark(&engine->lineage, from.node, mark, -1);
        return;
    }
    const struct location_state *location = &engine->locations[from.node];
    tally_init(&content);
    add_open_leaf(location, &content);
    lineage_mark_below(&engine->lineage, location->head.node, &content, mark, -1);
    tally_release(&content);
}

static void explain(struct engine *engine, enum pag_wait_kind kind, bool in_window,
                    struct moment from, struct moment to)
{
    struct pag_result *result = engine->result;
    struct pag_explanation *explanation =
        in_window ? &result->explanations[kind] : &result->outside_window[kind];
    uint32_t mark = in_window ? kind : PAG_WAIT_KINDS + kind;
    uint64_t since_ns = lineage_since_ns(&engine->lineage, to.node);
    uint64_t direct_ns = since_ns <= from.time_ns ? to.time_ns - from.time_ns
                         : since_ns >= to.time_ns ? 0
                                                  : to.time_ns - since_ns;
    lineage_mark(&engine->lineage, to.node, mark, 1);
    take_away(engine, from, mark);
    explanation->explained_ns += to.time_ns - from.time_ns;
    explanation->direct_ns += direct_ns;
}

void explain_wait(struct engine *engine, enum pag_wait_kind kind, struct waiting_call call,
                  struct moment *from, struct moment to)
{
    if (to.time_ns <= from->time_ns)
        return;
    if (to.time_ns > call.leave_ns)
        to = (struct moment){.time_ns = call.leave_ns, .node = LINEAGE_NONE};
    uint64_t end_ns = engine->has_window_end ? engine->window_end_ns : UINT64_MAX;
    bool in_window = call.enter_ns >= engine->window_begin_ns && to.time_ns <= end_ns;
    if (from->node != LINEAGE_NONE && to.node != LINEAGE_NONE)
        explain(engine, kind, in_window, *from, to);
    *from = to;
}

void explain_window_anew(struct engine *engine)
{
    bool has_any = false;
    for (int kind = 0; kind < PAG_WAIT_KINDS; kind++) {
        struct pag_explanation *inside = &engine->result->explanations[kind];
        struct pag_explanation *outside = &engine->result->outside_window[kind];
        has_any = has_any || inside->explained_ns > 0;
        outside->explained_ns += inside->explained_ns;
        outside->direct_ns += inside->direct_ns;
        inside->explained_ns = inside->direct_ns = 0;
    }
    if (has_any)
        lineage_leave_window(&engine->lineage);
}

// --- teams of threads (OpenMP and its like)

/// The most that is found of a process counts.
static void note_threading(struct rank_state *rank, enum pag_threading threading)
{
    if (threading > rank->threading)
        rank->threading = threading;
}

static void fork_team(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    bool is_plain = location->is_master && !rank->has_team;
    note_threading(rank, is_plain ? PAG_TEAMS : PAG_CREATED);
    rank->has_team = true;
    lineage_let_go(&engine->lineage, rank->fork_node);
    lineage_let_go(&engine->lineage, rank->team_node);
    rank->fork_node = head_cut(engine, location);
    rank->fork_ns = time_ns;
    rank->fork_location = location->index;
    rank->team_node = LINEAGE_NONE;
    rank->team_ns = 0;
}

/// From NODE of another location of the rank, which released this one at RELEASED_NS.
static void take_over_in_team(struct engine *engine, struct location_state *location, uint32_t node,
                              uint64_t released_ns, uint64_t time_ns)
{
    head_take_over(engine, location,
                   &(struct hand_over){.node = node,
                                       .released_ns = released_ns,
                                       .since_ns = lineage_since_ns(&engine->lineage, node),
                                       .now_ns = time_ns,
                                       .path = location->profile.current});
}

static void begin_team(struct engine *engine, struct location_state *location, uint64_t time_ns)
{
    const struct rank_state *rank = &engine->ranks[location->rank];
    bool is_forker = location->index == rank->fork_location;
    if (rank->fork_node == LINEAGE_NONE || is_forker || time_ns < rank->fork_ns)
        return;
    take_over_in_team(engine, location, rank->fork_node, rank->fork_ns, time_ns);
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
        take_over_in_team(engine, location, rank->team_node, rank->team_ns, time_ns);
    rank->has_team = false;
    lineage_let_go(&engine->lineage, rank->fork_node);
    lineage_let_go(&engine->lineage, rank->team_node);
    rank->fork_node = rank->team_node = LINEAGE_NONE;
}

/// How long LOCATION has been in its present call path since its lineage was cut: since it entered
/// the call that waits, and in calls from the same place before that waited for nothing.
static uint64_t time_here_ns(const struct location_state *location)
{
    const struct times *times = &location->head.times;
    uint32_t path = location->profile.current;
    bool is_touched = path < times->n_paths && times->paths[path].epoch == times->epoch;
    return is_touched ? times_since(times, path) : 0;
}

/// A thread is made or ends, which leaves a lineage, or begins or is awaited, which goes on from
/// it. Each location of the process holds one of these; where more threads than that are not yet
/// awaited, the latest are known.
static void created_event(struct engine *engine, struct location_state *location,
                          const struct event *event, uint64_t time_ns)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    uint32_t holder = rank->first_location + (uint32_t)(event->size_bytes % rank->n_locations);
    struct location_state *held = &engine->locations[holder];
    bool leaves = event->kind == EVENT_THREAD_FORK || event->kind == EVENT_THREAD_TEAM_END;
    bool is_over = event->kind == EVENT_THREAD_TEAM_END || event->kind == EVENT_THREAD_JOIN;
    bool is_same = held->created.number == event->size_bytes && held->created.is_over == is_over;
    uint32_t node = held->created.node;
    uint64_t left_ns = held->created.time_ns;
    note_threading(rank, leaves || is_same ? PAG_CREATED : PAG_OTHER_THREADING);
    if (!leaves && !is_same)
        return;
    bool is_awaited =
        event->kind != EVENT_THREAD_JOIN || time_ns - left_ns <= time_here_ns(location);
    if (!leaves && node != LINEAGE_NONE && left_ns <= time_ns && is_awaited)
        take_over_in_team(engine, location, node, left_ns, time_ns);
    lineage_let_go(&engine->lineage, node);
    held->created.node = leaves ? head_cut(engine, location) : LINEAGE_NONE;
    held->created.number = leaves ? event->size_bytes : UINT64_MAX; // begins and is awaited once
    held->created.time_ns = time_ns;
    held->created.is_over = is_over;
}

void threads_event(struct engine *engine, struct location_state *location,
                   const struct event *event, uint64_t time_ns)
{
    if (location->rank == NONE)
        return;
    if (event_is_of_created(event)) {
        created_event(engine, location, event, time_ns);
        return;
    }
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

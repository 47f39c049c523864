// SPDX-License-Identifier: BSD-3-Clause
// Moved work (see migration.h). Which message an interval's work goes along with is found by
// looking ahead in the records of its location when the interval has been read.
#include "analyzer/simulation/change/migration.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/engine.h"
#include "analyzer/simulation/change/client_server.h"
#include "analyzer/simulation/simulation.h"

enum { MAX_AHEAD = 65536 }; // events

/// Work on its way.
struct load {
    pag_work work;
    uint32_t region; // the outermost one of its call path that is moved
    uint32_t move, receiver;
};

struct migration_location {
    struct load *leaving; // what was cut out and waits for its message, one a receiver
    size_t n_leaving, leaving_capacity;
    struct load arrived; // what was received and is to be done
    uint64_t n_arrived;  // messages it came with
    struct client_server process;
};

struct migration {
    struct migration_location *locations;
    size_t n_locations;
    struct load *loads; // by message
    size_t loads_capacity;
    struct client_server_load *client_server_loads; // by message
    size_t client_server_capacity;
    pag_work moved[PAG_MAX_MOVES], stayed[PAG_MAX_MOVES];
    uint64_t n_messages[PAG_MAX_MOVES];
};

struct migration *migration_new(const struct scenario *scenario, size_t n_locations)
{
    if (scenario->moves.n_moves == 0)
        return NULL;
    struct migration *migration = memory_zeroed(1, sizeof *migration);
    migration->n_locations = n_locations;
    migration->locations = memory_zeroed(n_locations, sizeof *migration->locations);
    return migration;
}

void migration_free(struct migration *migration)
{
    if (!migration)
        return;
    for (size_t i = 0; i < migration->n_locations; i++) {
        client_server_release(&migration->locations[i].process);
        free(migration->locations[i].leaving);
    }
    free(migration->locations);
    free(migration->loads);
    free(migration->client_server_loads);
    free(migration);
}

static struct migration_location *state_of(const struct engine *engine,
                                           const struct location_state *location)
{
    return &simulation_of(engine)->migration->locations[location->index];
}

static uint32_t move_of(const struct engine *engine, const struct location_state *location,
                        uint32_t moves, uint32_t receiver)
{
    return moves_move_of(&prediction_of(engine)->scenario->moves, moves, location->rank, receiver);
}

// --- who gets it

/// How many regions LOCATION has to leave until none that is moved is open.
static uint32_t moved_levels(struct engine *engine, struct location_state *location)
{
    const struct profile *profile = &location->profile;
    uint32_t levels = 0, n = 1;
    for (uint32_t path = profile->current; path != 0; path = profile->paths[path].parent, n++)
        if (interval_change(engine, location, path).moves != 0)
            levels = n;
    return levels;
}

/// World rank EVENT is sent to, NONE if it is not in the trace.
static uint32_t receiver_of(const struct engine *engine, const struct location_state *location,
                            const struct event *event)
{
    return communicator_peer(&engine->definitions->communicators[event->index], location->rank,
                             event->peer);
}

/// Whether the message to RECEIVER recorded as EVENT is not sent (left_out.h).
static bool is_left_out(const struct engine *engine, const struct location_state *location,
                        const struct event *event, uint32_t receiver)
{
    const struct message_cuts *cuts = &prediction_of(engine)->scenario->cuts;
    uint64_t size_bytes = event->size_bytes;
    return cuts->n > 0 && receiver != NONE &&
           !message_cuts_sends(cuts, location->rank, receiver, event->tag, &size_bytes);
}

/// For whom LOCATION does work of MOVES (bits) that it does before its next unread event; NONE: for
/// itself.
static uint32_t find_receiver(struct engine *engine, struct location_state *location,
                              uint32_t moves)
{
    uint32_t levels = moved_levels(engine, location), depth = 0;
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event =
            trace_peek(engine->trace, location->index, location->cursor, ahead);
        if (!event)
            return NONE;
        uint32_t receiver;
        switch (event->kind) {
        case EVENT_ENTER:
            depth++;
            break;
        case EVENT_LEAVE:
            if (depth > 0)
                depth--;
            else if (levels > 0)
                levels--;
            break;
        case EVENT_SEND:
        case EVENT_ISEND:
            receiver = receiver_of(engine, location, event);
            if (is_left_out(engine, location, event, receiver))
                break;
            if (receiver != NONE && move_of(engine, location, moves, receiver) < PAG_MAX_MOVES)
                return receiver;
            if (levels == 0)
                return NONE;
            break;
        case EVENT_COLLECTIVE_BEGIN:
        case EVENT_COLLECTIVE_END:
        case EVENT_COLLECTIVE_REQUEST:
            return NONE;
        default:
            break;
        }
    }
    return NONE;
}

// --- the sender

/// The outermost region of PATH that MOVE names.
static uint32_t moved_region(struct engine *engine, struct location_state *location, uint32_t path,
                             uint32_t move)
{
    const struct path *paths = location->profile.paths;
    uint32_t region = NONE;
    for (; path != 0; path = paths[path].parent)
        if (paths[path].region != NONE &&
            (interval_change(engine, location, path).moves >> move & 1) != 0)
            region = paths[path].region;
    return region;
}

static uint32_t first_move(uint32_t moves)
{
    return (uint32_t)__builtin_ctz(moves);
}

/// What leaves for RECEIVER; NULL: nothing.
static struct load *find_leaving(const struct migration_location *state, uint32_t receiver)
{
    for (size_t i = 0; i < state->n_leaving; i++)
        if (state->leaving[i].receiver == receiver)
            return &state->leaving[i];
    return NULL;
}

/// A part of LOCATION's interval, OWN of its work, that moves name: cuts it out if it goes to
/// RECEIVER.
static void take_part(struct engine *engine, struct location_state *location,
                      struct interval_part *part, pag_work own, uint32_t receiver)
{
    struct migration *migration = simulation_of(engine)->migration;
    struct migration_location *state = state_of(engine, location);
    uint32_t move =
        receiver == NONE ? PAG_MAX_MOVES : move_of(engine, location, part->moves, receiver);
    client_server_procedure(&state->process, part->moves, own);
    if (move == PAG_MAX_MOVES) {
        migration->stayed[first_move(part->moves)] += own;
        return;
    }
    part->is_moved = true;
    migration->moved[move] += own;
    struct load *load = find_leaving(state, receiver);
    if (!load) {
        state->leaving = array_reserve(state->leaving, &state->leaving_capacity,
                                       state->n_leaving + 1, sizeof *state->leaving);
        load = &state->leaving[state->n_leaving++];
        *load = (struct load){.region = moved_region(engine, location, part->path, move),
                              .move = move,
                              .receiver = receiver};
    }
    load->work += own;
}

pag_work migration_cut(struct engine *engine, struct location_state *location,
                       struct interval *interval, pag_work work)
{
    pag_work cut = 0, before = 0, scaled = 0, set = 0;
    uint32_t moves = 0, receiver = NONE; // for whom work of these moves is done
    client_server_work(&state_of(engine, location)->process, work);
    if (work == 0)
        return 0;
    for (uint32_t i = 0; i < interval->n_parts; i++) {
        struct interval_part *part = &interval->parts[i];
        scaled += (pag_work)part->recorded_ns * part->scale;
        set += part->work;
        // Of the first parts together, so that the sum of all is exact.
        pag_work up_to = set;
        if (scaled > 0)
            up_to += interval->process_ns * scaled / interval->recorded_ns;
        pag_work own = up_to - before;
        before = up_to;
        if (part->moves == 0 || own == 0)
            continue;
        if (part->moves != moves) { // another message may take it along
            moves = part->moves;
            receiver = find_receiver(engine, location, moves);
        }
        take_part(engine, location, part, own, receiver);
        if (part->is_moved)
            cut += own;
    }
    return cut;
}

uint64_t migration_sent(struct engine *engine, const struct location_state *location,
                        uint32_t message_index)
{
    struct migration *migration = simulation_of(engine)->migration;
    struct migration_location *state = state_of(engine, location);
    const struct scenario *scenario = prediction_of(engine)->scenario;
    const struct message *message = message_at(engine, message_index);
    migration->loads = array_reserve(migration->loads, &migration->loads_capacity,
                                     message_index + 1, sizeof *migration->loads);
    migration->client_server_loads =
        array_reserve(migration->client_server_loads, &migration->client_server_capacity,
                      message_index + 1, sizeof *migration->client_server_loads);
    struct load *load = &migration->loads[message_index];
    *load = (struct load){0};
    if (message->is_left_out) // nobody receives it
        return 0;
    migration->client_server_loads[message_index] =
        client_server_send(&state->process, &scenario->moves, location->rank, message->receiver);
    struct load *leaving = find_leaving(state, message->receiver);
    if (!leaving)
        return 0;
    *load = *leaving;
    *leaving = state->leaving[--state->n_leaving];
    migration->n_messages[load->move]++;
    return scenario->settings->move_data_bytes;
}

// --- the receiver

void migration_left(struct engine *engine, const struct location_state *location)
{
    struct migration *migration = simulation_of(engine)->migration;
    struct migration_location *state = state_of(engine, location);
    const struct call *call = &location->call;
    if (call->is_init) // starting up is no process time, but nobody can do without
        client_server_work(&state->process,
                           (pag_work)(call->leave_ns - call->enter_ns) * PAG_WORK_PER_NS);
    for (uint32_t i = 0; i < call->n_receives; i++) {
        uint32_t message = receive_at(engine, call->receives[i])->message;
        if (message == NONE)
            continue;
        client_server_receive(&state->process, &migration->client_server_loads[message]);
        const struct load *load = &migration->loads[message];
        if (load->work == 0)
            continue;
        if (state->arrived.work == 0)
            state->arrived.region = load->region;
        state->arrived.work += load->work;
        state->n_arrived++;
    }
}

pag_work migration_arrived(struct engine *engine, struct location_state *location, uint32_t *path,
                           uint64_t *n_visits)
{
    struct migration_location *state = state_of(engine, location);
    pag_work work = state->arrived.work;
    if (work == 0)
        return 0;
    *path = location->profile.current;
    if (state->arrived.region != NONE) // else work outside of all regions
        *path = profile_child(&location->profile, *path, state->arrived.region);
    *n_visits = state->n_arrived;
    state->arrived = (struct load){0};
    state->n_arrived = 0;
    return work;
}

// --- the papers' algorithm, and the end

void migration_worked(struct engine *engine, const struct location_state *location, pag_work work)
{
    client_server_work(&state_of(engine, location)->process, work);
}

void migration_began(struct engine *engine, const struct location_state *location, uint64_t now_ns)
{
    migration_worked(engine, location, (pag_work)now_ns * PAG_WORK_PER_NS);
}

static void raise_to(uint64_t *ns, pag_work work)
{
    if (work / PAG_WORK_PER_NS > *ns)
        *ns = (uint64_t)(work / PAG_WORK_PER_NS);
}

void migration_conclude(struct engine *engine)
{
    const struct migration *migration = simulation_of(engine)->migration;
    struct pag_migration *out = memory_zeroed(1, sizeof *out);
    for (int i = 0; i < PAG_MAX_MOVES; i++)
        out->moves[i] = (struct pag_move){
            .moved_ns = (uint64_t)(migration->moved[i] / PAG_WORK_PER_NS),
            .stayed_ns = (uint64_t)(migration->stayed[i] / PAG_WORK_PER_NS),
            .n_messages = migration->n_messages[i],
        };
    for (size_t i = 0; i < migration->n_locations; i++) {
        const struct client_server *process = &migration->locations[i].process;
        raise_to(&out->client_server_ns, process->longest);
        raise_to(&out->in_turn_ns, process->in_turn);
        raise_to(&out->unchanged_ns, process->unchanged);
    }
    engine->result->migration = out;
}

// SPDX-License-Identifier: BSD-3-Clause
// Moved work (see move.h). Which message a computation's work goes along with is found by looking
// ahead in the records of its location when the computation has been read.
#include "analyzer/simulation/change/move.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/simulation/change/cut_messages.h"
#include "analyzer/simulation/change/region_pattern.h"
#include "analyzer/simulation/change/scale.h"
#include "analyzer/simulation/state.h"

// --- what --move names

void moves_release(struct moves *moves)
{
    FREE_MEMBERS(moves->moves, moves->n_moves, from, to);
    free(moves->moves);
    *moves = (struct moves){0};
}

int moves_check_form(const char *text, struct error *err)
{
    const char *equals = strrchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    if (!colon || equals == text)
        return error_set(err, "--move %s: not of the form REGION=FROM:TO, such as serve=0:1-3",
                         text);
    const char *from = equals + 1, *to = colon + 1;
    size_t from_length = (size_t)(colon - from);
    uint32_t rank;
    if (rank_list_check(from, from_length, err) != 0 || rank_list_check(to, strlen(to), err) != 0)
        return error_wrap(err, "--move %s", text);
    if (rank_lists_meet(from, from_length, to, strlen(to), &rank))
        return error_set(err, "--move %s: rank %" PRIu32 " cannot be on both sides", text, rank);
    return 0;
}

static int read_move(struct scenario *scenario, uint32_t n_ranks, const char *text,
                     struct error *err)
{
    struct move *move = &scenario->moves.moves[scenario->moves.n_moves++];
    *move = (struct move){.from = memory_zeroed(n_ranks, sizeof(bool)),
                          .to = memory_zeroed(n_ranks, sizeof(bool))};
    if (moves_check_form(text, err) != 0)
        return -1;
    const char *equals = strrchr(text, '='), *colon = strchr(equals, ':');
    size_t from_length = (size_t)(colon - equals - 1);
    if (rank_list_read(equals + 1, from_length, n_ranks, move->from, err) != 0 ||
        rank_list_read(colon + 1, strlen(colon + 1), n_ranks, move->to, err) != 0)
        return error_wrap(err, "--move %s", text);
    SCOPED char *pattern = memory_format("%.*s", (int)(equals - text), text);
    return region_patterns_add(scenario->regions, "--move", pattern, REGION_COMPUTING,
                               &move->region, err);
}

int moves_init(struct scenario *scenario, const struct definitions *definitions, struct error *err)
{
    const struct scenario_settings *settings = scenario->settings;
    scenario->moves.moves = memory_zeroed(settings->n_moves, sizeof *scenario->moves.moves);
    if (settings->n_moves > SIMULATED_MAX_MOVES)
        return error_set(err, "--move: more than %d of them", SIMULATED_MAX_MOVES);
    for (size_t i = 0; i < settings->n_moves; i++)
        if (read_move(scenario, (uint32_t)definitions->n_ranks, settings->moves[i], err) != 0)
            return -1;
    return 0;
}

/// The moves, bits, that name PATH of LOCATION.
static uint32_t moves_of_path(const struct engine *engine, const struct location_state *location,
                              uint32_t path)
{
    const struct scenario *scenario = prediction_of(engine)->scenario;
    const struct moves *moves = &scenario->moves;
    uint64_t inside = path_inside(engine, location, path_mark(engine, location, path));
    uint32_t bits = 0;
    for (uint32_t i = 0; i < moves->n_moves; i++)
        if (moves->moves[i].from[location->rank] && inside >> moves->moves[i].region & 1)
            bits |= UINT32_C(1) << i;
    return bits;
}

/// The first of the moves BITS by which work of rank FROM goes along with a message to rank TO,
/// SIMULATED_MAX_MOVES: none.
static uint32_t move_of(const struct moves *moves, uint32_t bits, uint32_t from, uint32_t to)
{
    for (uint32_t i = 0; i < moves->n_moves; i++)
        if ((bits >> i & 1) != 0 && moves->moves[i].from[from] && moves->moves[i].to[to])
            return i;
    return SIMULATED_MAX_MOVES;
}

// --- the papers' algorithm
// Procedure migration as Eom and Hollingsworth compute it for client/server programs ("A Tool to
// Help Tune Where Computation is Performed", procedure LBF): the longest path of process time, with
// the time of a procedure F moved from the sender of a message to its receiver. Each process has
// `longest`, the path so far, and F, the time of the procedure since the last event of messages.
//
//   send      longest and F travel with the message; then longest -= F, F = 0
//   receive   of (Cs, rF) with Cr the own longest: if Cs > Cr (the receiver waited) longest =
//             max(Cs - rF, Cr + rF), else Cr + rF; then F = 0
//
// Only messages are events, and they take no time: so it differs from a prediction where those take
// time, where collectives make ranks wait, where cores are shared, and where the procedure works
// across messages; and it lets moved work be done while its new rank waits for the message.

/// F of one set of moves (bits).
struct client_server_piece {
    uint32_t moves;
    pag_work work;
};

/// A process.
struct client_server {
    pag_work longest;   // with F moved
    pag_work in_turn;   // the same, but F is done after the message has come: max(Cs - rF, Cr) + rF
    pag_work unchanged; // F not moved
    struct client_server_piece *pieces;
    size_t n_pieces, pieces_capacity;
};

/// What a message takes along.
struct client_server_load {
    pag_work longest, in_turn, unchanged, procedure;
};

static void client_server_release(struct client_server *process)
{
    free(process->pieces);
    *process = (struct client_server){0};
}

static void client_server_work(struct client_server *process, pag_work work)
{
    process->longest += work;
    process->in_turn += work;
    process->unchanged += work;
}

static void client_server_procedure(struct client_server *process, uint32_t moves, pag_work work)
{
    for (size_t i = 0; i < process->n_pieces; i++) {
        if (process->pieces[i].moves == moves) {
            process->pieces[i].work += work;
            return;
        }
    }
    *ARRAY_NEXT(process->pieces, process->n_pieces, process->pieces_capacity) =
        (struct client_server_piece){moves, work};
}

static struct client_server_load client_server_send(struct client_server *process,
                                                    const struct moves *moves, uint32_t from,
                                                    uint32_t to)
{
    struct client_server_load load = {
        .longest = process->longest, .in_turn = process->in_turn, .unchanged = process->unchanged};
    for (size_t i = 0; i < process->n_pieces; i++)
        if (move_of(moves, process->pieces[i].moves, from, to) < SIMULATED_MAX_MOVES)
            load.procedure += process->pieces[i].work;
    process->longest -= load.procedure;
    process->in_turn -= load.procedure;
    process->n_pieces = 0;
    return load;
}

static pag_work later(pag_work a, pag_work b)
{
    return a > b ? a : b;
}

static void client_server_receive(struct client_server *process,
                                  const struct client_server_load *load)
{
    pag_work with_moved = process->longest + load->procedure;
    bool has_waited = load->longest > process->longest;
    process->longest = has_waited ? later(load->longest - load->procedure, with_moved) : with_moved;
    process->in_turn = later(load->in_turn - load->procedure, process->in_turn) + load->procedure;
    process->unchanged = later(process->unchanged, load->unchanged);
    process->n_pieces = 0;
}

// --- work on its way

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
    struct message_load {
        struct load load;
        struct client_server_load client_server;
    } * loads; // by message
    size_t loads_capacity;
    pag_work moved[SIMULATED_MAX_MOVES], stayed[SIMULATED_MAX_MOVES];
    uint64_t n_messages[SIMULATED_MAX_MOVES];
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
    FREE_ALL(migration->locations, migration->loads, migration);
}

static struct migration_location *state_of(const struct engine *engine,
                                           const struct location_state *location)
{
    return &prediction_of(engine)->migration->locations[location->index];
}

static const struct scenario *scenario_of(const struct engine *engine)
{
    return prediction_of(engine)->scenario;
}

// --- who gets it

/// How many regions LOCATION has to leave until none that is moved is open.
static uint32_t moved_levels(struct engine *engine, struct location_state *location)
{
    const struct profile *profile = &location->profile;
    uint32_t levels = 0, n = 1;
    for (uint32_t path = profile->current; path != 0; path = profile->paths[path].parent, n++)
        if (moves_of_path(engine, location, path) != 0)
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

/// Whether the message to RECEIVER recorded as EVENT is not sent (cut_messages.h).
static bool is_left_out(const struct engine *engine, const struct location_state *location,
                        const struct event *event, uint32_t receiver)
{
    uint64_t size_bytes = event->size_bytes;
    return receiver != NONE && !message_cuts_sends(scenario_of(engine), location->rank, receiver,
                                                   event->tag, &size_bytes);
}

/// For whom LOCATION does work of MOVES (bits) that it does before its next unread event; NONE: for
/// itself.
static uint32_t find_receiver(struct engine *engine, struct location_state *location,
                              uint32_t moves)
{
    uint32_t levels = moved_levels(engine, location), depth = 0;
    for (uint32_t ahead = 0; ahead < MAX_AHEAD; ahead++) {
        const struct event *event = event_ahead(engine, location, ahead);
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
            if (receiver != NONE && move_of(&scenario_of(engine)->moves, moves, location->rank,
                                            receiver) < SIMULATED_MAX_MOVES)
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
        if (paths[path].region != NONE && (moves_of_path(engine, location, path) >> move & 1) != 0)
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

/// A part of LOCATION's computation, OWN of its work, that MOVES name (bits): cuts it out if it
/// goes to RECEIVER.
static void take_part(struct engine *engine, struct location_state *location,
                      struct computation_part *part, uint32_t moves, pag_work own,
                      uint32_t receiver)
{
    struct migration *migration = prediction_of(engine)->migration;
    struct migration_location *state = state_of(engine, location);
    uint32_t move = SIMULATED_MAX_MOVES;
    if (receiver != NONE)
        move = move_of(&scenario_of(engine)->moves, moves, location->rank, receiver);
    client_server_procedure(&state->process, moves, own);
    if (move == SIMULATED_MAX_MOVES) {
        migration->stayed[first_move(moves)] += own;
        return;
    }
    part->is_moved = true;
    migration->moved[move] += own;
    struct load *load = find_leaving(state, receiver);
    if (!load) {
        load = ARRAY_NEXT(state->leaving, state->n_leaving, state->leaving_capacity);
        *load = (struct load){.region = moved_region(engine, location, part->path, move),
                              .move = move,
                              .receiver = receiver};
    }
    load->work += own;
}

pag_work migration_cut(struct engine *engine, struct location_state *location)
{
    struct computation *computation = &simulated_location(engine, location)->computation;
    pag_work cut = 0, before = 0, scaled = 0, set = 0;
    uint32_t moves = 0, receiver = NONE; // for whom work of these moves is done
    client_server_work(&state_of(engine, location)->process, computation->work);
    if (computation->work == 0)
        return 0;
    for (uint32_t i = 0; i < computation->n_parts; i++) {
        struct computation_part *part = &computation->parts[i];
        scaled += (pag_work)part->recorded_ns * part->scale;
        set += part->work;
        // Of the first parts together, so that the sum of all is exact.
        pag_work up_to = set;
        if (scaled > 0)
            up_to += computation->process_ns * scaled / computation->recorded_ns;
        pag_work own = up_to - before;
        before = up_to;
        uint32_t of_part = own == 0 ? 0 : moves_of_path(engine, location, part->path);
        if (of_part == 0)
            continue;
        if (of_part != moves) { // another message may take it along
            moves = of_part;
            receiver = find_receiver(engine, location, moves);
        }
        take_part(engine, location, part, moves, own, receiver);
        if (part->is_moved)
            cut += own;
    }
    return cut;
}

uint64_t migration_sent(struct engine *engine, const struct location_state *location,
                        uint32_t message_index)
{
    struct migration *migration = prediction_of(engine)->migration;
    struct migration_location *state = state_of(engine, location);
    const struct scenario *scenario = scenario_of(engine);
    const struct message *message = message_at(engine, message_index);
    migration->loads = array_reserve(migration->loads, &migration->loads_capacity,
                                     message_index + 1, sizeof *migration->loads);
    struct message_load *along = &migration->loads[message_index];
    along->load = (struct load){0};
    if (message->is_left_out) // it is not received
        return 0;
    along->client_server =
        client_server_send(&state->process, &scenario->moves, location->rank, message->receiver);
    struct load *leaving = find_leaving(state, message->receiver);
    if (!leaving)
        return 0;
    along->load = *leaving;
    *leaving = state->leaving[--state->n_leaving];
    migration->n_messages[along->load.move]++;
    return scenario->settings->move_data_bytes;
}

// --- the receiver

void migration_left(struct engine *engine, const struct location_state *location)
{
    struct migration *migration = prediction_of(engine)->migration;
    struct migration_location *state = state_of(engine, location);
    const struct call *call = &location->call;
    if (call->is_init) // starting up is no process time, but each rank needs it
        client_server_work(&state->process,
                           (pag_work)(call->leave_ns - call->enter_ns) * PAG_WORK_PER_NS);
    for (uint32_t i = 0; i < call->n_receives; i++) {
        uint32_t message = receive_at(engine, call->receives[i])->message;
        if (message == NONE || message_at(engine, message)->is_of_window)
            continue;
        const struct load *load = &migration->loads[message].load;
        client_server_receive(&state->process, &migration->loads[message].client_server);
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

// --- the end

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
    const struct migration *migration = prediction_of(engine)->migration;
    struct simulated *out = simulated_of(engine);
    for (int i = 0; i < SIMULATED_MAX_MOVES; i++)
        out->moves[i] = (struct simulated_move){
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
}

// SPDX-License-Identifier: BSD-3-Clause
// Messages whose receiver needs a core to take note of them (see steps.h).
#include "analyzer/simulation/steps.h"

#include "analyzer/base/memory.h"

/// A message that is available and that its receiver has not taken note of.
struct unseen {
    uint32_t message;
    uint64_t number; // another one in its place has another number: this one is gone
};

/// What a rank has not taken note of.
struct unseen_messages {
    struct unseen *items;
    size_t n, capacity;
    bool is_early; // it waits for a core to do so before its call has what it waits for
};

struct attention {
    struct unseen_messages *ranks;
    size_t n_ranks;
};

struct attention *attention_new(const struct prediction *prediction)
{
    if (!prediction->has_slices || prediction->scenario->buffered_bytes == PAG_NOT_KNOWN)
        return NULL;
    struct attention *attention = memory_new(sizeof *attention);
    attention->n_ranks = prediction->definitions->n_ranks;
    attention->ranks = memory_zeroed(attention->n_ranks, sizeof *attention->ranks);
    return attention;
}

void attention_free(struct attention *attention)
{
    if (!attention)
        return;
    FREE_MEMBERS(attention->ranks, attention->n_ranks, items);
    FREE_ALL(attention->ranks, attention);
}

bool attention_is_needed(const struct prediction *prediction, const struct message *message,
                         uint64_t size_bytes, bool is_rendezvous)
{
    if (!prediction->attention || message->sender == message->receiver || message->is_of_window ||
        (!message->is_standard && !message->is_synchronous))
        return false;
    const struct scenario *scenario = prediction->scenario;
    const struct rank *receiver = &prediction->definitions->ranks[message->receiver];
    bool is_remote = scopes_is_remote(&scenario->scopes, site_of(prediction, message->sender),
                                      site_of(prediction, message->receiver));
    return size_bytes > scenario->buffered_bytes && (is_rendezvous || !is_remote) &&
           receiver->n_locations == 1 &&
           scheduler_has_slices(prediction->scheduler, receiver->master);
}

/// The only location of RANK.
static struct location_state *location_of(struct engine *engine, uint32_t rank)
{
    return &engine->locations[engine->definitions->ranks[rank].master];
}

static bool is_waiting(const struct location_simulation *state)
{
    return state->phase == SIMULATION_BLOCKED || state->phase == SIMULATION_LEAVING;
}

static void take(struct engine *engine, uint32_t index, uint64_t now_ns)
{
    prediction_of(engine)->messages[index].taken_ns = now_ns;
    blocked_try_again(engine, message_at(engine, index)->sender);
}

void attention_wanted(struct engine *engine, uint32_t index)
{
    struct prediction *prediction = prediction_of(engine);
    const struct message_simulation *times = &prediction->messages[index];
    const struct message *message = message_at(engine, index);
    if (!times->needs_core || times->taken_ns != PAG_NOT_KNOWN ||
        times->departed_ns == PAG_NOT_KNOWN ||
        (times->is_rendezvous && !message->is_matched && !times->knows_receive))
        return;
    struct location_state *location = location_of(engine, message->receiver);
    const struct location_simulation *state = simulated_location(engine, location);
    struct scheduler *scheduler = prediction->scheduler;
    bool waits = location->call.attends && is_waiting(state) &&
                 scheduler_is_waiting(scheduler, location->index);
    if (waits && scheduler_waits_with_core(scheduler, location->index, prediction->now_ns)) {
        take(engine, index, prediction->now_ns);
        return;
    }
    struct unseen_messages *of = &prediction->attention->ranks[message->receiver];
    *ARRAY_NEXT(of->items, of->n, of->capacity) = (struct unseen){index, times->number};
    if (waits && state->phase == SIMULATION_BLOCKED)
        scheduler_wake_by(scheduler, location->index, prediction->now_ns);
    else if (waits)
        attention_wake(engine, location, state->ready_ns, state->work_after);
}

void attention_give(struct engine *engine, const struct location_state *location, uint64_t now_ns)
{
    struct prediction *prediction = prediction_of(engine);
    if (!prediction->attention || location->rank == NONE || !location->call.attends ||
        !scheduler_has_core(prediction->scheduler, location->index))
        return;
    struct unseen_messages *of = &prediction->attention->ranks[location->rank];
    while (of->n > 0) {
        struct unseen unseen = of->items[--of->n];
        if (prediction->messages[unseen.message].number == unseen.number)
            take(engine, unseen.message, now_ns);
    }
}

void attention_wake(const struct engine *engine, const struct location_state *location,
                    uint64_t ready_ns, pag_work work)
{
    const struct prediction *prediction = prediction_of(engine);
    struct scheduler *scheduler = prediction->scheduler;
    bool is_early = false;
    if (prediction->attention && location->rank != NONE) {
        struct unseen_messages *of = &prediction->attention->ranks[location->rank];
        is_early = of->n > 0 && location->call.attends && prediction->now_ns < ready_ns;
        of->is_early = is_early;
    }
    scheduler_wake(scheduler, location->index, is_early ? prediction->now_ns : ready_ns,
                   is_early ? 0 : work);
}

bool attention_step(struct engine *engine, struct location_state *location, uint64_t now_ns)
{
    struct prediction *prediction = prediction_of(engine);
    const struct location_simulation *state = simulated_location(engine, location);
    if (!prediction->attention || location->rank == NONE ||
        !prediction->attention->ranks[location->rank].is_early)
        return false;
    prediction->attention->ranks[location->rank].is_early = false;
    attention_give(engine, location, now_ns);
    uint64_t ready_ns = state->ready_ns > now_ns ? state->ready_ns : now_ns;
    scheduler_wait(prediction->scheduler, location->index, now_ns, ready_ns, state->work_after);
    return true;
}

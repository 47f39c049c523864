// SPDX-License-Identifier: BSD-3-Clause
// Which call of an origin waits for the posts of its targets. MPI leaves that to the library:
// MPI_Win_start may wait for them, or MPI_Win_complete, or neither where the library buffers data.
// So a start that was left before one of its targets entered MPI_Win_post has waited for none of
// them, and the complete may be the call that waits. The same holds for the complete.
//
// In simulated time it is not known when a call will be left. There the starts of a run wait,
// unless one of the recorded run went on without a post; and so do the completes.

#include "analyzer/base/memory.h"
#include "analyzer/pag/location/epoch_messages.h"
#include "analyzer/pag/matching/matching.h"

static enum mpi_function function_of(const struct engine *engine, const struct call *call)
{
    return region_at(engine, call->region)->mpi;
}

static void forget_post(struct engine *engine, uint32_t receive)
{
    receive_at(engine, receive)->is_detached = true;
    if (receive_at(engine, receive)->message != NONE)
        match_settle_receive(engine, receive);
}

void epochs_release(struct engine *engine)
{
    FREE_MEMBERS(engine->ranks, engine->n_ranks, epochs);
}

/// NULL: there is none.
static struct open_epoch *find_epoch(const struct rank_state *rank, uint32_t window,
                                     uint32_t target)
{
    for (uint32_t i = 0; i < rank->n_epochs; i++)
        if (rank->epochs[i].window == window && rank->epochs[i].target == target)
            return &rank->epochs[i];
    return NULL;
}

void epochs_access(struct engine *engine, const struct location_state *location)
{
    const struct rank_state *rank = &engine->ranks[location->rank];
    const struct call *call = &location->call;
    for (uint32_t i = 0; i < call->n_accesses && rank->n_epochs > 0; i++) {
        const struct event *event = &call->accesses[i];
        if (event->kind != EVENT_RMA_ACCESS)
            continue;
        const struct communicator *window = &engine->definitions->communicators[event->index];
        struct open_epoch *epoch =
            find_epoch(rank, event->index, communicator_peer(window, location->rank, event->peer));
        if (epoch)
            epoch->access_ns = call->leave_ns;
    }
}

uint64_t epochs_close(struct engine *engine, const struct location_state *location, uint32_t window,
                      uint32_t target)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    struct open_epoch *epoch = find_epoch(rank, window, target);
    if (!epoch)
        return 0;
    uint64_t access_ns = epoch->access_ns;
    *epoch = rank->epochs[--rank->n_epochs];
    return access_ns;
}

void epochs_open(struct engine *engine, struct location_state *location, const struct event *event)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    const struct communicator *window = &engine->definitions->communicators[event->index];
    uint32_t target = communicator_peer(window, location->rank, event->peer);
    epochs_close(engine, location, event->index, target);
    *ARRAY_NEXT(rank->epochs, rank->n_epochs, rank->epoch_capacity) =
        (struct open_epoch){.window = event->index, .target = target};
    uint32_t older = match_forget_request(engine, location, event->request, REQUEST_RECEIVE);
    if (older != NONE) // the end of its epoch is not recorded
        forget_post(engine, older);
}

uint32_t epochs_await(struct engine *engine, struct location_state *location,
                      const struct event *event)
{
    bool is_start = function_of(engine, &location->call) == MPI_FUNCTION_WIN_START;
    if (is_start && engine->starts_pass)
        return NONE;
    uint32_t receive = match_forget_request(engine, location, event->request, REQUEST_RECEIVE);
    if (receive == NONE || is_start || !engine->completes_pass)
        return receive; // NONE: the start has waited for it
    forget_post(engine, receive);
    return NONE;
}

static bool has_come(const struct engine *engine, const struct call *call,
                     const struct receive *receive)
{
    return receive->message != NONE &&
           (engine->hooks || message_at(engine, receive->message)->send_enter_ns < call->leave_ns);
}

void epochs_leave(struct engine *engine, struct location_state *location)
{
    struct call *call = &location->call;
    bool is_start = function_of(engine, call) == MPI_FUNCTION_WIN_START, all_came = true;
    for (uint32_t i = 0; i < call->n_receives; i++)
        all_came = all_came && has_come(engine, call, receive_at(engine, call->receives[i]));
    if (all_came)
        return;
    engine->result->n_passed_starts += is_start;
    engine->result->n_passed_completes += !is_start;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        uint32_t index = call->receives[i];
        struct receive *receive = receive_at(engine, index);
        receive->call_may_wait = false;
        if (is_start)
            match_remember_request(engine, location,
                                   epoch_request(receive->communicator, receive->source), index,
                                   REQUEST_RECEIVE);
        else
            forget_post(engine, index);
    }
    call->n_receives = 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Waits of senders for receivers, and those that were none. A standard send (MPI_Send, MPI_Isend,
// MPI_Sendrecv) that was over before its receive was posted proves that the MPI library buffers
// messages of its size, on one node or between two: no other of that size or less can have waited
// for its receiver. What kept its sender then was something else, such as being descheduled.
//
// The proof may come after the wait. So waits of sends that need not synchronise are held back
// until it comes, or the run is over; if there are very many, the oldest one counts without waiting
// for it.
//
// Where ten sends have waited for their receivers in calls that do nothing else (MPI_Send, or
// MPI_Wait after MPI_Isend), and none as large was over before, it is certain that larger messages
// wait, too: they are treated as synchronous from then on, and the lineage of such a sender goes on
// from its receiver.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/matching/matching.h"
#include "analyzer/pag/window.h"

enum { MAX_WAITS = 4096 };

unsigned sends_scope(const struct engine *engine, const struct message *message)
{
    const struct rank *ranks = engine->definitions->ranks;
    const uint32_t *nodes = engine->eager.node_of_rank;
    if (nodes)
        return nodes[message->sender] != nodes[message->receiver];
    return ranks[message->sender].node != ranks[message->receiver].node;
}

static void tell(struct engine *engine, struct eager_wait *wait)
{
    window_place(engine, &wait->trigger, wait->enter_ns);
    if (engine->listener.trigger.tell)
        TELL(engine, trigger, &wait->trigger);
}

static bool is_none(const struct eager *eager, const struct eager_wait *wait)
{
    return wait->least_limits[0] <= eager->limits[0] && wait->least_limits[1] <= eager->limits[1];
}

/// The I-th wait that is held, the oldest first.
static struct eager_wait *wait_at(const struct eager *eager, size_t i)
{
    return &eager->waits[(eager->oldest + i) % eager->n_waits];
}

/// Forgets the waits that are none now.
static void forget(struct eager *eager)
{
    struct eager_wait *kept = memory_new(eager->n_waits * sizeof *kept);
    size_t n_kept = 0;
    for (size_t i = 0; i < eager->n_waits; i++)
        if (!is_none(eager, wait_at(eager, i)))
            kept[n_kept++] = *wait_at(eager, i);
    free(eager->waits);
    eager->waits = kept;
    eager->capacity = eager->n_waits;
    eager->n_waits = n_kept;
    eager->oldest = 0;
}

bool sends_may_be_buffered(const struct message *message)
{
    return message->is_standard && message->sender != message->receiver;
}

static bool was_buffered(const struct message *message)
{
    return message->send_over_ns < message->post_enter_ns;
}

bool send_habits_tell(const struct send_habits *habits, const struct message *message)
{
    return habits->n_waiting == N_WAITING_SENDS &&
           message->size_bytes >= habits->waiting_bytes[N_WAITING_SENDS - 1];
}

uint64_t send_habits_least(const struct send_habits *habits)
{
    return habits->n_waiting == N_WAITING_SENDS ? habits->waiting_bytes[0] : UINT64_MAX;
}

void send_habits_count(struct send_habits *habits, uint64_t size_bytes)
{
    uint64_t *waiting = habits->waiting_bytes;
    uint32_t place = habits->n_waiting;
    while (place > 0 && waiting[place - 1] > size_bytes)
        place--;
    if (place == N_WAITING_SENDS)
        return;
    habits->n_waiting += habits->n_waiting < N_WAITING_SENDS;
    memmove(&waiting[place + 1], &waiting[place],
            (habits->n_waiting - place - 1) * sizeof *waiting);
    waiting[place] = size_bytes;
}

/// Only a call that does nothing else tells that its sender waited for the receiver.
static void learn(struct send_habits *habits, const struct message *message)
{
    if (message->size_bytes < habits->limit)
        return;
    if (was_buffered(message))
        *habits = (struct send_habits){.limit = message->size_bytes + 1};
    else if (message->await_enter_ns < message->post_enter_ns &&
             message->post_enter_ns < message->send_over_ns)
        send_habits_count(habits, message->size_bytes);
}

void late_receiver_see(struct engine *engine, const struct message *message)
{
    struct eager *eager = &engine->eager;
    if (!sends_may_be_buffered(message))
        return;
    unsigned scope = sends_scope(engine, message);
    learn(&eager->habits[scope], message);
    uint64_t *limit = &eager->limits[scope];
    if (!was_buffered(message) || message->size_bytes < *limit)
        return;
    *limit = message->size_bytes + 1;
    eager->told_wrongly |= eager->has_told && eager->told_limits[0] <= eager->limits[0] &&
                           eager->told_limits[1] <= eager->limits[1];
    if (eager->n_waits > 0)
        forget(eager);
}

/// WAIT counts, whatever may be proven later.
static void tell_early(struct engine *engine, struct eager_wait *wait)
{
    struct eager *eager = &engine->eager;
    for (unsigned scope = 0; scope < 2; scope++)
        if (!eager->has_told || wait->least_limits[scope] < eager->told_limits[scope])
            eager->told_limits[scope] = wait->least_limits[scope];
    eager->has_told = true;
    tell(engine, wait);
}

/// Counts WAIT unless it is proven to be none.
static void count(struct engine *engine, const struct eager_wait *wait)
{
    struct eager *eager = &engine->eager;
    struct eager_wait *place;
    if (is_none(eager, wait))
        return;
    if (eager->n_waits < MAX_WAITS) {
        place = ARRAY_NEXT(eager->waits, eager->n_waits, eager->capacity);
    } else {
        place = &eager->waits[eager->oldest];
        eager->oldest = (eager->oldest + 1) % MAX_WAITS;
        tell_early(engine, place);
    }
    *place = *wait;
}

void late_receiver_finish(struct engine *engine)
{
    struct eager *eager = &engine->eager;
    for (size_t i = 0; i < eager->n_waits; i++)
        tell(engine, wait_at(eager, i));
    free(eager->waits);
    *eager = (struct eager){0};
}

// --- the wait of a call, once all its receivers are known

/// WAIT describes a send call so far; MESSAGE may be the one whose receiver let it go last.
static void consider_send(const struct engine *engine, struct send_wait *wait,
                          const struct message *message)
{
    int64_t *value = wait->wait.trigger.value;
    uint64_t enter_ns = (uint64_t)value[TRIGGER_SEND_ENTER];
    uint64_t leave_ns = (uint64_t)value[TRIGGER_SEND_LEAVE];
    struct moment attended = {.node = NONE};
    if (message->needs_attendance)
        attended = attendance_of(engine, message, leave_ns);
    bool is_posted_late = message->is_matched && message->post_enter_ns > enter_ns &&
                          message->post_enter_ns < leave_ns;
    bool is_attended_late = attended.time_ns > enter_ns && attended.time_ns < leave_ns;
    if (!is_posted_late && !is_attended_late)
        return;
    uint64_t over_ns = is_attended_late ? attended.time_ns : message->post_enter_ns;
    uint64_t *least_limit = &wait->wait.least_limits[sends_scope(engine, message)];
    wait->has_certain |= message->awaits_receiver;
    if (message->size_bytes >= *least_limit)
        *least_limit = message->size_bytes + 1;
    if (over_ns < wait->over_ns ||
        (over_ns == wait->over_ns && message->receiver < value[TRIGGER_SEND_RECEIVER]))
        return;
    wait->over_ns = over_ns;
    wait->wait.trigger.sync_object = message->kind;
    value[TRIGGER_SEND_SEND_ENTER] = (int64_t)message->send_enter_ns;
    value[TRIGGER_SEND_POST_ENTER] =
        message->is_matched ? (int64_t)message->post_enter_ns : TRIGGER_NEVER;
    value[TRIGGER_SEND_ATTEND_ENTER] = is_attended_late ? (int64_t)attended.time_ns : TRIGGER_NEVER;
    value[TRIGGER_SEND_BYTES] = (int64_t)message->size_bytes;
    value[TRIGGER_SEND_TAG] = message->tag;
    value[TRIGGER_SEND_RECEIVER] = message->receiver;
    value[TRIGGER_SEND_IS_SYNCHRONOUS] = message->is_synchronous;
    value[TRIGGER_SEND_IS_CERTAIN] = message->awaits_receiver;
    value[TRIGGER_SEND_IS_NONBLOCKING] = message->is_nonblocking;
    wait->post_node = message->post_releases ? message->post_node : NONE;
    wait->attend_node = is_attended_late ? attended.node : NONE;
    if (wait->post_node == NONE && attended.time_ns == message->post_enter_ns)
        wait->post_node = attended.node;
}

/// All receives of the call's messages are known: WAIT is its wait for them, if it has one.
static void emit(struct engine *engine, struct send_wait *wait)
{
    const int64_t *value = wait->wait.trigger.value;
    struct waiting_call call = {wait->wait.enter_ns, (uint64_t)value[TRIGGER_SEND_LEAVE]};
    if (wait->over_ns == 0)
        return;
    if (wait->has_certain)
        tell(engine, &wait->wait);
    else
        count(engine, &wait->wait);
    if (value[TRIGGER_SEND_POST_ENTER] < value[TRIGGER_SEND_LEAVE])
        explain_wait(engine, PAG_WAIT_LATE_RECEIVER, call, &wait->from,
                     (struct moment){.time_ns = (uint64_t)value[TRIGGER_SEND_POST_ENTER],
                                     .node = wait->post_node});
    if (value[TRIGGER_SEND_ATTEND_ENTER] != TRIGGER_NEVER)
        explain_wait(engine, PAG_WAIT_OUTSIDE, call, &wait->from,
                     (struct moment){.time_ns = wait->over_ns, .node = wait->attend_node});
}

/// Whether MESSAGE, not matched when its sender left, may turn out to have been received by a call
/// that was posted before that.
static bool may_be_late(const struct engine *engine, const struct message *message,
                        uint64_t leave_ns)
{
    return engine->ranks[message->receiver].n_unresolved_posts > 0 ||
           rank_may_come(engine, message->receiver, leave_ns);
}

static uint32_t hold_if_any(struct engine *engine, uint32_t node)
{
    return node == NONE ? NONE : lineage_hold(&engine->lineage, node);
}

/// Puts the messages whose receives are not known yet together with what is known so far.
static void postpone_send(struct engine *engine, const struct call *call,
                          const struct send_wait *wait)
{
    uint32_t index = pool_take(&engine->send_waits);
    *(struct send_wait *)pool_at(&engine->send_waits, index) = *wait;
    hold_if_any(engine, wait->from.node);
    hold_if_any(engine, wait->post_node);
    hold_if_any(engine, wait->attend_node);
    for (uint32_t i = 0; i < call->n_sends; i++) {
        struct message *message = message_at(engine, call->sends[i]);
        if (!message->is_matched && may_be_late(engine, message, call->leave_ns))
            message->send_wait = index;
    }
}

/// Whether CALL, from NOW_NS on, may have waited for a receiver. Hardly any call has.
static bool may_have_waited(const struct engine *engine, const struct call *call, uint64_t now_ns)
{
    for (uint32_t i = 0; i < call->n_sends; i++) {
        const struct message *message = message_at(engine, call->sends[i]);
        if (message->needs_attendance ||
            (message->is_matched
                 ? message->post_enter_ns > now_ns && message->post_enter_ns < call->leave_ns
                 : may_be_late(engine, message, call->leave_ns)))
            return true;
    }
    return false;
}

void late_receiver_wait(struct engine *engine, const struct location_state *location,
                        const struct moment *now)
{
    const struct call *call = &location->call;
    if (!may_have_waited(engine, call, now->time_ns))
        return;
    struct send_wait wait = {
        .wait = {.enter_ns = call->enter_ns}, .from = *now, .post_node = NONE, .attend_node = NONE};
    window_begin_trigger(&wait.wait.trigger, engine, location, TRIGGER_SEND);
    wait.wait.trigger.value[TRIGGER_SEND_ENTER] = (int64_t)now->time_ns;
    wait.wait.trigger.value[TRIGGER_SEND_LEAVE] = (int64_t)call->leave_ns;
    for (uint32_t i = 0; i < call->n_sends; i++) {
        const struct message *message = message_at(engine, call->sends[i]);
        consider_send(engine, &wait, message);
        if (!message->is_matched && may_be_late(engine, message, call->leave_ns))
            wait.n_open++;
    }
    if (wait.n_open > 0)
        postpone_send(engine, call, &wait);
    else
        emit(engine, &wait);
}

void late_receiver_resolve(struct engine *engine, struct message *message)
{
    struct send_wait *wait = pool_at(&engine->send_waits, message->send_wait);
    if (message->is_matched) {
        uint32_t post_node = wait->post_node, attend_node = wait->attend_node;
        consider_send(engine, wait, message);
        hold_if_any(engine, wait->post_node);
        hold_if_any(engine, wait->attend_node);
        lineage_let_go(&engine->lineage, post_node);
        lineage_let_go(&engine->lineage, attend_node);
    }
    if (--wait->n_open == 0) {
        uint32_t from_node = wait->from.node;
        emit(engine, wait);
        lineage_let_go(&engine->lineage, from_node);
        lineage_let_go(&engine->lineage, wait->post_node);
        lineage_let_go(&engine->lineage, wait->attend_node);
        pool_give(&engine->send_waits, message->send_wait);
    }
    message->send_wait = NONE;
}

// SPDX-License-Identifier: BSD-3-Clause
// Senders that wait until their receivers are in MPI. Many MPI libraries move messages from a
// certain size on only while the receiver is in an MPI call, whether its receive was posted before
// or not: Open MPI 4 on shared memory those of more than 256 bytes. A receiver that computes keeps
// such a sender in its send.
//
// A rank attends to messages in calls that send, receive, wait, test, probe or synchronise; not in
// those that only post or start something, or ask for the time. Where ten blocking sends of some
// size or larger ones have waited for a receiver that was outside MPI, and none was over while its
// receiver was there, outside, it is certain that messages of that size wait. Only the latest
// absences of a rank are kept: a call that lasts over many of them is not taken for such a wait.
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/matching/matching.h"

// A send that proves something waited at least so long, and longer than it lasted from then on.
// Ranks that go in step are at the same place by chance, but not for long.
enum { LEAST_PROOF_NS = 10000 };

void attendance_enter_call(struct engine *engine, struct location_state *location)
{
    struct rank_state *rank = &engine->ranks[location->rank];
    struct attendance *attendance = &rank->attendance;
    struct call *call = &location->call;
    if (call->attends && engine->hooks && engine->hooks->waits_later(engine, location))
        call->attends = false;
    if (!call->attends)
        return;
    if (attendance->n_calls++ == 0 && call->enter_ns > attendance->until_ns) {
        struct absence *absence = &attendance->absences[attendance->n_absences++ % N_ABSENCES];
        if (attendance->n_absences > N_ABSENCES)
            lineage_let_go(&engine->lineage, absence->node);
        *absence = (struct absence){attendance->until_ns, call->enter_ns, NONE};
        if (rank->n_blocked_senders > 0)
            absence->node = head_cut(engine, location);
    }
    if (engine->hooks)
        engine->hooks->attends(engine, location->rank);
}

void attendance_leave_call(struct engine *engine, const struct location_state *location)
{
    struct attendance *attendance = &engine->ranks[location->rank].attendance;
    const struct call *call = &location->call;
    if (!call->attends)
        return;
    attendance->n_calls--;
    if (call->leave_ns > attendance->until_ns)
        attendance->until_ns = call->leave_ns;
}

void attendance_stay(struct engine *engine, uint32_t rank)
{
    engine->ranks[rank].attendance.n_calls++;
}

void attendance_end_stay(struct engine *engine, uint32_t rank, uint64_t now_ns)
{
    struct attendance *attendance = &engine->ranks[rank].attendance;
    attendance->n_calls--;
    if (now_ns > attendance->until_ns)
        attendance->until_ns = now_ns;
}

struct moment attendance_after(const struct engine *engine, uint32_t rank, uint64_t from_ns)
{
    const struct attendance *attendance = &engine->ranks[rank].attendance;
    if (attendance->n_calls == 0 && from_ns >= attendance->until_ns)
        return (struct moment){.time_ns = UINT64_MAX, .node = NONE};
    for (uint64_t i = 0; i < N_ABSENCES && i < attendance->n_absences; i++) {
        const struct absence *absence =
            &attendance->absences[(attendance->n_absences - 1 - i) % N_ABSENCES];
        if (from_ns >= absence->end_ns)
            break;
        if (from_ns >= absence->begin_ns)
            return (struct moment){.time_ns = absence->end_ns, .node = absence->node};
    }
    return (struct moment){.time_ns = from_ns, .node = NONE};
}

struct moment attendance_of(const struct engine *engine, const struct message *message,
                            uint64_t leave_ns)
{
    uint64_t from_ns = message->send_enter_ns;
    if (message->is_matched && message->post_enter_ns < leave_ns &&
        message->post_enter_ns > from_ns)
        from_ns = message->post_enter_ns;
    return attendance_after(engine, message->receiver, from_ns);
}

/// Sends that CALL completes may show that messages of their size need no receiver in MPI.
static void see_unattended(struct engine *engine, const struct call *call)
{
    for (uint32_t i = 0; i < call->n_sends && !call->is_cut && !engine->is_ahead; i++) {
        const struct message *message = message_at(engine, call->sends[i]);
        uint64_t *limit = &engine->unattended_bytes[sends_scope(engine, message)];
        if (message->size_bytes >= *limit && sends_may_be_buffered(message) &&
            attendance_after(engine, message->receiver, message->send_enter_ns).time_ns >
                call->leave_ns)
            *limit = message->size_bytes + 1;
    }
}

void attendance_see(struct engine *engine, const struct call *call)
{
    see_unattended(engine, call);
    const struct message *message = call->n_sends == 1 ? message_at(engine, call->sends[0]) : NULL;
    if (!message || engine->is_ahead || call->is_cut || message->is_nonblocking ||
        !message->is_alone || !sends_may_be_buffered(message))
        return;
    struct send_habits *habits = &engine->attendance[sends_scope(engine, message)];
    if (message->size_bytes < habits->limit)
        return;
    uint64_t first_ns = attendance_after(engine, message->receiver, call->enter_ns).time_ns;
    uint64_t attended_ns = attendance_of(engine, message, call->leave_ns).time_ns;
    if (first_ns > call->leave_ns)
        *habits = (struct send_habits){.limit = message->size_bytes + 1};
    else if (attended_ns <= call->leave_ns && attended_ns - call->enter_ns >= LEAST_PROOF_NS &&
             call->leave_ns - attended_ns <= attended_ns - call->enter_ns)
        send_habits_count(habits, message->size_bytes);
}

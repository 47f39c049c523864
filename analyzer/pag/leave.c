// SPDX-License-Identifier: BSD-3-Clause
// The leave of an MPI call settles everything the call was about: which rank released it (the
// lineage continues from there), the trigger events for the patterns, and the end of its messages
// and collectives. When a partner's record has not been read yet, the call stays open and the
// partner is read first.
#include "analyzer/pag/leave.h"

#include "analyzer/base/order.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/matching/matching.h"
#include "analyzer/pag/window.h"

enum { MAX_SEND_AHEAD = 4096 };

/// The latest release of a call, and the lineage to go on from.
struct release {
    uint64_t time_ns;
    uint32_t node; // NONE: the releaser's lineage is not known
    uint32_t rank;
    enum {
        PRIORITY_CALL,
        PRIORITY_RECEIVE,
        PRIORITY_SEND,
        PRIORITY_COLLECTIVE,
        PRIORITY_LOCK
    } priority;
};

// --- is everything there?

/// The first receive that has no message yet and may still get one, NULL: none.
static struct receive *missing_receive(const struct engine *engine, const struct call *call)
{
    uint64_t last_ns = call_awaits_posts(engine, call) ? call->leave_ns : UINT64_MAX;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        struct receive *receive = receive_at(engine, call->receives[i]);
        if (receive->message == NONE && !receive->is_given_up &&
            rank_may_come(engine, receive->source, last_ns))
            return receive;
    }
    return NULL;
}

static uint32_t missing_member(const struct engine *engine, const struct call *call)
{
    for (uint32_t i = 0; i < call->n_parts; i++) {
        uint32_t rank = collective_missing_rank(engine, call->parts[i]);
        if (rank == NONE)
            continue;
        bool must_synchronise = collective_must_synchronise(engine, call->parts[i]);
        if (call->goes_on_alone && !must_synchronise)
            continue;
        if (rank_may_come(engine, rank, must_synchronise ? UINT64_MAX : call->leave_ns))
            return rank;
    }
    return NONE;
}

/// Even a call whose leave is lost has received what its records say.
static uint32_t missing_partner(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    if (call->gave_up)
        return NONE;
    if (call_probes(call))
        return match_probed(engine, location) == NONE &&
                       rank_may_come(engine, call->probed.source, call->leave_ns)
                   ? call->probed.source
                   : NONE;
    const struct receive *receive = call->n_receives ? missing_receive(engine, call) : NULL;
    if (receive)
        return receive->source;
    bool may_miss = call->n_parts > 0 && !call->is_test && !call->is_cut;
    return may_miss ? missing_member(engine, call) : NONE;
}

uint32_t leave_awaited_rank(const struct engine *engine, const struct location_state *location)
{
    return location->call.is_open ? missing_partner(engine, location) : NONE;
}

/// Whether the records soon to come of LOCATION send what RECEIVE misses.
static bool sends_soon(const struct engine *engine, const struct location_state *location,
                       const struct receive *receive)
{
    for (uint32_t ahead = 0; ahead < MAX_SEND_AHEAD; ahead++) {
        const struct event *event = location_peek(location, ahead);
        if (!event)
            return false;
        if ((event->kind == EVENT_SEND || event->kind == EVENT_ISEND) &&
            event->index == receive->completed_communicator &&
            event->tag == receive->completed_tag &&
            communicator_peer(&engine->definitions->communicators[event->index], location->rank,
                              event->peer) == receive->rank)
            return true;
    }
    return false;
}

bool leave_break_cycle(const struct engine *engine, struct location_state *location,
                       const struct location_state *waiter)
{
    struct call *call = &location->call;
    if (!call->is_open || call->goes_on_alone || !waiter->call.is_open)
        return false;
    uint32_t rank = missing_partner(engine, location);
    const struct receive *receive = missing_receive(engine, &waiter->call);
    if (rank == NONE || !receive || receive->source != location->rank)
        return false;
    call->goes_on_alone = true;
    if (missing_partner(engine, location) == rank || !sends_soon(engine, location, receive))
        call->goes_on_alone = false;
    return call->goes_on_alone;
}

void leave_give_up(const struct engine *engine, struct call *call)
{
    struct receive *receive = call->n_receives ? missing_receive(engine, call) : NULL;
    if (receive)
        receive->is_given_up = true;
    else
        call->gave_up = true;
}

// --- the rank that released the call

/// Whether A comes before B, found earlier, among releases at the same time (lineage rules: ties;
/// MPI_Finalize comes before what else it completes).
static bool takes_precedence(const struct release *a, const struct release *b)
{
    if (a->priority != b->priority)
        return a->priority < b->priority;
    return a->priority == PRIORITY_COLLECTIVE ? a->rank <= b->rank : a->rank > b->rank;
}

static void consider(struct release *best, struct release other)
{
    if (other.time_ns > best->time_ns ||
        (other.time_ns == best->time_ns && takes_precedence(&other, best)))
        *best = other;
}

/// CALL ends by something that happened at CAUSE_NS, perhaps later than its end.
static void see_violation(const struct engine *engine, uint64_t cause_ns, const struct call *call)
{
    struct pag_result *result = engine->result;
    if (cause_ns <= call->leave_ns)
        return;
    result->n_clock_violations++;
    if (cause_ns - call->leave_ns > result->max_clock_violation_ns)
        result->max_clock_violation_ns = cause_ns - call->leave_ns;
}

/// LOCATION's call cannot end before what RANK did at CAUSE_NS, whatever the clocks say.
static void tell_cause(const struct engine *engine, const struct location_state *location,
                       uint32_t rank, uint64_t cause_ns)
{
    const struct pag_cause cause = {rank, location->rank, cause_ns, location->call.leave_ns};
    TELL(engine, caused, &cause);
}

static struct release find_release(struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    struct release best = {
        .time_ns = call->enter_ns, .node = NONE, .rank = NONE, .priority = PRIORITY_CALL};
    for (uint32_t i = 0; i < call->n_receives; i++) {
        const struct receive *receive = receive_at(engine, call->receives[i]);
        if (receive->message == NONE)
            continue;
        const struct message *message = message_at(engine, receive->message);
        consider(&best, (struct release){.time_ns = message->send_enter_ns,
                                         .node = message->node,
                                         .rank = message->sender,
                                         .priority = PRIORITY_RECEIVE});
    }
    uint32_t probed = call_probes(call) ? match_probed(engine, location) : NONE;
    if (probed != NONE)
        consider(&best, (struct release){.time_ns = message_at(engine, probed)->send_enter_ns,
                                         .node = message_at(engine, probed)->node,
                                         .rank = message_at(engine, probed)->sender,
                                         .priority = PRIORITY_RECEIVE});
    for (uint32_t i = 0; i < call->n_sends; i++) {
        const struct message *message = message_at(engine, call->sends[i]);
        if (message->post_releases && message->post_enter_ns < call->leave_ns)
            consider(&best, (struct release){.time_ns = message->post_enter_ns,
                                             .node = message->post_node,
                                             .rank = message->receiver,
                                             .priority = PRIORITY_SEND});
        if (!message->needs_attendance)
            continue;
        struct moment attended = attendance_of(engine, message, call->leave_ns);
        if (attended.time_ns < call->leave_ns)
            consider(&best, (struct release){.time_ns = attended.time_ns,
                                             .node = attended.node,
                                             .rank = message->receiver,
                                             .priority = PRIORITY_SEND});
    }
    for (uint32_t i = 0; i < call->n_parts; i++) {
        const struct member *member = collective_releaser(engine, call->parts[i]);
        if (!member)
            continue;
        bool must_synchronise = collective_must_synchronise(engine, call->parts[i]);
        if (member->in_ns > call->leave_ns && !must_synchronise)
            continue;
        see_violation(engine, member->in_ns, call);
        if (engine->listener.caused.tell && must_synchronise)
            tell_cause(engine, location, member->rank, member->in_ns);
        consider(&best, (struct release){.time_ns = member->in_ns,
                                         .node = member->node,
                                         .rank = member->rank,
                                         .priority = PRIORITY_COLLECTIVE});
    }
    const struct awaited_unlock *unlock = call->awaits_lock ? locks_awaited(call) : NULL;
    if (unlock)
        consider(&best, (struct release){.time_ns = unlock->time_ns,
                                         .node = unlock->node,
                                         .rank = unlock->rank,
                                         .priority = PRIORITY_LOCK});
    return best;
}

static void hand_over(struct engine *engine, struct location_state *location,
                      const struct release *release)
{
    const struct call *call = &location->call;
    if (release->time_ns <= call->enter_ns || release->node == NONE)
        return;
    const struct hand_over hand_over = {
        .node = release->node,
        .released_ns = release->time_ns,
        .since_ns = release->rank == location->rank
                        ? lineage_since_ns(&engine->lineage, release->node)
                        : release->time_ns,
        .now_ns = call->leave_ns,
        .path = call->path,
    };
    head_take_over(engine, location, &hand_over);
}

// --- trigger events

/// The one sent later, ties: by the highest sender; BEST may be NULL.
static const struct message *later_sent(const struct message *best, const struct message *other)
{
    if (!best || other->send_enter_ns > best->send_enter_ns ||
        (other->send_enter_ns == best->send_enter_ns && other->sender > best->sender))
        return other;
    return best;
}

static const struct message *deciding_message(const struct engine *engine,
                                              const struct location_state *location,
                                              uint32_t *n_messages)
{
    const struct call *call = &location->call;
    const struct message *best = NULL;
    *n_messages = 0;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        const struct receive *receive = receive_at(engine, call->receives[i]);
        if (receive->message == NONE)
            continue;
        struct message *message = message_at(engine, receive->message);
        message->is_landing = true;
        (*n_messages)++;
        see_violation(engine, message->send_enter_ns, call);
        // Which call waited for a post is told by times only.
        if (engine->listener.caused.tell &&
            !(message->is_of_window && message->tag == EVENT_TAG_POST))
            tell_cause(engine, location, message->sender, message->send_enter_ns);
        best = later_sent(best, message);
    }
    return best;
}

/// What ended the wait of a call for a partner on an RMA window.
struct rma_release {
    enum pag_wait_kind wait;
    int64_t kind, last_access; // as in the trigger event
    uint32_t rank;
    struct moment moment; // the partner's enter
};

/// The trigger event and the explanation of the wait that RELEASE ended in the call being left. NOW
/// is where the wait begins, then where it ends.
static void emit_rma(struct engine *engine, const struct location_state *location,
                     const struct rma_release *release, struct moment *now)
{
    const struct call *call = &location->call;
    if (engine->listener.trigger.tell) {
        struct trigger trigger;
        window_begin_trigger(&trigger, engine, location, TRIGGER_RMA);
        int64_t *value = trigger.value;
        value[TRIGGER_RMA_ENTER] = (int64_t)call->enter_ns;
        value[TRIGGER_RMA_LEAVE] = (int64_t)call->leave_ns;
        value[TRIGGER_RMA_KIND] = release->kind;
        value[TRIGGER_RMA_PARTNER_ENTER] = (int64_t)release->moment.time_ns;
        value[TRIGGER_RMA_PARTNER] = release->rank;
        value[TRIGGER_RMA_LAST_ACCESS] = release->last_access;
        TELL(engine, trigger, &trigger);
    }
    explain_wait(engine, release->wait, (struct waiting_call){call->enter_ns, call->leave_ns}, now,
                 release->moment);
}

static void emit_lock(struct engine *engine, const struct location_state *location,
                      const struct awaited_unlock *unlock, struct moment *now)
{
    emit_rma(engine, location,
             &(struct rma_release){
                 .wait = PAG_WAIT_LOCK,
                 .kind = TRIGGER_RMA_LOCK,
                 .last_access = TRIGGER_NEVER,
                 .rank = unlock->rank,
                 .moment = {.time_ns = unlock->time_ns, .node = unlock->node},
             },
             now);
}

/// The call waited for MESSAGE, a post or a complete, if that came after its enter.
static void emit_epoch(struct engine *engine, const struct location_state *location,
                       const struct message *message, struct moment *now)
{
    bool is_post = message->tag == EVENT_TAG_POST;
    if (message->send_enter_ns <= location->call.enter_ns)
        return;
    emit_rma(
        engine, location,
        &(struct rma_release){
            .wait = is_post ? PAG_WAIT_POST : PAG_WAIT_COMPLETE,
            .kind = is_post ? TRIGGER_RMA_POST : TRIGGER_RMA_COMPLETE,
            .last_access = message->access_ns > 0 ? (int64_t)message->access_ns : TRIGGER_NEVER,
            .rank = message->sender,
            .moment = {.time_ns = message->send_enter_ns, .node = message->node},
        },
        now);
}

/// NOW is the enter; it becomes the end of the wait for messages where there was one.
static void emit_receive(struct engine *engine, const struct location_state *location,
                         struct moment *now)
{
    const struct call *call = &location->call;
    uint32_t n_messages = 1;
    uint32_t probed = call_probes(call) ? match_probed(engine, location) : NONE;
    const struct message *message = probed != NONE
                                        ? message_at(engine, probed)
                                        : deciding_message(engine, location, &n_messages);
    if (!message || call->is_test)
        return;
    if (message->is_of_window) {
        emit_epoch(engine, location, message, now);
        return;
    }
    uint64_t wait_end_ns = smaller(message->send_enter_ns, call->leave_ns);
    bool has_waited = wait_end_ns > call->enter_ns;
    if (engine->listener.trigger.tell) {
        struct trigger trigger;
        window_begin_trigger(&trigger, engine, location, TRIGGER_RECEIVE);
        trigger.sync_object = message->kind;
        int64_t *value = trigger.value;
        value[TRIGGER_RECEIVE_ENTER] = (int64_t)call->enter_ns;
        value[TRIGGER_RECEIVE_LEAVE] = (int64_t)call->leave_ns;
        value[TRIGGER_RECEIVE_POST_ENTER] =
            (int64_t)(probed != NONE ? call->enter_ns : message->post_enter_ns);
        value[TRIGGER_RECEIVE_SEND_ENTER] = (int64_t)message->send_enter_ns;
        value[TRIGGER_RECEIVE_SEND_LEAVE] = (int64_t)smaller(message->send_leave_ns, TRIGGER_NEVER);
        value[TRIGGER_RECEIVE_BYTES] = (int64_t)message->size_bytes;
        value[TRIGGER_RECEIVE_TAG] = message->tag;
        value[TRIGGER_RECEIVE_SENDER] = message->sender;
        value[TRIGGER_RECEIVE_N_MESSAGES] = n_messages;
        value[TRIGGER_RECEIVE_QUEUED_SEND] = TRIGGER_NEVER;
        value[TRIGGER_RECEIVE_QUEUED_SAME_SOURCE] = 0;
        value[TRIGGER_RECEIVE_IS_NONBLOCKING] =
            probed == NONE && receive_at(engine, message->receive)->is_nonblocking;
        const struct message *queued =
            has_waited ? match_queued(engine, message, wait_end_ns) : NULL;
        if (queued) {
            value[TRIGGER_RECEIVE_QUEUED_SEND] = (int64_t)queued->send_ns;
            value[TRIGGER_RECEIVE_QUEUED_SAME_SOURCE] = queued->sender == message->sender;
        }
        TELL(engine, trigger, &trigger);
    }
    explain_wait(engine, PAG_WAIT_LATE_SENDER,
                 (struct waiting_call){call->enter_ns, call->leave_ns}, now,
                 (struct moment){.time_ns = message->send_enter_ns, .node = message->node});
}

/// MESSAGE, as the leave of LOCATION's call tells of it.
static struct pag_message report_of(const struct message *message,
                                    const struct location_state *location)
{
    const struct call *call = &location->call;
    return (struct pag_message){
        .number = message->number,
        .location = location->index,
        .sender_location = message->sender_location,
        .tag = message->tag,
        .sender = message->sender,
        .receiver = message->receiver,
        .size_bytes = message->size_bytes,
        .send_enter_ns = message->send_enter_ns,
        .send_leave_ns = message->send_leave_ns,
        .send_over_ns = message->send_over_ns,
        .await_enter_ns = message->await_enter_ns,
        .post_enter_ns = message->post_enter_ns,
        .enter_ns = call->enter_ns,
        .leave_ns = call->leave_ns,
        .is_test = call->is_test,
        .is_sent_alone = message->is_alone && !message->is_nonblocking,
        .is_synchronous = message->is_synchronous,
    };
}

// --- the leave

/// Tells the listener about the messages a call received.
static void tell_messages(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    const struct message *deciding = NULL;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        uint32_t index = receive_at(engine, call->receives[i])->message;
        if (index != NONE)
            deciding = later_sent(deciding, message_at(engine, index));
    }
    bool is_alone = call->n_receives == 1 && call->n_sends + call->n_parts == 0;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        uint32_t index = receive_at(engine, call->receives[i])->message;
        if (index == NONE)
            continue;
        const struct message *message = message_at(engine, index);
        struct pag_message report = report_of(message, location);
        report.is_deciding = message == deciding;
        report.is_received_alone = is_alone;
        TELL(engine, message, &report);
    }
}

/// Tells the listener about the messages whose send a call completes.
static void tell_sent(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    uint64_t attend_ns = 0;
    for (uint32_t i = 0; i < call->n_sends; i++) {
        const struct message *message = message_at(engine, call->sends[i]);
        if (!sends_may_be_buffered(message))
            continue;
        uint64_t attended_ns = attendance_of(engine, message, call->leave_ns).time_ns;
        if (attended_ns < call->leave_ns && attended_ns > attend_ns)
            attend_ns = attended_ns;
    }
    for (uint32_t i = 0; i < call->n_sends; i++) {
        struct pag_message report = report_of(message_at(engine, call->sends[i]), location);
        report.attend_ns = attend_ns;
        TELL(engine, sent, &report);
    }
}

/// Counts by its slack a message that CALL receives.
static void count_slack(struct engine *engine, const struct call *call,
                        const struct message *message)
{
    uint64_t slack_ns = less(call->enter_ns, message->send_enter_ns), limit_ns = 1000;
    // Kinds are not known of messages that were sent before a run that begins in its middle.
    if (message->kind >= engine->result->n_message_kinds || call->is_test)
        return;
    uint32_t class_ = slack_ns > 0;
    for (; class_ > 0 && class_ + 1 < PAG_SLACK_CLASSES && slack_ns >= limit_ns; class_++)
        limit_ns *= 10;
    engine->result->message_kinds[message->kind].by_slack[class_]++;
}

static void settle(struct engine *engine, struct location_state *location)
{
    struct call *call = &location->call;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        if (receive_at(engine, call->receives[i])->message == NONE) {
            engine->result->n_unmatched_receives +=
                !receive_at(engine, call->receives[i])->is_of_window;
            match_abandon_receive(engine, call->receives[i]);
        } else {
            count_slack(engine, call,
                        message_at(engine, receive_at(engine, call->receives[i])->message));
            match_settle_receive(engine, call->receives[i]);
        }
    }
    attendance_see(engine, call);
    for (uint32_t i = 0; i < call->n_sends; i++) {
        struct message *message = message_at(engine, call->sends[i]);
        message->is_over = !call->is_cut;
        message->send_over_ns = call->leave_ns;
        if (message->is_over && message->is_matched)
            late_receiver_see(engine, message);
        match_settle_sent(engine, call->sends[i]);
    }
    for (uint32_t i = 0; i < call->n_parts; i++)
        collective_leave(engine, call->parts[i], call);
    if (call->awaits_lock)
        locks_leave_call(engine, location);
    engine->n_probing -= call_probes(call);
    lineage_let_go(&engine->lineage, call->enter_node);
    call->enter_node = NONE;
}

/// Whether the receiver that the sender of MESSAGE waits for has not come, as far as is known when
/// CALL is entered, or left (LEAVES): then it need not have posted its receive.
static bool lacks_receiver(const struct engine *engine, const struct call *call,
                           const struct message *message, bool leaves)
{
    if (!message->needs_attendance)
        return message->awaits_receiver && !message->is_matched;
    return (!leaves && !message->is_matched) ||
           attendance_of(engine, message, call->leave_ns).time_ns == UINT64_MAX;
}

/// Whether something the call needs has not come yet when it is entered; or left.
static inline bool may_wait(const struct engine *engine, const struct location_state *location,
                            bool leaves)
{
    const struct call *call = &location->call;
    if (call_probes(call))
        return match_probed(engine, location) == NONE;
    for (uint32_t i = 0; i < call->n_receives; i++)
        if (receive_at(engine, call->receives[i])->message == NONE)
            return true;
    for (uint32_t i = 0; i < call->n_sends; i++)
        if (lacks_receiver(engine, call, message_at(engine, call->sends[i]), leaves))
            return true;
    for (uint32_t i = 0; i < call->n_parts; i++)
        if (collective_missing_rank(engine, call->parts[i]) != NONE ||
            (engine->any_member_delays && engine->hooks->is_held(engine, call->parts[i])))
            return true;
    return false;
}

/// Whether the open call only receives, and all time of it is accounted at its leave. Then nothing
/// changes its location's lineage meanwhile, which so need not be kept: a wait is explained before
/// the lineage of the releaser takes its place.
static bool is_all_receives(const struct location_state *location)
{
    const struct call *call = &location->call;
    return location->digest && call->n_skip > 0 && call->n_sends + call->n_parts == 0 &&
           !call->awaits_lock;
}

void leave_expect(struct engine *engine, struct location_state *location)
{
    struct call *call = &location->call;
    if (!engine->options.explains || call->is_test ||
        !(engine->is_ahead || call->awaits_lock || may_wait(engine, location, false)))
        return;
    if (is_all_receives(location))
        call->is_cut_late = true;
    else
        call->enter_node = head_cut(engine, location);
}

uint32_t leave_call(struct engine *engine, struct location_state *location)
{
    struct call *call = &location->call;
    if (call_is_private(call))
        return EVENT_NO_INDEX;
    uint32_t rank = missing_partner(engine, location);
    if (rank != NONE)
        return rank;
    if (call_awaits_posts(engine, call))
        epochs_leave(engine, location);
    if (engine->options.only_times) {
        call_account(location);
        settle(engine, location);
        return EVENT_NO_INDEX;
    }
    struct release release = {.node = NONE};
    if (!call->is_test)
        release = find_release(engine, location);
    struct moment now = {call->enter_ns, call->enter_node, false};
    if (call->is_cut_late)
        now = (struct moment){call->enter_ns, location->index, true};
    if (call->n_receives || call_probes(call))
        emit_receive(engine, location, &now);
    if (call->n_sends && !call->is_test)
        late_receiver_wait(engine, location, &now);
    const struct awaited_unlock *unlock = call->awaits_lock ? locks_awaited(call) : NULL;
    if (unlock)
        emit_lock(engine, location, unlock, &now);
    call_account(location);
    hand_over(engine, location, &release);
    bool is_unknown = may_wait(engine, location, true);
    call->release_ns = is_unknown ? call->leave_ns : release.time_ns;
    call->releaser = is_unknown || release.time_ns <= call->enter_ns ? NONE : release.rank;
    bool is_of_window = call->n_receives > 0 && receive_at(engine, call->receives[0])->is_of_window;
    if (engine->listener.message.tell && call->n_receives > 0 && !is_of_window)
        tell_messages(engine, location);
    if (engine->listener.sent.tell && call->n_sends > 0)
        tell_sent(engine, location);
    settle(engine, location);
    return EVENT_NO_INDEX;
}

// SPDX-License-Identifier: BSD-3-Clause
// Point-to-point matching by MPI's rules: per channel (communicator, receiver, sender, tag) sends
// and receives are paired first in, first out, receives in the order of their posting. A receive
// posted with a wildcard takes its place in a channel when its completion names it; specific
// receives posted after it that could compete for the same messages wait for that. Receives of
// traces that do not say what was posted take their place at completion.

#include "analyzer/base/memory.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/matching/matching.h"

// Open requests a rank may have before sends are no longer followed to their completion: archives
// without completion records must not use up memory.
enum { MAX_OPEN_REQUESTS = 1 << 20 };

static struct mailbox *mailbox_at(const struct engine *engine, uint32_t index)
{
    return POOL_AT(&engine->mailboxes, struct mailbox, index);
}

void match_init(struct engine *engine)
{
    pool_init(&engine->messages, sizeof(struct message));
    pool_init(&engine->receives, sizeof(struct receive));
    pool_init(&engine->mailboxes, sizeof(struct mailbox));
    pool_init(&engine->send_waits, sizeof(struct send_wait));
    map_init(&engine->mailbox_of);
    map_init(&engine->traffic_of);
    map_init(&engine->message_kind_of);
    channel_init(engine);
}

void match_release(struct engine *engine)
{
    pool_release(&engine->messages);
    pool_release(&engine->receives);
    pool_release(&engine->mailboxes);
    pool_release(&engine->send_waits);
    map_release(&engine->mailbox_of);
    map_release(&engine->traffic_of);
    map_release(&engine->message_kind_of);
    channel_release(engine);
}

// --- messages in flight to a mailbox, sorted by the time of their send record

static void fly(struct engine *engine, uint32_t index)
{
    struct message *message = message_at(engine, index);
    struct mailbox *mailbox = mailbox_at(engine, message->mailbox);
    uint32_t after = mailbox->last_message;
    while (after != NONE && message_at(engine, after)->send_ns > message->send_ns)
        after = message_at(engine, after)->previous;
    message->previous = after;
    message->next = after == NONE ? mailbox->first_message : message_at(engine, after)->next;
    if (message->next == NONE)
        mailbox->last_message = index;
    else
        message_at(engine, message->next)->previous = index;
    if (after == NONE)
        mailbox->first_message = index;
    else
        message_at(engine, after)->next = index;
}

static void land(struct engine *engine, const struct message *message)
{
    struct mailbox *mailbox = mailbox_at(engine, message->mailbox);
    if (message->previous == NONE)
        mailbox->first_message = message->next;
    else
        message_at(engine, message->previous)->next = message->next;
    if (message->next == NONE)
        mailbox->last_message = message->previous;
    else
        message_at(engine, message->next)->previous = message->previous;
}

static bool is_before(const struct message *a, const struct message *b, uint32_t preferred_sender)
{
    bool a_preferred = a->sender == preferred_sender, b_preferred = b->sender == preferred_sender;
    if (a_preferred != b_preferred)
        return a_preferred;
    return a->sender < b->sender;
}

const struct message *match_queued(const struct engine *engine, const struct message *message,
                                   uint64_t limit_ns)
{
    const struct message *best = NULL;
    if (message->tag >= EVENT_FIRST_OWN_TAG)
        return NULL;
    uint32_t index = mailbox_at(engine, message->mailbox)->first_message;
    for (; index != NONE; index = message_at(engine, index)->next) {
        const struct message *other = message_at(engine, index);
        if (other->send_ns >= limit_ns || (best && other->send_ns > best->send_ns))
            break;
        if (other->is_landing || other->tag >= EVENT_FIRST_OWN_TAG)
            continue;
        if (!best || is_before(other, best, message->sender))
            best = other;
    }
    return best;
}

// --- pairing

void match_pair(struct engine *engine, uint32_t message_index, uint32_t receive_index)
{
    struct message *message = message_at(engine, message_index);
    struct receive *receive = receive_at(engine, receive_index);
    message->receive = receive_index;
    message->is_matched = true;
    message->post_enter_ns = receive->post_enter_ns;
    message->post_releases = message->awaits_receiver && receive->names_channel;
    receive->message = message_index;
    if (message->post_releases) {
        message->post_node = receive->post_node;
        receive->post_node = NONE;
    }
    if (message->is_over)
        late_receiver_see(engine, message);
    if (message->send_wait != NONE)
        late_receiver_resolve(engine, message);
    if (engine->hooks)
        engine->hooks->matched(engine, message_index, receive_index);
    if (receive->is_detached)
        match_settle_receive(engine, receive_index);
}

// --- records

static struct rank_state *rank_of(struct engine *engine, const struct location_state *location)
{
    return &engine->ranks[location->rank];
}

static uint32_t world_rank(const struct engine *engine, const struct location_state *location,
                           uint32_t communicator, uint32_t peer)
{
    return communicator_peer(&engine->definitions->communicators[communicator], location->rank,
                             peer);
}

/// A message without a known partner: its communicator has a member there that the trace does not
/// know (of another program, or a process that was started untraced), or it has none.
static void count_lost(struct engine *engine, const struct location_state *location,
                       const struct event *event)
{
    const struct communicator *comm = &engine->definitions->communicators[event->index];
    bool is_remote =
        comm->is_intercommunicator && communicator_in_first_group(comm, location->rank);
    if (event->peer < (is_remote ? comm->n_remote_members : comm->n_members))
        engine->result->n_outside++;
    else
        engine->result->n_lost_calls++;
}

void match_remember_request(struct engine *engine, struct location_state *location,
                            uint64_t request, uint32_t index, enum request_kind kind)
{
    map_put(&rank_of(engine, location)->requests, request, index * REQUEST_KINDS + kind);
}

uint32_t match_forget_request(struct engine *engine, struct location_state *location,
                              uint64_t request, enum request_kind kind)
{
    struct map *requests = &rank_of(engine, location)->requests;
    uint32_t value;
    if (!map_get(requests, request, &value) || value % REQUEST_KINDS != kind)
        return NONE;
    map_remove(requests, request);
    return value / REQUEST_KINDS;
}

static void await_sent(struct engine *engine, struct location_state *location, uint32_t index)
{
    struct call *call = &location->call;
    struct message *message = message_at(engine, index);
    message->sender_is_inside = !call->is_test;
    message->send_over_ns = call->leave_ns;
    if (message->sender_is_inside && call->n_records == 1)
        message->await_enter_ns = call->enter_ns;
    if (message->awaits_receiver && message->sender_is_inside)
        engine->ranks[message->receiver].n_blocked_senders++;
    *ARRAY_NEXT(call->sends, call->n_sends, call->sends_capacity) = index;
}

/// The open call completes the send of a message, by EVENT.
static void sent(struct engine *engine, struct location_state *location, const struct event *event,
                 uint32_t index)
{
    if (message_at(engine, index)->is_left_out) {
        call_complete_less(&location->call, event);
        match_settle_sent(engine, index);
        return;
    }
    await_sent(engine, location, index);
}

/// What the sends before tell of MESSAGE, just sent.
static void expect_wait(const struct engine *engine, struct message *message)
{
    unsigned scope = sends_scope(engine, message);
    bool is_open = sends_may_be_buffered(message);
    message->needs_attendance = is_open && send_habits_tell(&engine->attendance[scope], message);
    message->awaits_receiver = message->is_synchronous || message->needs_attendance ||
                               (is_open && send_habits_tell(&engine->eager.habits[scope], message));
}

static uint32_t new_message(struct engine *engine, struct location_state *location,
                            const struct event *event, uint32_t receiver, uint32_t channel)
{
    const struct call *call = &location->call;
    uint64_t access_ns = 0;
    if (event->flags & EVENT_OF_WINDOW && event->tag == EVENT_TAG_COMPLETE)
        access_ns = epochs_close(engine, location, event->index, receiver);
    uint32_t index = pool_take(&engine->messages);
    *message_at(engine, index) = (struct message){
        .send_enter_ns = call->enter_ns,
        .send_leave_ns = call->leave_ns,
        .send_ns = event->time_ns,
        .post_enter_ns = 0,
        .send_over_ns = UINT64_MAX,
        .await_enter_ns = UINT64_MAX,
        .size_bytes = event->size_bytes,
        .number = engine->result->n_messages,
        .access_ns = access_ns,
        .sender = location->rank,
        .receiver = receiver,
        .tag = event->tag,
        .sender_location = location->index,
        .channel = channel,
        .mailbox = channel_at(engine, channel)->mailbox,
        .kind = channel_kind(engine, channel),
        .receive = NONE,
        .node = NONE,
        .post_node = NONE,
        .send_wait = NONE,
        .previous = NONE,
        .next = NONE,
        .next_in_channel = NONE,
        .is_synchronous = call->is_synchronous,
        .is_standard = call->is_standard,
        .is_nonblocking = event->kind == EVENT_ISEND,
        .is_alone = call->n_records == 1,
        .is_of_window = (event->flags & EVENT_OF_WINDOW) != 0,
    };
    expect_wait(engine, message_at(engine, index));
    if (engine->hooks)
        engine->hooks->sent(engine, location, index, event);
    return index;
}

/// Whether the receiver of MESSAGE is in a probe that waits for it.
static bool is_probed(const struct engine *engine, const struct message *message)
{
    const struct rank_state *receiver = &engine->ranks[message->receiver];
    const struct channel *channel = channel_at(engine, message->channel);
    for (uint32_t i = 0; i < receiver->n_locations; i++) {
        const struct call *call = &engine->locations[receiver->first_location + i].call;
        if (call->is_open && call->probed.communicator == channel->communicator &&
            call->probed.source == channel->sender && call->probed.tag == channel->tag)
            return true;
    }
    return false;
}

/// The receiver may be waiting already: then its lineage will continue from here.
static bool sender_needs_snapshot(const struct engine *engine, const struct message *message)
{
    bool is_taken = message->is_matched && message->receive == NONE; // by one that left it out
    if (message->is_left_out || is_taken)
        return false;
    if (engine->is_ahead)
        return true;
    return message->is_matched ? receive_at(engine, message->receive)->call_may_wait
                               : engine->n_probing > 0 && is_probed(engine, message);
}

static void send(struct engine *engine, struct location_state *location, const struct event *event)
{
    uint32_t receiver = world_rank(engine, location, event->index, event->peer);
    if (receiver == NONE) {
        count_lost(engine, location, event);
        return;
    }
    bool is_of_window = (event->flags & EVENT_OF_WINDOW) != 0;
    engine->result->n_messages += !is_of_window;
    uint32_t channel_index =
        channel_find(engine, &location->sent, event->index, receiver, location->rank, event->tag);
    uint32_t index = new_message(engine, location, event, receiver, channel_index);
    struct channel *channel = channel_at(engine, channel_index);
    channel_count_traffic(engine, channel, event->size_bytes);
    if (!message_at(engine, index)->is_left_out)
        fly(engine, index);
    uint32_t receive = channel_pop_receive(engine, channel);
    if (receive == NONE)
        channel_push_send(engine, channel, index);
    else
        match_pair(engine, index, receive);
    if (sender_needs_snapshot(engine, message_at(engine, index)))
        message_at(engine, index)->node = head_cut(engine, location);
    bool is_left_out = message_at(engine, index)->is_left_out;
    if (is_of_window || (event->kind == EVENT_SEND && is_left_out)) // it waits for no receiver
        match_settle_sent(engine, index);
    else if (event->kind == EVENT_SEND)
        await_sent(engine, location, index);
    else if (rank_of(engine, location)->requests.n_used < MAX_OPEN_REQUESTS)
        match_remember_request(engine, location, event->request, index, REQUEST_SEND);
    else
        match_settle_sent(engine, index);
}

/// EVENT says that it was posted, or only that it is over.
static uint32_t new_receive(struct engine *engine, struct location_state *location,
                            const struct event *event)
{
    uint32_t index = pool_take(&engine->receives);
    *receive_at(engine, index) = (struct receive){
        .post_enter_ns = location->call.enter_ns,
        .sequence = ++rank_of(engine, location)->post_sequence,
        .location = location->index,
        .rank = location->rank,
        .communicator = EVENT_NO_INDEX,
        .source = EVENT_ANY,
        .tag = EVENT_ANY,
        .channel = NONE,
        .message = NONE,
        .post_node = NONE,
        .is_nonblocking = event->kind != EVENT_RECV,
        .is_of_window = (event->flags & EVENT_OF_WINDOW) != 0,
    };
    if (engine->hooks)
        engine->hooks->posted(engine, location, index, event);
    return index;
}

/// A synchronous sender may be waiting for this posting: keep the lineage it would continue from.
static void keep_posting_lineage(struct engine *engine, struct location_state *location,
                                 uint32_t index)
{
    if (engine->is_ahead || rank_of(engine, location)->n_blocked_senders > 0)
        receive_at(engine, index)->post_node = head_cut(engine, location);
}

static void post(struct engine *engine, struct location_state *location, const struct event *event)
{
    if (event->flags & EVENT_OF_WINDOW)
        epochs_open(engine, location, event);
    uint32_t index = new_receive(engine, location, event);
    keep_posting_lineage(engine, location, index);
    match_remember_request(engine, location, event->request, index, REQUEST_RECEIVE);
    struct receive *receive = receive_at(engine, index);
    uint32_t source = EVENT_ANY;
    if ((event->flags & EVENT_HAS_ENVELOPE) && event->peer != EVENT_ANY)
        source = world_rank(engine, location, event->index, event->peer);
    if (!(event->flags & EVENT_HAS_ENVELOPE) || (source == NONE && event->peer != EVENT_ANY)) {
        rank_of(engine, location)->n_unresolved_posts++;
        return;
    }
    receive->communicator = event->index;
    receive->source = source;
    receive->tag = event->tag;
    posted_place(engine, index);
}

static void add_completing(struct engine *engine, struct call *call, uint32_t index)
{
    receive_at(engine, index)->call_may_wait = !call->is_test;
    call->receives = array_reserve(call->receives, &call->receives_capacity, call->n_receives + 1,
                                   sizeof(*call->receives));
    uint32_t place = call->n_receives++; // sorted by posting
    uint64_t sequence = receive_at(engine, index)->sequence;
    while (place > 0 && receive_at(engine, call->receives[place - 1])->sequence > sequence) {
        call->receives[place] = call->receives[place - 1];
        place--;
    }
    call->receives[place] = index;
}

/// Notes what the completion record says about the channel; the receive takes its place there in
/// resolve(), once all receives of the call are known.
static void complete(struct engine *engine, struct location_state *location,
                     const struct event *event)
{
    uint32_t source = world_rank(engine, location, event->index, event->peer);
    uint32_t index = NONE;
    if (event->kind == EVENT_IRECV)
        index = match_forget_request(engine, location, event->request, REQUEST_RECEIVE);
    if (source == NONE) {
        count_lost(engine, location, event);
        if (index != NONE)
            match_abandon_receive(engine, index);
        return;
    }
    if (index == NONE) {
        index = new_receive(engine, location, event);
        receive_at(engine, index)->names_channel = event->kind == EVENT_RECV;
        keep_posting_lineage(engine, location, index);
        rank_of(engine, location)->n_unresolved_posts++;
    }
    struct receive *receive = receive_at(engine, index);
    receive->completed_communicator = event->index;
    receive->completed_source = source;
    receive->completed_tag = event->tag;
    if (engine->hooks)
        engine->hooks->received(engine, location, index, source, event);
    add_completing(engine, &location->call, index);
}

static void complete_post(struct engine *engine, struct location_state *location,
                          const struct event *event)
{
    uint32_t index = epochs_await(engine, location, event);
    if (index != NONE)
        add_completing(engine, &location->call, index);
}

/// In the order of posting: receives without a channel get the one they were completed on.
static void resolve(struct engine *engine, const struct call *call)
{
    for (uint32_t i = 0; i < call->n_receives; i++) {
        struct receive *receive = receive_at(engine, call->receives[i]);
        if (receive->channel != NONE)
            continue;
        posted_withdraw(engine, call->receives[i]);
        receive->communicator = receive->completed_communicator;
        receive->source = receive->completed_source;
        receive->tag = receive->completed_tag;
        posted_queue(engine, call->receives[i]);
        posted_release_rivals(engine, receive_at(engine, call->receives[i]));
    }
}

static void cancel(struct engine *engine, struct location_state *location,
                   const struct event *event)
{
    uint64_t request = event->request;
    uint32_t receive = match_forget_request(engine, location, request, REQUEST_RECEIVE);
    if (receive != NONE) {
        match_abandon_receive(engine, receive);
        return;
    }
    uint32_t message = match_forget_request(engine, location, request, REQUEST_SEND);
    if (message == NONE)
        return;
    if (message_at(engine, message)->is_left_out)
        call_leave_out(&location->call, event);
    if (!message_at(engine, message)->is_matched)
        channel_remove_send(engine, message);
    match_settle_sent(engine, message);
}

/// Takes the receives of left out messages, all in their channels by now, out of the call.
static void detach_left_out(struct engine *engine, struct call *call)
{
    uint32_t n_kept = 0;
    for (uint32_t i = 0; i < call->n_receives; i++) {
        uint32_t index = call->receives[i];
        struct receive *receive = receive_at(engine, index);
        if (!receive->is_left_out) {
            call->receives[n_kept++] = index;
            continue;
        }
        receive->is_detached = true;
        if (receive->message != NONE)
            match_settle_receive(engine, index);
    }
    call->n_receives = n_kept;
}

void match_enter_probe(struct engine *engine, struct location_state *location)
{
    struct call *call = &location->call;
    const struct event *record = call_record_after_probe(location);
    if (call->is_cut || call->n_records > 0 || !record || record->kind != EVENT_RECV ||
        engine->ranks[location->rank].n_unresolved_posts > 0)
        return;
    struct envelope probed = {
        record->index, world_rank(engine, location, record->index, record->peer), record->tag};
    const struct channel *channel = channel_known(engine, location->rank, &probed);
    if (probed.source == NONE || (channel && channel->first_receive != NONE))
        return;
    call->probed = probed;
    engine->n_probing++;
}

uint32_t match_probed(const struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    const struct channel *channel = channel_known(engine, location->rank, &call->probed);
    uint32_t message = channel ? channel->first_send : NONE;
    bool is_seen = message != NONE && !message_at(engine, message)->is_left_out &&
                   message_at(engine, message)->send_enter_ns <= call->leave_ns;
    return is_seen ? message : NONE;
}

void match_enter_call(struct engine *engine, struct location_state *location)
{
    struct call *call = &location->call;
    for (uint32_t i = 0; i < call->n_records; i++) {
        const struct event *event = &call->records[i];
        switch (event->kind) {
        case EVENT_SEND:
        case EVENT_ISEND:
            send(engine, location, event);
            break;
        case EVENT_ISEND_COMPLETE: {
            uint32_t message = match_forget_request(engine, location, event->request, REQUEST_SEND);
            if (message != NONE)
                sent(engine, location, event, message);
            break;
        }
        case EVENT_IRECV_REQUEST:
            post(engine, location, event);
            break;
        case EVENT_RECV:
        case EVENT_IRECV:
            if (event->kind == EVENT_IRECV && event->flags & EVENT_OF_WINDOW)
                complete_post(engine, location, event);
            else
                complete(engine, location, event);
            break;
        case EVENT_REQUEST_CANCELLED:
            cancel(engine, location, event);
            break;
        default:
            break;
        }
    }
    if (call->n_receives > 0)
        resolve(engine, call);
    if (call->n_left_out > 0)
        detach_left_out(engine, call);
}

// --- the end of messages and receives

static void free_if_settled(struct engine *engine, uint32_t index)
{
    const struct message *message = message_at(engine, index);
    if (message->is_received && message->is_sent)
        pool_give(&engine->messages, index);
}

void match_settle_receive(struct engine *engine, uint32_t index)
{
    struct receive *receive = receive_at(engine, index);
    uint32_t message_index = receive->message;
    lineage_let_go(&engine->lineage, receive->post_node);
    pool_give(&engine->receives, index);
    if (message_index == NONE)
        return;
    struct message *message = message_at(engine, message_index);
    if (!message->is_left_out)
        land(engine, message);
    lineage_let_go(&engine->lineage, message->node);
    message->node = NONE;
    message->receive = NONE;
    message->is_received = true;
    free_if_settled(engine, message_index);
}

void match_settle_sent(struct engine *engine, uint32_t index)
{
    struct message *message = message_at(engine, index);
    if (message->awaits_receiver && message->sender_is_inside)
        engine->ranks[message->receiver].n_blocked_senders--;
    lineage_let_go(&engine->lineage, message->post_node);
    message->post_node = NONE;
    message->sender_is_inside = false;
    message->is_sent = true;
    free_if_settled(engine, index);
}

void match_abandon_receive(struct engine *engine, uint32_t index)
{
    struct receive *receive = receive_at(engine, index);
    if (receive->message != NONE) { // a cancelled receive that was matched all the same
        match_settle_receive(engine, index);
        return;
    }
    if (receive->channel != NONE) {
        channel_remove_receive(engine, index);
    } else {
        posted_withdraw(engine, index);
        posted_release_rivals(engine, receive);
    }
    match_settle_receive(engine, index);
}

void match_finish(struct engine *engine)
{
    for (uint32_t box = 0; box < engine->mailboxes.n_used; box++) {
        uint32_t index = mailbox_at(engine, box)->first_message;
        for (; index != NONE; index = message_at(engine, index)->next) {
            struct message *message = message_at(engine, index);
            engine->result->n_unmatched_sends += !message->is_matched && !message->is_of_window;
            if (message->send_wait != NONE)
                late_receiver_resolve(engine, message);
        }
    }
}

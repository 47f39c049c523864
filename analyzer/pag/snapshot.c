// SPDX-License-Identifier: BSD-3-Clause
// See snapshot.h. Items of a pool are written without those that are free, and numbered anew; idle
// channels and empty mailboxes are left out. Nodes of lineages all become the root: parts of the
// run have no lineages, but where one was known decides which calls begin a new leaf.
#include "analyzer/pag/snapshot.h"

#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/pag/matching/matching.h"

/// The items of a pool that are written, by their old numbers; or read.
struct items {
    uint32_t *numbers; // new ones, NONE: left out; NULL while reading
    uint32_t n;
};

struct snapshot {
    struct engine *engine;
    struct numbers *numbers;
    struct items messages, receives, mailboxes, channels, send_waits, collectives, postings;
};

// --- fields

#define PASS(snapshot, ...) (NUMBERS_PASS((snapshot)->numbers, __VA_ARGS__))

static bool is_reading(const struct snapshot *snapshot)
{
    return snapshot->numbers->is_reading;
}

static bool is_damaged(const struct snapshot *snapshot)
{
    return snapshot->numbers->is_damaged;
}

/// The number of an item, NONE among them; items that are left out become NONE.
static void pass_any(struct snapshot *snapshot, const struct items *items, uint32_t *item)
{
    if (!is_reading(snapshot) && *item != NONE)
        *item = items->numbers[*item];
    *item = numbers_pass_any_index(snapshot->numbers, *item, items->n);
}

static void pass_item(struct snapshot *snapshot, const struct items *items, uint32_t *item)
{
    pass_any(snapshot, items, item);
    snapshot->numbers->is_damaged |= *item == NONE;
}

static void pass_rank(struct snapshot *snapshot, uint32_t *rank)
{
    *rank = numbers_pass_index(snapshot->numbers, *rank, snapshot->engine->n_ranks);
}

static void pass_location(struct snapshot *snapshot, uint32_t *location)
{
    *location = numbers_pass_index(snapshot->numbers, *location, snapshot->engine->n_locations);
}

/// A call path of LOCATION, whose call tree must be there.
static void pass_path(struct snapshot *snapshot, uint32_t location, uint32_t *path)
{
    *path = numbers_pass_index(snapshot->numbers, *path,
                               snapshot->engine->locations[location].profile.n_paths);
}

/// NONE for none, or that of MPI_Finalize.
static void pass_communicator(struct snapshot *snapshot, uint32_t *communicator)
{
    *communicator = numbers_pass_any_index(snapshot->numbers, *communicator,
                                           snapshot->engine->definitions->n_communicators);
}

static void pass_node(struct snapshot *snapshot, uint32_t *node)
{
    bool is_known = numbers_pass(snapshot->numbers, *node != LINEAGE_NONE);
    if (is_reading(snapshot))
        *node = is_known ? lineage_hold(&snapshot->engine->lineage, LINEAGE_ROOT) : LINEAGE_NONE;
}

// --- which items

static struct items items_of(const struct pool *pool)
{
    struct items items = {.numbers = memory_zeroed(pool->n_used + 1, sizeof *items.numbers)};
    for (uint32_t i = pool->first_free; i != POOL_NONE;) {
        items.numbers[i] = NONE;
        memcpy(&i, pool_at(pool, i), sizeof i);
    }
    return items;
}

static void number(struct items *items, const struct pool *pool)
{
    for (uint32_t i = 0; i < pool->n_used; i++)
        if (items->numbers[i] != NONE)
            items->numbers[i] = items->n++;
}

static struct items all_items(const struct pool *pool)
{
    struct items items = items_of(pool);
    number(&items, pool);
    return items;
}

static struct items busy_channels(const struct engine *engine)
{
    struct items items = items_of(&engine->channels);
    for (uint32_t i = 0; i < engine->channels.n_used; i++) {
        const struct channel *channel = channel_at(engine, i);
        if (items.numbers[i] != NONE && channel->first_send == NONE &&
            channel->first_receive == NONE)
            items.numbers[i] = NONE;
    }
    number(&items, &engine->channels);
    return items;
}

static struct items full_mailboxes(const struct engine *engine)
{
    struct items items = items_of(&engine->mailboxes);
    for (uint32_t i = 0; i < engine->mailboxes.n_used; i++) {
        const struct mailbox *mailbox = pool_at(&engine->mailboxes, i);
        if (mailbox->first_message == NONE && mailbox->first_deferred == NONE)
            items.numbers[i] = NONE;
    }
    number(&items, &engine->mailboxes);
    return items;
}

/// Writes how many ITEMS there are, or takes as many zeroed ones from an unused POOL.
static void pass_items(struct snapshot *snapshot, struct items *items, struct pool *pool)
{
    items->n = (uint32_t)numbers_pass_count(snapshot->numbers, items->n);
    if (!is_reading(snapshot) || !pool)
        return;
    for (uint32_t i = 0; i < items->n; i++) {
        uint32_t index = pool_take(pool);
        memset(pool_at(pool, index), 0, pool->item_bytes);
    }
}

/// Calls PASS for each of ITEMS, a copy of it while writing.
static void pass_each(struct snapshot *snapshot, const struct items *items, struct pool *pool,
                      void (*pass)(struct snapshot *snapshot, void *item))
{
    SCOPED char *copy = memory_new(pool->item_bytes);
    uint32_t n = is_reading(snapshot) ? items->n : pool->n_used;
    for (uint32_t i = 0; i < n && !is_damaged(snapshot); i++) {
        if (is_reading(snapshot)) {
            pass(snapshot, pool_at(pool, i));
        } else if (items->numbers[i] != NONE) {
            memcpy(copy, pool_at(pool, i), pool->item_bytes);
            pass(snapshot, copy);
        }
    }
}

/// Writes the N items of LIST, or reads them into it, by PASS, which gets a copy of each. Returns
/// LIST.
static void *pass_list(struct snapshot *snapshot, void *list, uint32_t *n, size_t *capacity,
                       size_t item_bytes, void (*pass)(struct snapshot *snapshot, void *item))
{
    SCOPED char *copy = memory_new(item_bytes);
    *n = (uint32_t)numbers_pass_count(snapshot->numbers, *n);
    if (is_reading(snapshot))
        list = array_reserve(list, capacity, *n, item_bytes);
    for (uint32_t i = 0; i < *n && !is_damaged(snapshot); i++) {
        char *item = (char *)list + i * item_bytes;
        if (is_reading(snapshot))
            memset(item, 0, item_bytes);
        memcpy(copy, item, item_bytes);
        pass(snapshot, copy);
        if (is_reading(snapshot))
            memcpy(item, copy, item_bytes);
    }
    return list;
}
#define PASS_LIST(snapshot, list, n, capacity, pass)                                               \
    ((list) = pass_list((snapshot), (list), &(n), &(capacity), sizeof *(list), (pass)))

// --- messages and receives

static void pass_message(struct snapshot *snapshot, void *item)
{
    struct message *message = item;
    PASS(snapshot, message->send_enter_ns, message->send_leave_ns, message->send_ns,
         message->post_enter_ns, message->send_over_ns, message->await_enter_ns);
    PASS(snapshot, message->size_bytes, message->tag, message->is_synchronous,
         message->is_nonblocking, message->is_matched, message->is_standard);
    PASS(snapshot, message->is_over, message->awaits_receiver, message->needs_attendance,
         message->post_releases, message->sender_is_inside, message->is_received);
    PASS(snapshot, message->is_sent, message->is_alone, message->is_of_window, message->access_ns);
    pass_rank(snapshot, &message->sender);
    pass_rank(snapshot, &message->receiver);
    pass_location(snapshot, &message->sender_location);
    if (!is_reading(snapshot) && message->is_received)
        message->mailbox = message->previous = message->next = NONE;
    if (!is_reading(snapshot) && message->is_matched)
        message->channel = message->next_in_channel = NONE;
    pass_any(snapshot, &snapshot->channels, &message->channel);
    pass_any(snapshot, &snapshot->mailboxes, &message->mailbox);
    pass_any(snapshot, &snapshot->receives, &message->receive);
    pass_any(snapshot, &snapshot->send_waits, &message->send_wait);
    pass_any(snapshot, &snapshot->messages, &message->previous);
    pass_any(snapshot, &snapshot->messages, &message->next);
    pass_any(snapshot, &snapshot->messages, &message->next_in_channel);
    pass_node(snapshot, &message->node);
    pass_node(snapshot, &message->post_node);
}

static void pass_receive(struct snapshot *snapshot, void *item)
{
    struct receive *receive = item;
    PASS(snapshot, receive->post_enter_ns, receive->sequence, receive->tag, receive->completed_tag,
         receive->is_deferred, receive->is_nonblocking);
    PASS(snapshot, receive->names_channel, receive->call_may_wait, receive->is_given_up,
         receive->is_detached, receive->is_of_window);
    pass_location(snapshot, &receive->location);
    pass_rank(snapshot, &receive->rank);
    receive->source =
        numbers_pass_any_index(snapshot->numbers, receive->source, snapshot->engine->n_ranks);
    pass_rank(snapshot, &receive->completed_source);
    pass_communicator(snapshot, &receive->communicator);
    pass_communicator(snapshot, &receive->completed_communicator);
    // One that has its place may be in no channel any more: any number but NONE says so.
    bool has_place = numbers_pass(snapshot->numbers, receive->channel != NONE);
    if (!is_reading(snapshot) && receive->message != NONE)
        receive->channel = receive->next_in_channel = NONE;
    if (!is_reading(snapshot) && !receive->is_deferred)
        receive->previous = receive->next = NONE;
    pass_any(snapshot, &snapshot->channels, &receive->channel);
    if (has_place && receive->channel == NONE)
        receive->channel = 0;
    pass_any(snapshot, &snapshot->messages, &receive->message);
    pass_any(snapshot, &snapshot->receives, &receive->previous);
    pass_any(snapshot, &snapshot->receives, &receive->next);
    pass_any(snapshot, &snapshot->receives, &receive->next_in_channel);
    pass_node(snapshot, &receive->post_node);
}

static void pass_send_wait(struct snapshot *snapshot, void *item)
{
    struct send_wait *wait = item;
    struct trigger *trigger = &wait->wait.trigger;
    trigger->kind = TRIGGER_SEND;
    pass_location(snapshot, &trigger->location);
    pass_rank(snapshot, &trigger->rank);
    pass_path(snapshot, trigger->location, &trigger->call_path);
    for (unsigned i = 0; i < TRIGGER_SEND_N_FIELDS; i++)
        PASS(snapshot, trigger->value[i]);
    PASS(snapshot, wait->wait.enter_ns, wait->wait.least_limits[0], wait->wait.least_limits[1],
         wait->from.time_ns);
    PASS(snapshot, wait->n_open, wait->over_ns, wait->has_certain);
    pass_node(snapshot, &wait->from.node);
    pass_node(snapshot, &wait->post_node);
    pass_node(snapshot, &wait->attend_node);
}

/// Keys of mailboxes by their numbers; to be freed.
static uint64_t *mailbox_keys(const struct engine *engine)
{
    uint64_t *keys = memory_zeroed(engine->mailboxes.n_used + 1, sizeof *keys);
    for (size_t i = 0; i < engine->mailbox_of.capacity; i++) {
        const struct map_slot *slot = &engine->mailbox_of.slots[i];
        if (slot->is_used)
            keys[slot->value] = slot->key;
    }
    return keys;
}

static void pass_mailbox(struct snapshot *snapshot, uint64_t key, uint32_t index)
{
    struct engine *engine = snapshot->engine;
    uint32_t communicator = (uint32_t)(key >> 32), receiver = (uint32_t)key;
    communicator =
        numbers_pass_index(snapshot->numbers, communicator, engine->definitions->n_communicators);
    pass_rank(snapshot, &receiver);
    if (is_reading(snapshot) && channel_mailbox(engine, communicator, receiver) != index) {
        snapshot->numbers->is_damaged = true;
        return;
    }
    struct mailbox mailbox = *(struct mailbox *)pool_at(&engine->mailboxes, index);
    pass_any(snapshot, &snapshot->messages, &mailbox.first_message);
    pass_any(snapshot, &snapshot->messages, &mailbox.last_message);
    pass_any(snapshot, &snapshot->receives, &mailbox.first_deferred);
    pass_any(snapshot, &snapshot->receives, &mailbox.last_deferred);
    if (is_reading(snapshot))
        *(struct mailbox *)pool_at(&engine->mailboxes, index) = mailbox;
}

static void pass_mailboxes(struct snapshot *snapshot)
{
    struct engine *engine = snapshot->engine;
    const struct items *items = &snapshot->mailboxes;
    SCOPED uint64_t *keys = mailbox_keys(engine);
    uint32_t n = is_reading(snapshot) ? items->n : engine->mailboxes.n_used;
    for (uint32_t i = 0; i < n && !is_damaged(snapshot); i++)
        if (is_reading(snapshot))
            pass_mailbox(snapshot, 0, i);
        else if (items->numbers[i] != NONE)
            pass_mailbox(snapshot, keys[i], i);
}

static void pass_channel(struct snapshot *snapshot, uint32_t index)
{
    struct engine *engine = snapshot->engine;
    struct channel channel = {0};
    if (!is_reading(snapshot))
        channel = *channel_at(engine, index);
    channel.communicator = numbers_pass_index(snapshot->numbers, channel.communicator,
                                              engine->definitions->n_communicators);
    pass_rank(snapshot, &channel.receiver);
    pass_rank(snapshot, &channel.sender);
    PASS(snapshot, channel.tag, channel.last_sequence);
    pass_any(snapshot, &snapshot->messages, &channel.first_send);
    pass_any(snapshot, &snapshot->messages, &channel.last_send);
    pass_any(snapshot, &snapshot->receives, &channel.first_receive);
    pass_any(snapshot, &snapshot->receives, &channel.last_receive);
    if (!is_reading(snapshot) || is_damaged(snapshot))
        return;
    struct recent_channel ignored = {0};
    bool is_busy = channel.first_send != NONE || channel.first_receive != NONE;
    if (!is_busy || channel_find(engine, &ignored, channel.communicator, channel.receiver,
                                 channel.sender, channel.tag) != index) {
        snapshot->numbers->is_damaged = true;
        return;
    }
    struct channel *made = channel_at(engine, index);
    made->first_send = channel.first_send;
    made->last_send = channel.last_send;
    made->first_receive = channel.first_receive;
    made->last_receive = channel.last_receive;
    made->last_sequence = channel.last_sequence;
}

static void pass_channels(struct snapshot *snapshot)
{
    const struct items *items = &snapshot->channels;
    uint32_t n = is_reading(snapshot) ? items->n : snapshot->engine->channels.n_used;
    for (uint32_t i = 0; i < n && !is_damaged(snapshot); i++)
        if (is_reading(snapshot) || items->numbers[i] != NONE)
            pass_channel(snapshot, i);
}

// --- collective operations

static void pass_member(struct snapshot *snapshot, struct member *member)
{
    PASS(snapshot, member->in_ns, member->recorded_in_ns, member->enter_ns, member->leave_ns,
         member->end_ns);
    PASS(snapshot, member->recorded_end_ns, member->size_bytes, member->operation, member->class_,
         member->has_left);
    PASS(snapshot, member->is_test, member->is_root, member->is_uneven, member->is_window,
         member->is_file, member->is_passive);
    pass_rank(snapshot, &member->rank);
    pass_location(snapshot, &member->location);
    pass_path(snapshot, member->location, &member->path);
    pass_node(snapshot, &member->node);
    pass_node(snapshot, &member->enter_node);
}

static struct communicator_state *state_of(struct engine *engine, uint32_t communicator)
{
    return communicator == NONE ? &engine->finalize : &engine->communicators[communicator];
}

static void pass_collective(struct snapshot *snapshot, void *item)
{
    struct collective *instance = item;
    struct numbers *numbers = snapshot->numbers;
    pass_item(snapshot, &snapshot->collectives, &instance->index);
    pass_communicator(snapshot, &instance->communicator);
    PASS(snapshot, instance->is_finalize, instance->sequence, instance->n_entered, instance->n_left,
         instance->n_scans, instance->first_leave_ns);
    instance->n_members = state_of(snapshot->engine, instance->communicator)->n_members;
    instance->first_missing =
        numbers_pass_index(numbers, instance->first_missing, (uint64_t)instance->n_members + 1);
    instance->root = numbers_pass_any_index(numbers, instance->root, instance->n_members);
    instance->last = numbers_pass_any_index(numbers, instance->last, instance->n_members);
    pass_any(snapshot, &snapshot->collectives, &instance->previous);
    pass_any(snapshot, &snapshot->collectives, &instance->next);
    if (is_reading(snapshot))
        instance->members = memory_zeroed(instance->n_members, sizeof(struct member));
    for (uint32_t i = 0; i < instance->n_members && !is_damaged(snapshot); i++) {
        struct member member = instance->members[i];
        member.has_entered = numbers_pass(numbers, member.has_entered);
        if (member.has_entered)
            pass_member(snapshot, &member);
        if (is_reading(snapshot))
            instance->members[i] = member;
    }
}

static void pass_posting(struct snapshot *snapshot, void *item)
{
    struct posting *posting = item;
    PASS(snapshot, posting->in_ns, posting->recorded_in_ns, posting->is_placed);
    pass_any(snapshot, &snapshot->collectives, &posting->collective);
    pass_node(snapshot, &posting->node);
}

/// How many operations each member has entered, as the distance from the most.
static void pass_sequences(struct snapshot *snapshot, struct communicator_state *state)
{
    bool has_any = numbers_pass(snapshot->numbers, state->sequences != NULL);
    uint64_t most = 0;
    if (!has_any)
        return;
    if (is_reading(snapshot))
        state->sequences = memory_zeroed(state->n_members, sizeof *state->sequences);
    for (uint32_t i = 0; i < state->n_members; i++)
        most = state->sequences[i] > most ? state->sequences[i] : most;
    PASS(snapshot, most);
    for (uint32_t i = 0; i < state->n_members; i++)
        state->sequences[i] = most - numbers_pass(snapshot->numbers, most - state->sequences[i]);
}

static void pass_communicator_state(struct snapshot *snapshot, struct communicator_state *state)
{
    uint32_t first_open = state->first_open, last_open = state->last_open;
    pass_any(snapshot, &snapshot->collectives, &first_open);
    pass_any(snapshot, &snapshot->collectives, &last_open);
    PASS(snapshot, state->n_ended);
    pass_sequences(snapshot, state);
    if (!is_reading(snapshot))
        return;
    state->first_open = first_open;
    state->last_open = last_open;
}

// --- ranks and locations

static const struct items *items_of_request(const struct snapshot *snapshot, uint64_t kind)
{
    return kind == REQUEST_SEND      ? &snapshot->messages
           : kind == REQUEST_RECEIVE ? &snapshot->receives
                                     : &snapshot->postings;
}

static void pass_request(struct snapshot *snapshot, struct map *requests,
                         const struct map_slot *slot)
{
    uint64_t request = numbers_pass(snapshot->numbers, slot->key);
    uint32_t kind = slot->value % REQUEST_KINDS, index = slot->value / REQUEST_KINDS;
    kind = numbers_pass_index(snapshot->numbers, kind, REQUEST_KINDS);
    pass_item(snapshot, items_of_request(snapshot, kind), &index);
    if (is_reading(snapshot) && !is_damaged(snapshot))
        map_put(requests, request, index * REQUEST_KINDS + kind);
}

static void pass_requests(struct snapshot *snapshot, struct map *requests)
{
    size_t n = numbers_pass_count(snapshot->numbers, requests->n_used);
    if (is_reading(snapshot)) {
        for (size_t i = 0; i < n && !is_damaged(snapshot); i++)
            pass_request(snapshot, requests, &(struct map_slot){0});
        return;
    }
    for (size_t i = 0; i < requests->capacity; i++)
        if (requests->slots[i].is_used)
            pass_request(snapshot, requests, &requests->slots[i]);
}

static void pass_lock(struct snapshot *snapshot, void *item)
{
    struct open_lock *lock = item;
    pass_communicator(snapshot, &lock->window);
    PASS(snapshot, lock->target, lock->is_exclusive, lock->recorded_request_ns);
    lock->ending =
        numbers_pass_any_index(snapshot->numbers, lock->ending, snapshot->engine->n_locations);
}

static void pass_epoch(struct snapshot *snapshot, void *item)
{
    struct open_epoch *epoch = item;
    pass_communicator(snapshot, &epoch->window);
    pass_rank(snapshot, &epoch->target);
    PASS(snapshot, epoch->access_ns);
}

static void pass_attendance(struct snapshot *snapshot, struct attendance *attendance)
{
    PASS(snapshot, attendance->n_absences, attendance->until_ns, attendance->n_calls);
    for (uint64_t i = 0; i < N_ABSENCES && i < attendance->n_absences; i++) {
        PASS(snapshot, attendance->absences[i].begin_ns, attendance->absences[i].end_ns);
        pass_node(snapshot, &attendance->absences[i].node);
    }
}

static void pass_rank_state(struct snapshot *snapshot, struct rank_state *rank)
{
    pass_attendance(snapshot, &rank->attendance);
    pass_requests(snapshot, &rank->requests);
    PASS_LIST(snapshot, rank->locks, rank->n_locks, rank->lock_capacity, pass_lock);
    PASS_LIST(snapshot, rank->epochs, rank->n_epochs, rank->epoch_capacity, pass_epoch);
    PASS(snapshot, rank->n_unresolved_posts, rank->n_deferred_posts, rank->n_ended_locations,
         rank->n_blocked_senders, rank->post_sequence, rank->has_finalize);
    PASS(snapshot, rank->has_session_end, rank->has_ended, rank->fork_ns, rank->fork_location,
         rank->team_ns, rank->team_location);
    PASS(snapshot, rank->threading, rank->has_team);
    uint32_t fork_node = rank->fork_node, team_node = rank->team_node;
    pass_node(snapshot, &fork_node);
    pass_node(snapshot, &team_node);
    if (!is_reading(snapshot))
        return;
    rank->fork_node = fork_node;
    rank->team_node = team_node;
}

static void pass_receive_of_call(struct snapshot *snapshot, void *item)
{
    pass_item(snapshot, &snapshot->receives, item);
}

static void pass_send_of_call(struct snapshot *snapshot, void *item)
{
    pass_item(snapshot, &snapshot->messages, item);
}

static void pass_part(struct snapshot *snapshot, void *item)
{
    struct part *part = item;
    uint32_t old = part->collective;
    pass_item(snapshot, &snapshot->collectives, &part->collective);
    if (is_damaged(snapshot))
        return;
    const struct collective *instance =
        collective_instance(snapshot->engine, is_reading(snapshot) ? part->collective : old);
    part->member = numbers_pass_index(snapshot->numbers, part->member, instance->n_members);
}

/// At the leave of the call they become those of epochs.
static void pass_access(struct snapshot *snapshot, void *item)
{
    struct event *access = item;
    PASS(snapshot, access->kind);
    pass_communicator(snapshot, &access->index);
    PASS(snapshot, access->peer);
}

static void pass_awaited_lock(struct snapshot *snapshot, struct location_state *location)
{
    struct call *call = &location->call;
    PASS(snapshot, call->awaits_lock);
    if (!call->awaits_lock)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        struct awaited_unlock *unlock = &call->unlocks[i];
        PASS(snapshot, unlock->time_ns);
        unlock->rank =
            numbers_pass_any_index(snapshot->numbers, unlock->rank, snapshot->engine->n_ranks);
        pass_node(snapshot, &unlock->node);
    }
    if (is_reading(snapshot))
        locks_add_waiter(snapshot->engine, location);
}

static void pass_call(struct snapshot *snapshot, struct location_state *location)
{
    struct call *call = &location->call;
    PASS(snapshot, call->is_open);
    if (!call->is_open)
        return;
    PASS(snapshot, call->is_cut, call->is_bare, call->is_test, call->is_finalize, call->is_init);
    PASS(snapshot, call->is_file, call->is_synchronous, call->is_standard, call->has_collectives,
         call->attends);
    PASS(snapshot, call->gave_up, call->goes_on_alone, call->n_nested, call->enter_ns,
         call->leave_ns);
    PASS(snapshot, call->release_ns, call->recorded_enter_ns, call->recorded_leave_ns,
         call->has_cpu_inside, call->cpu_inside_ns);
    PASS(snapshot, call->has_cpu_after, call->cpu_after_ns, call->probed.communicator,
         call->probed.source, call->probed.tag);
    if (is_reading(snapshot))
        snapshot->engine->n_probing += call_probes(call);
    PASS(snapshot, call->n_records); // only how many there were matters after the enter
    call->region = numbers_pass_any_index(snapshot->numbers, call->region,
                                          snapshot->engine->definitions->n_regions);
    pass_path(snapshot, location->index, &call->path);
    pass_node(snapshot, &call->enter_node);
    PASS_LIST(snapshot, call->receives, call->n_receives, call->receives_capacity,
              pass_receive_of_call);
    PASS_LIST(snapshot, call->sends, call->n_sends, call->sends_capacity, pass_send_of_call);
    PASS_LIST(snapshot, call->parts, call->n_parts, call->parts_capacity, pass_part);
    PASS_LIST(snapshot, call->accesses, call->n_accesses, call->accesses_capacity, pass_access);
    pass_awaited_lock(snapshot, location);
}

static void pass_created(struct snapshot *snapshot, struct location_state *location)
{
    uint32_t node = location->created.node;
    PASS(snapshot, location->created.number, location->created.time_ns, location->created.is_over);
    pass_node(snapshot, &node);
    if (is_reading(snapshot))
        location->created.node = node;
}

// --- all of it

static void choose_items(struct snapshot *snapshot)
{
    const struct engine *engine = snapshot->engine;
    snapshot->messages = all_items(&engine->messages);
    snapshot->receives = all_items(&engine->receives);
    snapshot->send_waits = all_items(&engine->send_waits);
    snapshot->collectives = all_items(&engine->collectives);
    snapshot->postings = all_items(&engine->postings);
    snapshot->channels = busy_channels(engine);
    snapshot->mailboxes = full_mailboxes(engine);
}

static void free_items(struct snapshot *snapshot)
{
    FREE_ALL(snapshot->messages.numbers, snapshot->receives.numbers, snapshot->send_waits.numbers,
             snapshot->collectives.numbers, snapshot->postings.numbers, snapshot->channels.numbers,
             snapshot->mailboxes.numbers);
}

static void pass_all_items(struct snapshot *snapshot)
{
    struct engine *engine = snapshot->engine;
    pass_items(snapshot, &snapshot->messages, &engine->messages);
    pass_items(snapshot, &snapshot->receives, &engine->receives);
    pass_items(snapshot, &snapshot->send_waits, &engine->send_waits);
    pass_items(snapshot, &snapshot->collectives, &engine->collectives);
    pass_items(snapshot, &snapshot->postings, &engine->postings);
    pass_items(snapshot, &snapshot->channels, NULL);
    pass_items(snapshot, &snapshot->mailboxes, NULL);
    pass_mailboxes(snapshot);
    pass_channels(snapshot);
    pass_each(snapshot, &snapshot->messages, &engine->messages, pass_message);
    pass_each(snapshot, &snapshot->receives, &engine->receives, pass_receive);
    pass_each(snapshot, &snapshot->send_waits, &engine->send_waits, pass_send_wait);
    pass_each(snapshot, &snapshot->collectives, &engine->collectives, pass_collective);
    pass_each(snapshot, &snapshot->postings, &engine->postings, pass_posting);
}

static void pass_send_habits(struct snapshot *snapshot, struct send_habits *habits)
{
    PASS(snapshot, habits->limit, habits->n_waiting);
    if (habits->n_waiting > N_WAITING_SENDS)
        snapshot->numbers->is_damaged = true;
    for (uint32_t i = 0; i < habits->n_waiting && !snapshot->numbers->is_damaged; i++)
        PASS(snapshot, habits->waiting_bytes[i]);
}

void snapshot_pass(struct engine *engine, const struct pag_location *trees, struct numbers *numbers)
{
    struct snapshot snapshot = {.engine = engine, .numbers = numbers};
    if (!numbers->is_reading)
        choose_items(&snapshot);
    for (size_t i = 0; i < engine->n_locations && !numbers->is_damaged; i++)
        location_pass(&engine->locations[i], numbers->is_reading ? &trees[i] : NULL, numbers);
    if (!numbers->is_damaged)
        pass_all_items(&snapshot);
    for (unsigned scope = 0; scope < 2 && !numbers->is_damaged; scope++)
        pass_send_habits(&snapshot, &engine->eager.habits[scope]);
    for (unsigned scope = 0; scope < 2 && !numbers->is_damaged; scope++)
        pass_send_habits(&snapshot, &engine->attendance[scope]);
    PASS(&snapshot, engine->unattended_bytes[0], engine->unattended_bytes[1]);
    for (size_t i = 0; i < engine->definitions->n_communicators && !numbers->is_damaged; i++)
        pass_communicator_state(&snapshot, &engine->communicators[i]);
    if (!numbers->is_damaged)
        pass_communicator_state(&snapshot, &engine->finalize);
    for (size_t i = 0; i < engine->n_ranks && !numbers->is_damaged; i++)
        pass_rank_state(&snapshot, &engine->ranks[i]);
    for (size_t i = 0; i < engine->n_locations && !numbers->is_damaged; i++)
        pass_call(&snapshot, &engine->locations[i]);
    for (size_t i = 0; i < engine->n_locations; i++)
        pass_created(&snapshot, &engine->locations[i]);
    free_items(&snapshot);
}

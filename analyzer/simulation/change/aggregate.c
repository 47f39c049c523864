// SPDX-License-Identifier: BSD-3-Clause
// Messages put together (see aggregate.h): a group for each pair of ranks, which is open as long
// as its sender has learnt nothing since its last message.
#include "analyzer/simulation/change/aggregate.h"

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/simulation/state.h"

/// The last message from one rank to another, and those it follows.
struct group {
    uint64_t epoch;      // of its sender
    uint64_t size_bytes; // sum
    uint64_t arrival_ns; // of the last one that has departed
};

/// Where a message stands.
struct place {
    uint32_t group;
    bool is_follower;
    uint64_t before_bytes; // of those it follows
};

struct aggregation {
    struct map group_of; // (sender, receiver)
    struct group *groups;
    uint32_t n_groups;
    size_t groups_capacity;
    struct place *members; // by message
    size_t members_capacity;
    uint64_t *epochs; // by rank: how often it may have learnt something, and 1
};

struct aggregation *aggregation_new(const struct scenario *scenario, size_t n_ranks)
{
    if (scenario->settings->aggregate_bytes == 0)
        return NULL;
    struct aggregation *aggregation = memory_zeroed(1, sizeof *aggregation);
    map_init(&aggregation->group_of);
    aggregation->epochs = memory_zeroed(n_ranks, sizeof *aggregation->epochs);
    for (size_t i = 0; i < n_ranks; i++)
        aggregation->epochs[i] = 1;
    return aggregation;
}

void aggregation_free(struct aggregation *aggregation)
{
    if (!aggregation)
        return;
    map_release(&aggregation->group_of);
    FREE_ALL(aggregation->groups, aggregation->members, aggregation->epochs, aggregation);
}

static uint32_t find_group(struct aggregation *aggregation, uint32_t sender, uint32_t receiver)
{
    uint64_t key = (uint64_t)sender << 32 | receiver;
    uint32_t index;
    if (map_get(&aggregation->group_of, key, &index))
        return index;
    index = aggregation->n_groups++;
    aggregation->groups = array_reserve(aggregation->groups, &aggregation->groups_capacity,
                                        aggregation->n_groups, sizeof *aggregation->groups);
    aggregation->groups[index] = (struct group){0};
    map_put(&aggregation->group_of, key, index);
    return index;
}

bool aggregation_follows(struct engine *engine, uint32_t index)
{
    struct prediction *prediction = prediction_of(engine);
    struct aggregation *aggregation = prediction->aggregation;
    const struct message *message = message_at(engine, index);
    const struct message_simulation *times = &prediction->messages[index];
    uint64_t most_bytes = prediction->scenario->settings->aggregate_bytes;
    aggregation->members = array_reserve(aggregation->members, &aggregation->members_capacity,
                                         index + 1, sizeof *aggregation->members);
    struct place *member = &aggregation->members[index];
    *member = (struct place){.group = find_group(aggregation, message->sender, message->receiver)};
    struct group *group = &aggregation->groups[member->group];
    uint64_t epoch = aggregation->epochs[message->sender];
    member->is_follower = group->epoch == epoch && !times->is_rendezvous &&
                          times->size_bytes <= most_bytes &&
                          group->size_bytes <= most_bytes - times->size_bytes;
    member->before_bytes = member->is_follower ? group->size_bytes : 0;
    group->epoch = times->is_rendezvous ? 0 : epoch;
    group->size_bytes = member->before_bytes + times->size_bytes;
    simulated_of(engine)->n_aggregated += member->is_follower;
    return member->is_follower;
}

uint64_t aggregation_departed(struct engine *engine, uint32_t index, uint64_t departed_ns)
{
    struct prediction *prediction = prediction_of(engine);
    struct aggregation *aggregation = prediction->aggregation;
    const struct message_simulation *times = &prediction->messages[index];
    const struct place *member = &aggregation->members[index];
    struct group *group = &aggregation->groups[member->group];
    uint64_t up_to_bytes = member->before_bytes + times->size_bytes;
    uint32_t from = times->sender_site, to = times->receiver_site;
    uint64_t time_ns = prediction->costs->message_ns(prediction, from, to, up_to_bytes);
    if (!member->is_follower) {
        group->arrival_ns = departed_ns + time_ns;
        return PAG_NOT_KNOWN;
    }
    uint64_t before_ns = prediction->costs->message_ns(prediction, from, to, member->before_bytes);
    if (group->arrival_ns < departed_ns)
        group->arrival_ns = departed_ns;
    group->arrival_ns += time_ns > before_ns ? time_ns - before_ns : 0;
    uint64_t alone_ns = departed_ns + prediction->costs->message_ns(
                                          prediction, from, to, up_to_bytes - member->before_bytes);
    if (group->arrival_ns > alone_ns)
        group->arrival_ns = alone_ns;
    return group->arrival_ns - departed_ns;
}

void aggregation_left(struct engine *engine, const struct location_state *location)
{
    const struct call *call = &location->call;
    bool learns = call->n_receives > 0 || call->n_parts > 0 || call->has_collectives;
    for (uint32_t i = 0; i < call->n_sends; i++)
        learns = learns || prediction_of(engine)->messages[call->sends[i]].is_rendezvous;
    prediction_of(engine)->aggregation->epochs[location->rank] += learns;
}

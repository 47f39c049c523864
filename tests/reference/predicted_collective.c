// SPDX-License-Identifier: BSD-3-Clause
// Collectives of a predicted run that the machine carries out by messages.
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/collective_messages.h"
#include "tests/reference/predicted_costs.h"

static const struct scenario_formula *cost_of(const struct predicted_scenario *scenario,
                                              const struct model_part *part)
{
    for (uint32_t f = 0; f < scenario->machine.n_formulas; f++)
        if (strcmp(scenario->machine.formulas[f].operation, part->operation) == 0)
            return &scenario->machine.formulas[f];
    return NULL;
}

bool is_by_messages(const struct model *model, const struct predicted_scenario *scenario,
                    const struct model_part *part)
{
    if (!scenario->has_machine || !part->operation || part->is_finalize ||
        part->is_between_groups || part->class == CLASS_HANDLE ||
        model->instances[part->instance].n_members == 1)
        return false;
    const struct scenario_formula *cost = cost_of(scenario, part);
    return cost && cost->algorithm;
}

struct members {
    const struct predicted_scenario *scenario;
    struct part_messages *messages; // of the run, NULL: without contention
    uint32_t instance;
    uint32_t ranks[COLLECTIVE_MAX_MEMBERS];
    size_t post_records[COLLECTIVE_MAX_MEMBERS];
};

/// When the message is there, if that is known; else it is one that was sent, perhaps a new one.
static uint64_t arrival(const void *context, const struct collective_message *message)
{
    const struct members *members = context;
    struct part_messages *all = members->messages;
    uint32_t sender = members->ranks[message->from], receiver = members->ranks[message->to];
    for (size_t i = 0; i < all->n; i++) {
        const struct part_message *item = &all->items[i];
        if (item->instance == members->instance && item->sender == sender &&
            item->receiver == receiver && item->number == message->number)
            return item->arrived_ns;
    }
    all->items = array_reserve(all->items, &all->capacity, all->n + 1, sizeof *all->items);
    all->items[all->n++] =
        (struct part_message){.instance = members->instance,
                              .sender = sender,
                              .receiver = receiver,
                              .number = message->number,
                              .ready_ns = message->ready_ns,
                              .bytes = message->bytes,
                              .post_record = members->post_records[message->from],
                              .order = message->order,
                              .arrived_ns = UINT64_MAX};
    return UINT64_MAX;
}

static const struct scenario_messages *between(const void *context, uint32_t member, uint32_t other)
{
    const struct members *members = context;
    return machine_messages_between(members->scenario, members->ranks[member],
                                    members->ranks[other]);
}

/// When the members of PART's operation are through, into THROUGH_NS; the place of PART's.
static uint32_t carry_out(const struct model *model, const struct predicted_scenario *scenario,
                          const struct predicted_times *times, const struct model_part *part,
                          uint64_t *through_ns)
{
    const struct model_instance *instance = &model->instances[part->instance];
    struct members members = {
        .scenario = scenario, .messages = times->parts, .instance = part->instance};
    struct collective_case one = {.operation = part->operation,
                                  .algorithm = cost_of(scenario, part)->algorithm,
                                  .n = instance->n_members,
                                  .between = between,
                                  .arrival = times->parts ? arrival : NULL,
                                  .context = &members};
    uint64_t switch_ns = 0;
    uint32_t own = 0;
    for (uint32_t m = 0; m < one.n; m++) {
        one.enter_ns[m] = UINT64_MAX;
        if (instance->parts[m] == REFERENCE_NONE)
            continue;
        const struct model_part *other = &model->parts[instance->parts[m]];
        one.enter_ns[m] = times->enter_ns[other->post_call];
        one.share_bytes[m] = counted_bytes(model, other);
        members.ranks[m] = other->rank;
        members.post_records[m] = other->post_record;
        if (other->rank == part->root)
            one.root = m;
        if (other == part)
            own = m;
    }
    collective_through(&one, &switch_ns, through_ns);
    return own;
}

uint64_t by_messages_ns(const struct model *model, const struct predicted_scenario *scenario,
                        const struct predicted_times *times, const struct model_part *part)
{
    uint64_t through_ns[COLLECTIVE_MAX_MEMBERS];
    uint32_t own = carry_out(model, scenario, times, part, through_ns);
    return through_ns[own];
}

static bool is_on_its_way(const struct part_messages *messages, uint32_t instance)
{
    for (size_t i = 0; i < messages->n; i++)
        if (messages->items[i].instance == instance && messages->items[i].arrived_ns == UINT64_MAX)
            return true;
    return false;
}

void find_part_messages(const struct model *model, const struct predicted_scenario *scenario,
                        struct predicted_times *times)
{
    for (uint32_t i = 0; i < model->n_instances; i++) {
        const struct model_instance *instance = &model->instances[i];
        const struct model_part *part = NULL;
        bool has_begun = false;
        for (uint32_t m = 0; m < instance->n_members; m++) {
            if (instance->parts[m] == REFERENCE_NONE)
                continue;
            part = &model->parts[instance->parts[m]];
            has_begun = has_begun || times->enter_ns[part->post_call] != UINT64_MAX;
        }
        if (!has_begun || times->parts->is_over[i] || !is_by_messages(model, scenario, part))
            continue;
        uint64_t through_ns[COLLECTIVE_MAX_MEMBERS];
        bool is_over = true;
        carry_out(model, scenario, times, part, through_ns);
        for (uint32_t m = 0; m < instance->n_members; m++)
            is_over = is_over && through_ns[m] != UINT64_MAX;
        times->parts->is_over[i] = is_over && !is_on_its_way(times->parts, i);
    }
}

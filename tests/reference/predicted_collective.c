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

bool needs_cores(const struct model *model, const struct model_part *part)
{
    return part->post_call == part->complete_call && !part->is_left_out &&
           shares_in_slices(model, part->rank) && is_by_messages(model, part);
}

/// Does some member of PART's operation, which was not posted, share cores in slices of time?
static bool has_sliced_members(const struct model *model, const struct model_part *part)
{
    const struct model_instance *instance = &model->instances[part->instance];
    for (uint32_t m = 0; m < instance->n_members; m++)
        if (instance->parts[m] != REFERENCE_NONE &&
            shares_in_slices(model, model->parts[instance->parts[m]].rank))
            return part->post_call == part->complete_call;
    return false;
}

/// Does the machine say by which messages PART's operation is carried out?
static bool has_algorithm(const struct predicted_scenario *scenario, const struct model_part *part)
{
    const struct scenario_formula *cost = cost_of(scenario, part);
    return scenario->has_machine && cost && cost->algorithm;
}

bool is_by_messages(const struct model *model, const struct model_part *part)
{
    if (!part->operation || part->is_finalize || part->is_between_groups ||
        part->class == CLASS_HANDLE || model->instances[part->instance].n_members == 1)
        return false;
    return has_algorithm(model->scenario, part) || has_sliced_members(model, part);
}

struct members {
    const struct model *model;
    bool is_free; // messages take no time
    uint32_t parts[COLLECTIVE_MAX_MEMBERS];
    uint32_t instance;
    uint32_t ranks[COLLECTIVE_MAX_MEMBERS];
    size_t post_records[COLLECTIVE_MAX_MEMBERS];
};

/// When the message is there, if that is known; else it is one that was sent, perhaps a new one.
static uint64_t arrival(const void *context, const struct collective_message *message)
{
    const struct members *members = context;
    struct part_messages *all = members->model->times->parts;
    uint32_t sender = members->ranks[message->from], receiver = members->ranks[message->to];
    for (size_t i = 0; i < all->n; i++) {
        const struct part_message *item = &all->items[i];
        if (item->instance == members->instance && item->sender == sender &&
            item->receiver == receiver && item->number == message->number)
            return item->arrived_ns;
    }
    *ARRAY_NEXT(all->items, all->n, all->capacity) =
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
    static const struct scenario_messages no_time = {.is_given = true, .n_points = 1};
    const struct members *members = context;
    if (members->is_free)
        return &no_time;
    return machine_messages_between(members->model->scenario, members->ranks[member],
                                    members->ranks[other]);
}

static uint64_t core_of(const void *context, uint32_t member, uint32_t number, uint64_t time_ns)
{
    const struct members *members = context;
    uint32_t part = members->parts[member];
    struct member_steps *steps = &members->model->times->steps[part];
    if (!needs_cores(members->model, &members->model->parts[part]))
        return time_ns;
    if (number < steps->n)
        return steps->done_ns[number];
    steps->due_ns = time_ns;
    return UINT64_MAX;
}

static bool holds(const void *context, uint32_t from, uint32_t to, uint64_t bytes)
{
    const struct members *members = context;
    const struct model *model = members->model;
    const struct predicted_scenario *scenario = model->scenario;
    const struct model_part *part = &model->parts[members->parts[from]];
    const struct scenario_messages *messages = between(context, from, to);
    if (!scenario->holds_senders || !scenario->spins || bytes <= scenario->buffered_bytes ||
        part->post_call != part->complete_call || part->is_left_out ||
        !shares_in_slices(model, members->ranks[to]))
        return false;
    return !is_between_nodes(scenario->node, members->ranks[from], members->ranks[to]) ||
           (messages->has_eager && bytes > messages->eager_bytes);
}

/// Does the member of PART wait for others, whatever messages there are?
static bool waits_by_kind(const struct model_part *part, uint32_t member)
{
    bool is_root = part->rank == part->root;
    if (part->class == CLASS_ONE_TO_ALL)
        return !is_root;
    if (part->class == CLASS_ALL_TO_ONE)
        return is_root;
    return part->class != CLASS_SCAN || member > 0;
}

/// By which messages the N members of PART's operation do it where nothing says so. FIRST has come
/// first. MPICH ends a barrier on one node by a broadcast of its first member.
static const char *unsaid_algorithm(const struct model *model, const struct members *members,
                                    uint32_t n, const struct model_part *first)
{
    bool is_on_node = true;
    for (uint32_t m = 1; m < n; m++)
        is_on_node = is_on_node &&
                     !is_between_nodes(model->scenario->node, members->ranks[0], members->ranks[m]);
    if (model->scenario->is_mpich && is_on_node && strcmp(first->operation, "barrier") == 0)
        return "released";
    return usual_algorithm(first->operation, n, counted_bytes(model, first));
}

/// When the members of PART's operation are through, into THROUGH_NS; the place of PART's.
static uint32_t carry_out(const struct model *model, const struct model_part *part,
                          uint64_t *through_ns)
{
    const struct model_instance *instance = &model->instances[part->instance];
    struct members members = {.model = model,
                              .is_free = !has_algorithm(model->scenario, part),
                              .instance = part->instance};
    struct collective_case one = {.operation = part->operation,
                                  .n = instance->n_members,
                                  .between = between,
                                  .arrival =
                                      model->times->parts && !members.is_free ? arrival : NULL,
                                  .core = model->scenario->slice_ns > 0 ? core_of : NULL,
                                  .holds = holds,
                                  .context = &members};
    const struct model_part *first = part;
    uint64_t switch_ns = 0;
    uint32_t own = 0;
    for (uint32_t m = 0; m < one.n; m++) {
        one.enter_ns[m] = UINT64_MAX;
        if (instance->parts[m] == REFERENCE_NONE)
            continue;
        const struct model_part *other = &model->parts[instance->parts[m]];
        one.enter_ns[m] = model->times->enter_ns[other->post_call];
        one.share_bytes[m] = counted_bytes(model, other);
        bool has_come = model->times->enter_ns[first->post_call] != UINT64_MAX;
        if (one.enter_ns[m] != UINT64_MAX &&
            (!has_come ||
             model->times->order[other->post_call] < model->times->order[first->post_call]))
            first = other;
        members.parts[m] = instance->parts[m];
        members.ranks[m] = other->rank;
        members.post_records[m] = other->post_record;
        if (other->rank == part->root)
            one.root = m;
        if (other == part)
            own = m;
    }
    one.algorithm = members.is_free ? unsaid_algorithm(model, &members, one.n, first)
                                    : cost_of(model->scenario, part)->algorithm;
    collective_through(&one, &switch_ns, through_ns);
    if (members.is_free && model->scenario->has_machine && through_ns[own] != UINT64_MAX)
        through_ns[own] += waits_by_kind(part, own) ? collective_ns(model, part) : 0;
    return own;
}

uint64_t by_messages_ns(const struct model *model, const struct model_part *part)
{
    uint64_t through_ns[COLLECTIVE_MAX_MEMBERS];
    for (uint32_t m = 0; m < model->instances[part->instance].n_members; m++)
        if (model->instances[part->instance].parts[m] != REFERENCE_NONE)
            model->times->steps[model->instances[part->instance].parts[m]].due_ns = UINT64_MAX;
    uint32_t own = carry_out(model, part, through_ns);
    return through_ns[own];
}

static bool is_on_its_way(const struct part_messages *messages, uint32_t instance)
{
    for (size_t i = 0; i < messages->n; i++)
        if (messages->items[i].instance == instance && messages->items[i].arrived_ns == UINT64_MAX)
            return true;
    return false;
}

void find_part_messages(const struct model *model)
{
    for (uint32_t i = 0; i < model->n_instances; i++) {
        const struct model_instance *instance = &model->instances[i];
        const struct model_part *part = NULL;
        bool has_begun = false;
        for (uint32_t m = 0; m < instance->n_members; m++) {
            if (instance->parts[m] == REFERENCE_NONE)
                continue;
            part = &model->parts[instance->parts[m]];
            has_begun = has_begun || model->times->enter_ns[part->post_call] != UINT64_MAX;
        }
        if (!has_begun || model->times->parts->is_over[i] || !is_by_messages(model, part))
            continue;
        uint64_t through_ns[COLLECTIVE_MAX_MEMBERS];
        bool is_over = true;
        carry_out(model, part, through_ns);
        for (uint32_t m = 0; m < instance->n_members; m++)
            is_over = is_over && through_ns[m] != UINT64_MAX;
        model->times->parts->is_over[i] = is_over && !is_on_its_way(model->times->parts, i);
    }
}

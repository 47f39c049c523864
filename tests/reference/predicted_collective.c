// SPDX-License-Identifier: BSD-3-Clause
// Collectives of a predicted run that the machine carries out by messages.
#include <string.h>

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
    uint32_t ranks[COLLECTIVE_MAX_MEMBERS];
};

static const struct scenario_messages *between(const void *context, uint32_t member, uint32_t other)
{
    const struct members *members = context;
    return machine_messages_between(members->scenario, members->ranks[member],
                                    members->ranks[other]);
}

uint64_t by_messages_ns(const struct model *model, const struct predicted_scenario *scenario,
                        const struct predicted_times *times, const struct model_part *part)
{
    const struct model_instance *instance = &model->instances[part->instance];
    struct members members = {.scenario = scenario};
    struct collective_case one = {.operation = part->operation,
                                  .algorithm = cost_of(scenario, part)->algorithm,
                                  .n = instance->n_members,
                                  .between = between,
                                  .context = &members};
    uint64_t switch_ns = 0, through_ns[COLLECTIVE_MAX_MEMBERS];
    uint32_t own = 0;
    for (uint32_t m = 0; m < one.n; m++) {
        one.enter_ns[m] = UINT64_MAX;
        if (instance->parts[m] == REFERENCE_NONE)
            continue;
        const struct model_part *other = &model->parts[instance->parts[m]];
        one.enter_ns[m] = times->enter_ns[other->post_call];
        one.share_bytes[m] = counted_bytes(model, other);
        members.ranks[m] = other->rank;
        if (other->rank == part->root)
            one.root = m;
        if (other == part)
            own = m;
    }
    collective_through(&one, &switch_ns, through_ns);
    return through_ns[own];
}

// SPDX-License-Identifier: BSD-3-Clause
// What the clock is told and asked about operations it carries out (see carried_out.h).
#include "analyzer/simulation/carried_out.h"

#include "analyzer/pag/engine.h"
#include "analyzer/simulation/simulation.h"

static bool is_of_one_group(const struct engine *engine, const struct collective *instance)
{
    return engine->any_member_delays && !instance->is_finalize && instance->communicator != NONE &&
           !engine->definitions->communicators[instance->communicator].is_intercommunicator;
}

static struct pag_operation describe(const struct collective *instance, uint32_t index)
{
    const struct member *member = &instance->members[index];
    return (struct pag_operation){
        .instance = instance->index,
        .communicator = instance->communicator,
        .n_members = instance->n_members,
        .member = index,
        .root = instance->root,
        .is_described = member->class_ != COLLECTIVE_HANDLE,
        .is_root = member->is_root,
        .operation = member->operation,
        .volume = member->volume,
    };
}

bool is_carried_out(const struct engine *engine, struct part part)
{
    const struct collective *instance = collective_instance(engine, part.collective);
    const struct pag_clock *clock = simulation_of(engine)->clock;
    if (!is_of_one_group(engine, instance))
        return false;
    struct pag_operation operation = describe(instance, part.member);
    return operation.is_described && clock->carries_out(clock->context, &operation);
}

static bool waits(const struct engine *engine, struct part part)
{
    return engine->any_member_delays && simulation_part_waits(engine, part) &&
           is_carried_out(engine, part);
}

uint64_t carried_out_through_ns(const struct engine *engine, struct part part, uint32_t *missing)
{
    const struct pag_clock *clock = simulation_of(engine)->clock;
    const struct collective *instance = collective_instance(engine, part.collective);
    struct pag_operation operation = describe(instance, part.member);
    uint32_t by;
    uint64_t through_ns = clock->through(clock->context, &operation, &by);
    if (through_ns == PAG_NOT_KNOWN && by == NONE)
        *missing = NONE;
    else if (through_ns == PAG_NOT_KNOWN)
        *missing = engine->definitions->communicators[instance->communicator].members[by];
    return through_ns;
}

bool carried_out_is_held(const struct engine *engine, struct part part)
{
    uint32_t missing;
    return waits(engine, part) && carried_out_through_ns(engine, part, &missing) == PAG_NOT_KNOWN;
}

bool carried_out_decides(const struct engine *engine, struct part part,
                         const struct member **releaser)
{
    if (!waits(engine, part))
        return false;
    const struct pag_clock *clock = simulation_of(engine)->clock;
    const struct collective *instance = collective_instance(engine, part.collective);
    struct pag_operation operation = describe(instance, part.member);
    uint32_t by;
    if (clock->through(clock->context, &operation, &by) == PAG_NOT_KNOWN || by == part.member)
        *releaser = NULL;
    else
        *releaser = &instance->members[by];
    return true;
}

void carried_out_entered(const struct engine *engine, const struct collective *instance,
                         uint32_t member)
{
    const struct pag_clock *clock = simulation_of(engine)->clock;
    if (!is_of_one_group(engine, instance))
        return;
    struct pag_operation operation = describe(instance, member);
    clock->entered(clock->context, &operation, instance->members[member].in_ns);
}

bool carried_out_step(const struct engine *engine, uint32_t location, uint64_t now_ns,
                      const uint32_t **ranks, uint32_t *n_ranks)
{
    const struct pag_clock *clock = simulation_of(engine)->clock;
    if (clock->works_on(clock->context, location, now_ns))
        return false;
    *n_ranks = clock->step(clock->context, location, now_ns, ranks);
    return true;
}

void carried_out_let_go(struct engine *engine, const struct collective *instance, uint32_t member)
{
    const struct pag_clock *clock = simulation_of(engine)->clock;
    const uint32_t *ranks;
    if (!clock->let_go || !is_of_one_group(engine, instance))
        return;
    struct pag_operation operation = describe(instance, member);
    uint32_t n = clock->let_go(clock->context, &operation, &ranks);
    for (uint32_t i = 0; i < n; i++)
        simulation_try_again(engine, ranks[i]);
}

void carried_out_over(struct engine *engine, const struct collective *instance)
{
    const struct pag_clock *clock = simulation_of(engine)->clock;
    if (is_of_one_group(engine, instance))
        clock->over(clock->context, instance->index);
}

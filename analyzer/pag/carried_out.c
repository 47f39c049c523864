// SPDX-License-Identifier: BSD-3-Clause
// What the clock is told and asked about operations it carries out (see carried_out.h).
#include "analyzer/pag/carried_out.h"

#include "analyzer/pag/engine.h"

static bool is_of_one_group(const struct engine *engine, const struct collective *instance)
{
    return engine->simulation->clock->entered && !instance->is_finalize &&
           instance->communicator != NONE &&
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
        .size_bytes = member->payload_bytes,
        .total_bytes = member->size_bytes,
    };
}

bool is_carried_out(const struct engine *engine, struct part part)
{
    const struct collective *instance = collective_instance(engine, part.collective);
    const struct pag_clock *clock = engine->simulation->clock;
    if (!is_of_one_group(engine, instance))
        return false;
    struct pag_operation operation = describe(instance, part.member);
    return operation.is_described && clock->carries_out(clock->context, &operation);
}

uint64_t carried_out_through_ns(const struct engine *engine, struct part part, uint32_t *missing)
{
    const struct pag_clock *clock = engine->simulation->clock;
    struct pag_operation operation =
        describe(collective_instance(engine, part.collective), part.member);
    return clock->through(clock->context, &operation, missing);
}

void carried_out_entered(const struct engine *engine, const struct collective *instance,
                         uint32_t member)
{
    const struct pag_clock *clock = engine->simulation->clock;
    if (!is_of_one_group(engine, instance))
        return;
    struct pag_operation operation = describe(instance, member);
    clock->entered(clock->context, &operation, instance->members[member].in_ns);
}

void carried_out_over(const struct engine *engine, const struct collective *instance)
{
    const struct pag_clock *clock = engine->simulation->clock;
    if (is_of_one_group(engine, instance))
        clock->over(clock->context, instance->index);
}

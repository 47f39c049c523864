// SPDX-License-Identifier: BSD-3-Clause
// Operations that are carried out message by message (see steps.h).
#include "analyzer/simulation/steps.h"

#include "analyzer/simulation/network/collective_run.h"
#include "analyzer/simulation/state.h"

static bool is_of_one_group(const struct engine *engine, const struct collective *instance)
{
    return engine->any_member_delays && !instance->is_finalize && instance->communicator != NONE &&
           !engine->definitions->communicators[instance->communicator].is_intercommunicator;
}

bool is_carried_out(const struct engine *engine, struct part part)
{
    const struct collective *instance = collective_instance(engine, part.collective);
    const struct prediction *prediction = prediction_of(engine);
    if (!is_of_one_group(engine, instance))
        return false;
    return instance->members[part.member].class_ != COLLECTIVE_HANDLE &&
           collective_runs_carries_out(prediction->collectives, instance, part.member);
}

bool carried_out_are_scattered(const struct engine *engine, struct part part)
{
    const struct collective *instance = collective_instance(engine, part.collective);
    return is_of_one_group(engine, instance) &&
           collective_runs_are_scattered(prediction_of(engine)->collectives, instance);
}

bool part_waits(const struct engine *engine, struct part part)
{
    const struct collective *instance = collective_instance(engine, part.collective);
    const struct member *member = &instance->members[part.member];
    const struct prediction *prediction = prediction_of(engine);
    if (member->is_left_out)
        return false;
    if (!collective_must_synchronise(engine, part) &&
        !prediction->costs->synchronises(prediction, member->operation, instance->is_finalize))
        return false;
    return collective_has_releasers(engine, part) || is_carried_out(engine, part);
}

static bool waits(const struct engine *engine, struct part part)
{
    return engine->any_member_delays && part_waits(engine, part) && is_carried_out(engine, part);
}

uint64_t carried_out_through_ns(const struct engine *engine, struct part part, uint32_t *missing)
{
    const struct prediction *prediction = prediction_of(engine);
    const struct collective *instance = collective_instance(engine, part.collective);
    uint32_t by;
    uint64_t through_ns =
        collective_runs_through(prediction->collectives, instance, part.member, &by);
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
    const struct prediction *prediction = prediction_of(engine);
    const struct collective *instance = collective_instance(engine, part.collective);
    uint32_t by;
    if (collective_runs_through(prediction->collectives, instance, part.member, &by) ==
            PAG_NOT_KNOWN ||
        by == part.member)
        *releaser = NULL;
    else
        *releaser = &instance->members[by];
    return true;
}

void carried_out_entered(const struct engine *engine, const struct collective *instance,
                         uint32_t member)
{
    const struct prediction *prediction = prediction_of(engine);
    if (!is_of_one_group(engine, instance))
        return;
    collective_runs_entered(prediction->collectives, instance, member);
}

/// The rank of a location that may wait for its core in an operation; else EVENT_NO_INDEX.
static uint32_t rank_of_master(const struct location_state *location)
{
    return location->is_master ? location->rank : EVENT_NO_INDEX;
}

void carried_out_wait(const struct engine *engine, const struct location_state *location,
                      uint64_t now_ns, uint64_t until_ns, pag_work work)
{
    const struct prediction *prediction = prediction_of(engine);
    if (prediction->has_slices && until_ns == PAG_NOT_KNOWN && location->is_master) {
        until_ns = collective_runs_await(prediction->collectives, location->rank);
        work = 0; // what follows is counted when the wait is over
    }
    scheduler_wait(prediction->scheduler, location->index, now_ns, until_ns, work);
}

bool carried_out_step(const struct engine *engine, const struct location_state *location,
                      uint64_t now_ns, const uint32_t **ranks, uint32_t *n_ranks)
{
    const struct prediction *prediction = prediction_of(engine);
    if (scheduler_works_on(prediction->scheduler, location->index, now_ns))
        return false;
    *n_ranks =
        collective_runs_step(prediction->collectives, rank_of_master(location), now_ns, ranks);
    return true;
}

uint32_t carried_out_let_go(struct engine *engine, const struct collective *instance,
                            uint32_t member, const uint32_t **ranks)
{
    const struct prediction *prediction = prediction_of(engine);
    *ranks = NULL;
    if (!prediction->has_slices || !is_of_one_group(engine, instance))
        return 0;
    return collective_runs_let_go(prediction->collectives, instance, member, ranks);
}

void carried_out_over(struct engine *engine, const struct collective *instance)
{
    const struct prediction *prediction = prediction_of(engine);
    if (is_of_one_group(engine, instance))
        collective_runs_over(prediction->collectives, instance->index);
}

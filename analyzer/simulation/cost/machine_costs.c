// SPDX-License-Identifier: BSD-3-Clause
// What calls and messages cost on a machine (pagoda-machine(5)). In a timeless run calls that
// handle no data cost nothing; else they cost what they did.
#include "analyzer/base/order.h"
#include "analyzer/simulation/cost/recorded_costs.h"
#include "analyzer/simulation/cost/timeless.h"
#include "analyzer/simulation/network/collective_plan.h"

static pag_work work_timeless(struct prediction *prediction, const struct simulated_call *call,
                              const uint32_t *receivers)
{
    pag_work amount_ns = 0;
    for (uint32_t i = 0; i < call->n_sent; i++)
        amount_ns += scopes_between(&prediction->scenario->scopes, call->site, receivers[i])
                         ->send_overhead_ns;
    return amount_ns * PAG_WORK_PER_NS;
}

static pag_work work_before(struct prediction *prediction, const struct simulated_call *call,
                            const uint32_t *receivers)
{
    return call->is_handle ? recorded_costs_before(prediction, call, receivers)
                           : work_timeless(prediction, call, receivers);
}

/// When a collective has released a member.
static uint64_t collective_met(const struct prediction *prediction,
                               const struct call_condition *condition)
{
    if (condition->class_ == COLLECTIVE_HANDLE || condition->is_finalize ||
        condition->is_carried_out)
        return condition->time_ns;
    uint64_t size_bytes = collective_size_bytes(condition->operation, condition->n_members,
                                                condition->is_root, &condition->volume);
    const struct machine *machine = prediction->scenario->scopes.machine;
    const struct machine_collective *collective =
        machine_collective(machine, condition->operation, size_bytes);
    const struct machine_operation operation = {
        .n_members = condition->n_members,
        .n_ranks = (uint32_t)prediction->definitions->n_ranks,
        .size_bytes = size_bytes,
        .are_scattered = condition->are_scattered,
        .luck = condition->luck,
    };
    // Algorithms are not for operations between two groups.
    uint64_t time_ns = collective && collective->algorithm == ALGORITHM_FORMULA
                           ? machine_operation_ns(machine, collective, &operation)
                           : 0;
    bool from_root = condition->class_ == COLLECTIVE_ONE_TO_ALL;
    uint64_t begin_ns =
        from_root ? condition->time_ns : larger(condition->time_ns, condition->entered_ns);
    return begin_ns + time_ns;
}

/// When a message is there, or its rendezvous sender may go on.
static uint64_t message_met(const struct machine_messages *messages,
                            const struct call_condition *condition)
{
    if (condition->arrived_ns != PAG_NOT_KNOWN)
        return condition->arrived_ns;
    uint64_t begin_ns = condition->is_rendezvous
                            ? larger(condition->departed_ns, condition->posted_ns)
                            : condition->departed_ns;
    return begin_ns + noise_ns(&messages->noise,
                               machine_message_ns(messages, condition->size_bytes),
                               condition->luck);
}

/// Of data-carrying conditions only; recorded_costs_settle() has operations that create or destroy
/// handles.
static void settle_timeless(struct prediction *prediction, const struct simulated_call *call,
                            const struct call_condition *conditions, uint32_t n_conditions,
                            uint64_t *ready_ns, pag_work *work)
{
    const struct scopes *scopes = &prediction->scenario->scopes;
    *ready_ns = call->enter_ns;
    *work = 0;
    for (uint32_t i = 0; i < n_conditions; i++) {
        const struct call_condition *condition = &conditions[i];
        if (condition->kind == CONDITION_COLLECTIVE) {
            *ready_ns = larger(*ready_ns, collective_met(prediction, condition));
            continue;
        }
        if (condition->follows_ns != PAG_NOT_KNOWN) {
            bool goes_alone = condition->arrived_ns != PAG_NOT_KNOWN; // links and buses carry it
            *ready_ns =
                larger(*ready_ns, goes_alone ? condition->arrived_ns
                                             : condition->departed_ns + condition->follows_ns);
            continue;
        }
        const struct machine_messages *messages =
            scopes_between(scopes, condition->sender_site, condition->receiver_site);
        if (condition->needs_attendance)
            *ready_ns = larger(*ready_ns, condition->time_ns);
        if (condition->is_rendezvous || condition->kind == CONDITION_MESSAGE)
            *ready_ns = larger(*ready_ns, message_met(messages, condition));
        if (condition->kind == CONDITION_MESSAGE && !condition->is_probed)
            *work += (pag_work)messages->receive_overhead_ns * PAG_WORK_PER_NS;
    }
}

static void settle(struct prediction *prediction, const struct simulated_call *call,
                   const struct call_condition *conditions, uint32_t n_conditions,
                   uint64_t *ready_ns, pag_work *work)
{
    if (call->is_handle)
        recorded_costs_settle(prediction, call, conditions, n_conditions, ready_ns, work);
    else
        settle_timeless(prediction, call, conditions, n_conditions, ready_ns, work);
}

static uint64_t no_length(const struct prediction *prediction, const struct simulated_call *call,
                          bool is_unknown)
{
    (void)prediction, (void)call, (void)is_unknown;
    return 0;
}

static bool is_rendezvous(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                          uint64_t size_bytes)
{
    return machine_is_rendezvous(scopes_between(&prediction->scenario->scopes, sender, receiver),
                                 size_bytes);
}

static uint64_t message_ns(const struct prediction *prediction, uint32_t sender, uint32_t receiver,
                           uint64_t size_bytes)
{
    return machine_message_ns(scopes_between(&prediction->scenario->scopes, sender, receiver),
                              size_bytes);
}

static bool synchronises_timeless(const struct prediction *prediction, uint8_t operation,
                                  bool is_finalize)
{
    (void)prediction;
    return timeless_synchronises(operation, is_finalize);
}

const struct cost_model machine_costs = {
    .work_before = work_before,
    .settle = settle,
    .least_length = recorded_costs_length,
    .is_rendezvous = is_rendezvous,
    .message_ns = message_ns,
    .synchronises = recorded_costs_synchronise,
};

const struct cost_model timeless_costs = {
    .work_before = work_timeless,
    .settle = settle_timeless,
    .least_length = no_length,
    .is_rendezvous = is_rendezvous,
    .message_ns = message_ns,
    .synchronises = synchronises_timeless,
};

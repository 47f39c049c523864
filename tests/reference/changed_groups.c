// SPDX-License-Identifier: BSD-3-Clause
// Messages put together (--aggregate): which one follows which, and when followers are there.
#include "tests/reference/changed_program.h"

#include "tests/reference/predicted_costs.h"

/// Does RANK learn something in call C, or wait there for a receiver?
static bool learns(const struct model *model, const struct predicted_scenario *scenario, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    for (size_t i = call->first; i <= call->last; i++) {
        enum record_kind kind = model->trace->locations[call->location].records[i].kind;
        if (kind >= RECORD_COLL_END && kind <= RECORD_COLL_COMPLETE)
            return true;
    }
    for (size_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *receive = &model->receives[r];
        if (receive->complete_call == c && receive->send != REFERENCE_NONE &&
            !model->sends[receive->send].is_unsent)
            return true;
    }
    for (size_t s = 0; s < model->n_sends; s++)
        if (model->sends[s].complete_call == c && !model->sends[s].is_unsent &&
            is_waiting_send(model, scenario, &model->sends[s]))
            return true;
    return call->is_finalize;
}

/// The last message to a rank since the sender learnt something.
struct group {
    struct model_send *last; // NULL: none that another one may follow
    uint64_t size_bytes;     // with those it follows
};

static void send(struct model_send *send, struct group *group,
                 const struct predicted_scenario *scenario, bool is_waiting)
{
    uint64_t most_bytes = scenario->changes.aggregate_bytes;
    send->follows = group->last && !is_waiting && send->now_bytes <= most_bytes &&
                            group->size_bytes <= most_bytes - send->now_bytes
                        ? group->last
                        : NULL;
    send->group_bytes = send->now_bytes + (send->follows ? group->size_bytes : 0);
    group->last = is_waiting ? NULL : send;
    group->size_bytes = send->group_bytes;
}

static void find_groups_of(struct changed_program *program,
                           const struct predicted_scenario *scenario, uint32_t rank)
{
    struct model *model = &program->model;
    struct group groups[PROGRAM_MAX_RANKS] = {{0}};
    for (size_t i = 0; i < program->n_steps[rank]; i++) {
        const struct step *step = &program->steps[rank][i];
        // Sends of a location stand in the order of its records.
        for (size_t s = 0; s < model->n_sends && step->kind == STEP_CALL; s++)
            if (model->sends[s].call == step->call && !model->sends[s].is_unsent)
                send(&model->sends[s], &groups[model->sends[s].receiver], scenario,
                     is_waiting_send(model, scenario, &model->sends[s]));
        bool is_wiser = step->kind == STEP_LATE || (step->kind == STEP_CALL && !step->is_put_off &&
                                                    learns(model, scenario, step->call));
        for (uint32_t r = 0; r < PROGRAM_MAX_RANKS && is_wiser; r++)
            groups[r].last = NULL;
    }
}

void find_groups(struct changed_program *program, const struct predicted_scenario *scenario)
{
    for (uint32_t rank = 0; rank < program->model.trace->n_ranks; rank++)
        if (scenario->changes.aggregate_bytes > 0)
            find_groups_of(program, scenario, rank);
}

/// Usual time of a message of so many bytes between the ranks of SEND.
static uint64_t time_of(const struct model *model, const struct predicted_scenario *scenario,
                        const struct model_send *send, uint64_t bytes)
{
    if (scenario->has_machine)
        return machine_transfer_ns(machine_messages_between(scenario, send->sender, send->receiver),
                                   bytes);
    return recorded_cost(model, scenario, COST_FLIGHT,
                         is_between_nodes(scenario->node, send->sender, send->receiver), bytes);
}

void groups_depart(const struct model *model, const struct predicted_scenario *scenario,
                   const struct predicted_times *times, uint32_t call, uint64_t now_ns)
{
    for (size_t s = 0; s < model->n_sends && scenario->changes.aggregate_bytes > 0; s++) {
        const struct model_send *send = &model->sends[s];
        if (send->call != call || send->is_unsent)
            continue;
        uint64_t up_to_ns = time_of(model, scenario, send, send->group_bytes);
        uint64_t *there_ns = &times->together_ns[s];
        *there_ns = now_ns + up_to_ns;
        if (!send->follows)
            continue;
        uint64_t before_ns = time_of(model, scenario, send, send->group_bytes - send->now_bytes);
        uint64_t alone_ns = now_ns + time_of(model, scenario, send, send->now_bytes);
        uint64_t last_ns = times->together_ns[send->follows - model->sends];
        *there_ns = (last_ns > now_ns ? last_ns : now_ns) +
                    (up_to_ns > before_ns ? up_to_ns - before_ns : 0);
        *there_ns = alone_ns < *there_ns ? alone_ns : *there_ns;
    }
}

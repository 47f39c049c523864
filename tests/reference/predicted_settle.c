// SPDX-License-Identifier: BSD-3-Clause
// When a call that waits can go on, and what work follows: as the recording tells, or by a machine.
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/predicted_costs.h"

/// Both sides of the message of a condition.
static const struct model_send *message_of(const struct model *model,
                                           const struct condition *condition)
{
    return condition->kind == CONDITION_RECEIVE
               ? &model->sends[model->receives[condition->index].send]
               : &model->sends[condition->index];
}

/// Is it of a kind that nobody leaves before all have come?
static bool needs_everybody(const struct model_part *part)
{
    return part->class == CLASS_BARRIER || part->class == CLASS_ALL_TO_ALL ||
           part->class == CLASS_HANDLE;
}

/// Latest enter of those that release the condition: recorded (TIMES NULL) or predicted.
static uint64_t release_of(const struct model *model, const struct run_times *times,
                           const struct condition *condition)
{
    if (condition->kind != CONDITION_COLLECTIVE) {
        const struct model_send *send = message_of(model, condition);
        uint32_t call = condition->kind == CONDITION_RECEIVE
                            ? send->call
                            : model->receives[send->receive].post_call;
        bool is_held = condition->kind == CONDITION_SEND && is_held_send(model, send);
        if (!times && is_held && !is_waiting_send(model, send))
            return 0;
        if (!times)
            return model->calls[call].enter_ns;
        if (is_held)
            return times->taken_ns[condition->index];
        return condition->kind == CONDITION_RECEIVE ? times->departed_ns[call]
                                                    : times->enter_ns[call];
    }
    const struct model_part *part = &model->parts[condition->index];
    if (times && is_by_messages(model, part))
        return by_messages_ns(model, part);
    SCOPED uint32_t *releasers =
        memory_zeroed(2 * (size_t)model->trace->n_ranks + 1, sizeof *releasers);
    uint32_t n = releasers_of(model, condition->index, releasers);
    uint64_t latest_ns = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t call = model->parts[releasers[i]].post_call;
        uint64_t enter_ns = times ? times->enter_ns[call] : model->calls[call].enter_ns;
        if (enter_ns > latest_ns)
            latest_ns = enter_ns;
    }
    return latest_ns;
}

/// Are the ranks of the run, or of PART's operation, on more nodes than one?
static bool are_apart(const struct model *model, const struct model_part *part)
{
    if (!part) {
        for (uint32_t r = 1; r < model->trace->n_ranks; r++)
            if (is_between_nodes(model->scenario->node, 0, r))
                return true;
        return false;
    }
    const struct model_instance *instance = &model->instances[part->instance];
    for (uint32_t m = 0; m < instance->n_members; m++)
        if (is_between_nodes(model->scenario->node, part->rank,
                             model->parts[instance->parts[m]].rank))
            return true;
    return false;
}

/// By how much later than by the model of costs what is waited for comes.
static uint64_t added_ns(const struct model *model, const struct condition *condition)
{
    bool is_apart = !are_apart(model, NULL);
    uint64_t bytes, depth = 1;
    if (condition->kind == CONDITION_COLLECTIVE) {
        const struct model_part *part = &model->parts[condition->index];
        uint32_t n = model->instances[part->instance].n_members;
        if (part->class == CLASS_HANDLE || part->is_finalize)
            return 0;
        is_apart = is_apart || are_apart(model, part);
        bytes = part->sent_bytes < part->received_bytes ? part->sent_bytes : part->received_bytes;
        bytes = bytes ? bytes : part->bytes;
        for (depth = 0; (1U << depth) < n; depth++)
            ;
    } else {
        const struct model_send *send = message_of(model, condition);
        is_apart = is_apart || goes_far(model, send);
        bytes = send->now_bytes;
    }
    return is_apart ? depth * (model->scenario->added_latency_ns +
                               bytes * model->scenario->added_byte_fs / 1000000)
                    : 0;
}

static int64_t positive(int64_t number)
{
    return number > 0 ? number : 0;
}

/// How long after its departure a message lets its receiver go; ROOM_NS: the longest that the
/// recording allows, and what it was for the message that decided.
static int64_t flight_delay_ns(const struct model *model, const struct model_send *send,
                               int64_t room_ns, bool is_deciding)
{
    bool is_remote = goes_far(model, send);
    bool was_remote = went_far(model, send);
    bool is_moved =
        is_remote != was_remote && is_flight_seen(model, false) && is_flight_seen(model, true);
    int64_t flight_ns = (int64_t)recorded_cost(model, COST_FLIGHT, is_remote, send->now_bytes);
    if (is_deciding && send->now_bytes != send->size_bytes)
        room_ns = positive(room_ns + flight_ns -
                           (int64_t)recorded_cost(model, COST_FLIGHT, is_remote, send->size_bytes));
    if (is_deciding && is_moved)
        return positive(room_ns + flight_ns -
                        (int64_t)recorded_cost(model, COST_FLIGHT, was_remote, send->now_bytes));
    if (is_deciding)
        return room_ns;
    int64_t delay_ns = positive(
        flight_ns - (int64_t)recorded_cost(model, COST_RECEIVE, is_remote, send->now_bytes));
    return delay_ns > room_ns && !is_moved ? room_ns : delay_ns;
}

static bool is_receive_left_out(const struct model *model, const struct model_receive *receive)
{
    return receive->send != REFERENCE_NONE && model->sends[receive->send].is_unsent;
}

bool is_handle_call(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    bool has_handles = call->is_init || call->is_finalize, has_others = false;
    if (!has_handles && call->n_left_out > 0 && call->n_left_out == call->n_records)
        return false;
    for (uint32_t p = 0; p < model->n_parts; p++) {
        const struct model_part *part = &model->parts[p];
        if (model->instances[part->instance].n_members == 1)
            continue;
        if (part->complete_call == c && part->class == CLASS_HANDLE)
            has_handles = true;
        else if (part->complete_call == c || part->post_call == c)
            has_others = true;
    }
    for (uint32_t r = 0; r < model->n_receives; r++)
        has_others = has_others || (model->receives[r].complete_call == c &&
                                    !is_receive_left_out(model, &model->receives[r]));
    for (uint32_t s = 0; s < model->n_sends; s++)
        has_others =
            has_others || (!model->sends[s].is_unsent &&
                           (model->sends[s].call == c || model->sends[s].complete_call == c));
    return has_handles && !has_others;
}

/// Work of a call that waited for nobody: what receiving its messages usually takes, all its time
/// where it has none. Nobody knows how long it waited for what is left out.
static int64_t usual_work_ns(const struct model *model, uint32_t c,
                             const struct condition *conditions, uint32_t n_conditions)
{
    const struct model_call *call = &model->calls[c];
    int64_t length_ns = (int64_t)(call->leave_ns - call->enter_ns + call->polled_ns);
    int64_t work_ns = 0;
    for (uint32_t i = 0; i < n_conditions; i++) {
        if (conditions[i].kind != CONDITION_RECEIVE)
            continue;
        const struct model_send *send = message_of(model, &conditions[i]);
        bool is_remote = goes_far(model, send);
        work_ns += (int64_t)recorded_cost(model, COST_RECEIVE, is_remote, send->now_bytes);
    }
    if (work_ns == 0 && model->calls[c].n_left_out == 0)
        return length_ns;
    return work_ns > length_ns ? length_ns : work_ns;
}

static bool is_follower(const struct model *model, const struct condition *condition)
{
    return condition->kind == CONDITION_RECEIVE && message_of(model, condition)->follows;
}

/// What receiving those messages usually takes that follow others: nothing now.
static int64_t followers_ns(const struct model *model, const struct condition *conditions,
                            uint32_t n_conditions)
{
    int64_t sum_ns = 0;
    for (uint32_t i = 0; i < n_conditions; i++) {
        if (!is_follower(model, &conditions[i]))
            continue;
        const struct model_send *send = message_of(model, &conditions[i]);
        sum_ns +=
            (int64_t)recorded_cost(model, COST_RECEIVE, goes_far(model, send), send->now_bytes);
    }
    return sum_ns;
}

uint32_t joined_sends(const struct model *model, uint32_t c)
{
    uint32_t n_joined = 0;
    for (uint32_t s = 0; s < model->n_sends; s++)
        n_joined += model->sends[s].complete_call == c && !model->sends[s].is_unsent &&
                    model->sends[s].follows != NULL;
    return n_joined;
}

/// What is left of NS that call C takes for all its messages: a part for each that follows no
/// other.
static int64_t part_left_ns(const struct model *model, uint32_t c,
                            const struct condition *conditions, uint32_t n_conditions, int64_t ns)
{
    int64_t n_records = model->calls[c].n_records, n_joined = joined_sends(model, c);
    for (uint32_t i = 0; i < n_conditions; i++)
        n_joined += is_follower(model, &conditions[i]);
    return n_joined == 0 || n_records == 0 ? ns : ns * positive(n_records - n_joined) / n_records;
}

/// The same of work, of which what receiving these takes is taken off, where that is known.
static int64_t work_left_ns(const struct model *model, uint32_t c,
                            const struct condition *conditions, uint32_t n_conditions,
                            int64_t work_ns)
{
    int64_t known_ns = followers_ns(model, conditions, n_conditions);
    return known_ns > 0 ? positive(work_ns - known_ns)
                        : part_left_ns(model, c, conditions, n_conditions, work_ns);
}

/// Whether a call with CONDITIONS does nothing but receive messages that follow others, which takes
/// no time.
static bool is_needless(const struct model *model, const struct condition *conditions,
                        uint32_t n_conditions)
{
    uint32_t n_followers = 0;
    for (uint32_t i = 0; i < n_conditions; i++)
        n_followers += is_follower(model, &conditions[i]);
    return n_conditions > 0 && n_followers == n_conditions;
}

/// How long after its release CONDITION is met, ALONE_NS if it follows no other message.
static int64_t delay_together(const struct model *model, const struct condition *condition,
                              int64_t alone_ns)
{
    if (!is_follower(model, condition))
        return alone_ns;
    const struct model_send *send = message_of(model, condition);
    int64_t together_ns = (int64_t)(model->times->together_ns[send - model->sends] -
                                    model->times->departed_ns[send->call]);
    return together_ns < alone_ns ? together_ns : alone_ns;
}

/// Work of call C after the wait that DECIDER ended in the recording.
static int64_t received_work_ns(const struct model *model, uint32_t c,
                                const struct condition *decider)
{
    if (decider->kind != CONDITION_RECEIVE)
        return 0;
    int64_t room_ns = (int64_t)model->calls[c].leave_ns - (int64_t)release_of(model, NULL, decider);
    const struct model_send *send = message_of(model, decider);
    bool is_remote = goes_far(model, send);
    int64_t usual_ns = (int64_t)recorded_cost(model, COST_RECEIVE, is_remote, send->now_bytes);
    return usual_ns < room_ns ? usual_ns : room_ns;
}

uint64_t recorded_settle_call(const struct model *model, uint32_t c,
                              const struct condition *conditions, uint32_t n_conditions,
                              uint64_t *ready_ns)
{
    const struct model_call *call = &model->calls[c];
    uint32_t deciding = 0;
    if (n_conditions == 0) { // a handle call takes its time but no core
        *ready_ns = model->times->enter_ns[c] + (call->leave_ns - call->enter_ns) + call->polled_ns;
        return 0;
    }
    for (uint32_t i = 1; i < n_conditions; i++) {
        if (release_of(model, NULL, &conditions[i]) >
            release_of(model, NULL, &conditions[deciding]))
            deciding = i;
    }
    const struct condition *decider = &conditions[deciding];
    int64_t latest_ns = (int64_t)release_of(model, NULL, decider);
    int64_t leave_ns = (int64_t)call->leave_ns, own_ns = 0;
    bool is_whole = call->n_left_out == 0;
    int64_t since_ns = (int64_t)(call->enter_ns - call->polled_ns);
    bool has_waited =
        is_whole && (latest_ns > since_ns || (decider->kind == CONDITION_COLLECTIVE &&
                                              needs_everybody(&model->parts[decider->index]) &&
                                              model->parts[decider->index].post_call == c));
    if (!has_waited)
        own_ns = usual_work_ns(model, c, conditions, n_conditions);
    if (has_waited)
        own_ns = received_work_ns(model, c, decider);
    *ready_ns = model->times->enter_ns[c];
    if (!has_waited && is_whole && !is_needless(model, conditions, n_conditions))
        *ready_ns += (uint64_t)part_left_ns(model, c, conditions, n_conditions,
                                            leave_ns - own_ns - since_ns);
    for (uint32_t i = 0; i < n_conditions; i++) {
        int64_t recorded_ns = (int64_t)release_of(model, NULL, &conditions[i]);
        int64_t delay_ns = 0, room_ns = positive(leave_ns - own_ns - recorded_ns);
        bool is_deciding = i == deciding && has_waited;
        if (conditions[i].kind == CONDITION_RECEIVE)
            delay_ns =
                flight_delay_ns(model, message_of(model, &conditions[i]), room_ns, is_deciding);
        else if (is_deciding)
            delay_ns = room_ns;
        delay_ns = delay_together(model, &conditions[i], delay_ns);
        uint64_t free_ns = release_of(model, model->times, &conditions[i]) + (uint64_t)delay_ns +
                           added_ns(model, &conditions[i]);
        if (free_ns > *ready_ns)
            *ready_ns = free_ns;
    }
    if (is_needless(model, conditions, n_conditions))
        return 0;
    return (uint64_t)work_left_ns(model, c, conditions, n_conditions, own_ns);
}

static uint64_t met_by_message(const struct model *model, const struct condition *condition)
{
    const struct model_send *send = message_of(model, condition);
    if (model->times->arrived_ns)
        return model->times->arrived_ns[send - model->sends];
    if (is_follower(model, condition))
        return model->times->together_ns[send - model->sends];
    uint64_t start_ns = model->times->departed_ns[send->call];
    uint64_t posted_ns = model->times->enter_ns[model->receives[send->receive].post_call];
    if (is_waiting_send(model, send) && posted_ns > start_ns)
        start_ns = posted_ns;
    const struct scenario_messages *messages =
        machine_messages_between(model->scenario, send->sender, send->receiver);
    return start_ns + machine_transfer_ns(messages, send->now_bytes);
}

static bool is_one_of(const char *operation, const char *names)
{
    const char *found = strstr(names, operation);
    size_t length = strlen(operation);
    return found && found[length] == ',' && (found == names || found[-1] == ' ');
}

/// Are BYTES those of N_BLOCKS equal blocks?
static bool holds(uint64_t bytes, uint64_t n_blocks)
{
    return n_blocks > 0 && bytes % n_blocks == 0;
}

/// What the call says it handles: a block of one member, or of bcast, reductions and scans the
/// whole. The recording counts what goes to and comes from all, the member itself included, but not
/// in place; who does not say so is found out by bytes that divide in no other way.
uint64_t counted_bytes(const struct model *model, const struct model_part *part)
{
    const char *name = part->operation;
    uint64_t p = model->instances[part->instance].n_members;
    uint64_t sent = part->sent_bytes, received = part->received_bytes, sum = sent + received;
    uint64_t most = sent > received ? sent : received, least = sum - most;
    bool is_one_way = least == 0, is_in_place = part->is_in_place;
    bool is_root = model->calls[part->post_call].location == part->root;
    if (is_one_way)
        least = sum;
    if (strcmp(name, "exscan") == 0)
        return p > 1 ? sum / (p - 1) : sum / (p + 1);
    if (strcmp(name, "scan") == 0) {
        is_in_place = is_in_place || (holds(sum, p - 1) && !holds(sum, p + 1));
        return is_in_place && p > 1 ? sum / (p - 1) : sum / (p + 1);
    }
    uint64_t bytes = least;
    if (is_one_of(name, "gatherv, scatterv,") && is_root)
        bytes = most;
    else if (is_one_of(name, "gather, scatter, reduce,") && is_root && is_one_way)
        is_in_place = true;
    else if (part->class == CLASS_ONE_TO_ALL || part->class == CLASS_ALL_TO_ONE)
        return least;
    else if (strcmp(name, "allgatherv") == 0)
        bytes = received ? received : sent;
    else if (strcmp(name, "reduce_scatter") == 0)
        bytes = sent ? sent : received;
    else if (is_one_of(name, "alltoallv, alltoallw,"))
        bytes = sum / 2;
    else
        is_in_place = is_in_place || (holds(least, p - 1) && !holds(least, p));
    uint64_t n_blocks = is_in_place && p > 1 ? p - 1 : p;
    return (bytes + n_blocks - 1) / n_blocks;
}

uint64_t collective_ns(const struct model *model, const struct model_part *part)
{
    uint64_t b = counted_bytes(model, part);
    for (uint32_t f = 0; f < model->scenario->machine.n_formulas; f++) {
        const struct scenario_formula *formula = &model->scenario->machine.formulas[f];
        if (strcmp(formula->operation, part->operation) == 0)
            return formula->base_ns +
                   formula->per_member_ns * model->instances[part->instance].n_members +
                   formula->per_byte_ns * b;
    }
    return 0;
}

uint64_t machine_settle_call(const struct model *model, uint32_t c,
                             const struct condition *conditions, uint32_t n_conditions,
                             uint64_t *ready_ns)
{
    if (is_handle_call(model, c) && !model->scenario->is_ideal &&
        !model->scenario->is_timeless) // as it did
        return recorded_settle_call(model, c, conditions, n_conditions, ready_ns);
    uint64_t latest_ns = model->times->departed_ns[c], overhead_ns = 0;
    for (uint32_t i = 0; i < n_conditions; i++) {
        const struct condition *condition = &conditions[i];
        uint64_t met_ns;
        if (condition->kind != CONDITION_COLLECTIVE) {
            const struct model_send *send = message_of(model, condition);
            bool is_held = condition->kind == CONDITION_SEND && is_held_send(model, send);
            met_ns = is_held ? model->times->taken_ns[condition->index] : 0;
            if (!is_held || is_waiting_send(model, send)) {
                uint64_t there_ns = met_by_message(model, condition) + added_ns(model, condition);
                met_ns = there_ns > met_ns ? there_ns : met_ns;
            }
            if (condition->kind == CONDITION_RECEIVE && !send->follows)
                overhead_ns +=
                    machine_messages_between(model->scenario, send->sender, send->receiver)
                        ->receive_overhead_ns;
        } else {
            const struct model_part *part = &model->parts[condition->index];
            if (is_by_messages(model, part)) {
                met_ns = by_messages_ns(model, part);
                latest_ns = met_ns > latest_ns ? met_ns : latest_ns;
                continue;
            }
            met_ns = release_of(model, model->times, condition) + added_ns(model, condition);
            uint64_t own_ns = model->times->enter_ns[part->post_call];
            if (part->class != CLASS_ONE_TO_ALL && own_ns > met_ns)
                met_ns = own_ns;
            if (part->class != CLASS_HANDLE)
                met_ns += collective_ns(model, part);
        }
        if (met_ns > latest_ns)
            latest_ns = met_ns;
    }
    *ready_ns = latest_ns;
    return overhead_ns;
}

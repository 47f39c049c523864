// SPDX-License-Identifier: BSD-3-Clause
// What the recording tells about the costs of messages, and about who waits for whom: each question
// is answered by a walk over the whole run.
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/predicted_costs.h"

/// NUMBER with all but its N highest binary digits set to zero.
static uint64_t highest_digits(uint64_t number, int n)
{
    uint64_t mask = UINT64_MAX;
    int digits = 0;
    for (uint64_t rest = number; rest; rest >>= 1)
        digits++;
    if (digits > n)
        mask <<= digits - n;
    return number & mask;
}

/// The class of a size.
static uint64_t size_class(uint64_t size_bytes)
{
    return highest_digits(size_bytes, 2);
}

bool is_between_nodes(const uint32_t *node, uint32_t rank, uint32_t other)
{
    return node[rank] != node[other];
}

bool goes_far(const struct model *model, const struct model_send *send)
{
    return is_between_nodes(model->scenario->node, send->sender, send->receiver);
}

bool went_far(const struct model *model, const struct model_send *send)
{
    return is_between_nodes(model->scenario->recorded_node, send->sender, send->receiver);
}

/// The receive of C if all it completes is this one, and it sends nothing; else REFERENCE_NONE.
/// Collectives of one member are nothing.
static uint32_t sole_receive(const struct model *model, uint32_t c)
{
    uint32_t found = REFERENCE_NONE, n = 0;
    for (uint32_t r = 0; r < model->n_receives; r++) {
        if (model->receives[r].complete_call == c) {
            found = r;
            n++;
        }
    }
    for (uint32_t s = 0; s < model->n_sends; s++)
        n += model->sends[s].call == c || model->sends[s].complete_call == c;
    for (uint32_t p = 0; p < model->n_parts; p++)
        n += (model->parts[p].complete_call == c || model->parts[p].post_call == c) &&
             model->instances[model->parts[p].instance].n_members > 1;
    return n == 1 ? found : REFERENCE_NONE;
}

/// Of messages and collective operations in CALL.
static uint32_t count_records(const struct model *model, const struct model_call *call)
{
    uint32_t n_records = 0;
    for (size_t i = call->first; i <= call->last; i++) {
        enum record_kind kind = model->trace->locations[call->location].records[i].kind;
        n_records += kind >= RECORD_SEND && kind <= RECORD_COLL_COMPLETE;
    }
    return n_records;
}

bool model_is_sole_send(const struct model *model, const struct model_send *send)
{
    return send->complete_call == send->call && send->receive != REFERENCE_NONE &&
           count_records(model, &model->calls[send->call]) == 1;
}

bool model_waits_alone(const struct model *model, const struct model_send *send, uint64_t post_ns)
{
    if (send->complete_call == REFERENCE_NONE)
        return false;
    const struct model_call *call = &model->calls[send->complete_call];
    return !call->is_test && count_records(model, call) == 1 && call->enter_ns < post_ns &&
           post_ns < call->leave_ns;
}

/// A time of KIND seen in call C for the given kind of messages; false: none.
static bool is_sample(const struct model *model, uint32_t c, enum cost_kind kind, bool is_remote,
                      uint64_t *class, uint64_t *time)
{
    const struct model_call *call = &model->calls[c];
    uint32_t r = sole_receive(model, c);
    if (call->is_test || r == REFERENCE_NONE || model->receives[r].send == REFERENCE_NONE)
        return false;
    const struct model_send *send = &model->sends[model->receives[r].send];
    if (went_far(model, send) != is_remote)
        return false;
    uint64_t send_ns = model->calls[send->call].enter_ns;
    bool is_late = send_ns > call->enter_ns;
    if (is_late == (kind == COST_RECEIVE) || call->leave_ns < send_ns)
        return false;
    *class = size_class(send->size_bytes);
    *time = highest_digits(call->leave_ns - (is_late ? send_ns : call->enter_ns), 5);
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/// The lower median of the samples of CLASS; false when there are none.
static bool median_of_class(const struct model *model, enum cost_kind kind, bool is_remote,
                            uint64_t class, uint64_t *median)
{
    SCOPED uint64_t *times = memory_zeroed(model->n_calls + 1, sizeof *times);
    size_t n = 0;
    for (uint32_t c = 0; c < model->n_calls; c++) {
        uint64_t own_class;
        if (is_sample(model, c, kind, is_remote, &own_class, &times[n]))
            n += own_class == class;
    }
    qsort(times, n, sizeof *times, compare_numbers);
    if (n > 0)
        *median = times[(n - 1) / 2];
    return n > 0;
}

static bool cost_of_scope(const struct model *model, enum cost_kind kind, bool is_remote,
                          uint64_t size_bytes, uint64_t *cost)
{
    uint64_t own = size_class(size_bytes), below = 0, above = 0, class, time;
    bool has_below = false, has_above = false;
    if (median_of_class(model, kind, is_remote, own, cost))
        return true;
    for (uint32_t c = 0; c < model->n_calls; c++) {
        if (!is_sample(model, c, kind, is_remote, &class, &time))
            continue;
        if (class < own && (!has_below || class > below)) {
            below = class;
            has_below = true;
        }
        if (class > own && (!has_above || class < above)) {
            above = class;
            has_above = true;
        }
    }
    uint64_t low = 0, high = 0;
    if (has_below)
        median_of_class(model, kind, is_remote, below, &low);
    if (has_above)
        median_of_class(model, kind, is_remote, above, &high);
    *cost = has_below ? low : high;
    if (has_below && has_above) {
        __int128 rise = (__int128)high - (__int128)low;
        *cost = (uint64_t)((__int128)low +
                           rise * (__int128)(size_bytes - below) / (__int128)(above - below));
    }
    return has_below || has_above;
}

uint64_t recorded_cost(const struct model *model, enum cost_kind kind, bool is_remote,
                       uint64_t size_bytes)
{
    uint64_t cost = 0;
    if (!cost_of_scope(model, kind, is_remote, size_bytes, &cost))
        cost_of_scope(model, kind, !is_remote, size_bytes, &cost);
    return cost;
}

bool is_flight_seen(const struct model *model, bool is_remote)
{
    uint64_t cost;
    return cost_of_scope(model, COST_FLIGHT, is_remote, 0, &cost);
}

/// When the receive of SEND was posted in the recording.
static uint64_t recorded_post_ns(const struct model *model, const struct model_send *send)
{
    return model->calls[model->receives[send->receive].post_call].enter_ns;
}

/// Was SEND seen to wait for its receive in a call that does nothing else?
static bool was_seen_waiting(const struct model *model, const struct model_send *send)
{
    return send->receive != REFERENCE_NONE &&
           model_waits_alone(model, send, recorded_post_ns(model, send));
}

static bool was_over_early(const struct model *model, const struct model_send *send)
{
    return send->receive != REFERENCE_NONE && send->complete_call != REFERENCE_NONE &&
           model->calls[send->complete_call].leave_ns <= recorded_post_ns(model, send);
}

/// Was a message of CLASS or a larger one, on one node or between nodes, over before its receive
/// was posted?
static bool went_at_once(const struct model *model, bool is_remote, uint64_t class)
{
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *send = &model->sends[s];
        if (!send->is_synchronous && size_class(send->size_bytes) >= class &&
            went_far(model, send) == is_remote && was_over_early(model, send))
            return true;
    }
    return false;
}

/// Was some class up to CLASS seen waiting, and none from there on over early?
static bool was_class_waiting(const struct model *model, bool is_remote, uint64_t class)
{
    for (size_t s = 0; s < model->n_sends; s++) {
        const struct model_send *witness = &model->sends[s];
        if (!witness->is_synchronous && size_class(witness->size_bytes) <= class &&
            went_far(model, witness) == is_remote && was_seen_waiting(model, witness) &&
            !went_at_once(model, is_remote, size_class(witness->size_bytes)))
            return true;
    }
    return false;
}

bool is_waiting_send(const struct model *model, const struct model_send *send)
{
    if (send->is_synchronous)
        return true;
    bool is_remote = goes_far(model, send);
    if (model->scenario->has_machine) {
        const struct scenario_messages *messages =
            machine_messages_between(model->scenario, send->sender, send->receiver);
        return messages->has_eager && send->now_bytes > messages->eager_bytes;
    }
    uint64_t class = size_class(send->now_bytes);
    if (was_class_waiting(model, is_remote, UINT64_MAX)) // of whatever size
        return was_class_waiting(model, is_remote, class);
    return was_class_waiting(model, !is_remote, class) && !went_at_once(model, is_remote, class);
}

/// Must the members of PART's operation wait for each other? Not where there is nothing to move, or
/// perhaps nothing for some of them, or where the others are another group.
static bool must_synchronise(const struct model_part *part)
{
    bool needs_all = part->class == CLASS_BARRIER || part->class == CLASS_ALL_TO_ALL;
    if (part->is_finalize || part->class == CLASS_HANDLE || (part->is_between_groups && needs_all))
        return false;
    return part->class == CLASS_BARRIER || (part->bytes > 0 && !part->is_uneven);
}

static bool is_same_operation(const struct model_part *a, const struct model_part *b)
{
    if (a->is_finalize || b->is_finalize)
        return a->is_finalize && b->is_finalize;
    return strcmp(a->operation, b->operation) == 0;
}

bool is_synchronising(const struct model *model, const struct model_part *part)
{
    if (must_synchronise(part))
        return true;
    if (model->scenario->is_timeless)
        return !part->is_finalize && strncmp(part->operation, "destroy", 7) != 0 &&
               strcmp(part->operation, "deallocate") != 0;
    if (part->is_finalize && !model->instances[part->instance].is_complete)
        return false;
    SCOPED uint32_t *releasers =
        memory_zeroed(2 * (size_t)model->trace->n_ranks + 1, sizeof *releasers);
    bool is_tight = true;
    for (uint32_t p = 0; p < model->n_parts; p++) {
        const struct model_part *other = &model->parts[p];
        if (must_synchronise(other) || !is_same_operation(part, other))
            continue;
        uint32_t n = releasers_of(model, p, releasers);
        for (uint32_t i = 0; i < n; i++)
            is_tight = is_tight && model_enter_ns(model, releasers[i]) <=
                                       model->calls[other->complete_call].leave_ns;
    }
    return is_tight;
}

uint32_t releasers_of(const struct model *model, uint32_t p, uint32_t *releasers)
{
    const struct model_part *part = &model->parts[p];
    const struct model_instance *instance = &model->instances[part->instance];
    uint32_t n = 0;
    for (uint32_t m = 0; m < instance->n_members && instance->n_members > 1; m++) {
        uint32_t other = instance->parts[m];
        if (other == REFERENCE_NONE)
            continue;
        bool is_own = other == p;
        if (part->class == CLASS_SCAN && is_own)
            break;
        if ((part->class == CLASS_ONE_TO_ALL &&
             (is_own || model->parts[other].rank != part->root)) ||
            (part->class == CLASS_ALL_TO_ONE && (is_own || part->rank != part->root)))
            continue;
        releasers[n++] = other;
    }
    return n;
}

bool is_waiting_part(const struct model *model, uint32_t p)
{
    const struct model_part *part = &model->parts[p];
    SCOPED uint32_t *releasers =
        memory_zeroed(2 * (size_t)model->trace->n_ranks + 1, sizeof *releasers);
    return !part->is_left_out && is_synchronising(model, part) &&
           (releasers_of(model, p, releasers) > 0 || is_by_messages(model, part));
}

// SPDX-License-Identifier: BSD-3-Clause
// In which order messages go that hinder each other on links and buses.
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "tests/reference/predicted_state.h"

/// When a message can go, UNKNOWN: not known yet.
static uint64_t ready_ns(const struct prediction_state *state, const struct model_send *send)
{
    const struct model *model = state->model;
    uint64_t departed_ns = state->times.departed_ns[send->call];
    if (send->is_unsent)
        return UNKNOWN;
    if (departed_ns == UNKNOWN || !is_waiting_send(model, state->scenario, send))
        return departed_ns;
    if (send->receive == REFERENCE_NONE)
        return UNKNOWN;
    uint64_t posted_ns = state->times.enter_ns[model->receives[send->receive].post_call];
    return posted_ns > departed_ns ? posted_ns : departed_ns;
}

/// A message that can go: of the program, or of a collective operation.
struct departure {
    uint64_t ready_ns;
    uint32_t sender;
    bool is_part;
    size_t record; // sent, or operation entered
    uint32_t order;
    size_t index;
};

static int in_order(const void *left, const void *right)
{
    const struct departure *a = left, *b = right;
    if (a->ready_ns != b->ready_ns)
        return a->ready_ns < b->ready_ns ? -1 : 1;
    if (a->sender != b->sender)
        return a->sender < b->sender ? -1 : 1;
    if (a->is_part != b->is_part)
        return a->is_part ? 1 : -1;
    if (a->record != b->record)
        return a->record < b->record ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/// All messages that can go by what is known, in their order; the caller frees.
static struct departure *find_departures(struct prediction_state *state, size_t *n)
{
    const struct model *model = state->model;
    struct part_messages *parts = state->times.parts;
    find_part_messages(model, state->scenario, &state->times);
    struct departure *departures = memory_zeroed(model->n_sends + parts->n + 1, sizeof *departures);
    *n = 0;
    for (size_t i = 0; i < model->n_sends; i++) {
        const struct model_send *send = &model->sends[i];
        uint64_t own_ns = state->times.arrived_ns[i] == UNKNOWN ? ready_ns(state, send) : UNKNOWN;
        if (own_ns != UNKNOWN)
            departures[(*n)++] =
                (struct departure){own_ns, send->sender, false, send->record, 0, i};
    }
    for (size_t i = 0; i < parts->n; i++) {
        const struct part_message *message = &parts->items[i];
        if (message->arrived_ns == UNKNOWN)
            departures[(*n)++] = (struct departure){message->ready_ns,    message->sender, true,
                                                    message->post_record, message->order,  i};
    }
    qsort(departures, *n, sizeof *departures, in_order);
    return departures;
}

bool begin_transfers(struct prediction_state *state, uint64_t limit_ns)
{
    size_t n;
    struct departure *departures = find_departures(state, &n);
    uint64_t until_ns = n > 0 ? departures[0].ready_ns : UNKNOWN;
    if (until_ns < state->now_ns)
        until_ns = state->now_ns;
    bool has_any = n > 0 && until_ns < limit_ns;
    for (size_t i = 0; i < n && has_any && departures[i].ready_ns <= until_ns; i++) {
        const struct departure *departure = &departures[i];
        if (!departure->is_part) {
            state->times.arrived_ns[departure->index] = traffic_arrival(
                state->traffic, &state->model->sends[departure->index], departure->ready_ns);
            continue;
        }
        struct part_message *message = &state->times.parts->items[departure->index];
        const struct model_send send = {
            .sender = message->sender, .receiver = message->receiver, .now_bytes = message->bytes};
        message->arrived_ns = traffic_arrival(state->traffic, &send, departure->ready_ns);
    }
    free(departures);
    return has_any;
}

// SPDX-License-Identifier: BSD-3-Clause
// Polling loops: calls that look and find nothing wait for what the test finds that ends their
// loop.
#include "tests/reference/changed_program.h"
#include "tests/reference/predicted_costs.h"

/// Do calls C and D have the same function, called by one that is called from one place?
static bool are_alike(const struct model *model, uint32_t c, uint32_t d)
{
    const struct reference_trace *trace = model->trace;
    const struct record *records = trace->locations[model->calls[c].location].records;
    const struct record *a = &records[model->calls[c].first], *b = &records[model->calls[d].first];
    if (a->context == REFERENCE_NONE || b->context == REFERENCE_NONE)
        return a->region == b->region && a->context == b->context;
    return a->region == b->region &&
           trace->contexts[a->context].region == trace->contexts[b->context].region &&
           trace->contexts[a->context].caller == trace->contexts[b->context].caller;
}

/// Is the region around call C open all the time up to call D, and the innermost one there?
static bool stays_inside(const struct model *model, uint32_t c, uint32_t d, bool *is_innermost)
{
    const uint32_t *paths = model->path_after[model->calls[c].location];
    size_t first = model->calls[c].first;
    uint32_t outer = first > 0 ? paths[first - 1] : 0, path = 0;
    for (size_t i = model->calls[c].last; i < model->calls[d].first; i++) {
        for (path = paths[i]; path != outer && path != 0; path = model->paths[path].parent)
            ;
        if (path != outer)
            return false;
    }
    *is_innermost = paths[model->calls[d].first - 1] == outer;
    return true;
}

static bool has_regions(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    for (size_t i = call->first + 1; i < call->last; i++)
        if (model->trace->locations[call->location].records[i].kind == RECORD_ENTER)
            return true;
    return false;
}

/// The call that ends the loop of C, a poll that found nothing; REFERENCE_NONE.
static uint32_t end_of_loop(const struct model *model, uint32_t c)
{
    for (uint32_t d = c + 1; d < model->n_calls; d++) {
        const struct model_call *call = &model->calls[d];
        if (call->location != model->calls[c].location || call->is_init || call->is_finalize)
            return REFERENCE_NONE;
        bool is_innermost;
        if (!stays_inside(model, c, d, &is_innermost))
            return REFERENCE_NONE;
        bool is_same = is_innermost && are_alike(model, c, d);
        if (call->n_records > 0)
            return is_same && !has_regions(model, d) ? d : REFERENCE_NONE;
        uint32_t region = model->paths[call->path].region;
        if ((!is_same || has_regions(model, d)) &&
            region == model->paths[model->calls[c].path].region)
            return REFERENCE_NONE;
    }
    return REFERENCE_NONE;
}

void find_polls(struct model *model, const struct predicted_scenario *scenario)
{
    for (uint32_t c = 0; c < model->n_calls; c++) {
        struct model_call *call = &model->calls[c];
        call->polled_ns = 0;
        call->is_waiting_poll = false;
    }
    for (uint32_t c = 0; c < model->n_calls && !scenario->has_machine; c++) {
        struct model_call *call = &model->calls[c];
        if (!call->is_test || call->n_records > 0 || has_lacked_cores(model, scenario, call->rank))
            continue;
        uint32_t end = has_regions(model, c) ? REFERENCE_NONE : end_of_loop(model, c);
        if (end == REFERENCE_NONE)
            continue;
        call->is_waiting_poll = true;
        model->calls[end].polled_ns += call->leave_ns - call->enter_ns;
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// Epochs of RMA windows: the k-th post of a target for an origin belongs to the k-th start of that
// origin for the target, and the k-th complete to the k-th wait. Which post or complete ended a
// wait is looked for among all of the run for each call.
#include <string.h>

#include "analyzer/base/memory.h"
#include "tests/reference/model.h"

static enum sync_kind kind_of(const char *region, bool is_end)
{
    if (strcmp(region, "MPI_Win_post") == 0 && !is_end)
        return SYNC_POST;
    if (strcmp(region, "MPI_Win_start") == 0 && !is_end)
        return SYNC_START;
    if (strcmp(region, "MPI_Win_complete") == 0 && is_end)
        return SYNC_COMPLETE;
    bool is_wait = strcmp(region, "MPI_Win_wait") == 0 || strcmp(region, "MPI_Win_test") == 0;
    return is_wait && is_end ? SYNC_WAIT : SYNC_NONE;
}

static bool is_partner(const struct model_sync *a, const struct model_sync *b)
{
    static const enum sync_kind other[] = {[SYNC_POST] = SYNC_START,
                                           [SYNC_START] = SYNC_POST,
                                           [SYNC_COMPLETE] = SYNC_WAIT,
                                           [SYNC_WAIT] = SYNC_COMPLETE};
    return a->window == b->window && a->rank == b->peer && a->peer == b->rank &&
           other[a->kind] == b->kind;
}

static bool is_alike(const struct model_sync *a, const struct model_sync *b)
{
    return a->window == b->window && a->rank == b->rank && a->peer == b->peer && a->kind == b->kind;
}

static void add_syncs(struct model *model, uint32_t l, const struct record *record, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    const struct reference_comm *group = &model->trace->comms[record->group];
    const struct reference_comm *window = &model->trace->comms[record->comm];
    uint32_t region = model->paths[call->path].region;
    enum sync_kind kind = kind_of(model->trace->regions[region].name, record->is_end);
    for (uint32_t m = 0; m < group->n_members && kind != SYNC_NONE; m++) {
        bool is_member = false;
        for (uint32_t w = 0; w < window->n_members; w++)
            is_member = is_member || window->members[w] == group->members[m];
        if (!is_member)
            continue;
        model->syncs = array_reserve(model->syncs, &model->sync_capacity, model->n_syncs + 1,
                                     sizeof *model->syncs);
        struct model_call *place = &model->calls[c];
        place->first_sync = place->n_syncs++ == 0 ? (uint32_t)model->n_syncs : place->first_sync;
        model->syncs[model->n_syncs++] =
            (struct model_sync){.kind = kind,
                                .call = c,
                                .rank = model->trace->locations[l].rank,
                                .peer = group->members[m],
                                .window = record->comm,
                                .partner = REFERENCE_NONE};
    }
}

void model_find_epochs(struct model *model)
{
    for (uint32_t l = 0; l < model->trace->n_locations; l++) {
        const struct reference_location *location = &model->trace->locations[l];
        for (size_t i = 0; i < location->n_records; i++)
            if (location->records[i].kind == RECORD_SYNC && model->call_of[l][i] != REFERENCE_NONE)
                add_syncs(model, l, &location->records[i], model->call_of[l][i]);
    }
    for (uint32_t s = 0; s < model->n_syncs; s++) { // those of a rank are in order
        uint32_t place = 0;
        for (uint32_t before = 0; before < s; before++)
            place += is_alike(&model->syncs[before], &model->syncs[s]);
        for (uint32_t other = 0; other < model->n_syncs; other++)
            if (is_partner(&model->syncs[s], &model->syncs[other]) && place-- == 0) {
                model->syncs[s].partner = other;
                break;
            }
    }
}

/// The call of the post that START waits for; REFERENCE_NONE: there is none.
static uint32_t post_of(const struct model *model, const struct model_sync *start)
{
    return start->partner == REFERENCE_NONE ? REFERENCE_NONE : model->syncs[start->partner].call;
}

/// Had all the targets of call C, MPI_Win_start, posted before it was left?
static bool start_has_waited(const struct model *model, uint32_t c)
{
    const struct model_call *call = &model->calls[c];
    for (uint32_t s = call->first_sync; s < call->first_sync + call->n_syncs; s++) {
        const struct model_sync *sync = &model->syncs[s];
        if (sync->kind != SYNC_START)
            continue;
        uint32_t post = post_of(model, sync);
        if (post == REFERENCE_NONE || model->calls[post].enter_ns >= model->calls[c].leave_ns)
            return false;
    }
    return true;
}

/// The start whose posts the end of epoch S has to wait for, REFERENCE_NONE: none.
static uint32_t open_start(const struct model *model, uint32_t s)
{
    uint32_t start = REFERENCE_NONE;
    for (uint32_t before = 0; before < s; before++) {
        const struct model_sync *sync = &model->syncs[before];
        if (sync->rank != model->syncs[s].rank || sync->peer != model->syncs[s].peer ||
            sync->window != model->syncs[s].window)
            continue;
        if (sync->kind == SYNC_START)
            start = before;
        else if (sync->kind == SYNC_COMPLETE)
            start = REFERENCE_NONE;
    }
    bool is_over = start != REFERENCE_NONE && start_has_waited(model, model->syncs[start].call);
    return is_over ? REFERENCE_NONE : start;
}

/// Adds to CALLS what call C may wait for by sync S: the post's or complete's call; returns how
/// many. *IS_MISSED: a post came after C was left, or never.
static uint32_t awaited_by(const struct model *model, uint32_t c, uint32_t s, uint32_t *calls,
                           bool *is_missed)
{
    const struct model_sync *sync = &model->syncs[s];
    if (sync->kind == SYNC_POST)
        return 0;
    if (sync->kind == SYNC_WAIT) {
        if (sync->partner != REFERENCE_NONE)
            *calls = model->syncs[sync->partner].call;
        return sync->partner != REFERENCE_NONE;
    }
    uint32_t start = sync->kind == SYNC_START ? s : open_start(model, s);
    if (start == REFERENCE_NONE)
        return 0;
    *calls = post_of(model, &model->syncs[start]);
    *is_missed |=
        *calls == REFERENCE_NONE || model->calls[*calls].enter_ns >= model->calls[c].leave_ns;
    return *calls != REFERENCE_NONE;
}

uint32_t model_awaited_sync(const struct model *model, uint32_t c, bool *is_post)
{
    uint32_t best = REFERENCE_NONE, call;
    bool is_missed = false;
    *is_post = true;
    const struct model_call *own = &model->calls[c];
    for (uint32_t s = own->first_sync; s < own->first_sync + own->n_syncs; s++) {
        if (awaited_by(model, c, s, &call, &is_missed) == 0)
            continue;
        *is_post = model->syncs[s].kind != SYNC_WAIT;
        if (best == REFERENCE_NONE || model->calls[call].enter_ns > model->calls[best].enter_ns ||
            (model->calls[call].enter_ns == model->calls[best].enter_ns &&
             model->calls[call].rank > model->calls[best].rank))
            best = call;
    }
    return is_missed ? REFERENCE_NONE : best;
}

int64_t model_last_access_ns(const struct model *model, uint32_t c, uint32_t complete)
{
    int64_t last_ns = -1;
    for (size_t s = 0; s < model->n_syncs; s++) {
        const struct model_sync *end = &model->syncs[s], *start = NULL;
        if (end->call != complete || end->kind != SYNC_COMPLETE ||
            end->peer != model->calls[c].rank || end->partner == REFERENCE_NONE ||
            model->syncs[end->partner].call != c)
            continue;
        for (size_t before = 0; before < s; before++)
            if (model->syncs[before].window == end->window &&
                model->syncs[before].rank == end->rank && model->syncs[before].peer == end->peer) {
                if (model->syncs[before].kind == SYNC_START)
                    start = &model->syncs[before];
                else if (model->syncs[before].kind == SYNC_COMPLETE)
                    start = NULL;
            }
        const struct model_call *to = &model->calls[complete];
        const struct record *records = model->trace->locations[to->location].records;
        for (size_t i = start ? model->calls[start->call].first : to->first; i < to->first; i++)
            if (records[i].kind == RECORD_ACCESS && records[i].comm == end->window &&
                records[i].peer == end->peer && model->call_of[to->location][i] != REFERENCE_NONE)
                last_ns = (int64_t)model->calls[model->call_of[to->location][i]].leave_ns;
    }
    return last_ns;
}

int64_t model_count_late_syncs(const struct model *model)
{
    int64_t n = 0;
    for (size_t s = 0; s < model->n_syncs; s++) {
        const struct model_sync *sync = &model->syncs[s];
        if (sync->kind == SYNC_WAIT && sync->partner != REFERENCE_NONE)
            n += model->calls[model->syncs[sync->partner].call].enter_ns >
                 model->calls[sync->call].leave_ns;
    }
    return n;
}

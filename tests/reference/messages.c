// SPDX-License-Identifier: BSD-3-Clause
// Which send belongs to which receive: per channel (communicator, sender, receiver, tag) the k-th
// send to the receive in the k-th slot. Receives take slots in the order their completion is read;
// one passes the slots that older receives with a known envelope, still open, have reserved. What
// is never completed takes the slots that are left, unless an older wildcard may have taken its
// message.

#include "analyzer/base/memory.h"
#include "tests/reference/model.h"

/// The newest record of KIND with REQUEST before record BEFORE of LOCATION, or its n_records.
static size_t find_posting(const struct reference_location *location, size_t before,
                           enum record_kind kind, uint64_t request)
{
    while (before-- > 0) {
        const struct record *record = &location->records[before];
        if (record->kind == kind && record->request == request)
            return before;
    }
    return location->n_records;
}

static void add_send(struct model *model, uint32_t l, size_t i)
{
    const struct reference_location *location = &model->trace->locations[l];
    const struct record *record = &location->records[i];
    uint32_t call = model->call_of[l][i];
    bool is_blocking = record->kind == RECORD_SEND;
    *ARRAY_NEXT(model->sends, model->n_sends, model->send_capacity) =
        (struct model_send){.call = call,
                            .complete_call = is_blocking ? call : REFERENCE_NONE,
                            .location = l,
                            .record = i,
                            .complete_record = i,
                            .time_ns = record->time_ns,
                            .comm = record->comm,
                            .sender = location->rank,
                            .receiver = record->peer,
                            .tag = record->tag,
                            .size_bytes = record->sent_bytes,
                            .is_synchronous = model->calls[call].is_synchronous_send,
                            .receive = REFERENCE_NONE};
}

static void complete_send(struct model *model, uint32_t l, size_t i)
{
    const struct reference_location *location = &model->trace->locations[l];
    size_t posting = find_posting(location, i, RECORD_ISEND, location->records[i].request);
    for (size_t s = 0; s < model->n_sends; s++) {
        if (model->sends[s].location != l || model->sends[s].record != posting)
            continue;
        model->sends[s].complete_call = model->call_of[l][i];
        model->sends[s].complete_record = i;
    }
}

static struct model_receive *add_receive(struct model *model, uint32_t l, size_t i)
{
    const struct reference_location *location = &model->trace->locations[l];
    const struct record *record = &location->records[i];
    struct model_receive *receive =
        ARRAY_NEXT(model->receives, model->n_receives, model->receive_capacity);
    *receive = (struct model_receive){.post_call = model->call_of[l][i],
                                      .complete_call = REFERENCE_NONE,
                                      .location = l,
                                      .post_record = i,
                                      .comm = record->comm,
                                      .sender = record->peer,
                                      .receiver = location->rank,
                                      .tag = record->tag,
                                      .slot = REFERENCE_NONE,
                                      .send = REFERENCE_NONE};
    receive->is_reserving = record->kind == RECORD_IRECV_REQUEST && record->has_envelope &&
                            record->peer != REFERENCE_NONE && record->tag != REFERENCE_NONE;
    return receive;
}

/// Finishes the receive posted with the request of record I (or I itself when nothing was).
static void complete_receive(struct model *model, uint32_t l, size_t i)
{
    const struct reference_location *location = &model->trace->locations[l];
    const struct record *record = &location->records[i];
    size_t posting = location->n_records;
    if (record->kind != RECORD_RECV)
        posting = find_posting(location, i, RECORD_IRECV_REQUEST, record->request);
    struct model_receive *receive = NULL;
    for (size_t r = 0; r < model->n_receives; r++) {
        if (model->receives[r].location == l && model->receives[r].post_record == posting)
            receive = &model->receives[r];
    }
    if (record->kind == RECORD_CANCEL) {
        if (receive)
            receive->is_cancelled = true;
        return;
    }
    if (!receive) {
        receive = add_receive(model, l, i);
        // A blocking receive is posted when its call begins.
        receive->post_record = model->calls[receive->post_call].first;
    }
    receive->complete_call = model->call_of[l][i];
    receive->comm = record->comm;
    receive->sender = record->peer;
    receive->tag = record->tag;
    receive->size_bytes = record->sent_bytes;
}

static void collect(struct model *model)
{
    for (size_t l = 0; l < model->trace->n_locations; l++) {
        const struct reference_location *location = &model->trace->locations[l];
        for (size_t i = 0; i < location->n_records; i++) {
            switch (location->records[i].kind) {
            case RECORD_SEND:
            case RECORD_ISEND:
                add_send(model, (uint32_t)l, i);
                break;
            case RECORD_ISEND_COMPLETE:
                complete_send(model, (uint32_t)l, i);
                break;
            case RECORD_IRECV_REQUEST:
                add_receive(model, (uint32_t)l, i);
                break;
            case RECORD_RECV:
            case RECORD_IRECV:
            case RECORD_CANCEL:
                complete_receive(model, (uint32_t)l, i);
                break;
            default:
                break;
            }
        }
    }
}

static bool same_channel(const struct model_receive *a, const struct model_receive *b)
{
    return a->comm == b->comm && a->sender == b->sender && a->receiver == b->receiver &&
           a->tag == b->tag;
}

/// Does A's completion come before B's? Calls in their order, in one call by posting.
static bool completes_before(const struct model *model, const struct model_receive *a,
                             const struct model_receive *b)
{
    if (a->complete_call == REFERENCE_NONE || b->complete_call == REFERENCE_NONE)
        return b->complete_call == REFERENCE_NONE && a->complete_call != REFERENCE_NONE;
    const struct model_call *x = &model->calls[a->complete_call];
    const struct model_call *y = &model->calls[b->complete_call];
    if (a->complete_call != b->complete_call)
        return x->leave_ns != y->leave_ns ? x->leave_ns < y->leave_ns
                                          : a->complete_call < b->complete_call;
    return a->post_record < b->post_record;
}

/// Is OTHER an older receive, still open, whose place in RECEIVE's channel is known?
static bool is_reserved_before(const struct model_receive *other,
                               const struct model_receive *receive)
{
    return other->is_reserving && !other->is_cancelled && other->slot == REFERENCE_NONE &&
           same_channel(other, receive) && other->location == receive->location &&
           other->post_record < receive->post_record;
}

/// The first slot of RECEIVE's channel that is not taken.
static uint32_t free_slot(const struct model *model, const struct model_receive *receive)
{
    for (uint32_t slot = 0;; slot++) {
        bool is_taken = false;
        for (size_t r = 0; r < model->n_receives && !is_taken; r++)
            is_taken =
                model->receives[r].slot == slot && same_channel(&model->receives[r], receive);
        if (!is_taken)
            return slot;
    }
}

static void take_slot(struct model *model, struct model_receive *receive)
{
    // What it passes keeps its place from now on.
    for (size_t r = 0; r < model->n_receives; r++) {
        struct model_receive *other = &model->receives[r];
        if (other != receive && is_reserved_before(other, receive))
            other->slot = free_slot(model, other);
    }
    receive->slot = free_slot(model, receive);
    for (size_t r = 0; r < model->n_receives; r++) {
        const struct model_receive *other = &model->receives[r];
        if (other != receive && other->slot != REFERENCE_NONE && same_channel(other, receive) &&
            other->location == receive->location && other->post_record > receive->post_record &&
            (!receive->is_reserving || other->slot < receive->slot)) {
            model->n_ambiguous++;
            break;
        }
    }
}

bool model_is_rival(const struct model *model, const struct model_receive *rival,
                    const struct model_receive *receive)
{
    const struct record *posting =
        &model->trace->locations[rival->location].records[rival->post_record];
    return posting->kind == RECORD_IRECV_REQUEST && posting->has_envelope && !rival->is_reserving &&
           rival->location == receive->location && rival->post_record < receive->post_record &&
           posting->comm == receive->comm &&
           (posting->peer == REFERENCE_NONE || posting->peer == receive->sender) &&
           (posting->tag == REFERENCE_NONE || posting->tag == receive->tag);
}

/// Does RECEIVE, never completed, stay after a wildcard that is never completed either?
static bool is_left_open(const struct model *model, const struct model_receive *receive)
{
    bool is_behind = false;
    for (size_t r = 0; r < model->n_receives && receive->complete_call == REFERENCE_NONE; r++) {
        const struct model_receive *rival = &model->receives[r];
        is_behind = is_behind || (rival->complete_call == REFERENCE_NONE && !rival->is_cancelled &&
                                  model_is_rival(model, rival, receive));
    }
    return is_behind;
}

static void take_slots(struct model *model)
{
    for (;;) {
        struct model_receive *next = NULL;
        for (size_t r = 0; r < model->n_receives; r++) {
            struct model_receive *receive = &model->receives[r];
            bool is_waiting = !receive->is_done && !receive->is_cancelled &&
                              (receive->complete_call != REFERENCE_NONE || receive->is_reserving) &&
                              !is_left_open(model, receive);
            if (is_waiting && (!next || completes_before(model, receive, next)))
                next = receive;
        }
        if (!next)
            return;
        next->is_done = true;
        if (next->slot == REFERENCE_NONE)
            take_slot(model, next);
    }
}

void model_match_messages(struct model *model)
{
    collect(model);
    take_slots(model);
    for (size_t s = 0; s < model->n_sends; s++) {
        struct model_send *send = &model->sends[s];
        uint32_t place = 0;
        for (size_t other = 0; other < s; other++) {
            const struct model_send *older = &model->sends[other];
            place += older->comm == send->comm && older->sender == send->sender &&
                     older->receiver == send->receiver && older->tag == send->tag;
        }
        for (size_t r = 0; r < model->n_receives; r++) {
            struct model_receive *receive = &model->receives[r];
            if (receive->slot == place && receive->comm == send->comm &&
                receive->sender == send->sender && receive->receiver == send->receiver &&
                receive->tag == send->tag) {
                receive->send = (uint32_t)s;
                send->receive = (uint32_t)r;
            }
        }
    }
}

// --- Which parts belong to one collective operation: per communicator the k-th part of each
// member, in
// --- the order of posting. All calls of MPI_Finalize are one more operation, of all ranks.

static void add_part(struct model *model, struct model_part part)
{
    *ARRAY_NEXT(model->parts, model->n_parts, model->part_capacity) = part;
}

static void collect_location(struct model *model, uint32_t l)
{
    const struct reference_location *location = &model->trace->locations[l];
    for (size_t i = 0; i < location->n_records; i++) {
        const struct record *record = &location->records[i];
        if (record->kind != RECORD_COLL_END && record->kind != RECORD_COLL_COMPLETE)
            continue;
        uint32_t call = model->call_of[l][i];
        struct model_part part = {.post_call = call,
                                  .complete_call = call,
                                  .location = l,
                                  .rank = location->rank,
                                  .post_record = model->calls[call].first,
                                  .end_ns = record->time_ns,
                                  .comm = record->comm,
                                  .root = record->peer,
                                  .bytes = record->sent_bytes + record->received_bytes,
                                  .sent_bytes = record->sent_bytes,
                                  .received_bytes = record->received_bytes,
                                  .is_in_place = record->is_in_place,
                                  .operation = record->operation,
                                  .class = record->class,
                                  .is_uneven = record->is_uneven,
                                  .is_window = record->is_window,
                                  .is_file = record->is_file,
                                  .is_between_groups =
                                      model->trace->comms[record->comm].n_remote > 0,
                                  .instance = REFERENCE_NONE};
        for (size_t p = i; record->kind == RECORD_COLL_COMPLETE && p-- > 0;) {
            if (location->records[p].kind == RECORD_COLL_REQUEST &&
                location->records[p].request == record->request) {
                part.post_call = model->call_of[l][p];
                part.post_record = p;
                break;
            }
        }
        add_part(model, part);
    }
}

/// How many parts of the same rank on the same communicator were posted before PART.
static uint32_t place_of(const struct model *model, const struct model_part *part)
{
    uint32_t place = 0;
    for (size_t p = 0; p < model->n_parts; p++) {
        const struct model_part *other = &model->parts[p];
        place += !other->is_finalize && other->comm == part->comm &&
                 other->location == part->location && other->post_record < part->post_record;
    }
    return place;
}

static struct model_instance *add_instance(struct model *model, uint32_t n_members)
{
    struct model_instance *instance =
        ARRAY_NEXT(model->instances, model->n_instances, model->instance_capacity);
    *instance = (struct model_instance){.parts = memory_zeroed(n_members, sizeof(uint32_t)),
                                        .n_members = n_members,
                                        .is_complete = true};
    for (uint32_t m = 0; m < n_members; m++)
        instance->parts[m] = REFERENCE_NONE;
    return instance;
}

/// Brings the parts of FIRST's operation together.
static void build_instance(struct model *model, uint32_t first, const uint32_t *places)
{
    SCOPED uint32_t *members = memory_zeroed(2 * (size_t)model->trace->n_ranks, sizeof *members);
    const struct model_part *part = &model->parts[first];
    uint32_t n_members = reference_comm_members(model->trace, part->comm, part->rank, members);
    struct model_instance *instance = add_instance(model, n_members);
    for (uint32_t m = 0; m < n_members; m++) {
        for (uint32_t p = 0; p < model->n_parts; p++) {
            struct model_part *other = &model->parts[p];
            if (!other->is_finalize && other->comm == part->comm && other->rank == members[m] &&
                places[p] == places[first]) {
                instance->parts[m] = p;
                other->instance = (uint32_t)model->n_instances - 1;
            }
        }
        instance->is_complete = instance->is_complete && instance->parts[m] != REFERENCE_NONE;
    }
}

static void build_finalize(struct model *model)
{
    struct model_instance *instance = NULL;
    for (uint32_t c = 0; c < model->n_calls; c++) {
        const struct model_call *call = &model->calls[c];
        if (!call->is_finalize)
            continue;
        if (!instance) {
            instance = add_instance(model, model->trace->n_ranks);
            instance->is_finalize = true;
        }
        instance->parts[call->rank] = (uint32_t)model->n_parts;
        add_part(model, (struct model_part){.post_call = c,
                                            .complete_call = c,
                                            .location = call->location,
                                            .rank = call->rank,
                                            .post_record = call->first,
                                            .comm = REFERENCE_NONE,
                                            .root = REFERENCE_NONE,
                                            .class = CLASS_HANDLE,
                                            .is_finalize = true,
                                            .instance = (uint32_t)model->n_instances - 1});
    }
    for (uint32_t m = 0; instance && m < instance->n_members; m++)
        instance->is_complete = instance->is_complete && instance->parts[m] != REFERENCE_NONE;
}

void model_match_collectives(struct model *model)
{
    for (size_t l = 0; l < model->trace->n_locations; l++)
        collect_location(model, (uint32_t)l);
    SCOPED uint32_t *places = memory_zeroed(model->n_parts + 1, sizeof *places);
    for (uint32_t p = 0; p < model->n_parts; p++)
        places[p] = place_of(model, &model->parts[p]);
    for (uint32_t p = 0; p < model->n_parts; p++) {
        if (model->parts[p].instance == REFERENCE_NONE)
            build_instance(model, p, places);
    }
    build_finalize(model);
}

uint64_t model_enter_ns(const struct model *model, uint32_t part)
{
    return model->calls[model->parts[part].post_call].enter_ns;
}

uint32_t model_last_member(const struct model *model, const struct model_instance *instance,
                           uint32_t bound, uint32_t except)
{
    uint32_t last = REFERENCE_NONE;
    for (uint32_t m = 0; m < instance->n_members && m < bound; m++) {
        uint32_t part = instance->parts[m];
        if (part == REFERENCE_NONE || part == except)
            continue;
        if (last == REFERENCE_NONE || model_enter_ns(model, part) > model_enter_ns(model, last) ||
            (model_enter_ns(model, part) == model_enter_ns(model, last) &&
             model->parts[part].rank < model->parts[last].rank))
            last = part;
    }
    return last;
}

bool model_let_wait(const struct model *model, const struct model_instance *instance)
{
    uint32_t last = model_last_member(model, instance, REFERENCE_NONE, REFERENCE_NONE);
    for (uint32_t m = 0; m < instance->n_members; m++)
        if (model->calls[model->parts[instance->parts[m]].complete_call].leave_ns <
            model_enter_ns(model, last))
            return false;
    return true;
}

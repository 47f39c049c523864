// SPDX-License-Identifier: BSD-3-Clause
// Which parts belong to one collective operation: per communicator the k-th part of each member, in
// the order of posting. All calls of MPI_Finalize are one more operation, of all ranks.
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "tests/reference/model.h"

static void add_part(struct model *model, struct model_part part)
{
    model->parts = array_reserve(model->parts, &model->part_capacity, model->n_parts + 1,
                                 sizeof *model->parts);
    model->parts[model->n_parts++] = part;
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
    model->instances = array_reserve(model->instances, &model->instance_capacity,
                                     model->n_instances + 1, sizeof *model->instances);
    struct model_instance *instance = &model->instances[model->n_instances++];
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
    uint32_t *members = memory_zeroed(2 * (size_t)model->trace->n_ranks, sizeof *members);
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
    free(members);
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
    uint32_t *places = memory_zeroed(model->n_parts + 1, sizeof *places);
    for (uint32_t p = 0; p < model->n_parts; p++)
        places[p] = place_of(model, &model->parts[p]);
    for (uint32_t p = 0; p < model->n_parts; p++) {
        if (model->parts[p].instance == REFERENCE_NONE)
            build_instance(model, p, places);
    }
    free(places);
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

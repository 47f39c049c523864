// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/rewrite/repair/repair.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/event_record.h"

enum { COMM_CREATE = 87, COMM_DESTROY = 88 };
enum { MOST_RANKS = 1 << 24 }; // what names a later one is damage

static struct mention *mention_of(struct mentions *mentions, OTF2_MappingType kind,
                                  uint32_t local_id)
{
    struct mention_list *list = &mentions->kinds[kind];
    uint32_t id = local_definitions_id(mentions->local, kind, local_id), place;
    if (map_get(&list->by_id, id, &place))
        return &list->items[place];
    map_put(&list->by_id, id, (uint32_t)list->n);
    struct mention *mention = ARRAY_NEXT(list->items, list->n, list->capacity);
    *mention = (struct mention){.id = id};
    return mention;
}

static void add_user(struct mention *communicator, uint32_t location)
{
    if (communicator->n_users > 0 && communicator->users[communicator->n_users - 1] == location)
        return;
    *ARRAY_NEXT(communicator->users, communicator->n_users, communicator->user_capacity) = location;
}

static bool is_mpi(int kind)
{
    return (kind >= MPI_SEND && kind <= MPI_COLLECTIVE_END) ||
           kind == NON_BLOCKING_COLLECTIVE_REQUEST || kind == NON_BLOCKING_COLLECTIVE_COMPLETE ||
           kind == COMM_CREATE || kind == COMM_DESTROY;
}

static bool is_collective(int kind)
{
    return kind == MPI_COLLECTIVE_BEGIN || kind == MPI_COLLECTIVE_END;
}

/// The field that names a rank of the communicator, the peer of a message or the root; false: none.
static bool names_rank(int kind, const struct record_fields *fields, uint32_t *rank)
{
    bool is_message =
        kind == MPI_SEND || kind == MPI_ISEND || kind == MPI_RECV || kind == MPI_IRECV;
    if (!is_message && kind != MPI_COLLECTIVE_END && kind != NON_BLOCKING_COLLECTIVE_COMPLETE)
        return false;
    *rank = (uint32_t)fields->values[is_message ? 0 : 2];
    return *rank < MOST_RANKS;
}

static void take_communicator(struct mentions *mentions, struct mention *mention, int kind,
                              const struct record_fields *fields)
{
    uint32_t rank;
    add_user(mention, mentions->location);
    mention->is_mpi = mention->is_mpi || is_mpi(kind);
    if (names_rank(kind, fields, &rank) && rank >= mention->n_ranks)
        mention->n_ranks = rank + 1;
}

static void take_metric(struct mention *mention, const struct record_fields *fields)
{
    if (fields->n_metric_values <= mention->n_values)
        return;
    free(mention->value_types);
    mention->n_values = fields->n_metric_values;
    mention->value_types = memory_new(mention->n_values);
    memcpy(mention->value_types, fields->metric_types, mention->n_values);
}

static void take_field(struct mentions *mentions, int kind, const struct record_fields *fields,
                       size_t i)
{
    OTF2_MappingType reference = record_fields_reference(fields->letters[i]);
    if (reference == OTF2_MAPPING_MAX)
        return;
    struct mention *mention = mention_of(mentions, reference, (uint32_t)fields->values[i]);
    if (reference == OTF2_MAPPING_COMM)
        take_communicator(mentions, mention, kind, fields);
    if (reference == OTF2_MAPPING_METRIC)
        take_metric(mention, fields);
    if (reference == OTF2_MAPPING_PARAMETER)
        mention->parameter_type = kind == PARAMETER_STRING ? OTF2_PARAMETER_TYPE_STRING
                                  : kind == PARAMETER_INT  ? OTF2_PARAMETER_TYPE_INT64
                                                           : OTF2_PARAMETER_TYPE_UINT64;
}

void mentions_take(void *context, const struct sound_record *record, const struct sound_part *part)
{
    struct mentions *mentions = context;
    const struct record_fields *fields = &record->fields;
    int kind = record->kind;
    for (size_t i = 0; fields->letters[i]; i++)
        take_field(mentions, kind, fields, i);
    if (!is_mpi(kind) || part->n_open == 0)
        return;
    const struct open_region *innermost = &part->open[part->n_open - 1];
    struct mention *region = mention_of(
        mentions, innermost->is_context ? OTF2_MAPPING_CALLING_CONTEXT : OTF2_MAPPING_REGION,
        innermost->id);
    region->is_mpi = true;
    region->is_collective = region->is_collective || is_collective(kind);
}

void mentions_release(struct mentions *mentions)
{
    for (size_t kind = 0; kind < OTF2_MAPPING_MAX; kind++) {
        struct mention_list *list = &mentions->kinds[kind];
        FREE_MEMBERS(list->items, list->n, users, value_types);
        free(list->items);
        map_release(&list->by_id);
    }
    *mentions = (struct mentions){0};
}

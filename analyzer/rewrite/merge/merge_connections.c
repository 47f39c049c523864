// SPDX-License-Identifier: BSD-3-Clause
// Which communicators of two archives are the same. Our tracer writes down the two ends of a
// connection, each in its archive: the name of the port, and when the root was in its call. A port
// serves one connection after the other, so the k-th that is accepted is the k-th that a connecting
// root is done with, and both were in their calls at one time. What is made of such a communicator
// (its duplicate, MPI_Intercomm_merge and what is made of that) has the same parent on both sides,
// and the members that one side does not know are those that the other one is.
#include "analyzer/rewrite/merge/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"

// ---- members

uint32_t merge_rank(const struct merged_world *world, uint64_t member)
{
    if (member < world->n_launched)
        return world->first_launched + (uint32_t)member;
    if (member < (uint64_t)world->n_launched + world->n_spawned)
        return world->first_spawned + (uint32_t)member - world->n_launched;
    return MERGE_NONE;
}

const struct group_record *merge_locations(const struct merged_world *world, OTF2_Paradigm paradigm)
{
    for (size_t i = 0; i < world->records->groups.n; i++) {
        const struct group_record *group = &world->records->groups.items[i];
        if (group->type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group->paradigm == paradigm)
            return group;
    }
    return NULL;
}

const struct group_record *merge_group(const struct merged_world *world, OTF2_GroupRef id)
{
    uint32_t place = id_table_get(&world->records->groups.by_id, id);
    return place == MERGE_NONE ? NULL : &world->records->groups.items[place];
}

bool merge_has_outsider(const struct merged_world *world, const struct group_record *group)
{
    if (!group || group->type != OTF2_GROUP_TYPE_COMM_GROUP || group->paradigm != OTF2_PARADIGM_MPI)
        return false;
    for (uint32_t i = 0; i < group->n_members; i++)
        if (merge_rank(world, group->members[i]) == MERGE_NONE)
            return true;
    return false;
}

static bool is_unmatched(const struct merged_world *world, uint32_t comm)
{
    const struct communicator_record *record = &world->records->communicators.items[comm];
    return world->partners[comm].world == MERGE_NONE &&
           (merge_has_outsider(world, merge_group(world, record->group)) ||
            merge_has_outsider(world, merge_group(world, record->remote_group)));
}

/// The group of an intercommunicator whose members are known, or not; NULL: there is no such one.
static const struct group_record *side_of(const struct merged_world *world, uint32_t comm,
                                          bool is_known)
{
    const struct communicator_record *record = &world->records->communicators.items[comm];
    const struct group_record *a = merge_group(world, record->group);
    const struct group_record *b = merge_group(world, record->remote_group);
    if (!a || !b || merge_has_outsider(world, a) == merge_has_outsider(world, b))
        return NULL;
    return merge_has_outsider(world, a) == is_known ? b : a;
}

/// Whether two intercommunicators, or two others, may be one: each knows what the other one does
/// not.
static bool may_be_same(const struct merged_world *a, uint32_t comm_a, const struct merged_world *b,
                        uint32_t comm_b)
{
    const struct communicator_record *one = &a->records->communicators.items[comm_a];
    const struct communicator_record *other = &b->records->communicators.items[comm_b];
    bool is_inter = one->remote_group != OTF2_UNDEFINED_GROUP;
    if (is_inter != (other->remote_group != OTF2_UNDEFINED_GROUP))
        return false;
    const struct group_record *left =
        is_inter ? side_of(a, comm_a, true) : merge_group(a, one->group);
    const struct group_record *right =
        is_inter ? side_of(b, comm_b, false) : merge_group(b, other->group);
    if (!left || !right || left->n_members != right->n_members)
        return false;
    for (uint32_t i = 0; i < left->n_members && !is_inter; i++)
        if ((merge_rank(a, left->members[i]) == MERGE_NONE) ==
            (merge_rank(b, right->members[i]) == MERGE_NONE))
            return false;
    left = is_inter ? side_of(a, comm_a, false) : left;
    right = is_inter ? side_of(b, comm_b, true) : right;
    return left && right && left->n_members == right->n_members;
}

static void pair(struct merge *merge, uint32_t world_a, uint32_t comm_a, uint32_t world_b,
                 uint32_t comm_b)
{
    merge->worlds[world_a].partners[comm_a] = (struct comm_partner){world_b, comm_b};
    merge->worlds[world_b].partners[comm_b] = (struct comm_partner){world_a, comm_a};
}

// ---- ends of connections

/// In the order in which ends are matched.
enum side { ACCEPT, CONNECT, JOIN };

struct end {
    uint32_t world, comm;
    enum side side;
    uint64_t enter_ticks, leave_ticks; // by the new archive's clock
    const char *name;
};

struct ends {
    struct end *items;
    size_t n, capacity;
};

static void add_end(struct ends *ends, const struct merge *merge, uint32_t index, const char *text)
{
    const struct merged_world *world = &merge->worlds[index];
    char side[8];
    unsigned comm;
    unsigned long long enter, leave;
    int at = 0;
    if (sscanf(text, "%7s %u %llu %llu %n", side, &comm, &enter, &leave, &at) != 4 || at == 0)
        return;
    uint32_t place = id_table_get(&world->records->communicators.by_id, comm);
    if (place == MERGE_NONE || !side_of(world, place, true))
        return;
    *ARRAY_NEXT(ends->items, ends->n, ends->capacity) =
        (struct end){.world = index,
                     .comm = place,
                     .side = strcmp(side, "accept") == 0    ? ACCEPT
                             : strcmp(side, "connect") == 0 ? CONNECT
                                                            : JOIN,
                     .enter_ticks = merge_ticks(merge, world, enter),
                     .leave_ticks = merge_ticks(merge, world, leave),
                     .name = text + at};
}

/// Clocks that only the time of day relates may be off by this.
static uint64_t slack_of(const struct merge *merge, const struct end *a, const struct end *b)
{
    bool is_same = merge->worlds[a->world].clock == merge->worlds[b->world].clock;
    return is_same ? 0 : merge->ticks_per_second;
}

static bool fit(const struct merge *merge, const struct end *a, const struct end *b)
{
    uint64_t slack = slack_of(merge, a, b);
    return b->side == (a->side == ACCEPT ? CONNECT : JOIN) && a->side != CONNECT &&
           b->world != a->world && strcmp(b->name, a->name) == 0 &&
           b->enter_ticks <= a->leave_ticks + slack && a->enter_ticks <= b->leave_ticks + slack &&
           is_unmatched(&merge->worlds[b->world], b->comm) &&
           may_be_same(&merge->worlds[a->world], a->comm, &merge->worlds[b->world], b->comm);
}

static void match_ends(struct merge *merge, struct ends *ends)
{
    SORT_BY(ends->items, ends->n, LEAST(side), LEAST(leave_ticks), LEAST(world), LEAST(comm));
    for (size_t i = 0; i < ends->n; i++) {
        const struct end *end = &ends->items[i];
        if (!is_unmatched(&merge->worlds[end->world], end->comm))
            continue;
        for (size_t k = i + 1; k < ends->n; k++) {
            const struct end *other = &ends->items[k];
            if (!fit(merge, end, other))
                continue;
            pair(merge, end->world, end->comm, other->world, other->comm);
            merge->n_connections++;
            break;
        }
    }
}

// ---- what is made of connected communicators

static uint32_t parent_of(const struct merged_world *world, uint32_t comm)
{
    OTF2_CommRef parent = world->records->communicators.items[comm].parent;
    return parent == OTF2_UNDEFINED_COMM
               ? MERGE_NONE
               : id_table_get(&world->records->communicators.by_id, parent);
}

/// Parents come before what is made of them.
static void match_descendants(struct merge *merge, uint32_t index)
{
    const struct merged_world *world = &merge->worlds[index];
    for (uint32_t comm = 0; comm < world->records->communicators.n; comm++) {
        uint32_t parent = parent_of(world, comm);
        if (parent == MERGE_NONE || !is_unmatched(world, comm))
            continue;
        struct comm_partner of_parent = world->partners[parent];
        if (of_parent.world == MERGE_NONE)
            continue;
        const struct merged_world *other = &merge->worlds[of_parent.world];
        for (uint32_t i = 0; i < other->records->communicators.n; i++)
            if (is_unmatched(other, i) && parent_of(other, i) == of_parent.comm &&
                may_be_same(world, comm, other, i)) {
                pair(merge, index, comm, of_parent.world, i);
                break;
            }
    }
}

/// Whether a group that some communicator without partner, or none at all, has still needs them.
static bool needs_outsiders(const struct merged_world *world)
{
    SCOPED_BY(id_table_release) struct id_table matched;
    bool needs = false;
    id_table_init(&matched);
    for (uint32_t i = 0; i < world->records->communicators.n; i++) {
        const struct communicator_record *record = &world->records->communicators.items[i];
        needs |= is_unmatched(world, i);
        if (world->partners[i].world != MERGE_NONE) {
            id_table_add(&matched, record->group, 0);
            id_table_add(&matched, record->remote_group, 0);
        }
    }
    for (size_t i = 0; i < world->records->groups.n; i++) {
        const struct group_record *group = &world->records->groups.items[i];
        needs |=
            merge_has_outsider(world, group) && id_table_get(&matched, group->id) == MERGE_NONE;
    }
    return needs;
}

void merge_connections(struct merge *merge)
{
    static const char prefix[] = "PAGODA::CONNECTION_";
    struct ends ends = {0};
    for (uint32_t i = 0; i < merge->n_worlds; i++) {
        struct merged_world *world = &merge->worlds[i];
        size_t n = world->records->communicators.n;
        world->partners = memory_new((n + 1) * sizeof *world->partners);
        for (size_t k = 0; k < n; k++)
            world->partners[k] = (struct comm_partner){MERGE_NONE, MERGE_NONE};
        for (size_t k = 0; k < world->definitions->n_properties; k++)
            if (strncmp(world->definitions->properties[k].name, prefix, sizeof prefix - 1) == 0)
                add_end(&ends, merge, i, world->definitions->properties[k].value);
    }
    match_ends(merge, &ends);
    free(ends.items);
    for (uint32_t i = 0; i < merge->n_worlds; i++)
        match_descendants(merge, i);
    for (uint32_t i = 0; i < merge->n_worlds; i++)
        merge->has_outsiders |= needs_outsiders(&merge->worlds[i]);
}

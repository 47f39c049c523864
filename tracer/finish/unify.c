// SPDX-License-Identifier: BSD-3-Clause
// See unify.h for the rule. Keys are byte strings of the numbers they are made of.
#include "tracer/finish/unify.h"

#include <stdlib.h>

static uint32_t add_group(struct unify *unify, const int32_t *members, uint32_t n)
{
    return table_number(&unify->groups, members, n * sizeof *members, NULL);
}

struct unify_group unify_group(const struct unify *unify, uint32_t group)
{
    const struct table_key *key = &unify->groups.keys[group];
    return (struct unify_group){(uint32_t)(key->n_bytes / sizeof(int32_t)),
                                (const void *)key->bytes};
}

static uint32_t add_comm(struct unify *unify, const uint32_t key[4])
{
    bool is_new;
    uint32_t index = table_number(&unify->comm_keys, key, 4 * sizeof *key, &is_new);
    if (is_new) {
        unify->comms = realloc_or_die(unify->comms, (index + 1) * sizeof *unify->comms);
        bool is_window = key[2] == UNIFY_WINDOW;
        unify->comms[index] =
            (struct unify_comm){.parent = key[0],
                                .group = key[1],
                                .remote = key[2],
                                .number = is_window ? unify->n_windows : index - unify->n_windows};
        unify->n_windows += is_window;
    }
    return index;
}

/// An MPI_COMM_WORLD of its own. Returns its index.
static uint32_t add_world(struct unify *unify, uint32_t base, uint32_t n_ranks, char *name)
{
    int32_t *members = alloc_or_die(n_ranks * sizeof *members);
    for (uint32_t i = 0; i < n_ranks; i++)
        members[i] = (int32_t)(base + i);
    uint32_t index = add_comm(
        unify, (uint32_t[]){RECORD_NO_COMM, add_group(unify, members, n_ranks), RECORD_NO_COMM, 0});
    unify->comms[index].name = name;
    free(members);
    return index;
}

void unify_init(struct unify *unify, uint32_t n_ranks)
{
    *unify = (struct unify){0};
    add_world(unify, 0, n_ranks, strdup_or_die("MPI_COMM_WORLD"));
    // Its group, the same empty list for every rank, is the archive's matter.
    add_comm(unify, (uint32_t[]){RECORD_NO_COMM, RECORD_NO_COMM, RECORD_NO_COMM, 1});
    unify->comms[1].name = strdup_or_die("MPI_COMM_SELF");
}

uint32_t unify_add_world(struct unify *unify, uint32_t base, uint32_t n_ranks)
{
    return add_world(unify, base, n_ranks,
                     format_or_die("MPI_COMM_WORLD of ranks %u to %u", base, base + n_ranks - 1));
}

bool unify_has_outsiders(const struct unify *unify)
{
    for (uint32_t i = 0; i < unify->groups.n; i++) {
        struct unify_group group = unify_group(unify, i);
        for (uint32_t k = 0; k < group.n; k++)
            if (group.members[k] < 0)
                return true;
    }
    return false;
}

void unify_release(struct unify *unify)
{
    for (uint32_t i = 0; i < unify->comm_keys.n; i++)
        free(unify->comms[i].name);
    free(unify->comms);
    table_release(&unify->comm_keys);
    table_release(&unify->groups);
}

void unify_rank_release(struct unify_rank *rank)
{
    free(rank->comms);
    table_release(&rank->made);
}

/// How many communicators with this parent and these members the rank has made before.
static uint32_t count_made(struct unify_rank *rank, const uint32_t key[3])
{
    uint32_t *n_made = table_value(&rank->made, key, 3 * sizeof *key, sizeof *n_made, NULL);
    return (*n_made)++;
}

/// The rank in the archive of a member as this rank has recorded it, -1: not in the archive.
static int32_t rank_of_member(const struct unify_rank *rank, int32_t member)
{
    if (member >= 0 && (uint32_t)member < rank->origin->n_ranks)
        return (int32_t)rank->origin->base + member;
    if (member >= -1) // no rank, or a damaged one
        return -1;
    const struct foreign_group *group =
        worlds_group(rank->origin, rank->rank, (uint32_t)RECORD_FOREIGN_SLOT(member));
    uint32_t place = (uint32_t)RECORD_FOREIGN_RANK(member);
    return group && place < group->n ? group->ranks[place] : -1;
}

/// With `is_regular` only the first two of the members are listed.
static uint32_t group_of_members(struct unify *unify, const struct unify_rank *rank,
                                 const int32_t *members, uint32_t n, bool is_regular)
{
    int32_t *ranks = alloc_or_die(n * sizeof *ranks);
    for (uint32_t i = 0; i < n; i++) {
        int64_t step = is_regular ? (int64_t)members[1] - members[0] : 0;
        ranks[i] = rank_of_member(rank, is_regular ? (int32_t)(members[0] + i * step) : members[i]);
    }
    uint32_t group = add_group(unify, ranks, n);
    free(ranks);
    return group;
}

uint32_t unify_epoch_group(struct unify *unify, const struct unify_rank *rank,
                           const struct record_epoch *record)
{
    return group_of_members(unify, rank, record->members, record->n, false);
}

static uint32_t own_group(struct unify *unify, const struct unify_rank *rank,
                          const struct record_comm *record, uint32_t parent)
{
    if ((record->flags & RECORD_COMM_AS_PARENT) == 0)
        return group_of_members(unify, rank, record->members, record->n_local,
                                (record->flags & RECORD_COMM_REGULAR) != 0);
    if (parent != RECORD_NO_COMM && unify->comms[parent].group != RECORD_NO_COMM)
        return unify->comms[parent].group;
    // a duplicate of MPI_COMM_SELF
    return add_group(unify, (int32_t[]){(int32_t)(rank->origin->base + rank->rank)}, 1);
}

static void set(struct unify_rank *rank, uint32_t id, uint32_t index)
{
    if (id >= rank->n_comms) {
        rank->comms = realloc_or_die(rank->comms, ((size_t)id + 1) * sizeof *rank->comms);
        while (rank->n_comms <= id)
            rank->comms[rank->n_comms++] = RECORD_NO_COMM;
    }
    rank->comms[id] = index;
}

void unify_add(struct unify *unify, struct unify_rank *rank, const struct record_comm *record)
{
    if (record->head.id <= 1) {
        set(rank, record->head.id, record->head.id == 0 ? rank->world : 1);
        return;
    }
    uint32_t key[4];
    key[0] = record->parent == RECORD_NO_COMM ? RECORD_NO_COMM : unify_find(rank, record->parent);
    bool is_window = (record->flags & RECORD_COMM_WINDOW) != 0;
    if (is_window && key[0] == RECORD_NO_COMM)
        return;
    key[1] = own_group(unify, rank, record, key[0]);
    key[2] = is_window ? UNIFY_WINDOW : RECORD_NO_COMM;
    if ((record->flags & RECORD_COMM_INTER) != 0) {
        key[2] = group_of_members(unify, rank, record->members + record->n_local, record->n_remote,
                                  false);
        // Both sides must name the pair alike: the group with the smaller first rank comes first.
        if (unify_group(unify, key[2]).members[0] < unify_group(unify, key[1]).members[0]) {
            uint32_t swap = key[1];
            key[1] = key[2];
            key[2] = swap;
        }
        // The parents of the two sides differ, unless that is such a pair as well.
        if (key[0] != RECORD_NO_COMM && unify->comms[key[0]].remote >= UNIFY_THREADS)
            key[0] = RECORD_NO_COMM;
    }
    key[3] = 1 + count_made(rank, key); // 0 is MPI_COMM_WORLD itself
    set(rank, record->head.id, add_comm(unify, key));
}

/// The program's own communicators are counted from 1, see unify_add().
uint32_t unify_neighborhood(struct unify *unify, uint32_t index)
{
    uint32_t twin =
        add_comm(unify, (uint32_t[]){index, unify->comms[index].group, RECORD_NO_COMM, 0});
    if (!unify->comms[twin].name)
        unify->comms[twin].name = strdup_or_die(NEIGHBORHOOD_NAME);
    return twin;
}

uint32_t unify_team(struct unify *unify, uint32_t rank, uint32_t forker)
{
    return add_comm(unify, (uint32_t[]){RECORD_NO_COMM, rank, UNIFY_TEAM, forker});
}

uint32_t unify_threads(struct unify *unify, uint32_t rank)
{
    return add_comm(unify, (uint32_t[]){RECORD_NO_COMM, rank, UNIFY_THREADS, 0});
}

uint32_t unify_find(const struct unify_rank *rank, uint32_t id)
{
    return id < rank->n_comms ? rank->comms[id] : RECORD_NO_COMM;
}

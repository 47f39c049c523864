// SPDX-License-Identifier: BSD-3-Clause
// Who has started whom, see unify.h. Times of different processes are compared by the time of day.
#include "tracer/finish/unify.h"

#include "tracer/finish/memory.h"

#include <stdlib.h>
#include <string.h>

/// A communicator with processes of another world, as one of its members has recorded it.
struct meeting {
    uint32_t world;
    uint32_t rank; // in its world
    const struct record_comm *comm;
    uint64_t enter_ns; // of the call that made it (its parents': MPI_Init), time of day
    uint64_t leave_ns;
    uint32_t place; // how many meetings of the same members this rank had before
    // Of the first member's only: when members were in the call, first in to last out.
    bool is_first;
    uint64_t from_ns;
    uint64_t to_ns;
    bool is_taken; // the world that came of it is found
};

struct meetings {
    struct meeting *items;
    size_t n;
};

static uint64_t time_of_day(const struct spool_header *header, uint64_t time_ns)
{
    return header->realtime_ns + time_ns - header->clock_ns;
}

static bool same_members(const struct record_comm *a, const struct record_comm *b)
{
    return a->n_local == b->n_local && a->n_remote == b->n_remote &&
           memcmp(a->members, b->members, a->n_local * sizeof *a->members) == 0;
}

static void add_meeting(struct meetings *meetings, struct meeting meeting)
{
    // Those of a rank stand together.
    for (size_t i = meetings->n; i > 0 && meetings->items[i - 1].world == meeting.world &&
                                 meetings->items[i - 1].rank == meeting.rank;
         i--)
        meeting.place += same_members(meetings->items[i - 1].comm, meeting.comm);
    APPEND(meetings->items, meetings->n, meeting);
}

static void collect(struct meetings *meetings, const struct worlds *worlds, uint32_t world)
{
    for (size_t i = 0; i < worlds->items[world].n; i++) {
        const struct spool *spool = &worlds->items[world].spools[i];
        const struct spool_header *header = spool->header;
        const struct record_call *call = NULL;
        for (const struct record_head *head = spool_next(spool, NULL); head;
             head = spool_next(spool, head)) {
            const struct record_comm *comm = (const void *)head;
            if (head->kind == RECORD_CALL)
                call = (const void *)head;
            if (head->kind != RECORD_COMM || (comm->flags & RECORD_COMM_FOREIGN) == 0 || !call)
                continue;
            add_meeting(meetings,
                        (struct meeting){.world = world,
                                         .rank = header->rank,
                                         .comm = comm,
                                         .enter_ns = time_of_day(header, call->enter_ns),
                                         .leave_ns = time_of_day(header, call->leave_ns)});
        }
    }
}

static bool is_same(const struct meeting *a, const struct meeting *b)
{
    return a->world == b->world && a->place == b->place && same_members(a->comm, b->comm);
}

static bool is_by_first_member(const struct meeting *meeting)
{
    uint32_t i = 0;
    while (i < meeting->comm->n_local && meeting->comm->members[i] < 0)
        i++;
    return i < meeting->comm->n_local && (uint32_t)meeting->comm->members[i] == meeting->rank;
}

static void find_extents(struct meetings *meetings)
{
    for (size_t i = 0; i < meetings->n; i++) {
        struct meeting *meeting = &meetings->items[i];
        meeting->is_first = is_by_first_member(meeting);
        meeting->from_ns = UINT64_MAX;
        for (size_t k = 0; meeting->is_first && k < meetings->n; k++) {
            const struct meeting *other = &meetings->items[k];
            if (!is_same(meeting, other))
                continue;
            if (other->enter_ns < meeting->from_ns)
                meeting->from_ns = other->enter_ns;
            if (other->leave_ns > meeting->to_ns)
                meeting->to_ns = other->leave_ns;
        }
    }
}

static bool is_with_parents(const struct meeting *meeting)
{
    return (meeting->comm->flags & RECORD_COMM_PARENTS) != 0;
}

static const struct meeting *meeting_of_children(const struct meetings *meetings, uint32_t world)
{
    for (size_t i = 0; i < meetings->n; i++)
        if (meetings->items[i].world == world && meetings->items[i].is_first &&
            is_with_parents(&meetings->items[i]))
            return &meetings->items[i];
    return NULL;
}

/// Could the children come of this call of MPI_Comm_spawn?
static bool fits(const struct meeting *spawn, const struct meeting *children, uint32_t n_children)
{
    return spawn->is_first && !spawn->is_taken && !is_with_parents(spawn) &&
           spawn->world != children->world && spawn->comm->n_remote == n_children &&
           spawn->comm->n_local == children->comm->n_remote &&
           spawn->from_ns <= children->from_ns && children->from_ns <= spawn->to_ns;
}

/// The call that started the world; NULL: none, or those of several groups of parents fit. Calls of
/// the same parents come one after the other, and so do the worlds that came of them.
static struct meeting *find_spawn(const struct worlds *worlds, struct meetings *meetings,
                                  const struct meeting *children)
{
    struct meeting *found = NULL;
    for (size_t i = 0; i < meetings->n; i++) {
        struct meeting *spawn = &meetings->items[i];
        if (!fits(spawn, children, worlds->items[children->world].n_ranks))
            continue;
        if (found && (found->world != spawn->world || !same_members(found->comm, spawn->comm)))
            return NULL;
        if (!found || spawn->place < found->place)
            found = spawn;
    }
    return found;
}

/// All clocks of a world must be clocks of the archive it goes into: only those were compared.
static bool shares_clocks(const struct world *root, const struct world *world)
{
    for (size_t i = 0; i < world->n; i++) {
        size_t k = 0;
        while (k < root->n && strcmp(root->spools[k].header->clock_domain,
                                     world->spools[i].header->clock_domain) != 0)
            k++;
        if (k == root->n)
            return false;
    }
    return true;
}

// ---- Who the processes of the other side are

static void set_group(struct world *world, const struct meeting *meeting, uint32_t n,
                      const int32_t *members, uint32_t base)
{
    struct foreign_group *group =
        &world->groups[meeting->rank * RECORD_FOREIGN_SLOTS + meeting->comm->foreign];
    free(group->ranks); // of a slot that was damaged
    group->ranks = alloc_or_die(n * sizeof *group->ranks);
    group->n = n;
    for (uint32_t i = 0; i < n; i++)
        group->ranks[i] = !members          ? (int32_t)(base + i)
                          : members[i] >= 0 ? (int32_t)(base + (uint32_t)members[i])
                                            : -1;
}

static void set_groups(struct worlds *worlds, const struct meetings *meetings, uint32_t child,
                       const struct meeting *spawn)
{
    struct world *children = &worlds->items[child];
    struct world *parents = &worlds->items[spawn->world];
    for (size_t i = 0; i < meetings->n; i++) {
        const struct meeting *meeting = &meetings->items[i];
        if (meeting->world == child && is_with_parents(meeting))
            set_group(children, meeting, spawn->comm->n_local, spawn->comm->members, parents->base);
        else if (is_same(meeting, spawn))
            set_group(parents, meeting, children->n_ranks, NULL, children->base);
    }
}

// ---- The worlds of a set

bool world_is_damaged(const struct world *world)
{
    return world->n_ranks / 4096 > world->n;
}

static void group_files(struct worlds *worlds, const struct spool_set *set)
{
    for (size_t begin = 0; begin < set->n;) {
        const struct spool_header *header = set->spools[begin].header;
        struct world world = {
            .spools = &set->spools[begin], .n_ranks = header->n_ranks, .root = worlds->n};
        while (begin + world.n < set->n &&
               set->spools[begin + world.n].header->run_id == header->run_id &&
               set->spools[begin + world.n].header->n_ranks == header->n_ranks)
            world.n++;
        world.n_archive_ranks = world.n_ranks;
        APPEND(worlds->items, worlds->n, world);
        begin += world.n;
    }
}

static void adopt(struct worlds *worlds, const struct meetings *meetings, uint32_t child,
                  struct meeting *spawn)
{
    struct world *world = &worlds->items[child];
    uint32_t root = worlds->items[spawn->world].root;
    if (spawn->world >= child || !shares_clocks(&worlds->items[root], world)) {
        world->has_unknown_parents = true;
        return;
    }
    spawn->is_taken = true;
    world->root = root;
    world->base = worlds->items[root].n_archive_ranks;
    worlds->items[root].n_archive_ranks += world->n_ranks;
    set_groups(worlds, meetings, child, spawn);
}

void worlds_find(struct worlds *worlds, const struct spool_set *set)
{
    struct meetings meetings = {NULL, 0};
    *worlds = (struct worlds){NULL, 0};
    group_files(worlds, set);
    if (worlds->n <= 1)
        return;
    for (uint32_t i = 0; i < worlds->n; i++) {
        struct world *world = &worlds->items[i];
        if (world_is_damaged(world))
            continue;
        world->groups =
            alloc_or_die((size_t)world->n_ranks * RECORD_FOREIGN_SLOTS * sizeof *world->groups);
        collect(&meetings, worlds, i);
    }
    find_extents(&meetings);
    for (uint32_t i = 0; i < worlds->n; i++) {
        const struct meeting *children = meeting_of_children(&meetings, i);
        if (!children)
            continue;
        struct meeting *spawn = find_spawn(worlds, &meetings, children);
        if (spawn)
            adopt(worlds, &meetings, i, spawn);
        else
            worlds->items[i].has_unknown_parents = true;
    }
    free(meetings.items);
}

void worlds_release(struct worlds *worlds)
{
    for (uint32_t i = 0; i < worlds->n; i++) {
        struct world *world = &worlds->items[i];
        for (size_t k = 0; world->groups && k < world->n_ranks * (size_t)RECORD_FOREIGN_SLOTS; k++)
            free(world->groups[k].ranks);
        free(world->groups);
    }
    free(worlds->items);
}

const struct foreign_group *worlds_group(const struct world *world, uint32_t rank, uint32_t slot)
{
    if (!world->groups || rank >= world->n_ranks || slot >= RECORD_FOREIGN_SLOTS)
        return NULL;
    const struct foreign_group *group = &world->groups[rank * (size_t)RECORD_FOREIGN_SLOTS + slot];
    return group->n > 0 ? group : NULL;
}

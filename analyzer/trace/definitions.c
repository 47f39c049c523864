// SPDX-License-Identifier: BSD-3-Clause
// Membership questions about communicators (see definitions.h).
#include "analyzer/trace/definitions.h"

#include "analyzer/base/map.h"

// Place of WORLD_RANK in one group, EVENT_NO_INDEX when it is no member.
static uint32_t place_in_group(const uint32_t *members, uint32_t n_members,
                               const struct map *places, uint32_t world_rank)
{
    uint32_t place = EVENT_NO_INDEX;
    if (places)
        map_get(places, world_rank, &place);
    else if (n_members && world_rank >= members[0] && world_rank - members[0] < n_members)
        place = world_rank - members[0];
    return place;
}

uint32_t communicator_rank_of(const struct communicator *comm, uint32_t world_rank)
{
    if (comm->n_members == 0)
        return 0;
    uint32_t rank =
        place_in_group(comm->members, comm->n_members, comm->rank_by_member, world_rank);
    if (rank == EVENT_NO_INDEX && comm->is_intercommunicator)
        rank = place_in_group(comm->remote_members, comm->n_remote_members,
                              comm->rank_by_remote_member, world_rank);
    return rank;
}

bool communicator_in_first_group(const struct communicator *comm, uint32_t world_rank)
{
    return comm->n_members == 0 ||
           place_in_group(comm->members, comm->n_members, comm->rank_by_member, world_rank) !=
               EVENT_NO_INDEX;
}

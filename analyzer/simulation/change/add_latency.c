// SPDX-License-Identifier: BSD-3-Clause
// Conditions that are met later (see add_latency.h).
#include "analyzer/simulation/change/add_latency.h"

#include "analyzer/base/memory.h"

__extension__ typedef unsigned __int128 wide;

static const uint64_t most_ns = UINT64_MAX / 1024; // of a message: times stay far from overflow
enum { FS_PER_NS = 1000000 };

static bool is_on_nodes(const struct communicator *communicator, const uint32_t *node_of_rank)
{
    uint32_t node = EVENT_NO_INDEX;
    for (uint32_t i = 0; i < communicator->n_members + communicator->n_remote_members; i++) {
        uint32_t rank = i < communicator->n_members
                            ? communicator->members[i]
                            : communicator->remote_members[i - communicator->n_members];
        if (rank == EVENT_NO_INDEX)
            continue;
        if (node != EVENT_NO_INDEX && node_of_rank[rank] != node)
            return true;
        node = node_of_rank[rank];
    }
    return false;
}

void added_latency_init(struct added_latency *delay, const struct definitions *definitions,
                        const struct placement *placement, uint64_t latency_ns, uint64_t byte_fs)
{
    *delay = (struct added_latency){
        .latency_ns = latency_ns,
        .byte_fs = byte_fs,
        .node_of_rank = placement->node_of_rank,
        .spans_nodes = memory_zeroed(definitions->n_communicators, sizeof(bool)),
        .is_everywhere = true,
    };
    uint32_t n_sites = placement_n_sites(placement), n_ranks = placement->n_ranks;
    for (uint32_t site = 1; site < n_sites; site++)
        if (placement->node_of_rank[site] != placement->node_of_rank[0])
            delay->is_everywhere = false;
    for (size_t i = 0; i < definitions->n_communicators; i++)
        for (uint32_t first = 0; first < n_sites && !delay->spans_nodes[i]; first += n_ranks)
            delay->spans_nodes[i] =
                definitions->communicators[i].is_mpi &&
                is_on_nodes(&definitions->communicators[i], placement->node_of_rank + first);
}

void added_latency_release(struct added_latency *delay)
{
    FREE_ALL(delay->spans_nodes, delay->conditions);
    *delay = (struct added_latency){0};
}

/// Depth of a binary tree of N.
static uint32_t levels(uint32_t n)
{
    return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

uint64_t added_latency_between_nodes(const struct added_latency *delay, uint64_t size_bytes)
{
    if (!delay)
        return 0;
    wide added_ns = delay->latency_ns + (wide)size_bytes * delay->byte_fs / FS_PER_NS;
    return added_ns < most_ns ? (uint64_t)added_ns : most_ns;
}

uint64_t added_latency_of_message(const struct added_latency *delay, uint32_t sender,
                                  uint32_t receiver, uint64_t size_bytes)
{
    bool is_far = delay && (delay->is_everywhere ||
                            delay->node_of_rank[sender] != delay->node_of_rank[receiver]);
    return is_far ? added_latency_between_nodes(delay, size_bytes) : 0;
}

/// The smaller of what a member sends and receives, the other one where one is 0.
static uint64_t moved_bytes(const struct pag_volume *volume)
{
    uint64_t sent = volume->sent_bytes, received = volume->received_bytes;
    if (sent == 0 || received == 0)
        return sent + received;
    return sent < received ? sent : received;
}

static uint64_t delay_of(const struct added_latency *delay, const struct call_condition *condition)
{
    if (condition->kind != CONDITION_COLLECTIVE)
        return added_latency_of_message(delay, condition->sender_site, condition->receiver_site,
                                        condition->size_bytes);
    if (condition->class_ == COLLECTIVE_HANDLE || condition->is_finalize ||
        condition->is_carried_out || condition->communicator == EVENT_NO_INDEX)
        return 0;
    if (!delay->is_everywhere && !delay->spans_nodes[condition->communicator])
        return 0;
    return levels(condition->n_members) *
           added_latency_between_nodes(delay, moved_bytes(&condition->volume));
}

const struct call_condition *added_latency_apply(struct added_latency *delay,
                                                 const struct call_condition *conditions,
                                                 uint32_t n_conditions)
{
    delay->conditions =
        array_reserve(delay->conditions, &delay->capacity, n_conditions, sizeof *delay->conditions);
    for (uint32_t i = 0; i < n_conditions; i++) {
        struct call_condition *condition = &delay->conditions[i];
        *condition = conditions[i];
        uint64_t added_ns = delay_of(delay, condition);
        condition->time_ns += added_ns;
        condition->departed_ns += added_ns;
        condition->posted_ns += added_ns;
        if (condition->arrived_ns != PAG_NOT_KNOWN)
            condition->arrived_ns += added_ns;
    }
    return delay->conditions;
}

// SPDX-License-Identifier: BSD-3-Clause
// Each rank's last long call waits for the CPU sample behind it (see kept_calls.h).
#include "analyzer/simulation/cores/kept_calls.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { LONG_CALL_NS = 100000, SHORTEST_SLICE_NS = 100000 };

/// What is to be counted of a call if it kept its core.
struct kept_call {
    bool is_known, has_received, is_remote;
    uint32_t region;
    uint64_t leave_ns, own_ns, size_bytes, receive_ns;
};

struct kept_rank {
    struct kept_call open, left; // the one that is about to be left; a long one without sample yet
    bool has_cpu;
    uint64_t cpu_at_ns, cpu_ns; // last sample
};

struct kept_calls {
    size_t n_ranks, n_regions;
    struct kept_rank *ranks;
    struct cost_table receives[2];
    struct cost_table **regions; // times of size 0; NULL: none
    struct rank_notes *lost;
};

struct kept_calls *kept_calls_new(size_t n_ranks, size_t n_regions)
{
    struct kept_calls *calls = memory_zeroed(1, sizeof *calls);
    calls->n_ranks = n_ranks;
    calls->n_regions = n_regions;
    calls->ranks = memory_zeroed(n_ranks, sizeof *calls->ranks);
    calls->regions = memory_zeroed(n_regions, sizeof(struct cost_table *));
    calls->lost = rank_notes_new(n_ranks);
    return calls;
}

void kept_calls_free(struct kept_calls *calls)
{
    if (!calls)
        return;
    for (size_t i = 0; i < calls->n_regions; i++)
        if (calls->regions[i]) {
            cost_table_release(calls->regions[i]);
            free(calls->regions[i]);
        }
    cost_table_release(&calls->receives[0]);
    cost_table_release(&calls->receives[1]);
    rank_notes_free(calls->lost);
    free(calls->regions);
    free(calls->ranks);
    free(calls);
}

/// CALL kept its core, or nobody knows.
static void count(struct kept_calls *calls, struct kept_call *call)
{
    if (!call->is_known)
        return;
    call->is_known = false;
    if (call->has_received)
        cost_table_count(&calls->receives[call->is_remote], call->size_bytes, call->receive_ns);
    if (call->region >= calls->n_regions)
        return;
    struct cost_table **table = &calls->regions[call->region];
    if (!*table)
        *table = memory_zeroed(1, sizeof **table);
    cost_table_count(*table, 0, call->own_ns);
}

void kept_calls_received_alone(struct kept_calls *calls, bool is_remote, uint64_t size_bytes,
                               uint64_t time_ns)
{
    cost_table_count(&calls->receives[is_remote], size_bytes, time_ns);
}

void kept_calls_received(struct kept_calls *calls, uint32_t rank, bool is_remote,
                         uint64_t size_bytes, uint64_t own_ns)
{
    struct kept_call *open = &calls->ranks[rank].open;
    open->has_received = true;
    open->is_remote = is_remote;
    open->size_bytes = size_bytes;
    open->receive_ns = own_ns;
}

void kept_calls_left(struct kept_calls *calls, uint32_t rank, uint32_t region, uint64_t enter_ns,
                     uint64_t leave_ns, uint64_t own_ns)
{
    struct kept_rank *state = &calls->ranks[rank];
    struct kept_call call = state->open;
    state->open = (struct kept_call){0};
    call.is_known = true;
    call.region = region;
    call.leave_ns = leave_ns;
    call.own_ns = own_ns;
    if (leave_ns - enter_ns < LONG_CALL_NS) {
        count(calls, &call);
        return;
    }
    count(calls, &state->left);
    state->left = call;
}

void kept_calls_cpu_time(struct kept_calls *calls, uint32_t rank, uint64_t time_ns, uint64_t cpu_ns)
{
    struct kept_rank *state = &calls->ranks[rank];
    struct kept_call *left = &state->left;
    if (left->is_known && state->has_cpu && cpu_ns >= state->cpu_ns &&
        cpu_ns - state->cpu_ns + SHORTEST_SLICE_NS <= time_ns - state->cpu_at_ns) {
        rank_notes_add(calls->lost, rank, left->leave_ns, 1);
        left->is_known = false;
    }
    count(calls, left);
    state->has_cpu = true;
    state->cpu_at_ns = time_ns;
    state->cpu_ns = cpu_ns;
}

void kept_calls_conclude(struct kept_calls *calls)
{
    for (size_t rank = 0; rank < calls->n_ranks; rank++)
        count(calls, &calls->ranks[rank].left);
    for (size_t i = 0; i < calls->n_regions; i++)
        if (calls->regions[i])
            cost_table_conclude(calls->regions[i]);
    cost_table_conclude(&calls->receives[0]);
    cost_table_conclude(&calls->receives[1]);
}

const struct cost_table *kept_calls_receives(const struct kept_calls *calls, bool is_remote)
{
    return &calls->receives[is_remote];
}

uint64_t kept_calls_usual_ns(const struct kept_calls *calls, uint32_t region)
{
    uint64_t usual_ns;
    bool is_known = region < calls->n_regions && calls->regions[region] &&
                    cost_table_find(calls->regions[region], 0, &usual_ns);
    return is_known ? usual_ns : UINT64_MAX;
}

struct rank_notes_reader *kept_calls_lost(const struct kept_calls *calls, uint32_t rank)
{
    return rank_notes_read(calls->lost, rank);
}

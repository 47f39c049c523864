// SPDX-License-Identifier: BSD-3-Clause
// A ring of changes for each set of cores, each with the time taken up to it (see core_wait.h).
#include "analyzer/whatif/cores/core_wait.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

enum { N_CHANGES = 1024 };

/// From TIME_NS on all cores are taken, or no longer; TAKEN_NS of the time before they were.
struct change {
    uint64_t time_ns, taken_ns;
    bool is_taken;
};

struct shared_cores {
    uint32_t n_cores, n_computing;
    uint64_t n_changes;     // the last N_CHANGES of them are kept
    struct change *changes; // NULL: the ranks are no more than the cores, or nobody knows
};

struct core_wait {
    const struct definitions *definitions;
    struct shared_cores *sets;
    bool *computes; // by rank
};

struct core_wait *core_wait_new(const struct definitions *definitions)
{
    struct core_wait *wait = memory_new(sizeof *wait);
    *wait = (struct core_wait){
        .definitions = definitions,
        .sets = memory_zeroed(definitions->n_core_sets, sizeof *wait->sets),
        .computes = memory_zeroed(definitions->n_ranks, sizeof *wait->computes),
    };
    for (size_t i = 0; i < definitions->n_core_sets; i++) {
        const struct core_set *set = &definitions->core_sets[i];
        struct shared_cores *cores = &wait->sets[i];
        cores->n_cores = set->n_cores;
        if (set->n_cores > 0 && set->n_ranks > set->n_cores) {
            cores->changes = memory_zeroed(N_CHANGES, sizeof *cores->changes);
            cores->n_changes = 1; // from time 0 on they are free
        }
    }
    return wait;
}

void core_wait_free(struct core_wait *wait)
{
    if (!wait)
        return;
    for (size_t i = 0; i < wait->definitions->n_core_sets; i++)
        free(wait->sets[i].changes);
    free(wait->sets);
    free(wait->computes);
    free(wait);
}

static struct shared_cores *cores_of(const struct core_wait *wait, uint32_t rank)
{
    return &wait->sets[wait->definitions->ranks[rank].core_set];
}

bool core_wait_is_shared(const struct core_wait *wait, uint32_t rank)
{
    return cores_of(wait, rank)->changes != NULL;
}

static uint64_t taken_at(const struct change *change, uint64_t time_ns)
{
    return change->taken_ns + (change->is_taken ? time_ns - change->time_ns : 0);
}

void core_wait_tell(struct core_wait *wait, uint32_t rank, uint64_t time_ns, bool computes)
{
    struct shared_cores *cores = cores_of(wait, rank);
    if (!cores->changes || wait->computes[rank] == computes)
        return;
    wait->computes[rank] = computes;
    if (computes)
        cores->n_computing++;
    else
        cores->n_computing--;
    const struct change *last = &cores->changes[(cores->n_changes - 1) % N_CHANGES];
    bool is_taken = cores->n_computing >= cores->n_cores;
    if (is_taken == last->is_taken)
        return;
    if (time_ns < last->time_ns)
        time_ns = last->time_ns;
    struct change change = {time_ns, taken_at(last, time_ns), is_taken};
    cores->changes[cores->n_changes++ % N_CHANGES] = change;
}

/// Time taken up to TIME_NS; false: too long ago.
static bool taken_until(const struct shared_cores *cores, uint64_t time_ns, uint64_t *taken_ns)
{
    uint64_t n_kept = cores->n_changes < N_CHANGES ? cores->n_changes : N_CHANGES;
    for (uint64_t i = 1; i <= n_kept; i++) {
        const struct change *change = &cores->changes[(cores->n_changes - i) % N_CHANGES];
        if (change->time_ns > time_ns)
            continue;
        *taken_ns = taken_at(change, time_ns);
        return true;
    }
    return false;
}

bool core_wait_between(const struct core_wait *wait, uint32_t rank, uint64_t from_ns,
                       uint64_t to_ns, uint64_t *taken_ns)
{
    const struct shared_cores *cores = cores_of(wait, rank);
    uint64_t before_ns = 0, after_ns = 0;
    *taken_ns = 0;
    if (!cores->changes || to_ns <= from_ns)
        return true;
    if (!taken_until(cores, to_ns, &after_ns) || !taken_until(cores, from_ns, &before_ns))
        return false;
    *taken_ns = after_ns - before_ns;
    return true;
}

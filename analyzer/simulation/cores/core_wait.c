// SPDX-License-Identifier: BSD-3-Clause
// A ring of changes for each set of cores (see recorded.h).
#include "analyzer/simulation/cost/recorded.h"

#include "analyzer/base/memory.h"

enum { N_CHANGES = 1024, N_TURNS = 1024 };

/// From TIME_NS on all cores are taken, or no longer.
struct change {
    uint64_t time_ns;
    bool is_taken;
};

/// RANK begins to compute, or stops.
struct turn {
    uint64_t time_ns;
    uint32_t rank;
    bool computes;
};

struct shared_cores {
    uint32_t n_cores, n_computing;
    uint64_t n_changes;         // each opposite to the one before, and later
    uint32_t n_kept;            // of these, the last ones
    uint64_t now_ns;            // the time of the last call of core_wait_tell()
    uint64_t oversubscribed_ns; // up to then, with more computing than cores
    struct change *changes;     // NULL: no more ranks than cores, or not known
    struct turn *turns;         // the last ones
    uint64_t n_turns;
};

struct core_wait {
    const struct definitions *definitions;
    struct shared_cores *sets;
    uint64_t *entered_ns;        // by rank: it stopped computing; UINT64_MAX: it computes
    uint64_t *oversubscribed_ns; // by rank: its cores' when it began to compute
    // By rank: when it last began or stopped to compute, and the time before that; and whether it
    // computed between the two.
    uint64_t *changed_ns, *changed_before_ns;
    bool *computed;
    uint64_t *seen; // by rank: the last search (core_wait_computing_rank) that came across it
    uint64_t n_searches;
};

struct core_wait *core_wait_new(const struct definitions *definitions)
{
    struct core_wait *wait = memory_new(sizeof *wait);
    *wait = (struct core_wait){
        .definitions = definitions,
        .sets = memory_zeroed(definitions->n_core_sets, sizeof *wait->sets),
        .entered_ns = memory_zeroed(definitions->n_ranks, sizeof *wait->entered_ns),
        .oversubscribed_ns = memory_zeroed(definitions->n_ranks, sizeof *wait->oversubscribed_ns),
        .changed_ns = memory_zeroed(definitions->n_ranks, sizeof *wait->changed_ns),
        .changed_before_ns = memory_zeroed(definitions->n_ranks, sizeof *wait->changed_before_ns),
        .computed = memory_zeroed(definitions->n_ranks, sizeof *wait->computed),
        .seen = memory_zeroed(definitions->n_ranks, sizeof *wait->seen),
    };
    for (size_t i = 0; i < definitions->n_core_sets; i++) {
        const struct core_set *set = &definitions->core_sets[i];
        struct shared_cores *cores = &wait->sets[i];
        cores->n_cores = set->n_cores;
        if (core_set_is_oversubscribed(set)) {
            cores->changes = memory_zeroed(N_CHANGES, sizeof *cores->changes);
            cores->turns = memory_zeroed(N_TURNS, sizeof *cores->turns);
            cores->n_changes = cores->n_kept = 1; // from time 0 on they are free
        }
    }
    return wait;
}

void core_wait_free(struct core_wait *wait)
{
    if (!wait)
        return;
    FREE_MEMBERS(wait->sets, wait->definitions->n_core_sets, changes, turns);
    FREE_ALL(wait->sets, wait->entered_ns, wait->oversubscribed_ns, wait->changed_ns,
             wait->changed_before_ns, wait->computed, wait->seen, wait);
}

static struct shared_cores *cores_of(const struct core_wait *wait, uint32_t rank)
{
    return &wait->sets[wait->definitions->ranks[rank].core_set];
}

bool core_wait_is_shared(const struct core_wait *wait, uint32_t rank)
{
    return cores_of(wait, rank)->changes != NULL;
}

static struct change *change_at(const struct shared_cores *cores, uint64_t number)
{
    return &cores->changes[number % N_CHANGES];
}

static void note_change(struct shared_cores *cores, uint64_t time_ns, bool is_taken)
{
    const struct change *last = change_at(cores, cores->n_changes - 1);
    if (is_taken == last->is_taken)
        return;
    if (time_ns < last->time_ns)
        time_ns = last->time_ns;
    if (time_ns == last->time_ns && cores->n_kept > 1) { // what was in between had no length
        cores->n_changes--;
        cores->n_kept--;
        return;
    }
    *change_at(cores, cores->n_changes++) = (struct change){time_ns, is_taken};
    if (cores->n_kept < N_CHANGES)
        cores->n_kept++;
}

static uint64_t oversubscribed_until(const struct shared_cores *cores, uint64_t time_ns)
{
    bool is_oversubscribed = cores->n_computing > cores->n_cores && time_ns > cores->now_ns;
    return cores->oversubscribed_ns + (is_oversubscribed ? time_ns - cores->now_ns : 0);
}

void core_wait_tell(struct core_wait *wait, uint32_t rank, uint64_t time_ns, bool computes)
{
    struct shared_cores *cores = cores_of(wait, rank);
    bool was_computing = wait->entered_ns[rank] == UINT64_MAX;
    if (!cores->changes || was_computing == computes)
        return;
    wait->entered_ns[rank] = computes ? UINT64_MAX : time_ns;
    if (time_ns != wait->changed_ns[rank]) {
        wait->changed_before_ns[rank] = wait->changed_ns[rank];
        wait->computed[rank] = was_computing;
    }
    wait->changed_ns[rank] = time_ns;
    cores->oversubscribed_ns = wait->oversubscribed_ns[rank] = oversubscribed_until(cores, time_ns);
    if (time_ns > cores->now_ns)
        cores->now_ns = time_ns;
    if (computes)
        cores->n_computing++;
    else
        cores->n_computing--;
    cores->turns[cores->n_turns++ % N_TURNS] = (struct turn){time_ns, rank, computes};
    note_change(cores, time_ns, cores->n_computing >= cores->n_cores);
}

uint64_t core_wait_entered_ns(const struct core_wait *wait, uint32_t rank)
{
    return wait->entered_ns[rank];
}

bool core_wait_was_inside(const struct core_wait *wait, uint32_t rank, uint64_t time_ns)
{
    if (wait->changed_ns[rank] >= time_ns)
        return !wait->computed[rank];
    return wait->entered_ns[rank] != UINT64_MAX;
}

uint64_t core_wait_outside_since_ns(const struct core_wait *wait, uint32_t rank, uint64_t time_ns)
{
    uint64_t changed_ns = wait->changed_ns[rank];
    return changed_ns < time_ns ? changed_ns : wait->changed_before_ns[rank];
}

bool core_wait_was_taken(const struct core_wait *wait, uint32_t rank, uint64_t time_ns)
{
    const struct shared_cores *cores = cores_of(wait, rank);
    for (uint32_t i = 1; i <= cores->n_kept; i++) {
        const struct change *change = change_at(cores, cores->n_changes - i);
        if (change->time_ns <= time_ns)
            return change->time_ns < time_ns && change->is_taken;
    }
    return false;
}

bool core_wait_computing_rank(struct core_wait *wait, uint32_t rank, uint64_t time_ns,
                              uint32_t *other)
{
    const struct shared_cores *cores = cores_of(wait, rank);
    uint64_t n_kept = cores->n_turns < N_TURNS ? cores->n_turns : N_TURNS, began_ns = 0;
    bool is_found = false;
    wait->n_searches++;
    for (uint64_t i = 1; i <= n_kept; i++) {
        const struct turn *turn = &cores->turns[(cores->n_turns - i) % N_TURNS];
        if (is_found && turn->time_ns < began_ns)
            break;
        if (turn->time_ns >= time_ns || turn->rank == rank ||
            wait->seen[turn->rank] == wait->n_searches)
            continue;
        wait->seen[turn->rank] = wait->n_searches;
        if (!turn->computes || (is_found && turn->rank < *other))
            continue;
        is_found = true;
        began_ns = turn->time_ns;
        *other = turn->rank;
    }
    return is_found;
}

uint64_t core_wait_oversubscribed_ns(const struct core_wait *wait, uint32_t rank, uint64_t time_ns)
{
    return oversubscribed_until(cores_of(wait, rank), time_ns) - wait->oversubscribed_ns[rank];
}

uint64_t core_wait_own_ns(const struct core_wait *wait, uint32_t rank, uint64_t from_ns,
                          uint64_t to_ns)
{
    const struct shared_cores *cores = cores_of(wait, rank);
    if (to_ns <= from_ns)
        return 0;
    for (uint32_t i = 1; i <= cores->n_kept; i++) {
        const struct change *change = change_at(cores, cores->n_changes - i);
        if (change->time_ns >= to_ns)
            continue;
        if (change->is_taken)
            return 0;
        return to_ns - (change->time_ns > from_ns ? change->time_ns : from_ns);
    }
    return to_ns - from_ns;
}

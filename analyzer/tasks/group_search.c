// SPDX-License-Identifier: BSD-3-Clause
// Searches for sizes of groups (see task_model.h).
//
// The largest of several times falls only if the slowest task becomes faster. So each task begins
// with its least size, and the slowest one gets the next size with which it is faster, until there
// is none or processes run out. No task ever has more processes than any solution that is as fast
// must give it; hence the end is the optimum, whatever the functions are.
#include "analyzer/tasks/task_model.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { MAX_ALLOCATIONS = 200000 };

static double time_of(const struct group_search *search, size_t task, size_t size)
{
    return search->time(search->context, task, size);
}

/// The task that takes longest; the first of several.
static size_t slowest(const struct group_search *search, const size_t *sizes, double *time)
{
    size_t found = 0;
    *time = -INFINITY;
    for (size_t i = 0; i < search->n; i++) {
        double t = time_of(search, i, sizes[i]);
        if (t > *time) {
            *time = t;
            found = i;
        }
    }
    return found;
}

/// Sizes of at least LEAST processes; task FIXED (none: search->n) has exactly that many.
static double search_from(const struct group_search *search, size_t least, size_t fixed,
                          size_t *sizes)
{
    size_t left = search->n_processes;
    for (size_t i = 0; i < search->n; i++) {
        sizes[i] = search->least[i] > least ? search->least[i] : least;
        if (sizes[i] > left || sizes[i] > search->most[i] || (i == fixed && sizes[i] > least))
            return INFINITY;
        left -= sizes[i];
    }
    for (;;) {
        double time;
        size_t task = slowest(search, sizes, &time), size = sizes[task] + 1;
        size_t most =
            left < search->most[task] - sizes[task] ? sizes[task] + left : search->most[task];
        while (task != fixed && size <= most && time_of(search, task, size) >= time)
            size++;
        if (task == fixed || size > most)
            return time;
        left -= size - sizes[task];
        sizes[task] = size;
    }
}

double group_search(const struct group_search *search, size_t *sizes)
{
    if (!search->exchange)
        return search_from(search, 1, search->n, sizes);
    double best = INFINITY;
    SCOPED size_t *tried = memory_zeroed(search->n, sizeof *tried);
    for (size_t least = 1; least <= search->n_processes / search->n; least++) {
        double after = search->exchange(search->context, least);
        for (size_t fixed = 0; fixed < search->n; fixed++) {
            if (least < search->least[fixed] || least > search->most[fixed] ||
                !(time_of(search, fixed, least) + after < best))
                continue;
            double time = search_from(search, least, fixed, tried) + after;
            if (time < best) {
                best = time;
                memcpy(sizes, tried, search->n * sizeof *sizes);
            }
        }
    }
    return best;
}

// --- phases

/// All ways to give N tasks processes; N_PROCESSES over N of them, unless that is too many.
struct allocations {
    size_t *sizes, n, capacity;
};

static double count_of(const struct phase_search *search)
{
    double count = 1; // ways to choose n of n_processes
    for (size_t i = 0; i < search->n; i++)
        count *= (double)(search->n_processes - i) / (double)(i + 1);
    return search->n > search->n_processes ? 0 : count;
}

/// Appends those that begin with the first AT of SIZES, with LEFT processes for the others.
static void enumerate(const struct phase_search *search, size_t *sizes, size_t at, size_t left,
                      struct allocations *all)
{
    if (at == search->n) {
        all->sizes =
            array_reserve(all->sizes, &all->capacity, (all->n + 1) * search->n, sizeof *all->sizes);
        memcpy(all->sizes + all->n++ * search->n, sizes, search->n * sizeof *sizes);
        return;
    }
    for (size_t size = search->least[at]; size <= left && size <= search->most[at]; size++) {
        sizes[at] = size;
        enumerate(search, sizes, at + 1, left - size, all);
    }
}

static struct allocations all_allocations(const struct phase_search *search, bool *are_all)
{
    struct allocations all = {0};
    *are_all = count_of(search) <= MAX_ALLOCATIONS;
    if (*are_all) {
        SCOPED size_t *sizes = memory_zeroed(search->n, sizeof *sizes);
        enumerate(search, sizes, 0, search->n_processes, &all);
    } else {
        all.n = search->n_phases;
        all.sizes = memory_zeroed(all.n * search->n, sizeof *all.sizes);
        memcpy(all.sizes, search->optimal, all.n * search->n * sizeof *all.sizes);
    }
    return all;
}

static size_t least_of(const double *values, size_t n)
{
    size_t least = 0;
    for (size_t i = 1; i < n; i++)
        if (values[i] < values[least])
            least = i;
    return least;
}

/// By dynamic programming over the allocations: `until` is the least time up to the present phase
/// that ends with each, `before` the allocation of the phase before it.
struct phase_sizes phase_search(const struct phase_search *search, size_t *sizes)
{
    struct phase_sizes found;
    struct allocations all = all_allocations(search, &found.is_optimal);
    if (all.n == 0)
        return (struct phase_sizes){INFINITY, INFINITY, true};
    SCOPED double *until = memory_zeroed(all.n, sizeof *until),
                  *kept = memory_zeroed(all.n, sizeof *kept);
    SCOPED uint32_t *before = memory_zeroed(all.n * search->n_phases, sizeof *before);
    for (size_t phase = 0; phase < search->n_phases; phase++) {
        size_t least = least_of(until, all.n);
        double changed = until[least] + search->change_s;
        for (size_t i = 0; i < all.n; i++) {
            bool changes = phase > 0 && changed < until[i];
            double time = search->time(search->context, phase, all.sizes + i * search->n);
            before[phase * all.n + i] = (uint32_t)(changes ? least : i);
            until[i] = (changes ? changed : until[i]) + time;
            kept[i] += time;
        }
    }
    size_t at = least_of(until, all.n);
    found.time_s = until[at];
    found.kept_s = kept[least_of(kept, all.n)];
    for (size_t phase = search->n_phases; phase-- > 0;) {
        memcpy(sizes + phase * search->n, all.sizes + at * search->n, search->n * sizeof *sizes);
        at = before[phase * all.n + at];
    }
    free(all.sizes);
    return found;
}

// SPDX-License-Identifier: BSD-3-Clause
// From the times of threads to losses by kind, rank and place, and to the efficiencies of POP's
// hybrid model in its multiplicative form (result.h, struct result_threads).
#include "analyzer/result/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/result/cores.h"

/// The merged region that losses at CALL_PATH are reported for: the parallel region around it, or
/// that of the path itself.
static uint32_t place_of(const struct call_tree *tree, const struct result *result,
                         uint32_t location, uint32_t call_path)
{
    const struct call_path *paths = tree->replay->locations[location].paths;
    uint32_t at = call_path;
    while (at > 0 && (paths[at].region == EVENT_NO_INDEX ||
                      tree->definitions->regions[paths[at].region].construct != CONSTRUCT_PARALLEL))
        at = paths[at].parent;
    uint32_t path = call_tree_place(tree, location, at > 0 ? at : call_path).path;
    return path == RESULT_NONE ? RESULT_NONE : result->paths[path].region;
}

/// Where a master spends most of the time of its whole run outside parallel regions, in MPI or not.
/// Time without CPU time counts where it was lost. Without such regions it is not known when it
/// computes alone.
static void find_alone(const struct call_tree *tree, const struct result *result, uint32_t location,
                       uint32_t regions[2])
{
    const struct definitions *definitions = tree->definitions;
    const struct pag_location *master = &tree->replay->locations[location];
    SCOPED uint64_t *sums = memory_zeroed(result->n_regions, sizeof *sums);
    SCOPED bool *is_inside = memory_zeroed(master->n_paths, sizeof *is_inside);
    uint64_t most_ns[2] = {0, 0};
    bool has_parallel = false;
    regions[0] = regions[1] = RESULT_NONE;
    for (uint32_t i = 0; i < master->n_paths; i++) {
        const struct call_path *path = &master->paths[i];
        bool is_lost = path->region == definitions->no_cpu_region ||
                       path->region == definitions->blocked_region;
        uint32_t at = is_lost ? path->parent : i, region = master->paths[at].region;
        uint32_t merged = call_tree_place(tree, location, at).path;
        bool has_region = region != EVENT_NO_INDEX; // not outside of all that was recorded
        enum mpi_function mpi = has_region ? definitions->regions[region].mpi : MPI_FUNCTION_NONE;
        bool is_parallel =
            has_region && definitions->regions[region].construct == CONSTRUCT_PARALLEL;
        has_parallel = has_parallel || is_parallel;
        is_inside[i] = (i > 0 && is_inside[path->parent]) || is_parallel;
        if (path->is_stretch || merged == RESULT_NONE || is_inside[i] || mpi == MPI_FUNCTION_INIT ||
            mpi == MPI_FUNCTION_FINALIZE)
            continue;
        unsigned is_mpi = mpi != MPI_FUNCTION_NONE;
        uint32_t to = result->paths[merged].region;
        sums[to] += path->exclusive_ns;
        if (sums[to] > most_ns[is_mpi]) {
            most_ns[is_mpi] = sums[to];
            regions[is_mpi] = to;
        }
    }
    if (!has_parallel)
        regions[0] = RESULT_NONE;
}

// --- losses

/// A loss of one thread.
struct thread_loss {
    struct result_thread_loss loss; // lost_ns: before it is divided
    uint32_t location;
    uint64_t caused_ns; // what others waited there for this thread
};

struct losses {
    struct thread_loss *items;
    size_t n, capacity;
};

/// Which of N_ITEMS, of one kind, place and rank and sorted by thread, others waited for most;
/// NULL: none. The caller frees.
static char *latest_of(const struct definitions *definitions, const struct thread_loss *items,
                       size_t n_items)
{
    uint64_t most_ns = 0, ns = 0;
    uint32_t latest = RESULT_NONE;
    for (size_t i = 0; i < n_items; i++) {
        bool is_same = i > 0 && items[i - 1].location == items[i].location;
        ns = is_same ? ns + items[i].caused_ns : items[i].caused_ns;
        if (ns <= most_ns)
            continue;
        most_ns = ns;
        latest = items[i].location;
    }
    return latest == RESULT_NONE ? NULL : utf8_clean(definitions->locations[latest].name);
}

/// Adds up what differs in the thread only; most time first.
static void put_losses(const struct definitions *definitions, struct losses *losses,
                       struct result_threads *threads)
{
    if (losses->n == 0)
        return;
    SORT_BY(losses->items, losses->n, LEAST(loss.kind), LEAST(loss.region), LEAST(loss.rank),
            LEAST(location));
    threads->losses = memory_new(losses->n * sizeof *threads->losses);
    for (size_t i = 0, end; i < losses->n; i = end) {
        struct result_thread_loss sum = losses->items[i].loss;
        for (end = i + 1; end < losses->n; end++) {
            const struct result_thread_loss *loss = &losses->items[end].loss;
            if (loss->kind != sum.kind || loss->region != sum.region || loss->rank != sum.rank)
                break;
            sum.count += loss->count;
            sum.ns += loss->ns;
            sum.lost_ns += loss->lost_ns;
        }
        sum.latest = latest_of(definitions, &losses->items[i], end - i);
        threads->losses[threads->n_losses++] = sum;
    }
    SORT_BY(threads->losses, threads->n_losses, MOST(ns), LEAST(kind), LEAST(region), LEAST(rank));
}

/// What of the time that threads of RANK are idle is lost: with work for all of them a rank that
/// has fewer cores than N_THREADS would not be faster than with as many threads as cores.
static double lost_part_of_idle(const struct result_rank *rank, uint64_t n_threads)
{
    double n = (double)n_threads, n_cores = rank->n_cores;
    if (n_cores == 0 || n_cores >= n)
        return 1;
    return n_cores <= 1 ? 0 : (1 - 1 / n_cores) / (1 - 1 / n);
}

static bool is_idle(uint32_t kind)
{
    return kind == PAG_THREAD_IDLE_SERIAL || kind == PAG_THREAD_IDLE_LIMITED;
}

/// From the time of threads to that of their ranks.
static void divide_losses(struct result *result)
{
    struct result_threads *threads = &result->threads;
    SCOPED double *sums_ns = memory_zeroed(result->n_ranks, sizeof *sums_ns);
    for (size_t i = 0; i < threads->n_losses; i++) {
        struct result_thread_loss *loss = &threads->losses[i];
        uint64_t n_threads = threads->ranks[loss->rank].n_threads;
        loss->lost_ns /= n_threads;
        if (is_idle(loss->kind))
            loss->lost_ns = (uint64_t)((double)loss->lost_ns *
                                       lost_part_of_idle(&result->ranks[loss->rank], n_threads));
        sums_ns[loss->rank] += (double)loss->lost_ns;
    }
    for (size_t i = 0; i < threads->n_losses; i++) {
        struct result_thread_loss *loss = &threads->losses[i];
        double useful_ns = (double)result->ranks[loss->rank].useful_ns;
        if (sums_ns[loss->rank] > useful_ns)
            loss->lost_ns = (uint64_t)((double)loss->lost_ns * (useful_ns / sums_ns[loss->rank]));
        threads->lost_ns += loss->lost_ns;
    }
}

// --- who gave back the locks that others waited for

struct lock_waits {
    struct result_lock_wait *items;
    size_t n, capacity;
};

static uint32_t region_of(const struct call_tree *tree, const struct result *result,
                          uint32_t location, uint32_t call_path)
{
    uint32_t path = call_tree_place(tree, location, call_path).path;
    return path == RESULT_NONE ? RESULT_NONE : result->paths[path].region;
}

static void add_lock_waits(const struct call_tree *tree, uint32_t location,
                           const struct result *result, struct lock_waits *waits)
{
    const struct pag_thread *thread = &tree->replay->threads[location];
    for (size_t i = 0; i < thread->n_lock_waits; i++) {
        const struct pag_lock_wait *wait = &thread->lock_waits[i];
        *ARRAY_NEXT(waits->items, waits->n, waits->capacity) = (struct result_lock_wait){
            .rank = tree->definitions->locations[location].rank,
            .region = region_of(tree, result, location, wait->call_path),
            .holder_region = region_of(tree, result, wait->holder, wait->holder_path),
            .count = wait->count,
            .ns = wait->ns};
    }
}

/// Adds up what differs in the threads only; most time first.
static void merge_lock_waits(struct lock_waits *waits)
{
    size_t n = 0;
    SORT_BY(waits->items, waits->n, LEAST(rank), LEAST(region), LEAST(holder_region));
    for (size_t i = 0; i < waits->n; i++) {
        const struct result_lock_wait *wait = &waits->items[i];
        struct result_lock_wait *last = n > 0 ? &waits->items[n - 1] : NULL;
        if (last && last->rank == wait->rank && last->region == wait->region &&
            last->holder_region == wait->holder_region) {
            last->count += wait->count;
            last->ns += wait->ns;
        } else {
            waits->items[n++] = *wait;
        }
    }
    waits->n = n;
    SORT_BY(waits->items, n, MOST(ns), LEAST(rank), LEAST(region), LEAST(holder_region));
}

/// A loss of thread LOCATION in REGION, NS in sum, in MPI_NS of it the master is in MPI.
static void add_loss(const struct call_tree *tree, struct losses *losses, uint32_t location,
                     struct pag_thread_place place, uint32_t region)
{
    if (place.ns == 0 && place.caused_ns == 0)
        return;
    struct result_thread_loss loss = {.kind = place.kind,
                                      .rank = tree->definitions->locations[location].rank,
                                      .region = region,
                                      .count = place.count,
                                      .ns = place.ns,
                                      .lost_ns = place.ns - place.in_mpi_ns};
    *ARRAY_NEXT(losses->items, losses->n, losses->capacity) =
        (struct thread_loss){loss, location, place.caused_ns};
}

/// What of THREAD's losses of KIND is at none of its places.
static struct pag_thread_place elsewhere(const struct pag_thread *thread, uint32_t kind)
{
    struct pag_thread_place left = {
        .kind = kind, .ns = thread->ns[kind], .in_mpi_ns = thread->in_mpi_ns[kind]};
    for (size_t i = 0; i < thread->n_places; i++) {
        if (thread->places[i].kind != kind)
            continue;
        left.ns -= thread->places[i].ns;
        left.in_mpi_ns -= thread->places[i].in_mpi_ns;
    }
    return left;
}

/// A thread's times and losses.
static void add_thread(const struct call_tree *tree, uint32_t location, const uint32_t alone[2],
                       struct result *result, struct losses *losses)
{
    const uint32_t regions[][2] = {{PAG_THREAD_RUNTIME, RESULT_NONE},
                                   {PAG_THREAD_IDLE_SERIAL, alone[0]},
                                   {PAG_THREAD_IDLE_MPI, alone[1]},
                                   {PAG_THREAD_IDLE_LIMITED, RESULT_NONE}};
    const struct pag_thread *thread = &tree->replay->threads[location];
    const struct location *defined = &tree->definitions->locations[location];
    struct result_rank_threads *sum = &result->threads.ranks[defined->rank];
    sum->n_threads++;
    if (result->ranks[defined->rank].node < result->n_nodes)
        result->nodes[result->ranks[defined->rank].node].n_team_threads +=
            defined->is_master || tree->replay->rank_threads[defined->rank].threading == PAG_TEAMS;
    for (unsigned kind = 0; kind < PAG_THREAD_KINDS; kind++)
        sum->ns[kind] += thread->ns[kind];
    for (size_t i = 0; i < thread->n_places; i++)
        add_loss(tree, losses, location, thread->places[i],
                 place_of(tree, result, location, thread->places[i].call_path));
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; i++)
        add_loss(tree, losses, location, elsewhere(thread, regions[i][0]), regions[i][1]);
    if (thread->caused_ns > sum->latest_ns) {
        sum->latest_ns = thread->caused_ns;
        free(sum->latest);
        sum->latest = utf8_clean(tree->definitions->locations[location].name);
    }
}

/// Whether LOCATION is a thread of its process. One that was made for a moment, such as by a
/// library, is none: no program meant to keep it busy, so it is not idle for the rest of the
/// window.
static bool counts(const struct call_tree *tree, const struct result *result, uint32_t location)
{
    static const double moment = 0.05; // of the window
    const struct pag_thread *thread = &tree->replay->threads[location];
    double window_ns = (double)(result->window_end_ns - result->window_begin_ns);
    uint64_t busy_ns = 0;
    for (unsigned kind = 0; kind < PAG_THREAD_IDLE_SERIAL; kind++)
        busy_ns += thread->ns[kind];
    return thread->is_thread && (!thread->is_created || (double)busy_ns >= moment * window_ns);
}

/// Whether any process has several threads.
static bool has_further_thread(const struct call_tree *tree, const struct result *result)
{
    for (uint32_t i = 0; tree->replay->threads && i < tree->definitions->n_locations; i++)
        if (!tree->definitions->locations[i].is_master && counts(tree, result, i))
            return true;
    return false;
}

// --- efficiencies

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static void put_efficiency(struct result_threads *threads)
{
    const uint64_t *ns = threads->ns;
    double total_ns = (double)threads->total_ns;
    double outside_ns = total_ns - (double)threads->unrecorded_ns - (double)ns[PAG_THREAD_MPI] -
                        (double)ns[PAG_THREAD_IDLE_MPI];
    double parallel_ns = outside_ns - (double)ns[PAG_THREAD_IDLE_SERIAL];
    double balanced_ns = parallel_ns - (double)ns[PAG_THREAD_IDLE_LIMITED] -
                         (double)ns[PAG_THREAD_BARRIER] - (double)ns[PAG_THREAD_IMPLICIT_BARRIER];
    threads->efficiency = (struct result_thread_efficiency){
        .hybrid = ratio((double)ns[PAG_THREAD_COMPUTING], total_ns),
        .process = ratio(outside_ns, total_ns),
        .thread = ratio((double)ns[PAG_THREAD_COMPUTING], outside_ns),
        .serial = ratio(parallel_ns, outside_ns),
        .load_balance = ratio(balanced_ns, parallel_ns),
        .runtime = ratio((double)ns[PAG_THREAD_COMPUTING], balanced_ns),
    };
}

static void sum_up(struct result *result)
{
    struct result_threads *threads = &result->threads;
    uint64_t window_ns = result->window_end_ns - result->window_begin_ns, seen_ns = 0;
    for (size_t rank = 0; rank < result->n_ranks; rank++) {
        threads->n_threads += threads->ranks[rank].n_threads;
        for (unsigned kind = 0; kind < PAG_THREAD_KINDS; kind++)
            threads->ns[kind] += threads->ranks[rank].ns[kind];
    }
    for (unsigned kind = 0; kind < PAG_THREAD_KINDS; kind++)
        seen_ns += threads->ns[kind];
    threads->total_ns = threads->n_threads * window_ns;
    threads->unrecorded_ns = threads->total_ns > seen_ns ? threads->total_ns - seen_ns : 0;
    put_efficiency(threads);
}

// --- the busiest thread of a process that makes its threads one by one

/// Where LOCATION, which computes for COMPUTING_NS, does most, and how long. What it does outside
/// of recorded regions is what is left: time there may also be before it was made.
static uint32_t busiest_region(const struct call_tree *tree, const struct result *result,
                               uint32_t location, uint64_t computing_ns, uint64_t *most_ns)
{
    const struct pag_location *thread = &tree->replay->locations[location];
    SCOPED uint64_t *sums = memory_zeroed(result->n_regions, sizeof *sums);
    uint32_t busiest = RESULT_NONE, outside = RESULT_NONE;
    uint64_t inside_ns = 0;
    *most_ns = 0;
    for (uint32_t i = 0; i < thread->n_paths; i++) {
        uint32_t merged = call_tree_place(tree, location, i).path;
        if (merged == RESULT_NONE || thread->paths[i].is_stretch)
            continue;
        uint32_t at = result->paths[merged].region;
        const struct result_region *region = &result->regions[at];
        if (!strcmp(region->name, RESULT_REGION_THREAD))
            outside = at;
        else if (!region->is_mpi && !lost_is_region(region) &&
                 pag_thread_kind_of((enum construct)region->construct) == PAG_THREAD_COMPUTING) {
            sums[at] += thread->paths[i].exclusive_ns;
            inside_ns += thread->paths[i].exclusive_ns;
        }
    }
    if (outside != RESULT_NONE && computing_ns > inside_ns)
        sums[outside] = computing_ns - inside_ns;
    for (uint32_t i = 0; i < result->n_regions; i++)
        if (sums[i] > *most_ns) {
            *most_ns = sums[i];
            busiest = i;
        }
    return busiest;
}

/// Among how many of its THREADS the work of RANK can be divided: no more than it has cores.
static uint32_t n_useful(const struct call_tree *tree, const struct result_rank_threads *threads,
                         uint32_t rank)
{
    const struct definitions *definitions = tree->definitions;
    const struct core_set *set = &definitions->core_sets[definitions->ranks[rank].core_set];
    if (set->n_cores == 0 || set->n_cores >= threads->n_threads * set->n_ranks)
        return threads->n_threads;
    return set->n_cores > set->n_ranks ? set->n_cores / set->n_ranks : 1;
}

/// Of RANK, whose threads are made one by one, and of which location LONGEST computes longest.
static void put_busiest(const struct call_tree *tree, struct result *result, uint32_t rank,
                        uint32_t longest)
{
    struct result_rank_threads *threads = &result->threads.ranks[rank];
    uint64_t most_ns, longest_ns = tree->replay->threads[longest].ns[PAG_THREAD_COMPUTING];
    threads->is_made_singly = true;
    threads->busy_region = busiest_region(tree, result, longest, longest_ns, &most_ns);
    double mean_ns = (double)threads->ns[PAG_THREAD_COMPUTING] / n_useful(tree, threads, rank);
    double left_ns = mean_ns - ((double)longest_ns - (double)most_ns);
    threads->busy_part = left_ns > 0 && most_ns > 0 ? left_ns / (double)most_ns : 0;
}

static void find_busiest(const struct call_tree *tree, struct result *result)
{
    const struct definitions *definitions = tree->definitions;
    const struct pag_thread *threads = tree->replay->threads;
    SCOPED uint32_t *longest = memory_new((result->n_ranks + 1) * sizeof *longest);
    for (uint32_t rank = 0; rank < result->n_ranks; rank++)
        longest[rank] = RESULT_NONE;
    for (uint32_t i = 0; i < definitions->n_locations; i++) {
        uint32_t *of_rank = threads[i].is_thread ? &longest[definitions->locations[i].rank] : NULL;
        if (of_rank && (*of_rank == RESULT_NONE || threads[i].ns[PAG_THREAD_COMPUTING] >
                                                       threads[*of_rank].ns[PAG_THREAD_COMPUTING]))
            *of_rank = i;
    }
    for (uint32_t rank = 0; rank < result->n_ranks; rank++)
        if (tree->replay->rank_threads[rank].threading == PAG_CREATED &&
            longest[rank] != RESULT_NONE)
            put_busiest(tree, result, rank, longest[rank]);
}

void threads_collect(const struct call_tree *tree, struct result *result)
{
    const struct definitions *definitions = tree->definitions;
    struct losses losses = {0};
    struct lock_waits lock_waits = {0};
    uint32_t alone[2] = {RESULT_NONE, RESULT_NONE};
    if (!has_further_thread(tree, result))
        return;
    result->threads.ranks = memory_zeroed(result->n_ranks, sizeof *result->threads.ranks);
    result->threads.n_ranks = result->n_ranks;
    for (uint32_t i = 0; i < definitions->n_locations; i++) { // a master comes first in its rank
        if (!counts(tree, result, i))
            continue;
        if (definitions->locations[i].is_master)
            find_alone(tree, result, i, alone);
        add_thread(tree, i, alone, result, &losses);
        add_lock_waits(tree, i, result, &lock_waits);
    }
    find_busiest(tree, result);
    merge_lock_waits(&lock_waits);
    result->threads.lock_waits = lock_waits.items;
    result->threads.n_lock_waits = lock_waits.n;
    put_losses(definitions, &losses, &result->threads);
    free(losses.items);
    divide_losses(result);
    sum_up(result);
}

uint32_t threads_largest_loss(const struct result *result)
{
    const struct result_threads *threads = &result->threads;
    uint32_t largest = RESULT_THREAD_FIRST_LOSS;
    for (uint32_t kind = largest + 1; kind < RESULT_THREAD_KINDS; kind++)
        if (threads->ns[kind] > threads->ns[largest])
            largest = kind;
    return threads->ns[largest] > 0 ? largest : RESULT_NONE;
}

uint32_t threads_place_of(const struct result *result, uint32_t kind)
{
    SCOPED uint64_t *sums = memory_zeroed(result->n_regions + 1, sizeof *sums);
    uint32_t most = RESULT_NONE;
    for (size_t i = 0; i < result->threads.n_losses; i++) {
        const struct result_thread_loss *loss = &result->threads.losses[i];
        if (loss->kind == kind && loss->region != RESULT_NONE)
            sums[loss->region] += loss->ns;
    }
    for (uint32_t i = 0; i < result->n_regions; i++)
        if (sums[i] > 0 && (most == RESULT_NONE || sums[i] > sums[most]))
            most = i;
    return most;
}

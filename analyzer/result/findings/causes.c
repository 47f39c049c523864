// SPDX-License-Identifier: BSD-3-Clause
// Losses are walked over twice: to add up all causes, then to keep ranks and patterns of the
// largest ones (findings.h).
#include "analyzer/result/findings/findings.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/map.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"
#include "analyzer/result/cores.h"
#include "analyzer/trace/definitions.h"

static const double nearly_all = 0.9; // of a function's time: in calls by another one
static const double much = 0.1;       // of the time of the rank with most of it in a function

enum { MAX_CAUSES = 64 };

/// What makes two losses one cause: subject, region, site, path, pattern and kind of loss of
/// threads of a struct cause.
struct key {
    enum finding_subject subject;
    uint32_t region, site, path, pattern, thread_kind;
};

/// A part of a loss.
struct loss {
    struct key key;
    uint32_t rank;         // that causes it, RESULT_NONE: not known
    uint32_t wait_pattern; // whose wait it is, RESULT_NONE: no wait
    uint64_t ns;
};

struct walk {
    const struct result *result;
    struct causes *causes;
    size_t capacity;
    struct map index[N_FINDING_SUBJECTS]; // of causes, by place_of()
    bool is_second;
};

static struct key key_of(const struct cause *cause)
{
    return (struct key){cause->subject, cause->region,  cause->site,
                        cause->path,    cause->pattern, cause->thread_kind};
}

/// KEY without its subject: that tells which one of region, path and pattern is not RESULT_NONE,
/// and which of site and kind of loss.
static uint64_t place_of(const struct key *key)
{
    return (uint64_t)(key->region & key->path & key->pattern) << 32 |
           (key->site & key->thread_kind);
}

static struct cause *find(const struct walk *walk, const struct key *key)
{
    uint32_t at;
    return map_get(&walk->index[key->subject], place_of(key), &at) ? &walk->causes->causes[at]
                                                                   : NULL;
}

static void index_cause(struct walk *walk, uint32_t at)
{
    struct key key = key_of(&walk->causes->causes[at]);
    map_put(&walk->index[key.subject], place_of(&key), at);
}

static void release_index(struct walk *walk)
{
    for (size_t i = 0; i < N_FINDING_SUBJECTS; i++)
        map_release(&walk->index[i]);
}

static void add(struct walk *walk, const struct loss *loss)
{
    struct causes *causes = walk->causes;
    struct cause *cause = loss->ns > 0 ? find(walk, &loss->key) : NULL;
    if (loss->ns == 0 || (walk->is_second && !cause))
        return;
    if (!cause) {
        cause = ARRAY_NEXT(causes->causes, causes->n, walk->capacity);
        *cause = (struct cause){.subject = loss->key.subject,
                                .region = loss->key.region,
                                .site = loss->key.site,
                                .path = loss->key.path,
                                .pattern = loss->key.pattern,
                                .thread_kind = loss->key.thread_kind};
        index_cause(walk, (uint32_t)causes->n - 1);
    }
    if (!walk->is_second) {
        cause->loss_ns += loss->ns;
        return;
    }
    if (loss->rank != RESULT_NONE)
        cause->by_rank_ns[loss->rank] += loss->ns;
    if (loss->wait_pattern != RESULT_NONE)
        cause->by_pattern_ns[loss->wait_pattern] += loss->ns;
}

// --- keys

bool region_is_program(const struct result_region *region)
{
    return !strcmp(region->name, RESULT_REGION_PROGRAM);
}

bool region_is_main(const struct result_region *region)
{
    return !strcmp(region->name, "main") || !strcmp(region->name, "MAIN__");
}

static enum mpi_function function_of(const struct result_region *region)
{
    return mpi_function_of_name(region->name, region->is_mpi);
}

static bool is_poll(const struct result_region *region)
{
    enum mpi_function function = function_of(region);
    return function == MPI_FUNCTION_TEST || function == MPI_FUNCTION_IPROBE;
}

enum finding_subject cause_of_call(const struct result_region *region)
{
    if (is_poll(region) || function_of(region) == MPI_FUNCTION_PROBE)
        return FINDING_probe;
    switch ((enum mpi_class)region->mpi_class) {
    case MPI_CLASS_POINT_TO_POINT:
        return FINDING_messages;
    case MPI_CLASS_COLLECTIVE:
        return FINDING_collective;
    case MPI_CLASS_RMA:
    case MPI_CLASS_RMA_SYNCHRONISATION:
        return FINDING_onesided;
    case MPI_CLASS_FILE:
        return FINDING_files;
    default:
        return FINDING_mpi;
    }
}

/// SUBJECT as a whole.
static struct key key_about(enum finding_subject subject)
{
    return (struct key){subject, RESULT_NONE, RESULT_NONE, RESULT_NONE, RESULT_NONE, RESULT_NONE};
}

/// Losses of threads of THREAD_KIND in REGION, a parallel region or else the construct itself; or
/// where the master is meanwhile. Constructs of locks, and calls of the runtime, are one cause
/// each, wherever they are outside parallel regions. Threads of RANK that lack cores come late and
/// wait for each other because of that.
static struct key key_of_threads(const struct result *result, uint32_t thread_kind, uint32_t region,
                                 uint32_t rank)
{
    enum construct construct =
        region == RESULT_NONE ? CONSTRUCT_NONE : (enum construct)result->regions[region].construct;
    struct key key = key_about(FINDING_threads);
    key.thread_kind = construct == CONSTRUCT_UNLOCK ? PAG_THREAD_LOCK : thread_kind;
    bool is_at_barrier =
        thread_kind == PAG_THREAD_BARRIER || thread_kind == PAG_THREAD_IMPLICIT_BARRIER;
    if (is_at_barrier && cores_lack_for_threads(result, rank))
        key.thread_kind = PAG_THREAD_RUNTIME;
    if (key.thread_kind != PAG_THREAD_RUNTIME &&
        (key.thread_kind != PAG_THREAD_LOCK || construct == CONSTRUCT_PARALLEL))
        key.region = region;
    return key;
}

/// The parallel region around PATH, or else its own region.
static uint32_t construct_around(const struct result *result, uint32_t path)
{
    uint32_t at = path;
    while (at != RESULT_NONE &&
           result->regions[result->paths[at].region].construct != CONSTRUCT_PARALLEL)
        at = result->paths[at].parent;
    return result->paths[at == RESULT_NONE ? path : at].region;
}

/// Waits of PATTERN whose origin is not known.
static struct key key_of_unknown(uint32_t pattern)
{
    struct key key = key_about(FINDING_waiting);
    key.pattern = pattern;
    return key;
}

/// Time in the call of PATH that is no wait, or makes others wait.
static struct key key_of_call(const struct result *result, uint32_t path)
{
    enum finding_subject subject = cause_of_call(&result->regions[result->paths[path].region]);
    // Both sides of messages are one cause, and all of a program's one-sided accesses.
    struct key key = key_about(subject);
    if (subject != FINDING_messages && subject != FINDING_onesided)
        key.path = path;
    return key;
}

/// The region that stands for programs outside recorded functions, RESULT_NONE: there is none.
static uint32_t program_of(const struct result *result)
{
    for (uint32_t i = 0; i < result->n_regions; i++)
        if (region_is_program(&result->regions[i]))
            return i;
    return RESULT_NONE;
}

/// Time without CPU time at PATH: blocked in what is around it, or without a core anywhere.
static struct key key_of_lost(const struct result *result, uint32_t path)
{
    struct key key = key_about(FINDING_cores);
    if (path == RESULT_NONE ||
        strcmp(result->regions[result->paths[path].region].name, RESULT_REGION_BLOCKED) != 0)
        return key;
    uint32_t parent = result->paths[path].parent;
    key.subject = FINDING_blocked;
    key.region = parent == RESULT_NONE ? program_of(result) : result->paths[parent].region;
    return key;
}

/// Whether the calls after the computing of SHARE tell more than the name of its region: the
/// program, main, or an outermost function around that of the calls.
static bool is_told_by_calls(const struct result *result, const struct result_path_share *share)
{
    const struct result_region *region = &result->regions[share->region];
    if (share->site == RESULT_NONE || result->paths[share->path].parent != RESULT_NONE)
        return false;
    return region_is_program(region) || region_is_main(region) ||
           result->paths[result->sites[share->site].path].parent != share->path;
}

/// What WAIT_PATTERN's waits come from in SHARE.
static struct key key_of_origin(const struct result *result, const struct result_path_share *share,
                                uint32_t wait_pattern)
{
    const struct result_region *region = &result->regions[share->region];
    if (lost_is_region(region))
        return key_of_lost(result, share->path);
    if (region->is_mpi && share->path != RESULT_NONE)
        return key_of_call(result, share->path);
    if (share->path == RESULT_NONE || strcmp(region->name, RESULT_REGION_OFF) == 0)
        return key_of_unknown(wait_pattern);
    enum pag_thread_kind thread_kind = pag_thread_kind_of((enum construct)region->construct);
    if (thread_kind != PAG_THREAD_COMPUTING)
        return key_of_threads(result, thread_kind, construct_around(result, share->path),
                              share->rank);
    struct key key = key_about(FINDING_computing);
    key.region = result->paths[share->path].charged;
    if (is_told_by_calls(result, share))
        key.site = share->site;
    return key;
}

// --- functions that work for different callers on different ranks

/// The function that calls PATH, RESULT_NONE: none but main.
static uint32_t caller_of(const struct result *result, uint32_t path)
{
    uint32_t parent = result->paths[path].parent;
    uint32_t region = parent == RESULT_NONE ? RESULT_NONE : result->paths[parent].region;
    return region == RESULT_NONE || region_is_main(&result->regions[region]) ? RESULT_NONE : region;
}

/// REGION is called by CALLER: whether it HAS_SEVERAL, and its last one in CALLERS, the number + 1.
static void count_caller(uint32_t *callers, bool *has_several, uint32_t region, uint32_t caller)
{
    has_several[region] |= callers[region] > 0 && callers[region] != caller + 1;
    callers[region] = caller + 1;
}

/// By region whether several functions call it. The caller frees.
static bool *regions_with_callers(const struct result *result)
{
    bool *has_callers = memory_zeroed(result->n_regions, sizeof *has_callers);
    SCOPED uint32_t *callers = memory_zeroed(result->n_regions, sizeof *callers);
    for (uint32_t i = 0; i < result->n_paths; i++) {
        uint32_t region = result->paths[i].region, caller = caller_of(result, i);
        if (caller == RESULT_NONE)
            continue;
        count_caller(callers, has_callers, region, caller);
    }
    return has_callers;
}

/// Time of a rank in a region, and the path with most of it.
struct use {
    uint64_t all_ns, most_ns;
    uint32_t path;
};

/// Of regions that several functions call. The caller frees.
static struct use *collect_uses(const struct result *result, const bool *has_callers, size_t *n)
{
    struct map index;
    struct use *uses = NULL;
    size_t capacity = 0;
    map_init(&index);
    *n = 0;
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *of = &result->path_ranks[i];
        uint64_t key = (uint64_t)result->paths[of->path].region << 32 | of->rank;
        uint32_t at;
        const struct result_region *region = &result->regions[result->paths[of->path].region];
        if (of->exclusive_ns == 0 || region->is_mpi || lost_is_region(region) ||
            !has_callers[result->paths[of->path].region])
            continue;
        if (!map_get(&index, key, &at)) {
            at = (uint32_t)*n;
            map_put(&index, key, at);
            *ARRAY_NEXT(uses, *n, capacity) = (struct use){0};
        }
        uses[at].all_ns += of->exclusive_ns;
        if (of->exclusive_ns > uses[at].most_ns) {
            uses[at].most_ns = of->exclusive_ns;
            uses[at].path = of->path;
        }
    }
    map_release(&index);
    return uses;
}

/// Work of a region for one caller, and the waits that come from it.
struct call {
    uint64_t work_ns, waits_ns;
};

/// Key in a map of calls: what PATH's region does for its caller.
static uint64_t call_key(const struct result *result, uint32_t path)
{
    return (uint64_t)result->paths[path].region << 32 | caller_of(result, path);
}

/// Adds to WAITS_NS of all paths the waits that come from each.
static void add_waits(const struct result *result, uint64_t *waits_ns)
{
    for (size_t i = 0; i < result->n_patterns; i++) {
        const struct result_origins *origins = &result->patterns[i].origins;
        for (size_t k = 0; k < origins->n_by_path_rank && result->patterns[i].is_top; k++)
            if (origins->by_path_rank[k].path != RESULT_NONE)
                waits_ns[origins->by_path_rank[k].path] +=
                    (uint64_t)origins->by_path_rank[k].time_ns;
    }
}

/// Marks in IS_FOR_CALLER the paths of a region that others wait for nearly always while it works
/// for one caller, though it works for others as well.
static void mark_awaited_calls(const struct result *result, bool *is_for_caller)
{
    SCOPED struct call *calls = NULL, *regions = memory_zeroed(result->n_regions, sizeof *regions);
    SCOPED uint64_t *waits_ns = memory_zeroed(result->n_paths, sizeof *waits_ns);
    size_t n_calls = 0, capacity = 0;
    struct map index;
    uint32_t at;
    map_init(&index);
    add_waits(result, waits_ns);
    for (uint32_t i = 0; i < result->n_paths; i++) {
        const struct result_path *path = &result->paths[i];
        if (!map_get(&index, call_key(result, i), &at)) {
            at = (uint32_t)n_calls;
            map_put(&index, call_key(result, i), at);
            *ARRAY_NEXT(calls, n_calls, capacity) = (struct call){0};
        }
        calls[at].work_ns += path->exclusive_ns;
        calls[at].waits_ns += waits_ns[i];
        regions[path->region].work_ns += path->exclusive_ns;
        regions[path->region].waits_ns += waits_ns[i];
    }
    for (uint32_t i = 0; i < result->n_paths; i++) {
        const struct call *all = &regions[result->paths[i].region];
        if (map_get(&index, call_key(result, i), &at) && calls[at].waits_ns > 0 &&
            (double)calls[at].waits_ns >= nearly_all * (double)all->waits_ns &&
            (double)calls[at].work_ns < nearly_all * (double)all->work_ns)
            is_for_caller[i] = true;
    }
    map_release(&index);
}

void causes_charge_callers(struct result *result)
{
    size_t n_uses;
    SCOPED bool *has_callers = regions_with_callers(result);
    SCOPED struct use *uses = collect_uses(result, has_callers, &n_uses);
    SCOPED uint32_t *callers = memory_zeroed(result->n_regions, sizeof *callers);
    SCOPED bool *has_several = memory_zeroed(result->n_regions, sizeof *has_several);
    SCOPED bool *is_for_caller = memory_zeroed(result->n_paths, sizeof *is_for_caller);
    mark_awaited_calls(result, is_for_caller);
    for (size_t i = 0; i < n_uses; i++) {
        uint32_t region = result->paths[uses[i].path].region;
        uint32_t caller = caller_of(result, uses[i].path);
        double all_ns = (double)uses[i].all_ns;
        if (caller == RESULT_NONE || all_ns < much * (double)result->regions[region].max_ns ||
            (double)uses[i].most_ns < nearly_all * all_ns)
            continue;
        count_caller(callers, has_several, region, caller);
    }
    for (uint32_t i = 0; i < result->n_paths; i++) { // callers come first
        struct result_path *path = &result->paths[i];
        is_for_caller[i] |= has_several[path->region];
        path->charged = is_for_caller[i] && caller_of(result, i) != RESULT_NONE
                            ? result->paths[path->parent].charged
                            : path->region;
    }
}

// --- losses

/// NS of what sums to WHOLE_NS, as a part of JUDGED_NS.
static uint64_t judged(uint64_t ns, uint64_t judged_ns, uint64_t whole_ns)
{
    if (whole_ns <= judged_ns)
        return ns;
    return (uint64_t)((double)ns * ((double)judged_ns / (double)whole_ns));
}

/// Whether PATTERN is of the time that an operation itself takes, in which no rank is awaited.
static bool is_completion(const struct result_pattern *pattern)
{
    return text_ends_in(pattern->id, "-completion");
}

static void walk_completion(struct walk *walk, const struct result_pattern *pattern,
                            uint64_t waits_ns)
{
    uint64_t left_ns = waits_ns;
    for (size_t i = 0; i < pattern->n_sums; i++) {
        const struct result_instance_sum *sum = &pattern->sums[i];
        uint64_t ns = judged(sum->ns, waits_ns, pattern->total_ns);
        ns = ns < left_ns ? ns : left_ns;
        left_ns -= ns;
        add(walk, &(struct loss){key_of_call(walk->result, sum->path), sum->rank, RESULT_NONE, ns});
    }
}

/// AMOUNT_NS of the waits of pattern INDEX have no origin: only for which ranks they are is known.
static void walk_unknown(struct walk *walk, uint32_t index, uint64_t amount_ns)
{
    const struct result_pattern *pattern = &walk->result->patterns[index];
    uint64_t left_ns = amount_ns, all_ns = 0;
    for (size_t i = 0; i < pattern->n_by_cause; i++)
        all_ns += pattern->by_cause[i].ns;
    for (size_t i = 0; i < pattern->n_by_cause; i++) {
        double share = part_of((double)pattern->by_cause[i].ns, (double)all_ns);
        uint64_t ns = (uint64_t)((double)amount_ns * share);
        ns = ns < left_ns ? ns : left_ns;
        left_ns -= ns;
        add(walk, &(struct loss){key_of_unknown(index), pattern->by_cause[i].key, index, ns});
    }
    add(walk, &(struct loss){key_of_unknown(index), RESULT_NONE, index, left_ns});
}

/// The origins of the waits of pattern INDEX are of the judged part.
static void walk_origins(struct walk *walk, uint32_t index, uint64_t waits_ns)
{
    const struct result_pattern *pattern = &walk->result->patterns[index];
    uint64_t left_ns = waits_ns;
    for (size_t k = 0; k < pattern->origins.n_by_path_rank; k++) {
        const struct result_path_share *share = &pattern->origins.by_path_rank[k];
        uint64_t ns = judged((uint64_t)share->time_ns, waits_ns, pattern->window_ns);
        ns = ns < left_ns ? ns : left_ns;
        left_ns -= ns;
        add(walk,
            &(struct loss){key_of_origin(walk->result, share, index), share->rank, index, ns});
    }
    walk_unknown(walk, index, left_ns);
}

/// What patterns measure may be more than the ranks' waits: a completion that lasts for want of a
/// core is time without CPU time, and a call may wait for several others at the same time.
static void walk_waits(struct walk *walk)
{
    const struct result *result = walk->result;
    uint64_t whole_ns[2] = {0}, waits_ns[2]; // for others, and completions
    for (size_t i = 0; i < result->n_patterns; i++)
        if (result->patterns[i].is_top)
            whole_ns[is_completion(&result->patterns[i])] += result->patterns[i].window_ns;
    waits_ns[0] = whole_ns[0] < result->wait_ns ? whole_ns[0] : result->wait_ns;
    waits_ns[1] = result->wait_ns - waits_ns[0];
    for (uint32_t i = 0; i < result->n_patterns; i++) {
        const struct result_pattern *pattern = &result->patterns[i];
        bool is_own = is_completion(pattern);
        uint64_t ns = judged(pattern->window_ns, waits_ns[is_own], whole_ns[is_own]);
        if (pattern->is_top && is_own)
            walk_completion(walk, pattern, ns);
        else if (pattern->is_top)
            walk_origins(walk, i, ns);
    }
}

/// Exclusive time of each path that is MPI's own but start and end, less its waits. These may be
/// more than that, *MORE_NS in sum: a rank that waits may have no core meanwhile, which is time of
/// a child.
static uint64_t *times_without_waits(const struct result *result, uint64_t *more_ns)
{
    *more_ns = 0;
    uint64_t *left_ns = memory_zeroed(result->n_paths, sizeof *left_ns);
    for (size_t i = 0; i < result->n_paths; i++) {
        const struct result_region *region = &result->regions[result->paths[i].region];
        if (region->is_mpi && strncmp(region->name, "MPI_Init", 8) != 0 &&
            strncmp(region->name, "MPI_Finalize", 12) != 0)
            left_ns[i] = result->paths[i].exclusive_ns;
    }
    for (size_t i = 0; i < result->n_patterns; i++) {
        const struct result_pattern *pattern = &result->patterns[i];
        for (size_t k = 0; pattern->is_top && k < pattern->n_by_path; k++) {
            uint64_t *left = &left_ns[pattern->by_path[k].key];
            uint64_t ns = pattern->by_path[k].ns < *left ? pattern->by_path[k].ns : *left;
            *left -= ns;
            *more_ns += pattern->by_path[k].ns - ns;
        }
    }
    return left_ns;
}

/// AMOUNT_NS of a path with EXCLUSIVE_NS, shared among its N RANKS as that is.
static void add_by_rank(struct walk *walk, const struct key *key,
                        const struct result_path_rank *ranks, size_t n, uint64_t exclusive_ns,
                        uint64_t amount_ns)
{
    uint64_t left_ns = amount_ns;
    for (size_t i = 0; i < n; i++) {
        double share = part_of((double)ranks[i].exclusive_ns, (double)exclusive_ns);
        uint64_t ns = (uint64_t)((double)amount_ns * share);
        ns = ns < left_ns ? ns : left_ns;
        left_ns -= ns;
        add(walk, &(struct loss){*key, ranks[i].rank, RESULT_NONE, ns});
    }
    add(walk, &(struct loss){*key, RESULT_NONE, RESULT_NONE, left_ns}); // what rounding leaves
}

/// What of path_ranks is PATH's, which begins at *AT.
static size_t ranks_of_path(const struct result *result, uint32_t path, size_t *at)
{
    while (*at < result->n_path_ranks && result->path_ranks[*at].path < path)
        (*at)++;
    size_t end = *at;
    while (end < result->n_path_ranks && result->path_ranks[end].path == path)
        end++;
    return end - *at;
}

/// What of OTHER_NS in MPI a call has that took NS of CALLS_NS without waits. Of waits that took
/// MORE_NS than the calls they are in, so much of other calls may be in OTHER_NS.
static uint64_t call_ns(uint64_t ns, uint64_t other_ns, uint64_t calls_ns, uint64_t more_ns)
{
    uint64_t known_ns = calls_ns + more_ns < other_ns ? calls_ns + more_ns : other_ns;
    return calls_ns == known_ns
               ? ns
               : (uint64_t)((double)ns * part_of((double)known_ns, (double)calls_ns));
}

/// Calls, and time without CPU time.
static void walk_paths(struct walk *walk)
{
    const struct result *result = walk->result;
    uint64_t more_ns, calls_ns = 0, lost_ns = 0;
    SCOPED uint64_t *left_ns = times_without_waits(result, &more_ns);
    size_t at = 0;
    for (uint32_t i = 0; i < result->n_paths; i++) {
        calls_ns += left_ns[i];
        if (lost_is_region(&result->regions[result->paths[i].region]))
            lost_ns += result->paths[i].exclusive_ns;
    }
    for (uint32_t i = 0; i < result->n_paths; i++) {
        size_t n = ranks_of_path(result, i, &at);
        bool is_lost = lost_is_region(&result->regions[result->paths[i].region]);
        uint64_t exclusive_ns = result->paths[i].exclusive_ns;
        uint64_t ns = is_lost ? judged(exclusive_ns, result->no_cpu_ns, lost_ns)
                              : call_ns(left_ns[i], result->other_mpi_ns, calls_ns, more_ns);
        if (ns == 0)
            continue;
        struct key key = is_lost ? key_of_lost(result, i) : key_of_call(result, i);
        add_by_rank(walk, &key, &result->path_ranks[at], n, exclusive_ns, ns);
    }
}

/// What threads lose of their ranks' time.
static void walk_threads(struct walk *walk)
{
    const struct result_threads *threads = &walk->result->threads;
    for (size_t i = 0; i < threads->n_losses; i++) {
        const struct result_thread_loss *loss = &threads->losses[i];
        struct key key = key_of_threads(walk->result, loss->kind, loss->region, loss->rank);
        add(walk, &(struct loss){key, loss->rank, RESULT_NONE, loss->lost_ns});
    }
}

/// Computing that grows on all ranks from iteration to iteration. No rank waits for it.
static void walk_growth(struct walk *walk)
{
    const struct result *result = walk->result;
    for (size_t i = 0; i < result->iterations.n_odd; i++) {
        const struct result_odd *odd = &result->iterations.odd[i];
        if (!odd->is_trend || odd->rank != RESULT_NONE || odd->cause != RESULT_ODD_COMPUTING)
            continue;
        struct key key = key_about(FINDING_iterations);
        key.site = odd->path == RESULT_NONE ? odd->site : RESULT_NONE;
        key.region =
            odd->path == RESULT_NONE ? program_of(result) : result->paths[odd->path].region;
        for (uint32_t rank = 0; rank < result->n_ranks; rank++)
            add(walk, &(struct loss){key, rank, RESULT_NONE, odd->lost_ns});
    }
}

static int by_loss(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    if (x->loss_ns != y->loss_ns)
        return x->loss_ns > y->loss_ns ? -1 : 1;
    struct key left = key_of(x), right = key_of(y);
    return memcmp(&left, &right, sizeof left);
}

void causes_sort(struct causes *causes)
{
    if (causes->n > 0)
        qsort(causes->causes, causes->n, sizeof *causes->causes, by_loss);
}

uint64_t findings_lost_ns(const struct result *result)
{
    return result->wait_ns + result->other_mpi_ns + result->no_cpu_ns + result->threads.lost_ns;
}

void causes_collect(struct causes *causes, const struct result *result)
{
    *causes = (struct causes){0};
    struct walk walk = {.result = result, .causes = causes};
    walk_waits(&walk);
    walk_paths(&walk);
    walk_threads(&walk);
    walk_growth(&walk);
    release_index(&walk); // its causes change places
    causes_sort(causes);
    for (; causes->n > MAX_CAUSES; causes->n--)
        causes->rest_ns += causes->causes[causes->n - 1].loss_ns;
    for (size_t i = 0; i < causes->n; i++) {
        causes->causes[i].by_rank_ns = memory_zeroed(result->n_ranks, sizeof(uint64_t));
        causes->causes[i].by_pattern_ns = memory_zeroed(result->n_patterns, sizeof(uint64_t));
        index_cause(&walk, (uint32_t)i);
    }
    walk.is_second = true;
    walk_waits(&walk);
    walk_paths(&walk);
    walk_threads(&walk);
    walk_growth(&walk);
    release_index(&walk);
}

void cause_release(struct cause *cause)
{
    for (size_t i = 0; i < cause->n_apart; i++)
        cause_release(&cause->apart[i]);
    FREE_ALL(cause->by_rank_ns, cause->by_pattern_ns, cause->parts, cause->apart);
}

void causes_release(struct causes *causes)
{
    for (size_t i = 0; i < causes->n; i++)
        cause_release(&causes->causes[i]);
    free(causes->causes);
    *causes = (struct causes){0};
}

bool region_is_called_by(const struct result *result, uint32_t inner, uint32_t outer)
{
    uint64_t all_ns = 0, within_ns = 0;
    if (region_is_program(&result->regions[outer]) || region_is_main(&result->regions[outer]))
        return false;
    for (uint32_t i = 0; i < result->n_paths; i++) {
        if (result->paths[i].region != inner)
            continue;
        all_ns += result->paths[i].exclusive_ns;
        within_ns += result_path_is_within(result, i, outer) ? result->paths[i].exclusive_ns : 0;
    }
    return within_ns > 0 && (double)within_ns >= nearly_all * (double)all_ns;
}

uint32_t cause_place(const struct cause *cause)
{
    return cause->site != RESULT_NONE     ? cause->site
           : cause->region != RESULT_NONE ? cause->region
                                          : cause->path;
}

uint32_t cause_outer(const struct result *result, const struct cause *cause)
{
    for (size_t i = 0; i < cause->n_parts && cause->site == RESULT_NONE; i++) {
        bool has_all = cause->region != RESULT_NONE &&
                       region_is_called_by(result, cause->region, cause->parts[i]);
        for (size_t k = 0; k < cause->n_parts && has_all; k++)
            has_all = k == i || region_is_called_by(result, cause->parts[k], cause->parts[i]);
        if (has_all)
            return cause->parts[i];
    }
    return RESULT_NONE;
}

bool cause_has_place(const struct cause *cause, uint32_t place)
{
    bool has = cause_place(cause) == place;
    for (size_t i = 0; i < cause->n_parts && !has; i++)
        has = cause->parts[i] == place;
    return has;
}

bool cause_times(const struct result *result, const struct cause *cause, uint64_t *times_ns)
{
    bool is_known = false;
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *of = &result->path_ranks[i];
        const struct result_path *path = &result->paths[of->path];
        bool is_here = cause->region != RESULT_NONE ? cause_has_place(cause, path->charged)
                       : cause->path != RESULT_NONE
                           ? cause_has_place(cause, of->path)
                           : result->regions[path->region].is_mpi &&
                                 cause_of_call(&result->regions[path->region]) == cause->subject;
        if (!is_here)
            continue;
        times_ns[of->rank] += of->exclusive_ns;
        is_known = true;
    }
    return is_known;
}

bool cause_has_thread_loss(const struct result *result, const struct cause *cause,
                           const struct result_thread_loss *loss)
{
    struct key key = key_of_threads(result, loss->kind, loss->region, loss->rank);
    return cause->subject == key.subject && cause->thread_kind == key.thread_kind &&
           cause_has_place(cause, key.region);
}

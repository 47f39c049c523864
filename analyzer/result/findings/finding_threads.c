// SPDX-License-Identifier: BSD-3-Clause
// Facts of a cause: the threads of its ranks, and what these lose (findings.h).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"
#include "analyzer/result/cores.h"
#include "analyzer/result/findings/findings.h"
#include "analyzer/trace/definitions.h"

static const double least_part = 0.01, most_part = 0.95; // of work, that are worth a prediction
static const double few_locks = 0.05; // of the threads' time: more work is done one after the other

static uint64_t threads_of(const struct result *result, uint32_t rank)
{
    return rank < result->threads.n_ranks ? result->threads.ranks[rank].n_threads : 1;
}

/// Threads of the rank with most of the loss, and whether they share the work in the place.
static void put_threads(const struct result *result, const struct cause *cause, struct facts *facts)
{
    uint64_t master_ns = 0, all_ns = 0, n_threads = threads_of(result, facts->causing.main);
    for (size_t i = 0; i < result->n_paths && cause->region != RESULT_NONE; i++) {
        if (result->paths[i].region != cause->region)
            continue;
        master_ns += result->paths[i].master_ns;
        all_ns += result->paths[i].exclusive_ns;
    }
    facts->numbers[FINDING_NUMBER_threads] = (double)n_threads;
    facts->numbers[FINDING_NUMBER_lone_share] = part_of((double)master_ns, (double)all_ns);
    facts_say(facts, FINDING_TEXT_threads, "%s", quantity_count(n_threads, "thread").text);
    facts_say(facts, FINDING_TEXT_thread_count, "%" PRIu64, n_threads);
}

static void put_region(const struct result *result, uint32_t region, struct facts *facts,
                       enum finding_text name)
{
    char *text = NULL;
    size_t size;
    if (region == RESULT_NONE)
        return;
    FILE *out = memory_stream(&text, &size);
    place_write(result, region, RESULT_NONE, out);
    fclose(out);
    facts_put_text(facts, name, text);
}

/// Time of the threads of RANK in calls for locks: waiting, or not.
static uint64_t lock_ns(const struct result *result, uint32_t rank)
{
    uint64_t ns = result->threads.ranks[rank].ns[PAG_THREAD_LOCK];
    for (size_t i = 0; i < result->threads.n_losses; i++) {
        const struct result_thread_loss *loss = &result->threads.losses[i];
        bool is_unlock = loss->region != RESULT_NONE &&
                         result->regions[loss->region].construct == CONSTRUCT_UNLOCK;
        ns += loss->rank == rank && is_unlock ? loss->ns : 0;
    }
    return ns;
}

/// The locks that threads of the rank with most of the loss wait for.
static void put_locks(const struct result *result, struct facts *facts)
{
    const struct result_threads *threads = &result->threads;
    uint32_t rank = facts->causing.main;
    if (rank >= threads->n_ranks)
        return;
    uint64_t window_ns = result->window_end_ns - result->window_begin_ns;
    double share = part_of((double)lock_ns(result, rank),
                           (double)(threads->ranks[rank].n_threads * window_ns));
    facts->numbers[FINDING_NUMBER_thread_locks] = share;
    facts_say(facts, FINDING_TEXT_thread_locks, "%s", quantity_share(share).text);
    for (size_t i = 0; i < threads->n_lock_waits; i++) {
        const struct result_lock_wait *wait = &threads->lock_waits[i];
        if (wait->rank != rank)
            continue;
        put_region(result, wait->region, facts, FINDING_TEXT_lock_place);
        put_region(result, wait->holder_region, facts, FINDING_TEXT_lock_release);
        return;
    }
}

/// Where the rank with most of the loss has no core for each of its threads.
static void put_sharing(const struct result *result, struct facts *facts)
{
    char *text = NULL;
    size_t size;
    FILE *out = memory_stream(&text, &size);
    bool shares = cores_lack_for_threads(result, facts->causing.main);
    facts->numbers[FINDING_NUMBER_threads_sharing] = shares;
    if (shares)
        cores_write_threads(result, out);
    fclose(out);
    if (shares)
        facts_put_text(facts, FINDING_TEXT_thread_sharing, text);
    else
        free(text);
}

/// How the threads of a cause lose time.
static void put_kind(const struct cause *cause, struct facts *facts)
{
    static const enum finding_number numbers[PAG_THREAD_KINDS] = {
        [PAG_THREAD_BARRIER] = FINDING_NUMBER_at_barrier,
        [PAG_THREAD_IMPLICIT_BARRIER] = FINDING_NUMBER_at_implicit_barrier,
        [PAG_THREAD_LOCK] = FINDING_NUMBER_at_lock,
        [PAG_THREAD_CONDITION] = FINDING_NUMBER_at_condition,
        [PAG_THREAD_TASK] = FINDING_NUMBER_at_task,
        [PAG_THREAD_RUNTIME] = FINDING_NUMBER_in_runtime,
        [PAG_THREAD_IDLE_SERIAL] = FINDING_NUMBER_idle_serial,
        [PAG_THREAD_IDLE_LIMITED] = FINDING_NUMBER_idle_limited,
    };
    facts->numbers[numbers[cause->thread_kind]] = 1;
}

/// What the longest time of a rank's master in REGION would be if no threads lost LOST_NS, by rank
/// in the rank's time, there: as a factor. 0: not known, for a master has no part in that.
static double even_factor(const struct result *result, uint32_t region, const uint64_t *lost_ns)
{
    bool is_parallel = result->regions[region].construct == CONSTRUCT_PARALLEL;
    SCOPED double *times_ns = memory_zeroed(result->n_ranks, sizeof *times_ns);
    double longest_ns = 0, longest_even_ns = 0;
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *of = &result->path_ranks[i];
        if (result->paths[of->path].region == region)
            times_ns[of->rank] +=
                is_parallel ? (double)of->inclusive_ns / (double)threads_of(result, of->rank)
                            : (double)of->master_ns;
    }
    for (uint32_t i = 0; i < result->n_ranks; i++) {
        double even_ns = times_ns[i] - (double)lost_ns[i];
        if (even_ns < 0)
            return 0;
        longest_ns = times_ns[i] > longest_ns ? times_ns[i] : longest_ns;
        longest_even_ns = even_ns > longest_even_ns ? even_ns : longest_even_ns;
    }
    return part_of(longest_even_ns, longest_ns);
}

/// The part of one thread, where a rank whose threads lose LOST_NS by rank has fewest.
static void put_one_of_threads(const struct result *result, const uint64_t *lost_ns,
                               struct facts *facts)
{
    uint64_t fewest = UINT64_MAX;
    for (uint32_t i = 0; i < result->n_ranks; i++)
        if (lost_ns[i] > 0 && threads_of(result, i) < fewest)
            fewest = threads_of(result, i);
    if (fewest != UINT64_MAX)
        facts_say(facts, FINDING_TEXT_one_of_threads, "%.3g", 1 / (double)fewest);
}

/// What the thread of the rank with most of the loss that computes longest does.
static void put_busiest(const struct result *result, struct facts *facts)
{
    const struct result_rank_threads *threads = &result->threads.ranks[facts->causing.main];
    const struct result_region *region = &result->regions[threads->busy_region];
    if (threads->busy_part < least_part || threads->busy_part > most_part ||
        facts->numbers[FINDING_NUMBER_thread_locks] > few_locks)
        return;
    bool is_outside = !strcmp(region->name, RESULT_REGION_THREAD);
    facts_say(facts, FINDING_TEXT_busy_region, "%s",
              is_outside ? RESULT_REGION_PROGRAM : region->shown);
    facts_say(facts, FINDING_TEXT_busy_work, "the work %s%s", is_outside ? "of the threads" : "in ",
              is_outside ? "" : region->shown);
    facts_say(facts, FINDING_TEXT_busy_part, "%.2f", threads->busy_part);
}

/// What of CAUSE threads lose: in their own time, where, and for whom they wait.
static void put_losses(const struct result *result, const struct cause *cause, struct facts *facts)
{
    const struct result_thread_loss *largest = NULL;
    SCOPED uint64_t *lost_ns = memory_zeroed(result->n_ranks, sizeof *lost_ns);
    uint64_t threads_ns = 0;
    for (size_t i = 0; i < result->threads.n_losses; i++) { // time descending
        const struct result_thread_loss *loss = &result->threads.losses[i];
        if (!cause_has_thread_loss(result, cause, loss))
            continue;
        threads_ns += loss->lost_ns * threads_of(result, loss->rank);
        lost_ns[loss->rank] += loss->lost_ns;
        if (loss->rank == facts->causing.main && (!largest || largest->region == RESULT_NONE))
            largest = loss;
    }
    put_one_of_threads(result, lost_ns, facts);
    if (threads_ns > 0)
        facts_say(facts, FINDING_TEXT_thread_time, "%s", quantity_time(threads_ns).text);
    if (!largest)
        return;
    if (largest->latest)
        facts_say(facts, FINDING_TEXT_latest, "%s", largest->latest);
    const char *lock = facts->texts[FINDING_TEXT_lock_place];
    if (cause->region == RESULT_NONE && cause->thread_kind == PAG_THREAD_LOCK && lock)
        facts_say(facts, FINDING_TEXT_place, "%s", lock);
    else if (cause->region == RESULT_NONE)
        put_region(result, largest->region, facts, FINDING_TEXT_place);
    bool is_parallel = cause->region != RESULT_NONE &&
                       result->regions[cause->region].construct == CONSTRUCT_PARALLEL;
    if (result->threads.ranks[largest->rank].is_made_singly &&
        !is_parallel) { // waiting is no work that could be less
        put_busiest(result, facts);
        return;
    }
    double even = cause->region == RESULT_NONE ? 0 : even_factor(result, cause->region, lost_ns);
    if (even > 0)
        facts_say(facts, FINDING_TEXT_even, "%.2f", even);
}

void facts_put_threads(const struct result *result, const struct cause *cause, struct facts *facts)
{
    put_threads(result, cause, facts);
    put_locks(result, facts);
    if (cause->subject != FINDING_threads)
        return;
    put_sharing(result, facts);
    put_kind(cause, facts);
    put_losses(result, cause, facts);
}

// SPDX-License-Identifier: BSD-3-Clause
// What is left of a replay: struct pag_result, in a deterministic order.
#include "analyzer/pag/outcome.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/pag/lineage/head.h"
#include "analyzer/pag/location/excerpt.h"
#include "analyzer/pag/location/location.h"
#include "analyzer/pag/location/without_cpu.h"
#include "analyzer/pag/views/thread_time.h"
#include "analyzer/pag/window.h"

void outcome_sum_inclusive(struct pag_location *location)
{
    for (size_t i = 1; i < location->n_paths; i++)
        location->paths[i].inclusive_ns =
            location->paths[i].is_stretch ? 0 : location->paths[i].exclusive_ns;
    for (size_t i = location->n_paths; i-- > 1;)
        if (location->paths[i].parent > 0)
            location->paths[location->paths[i].parent].inclusive_ns +=
                location->paths[i].inclusive_ns;
}

/// The profile of a location that is in the result goes: together both are the most memory of a
/// replay of many call paths.
static void release_profile(struct location_state *state)
{
    profile_release(&state->profile);
    head_release(&state->head);
    state->profile = (struct profile){0};
    state->head = (struct head){0};
}

static void fill_location(const struct engine *engine, size_t index)
{
    struct location_state *state = &engine->locations[index];
    struct pag_location *out = &engine->result->locations[index];
    out->n_paths = state->profile.n_paths;
    out->paths = memory_new(out->n_paths * sizeof(*out->paths));
    for (size_t i = 0; i < out->n_paths; i++) {
        struct call_path *path = &out->paths[i];
        *path = profile_path(&state->profile, i);
        path->exclusive_ns = times_exclusive(state->profile.times, i);
        if (path->is_stretch)
            out->paths[path->parent].exclusive_ns += path->exclusive_ns;
    }
    out->counted = state->profile.counted;
    out->n_counted = state->profile.n_counted;
    state->profile.counted = NULL;
    if (!engine->options.parts) {
        out->since = state->profile.since;
        out->n_since = state->profile.n_since;
        state->profile.since = NULL;
    }
    out->file_uses = state->profile.file_uses.items;
    out->n_file_uses = state->profile.file_uses.n;
    state->profile.file_uses.items = NULL;
    out->first_ns = state->first_ns;
    out->last_ns = state->profile.last_ns;
    engine->result->n_unbalanced += state->profile.n_unbalanced;
    engine->result->n_events += trace_location_report(engine->trace, index)->n_read;
    if (!engine->options.parts && !engine->options.index)
        release_profile(state);
}

static void fill_rank(const struct engine *engine, size_t index)
{
    struct rank_state *rank = &engine->ranks[index];
    struct pag_result *result = engine->result;
    result->rank_times[index] = window_sum(engine, rank);
    result->rank_threads[index].threading = rank->threading;
    result->off_ns += rank->off_ns;
    result->n_off += rank->off_ns > 0 || (rank->ends_off && !rank->has_finalize);
    result->n_missing_init += rank->has_mpi && !rank->has_init;
    result->n_without_finalize += !rank->has_finalize;
    result->n_missing_finalize += rank->has_mpi && !rank->has_finalize && !rank->has_session_end;
}

static uint64_t activity_of(const void *item)
{
    const struct pag_path_entry *entry = item;
    return sort_pair(entry->location, entry->call_path);
}

/// Sums by kind of message, and by pair of ranks.
static void fill_traffic(struct pag_result *result)
{
    size_t n_pairs = 0;
    if (result->n_traffic == 0)
        return;
    for (size_t i = 0; i < result->n_traffic; i++) {
        const struct pag_traffic *traffic = &result->traffic[i];
        result->message_kinds[traffic->kind].n_messages += traffic->n_messages;
        result->message_kinds[traffic->kind].size_bytes += traffic->size_bytes;
    }
    SORT_BY(result->message_kinds, result->n_message_kinds, LEAST(communicator), LEAST(tag));
    SORT_BY(result->traffic, result->n_traffic, LEAST(sender), LEAST(receiver));
    for (size_t i = 0; i < result->n_traffic; i++) {
        const struct pag_traffic *traffic = &result->traffic[i];
        struct pag_traffic *last = n_pairs > 0 ? &result->traffic[n_pairs - 1] : NULL;
        if (last && last->sender == traffic->sender && last->receiver == traffic->receiver) {
            last->n_messages += traffic->n_messages;
            last->size_bytes += traffic->size_bytes;
        } else {
            result->traffic[n_pairs++] = *traffic;
        }
    }
    result->n_traffic = n_pairs;
}

/// Whether STATE is of no thread beyond the first of a rank.
static bool is_first_thread(const struct location_state *state)
{
    return state->is_master || state->rank == EVENT_NO_INDEX;
}

/// When STATE ended in the recording.
static uint64_t recorded_end_ns(const struct location_state *state)
{
    return state->recorded_end_ns ? state->recorded_end_ns : state->profile.last_ns;
}

/// The location with which the run ends. A thread beyond the first of its rank is that one only if
/// it outlasted them all in the recording: it may wait for more to do until the process ends, and
/// keeps its recorded times in a prediction.
static const struct location_state *last_location(const struct engine *engine)
{
    uint64_t masters_end_ns = 0;
    const struct location_state *last = NULL;
    for (size_t i = 0; i < engine->n_locations; i++) {
        const struct location_state *state = &engine->locations[i];
        if (state->has_begun && is_first_thread(state) && recorded_end_ns(state) > masters_end_ns)
            masters_end_ns = recorded_end_ns(state);
    }
    for (size_t i = 0; i < engine->n_locations; i++) {
        const struct location_state *state = &engine->locations[i];
        bool may_be =
            state->has_begun && (is_first_thread(state) || recorded_end_ns(state) > masters_end_ns);
        if (may_be && (!last || state->profile.last_ns > last->profile.last_ns))
            last = state;
    }
    return last;
}

/// The call path of an activity in the result.
static uint32_t path_of(const struct engine *engine, uint64_t activity)
{
    uint32_t path = activity_call_path(activity);
    if (path < HEAD_LOST || path >= PAG_PATH_BEFORE_START)
        return path;
    return without_cpu_path(&engine->locations[activity_location(activity)].profile,
                            path - HEAD_LOST, false);
}

/// Adds up sorted entries of the same activity; how many are left that are not zero.
static size_t sum_up(struct pag_path_entry *entries, size_t n_entries)
{
    size_t n = 0;
    for (size_t i = 0, next; i < n_entries; i = next) {
        struct pag_path_entry sum = entries[i];
        for (next = i + 1; next < n_entries && activity_of(&sum) == activity_of(&entries[next]);
             next++)
            sum.time_ns += entries[next].time_ns;
        if (sum.time_ns != 0)
            entries[n++] = sum;
    }
    return n;
}

/// The entries of a tally that are not zero, sorted; releases the tally.
static struct pag_path_entry *entries_of(const struct engine *engine, struct tally *sum,
                                         size_t *n_entries)
{
    struct pag_path_entry *entries = memory_new(sum->n_entries * sizeof(*entries));
    const struct tally_entry *entry;
    size_t n = 0;
    for (uint32_t i = 0; (entry = tally_next(sum, &i));)
        entries[n++] = (struct pag_path_entry){.location = activity_location(entry->key),
                                               .call_path = path_of(engine, entry->key),
                                               .time_ns = entry->ns};
    tally_release(sum);
    sort_by_number(entries, n, sizeof(*entries), activity_of);
    *n_entries = sum_up(entries, n);
    return entries;
}

/// The path that ends with LAST, NULL: there are no events.
static void fill_critical_path(const struct engine *engine, const struct location_state *last)
{
    struct pag_result *result = engine->result;
    if (!last || engine->options.only_times)
        return;
    struct tally sum = {0};
    head_sum(engine, last, &sum);
    result->last_hand_over = last->head.hand_over;
    result->critical_path = entries_of(engine, &sum, &result->n_critical_path);
    for (size_t i = 0; i < result->n_critical_path; i++)
        if (result->critical_path[i].call_path == PAG_PATH_CLOCK_REPAIR)
            result->clock_repair_ns += result->critical_path[i].time_ns;
}

static void fill_explanations(struct engine *engine)
{
    for (uint32_t kind = 0; kind < PAG_WAIT_KINDS; kind++) {
        struct tally inside = lineage_explain(&engine->lineage, kind);
        struct tally outside = lineage_explain(&engine->lineage, PAG_WAIT_KINDS + kind);
        struct pag_explanation *explanation = &engine->result->explanations[kind];
        explanation->causes = entries_of(engine, &inside, &explanation->n_causes);
        explanation = &engine->result->outside_window[kind];
        explanation->causes = entries_of(engine, &outside, &explanation->n_causes);
    }
}

static void forget_explanations(struct pag_result *result)
{
    for (int kind = 0; kind < PAG_WAIT_KINDS; kind++) {
        FREE_ALL(result->explanations[kind].causes, result->outside_window[kind].causes);
        result->explanations[kind] = result->outside_window[kind] = (struct pag_explanation){0};
    }
}

void outcome_fill(struct engine *engine)
{
    struct pag_result *result = engine->result;
    result->n_locations = engine->n_locations;
    result->n_ranks = engine->n_ranks;
    result->locations = memory_zeroed(result->n_locations, sizeof(*result->locations));
    result->rank_times = memory_zeroed(result->n_ranks, sizeof(*result->rank_times));
    result->rank_threads = memory_zeroed(result->n_ranks, sizeof(*result->rank_threads));
    const struct location_state *last = last_location(engine);
    result->time_ns = last ? last->profile.last_ns : 0;
    fill_critical_path(engine, last);
    fill_explanations(engine);
    for (size_t i = 0; i < result->n_locations; i++)
        fill_location(engine, i);
    for (size_t i = 0; i < result->n_ranks; i++)
        fill_rank(engine, i);
    result->window_begin_ns = engine->window_begin_ns;
    result->window_end_ns = engine->has_window_end ? engine->window_end_ns : result->time_ns;
    thread_time_fill(engine);
    fill_traffic(result);
    result->max_lineage_nodes = engine->lineage.nodes.max_live;
    result->max_messages = engine->messages.max_live;
}

// --- parts of the run

/// Time outside and inside of MPI calls, with and without CPU time, from the profile of a rank's
/// master.
static struct pag_rank_time judge_rank(const struct engine *engine,
                                       const struct pag_location *location)
{
    SCOPED bool *is_mpi = memory_zeroed(location->n_paths + 1, sizeof *is_mpi);
    struct pag_rank_time time = {0};
    for (size_t i = 0; i < location->n_paths; i++) {
        const struct call_path *path = &location->paths[i];
        if (path->is_stretch)
            continue;
        is_mpi[i] = (i > 0 && is_mpi[path->parent]) ||
                    (path->region != EVENT_NO_INDEX &&
                     region_at(engine, path->region)->mpi != MPI_FUNCTION_NONE);
        bool is_blocked = path->region == engine->definitions->blocked_region;
        bool has_cpu = !is_blocked && path->region != engine->definitions->no_cpu_region;
        if (is_mpi[i]) {
            time.mpi_ns += path->exclusive_ns;
            time.no_cpu_mpi_ns += has_cpu ? 0 : path->exclusive_ns;
        } else if (!has_cpu) {
            time.no_cpu_ns += path->exclusive_ns;
            time.blocked_ns += is_blocked ? path->exclusive_ns : 0;
        } else if (path->region != engine->definitions->gap_region) {
            time.useful_ns += path->exclusive_ns;
        }
    }
    return time;
}

/// What is left of the part within [first, last]; an empty one stays where it is.
static void cut(struct pag_part *part, uint64_t first_ns, uint64_t last_ns)
{
    part->begin_ns = part->begin_ns < first_ns ? first_ns : part->begin_ns;
    part->end_ns = part->end_ns > last_ns ? last_ns : part->end_ns;
    if (part->end_ns < part->begin_ns)
        part->end_ns = part->begin_ns;
}

static void apply_to_run(struct engine *engine, const struct pag_part *parts, uint64_t time_ns)
{
    struct pag_result *result = engine->result;
    struct pag_part run = {UINT64_MAX, 0};
    for (size_t i = 0; i < engine->n_locations; i++) {
        const struct pag_part *part = &parts[i];
        if (part->begin_ns >= part->end_ns)
            continue;
        run.begin_ns = part->begin_ns < run.begin_ns ? part->begin_ns : run.begin_ns;
        run.end_ns = part->end_ns > run.end_ns ? part->end_ns : run.end_ns;
    }
    run.end_ns = run.end_ns < time_ns ? run.end_ns : time_ns;
    result->part_begin_ns = run.begin_ns < run.end_ns ? run.begin_ns : run.end_ns;
    result->time_ns = run.end_ns - result->part_begin_ns;
    result->window_begin_ns = 0;
    result->window_end_ns = result->time_ns;
    result->n_traffic = result->n_message_kinds = result->n_critical_path = 0;
    memset(result->message_sizes, 0, sizeof result->message_sizes);
    for (size_t i = 0; i < engine->definitions->n_communicators; i++)
        result->collectives[i] = 0;
    result->clock_repair_ns = 0;
    forget_explanations(result);
}

/// Makes the result that of a part; TIME_NS is that of the run.
static void apply(struct engine *engine, size_t k, uint64_t time_ns)
{
    const struct pag_part *parts = engine->options.parts[k];
    for (size_t i = 0; i < engine->n_locations; i++) {
        struct pag_location *location = &engine->result->locations[i];
        const struct location_state *state = &engine->locations[i];
        struct pag_part part = parts[i];
        excerpt_count(state->profile.excerpt, k, location->paths, location->n_paths);
        outcome_sum_inclusive(location);
        cut(&part, state->first_ns, state->profile.last_ns);
        location->first_ns = part.begin_ns;
        location->last_ns = part.end_ns;
        if (state->is_master)
            engine->result->rank_times[state->rank] = judge_rank(engine, location);
    }
    apply_to_run(engine, parts, time_ns);
}

void outcome_tell_parts(struct engine *engine)
{
    uint64_t time_ns = engine->result->time_ns;
    for (size_t i = 0; i < engine->n_locations; i++)
        excerpt_reach(&engine->locations[i], UINT64_MAX);
    for (size_t k = 0; k < engine->options.n_parts; k++) {
        apply(engine, k, time_ns);
        if (engine->listener.part.tell)
            TELL(engine, part, k, engine->result);
    }
}

void pag_result_release_series(struct pag_result *result)
{
    FREE_MEMBERS(result->series, result->n_series, marks);
    free(result->series);
    result->series = NULL;
    result->n_series = 0;
}

void pag_result_release(struct pag_result *result)
{
    FREE_MEMBERS(result->locations, result->n_locations, paths, counted, since, file_uses);
    FREE_MEMBERS(result->threads, result->n_locations, places, lock_waits);
    FREE_ALL(result->locations, result->threads, result->rank_times, result->rank_threads,
             result->simulated, result->traffic, result->message_kinds, result->collectives,
             result->critical_path);
    pag_result_release_series(result);
    forget_explanations(result);
    for (size_t i = 0; i < result->n_ranks && result->recent; i++)
        free(result->recent[i].calls);
    free(result->recent);
    *result = (struct pag_result){0};
}

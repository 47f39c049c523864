// SPDX-License-Identifier: BSD-3-Clause
// Profiles by function (see reduction.h): the call paths of all ranks are put together by the names
// of their functions, for each rank and for all; sums over ranks are divided by their number.
#include "analyzer/reduction/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"
#include "analyzer/replay/replay_run.h"
#include "db/database.h"
#include "db/focus.h"
#include "db/query/figures.h"
#include "db/trials.h"

/// Time outside recorded functions is called so, and is not a function.
static bool is_function(const char *name)
{
    static const char *const others[] = {
        RESULT_REGION_PROGRAM, RESULT_REGION_THREAD, RESULT_REGION_OFF,    RESULT_REGION_BEFORE,
        RESULT_REGION_CLOCK,   RESULT_REGION_NO_CPU, RESULT_REGION_BLOCKED};
    return !HAS_TEXT(others, sizeof others / sizeof others[0], name) &&
           strncmp(name, "MPI_", 4) != 0;
}

double reduce_profile_percent(const struct reduce_profile *profile, double inclusive_us)
{
    return profile->time_ns > 0 ? 1e5 * inclusive_us / (double)profile->time_ns : 0;
}

/// Takes the N call paths that a function has on all ranks, by rank.
static void take_function(struct reduce_profile *profile, const struct trial_profile_row *paths,
                          size_t n)
{
    uint64_t visits = 0, inclusive_ns = 0, exclusive_ns = 0;
    double n_ranks = profile->n_ranks > 0 ? (double)profile->n_ranks : 1;
    struct reduce_part *part = NULL;
    for (size_t i = 0; i < n; i++)
        visits += paths[i].visits;
    if (visits == 0 || !is_function(paths->function)) // without visits: the caller of a call
        return;
    for (size_t i = 0; i < n; i++) {
        if (!part || part->rank != paths[i].rank) {
            part = ARRAY_NEXT(profile->parts, profile->n_parts, profile->parts_capacity);
            *part = (struct reduce_part){.row = (uint32_t)profile->n_rows,
                                         .rank = (uint32_t)paths[i].rank};
        }
        part->n_calls += (double)paths[i].visits;
        part->inclusive_us += (double)paths[i].inclusive_ns / 1e3;
        part->exclusive_us += (double)paths[i].exclusive_ns / 1e3;
        inclusive_ns += paths[i].inclusive_ns;
        exclusive_ns += paths[i].exclusive_ns;
    }
    const char *file = paths->file;
    struct reduction_row row = {
        .name = memory_copy_text(paths->function),
        .file = memory_copy_text(strcmp(file, "unknown") == 0 ? "" : path_base_name(file)),
        .n_calls = (double)visits / n_ranks,
        .inclusive_us = (double)inclusive_ns / 1e3 / n_ranks,
        .exclusive_us = (double)exclusive_ns / 1e3 / n_ranks,
        .after_inclusive_us = NAN,
    };
    row.percent = reduce_profile_percent(profile, row.inclusive_us);
    *ARRAY_NEXT(profile->rows, profile->n_rows, profile->capacity) = row;
}

/// Sorts the rows; parts keep theirs.
static void sort_rows(struct reduce_profile *profile)
{
    SCOPED uint32_t *place = memory_zeroed(profile->n_rows + 1, sizeof *place);
    for (size_t i = 0; i < profile->n_rows; i++)
        profile->rows[i].rule_rank = (uint32_t)i; // which has no meaning yet
    SORT_BY(profile->rows, profile->n_rows, MOST(inclusive_us), LEAST(name));
    for (size_t i = 0; i < profile->n_rows; i++) {
        place[profile->rows[i].rule_rank] = (uint32_t)i;
        profile->rows[i].rule_rank = 0;
    }
    for (size_t i = 0; i < profile->n_parts; i++)
        profile->parts[i].row = place[profile->parts[i].row];
}

/// Takes the call paths of all ranks, which it sorts; ranks, events and time are known.
static void take_paths(struct reduce_profile *profile, struct trial_profile_row *paths, size_t n)
{
    SORT_BY(paths, n, LEAST(function), LEAST(rank));
    for (size_t first = 0, before; first < n; first = before) {
        for (before = first + 1; before < n; before++)
            if (strcmp(paths[before].function, paths[first].function) != 0)
                break;
        take_function(profile, &paths[first], before - first);
    }
    sort_rows(profile);
}

int reduce_profile_choose_rank(struct reduce_profile *profile, uint64_t rank, struct error *err)
{
    size_t n = 0;
    bool is_there = rank < profile->n_ranks; // of which those are left out that were unreadable
    for (size_t i = 0; i < profile->n_parts && !is_there; i++)
        is_there = profile->parts[i].rank == rank;
    if (!is_there)
        return error_set(err, "there is no rank %llu: the run has %llu", (unsigned long long)rank,
                         (unsigned long long)profile->n_ranks);
    for (size_t i = 0; i < profile->n_rows; i++) {
        struct reduction_row *row = &profile->rows[i];
        row->n_calls = row->exclusive_us = row->inclusive_us = row->percent = 0;
    }
    for (size_t i = 0; i < profile->n_parts; i++) {
        const struct reduce_part *part = &profile->parts[i];
        struct reduction_row *row = &profile->rows[part->row];
        if (part->rank != rank)
            continue;
        row->n_calls = part->n_calls;
        row->exclusive_us = part->exclusive_us;
        row->inclusive_us = part->inclusive_us;
        row->percent = reduce_profile_percent(profile, part->inclusive_us);
    }
    for (size_t i = 0; i < profile->n_rows; i++) {
        struct reduction_row *row = &profile->rows[i];
        if (row->n_calls > 0) {
            profile->rows[n++] = *row;
        } else {
            FREE_ALL(row->name, row->file);
        }
    }
    profile->n_rows = n;
    profile->n_parts = 0; // of rows that have moved
    profile->n_ranks = 1;
    sort_rows(profile);
    return 0;
}

static bool is_nested(const struct result *result, uint32_t path)
{
    const char *name = result->regions[result->paths[path].region].name;
    for (uint32_t above = result->paths[path].parent; above != RESULT_NONE;
         above = result->paths[above].parent)
        if (strcmp(result->regions[result->paths[above].region].name, name) == 0)
            return true;
    return false;
}

static void take_result(struct reduce_profile *profile, const struct result *result)
{
    profile->n_events = result->n_events;
    profile->time_ns = result->time_ns;
    profile->has_unreadable_records = damage_warn(result);
    for (size_t i = 0; i < result->n_ranks; i++)
        profile->n_ranks += !result->ranks[i].is_skipped;
    for (size_t i = 0; i < result->n_properties; i++)
        if (strcmp(result->properties[i].name, "PAGODA::LAUNCH_NS") == 0)
            profile->launch_ns = strtoull(result->properties[i].value, NULL, 10);
    SCOPED struct trial_profile_row *paths = memory_zeroed(result->n_path_ranks, sizeof *paths);
    uint32_t path = RESULT_NONE;
    bool nested = false;
    size_t n = 0;
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *value = &result->path_ranks[i];
        const struct result_region *region = &result->regions[result->paths[value->path].region];
        if (region->is_mpi)
            continue;
        if (value->path != path)
            nested = is_nested(result, value->path);
        path = value->path;
        paths[n++] = (struct trial_profile_row){.function = region->name,
                                                .file = region->file,
                                                .rank = value->rank,
                                                .visits = value->visits,
                                                .inclusive_ns = nested ? 0 : value->inclusive_ns,
                                                .exclusive_ns = value->exclusive_ns};
    }
    take_paths(profile, paths, n);
}

int reduce_profile_of_trace(struct reduce_profile *profile, const char *trace, struct error *err)
{
    struct replay_run run;
    *profile = (struct reduce_profile){0};
    struct catalogue *catalogue = catalogue_load_shipped(NULL, 0, err);
    if (!catalogue)
        return -1;
    int status = replay_run_open(&run, trace, err);
    if (status == 0)
        status = replay_run(&run, catalogue, NULL, false, "replaying", err);
    if (status == 0)
        take_result(profile, &run.result);
    replay_run_release(&run);
    catalogue_free(catalogue);
    return status;
}

int reduce_profile_of_trial(struct reduce_profile *profile, const char *path, const char *trial,
                            struct error *err)
{
    static const char facts[] = "SELECT n_ranks, n_events, time_ns FROM trial WHERE id = ?1";
    SCOPED_BY(database_leave) struct database *database = NULL;
    struct trial_profile_row *paths = NULL;
    int64_t id;
    size_t n;
    *profile = (struct reduce_profile){0};
    if (database_open_snapshot(&database, path, err))
        return -1;
    if (trials_find(database, trial, &id, err) == 0 &&
        database_ask(database, err, facts, "i>nnn", id, &profile->n_ranks, &profile->n_events,
                     &profile->time_ns) == 1)
        paths = trial_profile(database, id, &n, err);
    if (!paths)
        return -1;
    for (size_t i = 0; i < n; i++)
        if (focus_path_repeats(paths[i].call_path))
            paths[i].inclusive_ns = 0;
    take_paths(profile, paths, n);
    database_rows_free(paths, n, TRIAL_PROFILE_LETTERS);
    return 0;
}

void reduce_profile_release(struct reduce_profile *profile)
{
    FREE_MEMBERS(profile->rows, profile->n_rows, name, file);
    FREE_ALL(profile->rows, profile->parts);
    *profile = (struct reduce_profile){0};
}

const struct reduction_row *reduce_profile_find(const struct reduce_profile *profile,
                                                const char *name)
{
    return ITEM_BY(profile->rows, profile->n_rows, name, name);
}

// SPDX-License-Identifier: BSD-3-Clause
// Profiles by function (see profile.h): sums over ranks divided by their number.
#include "analyzer/reduction/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/replay/replay_run.h"
#include "db/database.h"
#include "db/focus.h"
#include "db/query/figures.h"
#include "db/trials.h"

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/// Time outside recorded functions is called so, and is no function.
static bool is_function(const char *name)
{
    static const char *const others[] = {RESULT_REGION_PROGRAM, RESULT_REGION_THREAD,
                                         RESULT_REGION_OFF,     RESULT_REGION_BEFORE,
                                         RESULT_REGION_CLOCK,   RESULT_REGION_NO_CPU};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return strncmp(name, "MPI_", 4) != 0;
}

/// Adds a function with its sums over ranks.
static void add(struct reduce_profile *profile, const char *name, const char *file, uint64_t visits,
                uint64_t inclusive_ns, uint64_t exclusive_ns)
{
    if (visits == 0 || !is_function(name)) // without visits: the caller of a call
        return;
    profile->rows = array_reserve(profile->rows, &profile->capacity, profile->n_rows + 1,
                                  sizeof *profile->rows);
    profile->rows[profile->n_rows++] = (struct reduction_row){
        .name = memory_copy_text(name),
        .file = memory_copy_text(strcmp(file, "unknown") == 0 ? "" : base_name(file)),
        .n_calls = (double)visits,
        .inclusive_us = (double)inclusive_ns / 1e3,
        .exclusive_us = (double)exclusive_ns / 1e3,
        .after_inclusive_us = NAN,
    };
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct reduction_row *)a)->name, ((const struct reduction_row *)b)->name);
}

static int by_name_of_pointer(const void *a, const void *b)
{
    return by_name(*(const struct reduction_row *const *)a,
                   *(const struct reduction_row *const *)b);
}

static int by_inclusive_time(const void *a, const void *b)
{
    const struct reduction_row *left = a, *right = b;
    if (left->inclusive_us != right->inclusive_us)
        return left->inclusive_us < right->inclusive_us ? 1 : -1;
    return by_name(a, b);
}

/// Rows of one name become one; sums become means; the heaviest come first.
static void settle(struct reduce_profile *profile, uint64_t time_ns)
{
    size_t n = 0;
    profile->time_ns = time_ns;
    double n_ranks = profile->n_ranks > 0 ? (double)profile->n_ranks : 1;
    if (profile->n_rows == 0)
        return;
    qsort(profile->rows, profile->n_rows, sizeof *profile->rows, by_name);
    for (size_t i = 0; i < profile->n_rows; i++) {
        struct reduction_row *row = &profile->rows[i];
        struct reduction_row *last = n > 0 ? &profile->rows[n - 1] : NULL;
        if (!last || strcmp(last->name, row->name) != 0) {
            profile->rows[n++] = *row;
            continue;
        }
        last->n_calls += row->n_calls;
        last->inclusive_us += row->inclusive_us;
        last->exclusive_us += row->exclusive_us;
        free(row->name);
        free(row->file);
    }
    profile->n_rows = n;
    for (size_t i = 0; i < n; i++) {
        struct reduction_row *row = &profile->rows[i];
        row->n_calls /= n_ranks;
        row->inclusive_us /= n_ranks;
        row->exclusive_us /= n_ranks;
        row->percent = reduce_profile_percent(profile, row->inclusive_us);
    }
    qsort(profile->rows, n, sizeof *profile->rows, by_inclusive_time);
}

double reduce_profile_percent(const struct reduce_profile *profile, double inclusive_us)
{
    return profile->time_ns > 0 ? 1e5 * inclusive_us / (double)profile->time_ns : 0;
}

// --- by rank

/// The rows by name, for look-ups; to be freed.
static const struct reduction_row **index_rows(const struct reduce_profile *profile)
{
    const struct reduction_row **index = memory_zeroed(profile->n_rows + 1, sizeof *index);
    for (size_t i = 0; i < profile->n_rows; i++)
        index[i] = &profile->rows[i];
    if (profile->n_rows > 0)
        qsort(index, profile->n_rows, sizeof *index, by_name_of_pointer);
    return index;
}

/// The number of the row called NAME, RESULT_NONE when there is none.
static uint32_t row_called(const struct reduce_profile *profile,
                           const struct reduction_row *const *index, const char *name)
{
    size_t low = 0, high = profile->n_rows;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(name, index[middle]->name);
        if (order == 0)
            return (uint32_t)(index[middle] - profile->rows);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return RESULT_NONE;
}

/// A call path on a rank; IS_NESTED: below another call of the same function, whose inclusive time
/// has it already.
static void add_part(struct reduce_profile *profile, uint32_t row, uint32_t rank, bool is_nested,
                     const uint64_t values[3])
{
    if (row == RESULT_NONE)
        return;
    profile->parts = array_reserve(profile->parts, &profile->parts_capacity, profile->n_parts + 1,
                                   sizeof *profile->parts);
    profile->parts[profile->n_parts++] =
        (struct reduce_part){.row = row,
                             .rank = rank,
                             .n_calls = (double)values[0],
                             .inclusive_us = is_nested ? 0 : (double)values[1] / 1e3,
                             .exclusive_us = (double)values[2] / 1e3};
}

static int by_row(const void *a, const void *b)
{
    const struct reduce_part *left = a, *right = b;
    if (left->row != right->row)
        return left->row < right->row ? -1 : 1;
    return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static void merge_parts(struct reduce_profile *profile)
{
    size_t n = 0;
    if (profile->n_parts > 0)
        qsort(profile->parts, profile->n_parts, sizeof *profile->parts, by_row);
    for (size_t i = 0; i < profile->n_parts; i++) {
        const struct reduce_part *part = &profile->parts[i];
        if (n > 0 && by_row(&profile->parts[n - 1], part) == 0) {
            profile->parts[n - 1].n_calls += part->n_calls;
            profile->parts[n - 1].inclusive_us += part->inclusive_us;
            profile->parts[n - 1].exclusive_us += part->exclusive_us;
        } else {
            profile->parts[n++] = *part;
        }
    }
    profile->n_parts = n;
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

static void take_parts(struct reduce_profile *profile, const struct result *result)
{
    const struct reduction_row **index = index_rows(profile);
    uint32_t path = RESULT_NONE, row = RESULT_NONE;
    bool nested = false;
    for (size_t i = 0; i < result->n_path_ranks; i++) {
        const struct result_path_rank *value = &result->path_ranks[i];
        if (value->path != path) {
            path = value->path;
            row = row_called(profile, index, result->regions[result->paths[path].region].name);
            nested = row != RESULT_NONE && is_nested(result, path);
        }
        add_part(profile, row, value->rank, nested,
                 (const uint64_t[]){value->visits, value->inclusive_ns, value->exclusive_ns});
    }
    merge_parts(profile);
    free(index);
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
            free(row->name);
            free(row->file);
        }
    }
    profile->n_rows = n;
    profile->n_parts = 0; // of rows that have moved
    profile->n_ranks = 1;
    if (n > 0)
        qsort(profile->rows, n, sizeof *profile->rows, by_inclusive_time);
    return 0;
}

static void take_result(struct reduce_profile *profile, const struct result *result)
{
    profile->n_events = result->n_events;
    profile->has_unreadable_records = damage_warn(result);
    for (size_t i = 0; i < result->n_ranks; i++)
        profile->n_ranks += !result->ranks[i].is_skipped;
    for (size_t i = 0; i < result->n_properties; i++)
        if (strcmp(result->properties[i].name, "PAGODA::LAUNCH_NS") == 0)
            profile->launch_ns = strtoull(result->properties[i].value, NULL, 10);
    for (size_t i = 0; i < result->n_regions; i++) {
        const struct result_region *region = &result->regions[i];
        if (!region->is_mpi)
            add(profile, region->name, region->file, region->visits, region->inclusive_ns,
                region->exclusive_ns);
    }
    settle(profile, result->time_ns);
    take_parts(profile, result);
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

struct part_taker {
    struct reduce_profile *profile;
    const struct reduction_row **index;
};

static void take_stored_part(void *user, const char *function, const char *call_path, uint32_t rank,
                             const uint64_t values[3])
{
    const struct part_taker *taker = user;
    uint32_t row = row_called(taker->profile, taker->index, function);
    if (row != RESULT_NONE)
        add_part(taker->profile, row, rank, focus_path_repeats(call_path), values);
}

static int take_stored_parts(struct reduce_profile *profile, const char *path, int64_t trial,
                             struct error *err)
{
    struct part_taker taker = {profile, index_rows(profile)};
    struct database *database;
    int status = database_open(&database, path, DATABASE_READ, err);
    if (status == 0)
        status = trial_profile(database, trial, take_stored_part, &taker, err);
    database_close(database);
    merge_parts(profile);
    free(taker.index);
    return status;
}

int reduce_profile_of_trial(struct reduce_profile *profile, const char *path, const char *trial,
                            struct error *err)
{
    struct trial_details details;
    *profile = (struct reduce_profile){0};
    if (trial_read(path, trial, &details, err) != 0)
        return -1;
    profile->n_ranks = details.summary.n_ranks;
    profile->n_events = details.n_events;
    for (size_t i = 0; i < details.regions.n_rows; i++) {
        const struct trial_row *row = &details.regions.rows[i];
        if (strcmp(row->group, "MPI") != 0)
            add(profile, row->name, row->group, row->count, row->time_ns, row->exclusive_ns);
    }
    settle(profile, details.summary.time_ns);
    int64_t id = details.summary.id;
    trial_details_release(&details);
    return take_stored_parts(profile, path, id, err);
}

void reduce_profile_release(struct reduce_profile *profile)
{
    for (size_t i = 0; i < profile->n_rows; i++) {
        free(profile->rows[i].name);
        free(profile->rows[i].file);
    }
    free(profile->rows);
    free(profile->parts);
    *profile = (struct reduce_profile){0};
}

const struct reduction_row *reduce_profile_find(const struct reduce_profile *profile,
                                                const char *name)
{
    for (size_t i = 0; i < profile->n_rows; i++)
        if (strcmp(profile->rows[i].name, name) == 0)
            return &profile->rows[i];
    return NULL;
}

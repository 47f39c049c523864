// SPDX-License-Identifier: BSD-3-Clause
// Profiles by function (see profile.h): sums over ranks divided by their number.
#include "analyzer/cmd/reduce/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/data_folder.h"
#include "analyzer/base/memory.h"
#include "analyzer/cmd/replay_run.h"
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
                                         RESULT_REGION_OFF, RESULT_REGION_BEFORE,
                                         RESULT_REGION_CLOCK};
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
        row->percent = time_ns > 0 ? 1e5 * row->inclusive_us / (double)time_ns : 0;
    }
    qsort(profile->rows, n, sizeof *profile->rows, by_inclusive_time);
}

static void take_result(struct reduce_profile *profile, const struct result *result)
{
    profile->n_events = result->n_events;
    profile->has_unreadable_records = result->has_unreadable_records;
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
}

int reduce_profile_of_trace(struct reduce_profile *profile, const char *trace, struct error *err)
{
    struct replay_run run;
    *profile = (struct reduce_profile){0};
    char *directory = data_folder(err);
    struct catalogue *catalogue = directory ? catalogue_load(directory, NULL, 0, err) : NULL;
    free(directory);
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
    trial_details_release(&details);
    return 0;
}

void reduce_profile_release(struct reduce_profile *profile)
{
    for (size_t i = 0; i < profile->n_rows; i++) {
        free(profile->rows[i].name);
        free(profile->rows[i].file);
    }
    free(profile->rows);
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

// SPDX-License-Identifier: BSD-3-Clause
// Reads the resources of trials, has them merged, prints them (see structure.h).
#include "analyzer/cmd/diff/structure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/compare/resource_path.h"
#include "analyzer/compare/structure.h"
#include "analyzer/report/difference.h"
#include "analyzer/report/structure.h"
#include "analyzer/result/result.h"
#include "db/query/times.h"

struct merging {
    struct structure structure;
    const struct resource_map *map;
    int64_t ids[STRUCTURE_MAX_RUNS];
    char *names[STRUCTURE_MAX_RUNS];
    size_t n_runs;
};

/// Whether the scheduler of the machine made the resource, and not the program: each run has its
/// own.
static bool is_chance(const char *path)
{
    char *name = difference_plain(resource_path_last(path));
    bool is_one = strcmp(name, RESULT_REGION_NO_CPU) == 0;
    free(name);
    return is_one;
}

static void add_resource(void *user, const char *path)
{
    struct merging *merging = user;
    if (is_chance(path))
        return;
    char *mapped = resource_map_apply(merging->map, path);
    structure_add(&merging->structure, (unsigned)merging->n_runs, mapped);
    free(mapped);
}

static int add_trial(struct merging *merging, struct database *database, int64_t id,
                     struct error *err)
{
    for (size_t i = 0; i < merging->n_runs; i++)
        if (merging->ids[i] == id)
            return 0;
    if (merging->n_runs == STRUCTURE_MAX_RUNS)
        return error_set(err, "at most %d trials can be compared by structure", STRUCTURE_MAX_RUNS);
    struct trial_time time;
    if (trial_resources(database, id, add_resource, merging, err) ||
        trial_time_read(database, id, &time, err))
        return -1;
    merging->ids[merging->n_runs] = id;
    merging->names[merging->n_runs++] = memory_copy_text(time.name);
    trial_time_release(&time);
    return 0;
}

int diff_structure(struct database *database, char *const *selectors, size_t n,
                   const struct diff_structure_options *options, struct error *err)
{
    struct merging *merging = memory_zeroed(1, sizeof *merging);
    merging->map = options->map;
    int status = 0;
    for (size_t i = 0; i < n && status == 0; i++) {
        struct trial_group group = {0};
        status = trial_group_to_compare(database, selectors[i], &group, err);
        for (size_t j = 0; j < group.n_ids && status == 0; j++)
            status = add_trial(merging, database, group.ids[j], err);
        trial_group_release(&group);
    }
    if (status == 0) {
        structure_merge(&merging->structure);
        struct structure_page page = {options->is_of_traces ? NULL : database->path, merging->names,
                                      merging->n_runs, &merging->structure};
        if (options->wants_json)
            status = json_print_structure(&page, PAGODA_VERSION, stdout, err);
        else
            text_print_structure(&page, options->shows_all, stdout);
    }
    for (size_t i = 0; i < merging->n_runs; i++)
        free(merging->names[i]);
    structure_release(&merging->structure);
    free(merging);
    return status;
}

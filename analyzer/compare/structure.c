// SPDX-License-Identifier: BSD-3-Clause
// The union by sorting: equal paths become neighbours (see structure.h).
#include "analyzer/compare/structure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/compare/resource_path.h"
#include "analyzer/result/result.h"
#include "db/query/figures.h"
#include "db/query/selection.h"

static void add_one(struct structure *structure, unsigned run, const char *path, size_t length)
{
    char *copy = memory_new(length + 1);
    memcpy(copy, path, length);
    copy[length] = '\0';
    *ARRAY_NEXT(structure->resources, structure->n_resources, structure->capacity) =
        (struct structure_resource){copy, UINT64_C(1) << run};
}

void structure_add(struct structure *structure, unsigned run, const char *path)
{
    size_t length = resource_path_next(path, 0);
    while (path[length]) {
        length = resource_path_next(path, length);
        add_one(structure, run, path, length);
    }
}

static int compare_resources(const void *a, const void *b)
{
    return resource_path_compare(((const struct structure_resource *)a)->path,
                                 ((const struct structure_resource *)b)->path);
}

void structure_merge(struct structure *structure)
{
    size_t n_kept = 0;
    if (structure->n_resources)
        qsort(structure->resources, structure->n_resources, sizeof *structure->resources,
              compare_resources);
    for (size_t i = 0; i < structure->n_resources; i++) {
        struct structure_resource *resource = &structure->resources[i];
        if (n_kept && !strcmp(structure->resources[n_kept - 1].path, resource->path)) {
            structure->resources[n_kept - 1].run_ids |= resource->run_ids;
            free(resource->path);
        } else {
            structure->resources[n_kept++] = *resource;
        }
    }
    structure->n_resources = n_kept;
}

void structure_release(struct structure *structure)
{
    FREE_MEMBERS(structure->resources, structure->n_resources, path);
    free(structure->resources);
    *structure = (struct structure){0};
}

/// Whether the scheduler of the machine made the resource, and not the program: each run has its
/// own.
static bool is_chance(const char *path)
{
    SCOPED char *name = resource_path_plain(resource_path_last(path));
    return strcmp(name, RESULT_REGION_NO_CPU) == 0 || strcmp(name, RESULT_REGION_BLOCKED) == 0;
}

static int add_trial(struct structure_page *page, const struct resource_map *map,
                     struct database *database, int64_t id, struct error *err)
{
    struct trial_time time;
    size_t n;
    char **paths = trial_resources(database, id, &n, err);
    for (size_t i = 0; i < n; i++) {
        SCOPED char *mapped = is_chance(paths[i]) ? NULL : resource_map_apply(map, paths[i]);
        if (mapped)
            structure_add(&page->structure, (unsigned)page->n_runs, mapped);
    }
    database_rows_free(paths, n, "c");
    if (!paths || trial_time_read(database, id, &time, err))
        return -1;
    page->runs[page->n_runs++] = memory_copy_text(time.name);
    trial_time_release(&time);
    return 0;
}

int structure_page_read(struct database *database, char *const *selectors, size_t n,
                        const struct resource_map *map, struct structure_page *page,
                        struct error *err)
{
    struct trial_group group;
    *page = (struct structure_page){.database = database->path};
    int status = trial_group_to_compare(database, selectors, n, &group, err);
    if (status == 0 && group.n_ids > STRUCTURE_MAX_RUNS)
        status =
            error_set(err, "at most %d trials can be compared by structure", STRUCTURE_MAX_RUNS);
    for (size_t i = 0; i < group.n_ids && status == 0; i++)
        status = add_trial(page, map, database, group.ids[i], err);
    trial_group_release(&group);
    if (status == 0)
        structure_merge(&page->structure);
    else
        structure_page_release(page);
    return status;
}

void structure_page_release(struct structure_page *page)
{
    for (size_t i = 0; i < page->n_runs; i++)
        free(page->runs[i]);
    structure_release(&page->structure);
    *page = (struct structure_page){0};
}

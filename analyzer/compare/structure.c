// SPDX-License-Identifier: BSD-3-Clause
// The union by sorting: equal paths become neighbours (see structure.h).
#include "analyzer/compare/structure.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/compare/resource_path.h"

static void add_one(struct structure *structure, unsigned run, const char *path, size_t length)
{
    structure->resources = array_reserve(structure->resources, &structure->capacity,
                                         structure->n_resources + 1, sizeof *structure->resources);
    char *copy = memory_new(length + 1);
    memcpy(copy, path, length);
    copy[length] = '\0';
    structure->resources[structure->n_resources++] =
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
    for (size_t i = 0; i < structure->n_resources; i++)
        free(structure->resources[i].path);
    free(structure->resources);
    *structure = (struct structure){0};
}

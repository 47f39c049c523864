// SPDX-License-Identifier: BSD-3-Clause
// The uses of all locations, sorted and put together, first by the files of the definitions.
#include "analyzer/result/parts.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

static void add_sums(struct file_sums *to, const struct file_sums *sums)
{
    to->n_opens += sums->n_opens;
    to->n_reads += sums->n_reads;
    to->read_bytes += sums->read_bytes;
    to->n_writes += sums->n_writes;
    to->written_bytes += sums->written_bytes;
    to->n_syncs += sums->n_syncs;
    to->n_small += sums->n_small;
    to->ns += sums->ns;
    to->own_ns += sums->own_ns;
}

static int compare_uses(const void *a, const void *b)
{
    const struct result_file_use *left = a, *right = b;
    return ORDER_BY(LESS_FIRST(left->file, right->file), LESS_FIRST(left->path, right->path),
                    LESS_FIRST(left->rank, right->rank),
                    LESS_FIRST(left->is_inner, right->is_inner));
}

static void sort_uses(struct result *result)
{
    qsort(result->file_uses, result->n_file_uses, sizeof *result->file_uses, compare_uses);
}

static void add_location(const struct call_tree *tree, uint32_t location, struct result *result)
{
    const struct pag_location *from = &tree->replay->locations[location];
    for (size_t i = 0; i < from->n_file_uses; i++) {
        const struct file_use *use = &from->file_uses[i];
        uint32_t path = call_tree_place(tree, location, use->path).path;
        if (path != RESULT_NONE)
            result->file_uses[result->n_file_uses++] = (struct result_file_use){
                use->file, path, tree->definitions->locations[location].rank, use->is_inner,
                use->sums};
    }
}

/// Puts those of several locations of a rank together.
static void merge_uses(struct result *result)
{
    size_t n = 0;
    for (size_t i = 0; i < result->n_file_uses; i++) {
        const struct result_file_use *use = &result->file_uses[i];
        if (n > 0 && compare_uses(&result->file_uses[n - 1], use) == 0)
            add_sums(&result->file_uses[n - 1].sums, &use->sums);
        else
            result->file_uses[n++] = *use;
    }
    result->n_file_uses = n;
}

/// A file of the definitions and its sums.
struct used_file {
    uint32_t file;
    const char *name, *paradigm;
    struct file_sums sums;
};

/// Numbers the files that are used anew.
static void put_files(const struct definitions *definitions, struct result *result)
{
    SCOPED struct used_file *used = memory_zeroed(result->n_file_uses, sizeof *used);
    SCOPED uint32_t *places = memory_zeroed(definitions->n_files, sizeof *places);
    size_t n = 0;
    for (size_t i = 0; i < result->n_file_uses; i++) { // sorted by file
        const struct result_file_use *use = &result->file_uses[i];
        const struct file *file = &definitions->files[use->file];
        if (n == 0 || used[n - 1].file != use->file)
            used[n++] = (struct used_file){use->file, file->name, file->paradigm, {0}};
        add_sums(&used[n - 1].sums, &use->sums);
    }
    SORT_BY(used, n, MOST(sums.ns), LEAST(name), LEAST(paradigm), LEAST(file));
    result->files = memory_zeroed(n, sizeof *result->files);
    result->n_files = n;
    for (uint32_t i = 0; i < n; i++) {
        result->files[i] = (struct result_file){utf8_clean(used[i].name),
                                                utf8_clean(used[i].paradigm), used[i].sums};
        places[used[i].file] = i;
    }
    for (size_t i = 0; i < result->n_file_uses; i++)
        result->file_uses[i].file = places[result->file_uses[i].file];
}

void files_collect(const struct call_tree *tree, struct result *result)
{
    size_t n = 0;
    for (size_t i = 0; i < tree->replay->n_locations; i++)
        n += tree->replay->locations[i].n_file_uses;
    if (n == 0)
        return;
    result->file_uses = memory_zeroed(n, sizeof *result->file_uses);
    for (size_t i = 0; i < tree->replay->n_locations; i++)
        add_location(tree, (uint32_t)i, result);
    sort_uses(result);
    merge_uses(result);
    put_files(tree->definitions, result);
    sort_uses(result);
}

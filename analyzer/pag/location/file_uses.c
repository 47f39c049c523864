// SPDX-License-Identifier: BSD-3-Clause
// See file_uses.h. Memory grows with the pairs of a call path and a file that occur.
#include "analyzer/pag/location/file_uses.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

/// The use of the file of OPERATION at PATH.
static struct file_use *use_at(struct file_uses *uses, uint32_t path,
                               const struct file_operation *operation)
{
    uint64_t key = (uint64_t)path << 32 | operation->file << 1 | operation->is_inner;
    uint32_t place = (uint32_t)uses->n;
    if (map_get(&uses->places, key, &place))
        return &uses->items[place];
    map_put(&uses->places, key, place);
    struct file_use *use = ARRAY_NEXT(uses->items, uses->n, uses->capacity);
    *use =
        (struct file_use){.path = path, .file = operation->file, .is_inner = operation->is_inner};
    return use;
}

void file_uses_add(struct file_uses *uses, uint32_t path, const struct file_operation *operation)
{
    struct file_sums *sums = &use_at(uses, path, operation)->sums;
    bool is_transfer = operation->kind == FILE_READ || operation->kind == FILE_WRITE;
    sums->n_opens += operation->kind == FILE_OPEN;
    sums->n_syncs += operation->kind == FILE_SYNC;
    sums->n_reads += operation->kind == FILE_READ;
    sums->n_writes += operation->kind == FILE_WRITE;
    sums->n_small += is_transfer && operation->size_bytes < FILE_SMALL_REQUEST_BYTES;
    sums->read_bytes += operation->kind == FILE_READ ? operation->size_bytes : 0;
    sums->written_bytes += operation->kind == FILE_WRITE ? operation->size_bytes : 0;
    sums->ns += operation->duration;
    sums->own_ns += operation->own_duration;
}

void file_uses_release(struct file_uses *uses)
{
    free(uses->items);
    map_release(&uses->places);
    *uses = (struct file_uses){0};
}

void file_uses_pass(struct file_uses *uses, size_t n_paths, size_t n_files, struct numbers *numbers)
{
    size_t n = numbers_pass_count(numbers, uses->n);
    if (numbers->is_reading) {
        uses->items = array_reserve(uses->items, &uses->capacity, n, sizeof *uses->items);
        uses->n = n;
    }
    for (size_t i = 0; i < n; i++) {
        struct file_use *use = &uses->items[i];
        if (numbers->is_reading)
            *use = (struct file_use){0};
        uint64_t *const values[] = {&use->sums.n_opens,       &use->sums.n_reads,
                                    &use->sums.read_bytes,    &use->sums.n_writes,
                                    &use->sums.written_bytes, &use->sums.n_syncs,
                                    &use->sums.n_small,       &use->sums.ns,
                                    &use->sums.own_ns};
        use->path = numbers_pass_index(numbers, use->path, n_paths);
        use->file = numbers_pass_index(numbers, use->file, n_files);
        use->is_inner = numbers_pass(numbers, use->is_inner);
        for (size_t k = 0; k < sizeof values / sizeof values[0]; k++)
            *values[k] = numbers_pass(numbers, *values[k]);
    }
}

// SPDX-License-Identifier: BSD-3-Clause
// Blocking operations of a thread nest, as one library calls another; nonblocking ones do not.
#include "analyzer/trace/file_operations.h"

#include "analyzer/base/memory.h"

enum { MAX_OPEN = 4096 }; // further ones are ignored: records may lack their ends

void file_operations_begin(struct file_operations *operations)
{
    operations->is_on = operations->is_wanted;
    operations->n_open = operations->n_done = 0;
}

void file_operations_release(struct file_operations *operations)
{
    FREE_ALL(operations->open, operations->done);
    *operations = (struct file_operations){0};
}

/// The innermost blocking operation that is open; NULL without.
static struct open_operation *innermost(const struct file_operations *operations)
{
    for (size_t i = operations->n_open; i-- > 0;)
        if (!operations->open[i].is_nonblocking)
            return &operations->open[i];
    return NULL;
}

void file_operation_begin(struct file_operations *operations, struct open_operation begun)
{
    if (operations->n_open == MAX_OPEN)
        return;
    begun.is_inner = innermost(operations) != NULL;
    begun.inner_ticks = 0;
    *ARRAY_NEXT(operations->open, operations->n_open, operations->open_capacity) = begun;
}

/// Takes an operation out of those that are open; false if it is none of them.
static bool take(struct file_operations *operations, uint32_t handle, uint64_t id,
                 struct open_operation *taken)
{
    size_t i = operations->n_open;
    while (i > 0 && (operations->open[i - 1].handle != handle || operations->open[i - 1].id != id))
        i--;
    if (i == 0)
        return false;
    *taken = operations->open[i - 1];
    operations->n_open--;
    for (; i <= operations->n_open; i++)
        operations->open[i - 1] = operations->open[i];
    return true;
}

void file_operation_end(struct file_operations *operations, uint32_t handle, uint64_t id,
                        uint64_t size_bytes, uint64_t ticks, uint32_t before)
{
    struct open_operation taken;
    if (!take(operations, handle, id, &taken))
        return;
    struct file_operation done = {.before = before,
                                  .file = taken.file,
                                  .kind = taken.kind,
                                  .is_inner = taken.is_inner,
                                  .size_bytes = taken.kind == FILE_SYNC ? 0 : size_bytes};
    if (!taken.is_nonblocking && ticks > taken.begin_ticks) {
        struct open_operation *outer = innermost(operations);
        done.duration = ticks - taken.begin_ticks;
        done.own_duration =
            done.duration > taken.inner_ticks ? done.duration - taken.inner_ticks : 0;
        if (outer)
            outer->inner_ticks += done.duration;
    }
    *ARRAY_NEXT(operations->done, operations->n_done, operations->capacity) = done;
}

void file_operation_cancel(struct file_operations *operations, uint32_t handle, uint64_t id)
{
    struct open_operation taken;
    take(operations, handle, id, &taken);
}

void file_operation_open(struct file_operations *operations, uint32_t file, uint32_t before)
{
    *ARRAY_NEXT(operations->done, operations->n_done, operations->capacity) =
        (struct file_operation){.before = before, .file = file, .kind = FILE_OPEN};
}

// SPDX-License-Identifier: BSD-3-Clause
// Arrays are freed at the end of a walk, which visits their items until then. Whether a pointer
// that is read was NULL is known from the struct around it, which was read before.
#include "analyzer/base/owned.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

void owned_block(struct owned *walk, void *block, size_t n)
{
    if (walk->purpose == OWNED_FREE || n == 0)
        return;
    if (walk->purpose == OWNED_READ) {
        assert(walk->position + n <= walk->n && "bug: less was written than is read");
        memcpy(block, walk->bytes + walk->position, n);
        walk->position += n;
        return;
    }
    walk->bytes = array_reserve(walk->bytes, &walk->capacity, walk->n + n, 1);
    memcpy(walk->bytes + walk->n, block, n);
    walk->n += n;
}

void owned_text(struct owned *walk, char **text)
{
    if (walk->purpose == OWNED_FREE) {
        free(*text);
    } else if (*text && walk->purpose == OWNED_WRITE) {
        owned_block(walk, *text, strlen(*text) + 1);
    } else if (*text) {
        *text = memory_copy_text(walk->bytes + walk->position);
        walk->position += strlen(*text) + 1;
    }
}

void owned_texts(struct owned *walk, char ***texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        owned_text(walk, texts[i]);
}

void *owned_array(struct owned *walk, void *items, size_t n, size_t item_bytes)
{
    if (!items)
        return NULL;
    if (walk->purpose == OWNED_FREE) {
        *ARRAY_NEXT(walk->arrays, walk->n_arrays, walk->arrays_capacity) = items;
    } else if (walk->purpose == OWNED_READ) {
        items = memory_zeroed(n, item_bytes);
    }
    owned_block(walk, items, n * item_bytes);
    return items;
}

void owned_item_texts(struct owned *walk, void *items, size_t n, size_t item_bytes,
                      const size_t *offsets, size_t n_offsets)
{
    for (size_t i = 0; i < n && items; i++)
        for (size_t k = 0; k < n_offsets; k++)
            owned_text(walk, (char **)(void *)((char *)items + i * item_bytes + offsets[k]));
}

void owned_end(struct owned *walk)
{
    memory_free_each(walk->arrays, walk->n_arrays);
    if (walk->purpose == OWNED_WRITE)
        free(walk->bytes);
    *walk = (struct owned){.purpose = walk->purpose};
}

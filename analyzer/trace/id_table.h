// SPDX-License-Identifier: BSD-3-Clause
// Translates the archive's identifiers into dense indices: an array while the identifiers are
// small, a hash map for those beyond (64-bit location ids, sparse ids of some converters).
#ifndef PAGODA_TRACE_ID_TABLE_H
#define PAGODA_TRACE_ID_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/map.h"

enum { ID_TABLE_DENSE_LIMIT = 1 << 20 }; // larger identifiers go to the hash map

struct id_table {
    uint32_t *dense; // UINT32_MAX where nothing is defined
    size_t n_dense;
    size_t capacity;
    struct map sparse;
};

/// An empty table holds no memory; id_table_release() leaves an empty one behind.
void id_table_init(struct id_table *table);
void id_table_release(struct id_table *table);

/// Gives ID the value INDEX, which is not UINT32_MAX; false (and no change) when it has one.
bool id_table_add(struct id_table *table, uint64_t id, uint32_t index);

/// The slow half of id_table_get().
uint32_t id_table_get_sparse(const struct id_table *table, uint64_t id);

/// The index of ID, UINT32_MAX when there is none.
static inline uint32_t id_table_get(const struct id_table *table, uint64_t id)
{
    return id < table->n_dense ? table->dense[id] : id_table_get_sparse(table, id);
}

#endif

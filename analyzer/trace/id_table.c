// SPDX-License-Identifier: BSD-3-Clause
// Identifier tables (see id_table.h). The dense part grows to the largest small identifier.
#include "analyzer/trace/id_table.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

void id_table_init(struct id_table *table)
{
    *table = (struct id_table){0};
    map_init(&table->sparse);
}

void id_table_release(struct id_table *table)
{
    free(table->dense);
    map_release(&table->sparse);
    id_table_init(table);
}

bool id_table_add(struct id_table *table, uint64_t id, uint32_t index)
{
    if (id_table_get(table, id) != UINT32_MAX)
        return false;
    if (id >= ID_TABLE_DENSE_LIMIT) {
        map_put(&table->sparse, id, index);
        return true;
    }
    if (id >= table->n_dense) {
        table->dense = array_reserve(table->dense, &table->capacity, id + 1, sizeof *table->dense);
        while (table->n_dense <= id)
            table->dense[table->n_dense++] = UINT32_MAX;
    }
    table->dense[id] = index;
    return true;
}

uint32_t id_table_get_sparse(const struct id_table *table, uint64_t id)
{
    uint32_t index = UINT32_MAX;
    map_get(&table->sparse, id, &index);
    return index;
}

// SPDX-License-Identifier: BSD-3-Clause
// Rows as JSON, by jansson (see relation.h).
#include "analyzer/report/relation.h"

#include <jansson.h>

#include "analyzer/report/json/values.h"

static json_t *cell_value(const struct relation_cell *cell)
{
    switch (cell->kind) {
    case CELL_TEXT:
        return json_clean_text(cell->text);
    case CELL_INTEGER:
        return json_integer(cell->integer);
    case CELL_NUMBER:
        return json_real(cell->number);
    case CELL_NULL:
        break;
    }
    return json_null();
}

int relation_print_json(const struct relation *relation, const char *database, const char *version,
                        FILE *stream, struct error *err)
{
    json_t *root = json_object(), *columns = json_array(), *rows = json_array();
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "pagoda", json_string(version));
    json_object_set_new(root, "database", json_clean_text(database));
    for (size_t i = 0; i < relation->n_columns; i++)
        json_array_append_new(columns, json_string(relation->columns[i]));
    json_object_set_new(root, "columns", columns);
    json_t *row = NULL;
    for (size_t i = 0; i < relation->n_cells; i++) {
        if (i % relation->n_columns == 0) {
            row = json_object();
            json_array_append_new(rows, row);
        }
        json_object_set_new(row, relation->columns[i % relation->n_columns],
                            cell_value(&relation->cells[i]));
    }
    json_object_set_new(root, "rows", rows);
    return json_print_object(root, JSON_INDENT(1), "the rows", stream, err);
}

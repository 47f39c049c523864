// SPDX-License-Identifier: BSD-3-Clause
// Filling a relation, and printing it as text, CSV and JSON.
#include "analyzer/report/relation.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/format/csv.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/report/json.h"
#include "analyzer/report/report.h"
#include "analyzer/report/table.h"

void relation_add_column(struct relation *relation, const char *name)
{
    char *unique = utf8_clean(name);
    for (unsigned number = 2; HAS_TEXT(relation->columns, relation->n_columns, unique); number++) {
        free(unique);
        unique = memory_format("%s:%u", name, number);
    }
    *ARRAY_NEXT(relation->columns, relation->n_columns, relation->columns_capacity) = unique;
}

void relation_add_names(struct relation *relation, const char *const *names)
{
    for (; *names; names++)
        relation_add_column(relation, *names);
}

static void add_cell(struct relation *relation, struct relation_cell cell)
{
    *ARRAY_NEXT(relation->cells, relation->n_cells, relation->capacity) = cell;
}

void relation_add_text(struct relation *relation, const char *text)
{
    struct relation_cell cell = {.kind = text ? CELL_TEXT : CELL_NULL};
    cell.text = text ? utf8_clean(text) : NULL;
    add_cell(relation, cell);
}

void relation_add_integer(struct relation *relation, int64_t value)
{
    add_cell(relation, (struct relation_cell){.kind = CELL_INTEGER, .integer = value});
}

void relation_add_number(struct relation *relation, double value)
{
    // Sums of counts are counts.
    if (value == floor(value) && fabs(value) < 9e15)
        relation_add_integer(relation, (int64_t)value);
    else
        add_cell(relation, (struct relation_cell){.kind = isnan(value) ? CELL_NULL : CELL_NUMBER,
                                                  .number = value});
}

void relation_add_null(struct relation *relation)
{
    add_cell(relation, (struct relation_cell){.kind = CELL_NULL});
}

/// The unit of a row's values, "" without a column "unit".
static const char *row_unit(const struct relation *relation, const struct relation_cell *row)
{
    for (size_t i = 0; i < relation->n_columns; i++)
        if (!strcmp(relation->columns[i], "unit") && row[i].kind == CELL_TEXT)
            return row[i].text;
    return "";
}

/// Columns whose numbers have the unit of their row.
static bool has_row_unit(const char *column)
{
    static const char *const names[] = {"value", "min", "max", "mean", "median", "stddev", "total"};
    return HAS_TEXT(names, sizeof names / sizeof names[0], column) ||
           (column[0] == 'q' && column[1] >= '0' && column[1] <= '9');
}

static struct quantity time_text(double time_ns)
{
    return quantity_format("%s%s", time_ns < 0 ? "-" : "",
                           quantity_time((uint64_t)fabs(time_ns)).text);
}

static void add_table_cell(struct table *table, const struct relation_cell *cell,
                           const char *column, const char *unit)
{
    double number = cell->kind == CELL_INTEGER ? (double)cell->integer : cell->number;
    bool is_time = text_ends_in(column, "_ns") || (has_row_unit(column) && !strcmp(unit, "ns"));
    bool is_share = !strcmp(unit, "share") && has_row_unit(column);
    if (cell->kind == CELL_NULL)
        table_add_cell(table, "-");
    else if (cell->kind == CELL_TEXT)
        table_add_cell(table, "%s", cell->text);
    else if (is_time)
        table_add_cell(table, "%s", time_text(number).text);
    else if (is_share || !strcmp(column, "severity"))
        table_add_cell(table, "%s", quantity_share(number).text);
    else if (cell->kind == CELL_INTEGER)
        table_add_cell(table, "%" PRId64, cell->integer);
    else
        table_add_cell(table, "%.6g", number);
}

/// A column is aligned to the left when its first value is a text.
static bool is_left(const struct relation *relation, size_t column)
{
    for (size_t i = column; i < relation->n_cells; i += relation->n_columns)
        if (relation->cells[i].kind != CELL_NULL)
            return relation->cells[i].kind == CELL_TEXT;
    return false;
}

/// The column of units has nothing to say where all numbers are printed with theirs: times as 9.040
/// ms, shares in percent.
static bool is_needless(const struct relation *relation, size_t column)
{
    bool has_numbers = false;
    for (size_t i = 0; i < relation->n_columns; i++)
        has_numbers |= has_row_unit(relation->columns[i]);
    if (!has_numbers || strcmp(relation->columns[column], "unit") != 0)
        return false;
    for (size_t i = column; i < relation->n_cells; i += relation->n_columns) {
        const struct relation_cell *cell = &relation->cells[i];
        if (cell->kind != CELL_TEXT || (strcmp(cell->text, "ns") && strcmp(cell->text, "share")))
            return false;
    }
    return true;
}

void relation_print_text(const struct relation *relation, FILE *stream)
{
    struct table table = {0};
    size_t columns[TABLE_MAX_COLUMNS], n_shown = 0, n_left_out = 0;
    for (size_t i = 0; i < relation->n_columns; i++) {
        if (is_needless(relation, i))
            continue;
        n_left_out += n_shown == TABLE_MAX_COLUMNS;
        if (n_shown == TABLE_MAX_COLUMNS)
            continue;
        columns[n_shown++] = i;
        table_add_column(&table, relation->columns[i], is_left(relation, i));
    }
    for (size_t row = 0; row < relation->n_cells; row += relation->n_columns)
        for (size_t i = 0; i < n_shown; i++)
            add_table_cell(&table, &relation->cells[row + columns[i]],
                           relation->columns[columns[i]],
                           row_unit(relation, &relation->cells[row]));
    struct text_options options = text_options_for(stream);
    table_print(&table, 0, options.cuts_lines ? options.width : 0, stream);
    if (n_left_out)
        fprintf(stream, "... and %s more (--csv, --json)\n",
                quantity_count(n_left_out, "column").text);
}

void relation_print_csv(const struct relation *relation, FILE *stream)
{
    for (size_t i = 0; i < relation->n_columns; i++) {
        fputs(i ? "," : "", stream);
        csv_put_text(stream, relation->columns[i]);
    }
    for (size_t i = 0; i < relation->n_cells; i++) {
        const struct relation_cell *cell = &relation->cells[i];
        fputc(i % relation->n_columns ? ',' : '\n', stream);
        if (cell->kind == CELL_TEXT)
            csv_put_text(stream, cell->text);
        else if (cell->kind == CELL_INTEGER)
            fprintf(stream, "%" PRId64, cell->integer);
        else if (cell->kind == CELL_NUMBER)
            fputs(exact_number(cell->number).text, stream);
    }
    fputc('\n', stream);
}

void relation_release(struct relation *relation)
{
    memory_free_each(relation->columns, relation->n_columns);
    FREE_MEMBERS(relation->cells, relation->n_cells, text);
    free(relation->cells);
    *relation = (struct relation){0};
}

static json_t *cell_value(const struct relation_cell *cell)
{
    switch (cell->kind) {
    case CELL_TEXT:
        return json_text(cell->text);
    case CELL_INTEGER:
        return json_integer(cell->integer);
    case CELL_NUMBER:
        return json_real(cell->number);
    case CELL_NULL:
        break;
    }
    return json_null();
}

static json_t *row_object(const struct relation *relation, size_t i)
{
    json_t *row = json_object();
    for (size_t j = 0; j < relation->n_columns; j++)
        JSON_PUT(row,
                 {relation->columns[j], cell_value(&relation->cells[i * relation->n_columns + j])});
    return row;
}

void relation_print_json(const struct relation *relation, const char *source, const char *name,
                         FILE *stream)
{
    size_t n_rows = relation->n_columns ? relation->n_cells / relation->n_columns : 0;
    JSON_PRINT(stream, JSON_INDENT(1), {source, json_text(name)},
               {"columns", JSON_EACH(i, relation->n_columns, json_string(relation->columns[i]))},
               {"rows", JSON_EACH(i, n_rows, row_object(relation, i))});
}

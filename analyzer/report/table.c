// SPDX-License-Identifier: BSD-3-Clause
// Aligned columns and lists (see table.h).
#include "analyzer/report/table.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"

enum { COLUMN_GAP = 2, LEAST_TEXT_COLUMN = 16 };

void table_add_column(struct table *table, const char *title, bool is_left)
{
    assert(table->n_columns < TABLE_MAX_COLUMNS && table->n_cells == 0);
    table->titles[table->n_columns] = title;
    table->is_left[table->n_columns++] = is_left;
}

void table_add_titles(struct table *table, const char *const *titles)
{
    for (; *titles; titles++)
        table_add_column(table, **titles == '<' ? *titles + 1 : *titles, **titles == '<');
}

void table_add_cell(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    SCOPED char *text = memory_format_list(format, arguments);
    va_end(arguments);
    table_add_cells(table, text);
}

void table_add_texts(struct table *table, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        SCOPED char *clean = utf8_clean(texts[i]);
        *ARRAY_NEXT(table->cells, table->n_cells, table->capacity) =
            utf8_shortened(clean, CELL_COLUMNS);
    }
}

static void print_blanks(size_t count, FILE *stream)
{
    fprintf(stream, "%*s", (int)count, "");
}

static void print_row(const struct table *table, const char *const *cells, const size_t *widths,
                      size_t indent, FILE *stream)
{
    print_blanks(indent, stream);
    for (size_t i = 0; i < table->n_columns; i++) {
        size_t cell_width = utf8_width(cells[i]);
        size_t n_blanks = widths[i] > cell_width ? widths[i] - cell_width : 0;
        bool is_last = i + 1 == table->n_columns;
        if (!table->is_left[i])
            print_blanks(n_blanks, stream);
        SCOPED char *cell = cell_width <= widths[i] ? NULL : utf8_shortened(cells[i], widths[i]);
        fputs(cell ? cell : cells[i], stream);
        if (!is_last)
            print_blanks((table->is_left[i] ? n_blanks : 0) + COLUMN_GAP, stream);
    }
    fputc('\n', stream);
}

/// Makes columns of texts narrower, the widest first, until rows fit into WIDTH, or no one can be.
static void fit(const struct table *table, size_t *widths, size_t indent, size_t width)
{
    size_t sum = indent + COLUMN_GAP * (table->n_columns - 1);
    for (size_t i = 0; i < table->n_columns; i++)
        sum += widths[i];
    for (; sum > width; sum--) {
        size_t *widest = NULL;
        for (size_t i = 0; i < table->n_columns; i++)
            if (table->is_left[i] && widths[i] > LEAST_TEXT_COLUMN &&
                (!widest || widths[i] >= *widest))
                widest = &widths[i];
        if (!widest)
            return;
        --*widest;
    }
}

void table_release(struct table *table)
{
    memory_free_each(table->cells, table->n_cells);
    *table = (struct table){0};
}

void table_print(struct table *table, size_t indent, size_t width, FILE *stream)
{
    size_t widths[TABLE_MAX_COLUMNS];
    assert(table->n_columns > 0 && table->n_cells % table->n_columns == 0);
    for (size_t i = 0; i < table->n_columns; i++)
        widths[i] = utf8_width(table->titles[i]);
    for (size_t i = 0; i < table->n_cells; i++) {
        size_t cell_width = utf8_width(table->cells[i]);
        size_t *widest = &widths[i % table->n_columns];
        *widest = cell_width > *widest ? cell_width : *widest;
    }
    if (width > 0)
        fit(table, widths, indent, width);
    print_row(table, table->titles, widths, indent, stream);
    for (size_t i = 0; i < table->n_cells; i += table->n_columns)
        print_row(table, (const char *const *)table->cells + i, widths, indent, stream);
    table_release(table);
}

size_t list_column(size_t columns, const char *name)
{
    size_t needed = strlen(name) + 2;
    return needed > columns ? needed : columns;
}

void print_labelled(const char *label, size_t columns, const char *text, size_t width, FILE *stream)
{
    fprintf(stream, "%-*s", (int)columns, label);
    print_paragraph(text, columns, columns, width, stream);
}

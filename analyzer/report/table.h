// SPDX-License-Identifier: BSD-3-Clause
// Tables for a terminal: cells are texts, columns as wide as their widest cell, numbers to the
// right. Texts may be cut to the width of the terminal.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { TABLE_MAX_COLUMNS = 40 };

struct table {
    size_t n_columns;
    const char *titles[TABLE_MAX_COLUMNS];
    bool is_left[TABLE_MAX_COLUMNS]; // aligned to the left; else to the right
    char **cells;                    // row by row
    size_t n_cells, capacity;
};

/// Adds a column before any row is there. TITLE stays the caller's.
void table_add_column(struct table *table, const char *title, bool is_left);

/// Adds columns of TITLES, up to NULL; "<TITLE" is aligned to the left.
void table_add_titles(struct table *table, const char *const *titles);
#define table_add_columns(table, ...)                                                              \
    table_add_titles(table, (const char *const[]){__VA_ARGS__, NULL})

/// Appends one cell; cells fill rows from left to right. Control characters and bytes that are no
/// UTF-8 are replaced.
void table_add_cell(struct table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Appends N cells, which are TEXTS: table_add_cells(&table, name, quantity_time(ns).text).
void table_add_texts(struct table *table, const char *const *texts, size_t n);
#define table_add_cells(table, ...)                                                                \
    table_add_texts(table, (const char *const[]){__VA_ARGS__},                                     \
                    sizeof(const char *const[]){__VA_ARGS__} / sizeof(char *))

/// Prints titles and rows, each row after INDENT blanks. WIDTH 0: nothing is cut; else texts lose
/// their middle, the widest first, where rows would go beyond it. Releases the table.
void table_print(struct table *table, size_t indent, size_t width, FILE *stream);

/// Of a table that is not printed.
void table_release(struct table *table);

/// COLUMNS, or more if NAME and two blanks need that: how wide a list's first column is.
size_t list_column(size_t columns, const char *name);

/// LABEL, and from column COLUMNS on the words of TEXT up to column WIDTH.
void print_labelled(const char *label, size_t columns, const char *text, size_t width,
                    FILE *stream);

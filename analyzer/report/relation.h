// SPDX-License-Identifier: BSD-3-Clause
// Rows of named columns, as text, CSV or JSON: the answers of `pagoda query`.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum relation_cell_kind { CELL_NULL, CELL_TEXT, CELL_INTEGER, CELL_NUMBER };

struct relation_cell {
    enum relation_cell_kind kind;
    char *text; // CELL_TEXT only
    int64_t integer;
    double number;
};

struct relation {
    char **columns;
    size_t n_columns, columns_capacity;
    struct relation_cell *cells; // row by row
    size_t n_cells, capacity;
};

/// Adds a column before any row is there. ":2", ":3", ... is appended to a name that is taken.
void relation_add_column(struct relation *relation, const char *name);
/// Adds columns of NAMES, up to NULL.
void relation_add_names(struct relation *relation, const char *const *names);
#define relation_add_columns(relation, ...)                                                        \
    relation_add_names(relation, (const char *const[]){__VA_ARGS__, NULL})

/// Appends one cell; cells fill rows from left to right. Text is copied, NULL and NAN are no value.
void relation_add_text(struct relation *relation, const char *text);
void relation_add_integer(struct relation *relation, int64_t value);
void relation_add_number(struct relation *relation, double value);
void relation_add_null(struct relation *relation);

/// Prints a table for people: numbers with six digits, "-" for no value; of the columns whose name
/// ends in "_ns", or whose cell in the column "unit" is "ns", with their unit. On a terminal texts
/// lose their middle where lines would be wider.
void relation_print_text(const struct relation *relation, FILE *stream);

/// Prints comma-separated values (RFC 4180, lines ending in a newline only), numbers exactly.
void relation_print_csv(const struct relation *relation, FILE *stream);

/// Prints {"schema": 1, "pagoda": VERSION, SOURCE: NAME, "columns": [...], "rows": [{...}]}. SOURCE
/// is what the rows are from: "database", "trace".
void relation_print_json(const struct relation *relation, const char *source, const char *name,
                         FILE *stream);

void relation_release(struct relation *relation);

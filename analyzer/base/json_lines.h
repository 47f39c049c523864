// SPDX-License-Identifier: BSD-3-Clause
// JSON lines (https://jsonlines.org): one JSON value a line, here always an object with one member,
// whose value is an object or an array of texts, numbers, truth values and nulls. Files of any
// length are read and written in the memory of one line.
#ifndef PAGODA_BASE_JSON_LINES_H
#define PAGODA_BASE_JSON_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

enum { JSON_LINES_MAX_BYTES = 16 << 20 }; // of one line

// --- writing: the caller writes {, [, commas and keys itself

/// Writes TEXT (valid UTF-8; NULL becomes null) in quotes, with what JSON wants escaped.
void json_line_put_text(FILE *stream, const char *text);
/// Writes a real number so that it is read back exactly, and as no integer.
void json_line_put_number(FILE *stream, double value);

// --- reading

struct json_lines;

enum json_cell_kind {
    JSON_CELL_MISSING,
    JSON_CELL_NULL,
    JSON_CELL_TEXT,
    JSON_CELL_INTEGER,
    JSON_CELL_NUMBER,
    JSON_CELL_OTHER
};

/// A value in a line; the text is valid until the next line is read.
struct json_cell {
    enum json_cell_kind kind;
    const char *text;
    int64_t integer;
    double number; // of an integer, too
};

/// Reads STREAM, called NAME in messages, from where it is. NEXT gives 1 and the next line, 0 at
/// the end, -1 and ERR ("NAME:LINE: ..."). The stream stays the caller's.
struct json_lines *json_lines_new(FILE *stream, const char *name);
int json_lines_next(struct json_lines *lines, struct error *err);
void json_lines_free(struct json_lines *lines);

/// Of the present line: the name of its member, its bytes without the newline, how many elements
/// the member has, its elements by place or name.
const char *json_lines_key(const struct json_lines *lines);
const char *json_lines_bytes(const struct json_lines *lines);
size_t json_lines_count(const struct json_lines *lines);
struct json_cell json_lines_at(const struct json_lines *lines, size_t index);
struct json_cell json_lines_member(const struct json_lines *lines, const char *name);

/// Sets ERR to "NAME:LINE: " and the sentence. Returns -1.
int json_lines_error(const struct json_lines *lines, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif

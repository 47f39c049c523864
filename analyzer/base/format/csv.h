// SPDX-License-Identifier: BSD-3-Clause
// Comma-separated values as RFC 4180 has them: fields in quotes may hold commas, line ends and
// doubled quotes. Lines end in a newline or in carriage return and newline. A text that a
// spreadsheet would take for a formula (it begins with = + - @, and is not a number) has an
// apostrophe before it in the file, which reading takes away.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/base/error.h"

enum { CSV_MAX_BYTES = 1 << 20 }; // of one record

/// Writes TEXT as one field, in quotes where it needs them.
void csv_put_text(FILE *stream, const char *text);
/// The same, always in quotes.
void csv_put_quoted(FILE *stream, const char *text);

struct csv_reader {
    FILE *stream; // the caller's
    const char *name;
    uint64_t line; // on which the present record begins
    char **fields; // of the present record
    size_t n_fields;
    // The rest is the reader's own.
    uint64_t n_lines;
    char *bytes;
    size_t n_bytes, bytes_capacity, fields_capacity;
};

/// Reads the next record; lines without anything are passed over. 1, 0 at the end, -1 and ERR
/// ("NAME:LINE: ..."). Fields are valid until the next call. A byte order mark is passed over.
int csv_next(struct csv_reader *reader, struct error *err);
void csv_release(struct csv_reader *reader);

/// Sets ERR to "NAME:LINE: " and the sentence. Returns -1.
int csv_error(const struct csv_reader *reader, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// SPDX-License-Identifier: BSD-3-Clause
// See csv.h. The bytes of a record's fields lie one after the other, each ended by a zero byte.
#include "analyzer/base/format/csv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

/// Spreadsheets take a field that begins so for a formula, unless an apostrophe comes first.
static bool begins_formula(const char *text)
{
    return *text && strchr("=+-@\t\r", *text);
}

/// A number with a sign is not a formula.
static bool is_signed_number(const char *text)
{
    char *end;
    strtod(text, &end);
    return end > text && *end == '\0' && text[strspn(text, "+-.0123456789eE")] == '\0';
}

/// Apostrophes before what begins a formula: writing adds one, reading takes one away.
static bool needs_apostrophe(const char *text)
{
    return begins_formula(text + strspn(text, "'")) && !is_signed_number(text);
}

static bool has_apostrophe(const char *text)
{
    size_t n = strspn(text, "'");
    return n > 0 && begins_formula(text + n);
}

void csv_put_quoted(FILE *stream, const char *text)
{
    fputs(needs_apostrophe(text) ? "\"'" : "\"", stream);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

void csv_put_text(FILE *stream, const char *text)
{
    size_t length = strlen(text);
    bool needs_quotes = length != strcspn(text, ",\"\r\n") ||
                        (length && (text[0] == ' ' || text[length - 1] == ' '));
    if (needs_quotes)
        csv_put_quoted(stream, text);
    else
        fprintf(stream, "%s%s", needs_apostrophe(text) ? "'" : "", text);
}

int csv_error(const struct csv_reader *reader, struct error *err, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(err, "%s:%llu: %s", reader->name, (unsigned long long)reader->line, text);
}

static void put_byte(struct csv_reader *reader, int c)
{
    *ARRAY_NEXT(reader->bytes, reader->n_bytes, reader->bytes_capacity) = (char)c;
}

static int next_byte(struct csv_reader *reader)
{
    int c = getc_unlocked(reader->stream);
    reader->n_lines += c == '\n';
    return c;
}

/// Reads the rest of a field in quotes, up to the byte after it, which it returns in *C.
static int read_quoted(struct csv_reader *reader, int *c, struct error *err)
{
    bool is_open = true;
    while ((*c = next_byte(reader)) != EOF && reader->n_bytes < CSV_MAX_BYTES) {
        if (*c != '"') {
            put_byte(reader, *c);
            continue;
        }
        *c = next_byte(reader);
        is_open = *c == '"';
        if (!is_open)
            break;
        put_byte(reader, '"');
    }
    if (*c == '\r')
        *c = next_byte(reader);
    return !is_open && (*c == ',' || *c == '\n' || *c == EOF)
               ? 0
               : csv_error(reader, err, "the quotes do not end before a comma or the line's end");
}

/// Reads one field and the byte after it, *C: a comma, a newline, EOF.
static int read_field(struct csv_reader *reader, int *c, struct error *err)
{
    *c = next_byte(reader);
    if (*c == '"') {
        if (read_quoted(reader, c, err))
            return -1;
    } else {
        while (*c != ',' && *c != '\n' && *c != EOF && reader->n_bytes < CSV_MAX_BYTES) {
            put_byte(reader, *c);
            *c = next_byte(reader);
        }
        if (*c != ',' && reader->n_bytes && reader->bytes[reader->n_bytes - 1] == '\r')
            reader->n_bytes--;
    }
    if (reader->n_bytes >= CSV_MAX_BYTES)
        return csv_error(reader, err, "the line is longer than %d KiB", CSV_MAX_BYTES >> 10);
    put_byte(reader, '\0');
    return 0;
}

/// Some spreadsheets write this before UTF-8 text.
static void skip_byte_order_mark(FILE *stream)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t n = 0;
    int c = EOF;
    while (mark[n] && (c = getc_unlocked(stream)) == (unsigned char)mark[n])
        n++;
    if (!mark[n])
        return;
    ungetc(c, stream);
    while (n > 0)
        ungetc((unsigned char)mark[--n], stream);
}

int csv_next(struct csv_reader *reader, struct error *err)
{
    int c;
    if (reader->line == 0)
        skip_byte_order_mark(reader->stream);
    do {
        reader->line = reader->n_lines + 1;
        reader->n_bytes = reader->n_fields = 0;
        do {
            if (read_field(reader, &c, err))
                return -1;
            reader->n_fields++;
        } while (c == ',');
        if (ferror(reader->stream))
            return error_set(err, "cannot read %s: %s", reader->name, strerror(errno));
    } while (c != EOF && reader->n_bytes == 1);
    if (reader->n_bytes == 1)
        return 0;
    reader->fields = array_reserve(reader->fields, &reader->fields_capacity, reader->n_fields,
                                   sizeof *reader->fields);
    char *field = reader->bytes;
    for (size_t i = 0; i < reader->n_fields; i++) {
        reader->fields[i] = field + has_apostrophe(field);
        field += strlen(field) + 1;
    }
    if (field != reader->bytes + reader->n_bytes)
        return csv_error(reader, err, "the line holds a zero byte");
    return 1;
}

void csv_release(struct csv_reader *reader)
{
    FREE_ALL(reader->fields, reader->bytes);
}

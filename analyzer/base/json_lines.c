// SPDX-License-Identifier: BSD-3-Clause
// See json_lines.h; each line is parsed by jansson.
#include "analyzer/base/json_lines.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/quantity.h"

struct json_lines {
    FILE *stream;
    char *name;
    char *bytes;
    size_t capacity;
    uint64_t number; // of the present line, from 1
    json_t *line;
    const char *key;
    json_t *value; // within `line`
};

void json_line_put_text(FILE *stream, const char *text)
{
    json_t *value = text ? json_string(text) : json_null();
    if (json_dumpf(value, stream, JSON_ENCODE_ANY) != 0)
        fputs("null", stream);
    json_decref(value);
}

void json_line_put_number(FILE *stream, double value)
{
    fputs(exact_number(value).text, stream);
}

struct json_lines *json_lines_new(FILE *stream, const char *name)
{
    struct json_lines *lines = memory_zeroed(1, sizeof *lines);
    lines->stream = stream;
    lines->name = memory_copy_text(name);
    return lines;
}

void json_lines_free(struct json_lines *lines)
{
    if (!lines)
        return;
    json_decref(lines->line);
    free(lines->bytes);
    free(lines->name);
    free(lines);
}

int json_lines_error(const struct json_lines *lines, struct error *err, const char *format, ...)
{
    char text[ERROR_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return error_set(err, "%s:%llu: %s", lines->name, (unsigned long long)lines->number, text);
}

/// Reads the bytes of the next line: 1, 0 at the end, -1 and ERR.
static int read_bytes(struct json_lines *lines, struct error *err)
{
    size_t length = 0;
    int c;
    lines->number++;
    while ((c = getc_unlocked(lines->stream)) != EOF && c != '\n') {
        if (length >= JSON_LINES_MAX_BYTES)
            return json_lines_error(lines, err, "the line is longer than %d MiB",
                                    JSON_LINES_MAX_BYTES >> 20);
        lines->bytes = array_reserve(lines->bytes, &lines->capacity, length + 2, 1);
        lines->bytes[length++] = (char)c;
    }
    if (ferror(lines->stream))
        return error_set(err, "cannot read %s: %s", lines->name, strerror(errno));
    if (c == EOF && length == 0)
        return 0;
    lines->bytes = array_reserve(lines->bytes, &lines->capacity, length + 1, 1);
    lines->bytes[length] = '\0';
    if (strlen(lines->bytes) != length)
        return json_lines_error(lines, err, "the line holds a zero byte");
    return 1;
}

int json_lines_next(struct json_lines *lines, struct error *err)
{
    json_decref(lines->line);
    lines->line = NULL;
    int row = read_bytes(lines, err);
    if (row != 1)
        return row;
    json_error_t reason;
    lines->line = json_loads(lines->bytes, JSON_REJECT_DUPLICATES, &reason);
    if (!lines->line)
        return json_lines_error(lines, err, "no JSON: %s", reason.text);
    void *member = json_object_iter(lines->line);
    if (!json_is_object(lines->line) || json_object_size(lines->line) != 1)
        return json_lines_error(lines, err, "the line is no object with one member");
    lines->key = json_object_iter_key(member);
    lines->value = json_object_iter_value(member);
    return 1;
}

const char *json_lines_key(const struct json_lines *lines)
{
    return lines->key;
}

const char *json_lines_bytes(const struct json_lines *lines)
{
    return lines->bytes;
}

size_t json_lines_count(const struct json_lines *lines)
{
    return json_is_array(lines->value)    ? json_array_size(lines->value)
           : json_is_object(lines->value) ? json_object_size(lines->value)
                                          : 1;
}

static struct json_cell cell_of(const json_t *value)
{
    struct json_cell cell = {.kind = JSON_CELL_OTHER};
    if (!value)
        cell.kind = JSON_CELL_MISSING;
    else if (json_is_null(value))
        cell.kind = JSON_CELL_NULL;
    else if (json_is_string(value))
        cell = (struct json_cell){.kind = JSON_CELL_TEXT, .text = json_string_value(value)};
    else if (json_is_integer(value))
        cell = (struct json_cell){.kind = JSON_CELL_INTEGER,
                                  .integer = json_integer_value(value),
                                  .number = (double)json_integer_value(value)};
    else if (json_is_real(value))
        cell = (struct json_cell){.kind = JSON_CELL_NUMBER, .number = json_real_value(value)};
    return cell;
}

struct json_cell json_lines_at(const struct json_lines *lines, size_t index)
{
    if (json_is_array(lines->value))
        return cell_of(json_array_get(lines->value, index));
    return cell_of(json_is_object(lines->value) || index > 0 ? NULL : lines->value);
}

struct json_cell json_lines_member(const struct json_lines *lines, const char *name)
{
    return cell_of(json_is_object(lines->value) ? json_object_get(lines->value, name) : NULL);
}

// SPDX-License-Identifier: BSD-3-Clause
// What the printers of JSON share; for this folder only. An object is written as it is printed:
//
//     return JSON_OBJECT({"rank", json_count(i)}, {"node", json_text(rank->node)});
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct json_pair {
    const char *key;
    json_t *value;
};

/// Sets keys of OBJECT, which is returned, to the values of PAIRS, up to one without a key. The
/// values belong to OBJECT then; a pair whose value is NULL is left out.
json_t *json_put(json_t *object, const struct json_pair *pairs);

/// The same with the pairs in braces, and an object of them.
#define JSON_PUT(object, ...)                                                                      \
    json_put(object, (const struct json_pair[]){__VA_ARGS__, {NULL, NULL}})
#define JSON_OBJECT(...) JSON_PUT(json_object(), __VA_ARGS__)

/// Pairs whose key is the name of the member FIELD of the struct at OF: to rename the member is to
/// rename the key.
#define JSON_FIELD(of, field, make)  ((struct json_pair){#field, make((of)->field)})
#define JSON_COUNT(of, field)        JSON_FIELD(of, field, json_count)
#define JSON_INTEGER(of, field)      JSON_FIELD(of, field, json_integer)
#define JSON_NUMBER(of, field)       JSON_FIELD(of, field, json_number)
#define JSON_REAL(of, field)         JSON_FIELD(of, field, json_real)
#define JSON_FLAG(of, field)         JSON_FIELD(of, field, json_boolean)
#define JSON_TEXT(of, field)         JSON_FIELD(of, field, json_text)
#define JSON_STRING(of, field)       JSON_FIELD(of, field, json_string)
#define JSON_TEXT_OR_NULL(of, field) JSON_FIELD(of, field, json_text_or_null)
#define JSON_KNOWN_TIME(of, field)   JSON_FIELD(of, field, json_known_time)

/// The array of VALUE, an expression with the variable I, for all I below N; those that are NULL
/// are left out.
#ifdef __cppcheck__ // which cannot read blocks in expressions
#define JSON_EACH(i, n, value) json_each((n), (value))
#else
#define JSON_EACH(i, n, value)                                                                     \
    ({                                                                                             \
        json_t *each_##i = json_array();                                                           \
        for (size_t i = 0, n_##i = (n); i < n_##i; i++)                                            \
            json_append(each_##i, (value));                                                        \
        each_##i;                                                                                  \
    })
#endif
/// Appends VALUE, unless it is NULL, to ARRAY, which owns it then.
void json_append(json_t *array, json_t *value);

/// A string of BYTES, which may be any: names of files, of archives, error messages. NULL is "".
json_t *json_text(const char *bytes);

/// The same, but null for NULL and "".
json_t *json_text_or_null(const char *bytes);

/// VALUE, at most the largest integer JSON has here.
json_t *json_count(uint64_t value);

/// VALUE, or null where it is not finite.
json_t *json_number(double value);

/// TIME_NS, or null where it is PAG_NOT_KNOWN.
json_t *json_known_time(uint64_t time_ns);

/// How results and lists are printed. Twelve digits are more than a share can mean, and keep 0.1
/// from becoming 0.10000000000000001.
enum { JSON_FORMAT = JSON_INDENT(2) | JSON_REAL_PRECISION(12) };

/// An object with "schema" and "pagoda" (the version), as every document begins.
json_t *json_document(void);

/// Prints DOCUMENT by jansson's FORMAT, and a newline, and releases it. A failed write is left to
/// ferror(STREAM).
void json_print_document(FILE *stream, size_t format, json_t *document);
#define JSON_PRINT(stream, format, ...)                                                            \
    json_print_document(stream, format, JSON_PUT(json_document(), __VA_ARGS__))

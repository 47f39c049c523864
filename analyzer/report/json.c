// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/report/json.h"

#include <assert.h>
#include <math.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/pag/pag.h"

json_t *json_put(json_t *object, const struct json_pair *pairs)
{
    for (; pairs->key; pairs++)
        if (pairs->value)
            json_object_set_new(object, pairs->key, pairs->value);
    return object;
}

void json_append(json_t *array, json_t *value)
{
    if (value)
        json_array_append_new(array, value);
}

json_t *json_text(const char *bytes)
{
    SCOPED char *clean = utf8_clean(bytes);
    return json_string(clean);
}

json_t *json_text_or_null(const char *bytes)
{
    return bytes && *bytes ? json_text(bytes) : json_null();
}

json_t *json_count(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_known_time(uint64_t time_ns)
{
    return time_ns == PAG_NOT_KNOWN ? json_null() : json_count(time_ns);
}

json_t *json_document(void)
{
    return JSON_OBJECT({"schema", json_integer(1)}, {"pagoda", json_string(PAGODA_VERSION)});
}

void json_print_document(FILE *stream, size_t format, json_t *document)
{
    // A failed write is reported where the stream is closed.
    if (json_dumpf(document, stream, format) != 0)
        assert(ferror(stream) && "bug: a report cannot be written as JSON");
    json_decref(document);
    fputc('\n', stream);
}

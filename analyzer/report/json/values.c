// SPDX-License-Identifier: BSD-3-Clause
// See values.h.
#include "analyzer/report/json/values.h"

#include <stdlib.h>

#include "analyzer/base/utf8.h"
#include "analyzer/pag/pag.h"

json_t *json_clean_text(const char *bytes)
{
    char *clean = utf8_clean(bytes);
    json_t *value = json_string(clean);
    free(clean);
    return value;
}

json_t *json_count(uint64_t value)
{
    return json_integer(value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

json_t *json_known_time(uint64_t time_ns)
{
    return time_ns == PAG_NOT_KNOWN ? json_null() : json_count(time_ns);
}

int json_print_object(json_t *root, size_t format, const char *what, FILE *stream,
                      struct error *err)
{
    int status = json_dumpf(root, stream, format);
    json_decref(root);
    if (status != 0 && !ferror(stream)) // what the stream refuses is told where it is closed
        return error_set(err, "bug: %s cannot be told as JSON", what);
    fputc('\n', stream);
    return 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// See values.h.
#include "analyzer/report/json/values.h"

#include <stdlib.h>

#include "analyzer/base/utf8.h"

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

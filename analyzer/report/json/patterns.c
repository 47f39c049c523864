// SPDX-License-Identifier: BSD-3-Clause
// The elements of each pattern's file under their own names; those it does not have are left out.
#include "analyzer/report/json/patterns.h"

#include <jansson.h>
#include <string.h>

#include "analyzer/report/json/values.h"

static json_t *pattern_object(const struct catalogue *catalogue, const struct pattern *pattern)
{
    json_t *object = json_object();
    const struct {
        const char *key, *text;
    } texts[] = {
#define TEXT(element, need) {#element, pattern->element},
        PATTERN_ELEMENTS(TEXT)
#undef TEXT
    };
    json_object_set_new(object, "id", json_string(pattern->id));
    json_object_set_new(object, "parent",
                        pattern->parent[0] ? json_string(pattern->parent) : json_null());
    json_object_set_new(object, "abstract", json_boolean(pattern->is_abstract));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (texts[i].text[0] && strcmp(texts[i].key, "threshold") != 0 &&
            strcmp(texts[i].key, "within") != 0)
            json_object_set_new(object, texts[i].key, json_string(texts[i].text));
    if (pattern->is_within)
        json_object_set_new(object, "within",
                            json_string(catalogue->patterns[pattern->ancestor].id));
    if (!pattern->is_abstract)
        json_object_set_new(object, "threshold", json_real(pattern->threshold_share));
    json_object_set_new(object, "file", json_string(pattern->file));
    return object;
}

int json_print_patterns(const struct catalogue *catalogue, uint32_t index, const char *version,
                        FILE *stream, struct error *err)
{
    json_t *patterns = json_array();
    for (size_t i = 0; i < catalogue->n_patterns; i++)
        if (index == PATTERN_NONE || index == i)
            json_array_append_new(patterns, pattern_object(catalogue, &catalogue->patterns[i]));
    return json_print_list("patterns", patterns, version, stream, err);
}

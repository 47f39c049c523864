// SPDX-License-Identifier: BSD-3-Clause
// The merged hierarchies as JSON, by jansson (see structure.h).
#include <jansson.h>

#include "analyzer/report/json/values.h"
#include "analyzer/report/structure.h"

static json_t *runs_array(const struct structure_page *page)
{
    json_t *array = json_array();
    for (size_t i = 0; i < page->n_runs; i++) {
        json_t *object = json_object();
        json_object_set_new(object, "id", json_integer((json_int_t)(UINT64_C(1) << i)));
        json_object_set_new(object, "trial", json_clean_text(page->runs[i]));
        json_array_append_new(array, object);
    }
    return array;
}

int json_print_structure(const struct structure_page *page, const char *version, FILE *stream,
                         struct error *err)
{
    json_t *root = json_object(), *resources = json_array();
    json_object_set_new(root, "schema", json_integer(1));
    json_object_set_new(root, "pagoda", json_string(version));
    json_object_set_new(root, "database",
                        page->database ? json_clean_text(page->database) : json_null());
    json_object_set_new(root, "runs", runs_array(page));
    for (size_t i = 0; i < page->structure->n_resources; i++) {
        const struct structure_resource *resource = &page->structure->resources[i];
        json_t *object = json_object();
        json_object_set_new(object, "path", json_clean_text(resource->path));
        json_object_set_new(object, "run_ids", json_integer((json_int_t)resource->run_ids));
        json_array_append_new(resources, object);
    }
    json_object_set_new(root, "resources", resources);
    return json_print_object(root, JSON_INDENT(1), "the difference", stream, err);
}

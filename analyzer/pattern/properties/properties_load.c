// SPDX-License-Identifier: BSD-3-Clause
// Constants of all files are read before the properties, so that a file of thresholds replaces
// those of the shipped ones.
#include "analyzer/pattern/properties/hierarchy.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/bundled.h"
#include "analyzer/base/named.h"
#include "analyzer/base/text.h"

int properties_load(struct property_list *properties, struct hierarchy_list *hierarchies,
                    const struct property_files *files, const char *const *wait_states,
                    size_t n_wait_states, struct error *err)
{
    char **asl = files->directory ? folder_files(files->directory, ".asl") : NULL;
    char **xml = files->directory ? folder_files(files->directory, ".xml") : NULL;
    int status = 0;
    for (size_t i = 0; i < files->n; i++) {
        if (property_file_is_asl(files->extra_files[i]))
            words_add(&asl, files->extra_files[i]);
        else if (xml_file_is(files->extra_files[i], "hierarchy"))
            words_add(&xml, files->extra_files[i]);
    }
    for (char **path = asl; path && *path && status == 0; path++)
        status = property_constants_read(properties, *path, err);
    for (char **path = asl; path && *path && status == 0; path++)
        status = property_asl_read(properties, *path, wait_states, n_wait_states, err);
    for (char **path = xml; path && *path && status == 0; path++)
        status = hierarchy_read(hierarchies, *path, err);
    if (status == 0)
        status = hierarchies_link(hierarchies, properties, err);
    words_free(asl);
    words_free(xml);
    return status;
}

static bool has_property(const struct hierarchy *hierarchy, size_t property)
{
    for (size_t i = 0; i < hierarchy->n_nodes; i++)
        if (hierarchy->nodes[i].property == property)
            return true;
    return false;
}

static bool is_extra(const struct property_files *files, const struct asl_property *property)
{
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(files->extra_files[i], property->file) == 0)
            return true;
    return false;
}

struct hierarchy *hierarchy_choose(const struct hierarchy_list *hierarchies, const char *id,
                                   const struct property_list *properties,
                                   const struct property_files *files, struct error *err)
{
    struct hierarchy *hierarchy = hierarchy_find(hierarchies, id);
    if (!hierarchy) {
        const char **ids = NAMED_NAMES(hierarchies->items, hierarchies->n);
        char *list = spelling_list(ids, hierarchies->n);
        error_set(err, "there is no hierarchy `%s`; there are %s", id, list);
        free(list);
        free(ids);
        return NULL;
    }
    for (size_t i = 0; i < properties->n; i++)
        if (is_extra(files, &properties->items[i]) && !has_property(hierarchy, i))
            hierarchy_add_top(hierarchy, (uint32_t)i);
    return hierarchy;
}

// SPDX-License-Identifier: BSD-3-Clause
// See region_names.h.
#include "analyzer/trace/region_names.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"

/// The caller frees the array, not the names.
static const char **names_of(const struct definitions *definitions)
{
    const char **names = memory_zeroed(definitions->n_regions + 1, sizeof *names);
    for (size_t i = 0; i < definitions->n_regions; i++)
        names[i] = definitions->regions[i].name;
    return names;
}

char **region_names_shown(const struct definitions *definitions)
{
    const char **names = names_of(definitions);
    char **shown = function_names_shown(names, definitions->n_regions);
    free(names);
    return shown;
}

enum function_names_found region_names_find(const struct definitions *definitions, const char *text,
                                            bool *is_meant)
{
    const char **names = names_of(definitions);
    enum function_names_found found =
        function_names_find(names, definitions->n_regions, text, is_meant);
    free(names);
    return found;
}

static bool find_glob(const struct definitions *definitions, const char *text, bool *is_meant)
{
    bool is_found = false;
    for (size_t i = 0; i < definitions->n_regions; i++) {
        is_meant[i] = fnmatch(text, definitions->regions[i].name, 0) == 0;
        is_found = is_found || is_meant[i];
    }
    return is_found;
}

int region_names_take(const struct definitions *definitions, const char *text, bool *is_meant,
                      struct error *err)
{
    if (region_names_find(definitions, text, is_meant) == FUNCTION_NAMES_ONE ||
        find_glob(definitions, text, is_meant) ||
        region_names_find(definitions, text, is_meant) != FUNCTION_NAMES_SEVERAL)
        return 0;
    char **shown = region_names_shown(definitions);
    char *list = function_names_list((const char *const *)shown, definitions->n_regions, is_meant);
    error_set(err, "%s is ambiguous: %s", text, list);
    free(list);
    function_names_free(shown, definitions->n_regions);
    return -1;
}

// SPDX-License-Identifier: BSD-3-Clause
// REGION in what-if options: a name, or names with / between them, each of them a glob; ** is any
// number of names. Or a place in the source, or both: the MPI calls made there. Where computing is
// meant it is that before these calls, or the calls behind the word "before".
#include <fnmatch.h>
#include <string.h>

#include "tests/reference/changed_program.h"

enum { MAX_NAMES = 64 };

/// Do the last names up to PATH fit PATTERN[0..LENGTH), which ends with names?
static bool fits(const struct model *model, uint32_t path, const char *pattern, size_t length)
{
    size_t begin = length;
    while (begin > 0 && pattern[begin - 1] != '/')
        begin--;
    char name[MAX_NAMES];
    memcpy(name, pattern + begin, length - begin);
    name[length - begin] = '\0';
    if (strcmp(name, "**") == 0) {
        if (begin == 0)
            return true;
        for (;; path = model->paths[path].parent) {
            if (fits(model, path, pattern, begin - 1))
                return true;
            if (path == 0)
                return false;
        }
    }
    if (name[0] == '\0') // the pattern begins with a slash
        return path == 0;
    if (path == 0 || fnmatch(name, model->trace->regions[model->paths[path].region].name, 0) != 0)
        return false;
    return begin == 0 || fits(model, model->paths[path].parent, pattern, begin - 1);
}

/// FILE:LINE at the end of PATTERN, behind " at " or alone; NULL: there is none.
static const char *place_in(const char *pattern)
{
    const char *at = strstr(pattern, " at ");
    if (at)
        return at + strlen(" at ");
    return strchr(pattern, ':') ? pattern : NULL;
}

/// Is the MPI call PATH made at PLACE, whose line may be any?
static bool is_at(const struct model *model, uint32_t path, const char *place)
{
    uint32_t context = model->paths[path].context;
    const char *own = context == REFERENCE_NONE ? NULL : model->trace->contexts[context].place;
    size_t file_length = strcspn(place, ":") + 1;
    if (!own)
        return false;
    return strcmp(own, place) == 0 ||
           (strcmp(place + file_length, "*") == 0 && strncmp(own, place, file_length) == 0);
}

bool has_place(const char *pattern)
{
    return place_in(pattern) != NULL;
}

/// Does PATTERN name nothing but MPI calls, or the computing before these?
static bool is_of_calls(const char *pattern)
{
    return strncmp(pattern, "before ", strlen("before ")) == 0 || has_place(pattern);
}

bool is_region(const struct model *model, uint32_t path, const char *pattern)
{
    if (path == 0)
        return false;
    if (!is_of_calls(pattern))
        return fits(model, path, pattern, strlen(pattern));
    if (strncmp(pattern, "before ", strlen("before ")) == 0)
        pattern += strlen("before ");
    const char *place = place_in(pattern);
    size_t length = !place ? strlen(pattern) : place == pattern ? 0 : (size_t)(place - pattern) - 4;
    return model->trace->regions[model->paths[path].region].is_mpi &&
           (!place || is_at(model, path, place)) &&
           (length == 0 || fits(model, path, pattern, length));
}

bool is_in_region(const struct model *model, uint32_t path, const char *pattern)
{
    if (strcmp(pattern, "(program)") == 0)
        return true;
    for (; path != 0; path = model->paths[path].parent)
        if (is_region(model, path, pattern))
            return true;
    return false;
}

bool are_works_nested(const struct model *model, const struct scenario_changes *changes)
{
    for (uint32_t path = 0; path < model->n_paths; path++) {
        uint32_t n = 0;
        for (uint32_t w = 0; w < changes->n_works; w++)
            n += is_in_region(model, path, changes->works[w].region);
        if (n > 1)
            return true;
    }
    return false;
}

// SPDX-License-Identifier: BSD-3-Clause
// Renamings are a short list, searched in order.
#include "db/query/resource_map.h"

#include <stdbool.h>
#include <string.h>

#include "analyzer/base/format/lines.h"
#include "analyzer/base/memory.h"
#include "db/focus.h"

struct renaming {
    char *from, *to;
    size_t from_length;
    const char *from_function, *to_function; // names in the paths, NULL unless both are functions
};

struct resource_map {
    struct renaming *renamings;
    size_t n_renamings, capacity;
};

static const char code_root[] = "/Code/", call_path_root[] = "/CallPath";

/// The name of a function in its path "/Code/MODULE/FUNCTION", NULL for other paths.
static const char *function_name(const char *path)
{
    if (strncmp(path, code_root, strlen(code_root)) != 0)
        return NULL;
    const char *module = path + strlen(code_root);
    const char *slash = module + focus_level_length(module);
    if (!*slash)
        return NULL;
    return slash[1 + focus_level_length(slash + 1)] ? NULL : slash + 1;
}

static int read_resource(const char *text, char **path, struct error *err)
{
    struct focus focus;
    if (focus_parse(text, &focus, err))
        return -1;
    int status = 0;
    if (focus.n_selections != 1 || focus.selections[0].n_paths != 1)
        status = error_set(err, "\"%s\" is more than one resource", text);
    else if (!strchr(focus.selections[0].paths[0] + 1, '/'))
        status = error_set(err, "\"%s\" is a whole hierarchy and has no other name", text);
    else
        *path = memory_copy_text(focus.selections[0].paths[0]);
    focus_release(&focus);
    return status;
}

static bool is_same_hierarchy(const char *a, const char *b)
{
    size_t length = 1 + focus_level_length(a + 1);
    return length == 1 + focus_level_length(b + 1) && !memcmp(a, b, length);
}

/// The arrow in LINE: a ">" that is in no name ends it.
static char *find_arrow(char *line)
{
    for (char *at = line; *at; at++) {
        if (*at == '\\' && at[1])
            at++;
        else if (*at == '>')
            return at > line && at[-1] == '-' ? at - 1 : NULL;
    }
    return NULL;
}

static int add_renaming(void *context, char *line, unsigned *number, struct error *err)
{
    struct resource_map *map = context;
    (void)number;
    char *arrow = find_arrow(line);
    if (!arrow)
        return error_set(err, "expected /RESOURCE -> /RESOURCE");
    *arrow = '\0';
    struct renaming renaming = {0};
    int status = read_resource(line, &renaming.from, err);
    if (status == 0)
        status = read_resource(arrow + 2, &renaming.to, err);
    if (status == 0 && !is_same_hierarchy(renaming.from, renaming.to))
        status =
            error_set(err, "%s and %s are of different hierarchies", renaming.from, renaming.to);
    for (size_t i = 0; i < map->n_renamings && status == 0; i++)
        if (!strcmp(map->renamings[i].from, renaming.from))
            status = error_set(err, "%s is renamed twice", renaming.from);
    if (status) {
        FREE_ALL(renaming.from, renaming.to);
        return -1;
    }
    renaming.from_length = strlen(renaming.from);
    renaming.from_function = function_name(renaming.from);
    renaming.to_function = function_name(renaming.to);
    *ARRAY_NEXT(map->renamings, map->n_renamings, map->capacity) = renaming;
    return 0;
}

int resource_map_read(struct resource_map **map, const char *path, struct error *err)
{
    struct resource_map *read = memory_zeroed(1, sizeof *read);
    *map = read;
    if (lines_read(path, "the renamings", add_renaming, read, err) == 0)
        return 0;
    resource_map_free(read);
    *map = NULL;
    return -1;
}

void resource_map_free(struct resource_map *map)
{
    if (!map)
        return;
    FREE_MEMBERS(map->renamings, map->n_renamings, from, to);
    FREE_ALL(map->renamings, map);
}

static const struct renaming *find_renaming(const struct resource_map *map, const char *path)
{
    const struct renaming *found = NULL;
    for (size_t i = 0; i < map->n_renamings; i++) {
        const struct renaming *renaming = &map->renamings[i];
        if (!strncmp(path, renaming->from, renaming->from_length) &&
            (path[renaming->from_length] == '\0' || path[renaming->from_length] == '/') &&
            (!found || renaming->from_length > found->from_length))
            found = renaming;
    }
    return found;
}

/// What the function NAME, LENGTH bytes, of a call path is called.
static const char *find_function(const struct resource_map *map, const char *name, size_t length)
{
    for (size_t i = 0; i < map->n_renamings; i++) {
        const struct renaming *renaming = &map->renamings[i];
        if (renaming->from_function && renaming->to_function &&
            strlen(renaming->from_function) == length &&
            !memcmp(renaming->from_function, name, length))
            return renaming->to_function;
    }
    return NULL;
}

char *resource_map_apply(const struct resource_map *map, const char *path)
{
    const struct renaming *renaming = map ? find_renaming(map, path) : NULL;
    size_t root_length = strlen(call_path_root);
    bool is_call_path = !strncmp(path, call_path_root, root_length) && path[root_length] == '/';
    if (!map || (!renaming && !is_call_path))
        return memory_copy_text(path);
    char *text = NULL;
    size_t size;
    FILE *renamed = open_memstream(&text, &size);
    const char *rest = path + (renaming ? renaming->from_length : root_length);
    fputs(renaming ? renaming->to : call_path_root, renamed);
    while (*rest) { // at a slash
        size_t length = focus_level_length(rest + 1);
        const char *function = is_call_path ? find_function(map, rest + 1, length) : NULL;
        if (function)
            fprintf(renamed, "/%s", function);
        else
            fprintf(renamed, "%.*s", (int)(length + 1), rest);
        rest += 1 + length;
    }
    fclose(renamed);
    return text;
}

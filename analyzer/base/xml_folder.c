// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/base/xml_folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

static int is_xml(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return entry->d_name[0] != '.' && length > 4 && strcmp(entry->d_name + length - 4, ".xml") == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); // alphasort() depends on the locale
}

char **xml_folder_names(const char *directory, size_t *n)
{
    struct dirent **entries;
    int n_entries = scandir(directory, &entries, is_xml, compare_names);
    *n = 0;
    if (n_entries < 0)
        return NULL;
    char **names = memory_zeroed((size_t)n_entries + 1, sizeof *names);
    for (int i = 0; i < n_entries; i++) {
        names[(*n)++] = memory_copy_text(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return names;
}

void xml_folder_free(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

// SPDX-License-Identifier: BSD-3-Clause
// An archive NAME consists of NAME.otf2, NAME.def, and for each location
// NAME/NUMBER.evt and NAME/NUMBER.def.
#include "analyzer/rewrite/repair/repair.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/order.h"
#include "analyzer/base/text.h"

/// NAME is a number, in *ID, and ENDING.
static bool is_of_location(const char *name, const char *ending, uint64_t *id)
{
    char *rest;
    if (*name < '0' || *name > '9' || (name[0] == '0' && name[1] != '.'))
        return false;
    errno = 0;
    *id = strtoull(name, &rest, 10);
    return errno == 0 && strcmp(rest, ending) == 0;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

// ---- which archive ----

static bool holds_events(const char *folder)
{
    SCOPED_FOLDER DIR *entries = opendir(folder);
    const struct dirent *entry;
    bool has_any = false;
    uint64_t id;
    while (entries && !has_any && (entry = readdir(entries)))
        has_any = is_of_location(entry->d_name, ".evt", &id);
    return has_any;
}

/// An archive NAME in FOLDER.
static void set_names(struct archive_files *files, const char *folder, const char *name,
                      size_t name_length)
{
    files->folder = memory_copy_text(folder);
    files->name = memory_format("%.*s", (int)name_length, name);
}

/// FOLDER holds the event files themselves, and is called like the archive.
static int set_from_inside(struct archive_files *files, const char *folder, struct error *err)
{
    SCOPED char *whole = realpath(folder, NULL);
    if (!whole)
        return error_set(err, "cannot read the directory '%s': %s", folder, strerror(errno));
    char *slash = strrchr(whole, '/');
    *slash = '\0';
    set_names(files, *whole ? whole : "/", slash + 1, strlen(slash + 1));
    return 0;
}

/// Notes that NAME, without its last N_ENDING letters, may be the archive in FOLDER.
static void add_candidate(char ***names, const char *name, size_t n_ending)
{
    SCOPED char *word = memory_format("%.*s", (int)(strlen(name) - n_ending), name);
    if (!HAS_TEXT(*names, words_count(*names), word))
        words_add(names, word);
}

/// Archives in FOLDER, by their anchor files, definitions and folders of event files. 0, or -1 and
/// ERR.
static int find_candidates(const char *folder, char ***names, struct error *err)
{
    SCOPED_FOLDER DIR *entries = opendir(folder);
    const struct dirent *entry;
    uint64_t id;
    if (!entries)
        return error_set(err, "cannot read the directory '%s': %s", folder, strerror(errno));
    while ((entry = readdir(entries))) {
        SCOPED char *path = memory_format("%s/%s", folder, entry->d_name);
        if (text_ends_in(entry->d_name, ".otf2") && is_file(path))
            add_candidate(names, entry->d_name, 5);
        else if (text_ends_in(entry->d_name, ".def") && !is_of_location(entry->d_name, ".def", &id))
            add_candidate(names, entry->d_name, 4);
        else if (entry->d_name[0] != '.' && path_is_folder(path) && holds_events(path))
            add_candidate(names, entry->d_name, 0);
    }
    return 0;
}

/// What `pagoda trace` leaves when it is killed.
static bool holds_spool(const char *folder)
{
    SCOPED char *path = memory_format("%s/spool", folder);
    return path_is_folder(path);
}

/// Why FOLDER, in which N archives are called NAMES, is not one to repair. Returns -1.
static int refuse_folder(const char *folder, char **names, size_t n, struct error *err)
{
    if (n > 1)
        return error_set(err,
                         "%zu archives in the directory '%s' (%s, %s%s): name the anchor file of "
                         "one of them",
                         n, folder, names[0], names[1], n > 2 ? ", ..." : "");
    if (!holds_spool(folder))
        return error_set(err,
                         "nothing to repair in the directory '%s': it holds no anchor file "
                         "(*.otf2), no definitions (*.def) and no event file (NUMBER.evt)",
                         folder);
    SCOPED char *word = shell_path(folder);
    return error_set(
        err,
        "'%s' holds the records of a run that has no archive yet: pagoda trace --finish %s "
        "writes it",
        folder, word);
}

static int find_in_folder(struct archive_files *files, const char *folder, struct error *err)
{
    if (holds_events(folder))
        return set_from_inside(files, folder, err);
    SCOPED_BY(words_leave) char **names = NULL;
    if (find_candidates(folder, &names, err) != 0)
        return -1;
    size_t n = words_count(names);
    if (n > 1)
        qsort(names, n, sizeof *names, text_compare);
    if (n == 1)
        set_names(files, folder, names[0], strlen(names[0]));
    return n == 1 ? 0 : refuse_folder(folder, names, n, err);
}

/// PATH names a file, which may be missing.
static int find_by_file(struct archive_files *files, const char *path, struct error *err)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    SCOPED char *folder = !slash          ? memory_copy_text(".")
                          : slash == path ? memory_copy_text("/")
                                          : memory_format("%.*s", (int)(slash - path), path);
    uint64_t id;
    int status = 0;
    if (is_of_location(base, ".evt", &id) || is_of_location(base, ".def", &id))
        status = set_from_inside(files, folder, err);
    else if (text_ends_in(base, ".otf2"))
        set_names(files, folder, base, strlen(base) - 5);
    else if (text_ends_in(base, ".def"))
        set_names(files, folder, base, strlen(base) - 4);
    else if (access(path, F_OK) != 0)
        status = error_set(err, "cannot open '%s': %s", path, strerror(errno));
    else
        status = error_set(
            err, "'%s' is no file of an OTF2 archive: those end in .otf2, .def or .evt", path);
    return status;
}

// ---- its files ----

/// Puts locations in the order of their numbers, each once.
static void sort_locations(struct archive_files *files)
{
    size_t n = 0;
    SORT_BY(files->locations, files->n_locations, LEAST(id));
    for (size_t i = 0; i < files->n_locations; i++) {
        const struct location_files *next = &files->locations[i];
        if (n == 0 || files->locations[n - 1].id != next->id) {
            files->locations[n++] = *next;
            continue;
        }
        files->locations[n - 1].has_events |= next->has_events;
        files->locations[n - 1].has_definitions |= next->has_definitions;
    }
    files->n_locations = n;
}

static void list_locations(struct archive_files *files)
{
    SCOPED char *path = archive_files_path(files, "");
    SCOPED_FOLDER DIR *entries = opendir(path);
    const struct dirent *entry;
    while (entries && (entry = readdir(entries))) {
        struct location_files location = {0};
        location.has_events = is_of_location(entry->d_name, ".evt", &location.id);
        location.has_definitions =
            !location.has_events && is_of_location(entry->d_name, ".def", &location.id);
        if (location.has_events || location.has_definitions)
            *ARRAY_NEXT(files->locations, files->n_locations, files->location_capacity) = location;
    }
    sort_locations(files);
}

static bool has(const struct archive_files *files, const char *suffix)
{
    SCOPED char *path = archive_files_path(files, suffix);
    return is_file(path);
}

int archive_files_find(struct archive_files *files, const char *path, struct error *err)
{
    *files = (struct archive_files){0};
    int status =
        path_is_folder(path) ? find_in_folder(files, path, err) : find_by_file(files, path, err);
    if (status != 0)
        return -1;
    files->given = path_is_folder(path) ? memory_copy_text(path) : archive_files_path(files, "");
    files->has_anchor = has(files, ".otf2");
    files->has_definitions = has(files, ".def");
    list_locations(files);
    bool has_events = false;
    for (size_t i = 0; i < files->n_locations; i++)
        has_events = has_events || files->locations[i].has_events;
    if (!has_events && !files->has_definitions)
        return error_set(err,
                         "nothing to repair in '%s': neither %s.def nor an event file in %s/ is "
                         "there",
                         path, files->name, files->name);
    return 0;
}

void archive_files_release(struct archive_files *files)
{
    FREE_ALL(files->folder, files->name, files->given, files->locations);
    *files = (struct archive_files){0};
}

char *archive_files_path(const struct archive_files *files, const char *suffix)
{
    return memory_format("%s/%s%s", files->folder, files->name, suffix);
}

char *archive_files_of_location(const struct archive_files *files, uint64_t id, const char *suffix)
{
    return memory_format("%s/%s/%" PRIu64 "%s", files->folder, files->name, id, suffix);
}

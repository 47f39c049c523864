// SPDX-License-Identifier: BSD-3-Clause
// See new_archive.h.
#include "analyzer/rewrite/new_archive.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/memory.h"

char *rewrite_parent(const char *directory)
{
    size_t length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/')
        length--;
    while (length > 0 && directory[length - 1] != '/')
        length--;
    while (length > 1 && directory[length - 1] == '/')
        length--;
    return length == 0 ? memory_copy_text(".") : memory_format("%.*s", (int)length, directory);
}

int rewrite_check(const char *directory, struct error *err)
{
    DIR *folder = opendir(directory);
    if (!folder) {
        if (errno == ENOENT) {
            char *parent = rewrite_parent(directory);
            int status = access(parent, W_OK | X_OK) == 0
                             ? 0
                             : error_set(err, "cannot make '%s': %s: %s", directory, parent,
                                         strerror(errno));
            free(parent);
            return status;
        }
        return error_set(err, "'%s' cannot hold an archive: %s", directory, strerror(errno));
    }
    const struct dirent *entry;
    bool is_empty = true;
    while ((entry = readdir(folder)))
        is_empty = is_empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
    closedir(folder);
    return is_empty ? 0
                    : error_set(err, "'%s' is not empty: give a folder that is, or does not exist",
                                directory);
}

char *rewrite_folder_make(const char *directory, struct error *err)
{
    char *parent = rewrite_parent(directory);
    char *path = memory_format("%s/.pagoda-out-XXXXXX", parent);
    free(parent);
    mode_t mask = umask(0);
    umask(mask);
    if (mkdtemp(path) && chmod(path, 0777 & ~mask) == 0)
        return path;
    error_set(err, "cannot make a folder for '%s': %s", directory, strerror(errno));
    free(path);
    return NULL;
}

static OTF2_FlushType pre_flush(void *user_data, OTF2_FileType type, OTF2_LocationRef location,
                                void *caller, bool is_final)
{
    (void)user_data, (void)type, (void)location, (void)caller, (void)is_final;
    return OTF2_FLUSH;
}

OTF2_Archive *rewrite_open(const char *folder, const char *name, uint64_t event_bytes,
                           uint64_t definition_bytes)
{
    static const OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = pre_flush};
    OTF2_Archive *archive =
        OTF2_Archive_Open(folder, name, OTF2_FILEMODE_WRITE, event_bytes, definition_bytes,
                          OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive || OTF2_Archive_SetFlushCallbacks(archive, &flush_callbacks, NULL) ||
        OTF2_Archive_SetSerialCollectiveCallbacks(archive))
        return NULL;
    return archive;
}

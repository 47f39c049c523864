// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/rewrite/new_archive.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"
#include "analyzer/trace/archive.h"

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
    SCOPED_FOLDER DIR *folder = opendir(directory);
    if (!folder) {
        if (errno == ENOENT) {
            SCOPED char *parent = rewrite_parent(directory);
            return access(parent, W_OK | X_OK) == 0 ? 0
                                                    : error_set(err, "cannot make '%s': %s: %s",
                                                                directory, parent, strerror(errno));
        }
        return error_set(err, "'%s' cannot hold an archive: %s", directory, strerror(errno));
    }
    const struct dirent *entry;
    bool is_empty = true;
    while ((entry = readdir(folder)))
        is_empty = is_empty && (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."));
    return is_empty ? 0
                    : error_set(err, "'%s' is not empty: give a folder that is, or does not exist",
                                directory);
}

/// A new folder beside DIRECTORY, on the same file system. The caller frees; NULL and ERR.
static char *make_folder(const char *directory, struct error *err)
{
    SCOPED char *parent = rewrite_parent(directory);
    char *path = memory_format("%s/.pagoda-out-XXXXXX", parent);
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

int rewrite_wholly(const char *directory, rewrite_writer *write, void *context, struct error *err)
{
    SCOPED char *folder = NULL;
    const char *failure;
    int status = rewrite_check(directory, err);
    otf2_storage_failure();
    interrupt_begin();
    if (status == 0) {
        folder = make_folder(directory, err);
        status = folder ? write(context, folder, err) : -1;
    }
    if (status == 0 && (failure = otf2_storage_failure()))
        status = error_set(err, "cannot write all of it: %s", failure);
    if (status == 0 && interrupt_has_come())
        status = error_set(err, "interrupted");
    if (status == 0 && rename(folder, directory) != 0)
        status = error_set(err, "cannot rename %s: %s", folder, strerror(errno));
    if (status != 0 && folder)
        scratch_folder_remove(folder, NULL);
    interrupt_end();
    return status;
}

int rewrite_copy_chunks(const char *from_path, uint64_t from_bytes, const char *to_path,
                        uint64_t to_bytes, struct error *err)
{
    SCOPED_FILE FILE *from = fopen(from_path, "rb");
    bool is_missing = !from && errno == ENOENT;
    FILE *to = from ? fopen(to_path, "wb") : NULL;
    bool is_good = from && to;
    SCOPED char *bytes = memory_new(from_bytes);
    size_t n;
    for (uint64_t at = 0; is_good && (n = fread(bytes, 1, from_bytes, from)) > 0; at += to_bytes)
        is_good = fseeko(to, (off_t)at, SEEK_SET) == 0 && fwrite(bytes, 1, n, to) == n &&
                  !interrupt_has_come();
    is_good = is_good && !ferror(from);
    if (to && fclose(to) != 0)
        is_good = false;
    return is_good || is_missing ? 0
           : interrupt_has_come()
               ? error_set(err, "interrupted")
               : error_set(err, "cannot copy '%s': %s", from_path, strerror(errno));
}

int rewrite_copy_file(const char *from, const char *to, struct error *err)
{
    enum { AT_ONCE = 1 << 14 };
    return rewrite_copy_chunks(from, AT_ONCE, to, AT_ONCE, err);
}

uint64_t rewrite_hash_bytes(uint64_t value, const void *bytes, size_t n_bytes)
{
    const unsigned char *at = bytes, *end = at + n_bytes;
    for (; at < end; at++)
        value = (value ^ *at) * UINT64_C(0x100000001b3);
    return value;
}

uint64_t rewrite_hash(uint64_t value, const char *text)
{
    return rewrite_hash_bytes(value, text, strlen(text));
}

int rewrite_set_id(const char *folder, const char *name, uint64_t id, struct error *err)
{
    SCOPED char *path = memory_format("%s/%s.otf2", folder, name);
    uint64_t otf2_id = 0;
    OTF2_Reader *reader = otf2_open(path);
    FILE *file = fopen(path, "r+b");
    static char bytes[1 << 20];
    bool is_good = reader && file && OTF2_Reader_GetTraceId(reader, &otf2_id) == OTF2_SUCCESS;
    size_t n = is_good ? fread(bytes, 1, sizeof bytes, file) : 0;
    const char *found = memmem(bytes, n, &otf2_id, sizeof otf2_id);
    is_good = found != NULL;
    if (found)
        is_good = fseek(file, found - bytes, SEEK_SET) == 0 && fwrite(&id, sizeof id, 1, file) == 1;
    if (file)
        is_good = (fclose(file) == 0) && is_good;
    if (reader)
        OTF2_Reader_Close(reader);
    return is_good ? 0 : error_set(err, "cannot write: %s", strerror(errno));
}

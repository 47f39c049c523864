// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/base/new_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/cleanup.h"
#include "analyzer/base/memory.h"

int new_file_failed(const struct new_file *file, struct error *err)
{
    return error_set(err, "cannot write %s: %s", file->path, strerror(errno ? errno : EIO));
}

int new_file_open(struct new_file *file, const char *path, struct error *err)
{
    struct stat there;
    bool is_special = lstat(path, &there) == 0 && !S_ISREG(there.st_mode);
    *file = (struct new_file){.path = memory_copy_text(path)};
    if (!is_special) {
        file->part = memory_format("%s.part", path);
        scratch_path_begin(file->part);
    }
    file->stream = fopen(file->part ? file->part : path, "we");
    return file->stream ? 0 : new_file_failed(file, err);
}

int new_file_refuse_special(const char *path, struct error *err)
{
    struct stat there;
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode))
        return 0;
    return error_set(err, "cannot write %s: it is no file, and others are to be beside it", path);
}

int new_file_close(struct new_file *file, int status, struct error *err)
{
    if (!file->stream)
        return status;
    bool is_written = !ferror(file->stream);
    if ((fclose(file->stream) != 0 || !is_written) && status == 0)
        status = new_file_failed(file, err);
    file->stream = NULL;
    return status;
}

int new_file_reopen(struct new_file *file, int status, struct error *err)
{
    if (status != 0)
        return status;
    file->stream = fopen(file->part, "ae");
    return file->stream ? 0 : new_file_failed(file, err);
}

int new_file_finish(struct new_file *file, int status, struct error *err)
{
    status = new_file_close(file, status, err);
    if (file->part && status == 0 && rename(file->part, file->path) != 0)
        status = new_file_failed(file, err);
    if (file->part)
        scratch_path_end(file->part);
    FREE_ALL(file->part, file->path);
    *file = (struct new_file){0};
    return status;
}

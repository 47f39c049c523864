// SPDX-License-Identifier: BSD-3-Clause
// The machine file of `pagoda calibrate` (output.h).
#include "analyzer/cmd/calibrate/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyzer/base/interrupt.h"
#include "analyzer/base/memory.h"

char *output_default_path(const struct measurements *measurements)
{
    bool is_mpich = strncmp(measurements->mpi, "MPICH", 5) == 0;
    const char *host = measurements->n_hosts > 0 ? measurements->hosts[0].name : "machine";
    return memory_format("%s-%s.xml", host, is_mpich ? "mpich" : "openmpi");
}

/// A new file beside PATH, whose name goes to *NAME, for the caller to free; -1 and errno.
static int open_beside(const char *path, char **name)
{
    *name = memory_format("%s.%ld.new", path, (long)getpid());
    return open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static int cannot_write(const char *path, int error, struct error *err)
{
    return error_set(err, "cannot write %s: %s", path, strerror(error));
}

int output_check(const char *path, bool overwrites, struct error *err)
{
    struct stat status;
    bool is_there = stat(path, &status) == 0;
    if (is_there && !S_ISREG(status.st_mode))
        return error_set(
            err, "%s is no file that could be written anew: choose another name with -o", path);
    if (is_there && !overwrites)
        return error_set(err, "%s exists: choose another name with -o, or --force", path);
    char *name;
    int file = open_beside(path, &name), error = errno;
    if (file >= 0) {
        unlink(name);
        close(file);
    }
    free(name);
    return file < 0 ? cannot_write(path, error, err) : 0;
}

int output_write(struct measurements *measurements, const struct machine_text_settings *settings,
                 const char *path, struct machine_text_errors *errors, struct machine *machine,
                 struct error *err)
{
    char *beside;
    interrupt_begin();
    int descriptor = open_beside(path, &beside), error = errno, status = -1;
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (file) {
        machine_text_write(measurements, settings, file, errors);
        error = ferror(file) ? EIO : 0;
        if (fclose(file) != 0)
            error = errno;
        if (!error && interrupt_has_come())
            error = EINTR;
        if (!error)
            status = machine_read(machine, beside, err);
        if (status == 0 && rename(beside, path) != 0) {
            error = errno;
            status = -1;
        }
        if (status != 0)
            unlink(beside);
    }
    interrupt_end();
    free(beside);
    return status != 0 && error ? cannot_write(path, error, err) : status;
}

// SPDX-License-Identifier: BSD-3-Clause
// Files that appear under their names when they are whole, and leave alone what was there until
// then. Pipes, devices and what links lead to are written at once: renaming would replace a link
// such as /dev/stdout.
#pragma once

#include <stdio.h>

#include "analyzer/base/error.h"

struct new_file {
    FILE *stream;
    char *path, *part; // part: its name until it is whole; NULL: written at once
};

/// 0, or -1 and ERR; in either case new_file_finish() follows.
int new_file_open(struct new_file *file, const char *path, struct error *err);

/// PATH may be new or a file, else -1 and ERR: there are to be other files beside it.
int new_file_refuse_special(const char *path, struct error *err);

/// All is written, as STATUS says; the file keeps its other name. 0, or -1 and ERR.
int new_file_close(struct new_file *file, int status, struct error *err);

/// A file that was closed is continued at its end. It has another name still.
int new_file_reopen(struct new_file *file, int status, struct error *err);

/// It could not be written, as errno says. Returns -1.
int new_file_failed(const struct new_file *file, struct error *err);

/// As new_file_close(), and the file gets its name; without success it is gone. 0, or -1 and ERR.
int new_file_finish(struct new_file *file, int status, struct error *err);

// SPDX-License-Identifier: BSD-3-Clause
// What is read from others, by kinds.
#pragma once

#include <stdbool.h>

#include "analyzer/base/error.h"

/// Reads TEXT, or the file or archive PATH that holds it. 0, or not 0 and ERR.
typedef int fuzz_reader(const char *path, char *text, struct error *err);

struct fuzz_kind {
    const char *name;
    fuzz_reader *read;
    bool has_lines;         // a seed in each line of a file of the corpus
    const char *shared;     // files that come with Pagoda
    const char *in_archive; // which file of an archive it is, NULL: none
};

/// All, up to one without a name.
extern const struct fuzz_kind fuzz_kinds[];

/// Writes a small archive in the folder PATH.
void fuzz_archive_write(const char *path);

/// Reads and replays the archive PATH, several times.
fuzz_reader fuzz_archive;

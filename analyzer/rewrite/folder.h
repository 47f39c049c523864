// SPDX-License-Identifier: BSD-3-Clause
// Where an archive is written: a folder beside the one asked for, which takes its name when all is
// there.
#ifndef PAGODA_REWRITE_FOLDER_H
#define PAGODA_REWRITE_FOLDER_H

#include "analyzer/base/error.h"

/// Whether an archive can be made at DIRECTORY, which must not exist or be empty. 0, or -1 and ERR.
int rewrite_check(const char *directory, struct error *err);

/// The folder DIRECTORY is in; temporary files beside it are on its file system. The caller frees.
char *rewrite_parent(const char *directory);

/// A new folder beside DIRECTORY, on the same file system. The caller frees; NULL and ERR.
char *rewrite_folder_make(const char *directory, struct error *err);

/// Removes such a folder with what an archive being written has in it, two levels of files.
void rewrite_folder_remove(const char *path);

#endif

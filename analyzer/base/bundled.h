// SPDX-License-Identifier: BSD-3-Clause
// Files that come with the command: folders of XML files (patterns, properties), and catalogues
// whose files are named on the command line without folder and ending (machines, policies).
#pragma once

#include <stddef.h>

#include "analyzer/base/error.h"

/// FOLDER is below data_folder() ("machines"), THING what is in it, for sentences ("machine").
struct bundled {
    const char *folder, *thing;
};

/// The path NAME, or that of the bundled file of this name if there is no such file and NAME has
/// neither folder nor ending. NULL and ERR with the nearest bundled name, or all of them. The
/// caller frees.
char *bundled_path(const struct bundled *catalogue, const char *name, struct error *err);

/// The names in CATALOGUE, sorted, *N of them, for words_free(). NULL and ERR if the folder
/// of patterns does not exist.
char **bundled_names(const struct bundled *catalogue, size_t *n, struct error *err);

/// The folder of patterns, which contains the other bundled folders: beside the command (in a build
/// folder or an installed tree, which may have been moved), or where it was installed. NULL and ERR
/// if there is none. The caller frees.
char *data_folder(struct error *err);

/// A library or program that the command loads or starts: beside it (a build folder), or where it
/// is installed, also when the whole tree was moved. NULL: nowhere. The caller frees.
char *program_part(const char *name);

/// The paths of the files in DIRECTORY with this ENDING (".xml"), for words_free(), in the order of
/// their bytes whatever the locale; hidden ones are left out. NULL and ERR when it cannot be read.
char **folder_files(const char *directory, const char *ending, struct error *err);

// SPDX-License-Identifier: BSD-3-Clause
// The files that are left of an archive, which may lack any of them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/error.h"

struct location_files {
    uint64_t id;
    bool has_events, has_definitions; // ID.evt, ID.def
};

struct archive_files {
    char *folder, *name; // FOLDER/NAME.otf2 and FOLDER/NAME.def, the others in FOLDER/NAME
    char *given;         // the folder that the caller named, or FOLDER/NAME
    bool has_anchor, has_definitions;
    struct location_files *locations; // by id
    size_t n_locations, location_capacity;
};

/// Finds the archive that PATH means: its anchor file, which may be missing, its directory, the
/// directory of its event files, or one of its other files. 0, or -1 and ERR: there is none, or
/// nothing is left of it. The caller releases, in any case.
int archive_files_find(struct archive_files *files, const char *path, struct error *err);
void archive_files_release(struct archive_files *files);

/// The path of FOLDER/NAME and SUFFIX; the caller frees.
char *archive_files_path(const struct archive_files *files, const char *suffix);
/// The same of the file of a location, SUFFIX such as ".evt".
char *archive_files_of_location(const struct archive_files *files, uint64_t id, const char *suffix);

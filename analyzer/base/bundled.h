// SPDX-License-Identifier: BSD-3-Clause
// Catalogues of files that come with the command and are asked for by a mere name: machines,
// policies. Each is a folder in that of the patterns, a file NAME.xml for each name.
#ifndef PAGODA_BASE_BUNDLED_H
#define PAGODA_BASE_BUNDLED_H

#include <stddef.h>

#include "analyzer/base/error.h"

/// FOLDER is below data_folder() ("machines"), THING what is in it, for sentences ("machine").
struct bundled {
    const char *folder, *thing;
};

/// The file that NAME stands for: itself, or the bundled one where there is no such file and it is
/// a mere name. NULL and ERR with the nearest bundled name, or all of them. The caller frees.
char *bundled_path(const struct bundled *catalogue, const char *name, struct error *err);

/// The names in CATALOGUE, sorted, *N of them, for xml_folder_free(). NULL and ERR when the folder
/// of patterns is nowhere.
char **bundled_names(const struct bundled *catalogue, size_t *n, struct error *err);

#endif

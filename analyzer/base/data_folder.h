// SPDX-License-Identifier: BSD-3-Clause
// Where the files are that come with the command: patterns, machines.
#ifndef PAGODA_BASE_DATA_FOLDER_H
#define PAGODA_BASE_DATA_FOLDER_H

#include "analyzer/base/error.h"

/// The folder of patterns, in which that of machines is: beside the command, in a build folder or
/// an installed tree, also one that was moved; or where it was installed. NULL and ERR when it is
/// nowhere. The caller frees.
char *data_folder(struct error *err);

#endif

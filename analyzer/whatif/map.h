// SPDX-License-Identifier: BSD-3-Clause
// --map auto: the placement is searched for as `pagoda advise` does.
#ifndef PAGODA_WHATIF_MAP_H
#define PAGODA_WHATIF_MAP_H

#include <stddef.h>

#include "analyzer/base/error.h"
#include "analyzer/replay/replay_run.h"
#include "analyzer/whatif/options.h"

/// Replaces --nodes and --map auto in OPTIONS, if they are given, by --place of the best placement
/// found for the run MEASURED under all other options. *TEXTS, N of them, then belong to OPTIONS;
/// the caller frees them with the array. 0, or -1 and ERR.
int whatif_map_auto(struct whatif_options *options, const char *trace,
                    const struct replay_run *measured, char ***texts, size_t *n, struct error *err);

#endif

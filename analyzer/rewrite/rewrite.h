// SPDX-License-Identifier: BSD-3-Clause
// Writes an archive anew: the same definitions and records, at the times of a simulated run, ranks
// on the nodes they ran on there.
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/rewrite/new_archive.h"
#include "analyzer/rewrite/time_map.h"
#include "analyzer/trace/reader.h"

/// Damaged archives are replayed up to the damage, but a copy of them would look whole: 0 if TRACE,
/// replayed to its end, could be read wholly, or -1 and ERR.
int rewrite_check_source(const struct trace *trace, struct error *err);

/// Writes TRACE, replayed to its end, at the times of TIMES, finished. Wholly or not at all: what
/// is written stands in a folder beside DIRECTORY until it is complete. 0, or -1 and ERR.
int rewrite_archive(const char *directory, const struct trace *trace, struct time_map *times,
                    const struct rewrite_run *run, struct error *err);

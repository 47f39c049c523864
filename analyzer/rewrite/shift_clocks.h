// SPDX-License-Identifier: BSD-3-Clause
// A copy of an archive in which the clocks of locations are set right: the same records, byte by
// byte, with other clock offsets in the locations' own definitions, which every reader applies.
#pragma once

#include "analyzer/base/error.h"
#include "analyzer/rewrite/clock_fit.h"
#include "analyzer/trace/reader.h"

/// Copies TRACE, replayed to its end, to DIRECTORY (see new_archive.h); the records of a rank's
/// locations are as much later there as CORRECTION says, beyond what their own offsets say. Wholly
/// or not at all. 0, or -1 and ERR.
int shift_clocks(const char *directory, const struct trace *trace,
                 const struct clock_correction *correction, struct error *err);

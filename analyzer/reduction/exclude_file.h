// SPDX-License-Identifier: BSD-3-Clause
// Writes names of functions as a filter file in Score-P's form, which our tracer and Score-P read.
#ifndef PAGODA_REDUCTION_EXCLUDE_FILE_H
#define PAGODA_REDUCTION_EXCLUDE_FILE_H

#include <stddef.h>

#include "analyzer/base/error.h"

/// A function that is not to be recorded, and why.
struct exclude_line {
    const char *name;
    const char *reason; // one line
};

/// Writes the file at PATH, wholly or not at all. EARLIER: the text of a filter file whose rules
/// stay in force before these; NULL for none. SOURCE says what the choice was made from. Any name
/// is written so that it means itself only. 0, or -1 and ERR.
int exclude_file_write(const char *path, const char *earlier, const char *source,
                       const struct exclude_line *lines, size_t n, struct error *err);

#endif

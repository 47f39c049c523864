// SPDX-License-Identifier: BSD-3-Clause
// Filter files: which regions are not to be recorded. Two forms are read, since people have them:
// Score-P's (SCOREP_REGION_NAMES_BEGIN ... END and SCOREP_FILE_NAMES_BEGIN ... END with EXCLUDE and
// INCLUDE, shell wildcards, the last rule that fits decides) and TAU's lists
// (BEGIN_EXCLUDE_LIST ... END_EXCLUDE_LIST, one name a line, wildcard #).
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "analyzer/base/error.h"

struct trace_filter;

/// Reads a filter file. NULL and ERR (with file and line) if it is wrong.
struct trace_filter *trace_filter_read(const char *path, struct error *err);
void trace_filter_free(struct trace_filter *filter);

size_t trace_filter_n_rules(const struct trace_filter *filter);

/// True if the text file has a line that begins one of the blocks.
bool trace_filter_is_one(const char *path);

/// The rules as lines of the tracer's settings file, in their order.
void trace_filter_write(const struct trace_filter *filter, FILE *stream);

/// Rules that leave out the MPI functions that neither communicate nor wait for another process.
void trace_filter_write_local_mpi(FILE *stream);

/// A function that is not to be recorded, and why.
struct trace_filter_line {
    const char *name;
    const char *reason; // one line
};

/// Writes a filter file in Score-P's form at PATH, wholly or not at all. EARLIER: the text of one
/// whose rules stay in force before these; NULL for none. SOURCE says what the choice was made
/// from. Any name is written so that it means itself only. 0, or -1 and ERR.
int trace_filter_write_excluded(const char *path, const char *earlier, const char *source,
                                const struct trace_filter_line *lines, size_t n, struct error *err);

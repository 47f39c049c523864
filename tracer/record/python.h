// SPDX-License-Identifier: BSD-3-Clause
// The line of Python that calls MPI by mpi4py, in place of the place in mpi4py that does.
#pragma once

#include "tracer/record/stream.h"

#include <stdint.h>

/// Where the code of mpi4py is; n_bytes 0: it is not loaded.
extern struct python_binding {
    uint64_t start, n_bytes;
} python_binding;

/// A module is loaded from `path` to [start, end).
void python_met_module(const char *path, uint64_t start, uint64_t end);

uint64_t python_line(struct stream *stream, uint64_t site);

/// `site`, or where that lies in mpi4py RECORD_LINE_SITE with the number of the line that called
/// it; 0: no line did. No record may be under construction.
static inline uint64_t python_site(struct stream *stream, uint64_t site)
{
    if (__builtin_expect(site - python_binding.start < python_binding.n_bytes, 0))
        return python_line(stream, site);
    return site;
}

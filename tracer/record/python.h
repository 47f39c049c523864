// SPDX-License-Identifier: BSD-3-Clause
// The line of Python that calls MPI by mpi4py or a stripped extension module, such as GPAW's, in
// place of the place in there, which has no name.
#pragma once

#include "tracer/record/stream.h"

#include <stdbool.h>
#include <stdint.h>

#define PYTHON_MOST_BINDINGS 16 // MPI calls of further ones keep their place in them

/// Where the code of mpi4py and of stripped extension modules is.
extern struct python_bindings {
    uint32_t n;
    struct python_binding {
        uint64_t start, n_bytes;
    } at[PYTHON_MOST_BINDINGS];
} python_bindings;

/// A module is loaded from `path` to [start, end).
void python_met_module(const char *path, bool is_linked_with_mpi, uint64_t start, uint64_t end);

uint64_t python_line(struct stream *stream, uint64_t site);

/// `site`, or where that lies in one of them RECORD_LINE_SITE with the number of the line that
/// called it; 0: no line did. No record may be under construction.
static inline uint64_t python_site(struct stream *stream, uint64_t site)
{
    for (uint32_t i = 0; i < python_bindings.n; i++)
        if (__builtin_expect(site - python_bindings.at[i].start < python_bindings.at[i].n_bytes, 0))
            return python_line(stream, site);
    return site;
}

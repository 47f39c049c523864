// SPDX-License-Identifier: BSD-3-Clause
// Which programs and libraries are loaded where, so that code addresses in the records can be
// turned into names after the run.
#pragma once

#include "tracer/record/stream.h"

#include <stdint.h>

/// Records all loaded modules, unless nothing was loaded or unloaded since the last time.
void module_write_list(struct stream *stream);

void module_met_new(struct stream *stream, uint64_t address);

static inline uint64_t *module_seen(struct stream *stream, uint64_t address)
{
    return &stream->seen_code[address * 0x9e3779b97f4a7c15U >> (64 - SEEN_CODE_BITS)];
}

/// A code address that is about to be recorded: makes sure that its module is. No record of another
/// kind may be under construction.
static inline void module_met(struct stream *stream, uint64_t address)
{
    if (__builtin_expect(*module_seen(stream, address) != address, 0))
        module_met_new(stream, address);
}

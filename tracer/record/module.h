// SPDX-License-Identifier: BSD-3-Clause
// Which programs and libraries are loaded where, so that code addresses in the records can be
// turned into names after the run.
#pragma once

#include "tracer/record/stream.h"

#include <stdbool.h>
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

// Names of the program's functions while it runs, for filters. From the symbol tables of the
// program and its libraries (.symtab, else .dynsym): dladdr(3) knows exported functions only.

/// The linker's name of the function that begins at `address`; NULL: not known (a stripped file).
/// Valid as long as the process. Reads the symbol table at the first call for each file, so this is
/// nothing for the hot path. Call it from one thread at a time.
const char *function_name(uint64_t address);

/// Whether the file has a symbol table besides that of what it exports: false if it is stripped or
/// cannot be read.
bool module_has_symbols(const char *path);

/// The name as the program's author writes it, demangled if it is mangled and the C++ library is
/// loaded; else NULL. The caller frees.
char *function_name_demangled(const char *name);

// SPDX-License-Identifier: BSD-3-Clause
// Names and source lines of code addresses, from symbol tables and debug information (libdw).
//
// Addresses are those in the file of a program or library, that is, without the load address.
// What was found is kept, so that the same address of many processes is looked up once. Everything
// handed out belongs to struct symbols.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct symbols;

struct symbol {
    const char *name; // demangled if possible
    const char *file; // NULL: unknown
    int line;         // 0: unknown
};

/// A line of a function. The symbol's file and line say where the function begins.
struct symbols_frame {
    struct symbol function;
    const char *file; // NULL: unknown
    int line;         // 0: unknown
};

struct symbols_frames {
    size_t n; // at least 1
    struct symbols_frame *list;
};

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

/// The function that begins at `address`. If nothing is known its name is made of file and address.
struct symbol symbols_function(struct symbols *symbols, const char *path, uint64_t address);

/// The lines of source that the instruction at `address` stands for: [0] where it was written, then
/// the place that function was inlined at, and so on; the last one's function is none inlined.
const struct symbols_frames *symbols_frames(struct symbols *symbols, const char *path,
                                            uint64_t address);

/// What made the code of the program at `path` ("GNU C17 12.2.0 ..."), empty: unknown. Of several
/// compilers that of the unit with the function `main`, else the first.
const char *symbols_compiler(struct symbols *symbols, const char *path);

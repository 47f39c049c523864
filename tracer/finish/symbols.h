// SPDX-License-Identifier: BSD-3-Clause
// Names and source lines of functions, from symbol tables and debug information (libdw).
#ifndef PAGODA_FINISH_SYMBOLS_H
#define PAGODA_FINISH_SYMBOLS_H

#include <stdint.h>

struct symbols;

struct symbol {
    char *name; // demangled if possible; owned by the caller
    char *file; // NULL: unknown; owned by the caller
    int line;   // 0: unknown
};

struct symbols *symbols_new(void);
void symbols_free(struct symbols *symbols);

// The function at `address` of a program or library file, as it stands in the file (that is,
// without the load address). If nothing is known its name is made of file and address.
struct symbol symbols_find(struct symbols *symbols, const char *path, uint64_t address);

#endif

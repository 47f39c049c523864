// SPDX-License-Identifier: BSD-3-Clause
// Names of the program's functions while it runs, for filters. From the symbol tables of the
// program and its libraries (.symtab, else .dynsym): dladdr(3) knows exported functions only.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// The linker's name of the function that begins at `address`; NULL: not known (a stripped file).
/// Valid as long as the process. Reads the symbol table at the first call for each file, so this is
/// nothing for the hot path. Call it from one thread at a time.
const char *function_name(uint64_t address);

/// Whether the file has a symbol table besides that of what it exports: false if it is stripped or
/// cannot be read.
bool file_has_symbols(const char *path);

/// The name as the program's author writes it, demangled if it is mangled and the C++ library is
/// loaded; else NULL. The caller frees.
char *function_name_demangled(const char *name);

// SPDX-License-Identifier: BSD-3-Clause
// The symbol of a file's symbol table that an address lies in. Part of symbols.c: libdwfl looks
// through the whole table for each address.
#pragma once

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>

/// All zero: not read yet.
struct symbols_table {
    struct sized_symbol *symbols[2]; // [0]: global and weak ones, [1]: local ones, by address
    size_t n[2];
    bool is_read;
};

/// Name of the symbol around libdwfl's `address`, which belongs to libdwfl, and where its code
/// begins. NULL: there is none.
const char *symbols_table_find(struct symbols_table *table, Dwfl_Module *module, GElf_Addr address,
                               GElf_Addr *begin);
void symbols_table_release(struct symbols_table *table);

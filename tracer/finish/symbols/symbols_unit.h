// SPDX-License-Identifier: BSD-3-Clause
// One code address in the debug information of its file: the compilation unit, the line, the
// functions. Part of symbols.c; texts belong to libdw.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <elfutils/libdwfl.h>

#include "tracer/finish/memory.h"

/// Units or functions by address, made when they are first needed.
struct unit_ranges {
    struct unit_range *items;
    size_t n, n_slots;
    bool is_made;
};

/// What was looked for in a file: its units, for not every compiler writes a list of them; and of
/// each unit asked for, its functions ([1]: also those that stand inside others).
struct unit_index {
    struct unit_ranges units;
    struct table functions; // struct unit_ranges [2] by address of the unit
};

struct unit_place {
    struct unit_index *index;
    Dwarf_Die unit;  // with the line table
    Dwarf_Die scope; // with the functions; the same unless they stand in a .dwo file
    Dwarf_Addr pc;   // in the terms of the debug information,
    Dwarf_Addr bias; // which is this less than libdwfl's
};

#define UNIT_MOST_SCOPES 64

/// Finds the unit with the code at libdwfl's `address`. False: there is no debug information on it.
bool unit_find(struct unit_index *index, Dwfl_Module *module, Dwarf_Addr address,
               struct unit_place *place);
void unit_index_release(struct unit_index *index);

/// File and line of the place; NULL and 0: unknown.
const char *unit_line(const struct unit_place *place, int *line);

/// The functions around a place, UNIT_MOST_SCOPES at most: the one that is not inlined
/// (DW_TAG_subprogram) first, then those inlined there (DW_TAG_inlined_subroutine). How many there
/// are.
size_t unit_scopes(const struct unit_place *place, Dwarf_Die *scopes);

/// The function around the place that is not inlined.
bool unit_function(const struct unit_place *place, Dwarf_Die *function);

/// Of a function: where its code begins, in the terms of the debug information; its name for the
/// linker, NULL: it has none; file and line of its declaration; file and line of the call that was
/// replaced by an inlined one's code.
bool unit_begin(Dwarf_Die *function, Dwarf_Addr *begin);
const char *unit_linkage_name(Dwarf_Die *function);
const char *unit_declared(Dwarf_Die *function, int *line);
const char *unit_call_line(const struct unit_place *place, Dwarf_Die *inlined, int *line);

/// What made the unit with the program's `main`, or else the first unit. NULL: unknown.
const char *unit_producer(Dwfl_Module *module);

// The symbol of a file's symbol table that an address lies in: libdwfl looks through the whole
// table for each address.

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

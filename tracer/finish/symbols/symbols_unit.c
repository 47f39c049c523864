// SPDX-License-Identifier: BSD-3-Clause
// See symbols_unit.h. Terms are those of the DWARF standard, version 5, sections 3.1 to 3.3.
#include "tracer/finish/symbols/symbols_unit.h"

#include "tracer/finish/memory.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 256 // of entries in one another

struct unit_range {
    Dwarf_Addr begin, end; // of a unit: libdwfl's
    Dwarf_Addr bias;       // of a unit
    Dwarf_Die entry;
};

/// Of several entries with the same code the first one in the file comes last, and is found.
static int by_begin(const void *a, const void *b)
{
    const struct unit_range *left = a;
    const struct unit_range *right = b;
    if (left->begin != right->begin)
        return left->begin > right->begin ? 1 : -1;
    return (left->entry.addr < right->entry.addr) - (left->entry.addr > right->entry.addr);
}

/// The entry's code may be in several pieces.
static void add(struct unit_ranges *ranges, Dwarf_Die *entry, Dwarf_Addr bias)
{
    Dwarf_Addr base, begin, end;
    for (ptrdiff_t at = dwarf_ranges(entry, 0, &base, &begin, &end); at > 0;
         at = dwarf_ranges(entry, at, &base, &begin, &end)) {
        if (ranges->n == ranges->n_slots) {
            ranges->n_slots = ranges->n_slots == 0 ? 64 : 2 * ranges->n_slots;
            ranges->items = realloc_or_die(ranges->items, ranges->n_slots * sizeof *ranges->items);
        }
        ranges->items[ranges->n++] = (struct unit_range){begin + bias, end + bias, bias, *entry};
    }
}

static void sort(struct unit_ranges *ranges)
{
    ranges->is_made = true;
    if (ranges->n > 0)
        qsort(ranges->items, ranges->n, sizeof *ranges->items, by_begin);
}

static void find_units(struct unit_ranges *units, Dwfl_Module *module)
{
    Dwarf_Addr bias;
    for (Dwarf_Die *unit = dwfl_module_nextcu(module, NULL, &bias); unit;
         unit = dwfl_module_nextcu(module, unit, &bias))
        add(units, unit, bias);
    sort(units);
}

static const struct unit_range *range_of(const struct unit_ranges *ranges, Dwarf_Addr address)
{
    size_t high = ranges->n;
    size_t low = 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges->items[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= ranges->items[low - 1].end)
        return NULL;
    return &ranges->items[low - 1];
}

bool unit_find(struct unit_index *index, Dwfl_Module *module, Dwarf_Addr address,
               struct unit_place *place)
{
    Dwarf_Addr bias = 0;
    const Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
    if (!unit) {
        if (!index->units.is_made)
            find_units(&index->units, module);
        const struct unit_range *range = range_of(&index->units, address);
        if (!range)
            return false;
        unit = &range->entry;
        bias = range->bias;
    }
    *place = (struct unit_place){index, *unit, *unit, address - bias, bias};
    Dwarf_Die split;
    uint8_t type = 0;
    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && split.addr)
        place->scope = split;
    return true;
}

void unit_index_release(struct unit_index *index)
{
    for (uint32_t i = 0; i < index->functions.n; i++) {
        const struct unit_ranges *functions = table_value_at(&index->functions, i);
        free(functions[0].items);
        free(functions[1].items);
    }
    table_release(&index->functions);
    free(index->units.items);
    *index = (struct unit_index){0};
}

const char *unit_line(const struct unit_place *place, int *line)
{
    Dwarf_Die unit = place->unit;
    Dwarf_Line *found = dwarf_getsrc_die(&unit, place->pc);
    *line = 0;
    // Line 0: code that the compiler ascribes to no line.
    if (!found || dwarf_lineno(found, line) != 0 || *line == 0)
        return NULL;
    return dwarf_linesrc(found, NULL, NULL);
}

/// Entries whose children may be functions; with `thorough` also functions, for those of Fortran,
/// Ada and GNU C that stand inside others.
static bool may_hold_functions(int tag, bool thorough)
{
    switch (tag) {
    case DW_TAG_module:
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return true;
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
        return thorough;
    default:
        return false;
    }
}

/// dwarf_getscopes() looks into entries with code addresses only, but modules and namespaces have
/// none.
static void add_functions(struct unit_ranges *ranges, Dwarf_Die *parent, bool thorough,
                          unsigned depth)
{
    Dwarf_Die child;
    if (depth > MOST_DEPTH || dwarf_child(parent, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subprogram)
            add(ranges, &child, 0);
        if (may_hold_functions(tag, thorough))
            add_functions(ranges, &child, thorough, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/// The lists of functions of the place's unit, which may be yet to be made.
static struct unit_ranges *functions_of(const struct unit_place *place)
{
    const Dwarf_CU *unit = place->scope.cu;
    return table_value(&place->index->functions, &unit, sizeof(unit),
                       2 * sizeof(struct unit_ranges), NULL);
}

bool unit_function(const struct unit_place *place, Dwarf_Die *function)
{
    struct unit_ranges *functions = functions_of(place);
    for (int thorough = 0; thorough < 2; thorough++) {
        Dwarf_Die unit = place->scope;
        if (!functions[thorough].is_made) {
            add_functions(&functions[thorough], &unit, thorough, 0);
            sort(&functions[thorough]);
        }
        const struct unit_range *range = range_of(&functions[thorough], place->pc);
        if (range) {
            *function = range->entry;
            return true;
        }
    }
    return false;
}

/// The child of a function, block or inlined function that the place is in.
static bool find_inner(Dwarf_Die *scope, Dwarf_Addr pc, Dwarf_Die *inner)
{
    if (dwarf_child(scope, inner) != 0)
        return false;
    do {
        int tag = dwarf_tag(inner);
        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
             tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt) &&
            dwarf_haspc(inner, pc) > 0)
            return true;
    } while (dwarf_siblingof(inner, inner) == 0);
    return false;
}

void unit_scopes_init(struct unit_scopes *scopes, const struct unit_place *place)
{
    Dwarf_Die scope, inner;
    scopes->n = 0;
    if (!unit_function(place, &scope))
        return;
    scopes->list[scopes->n++] = scope;
    for (unsigned depth = 0; depth < MOST_DEPTH && find_inner(&scope, place->pc, &inner); depth++) {
        if (dwarf_tag(&inner) == DW_TAG_inlined_subroutine && scopes->n < UNIT_MOST_SCOPES)
            scopes->list[scopes->n++] = inner;
        scope = inner;
    }
}

Dwarf_Die *unit_scopes_next(struct unit_scopes *scopes)
{
    return scopes->n > 0 ? &scopes->list[--scopes->n] : NULL;
}

bool unit_begin(Dwarf_Die *function, Dwarf_Addr *begin)
{
    Dwarf_Addr base, end;
    // A function in several pieces (.cold) begins with the first one.
    return dwarf_entrypc(function, begin) == 0 || dwarf_ranges(function, 0, &base, begin, &end) > 0;
}

const char *unit_name(Dwarf_Die *function)
{
    return dwarf_diename(function);
}

const char *unit_linkage_name(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    if (!dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute) &&
        !dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attribute))
        return NULL;
    return dwarf_formstring(&attribute);
}

const char *unit_declared(Dwarf_Die *function, int *line)
{
    *line = 0;
    if (dwarf_decl_line(function, line) != 0)
        return NULL;
    return dwarf_decl_file(function);
}

const char *unit_call_line(const struct unit_place *place, Dwarf_Die *inlined, int *line)
{
    Dwarf_Die unit = place->scope;
    *line = 0;
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0;
    Dwarf_Word call_line = 0;
    Dwarf_Files *files;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &call_line) != 0 ||
        dwarf_getsrcfiles(&unit, &files, NULL) != 0)
        return NULL;
    *line = (int)call_line;
    return dwarf_filesrc(files, (size_t)file, NULL, NULL);
}

static const char *producer_of(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
}

const char *unit_producer(Dwfl_Module *module)
{
    int n = dwfl_module_getsymtab(module);
    Dwarf_Addr bias = 0;
    Dwarf_Die *unit = NULL;
    for (int i = 0; i < n && !unit; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name && strcmp(name, "main") == 0 && GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
            unit = dwfl_module_addrdie(module, address, &bias);
    }
    if (!unit)
        unit = dwfl_module_nextcu(module, NULL, &bias);
    return unit ? producer_of(unit) : NULL;
}

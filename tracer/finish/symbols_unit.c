// SPDX-License-Identifier: BSD-3-Clause
// See symbols_unit.h. Terms are those of the DWARF standard, version 5, sections 3.1 to 3.3.
#include "tracer/finish/symbols_unit.h"

#include "tracer/finish/memory.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 256 // of entries in one another

struct unit_range {
    Dwarf_Addr begin, end; // libdwfl's
    Dwarf_Addr bias;
    Dwarf_Die unit;
};

static int by_begin(const void *a, const void *b)
{
    const struct unit_range *left = a;
    const struct unit_range *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

static void make(struct unit_index *index, Dwfl_Module *module)
{
    index->is_made = true;
    Dwarf_Addr bias;
    size_t n_slots = 0;
    for (Dwarf_Die *unit = dwfl_module_nextcu(module, NULL, &bias); unit;
         unit = dwfl_module_nextcu(module, unit, &bias)) {
        Dwarf_Addr base, begin, end;
        for (ptrdiff_t at = dwarf_ranges(unit, 0, &base, &begin, &end); at > 0;
             at = dwarf_ranges(unit, at, &base, &begin, &end)) {
            if (index->n == n_slots) {
                n_slots = n_slots == 0 ? 64 : 2 * n_slots;
                index->ranges = realloc_or_die(index->ranges, n_slots * sizeof *index->ranges);
            }
            index->ranges[index->n++] = (struct unit_range){begin + bias, end + bias, bias, *unit};
        }
    }
    if (index->n > 0)
        qsort(index->ranges, index->n, sizeof *index->ranges, by_begin);
}

static const struct unit_range *range_of(const struct unit_index *index, Dwarf_Addr address)
{
    size_t high = index->n;
    size_t low = 0;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (index->ranges[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address >= index->ranges[low - 1].end)
        return NULL;
    return &index->ranges[low - 1];
}

bool unit_find(struct unit_index *index, Dwfl_Module *module, Dwarf_Addr address,
               struct unit_place *place)
{
    Dwarf_Addr bias = 0;
    const Dwarf_Die *unit = dwfl_module_addrdie(module, address, &bias);
    if (!unit) {
        if (!index->is_made)
            make(index, module);
        const struct unit_range *range = range_of(index, address);
        if (!range)
            return false;
        unit = &range->unit;
        bias = range->bias;
    }
    *place = (struct unit_place){*unit, *unit, address - bias, bias};
    Dwarf_Die split;
    uint8_t type = 0;
    if (dwarf_cu_info(unit->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && split.addr)
        place->scope = split;
    return true;
}

void unit_index_release(struct unit_index *index)
{
    free(index->ranges);
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
static bool find_function(Dwarf_Die *parent, Dwarf_Addr pc, bool thorough, unsigned depth,
                          Dwarf_Die *function)
{
    Dwarf_Die child;
    if (depth > MOST_DEPTH || dwarf_child(parent, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_subprogram && dwarf_haspc(&child, pc) > 0) {
            *function = child;
            return true;
        }
        if (may_hold_functions(tag, thorough) &&
            find_function(&child, pc, thorough, depth + 1, function))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

bool unit_function(const struct unit_place *place, Dwarf_Die *function)
{
    Dwarf_Die unit = place->scope;
    return find_function(&unit, place->pc, false, 0, function) ||
           find_function(&unit, place->pc, true, 0, function);
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

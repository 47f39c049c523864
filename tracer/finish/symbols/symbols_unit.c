// SPDX-License-Identifier: BSD-3-Clause
// See symbols_unit.h. Terms are those of the DWARF standard, version 5, sections 3.1 to 3.3.
#include "tracer/finish/symbols/symbols_unit.h"

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

size_t unit_scopes(const struct unit_place *place, Dwarf_Die *scopes)
{
    Dwarf_Die scope, inner;
    size_t n = 0;
    if (!unit_function(place, &scope))
        return 0;
    scopes[n++] = scope;
    for (unsigned depth = 0; depth < MOST_DEPTH && find_inner(&scope, place->pc, &inner); depth++) {
        if (dwarf_tag(&inner) == DW_TAG_inlined_subroutine && n < UNIT_MOST_SCOPES)
            scopes[n++] = inner;
        scope = inner;
    }
    return n;
}

bool unit_begin(Dwarf_Die *function, Dwarf_Addr *begin)
{
    Dwarf_Addr base, end;
    // A function in several pieces (.cold) begins with the first one.
    return dwarf_entrypc(function, begin) == 0 || dwarf_ranges(function, 0, &base, begin, &end) > 0;
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
    Dwarf_Attribute attribute;
    return unit ? dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute)) : NULL;
}

// ---- The symbol table. Symbols with a size are kept by address. As in dwfl_module_addrinfo() a
// global or weak symbol goes before any local one, then the nearest begin, then the stronger
// binding, then the smaller size, then the first one in the table. Only an address that lies in
// none of them is given to that function, for symbols without a size.

struct sized_symbol {
    GElf_Addr begin, end;
    GElf_Addr reach; // the last end of this one and those before
    const char *name;
    size_t number; // in the order of the symbol table
    bool is_weak;
};

/// Of several with the same begin the best one comes last.
static int by_symbol_begin(const void *a, const void *b)
{
    const struct sized_symbol *left = a;
    const struct sized_symbol *right = b;
    if (left->begin != right->begin)
        return left->begin > right->begin ? 1 : -1;
    if (left->is_weak != right->is_weak)
        return left->is_weak ? -1 : 1;
    if (left->end != right->end)
        return left->end < right->end ? 1 : -1;
    return (left->number < right->number) - (left->number > right->number);
}

static bool is_code_or_data(const GElf_Sym *symbol)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_size > 0 && type != STT_SECTION &&
           type != STT_FILE && type != STT_TLS;
}

static void add_symbol(struct symbols_table *table, const GElf_Sym *symbol, GElf_Addr begin,
                       const char *name)
{
    int bind = GELF_ST_BIND(symbol->st_info);
    struct sized_symbol **symbols = &table->symbols[bind == STB_LOCAL];
    size_t *n = &table->n[bind == STB_LOCAL];
    if ((*n & (*n - 1)) == 0) // a power of two: full
        *symbols = realloc_or_die(*symbols, (*n == 0 ? 1 : 2 * *n) * sizeof **symbols);
    (*symbols)[*n] = (struct sized_symbol){.begin = begin,
                                           .end = begin + symbol->st_size,
                                           .name = name,
                                           .number = *n,
                                           .is_weak = bind == STB_WEAK};
    ++*n;
}

static void read_symbols(struct symbols_table *table, Dwfl_Module *module)
{
    int n = dwfl_module_getsymtab(module);
    table->is_read = true;
    for (int i = 1; i < n; i++) {
        GElf_Sym symbol;
        GElf_Addr begin;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &begin, NULL, NULL, NULL);
        if (name && name[0] != '\0' && is_code_or_data(&symbol))
            add_symbol(table, &symbol, begin, name);
    }
    for (int local = 0; local < 2; local++) {
        struct sized_symbol *symbols = table->symbols[local];
        if (table->n[local] > 0)
            qsort(symbols, table->n[local], sizeof *symbols, by_symbol_begin);
        for (size_t i = 0; i < table->n[local]; i++) {
            GElf_Addr before = i > 0 ? symbols[i - 1].reach : 0;
            symbols[i].reach = symbols[i].end > before ? symbols[i].end : before;
        }
    }
}

static const struct sized_symbol *find_symbol(const struct sized_symbol *symbols, size_t n,
                                              GElf_Addr address)
{
    size_t low = 0;
    while (low < n) {
        size_t middle = (low + n) / 2;
        if (symbols[middle].begin <= address)
            low = middle + 1;
        else
            n = middle;
    }
    for (; low > 0 && symbols[low - 1].reach > address; low--)
        if (symbols[low - 1].end > address)
            return &symbols[low - 1];
    return NULL;
}

const char *symbols_table_find(struct symbols_table *table, Dwfl_Module *module, GElf_Addr address,
                               GElf_Addr *begin)
{
    if (!table->is_read)
        read_symbols(table, module);
    for (int local = 0; local < 2; local++) {
        const struct sized_symbol *found =
            find_symbol(table->symbols[local], table->n[local], address);
        if (found) {
            *begin = found->begin;
            return found->name;
        }
    }
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL);
    *begin = address - offset;
    return name;
}

void symbols_table_release(struct symbols_table *table)
{
    free(table->symbols[0]);
    free(table->symbols[1]);
}

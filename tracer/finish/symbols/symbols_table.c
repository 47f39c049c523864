// SPDX-License-Identifier: BSD-3-Clause
// Symbols with a size are kept by address. As in dwfl_module_addrinfo() a global or weak symbol
// goes before any local one, then the nearest begin, then the stronger binding, then the smaller
// size, then the first one in the table. Only an address that lies in none of them is given to that
// function, for symbols without a size.
#include "tracer/finish/symbols/symbols_unit.h"

#include "tracer/finish/memory.h"

#include <gelf.h>
#include <stdlib.h>

struct sized_symbol {
    GElf_Addr begin, end;
    GElf_Addr reach; // the last end of this one and those before
    const char *name;
    size_t number; // in the order of the symbol table
    bool is_weak;
};

/// Of several with the same begin the best one comes last.
static int by_begin(const void *a, const void *b)
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

static void add(struct symbols_table *table, const GElf_Sym *symbol, GElf_Addr begin,
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
            add(table, &symbol, begin, name);
    }
    for (int local = 0; local < 2; local++) {
        struct sized_symbol *symbols = table->symbols[local];
        if (table->n[local] > 0)
            qsort(symbols, table->n[local], sizeof *symbols, by_begin);
        for (size_t i = 0; i < table->n[local]; i++) {
            GElf_Addr before = i > 0 ? symbols[i - 1].reach : 0;
            symbols[i].reach = symbols[i].end > before ? symbols[i].end : before;
        }
    }
}

static const struct sized_symbol *find(const struct sized_symbol *symbols, size_t n,
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
        const struct sized_symbol *found = find(table->symbols[local], table->n[local], address);
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

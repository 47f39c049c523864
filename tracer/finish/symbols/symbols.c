// SPDX-License-Identifier: BSD-3-Clause
// Names and lines, see symbols.h: what the files hold is read by libdwfl's offline mode. Every file
// is reported once, at a place of its own. Position-independent or not makes no difference:
// addresses are moved by the module's bias. Debug information in a file of its own is found as
// debuggers find it, by build id or debug link, beside the file or below /usr/lib/debug.
#include "tracer/finish/symbols/symbols.h"

#include "tracer/finish/memory.h"
#include "tracer/finish/symbols/symbols_unit.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct module {
    Dwfl_Module *dwfl; // NULL: unreadable
    const char *path;
    struct unit_index units;
    struct symbols_table table;
};

struct symbols {
    Dwfl *dwfl;
    struct table modules;   // struct module by path
    struct table functions; // struct symbol by place
    struct table places;    // struct symbols_frames by place
    struct table texts;
    char *(*demangle)(const char *name, char *buffer, size_t *n_bytes, int *status);
    bool has_looked_for_demangle;
};

/// A key, so without padding.
struct place {
    struct module *module;
    uint64_t address;
};

static char *debuginfo_path;
static const Dwfl_Callbacks callbacks = {
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debuginfo_path,
};

struct symbols *symbols_new(void)
{
    struct symbols *symbols = alloc_or_die(sizeof *symbols);
    // Looking for debug information on servers would take minutes.
    setenv("DEBUGINFOD_URLS", "", 1);
    symbols->dwfl = dwfl_begin(&callbacks);
    return symbols;
}

void symbols_free(struct symbols *symbols)
{
    if (!symbols)
        return;
    for (uint32_t i = 0; i < symbols->modules.n; i++) {
        struct module *module = table_value_at(&symbols->modules, i);
        unit_index_release(&module->units);
        symbols_table_release(&module->table);
    }
    for (uint32_t i = 0; i < symbols->places.n; i++)
        free(((struct symbols_frames *)table_value_at(&symbols->places, i))->list);
    if (symbols->dwfl)
        dwfl_end(symbols->dwfl);
    table_release(&symbols->modules);
    table_release(&symbols->functions);
    table_release(&symbols->places);
    table_release(&symbols->texts);
    free(symbols);
}

/// Our copy of a text, NULL for NULL.
static const char *keep(struct symbols *symbols, const char *text)
{
    if (!text)
        return NULL;
    return table_key(&symbols->texts, table_number(&symbols->texts, text, strlen(text) + 1, NULL));
}

static const char *keep_and_free(struct symbols *symbols, char *text)
{
    const char *kept = keep(symbols, text);
    free(text);
    return kept;
}

static struct module *module_of(struct symbols *symbols, const char *path)
{
    bool is_new;
    struct module *module =
        table_value(&symbols->modules, path, strlen(path) + 1, sizeof *module, &is_new);
    if (!is_new)
        return module;
    module->path = keep(symbols, path);
    if (symbols->dwfl) {
        dwfl_report_begin_add(symbols->dwfl);
        module->dwfl = dwfl_report_offline(symbols->dwfl, path, path, -1);
        dwfl_report_end(symbols->dwfl, NULL, NULL);
    }
    return module;
}

/// What is added to addresses of the file in libdwfl's. False: the file cannot be read.
static bool bias_of(const struct module *module, uint64_t *bias)
{
    GElf_Addr value = 0;
    if (!module->dwfl || !dwfl_module_getelf(module->dwfl, &value))
        return false;
    *bias = value;
    return true;
}

/// gfortran's "__module_MOD_procedure" as "module::procedure".
static char *fortran_name(const char *name)
{
    const char *middle = strncmp(name, "__", 2) == 0 ? strstr(name, "_MOD_") : NULL;
    if (!middle)
        return NULL;
    return format_or_die("%.*s::%s", (int)(middle - name - 2), name + 2, middle + 5);
}

/// The C++ library is loaded for the first mangled name. NULL: it is not there, or the name is not
/// one of C++.
static char *demangled_name(struct symbols *symbols, const char *name)
{
    int status = 0;
    if (!symbols->has_looked_for_demangle) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
        void *function = library ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&symbols->demangle, &function, sizeof function);
        symbols->has_looked_for_demangle = true;
    }
    return symbols->demangle ? symbols->demangle(name, NULL, NULL, &status) : NULL;
}

/// A name of the linker's: without the suffix of a compiler's variant (.cold, .isra.0), demangled.
static const char *plain_name(struct symbols *symbols, const char *name)
{
    char *text = strdup_or_die(name);
    char *suffix = text[0] != '\0' ? strchr(text + 1, '.') : NULL;
    if (suffix)
        *suffix = '\0';
    char *demangled =
        strncmp(text, "_Z", 2) == 0 ? demangled_name(symbols, text) : fortran_name(text);
    if (!demangled)
        return keep_and_free(symbols, text);
    free(text);
    return keep_and_free(symbols, demangled);
}

/// The name a function has in its source, with the module it belongs to in Fortran.
static const char *name_of(struct symbols *symbols, Dwarf_Die *function)
{
    const char *linkage = unit_linkage_name(function);
    if (linkage && (strncmp(linkage, "_Z", 2) == 0 || strstr(linkage, "_MOD_")))
        return plain_name(symbols, linkage);
    return keep(symbols, dwarf_diename(function));
}

static const char *name_of_address(struct symbols *symbols, const struct module *module,
                                   uint64_t address)
{
    const char *base = strrchr(module->path, '/');
    return keep_and_free(symbols,
                         format_or_die("%s+0x%" PRIx64, base ? base + 1 : module->path, address));
}

/// The function by the symbol table; *begin is where it begins.
static const char *name_by_symbol(struct symbols *symbols, struct module *module, uint64_t address,
                                  uint64_t *begin)
{
    *begin = address;
    uint64_t bias;
    GElf_Addr found;
    if (!bias_of(module, &bias))
        return NULL;
    const char *name = symbols_table_find(&module->table, module->dwfl, address + bias, &found);
    if (!name)
        return NULL;
    *begin = found - bias;
    return plain_name(symbols, name);
}

static struct symbol look_up_function(struct symbols *symbols, struct module *module,
                                      uint64_t address)
{
    struct symbol symbol = {NULL, NULL, 0};
    struct unit_place place;
    uint64_t bias;
    if (bias_of(module, &bias) && unit_find(&module->units, module->dwfl, address + bias, &place)) {
        Dwarf_Die function;
        if (unit_function(&place, &function)) {
            symbol.name = name_of(symbols, &function);
            symbol.file = keep(symbols, unit_declared(&function, &symbol.line));
        }
        if (!symbol.file)
            symbol.file = keep(symbols, unit_line(&place, &symbol.line));
    }
    uint64_t begin;
    if (!symbol.name)
        symbol.name = name_by_symbol(symbols, module, address, &begin);
    if (!symbol.name)
        symbol.name = name_of_address(symbols, module, address);
    return symbol;
}

static struct symbol function_at(struct symbols *symbols, struct module *module, uint64_t address)
{
    struct place place = {module, address};
    struct symbol *symbol =
        table_value(&symbols->functions, &place, sizeof place, sizeof *symbol, NULL);
    if (!symbol->name)
        *symbol = look_up_function(symbols, module, address);
    return *symbol;
}

struct symbol symbols_function(struct symbols *symbols, const char *path, uint64_t address)
{
    return function_at(symbols, module_of(symbols, path), address);
}

/// Follows the functions that were put into one another at this place, from the inside out.
static bool add_frames(struct symbols *symbols, struct module *module, uint64_t address,
                       struct symbols_frames *frames)
{
    struct unit_place place;
    uint64_t bias;
    if (!bias_of(module, &bias) || !unit_find(&module->units, module->dwfl, address + bias, &place))
        return false;
    int line;
    const char *file = keep(symbols, unit_line(&place, &line));
    Dwarf_Die scopes[UNIT_MOST_SCOPES];
    bool complete = false;
    for (size_t i = unit_scopes(&place, scopes); i-- > 0 && !complete;) {
        Dwarf_Die *scope = &scopes[i];
        struct symbol function = {NULL, NULL, 0};
        Dwarf_Addr begin;
        complete = dwarf_tag(scope) == DW_TAG_subprogram;
        if (complete && unit_begin(scope, &begin)) {
            function = function_at(symbols, module, begin + place.bias - bias);
        } else {
            function.name = name_of(symbols, scope);
            function.file = keep(symbols, unit_declared(scope, &function.line));
        }
        if (function.name)
            APPEND(frames->list, frames->n, (struct symbols_frame){function, file, line});
        if (!complete)
            file = keep(symbols, unit_call_line(&place, scope, &line));
    }
    if (frames->n == 0 && file) {
        uint64_t begin;
        const char *name = name_by_symbol(symbols, module, address, &begin);
        if (name)
            APPEND(frames->list, frames->n,
                   (struct symbols_frame){function_at(symbols, module, begin), file, line});
    }
    return frames->n > 0;
}

const struct symbols_frames *symbols_frames(struct symbols *symbols, const char *path,
                                            uint64_t address)
{
    struct place place = {module_of(symbols, path), address};
    struct symbols_frames *frames =
        table_value(&symbols->places, &place, sizeof place, sizeof *frames, NULL);
    uint64_t begin;
    if (frames->n == 0 && !add_frames(symbols, place.module, address, frames)) {
        name_by_symbol(symbols, place.module, address, &begin);
        APPEND(frames->list, frames->n,
               (struct symbols_frame){function_at(symbols, place.module, begin), NULL, 0});
    }
    return frames;
}

/// What compilers and the linker left in section .comment: the first text.
static const char *comment_of(Dwfl_Module *module)
{
    GElf_Addr bias;
    Elf *elf = dwfl_module_getelf(module, &bias);
    size_t names;
    if (!elf || elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        const Elf_Data *data;
        if (!name || strcmp(name, ".comment") != 0)
            continue;
        data = elf_getdata(section, NULL);
        if (data && data->d_buf && memchr(data->d_buf, 0, data->d_size))
            return data->d_buf;
    }
    return NULL;
}

const char *symbols_compiler(struct symbols *symbols, const char *path)
{
    Dwfl_Module *module = module_of(symbols, path)->dwfl;
    if (!module)
        return "";
    const char *producer = unit_producer(module);
    if (!producer)
        producer = comment_of(module);
    return keep(symbols, producer ? producer : "");
}

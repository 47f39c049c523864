// SPDX-License-Identifier: BSD-3-Clause
// Function names by libdwfl's offline mode: every file is reported once, at a place of its own.
// Position-independent or not makes no difference: addresses are moved by the module's bias.
#include "tracer/finish/symbols.h"

#include "tracer/finish/memory.h"
#include "tracer/finish/table.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct symbols {
    Dwfl *dwfl;
    struct table paths;
    Dwfl_Module **modules; // by number of the path; NULL: unreadable
    char *(*demangle)(const char *name, char *buffer, size_t *n_bytes, int *status);
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
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    void *function = library != NULL ? dlsym(library, "__cxa_demangle") : NULL;

    // Optional: without the C++ library the names stay as they are.
    memcpy(&symbols->demangle, &function, sizeof function);
    // Looking for debug information on servers would take minutes.
    setenv("DEBUGINFOD_URLS", "", 1);
    symbols->dwfl = dwfl_begin(&callbacks);
    return symbols;
}

void symbols_free(struct symbols *symbols)
{
    if (symbols == NULL)
        return;
    if (symbols->dwfl != NULL)
        dwfl_end(symbols->dwfl);
    table_release(&symbols->paths);
    free(symbols->modules);
    free(symbols);
}

static Dwfl_Module *module_of(struct symbols *symbols, const char *path)
{
    bool is_new;
    uint32_t number = table_number(&symbols->paths, path, strlen(path) + 1, &is_new);

    if (symbols->dwfl == NULL)
        return NULL;
    if (is_new) {
        symbols->modules = realloc_or_die(symbols->modules, (number + 1) * sizeof(Dwfl_Module *));
        dwfl_report_begin_add(symbols->dwfl);
        symbols->modules[number] = dwfl_report_offline(symbols->dwfl, path, path, -1);
        dwfl_report_end(symbols->dwfl, NULL, NULL);
    }
    return symbols->modules[number];
}

static char *demangled(const struct symbols *symbols, const char *name)
{
    int status = 0;
    char *text = NULL;

    if (symbols->demangle != NULL && strncmp(name, "_Z", 2) == 0)
        text = symbols->demangle(name, NULL, NULL, &status);
    return text != NULL ? text : strdup_or_die(name);
}

struct symbol symbols_find(struct symbols *symbols, const char *path, uint64_t address)
{
    Dwfl_Module *module = module_of(symbols, path);
    struct symbol symbol = {NULL, NULL, 0};
    const char *base = strrchr(path, '/');
    GElf_Addr bias = 0;

    if (module != NULL && dwfl_module_getelf(module, &bias) != NULL) {
        const char *name = dwfl_module_addrname(module, address + bias);
        Dwfl_Line *line = dwfl_module_getsrc(module, address + bias);
        const char *file =
            line != NULL ? dwfl_lineinfo(line, NULL, &symbol.line, NULL, NULL, NULL) : NULL;

        if (name != NULL)
            symbol.name = demangled(symbols, name);
        if (file != NULL)
            symbol.file = strdup_or_die(file);
    }
    if (symbol.name == NULL)
        symbol.name = format_or_die("%s+0x%" PRIx64, base != NULL ? base + 1 : path, address);
    return symbol;
}

// SPDX-License-Identifier: BSD-3-Clause
// Symbol tables by hand: the tracer brings no library into the program. Files stay mapped, their
// functions in an array sorted by address.
#include "tracer/record/function_names.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct function {
    uint64_t address; // as in the file
    const char *name;
};

struct module {
    uint64_t base;
    uint64_t end;
    struct function *functions;
    size_t n_functions;
    struct module *next;
};

static struct module *modules;

struct search {
    uint64_t address;
    uint64_t base;
    uint64_t end;
    char path[4096]; // empty: the program itself
    bool found;
};

static int find_module(struct dl_phdr_info *info, size_t size, void *result)
{
    struct search *search = result;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD || search->address < start ||
            search->address >= start + header->p_memsz)
            continue;
        search->base = info->dlpi_addr;
        search->end = start + header->p_memsz;
        strncpy(search->path, info->dlpi_name, sizeof search->path - 1);
        search->found = true;
        return 1;
    }
    return 0;
}

static int by_address(const void *a, const void *b)
{
    uint64_t left = ((const struct function *)a)->address;
    uint64_t right = ((const struct function *)b)->address;
    return (left > right) - (left < right);
}

/// A section with `n_bytes` at `offset` that lies in the file, or NULL.
static const void *in_file(const uint8_t *bytes, size_t n_bytes, uint64_t offset, uint64_t length)
{
    return offset <= n_bytes && length <= n_bytes - offset ? bytes + offset : NULL;
}

/// The symbol table with most to say: .symtab, else .dynsym.
static const ElfW(Shdr) * symbol_section(const ElfW(Shdr) * sections, size_t n)
{
    const ElfW(Shdr) *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (sections[i].sh_type == SHT_SYMTAB || (sections[i].sh_type == SHT_DYNSYM && !best))
            best = &sections[i];
    return best;
}

/// The sections of the file, *N of them; NULL if it is no ELF file.
static const ElfW(Shdr) * sections_of(const uint8_t *bytes, size_t n_bytes, size_t *n)
{
    const ElfW(Ehdr) *header = in_file(bytes, n_bytes, 0, sizeof *header);
    if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_shentsize != sizeof(ElfW(Shdr)))
        return NULL;
    *n = header->e_shnum;
    return in_file(bytes, n_bytes, header->e_shoff, *n * sizeof(ElfW(Shdr)));
}

static void read_functions(struct module *module, const uint8_t *bytes, size_t n_bytes)
{
    size_t n = 0;
    const ElfW(Shdr) *sections = sections_of(bytes, n_bytes, &n);
    const ElfW(Shdr) *table = sections ? symbol_section(sections, n) : NULL;
    const ElfW(Sym) * symbols;
    if (!table || table->sh_link >= n)
        return;
    symbols = in_file(bytes, n_bytes, table->sh_offset, table->sh_size);
    uint64_t n_texts = sections[table->sh_link].sh_size;
    const char *texts = in_file(bytes, n_bytes, sections[table->sh_link].sh_offset, n_texts);
    if (!symbols || !texts || n_texts == 0 || texts[n_texts - 1] != '\0')
        return;
    size_t n_symbols = table->sh_size / sizeof *symbols;
    module->functions = malloc((n_symbols + 1) * sizeof *module->functions);
    for (size_t i = 0; i < n_symbols && module->functions; i++)
        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_value != 0 &&
            symbols[i].st_name < n_texts)
            module->functions[module->n_functions++] =
                (struct function){symbols[i].st_value, texts + symbols[i].st_name};
    if (module->n_functions > 0)
        qsort(module->functions, module->n_functions, sizeof *module->functions, by_address);
}

/// The file in memory, MAP_FAILED without; the caller unmaps.
static void *map_file(const char *path, size_t *n_bytes)
{
    void *bytes = MAP_FAILED;
    struct stat file;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return MAP_FAILED;
    if (fstat(fd, &file) == 0 && file.st_size > 0) {
        *n_bytes = (size_t)file.st_size;
        bytes = mmap(NULL, *n_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    close(fd);
    return bytes;
}

static struct module *open_module(const struct search *search)
{
    const char *path = search->path[0] != '\0' ? search->path : "/proc/self/exe";
    struct module *module = calloc(1, sizeof *module);
    size_t n_bytes = 0;
    if (!module)
        return NULL;
    module->base = search->base;
    module->end = search->end;
    module->next = modules;
    modules = module;
    void *bytes = map_file(path, &n_bytes);
    if (bytes != MAP_FAILED)
        read_functions(module, bytes, n_bytes);
    return module;
}

bool file_has_symbols(const char *path)
{
    size_t n_bytes = 0, n = 0;
    void *bytes = map_file(path, &n_bytes);
    if (bytes == MAP_FAILED)
        return false;
    const ElfW(Shdr) *sections = sections_of(bytes, n_bytes, &n);
    const ElfW(Shdr) *table = sections ? symbol_section(sections, n) : NULL;
    bool has_symbols = table && table->sh_type == SHT_SYMTAB;
    munmap(bytes, n_bytes);
    return has_symbols;
}

const char *function_name(uint64_t address)
{
    struct search search = {.address = address};
    dl_iterate_phdr(find_module, &search);
    if (!search.found)
        return NULL;
    struct module *module;
    // A library may have been loaded where another one was: it has another end.
    for (module = modules; module; module = module->next)
        if (module->base == search.base && module->end == search.end)
            break;
    if (!module)
        module = open_module(&search);
    if (!module || module->n_functions == 0)
        return NULL;
    struct function key = {0};
    key.address = address - search.base;
    const struct function *found =
        bsearch(&key, module->functions, module->n_functions, sizeof key, by_address);
    return found ? found->name : NULL;
}

char *function_name_demangled(const char *name)
{
    char *(*demangle)(const char *, char *, size_t *, int *);
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    memcpy(&demangle, &symbol, sizeof demangle);
    int status = 0;
    return demangle ? demangle(name, NULL, NULL, &status) : NULL;
}

// SPDX-License-Identifier: BSD-3-Clause
// Lists of the loaded modules, see module.h. The list is written at the end of MPI_Init and
// whenever a thread meets a new address and libraries have been loaded or unloaded since the last
// list. So each address lies in a module of the last list before it, whatever is unloaded later and
// however the process ends.
#include "tracer/record/module.h"

#include "tracer/record/clock.h"
#include "tracer/record/python.h"

#include <link.h>
#include <stdbool.h>
#include <string.h>

struct list {
    struct stream *stream;
    uint64_t time_ns;
};

static const ElfW(Dyn) * dynamic_section(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            return (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return NULL;
}

/// Whether the module was linked with a library of MPI.
static bool is_linked_with_mpi(const struct dl_phdr_info *info)
{
    const ElfW(Dyn) *dynamic = dynamic_section(info);
    const char *texts = NULL;
    for (const ElfW(Dyn) *entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_STRTAB) // the loader has made it an address, or left an offset
            texts = (const char *)(entry->d_un.d_ptr +
                                   (entry->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr : 0));
    for (const ElfW(Dyn) *entry = dynamic; texts && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_NEEDED && strncmp(texts + entry->d_un.d_val, "libmpi", 6) == 0)
            return true;
    return false;
}

static int write_module(struct dl_phdr_info *info, size_t size, void *to)
{
    const struct list *list = to;
    (void)size;
    uint64_t start = UINT64_MAX;
    uint64_t end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & PF_X) != 0) {
            uint64_t first = info->dlpi_addr + header->p_vaddr;
            start = first < start ? first : start;
            end = first + header->p_memsz > end ? first + header->p_memsz : end;
        }
    }
    if (end == 0)
        return 0;
    python_met_module(info->dlpi_name, is_linked_with_mpi(info), start, end);
    size_t n_bytes = sizeof(struct record_module);
    struct record_module *record = stream_reserve_with_text(
        list->stream, &n_bytes, info->dlpi_name); // empty: the program itself
    if (!record)
        return 0;
    record->time_ns = list->time_ns;
    record->base = info->dlpi_addr;
    record->start = start;
    record->end = end;
    stream_commit(&record->head, RECORD_MODULE, 0, n_bytes);
    return 0;
}

static int read_changes(struct dl_phdr_info *info, size_t size, void *changes)
{
    (void)size;
    *(unsigned long long *)changes = info->dlpi_adds + info->dlpi_subs;
    return 1;
}

void module_write_list(struct stream *stream)
{
    static unsigned long long known_changes;
    struct list list = {stream, clock_now_ns()};
    unsigned long long changes = 0;
    dl_iterate_phdr(read_changes, &changes);
    if (__atomic_exchange_n(&known_changes, changes, __ATOMIC_RELAXED) != changes)
        dl_iterate_phdr(write_module, &list);
}

void module_met_new(struct stream *stream, uint64_t address)
{
    *module_seen(stream, address) = address;
    module_write_list(stream);
}

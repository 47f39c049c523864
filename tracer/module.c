// SPDX-License-Identifier: BSD-3-Clause
// Lists of the loaded modules, see module.h. The list is written at the end of MPI_Init and
// whenever a thread meets a new address and libraries have been loaded or unloaded since the last
// list. So each address lies in a module of the last list before it, whatever is unloaded later and
// however the process ends.
#include "tracer/module.h"

#include "tracer/clock.h"

#include <link.h>
#include <string.h>

struct list {
    struct stream *stream;
    uint64_t time_ns;
};

static int write_module(struct dl_phdr_info *info, size_t size, void *to)
{
    const struct list *list = to;
    const char *path = info->dlpi_name;
    uint64_t start = UINT64_MAX;
    uint64_t end = 0;
    size_t length;
    size_t n_bytes;
    struct record_module *record;

    (void)size;
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
    length = strnlen(path, 4095); // empty: the program itself
    n_bytes = (sizeof *record + length + 1 + 7) / 8 * 8;
    record = stream_reserve(list->stream, n_bytes);
    if (record == NULL)
        return 0;
    record->time_ns = list->time_ns;
    record->base = info->dlpi_addr;
    record->start = start;
    record->end = end;
    memcpy(record->path, path, length);
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

// SPDX-License-Identifier: BSD-3-Clause
// Who made a call: the program, or a library that does things of its own.
#include "tracer/dispatch/dispatch.h"

#include <link.h>
#include <string.h>

/// Libraries of MPI and of networks, of thread runtimes, with threads for their own ends, and the
/// tracer: how their file names begin. Other language runtimes and I/O libraries work for the
/// program.
static const char *const foreign_libraries[] = {
    "libmpi.", "libmpi_",     "libmpich",   "libmpif",   "libfmpich", "libopen-",   "libopen_mpi",
    "libucc.", "libpmix.",    "libprrte.",  "mca_",      "libucp.",   "libucs.",    "libuct",
    "libucm",  "libfabric.",  "libpsm",     "libhwloc",  "libevent_", "libevent-",  "librdmacm.",
    "libib",   "libpagoda-",  "libpciacce", "libmunge.", "libgomp.",  "libomp",     "libiomp",
    "libblas", "libopenblas", "libblis",    "libmkl_",   "liblapack", "libcuda.so", "libscipy_op",
    "libhsa-", "libgc.",      "libguile-",  "libglib-",  "libjvm."};

struct place {
    uintptr_t address;
    bool is_foreign;
};

static int find_place(struct dl_phdr_info *info, size_t size, void *result)
{
    struct place *place = result;
    const char *file = strrchr(info->dlpi_name, '/');
    bool is_within = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        is_within |= part->p_type == PT_LOAD &&
                     place->address - (info->dlpi_addr + part->p_vaddr) < part->p_memsz;
    }
    for (size_t i = 0; is_within && file && i < sizeof foreign_libraries / sizeof(char *); i++)
        place->is_foreign |=
            strncmp(file + 1, foreign_libraries[i], strlen(foreign_libraries[i])) == 0;
    return is_within;
}

/// What was found out is kept: a place and, in its lowest bit, the answer.
bool dispatch_is_foreign(const void *site)
{
    static uint64_t known[256];
    uint64_t key = (uint64_t)(uintptr_t)site << 1;
    uint64_t *place = &known[(uint64_t)(uintptr_t)site * 0x9e3779b97f4a7c15U >> 56];
    uint64_t found = __atomic_load_n(place, __ATOMIC_RELAXED);
    if ((found & ~UINT64_C(1)) != key) {
        struct place search = {.address = (uintptr_t)site};
        dl_iterate_phdr(find_place, &search);
        found = key | search.is_foreign;
        __atomic_store_n(place, found, __ATOMIC_RELAXED);
    }
    return (found & 1) != 0;
}

// SPDX-License-Identifier: BSD-3-Clause
// Call stacks, see callstack.h. The stack is walked by libunwind, which keeps what it has learnt
// about each place (some 30 ns a frame); where it is not installed, by the C library (300 ns).
//
// A stack is written once and referred to by its number. Which ones a thread has written is known
// by a 64-bit hash of the addresses: two stacks of a run would share one with a probability below
// 1 in 10^9. Past MOST_STACKS of a thread new ones are not recorded.
#include "tracer/callstack.h"

#include "tracer/module.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <sys/mman.h>

#define MOST_CALLERS 240
#define MOST_OWN     16 // frames of the tracer, and of MPI's Fortran layer
#define MOST_STACKS  65536
#define N_SLOTS      (2 * MOST_STACKS)

struct callstack_table {
    uint32_t n;
    struct {
        uint64_t hash; // 0: empty
        uint64_t number;
    } slots[N_SLOTS];
};

uint32_t callstack_n_callers;

static int (*walk)(void **addresses, int n);
static uint32_t n_stacks; // of the process

void callstack_init(uint64_t n_callers)
{
    void *library;
    void *symbol = NULL;
    void *probe[2];

    if (n_callers == 0)
        return;
    library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    if (library != NULL)
        symbol = dlsym(library, "unw_backtrace");
    if (symbol != NULL)
        memcpy(&walk, &symbol, sizeof symbol);
    else
        walk = backtrace;
    walk(probe, 2); // the first walk allocates
    callstack_n_callers = n_callers < MOST_CALLERS ? (uint32_t)n_callers : MOST_CALLERS;
}

static struct callstack_table *table_of(struct stream *stream)
{
    if (stream->stacks == NULL) {
        void *memory = mmap(NULL, sizeof(struct callstack_table), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        stream->stacks = memory != MAP_FAILED ? memory : NULL;
    }
    return stream->stacks;
}

static bool write_stack(struct stream *stream, uint32_t number, void *const *callers, size_t n)
{
    struct record_stack *record;
    size_t n_bytes = sizeof *record + n * sizeof record->addresses[0];

    for (size_t i = 0; i < n; i++)
        module_met(stream, (uint64_t)(uintptr_t)callers[i]);
    record = stream_reserve(stream, n_bytes);
    if (record == NULL)
        return false;
    for (size_t i = 0; i < n; i++)
        record->addresses[i] = (uint64_t)(uintptr_t)callers[i];
    stream_commit(&record->head, RECORD_STACK, number, n_bytes);
    return true;
}

static uint64_t hash_of(void *const *callers, size_t n)
{
    uint64_t hash = 0x9e3779b97f4a7c15U * n;

    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ (uint64_t)(uintptr_t)callers[i]) * 0xff51afd7ed558ccdU;
        hash ^= hash >> 32;
    }
    return hash != 0 ? hash : 1;
}

static uint64_t number_of(struct stream *stream, void *const *callers, size_t n)
{
    struct callstack_table *table = table_of(stream);
    uint64_t hash = hash_of(callers, n);
    size_t slot = hash % N_SLOTS;
    uint32_t number;

    if (table == NULL)
        return 0;
    for (; table->slots[slot].hash != 0; slot = (slot + 1) % N_SLOTS)
        if (table->slots[slot].hash == hash)
            return table->slots[slot].number;
    if (table->n == MOST_STACKS)
        return 0;
    number = __atomic_add_fetch(&n_stacks, 1, __ATOMIC_RELAXED);
    if (!write_stack(stream, number, callers, n))
        return 0;
    table->slots[slot].hash = hash;
    table->slots[slot].number = number;
    table->n++;
    return number;
}

uint64_t callstack_number(struct stream *stream, uint64_t site)
{
    void *addresses[MOST_OWN + 1 + MOST_CALLERS];
    int n = walk(addresses, (int)(MOST_OWN + 1 + callstack_n_callers));
    size_t n_callers;

    for (int i = 0; i < n && i <= MOST_OWN; i++) {
        if ((uint64_t)(uintptr_t)addresses[i] != site)
            continue;
        n_callers = (size_t)(n - i - 1);
        if (n_callers > callstack_n_callers)
            n_callers = callstack_n_callers;
        return n_callers > 0 ? number_of(stream, &addresses[i + 1], n_callers) : 0;
    }
    return 0;
}

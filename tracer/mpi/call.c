// SPDX-License-Identifier: BSD-3-Clause
// See call.h: what is too long for the frame of a wrapper, and call stacks.
#include "tracer/mpi/call.h"

#include "tracer/mpi/wrapper.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define JUMP_BYTES (1U << 20)

void call_define_function(struct stream *stream, uint32_t function)
{
    stream->known[function] = true;
    stream_write_name(stream, RECORD_FUNCTION, function, wrappers[function].name);
}

bool call_language_enter(uint32_t function, const void *caller)
{
    struct dispatch_thread *thread = &pagoda_dispatch_thread;
    struct stream *stream = stream_current();
    if (!stream)
        return false;
    dispatch_set_inside(INSIDE_TRACER);
    module_met(stream, (uint64_t)(uintptr_t)caller);
    dispatch_set_inside(0);
    thread->caller = caller;
    thread->enter_ns = clock_now_ns();
    thread->language = function + 1;
    return true;
}

void call_language_leave(void)
{
    struct dispatch_thread *thread = &pagoda_dispatch_thread;
    struct call call;
    if (thread->language != LANGUAGE_RECORDED && call_enter(&call, thread->language - 1)) {
        call_returned(&call);
        call_leave(&call);
    }
    thread->language = 0;
}

void call_enter_off(struct call *call, struct stream *stream, uint32_t function, uint64_t now_ns,
                    uint64_t site)
{
    stream->window.open = NULL;
    stream->unrecorded.is_open = true;
    stream->unrecorded.enter_ns = now_ns;
    stream->unrecorded.site = site;
    call->stream = stream;
    call->function = function;
    dispatch_set_inside(INSIDE_CALL);
}

/// The stack grows down: a call within the open one has its frame below. Far away is another stack
/// (of a fiber, a coroutine), where nothing can be known.
bool call_abandoned(struct stream *stream, const void *frame)
{
    struct dispatch_thread *thread = &pagoda_dispatch_thread;
    uintptr_t distance = (uintptr_t)frame - (uintptr_t)thread->frame;
    const struct record_call *open = stream->window.open;
    struct call call = {.stream = stream};
    if (thread->inside != INSIDE_CALL || (uintptr_t)frame < (uintptr_t)thread->frame ||
        distance > JUMP_BYTES)
        return false;
    call.function = open ? open->head.id : stream->left_function;
    call_returned(&call);
    call_leave(&call);
    thread->language = 0;
    return true;
}

void *call_reserve_completion(struct call *call, size_t n_bytes)
{
    struct stream *stream = call->stream;
    if (stream->request_unrecorded)
        return NULL;
    if (stream->off && stream->unrecorded.is_open) {
        recording_write_skipped(stream);
        if (!STREAM_WRITE(stream, RECORD_CALL, call->function, record_call,
                          .enter_ns = stream->unrecorded.enter_ns, .leave_ns = call->leave_ns,
                          .site = stream->unrecorded.site))
            return NULL;
        stream->unrecorded.is_open = false;
    }
    return stream_reserve(stream, n_bytes);
}

// ---- Call stacks, walked by libunwind, which caches what it knows of each place (some 30 ns a
// frame), or else by the C library (300 ns). A stack is written once and referred to by its number.
// A thread knows its stacks by a 64-bit hash of their addresses: two stacks of a run collide with a
// probability below 1 in 10^9. After MOST_STACKS of a thread new ones are not recorded.

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
    if (n_callers == 0)
        return;
    void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
    void *symbol = NULL;
    if (library)
        symbol = dlsym(library, "unw_backtrace");
    if (symbol)
        memcpy(&walk, &symbol, sizeof symbol);
    else
        walk = backtrace;
    void *probe[2];
    walk(probe, 2); // the first walk allocates
    callstack_n_callers = n_callers < MOST_CALLERS ? (uint32_t)n_callers : MOST_CALLERS;
}

static struct callstack_table *table_of(struct stream *stream)
{
    if (!stream->stacks) {
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
    if (!record)
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
    if (!table)
        return 0;
    for (; table->slots[slot].hash != 0; slot = (slot + 1) % N_SLOTS)
        if (table->slots[slot].hash == hash)
            return table->slots[slot].number;
    if (table->n == MOST_STACKS)
        return 0;
    uint32_t number = __atomic_add_fetch(&n_stacks, 1, __ATOMIC_RELAXED);
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
